//! What makes models and systems, and what ends them.

use std::pin::Pin;

/// What a model or a system is made by.
pub trait Make<T> {
    /// Makes a fresh one.
    fn make(&self) -> Starting<'_, T>;
}

/// Something that is there, or on its way.
pub enum Starting<'a, T> {
    /// It is there.
    Now(T),
    /// It has to be waited for.
    Later(Pin<Box<dyn Future<Output = T> + 'a>>),
}

impl<T> Starting<'_, T> {
    pub(crate) async fn wait(self) -> T {
        match self {
            Self::Now(made) => made,
            Self::Later(made) => made.await,
        }
    }
}

/// Made at once.
pub struct AtOnce<F>(pub(crate) F);

impl<T, F: Fn() -> T> Make<T> for AtOnce<F> {
    fn make(&self) -> Starting<'_, T> {
        Starting::Now((self.0)())
    }
}

/// Made by something that has to be waited for.
pub struct Eventually<F>(pub(crate) F);

impl<T, F: AsyncFn() -> T> Make<T> for Eventually<F> {
    fn make(&self) -> Starting<'_, T> {
        Starting::Later(Box::pin((self.0)()))
    }
}

/// What is done with a model and a system before the first step or after the last.
pub trait Prepare<M, S> {
    /// Does it.
    fn prepare<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> Starting<'a, ()>;
}

impl<M, S, F: Fn(&mut M, &mut S)> Prepare<M, S> for AtOnce<F> {
    fn prepare<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> Starting<'a, ()> {
        (self.0)(model, system);
        Starting::Now(())
    }
}

impl<M, S, F: AsyncFn(&mut M, &mut S)> Prepare<M, S> for Eventually<F> {
    fn prepare<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> Starting<'a, ()> {
        Starting::Later(Box::pin((self.0)(model, system)))
    }
}

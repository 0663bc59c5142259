//! What makes models and systems, and what ends them.

use crate::maybe_future::MaybeFuture;

/// What a model or a system is made by.
pub trait Factory<T> {
    /// Makes a fresh one.
    fn create(&self) -> MaybeFuture<'_, T>;
}

/// Made at once.
pub struct SyncClosure<F>(pub(crate) F);

impl<T, F: Fn() -> T> Factory<T> for SyncClosure<F> {
    fn create(&self) -> MaybeFuture<'_, T> {
        MaybeFuture::Ready((self.0)())
    }
}

/// Made by something that has to be waited for.
pub struct AsyncClosure<F>(pub(crate) F);

impl<T, F: AsyncFn() -> T> Factory<T> for AsyncClosure<F> {
    fn create(&self) -> MaybeFuture<'_, T> {
        MaybeFuture::Future(Box::pin((self.0)()))
    }
}

/// What is done with a model and a system before the first step or after the last.
pub trait Hook<M, S> {
    /// Does it.
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()>;
}

impl<M, S, F: Fn(&mut M, &mut S)> Hook<M, S> for SyncClosure<F> {
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()> {
        (self.0)(model, system);
        MaybeFuture::Ready(())
    }
}

impl<M, S, F: AsyncFn(&mut M, &mut S)> Hook<M, S> for AsyncClosure<F> {
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()> {
        MaybeFuture::Future(Box::pin((self.0)(model, system)))
    }
}

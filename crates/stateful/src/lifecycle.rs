//! How a sequence begins and ends: factories of models and systems, setup and teardown hooks.

use crate::maybe_future::MaybeFuture;

/// Creates models or systems.
pub trait Factory<T> {
    /// Creates a fresh one.
    fn create(&self) -> MaybeFuture<'_, T>;
}

/// A closure that returns its result.
pub struct SyncClosure<F>(pub(crate) F);

impl<T, F: Fn() -> T> Factory<T> for SyncClosure<F> {
    fn create(&self) -> MaybeFuture<'_, T> {
        MaybeFuture::Ready((self.0)())
    }
}

/// A closure that returns a future of its result.
pub struct AsyncClosure<F>(pub(crate) F);

impl<T, F: AsyncFn() -> T> Factory<T> for AsyncClosure<F> {
    fn create(&self) -> MaybeFuture<'_, T> {
        MaybeFuture::Future(Box::pin((self.0)()))
    }
}

/// Runs before the first step of a sequence or after the last one.
pub trait Hook<M, S> {
    /// Runs it.
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

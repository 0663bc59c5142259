//! The result of a closure that may be asynchronous. What is not needs neither a box nor a second
//! poll.

use std::pin::Pin;

/// A value, or a future of it.
pub enum MaybeFuture<'a, T> {
    /// The value.
    Ready(T),
    /// The future.
    Future(Pin<Box<dyn Future<Output = T> + 'a>>),
}

impl<T> MaybeFuture<'_, T> {
    /// The value, once it is ready.
    pub(crate) async fn wait(self) -> T {
        match self {
            Self::Ready(value) => value,
            Self::Future(future) => future.await,
        }
    }
}

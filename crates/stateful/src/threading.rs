//! Whether a test stays on one thread or may be shared by several, and which trait objects it holds.

use std::sync::Arc;

use crate::{
    command::ErasedCommand,
    lifecycle::{Hook, Invariant, ModelFactory, ShowSystem, SystemFactory},
};

/// The parts of a test are used on one thread only. Any strategy is allowed.
#[derive(Debug)]
pub enum Local {}

/// The parts of a test are used by several threads, so strategies and closures are `Send` and `Sync`.
#[derive(Debug)]
pub enum Shared {}

mod sealed {
    /// Keeps [`Threading`](super::Threading) to the two types of this module.
    pub trait Sealed {}
    impl Sealed for super::Local {}
    impl Sealed for super::Shared {}
}

/// [`Local`] or [`Shared`]: which trait objects a test consists of.
pub trait Threading: sealed::Sealed + Sized + 'static {
    /// A command.
    type Command<M: 'static, S: 'static>: ErasedCommand<M, S> + ?Sized;
    /// Creates a model.
    type ModelFactory<M: 'static>: ModelFactory<M> + ?Sized;
    /// Creates a system.
    type SystemFactory<M: 'static, S: 'static>: SystemFactory<M, S> + ?Sized;
    /// An invariant.
    type Invariant<M: 'static, S: 'static>: Invariant<M, S> + ?Sized;
    /// Runs at the start or at the end of a sequence.
    type Hook<M: 'static, S: 'static>: Hook<M, S> + ?Sized;
    /// Shows the system in reports.
    type ShowSystem<S: 'static>: ShowSystem<S> + ?Sized;
}

impl Threading for Local {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S>;
    type ModelFactory<M: 'static> = dyn ModelFactory<M>;
    type SystemFactory<M: 'static, S: 'static> = dyn SystemFactory<M, S>;
    type Invariant<M: 'static, S: 'static> = dyn Invariant<M, S>;
    type Hook<M: 'static, S: 'static> = dyn Hook<M, S>;
    type ShowSystem<S: 'static> = dyn ShowSystem<S>;
}

impl Threading for Shared {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S> + Send + Sync;
    type ModelFactory<M: 'static> = dyn ModelFactory<M> + Send + Sync;
    type SystemFactory<M: 'static, S: 'static> = dyn SystemFactory<M, S> + Send + Sync;
    type Invariant<M: 'static, S: 'static> = dyn Invariant<M, S> + Send + Sync;
    type Hook<M: 'static, S: 'static> = dyn Hook<M, S> + Send + Sync;
    type ShowSystem<S: 'static> = dyn ShowSystem<S> + Send + Sync;
}

/// Turns a part of a test into the trait object of this threading.
#[diagnostic::on_unimplemented(
    message = "a test that is shared between threads cannot hold this",
    label = "it must be `Send` and `Sync`",
    note = "strategies made with `.boxed()` are not: use `.sboxed()`, or `stateful` instead of \
            `stateful_shared`"
)]
pub trait Erase<T, Object: ?Sized> {
    /// The trait object of `value`.
    fn erase(value: T) -> Arc<Object>;
}

macro_rules! erase {
    ($($object:ident<$($parameter:ident),+>;)+) => {$(
        impl<$($parameter: 'static,)+ T> Erase<T, dyn $object<$($parameter),+>> for Local
        where
            T: $object<$($parameter),+> + 'static,
        {
            fn erase(value: T) -> Arc<dyn $object<$($parameter),+>> {
                Arc::new(value)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($parameter: 'static,)+ T> Erase<T, dyn $object<$($parameter),+> + Send + Sync> for Shared
        where
            T: $object<$($parameter),+> + Send + Sync + 'static,
        {
            fn erase(value: T) -> Arc<dyn $object<$($parameter),+> + Send + Sync> {
                Arc::new(value)
            }
        }
    )+};
}

erase! {
    ErasedCommand<M, S>;
    ModelFactory<M>;
    SystemFactory<M, S>;
    Invariant<M, S>;
    Hook<M, S>;
    ShowSystem<S>;
}

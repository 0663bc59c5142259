//! Whether a test stays on one thread or may be shared by several, and which trait objects it holds.

use crate::{
    command::ErasedCommand,
    lifecycle::{Factory, Hook},
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
    /// Creates a model or a system.
    type Factory<T: 'static>: Factory<T> + ?Sized;
    /// An invariant.
    type Invariant<M: 'static, S: 'static>: Fn(&M, &mut S) -> bool + ?Sized;
    /// Runs at the start or at the end of a sequence.
    type Hook<M: 'static, S: 'static>: Hook<M, S> + ?Sized;
}

impl Threading for Local {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S>;
    type Factory<T: 'static> = dyn Factory<T>;
    type Invariant<M: 'static, S: 'static> = dyn Fn(&M, &mut S) -> bool;
    type Hook<M: 'static, S: 'static> = dyn Hook<M, S>;
}

impl Threading for Shared {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S> + Send + Sync;
    type Factory<T: 'static> = dyn Factory<T> + Send + Sync;
    type Invariant<M: 'static, S: 'static> = dyn Fn(&M, &mut S) -> bool + Send + Sync;
    type Hook<M: 'static, S: 'static> = dyn Hook<M, S> + Send + Sync;
}

/// Boxes a part of a test as the trait object of this threading.
#[diagnostic::on_unimplemented(
    message = "a test that is shared between threads cannot hold this",
    label = "it must be `Send` and `Sync`",
    note = "strategies made with `.boxed()` are not: use `.sboxed()`, or leave `.shared()` out"
)]
pub trait Erase<T, Object: ?Sized> {
    /// Boxes `value`.
    fn erase(value: T) -> Box<Object>;
}

impl<M: 'static, S: 'static, C: ErasedCommand<M, S> + 'static> Erase<C, dyn ErasedCommand<M, S>>
    for Local
{
    fn erase(value: C) -> Box<dyn ErasedCommand<M, S>> {
        Box::new(value)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, C: ErasedCommand<M, S> + Send + Sync + 'static>
    Erase<C, dyn ErasedCommand<M, S> + Send + Sync> for Shared
{
    fn erase(value: C) -> Box<dyn ErasedCommand<M, S> + Send + Sync> {
        Box::new(value)
    }
}

impl<T: 'static, F: Factory<T> + 'static> Erase<F, dyn Factory<T>> for Local {
    fn erase(value: F) -> Box<dyn Factory<T>> {
        Box::new(value)
    }
}

#[diagnostic::do_not_recommend]
impl<T: 'static, F: Factory<T> + Send + Sync + 'static> Erase<F, dyn Factory<T> + Send + Sync>
    for Shared
{
    fn erase(value: F) -> Box<dyn Factory<T> + Send + Sync> {
        Box::new(value)
    }
}

impl<M: 'static, S: 'static, F: Fn(&M, &mut S) -> bool + 'static>
    Erase<F, dyn Fn(&M, &mut S) -> bool> for Local
{
    fn erase(value: F) -> Box<dyn Fn(&M, &mut S) -> bool> {
        Box::new(value)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, F: Fn(&M, &mut S) -> bool + Send + Sync + 'static>
    Erase<F, dyn Fn(&M, &mut S) -> bool + Send + Sync> for Shared
{
    fn erase(value: F) -> Box<dyn Fn(&M, &mut S) -> bool + Send + Sync> {
        Box::new(value)
    }
}

impl<M: 'static, S: 'static, F: Hook<M, S> + 'static> Erase<F, dyn Hook<M, S>> for Local {
    fn erase(value: F) -> Box<dyn Hook<M, S>> {
        Box::new(value)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, F: Hook<M, S> + Send + Sync + 'static>
    Erase<F, dyn Hook<M, S> + Send + Sync> for Shared
{
    fn erase(value: F) -> Box<dyn Hook<M, S> + Send + Sync> {
        Box::new(value)
    }
}

//! Whether a test stays on one thread or may be shared by several.

use crate::{
    command::ErasedCommand,
    start::{Make, Prepare},
};

/// Everything that a test consists of may be used on one thread only. Any strategy will do.
#[derive(Debug)]
pub enum Local {}

/// Everything that a test consists of may be used by several threads.
#[derive(Debug)]
pub enum Shared {}

/// [`Local`] or [`Shared`].
pub trait Kind: Sized + 'static {
    /// A command.
    type Command<M: 'static, S: 'static>: ErasedCommand<M, S> + ?Sized;
    /// What makes a model or a system.
    type Make<T: 'static>: Make<T> + ?Sized;
    /// An invariant.
    type Check<M: 'static, S: 'static>: Fn(&M, &mut S) -> bool + ?Sized;
    /// What is done at the start or at the end of a sequence.
    type Prepare<M: 'static, S: 'static>: Prepare<M, S> + ?Sized;
}

impl Kind for Local {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S>;
    type Make<T: 'static> = dyn Make<T>;
    type Check<M: 'static, S: 'static> = dyn Fn(&M, &mut S) -> bool;
    type Prepare<M: 'static, S: 'static> = dyn Prepare<M, S>;
}

impl Kind for Shared {
    type Command<M: 'static, S: 'static> = dyn ErasedCommand<M, S> + Send + Sync;
    type Make<T: 'static> = dyn Make<T> + Send + Sync;
    type Check<M: 'static, S: 'static> = dyn Fn(&M, &mut S) -> bool + Send + Sync;
    type Prepare<M: 'static, S: 'static> = dyn Prepare<M, S> + Send + Sync;
}

/// A kind of test that may consist of `T`.
#[diagnostic::on_unimplemented(
    message = "a test that is shared between threads cannot hold this",
    label = "it must be `Send` and `Sync`",
    note = "strategies made with `.boxed()` are not: use `.sboxed()`, or leave `.shared()` out"
)]
pub trait Holds<T, Object: ?Sized> {
    /// Puts it into a box.
    fn hold(held: T) -> Box<Object>;
}

impl<M: 'static, S: 'static, C: ErasedCommand<M, S> + 'static> Holds<C, dyn ErasedCommand<M, S>>
    for Local
{
    fn hold(held: C) -> Box<dyn ErasedCommand<M, S>> {
        Box::new(held)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, C: ErasedCommand<M, S> + Send + Sync + 'static>
    Holds<C, dyn ErasedCommand<M, S> + Send + Sync> for Shared
{
    fn hold(held: C) -> Box<dyn ErasedCommand<M, S> + Send + Sync> {
        Box::new(held)
    }
}

impl<T: 'static, F: Make<T> + 'static> Holds<F, dyn Make<T>> for Local {
    fn hold(held: F) -> Box<dyn Make<T>> {
        Box::new(held)
    }
}

#[diagnostic::do_not_recommend]
impl<T: 'static, F: Make<T> + Send + Sync + 'static> Holds<F, dyn Make<T> + Send + Sync>
    for Shared
{
    fn hold(held: F) -> Box<dyn Make<T> + Send + Sync> {
        Box::new(held)
    }
}

impl<M: 'static, S: 'static, F: Fn(&M, &mut S) -> bool + 'static>
    Holds<F, dyn Fn(&M, &mut S) -> bool> for Local
{
    fn hold(held: F) -> Box<dyn Fn(&M, &mut S) -> bool> {
        Box::new(held)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, F: Fn(&M, &mut S) -> bool + Send + Sync + 'static>
    Holds<F, dyn Fn(&M, &mut S) -> bool + Send + Sync> for Shared
{
    fn hold(held: F) -> Box<dyn Fn(&M, &mut S) -> bool + Send + Sync> {
        Box::new(held)
    }
}

impl<M: 'static, S: 'static, F: Prepare<M, S> + 'static> Holds<F, dyn Prepare<M, S>> for Local {
    fn hold(held: F) -> Box<dyn Prepare<M, S>> {
        Box::new(held)
    }
}

#[diagnostic::do_not_recommend]
impl<M: 'static, S: 'static, F: Prepare<M, S> + Send + Sync + 'static>
    Holds<F, dyn Prepare<M, S> + Send + Sync> for Shared
{
    fn hold(held: F) -> Box<dyn Prepare<M, S> + Send + Sync> {
        Box::new(held)
    }
}

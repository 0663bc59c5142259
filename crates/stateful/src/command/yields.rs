//! What a command offers to later steps: a part of its result, or nothing.

use std::{any::Any, marker::PhantomData};

use crate::argument::ValueType;

/// Nothing that others refer to.
#[derive(Debug)]
pub struct NoYield;

/// What later steps may refer to.
pub trait Yield<R>: 'static {
    /// The type of what is kept.
    fn value_type(&self) -> Option<ValueType>;

    /// What is kept of the result.
    fn extract(&self, result: &R) -> Option<Box<dyn Any>>;
}

impl<R> Yield<R> for NoYield {
    fn value_type(&self) -> Option<ValueType> {
        None
    }

    fn extract(&self, _: &R) -> Option<Box<dyn Any>> {
        None
    }
}

/// Keeps a part of the result.
pub struct YieldClosure<F, T>(pub(super) F, pub(super) PhantomData<fn() -> T>);

impl<R, T: Any, F: Fn(&R) -> Option<T> + 'static> Yield<R> for YieldClosure<F, T> {
    fn value_type(&self) -> Option<ValueType> {
        Some(ValueType::of::<T>())
    }

    fn extract(&self, result: &R) -> Option<Box<dyn Any>> {
        (self.0)(result).map(|value| Box::new(value) as Box<dyn Any>)
    }
}

//! What a command yields to later steps: a part of its result, or nothing.

use std::{any::Any, marker::PhantomData};

use crate::argument::ValueType;

/// Yields nothing.
#[derive(Debug)]
pub struct NoYield;

/// What a command yields to later steps.
pub trait Yield<R>: 'static {
    /// The type of the yielded value.
    fn value_type(&self) -> Option<ValueType>;

    /// The yielded value, if this result has one.
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

/// Yields what a closure extracts from the result.
pub struct YieldClosure<F, T>(pub(super) F, pub(super) PhantomData<fn() -> T>);

impl<R, T: Any, F: Fn(&R) -> Option<T> + 'static> Yield<R> for YieldClosure<F, T> {
    fn value_type(&self) -> Option<ValueType> {
        Some(ValueType::of::<T>())
    }

    fn extract(&self, result: &R) -> Option<Box<dyn Any>> {
        (self.0)(result).map(|value| Box::new(value) as Box<dyn Any>)
    }
}

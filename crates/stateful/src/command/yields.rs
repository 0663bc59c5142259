//! What a command yields to later steps: parts of its result, or nothing.

use std::{any::Any, marker::PhantomData};

use crate::results::ValueType;

/// Yields nothing.
#[derive(Debug)]
pub struct NoYield;

/// What a command yields to later steps.
pub trait Yield<R>: 'static {
    /// The type of the yielded values.
    fn value_type(&self) -> Option<ValueType>;

    /// The yielded values of this result.
    fn extract(&self, result: &R) -> Vec<Box<dyn Any>>;
}

impl<R> Yield<R> for NoYield {
    fn value_type(&self) -> Option<ValueType> {
        None
    }

    fn extract(&self, _: &R) -> Vec<Box<dyn Any>> {
        Vec::new()
    }
}

/// Yields what a closure extracts from the result: an `Option` of a value, or any other collection.
pub struct YieldClosure<F, I>(pub(super) F, pub(super) PhantomData<fn() -> I>);

impl<R, I, F> Yield<R> for YieldClosure<F, I>
where
    I: IntoIterator + 'static,
    I::Item: Any,
    F: Fn(&R) -> I + 'static,
{
    fn value_type(&self) -> Option<ValueType> {
        Some(ValueType::of::<I::Item>())
    }

    fn extract(&self, result: &R) -> Vec<Box<dyn Any>> {
        (self.0)(result).into_iter().map(|value| Box::new(value) as Box<dyn Any>).collect()
    }
}

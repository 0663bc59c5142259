//! Preconditions and postconditions: closures, or none.

/// No precondition.
#[derive(Debug)]
pub struct NoPrecondition;

/// A condition that must hold before a command runs.
pub trait Precondition<M, V>: 'static {
    /// Whether it holds.
    fn holds(&self, model: &M, values: &V) -> bool;
}

impl<M, V> Precondition<M, V> for NoPrecondition {
    fn holds(&self, _: &M, _: &V) -> bool {
        true
    }
}

impl<M, V, F: Fn(&M, &V) -> bool + 'static> Precondition<M, V> for F {
    fn holds(&self, model: &M, values: &V) -> bool {
        self(model, values)
    }
}

/// No postcondition.
#[derive(Debug)]
pub struct NoPostcondition;

/// A condition that must hold after a command ran.
pub trait Postcondition<M, S, V, R>: 'static {
    /// Whether it holds.
    fn holds(&self, values: V, model: &M, system: &mut S, result: &R) -> bool;
}

impl<M, S, V, R> Postcondition<M, S, V, R> for NoPostcondition {
    fn holds(&self, _: V, _: &M, _: &mut S, _: &R) -> bool {
        true
    }
}

impl<M, S, V, R, F> Postcondition<M, S, V, R> for F
where
    F: Fn(V, &M, &mut S, &R) -> bool + 'static,
{
    fn holds(&self, values: V, model: &M, system: &mut S, result: &R) -> bool {
        self(values, model, system, result)
    }
}

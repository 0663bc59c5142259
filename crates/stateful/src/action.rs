//! Actions of commands: a closure, an asynchronous closure, or a prediction and an answer to compare.

use std::{fmt::Debug, mem};

use crate::fault::{Fault, FaultKind, first_word};

/// What a command does.
pub trait Action<M, S, V>: 'static {
    /// The result.
    type Output: Debug + 'static;

    /// Whether it must be awaited.
    const IS_ASYNC: bool;

    /// Whether an `Err` is a fault by itself. An `Err` that the model predicted is not.
    const ERR_IS_FAULT: bool = true;

    /// Runs an action that need not be awaited.
    fn run(&self, values: V, model: &mut M, system: &mut S) -> Result<Self::Output, Fault>;

    /// Runs it and awaits the result.
    fn run_async(
        &self,
        values: V,
        model: &mut M,
        system: &mut S,
    ) -> impl Future<Output = Result<Self::Output, Fault>> {
        std::future::ready(self.run(values, model, system))
    }
}

/// Calls a closure.
pub struct SyncAction<F>(pub(crate) F);

impl<M, S, V, R, F> Action<M, S, V> for SyncAction<F>
where
    F: Fn(V, &mut M, &mut S) -> R + 'static,
    R: Debug + 'static,
{
    type Output = R;
    const IS_ASYNC: bool = false;

    fn run(&self, values: V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        Ok((self.0)(values, model, system))
    }
}

/// Calls an asynchronous closure.
pub struct AsyncAction<F>(pub(crate) F);

impl<M, S, V, R, F> Action<M, S, V> for AsyncAction<F>
where
    F: AsyncFn(V, &mut M, &mut S) -> R + 'static,
    R: Debug + 'static,
{
    type Output = R;
    const IS_ASYNC: bool = true;

    fn run(&self, _: V, _: &mut M, _: &mut S) -> Result<R, Fault> {
        Err(must_be_awaited())
    }

    async fn run_async(&self, values: V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        Ok((self.0)(values, model, system).await)
    }
}

/// Calls a closure that returns a `Result`; an error is a fault by its type.
pub struct TryAction<F>(pub(crate) F);

impl<M, S, V, T, X, F> Action<M, S, V> for TryAction<F>
where
    F: Fn(V, &mut M, &mut S) -> Result<T, X> + 'static,
    T: Debug + 'static,
    X: Debug,
{
    type Output = T;
    const IS_ASYNC: bool = false;
    const ERR_IS_FAULT: bool = false;

    fn run(&self, values: V, model: &mut M, system: &mut S) -> Result<T, Fault> {
        (self.0)(values, model, system).map_err(|error| fault_of(&error))
    }
}

/// Calls an asynchronous closure that returns a `Result`; an error is a fault by its type.
pub struct TryAsyncAction<F>(pub(crate) F);

impl<M, S, V, T, X, F> Action<M, S, V> for TryAsyncAction<F>
where
    F: AsyncFn(V, &mut M, &mut S) -> Result<T, X> + 'static,
    T: Debug + 'static,
    X: Debug,
{
    type Output = T;
    const IS_ASYNC: bool = true;
    const ERR_IS_FAULT: bool = false;

    fn run(&self, _: V, _: &mut M, _: &mut S) -> Result<T, Fault> {
        Err(must_be_awaited())
    }

    async fn run_async(&self, values: V, model: &mut M, system: &mut S) -> Result<T, Fault> {
        (self.0)(values, model, system).await.map_err(|error| fault_of(&error))
    }
}

/// The fault of an error. Its variant is its identity, and the first word of its text, by which errors
/// without variants differ.
fn fault_of<X: Debug>(error: &X) -> Fault {
    let text = format!("{error:?}");
    let identity = format!("{:?} {}", mem::discriminant(error), first_word(&text));
    Fault::new(FaultKind::Error, "", text).with_identity(identity)
}

/// Compares the prediction of the model with the answer of the system.
pub struct OracleAction<F, G>(pub(crate) F, pub(crate) G);

impl<M, S, V, R, F, G> Action<M, S, V> for OracleAction<F, G>
where
    F: Fn(&V, &mut M) -> R + 'static,
    G: Fn(&V, &mut S) -> R + 'static,
    R: Debug + PartialEq + 'static,
{
    type Output = R;
    const IS_ASYNC: bool = false;
    const ERR_IS_FAULT: bool = false;

    fn run(&self, values: V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        let predicted = (self.0)(&values, model);
        compare(&predicted, (self.1)(&values, system))
    }
}

/// Compares the prediction of the model with the answer of an asynchronous system.
pub struct AsyncOracleAction<F, G>(pub(crate) F, pub(crate) G);

impl<M, S, V, R, F, G> Action<M, S, V> for AsyncOracleAction<F, G>
where
    F: Fn(&V, &mut M) -> R + 'static,
    G: AsyncFn(&V, &mut S) -> R + 'static,
    R: Debug + PartialEq + 'static,
{
    type Output = R;
    const IS_ASYNC: bool = true;
    const ERR_IS_FAULT: bool = false;

    fn run(&self, _: V, _: &mut M, _: &mut S) -> Result<R, Fault> {
        Err(must_be_awaited())
    }

    async fn run_async(&self, values: V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        let predicted = (self.0)(&values, model);
        compare(&predicted, (self.1)(&values, system).await)
    }
}

fn compare<R: Debug + PartialEq>(predicted: &R, answered: R) -> Result<R, Fault> {
    if *predicted == answered {
        return Ok(answered);
    }
    let detail = format!("predicted {predicted:?}, answered {answered:?}");
    Err(Fault::new(FaultKind::Prediction, "", detail))
}

fn must_be_awaited() -> Fault {
    Fault::new(FaultKind::Error, "", "it has to be waited for")
}

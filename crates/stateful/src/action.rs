//! Actions of commands: a closure, an asynchronous closure, or a prediction and an answer to compare.

use std::fmt::Debug;

use crate::fault::{Fault, FaultKind};

/// What a command does.
pub trait Action<M, S, V>: 'static {
    /// The result.
    type Output: Debug + 'static;

    /// Whether it must be awaited.
    const IS_ASYNC: bool;

    /// Whether an `Err` is a fault by itself. An `Err` that the model predicted is not.
    const ERR_IS_FAULT: bool = true;

    /// Runs an action that need not be awaited.
    fn run(
        &self,
        values: &dyn Fn() -> V,
        model: &mut M,
        system: &mut S,
    ) -> Result<Self::Output, Fault>;

    /// Runs it and awaits the result.
    fn run_async(
        &self,
        values: &dyn Fn() -> V,
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

    fn run(&self, values: &dyn Fn() -> V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        Ok((self.0)(values(), model, system))
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

    fn run(&self, _: &dyn Fn() -> V, _: &mut M, _: &mut S) -> Result<R, Fault> {
        Err(Fault::new(FaultKind::Error, "", "it has to be waited for"))
    }

    async fn run_async(
        &self,
        values: &dyn Fn() -> V,
        model: &mut M,
        system: &mut S,
    ) -> Result<R, Fault> {
        Ok((self.0)(values(), model, system).await)
    }
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

    fn run(&self, values: &dyn Fn() -> V, model: &mut M, system: &mut S) -> Result<R, Fault> {
        let values = values();
        let predicted = (self.0)(&values, model);
        let answered = (self.1)(&values, system);
        if predicted == answered {
            return Ok(answered);
        }
        let detail = format!("predicted {predicted:?}, answered {answered:?}");
        Err(Fault::new(FaultKind::Prediction, "", detail))
    }
}

//! What commands do: something, something to wait for, or a prediction to compare.

use std::fmt::Debug;

use crate::fault::{Fault, FaultKind};

/// What a command does.
pub trait Action<M, S, V>: 'static {
    /// What comes of it.
    type Output: Debug + 'static;

    /// Whether it has to be waited for.
    const IS_ASYNC: bool;

    /// Whether an `Err` is a fault by itself. Where it was predicted, it is not.
    const ERR_IS_FAULT: bool = true;

    /// Does it at once. Not for what has to be waited for.
    fn run(
        &self,
        values: &dyn Fn() -> V,
        model: &mut M,
        system: &mut S,
    ) -> Result<Self::Output, Fault>;

    /// Does it, and waits for it.
    fn run_async(
        &self,
        values: &dyn Fn() -> V,
        model: &mut M,
        system: &mut S,
    ) -> impl Future<Output = Result<Self::Output, Fault>> {
        std::future::ready(self.run(values, model, system))
    }
}

/// Runs a function.
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

/// Runs an asynchronous function.
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

/// Compares what the model predicts with what the system answers.
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

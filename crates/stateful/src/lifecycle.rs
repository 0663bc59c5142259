//! The parts of a test besides its commands: how a model and a system are created, setup and teardown,
//! invariants, and how the system is shown.

use std::{borrow::Cow, marker::PhantomData};

use crate::{
    Argument, Verdict,
    argument::{NoValue, StateView},
    arguments::Arguments,
    maybe_future::MaybeFuture,
    results::Results,
    session::StepValues,
    step::ArgumentRecord,
};

/// Creates models, from generated arguments or from nothing.
pub trait ModelFactory<M> {
    /// The names of the arguments that models are created from.
    fn names(&self) -> Vec<Cow<'static, str>>;

    /// Puts the values that `arguments` describe into `values`.
    fn prepare(
        &self,
        arguments: &mut [ArgumentRecord],
        values: &mut StepValues,
    ) -> Result<(), NoValue>;

    /// Values as text.
    fn display(&self, values: &StepValues) -> Vec<Argument>;

    /// Creates a model from values of [`prepare`](Self::prepare).
    fn create(&self, values: &mut StepValues) -> Option<M>;
}

/// A closure that creates a model from generated arguments.
pub struct ModelClosure<L, F> {
    pub(crate) arguments: L,
    pub(crate) create: F,
}

impl<M, L: Arguments<()>, F: Fn(L::Values) -> M> ModelFactory<M> for ModelClosure<L, F> {
    fn names(&self) -> Vec<Cow<'static, str>> {
        self.arguments.names()
    }

    fn prepare(
        &self,
        arguments: &mut [ArgumentRecord],
        values: &mut StepValues,
    ) -> Result<(), NoValue> {
        let results = Results::default();
        let command = "the initial state";
        let state = StateView { model: &(), results: &results, command, commands: &[] };
        values.put(self.arguments.build(&state, arguments)?);
        Ok(())
    }

    fn display(&self, values: &StepValues) -> Vec<Argument> {
        values.get().map(|values| self.arguments.display(values)).unwrap_or_default()
    }

    fn create(&self, values: &mut StepValues) -> Option<M> {
        values.take().map(&self.create)
    }
}

impl<M, F: Fn() -> M> ModelFactory<M> for IndependentClosure<F> {
    fn names(&self) -> Vec<Cow<'static, str>> {
        Vec::new()
    }

    fn prepare(&self, _: &mut [ArgumentRecord], _: &mut StepValues) -> Result<(), NoValue> {
        Ok(())
    }

    fn display(&self, _: &StepValues) -> Vec<Argument> {
        Vec::new()
    }

    fn create(&self, _: &mut StepValues) -> Option<M> {
        Some((self.0)())
    }
}

/// Creates systems.
pub trait SystemFactory<M, S> {
    /// Creates a fresh one.
    fn create<'a>(&'a self, model: &'a M) -> MaybeFuture<'a, S>;
}

/// A closure that returns its result.
pub struct SyncClosure<F>(pub(crate) F);

impl<M, S, F: Fn(&M) -> S> SystemFactory<M, S> for SyncClosure<F> {
    fn create<'a>(&'a self, model: &'a M) -> MaybeFuture<'a, S> {
        MaybeFuture::Ready((self.0)(model))
    }
}

/// A closure that returns a future of its result.
pub struct AsyncClosure<F>(pub(crate) F);

impl<M, S, F: AsyncFn(&M) -> S> SystemFactory<M, S> for AsyncClosure<F> {
    fn create<'a>(&'a self, model: &'a M) -> MaybeFuture<'a, S> {
        MaybeFuture::Future(Box::pin((self.0)(model)))
    }
}

/// A closure that creates a model from nothing, or a system whatever the model is.
pub struct IndependentClosure<F>(pub(crate) F);

impl<M, S, F: Fn() -> S> SystemFactory<M, S> for IndependentClosure<F> {
    fn create<'a>(&'a self, _: &'a M) -> MaybeFuture<'a, S> {
        MaybeFuture::Ready((self.0)())
    }
}

/// A closure that returns a future of a system whatever the model is.
pub struct IndependentAsyncClosure<F>(pub(crate) F);

impl<M, S, F: AsyncFn() -> S> SystemFactory<M, S> for IndependentAsyncClosure<F> {
    fn create<'a>(&'a self, _: &'a M) -> MaybeFuture<'a, S> {
        MaybeFuture::Future(Box::pin((self.0)()))
    }
}

/// Runs before the first step of a sequence or after the last one.
pub trait Hook<M, S> {
    /// Runs it.
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()>;
}

impl<M, S, F: Fn(&mut M, &mut S)> Hook<M, S> for SyncClosure<F> {
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()> {
        (self.0)(model, system);
        MaybeFuture::Ready(())
    }
}

impl<M, S, F: AsyncFn(&mut M, &mut S)> Hook<M, S> for AsyncClosure<F> {
    fn call<'a>(&'a self, model: &'a mut M, system: &'a mut S) -> MaybeFuture<'a, ()> {
        MaybeFuture::Future(Box::pin((self.0)(model, system)))
    }
}

/// What must hold in every state.
pub trait Invariant<M, S> {
    /// Why it does not hold, which may be empty; `None` if it holds.
    fn problem(&self, model: &M, system: &mut S) -> Option<String>;
}

/// A closure that says whether an invariant holds.
pub struct InvariantClosure<F, C>(pub(crate) F, pub(crate) PhantomData<fn() -> C>);

impl<M, S, C: Verdict, F: Fn(&M, &mut S) -> C> Invariant<M, S> for InvariantClosure<F, C> {
    fn problem(&self, model: &M, system: &mut S) -> Option<String> {
        (self.0)(model, system).problem()
    }
}

/// Shows a system in reports.
pub trait ShowSystem<S> {
    /// The text of the system.
    fn show(&self, system: &S) -> String;
}

impl<S, T: ToString, F: Fn(&S) -> T> ShowSystem<S> for F {
    fn show(&self, system: &S) -> String {
        self(system).to_string()
    }
}

//! Commands: arguments, a precondition, an action, a postcondition, and what later steps may refer to.

mod builder;
mod condition;
mod error;
mod yields;

use std::{any::Any, marker::PhantomData};

pub use self::builder::CommandBuilder;
use self::{
    condition::{NoPostcondition, Postcondition, Precondition},
    error::error_of,
    yields::{NoYield, Yield, YieldClosure},
};
use crate::{
    action::Action,
    argument::{NoValue, Reference, StateView, ValueType},
    arguments::Arguments,
    fault::{Fault, FaultKind},
    machine::StepOutcome,
    maybe_future::MaybeFuture,
    rng::Rng,
    session::Session,
    step::{ArgumentRecord, Step},
};

/// How often arguments are drawn until the precondition holds.
const MAX_DRAWS: usize = 4;

/// A command, independent of the types of its arguments, its action and its conditions.
#[diagnostic::on_unimplemented(
    message = "the command has no action",
    label = "end it with `.run(…)`, `.run_async(…)` or `.oracle(…)`",
    note = "a command is `c.forall(…).pre(…).run(…).post(…)`, of which only the action is required"
)]
pub trait ErasedCommand<M, S> {
    /// How often it is chosen, relative to others.
    fn weight(&self) -> u32;

    /// The names of its arguments.
    fn names(&self) -> Vec<&'static str>;

    /// The results of other commands that its arguments refer to.
    fn refers_to(&self) -> Vec<Reference>;

    /// The type of result that others may refer to, if any.
    fn yields(&self) -> Option<ValueType>;

    /// Draws arguments for which its precondition holds in this state.
    fn propose(
        &self,
        state: &StateView<'_, M>,
        rng: &mut Rng,
    ) -> Option<(Vec<ArgumentRecord>, Box<dyn Any>)>;

    /// The arguments that it has in this state, as pairs of name and value.
    fn describe_arguments(
        &self,
        state: &StateView<'_, M>,
        arguments: &[ArgumentRecord],
    ) -> Vec<(String, String)>;

    /// Runs it with the arguments of `step`. Results are kept under `name`.
    fn run<'a>(
        &'a self,
        name: &'static str,
        session: &'a mut Session<M, S>,
        step: &'a mut Step,
    ) -> MaybeFuture<'a, StepOutcome>;
}

/// A complete command.
///
/// `post`, `yields` and `weight` may follow, in any order.
#[must_use = "return it from the closure of `command`"]
pub struct Command<M, S, L, P, A, Q = NoPostcondition, Y = NoYield> {
    list: L,
    precondition: P,
    weight: u32,
    action: A,
    post: Q,
    yields: Y,
    types: PhantomData<fn(M, S)>,
}

impl<M: 'static, S: 'static, L: Arguments<M>, P, A, Q, Y> Command<M, S, L, P, A, Q, Y>
where
    A: Action<M, S, L::Values>,
{
    /// Sets the postcondition, which must hold after the command ran. It receives the arguments, the
    /// model, the system and the result.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("push", |c| {
    ///         c.forall("item", 0..9_u8)
    ///             .run(|item, model, system| {
    ///                 model.push(item);
    ///                 system.push(item);
    ///                 system.len()
    ///             })
    ///             .post(|item, model, system, length| {
    ///                 *length == model.len() && system.last() == Some(&item)
    ///             })
    ///     })
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    pub fn post<F>(self, post: F) -> Command<M, S, L, P, A, F, Y>
    where
        F: Fn(L::Values, &M, &mut S, &A::Output) -> bool + 'static,
    {
        let Self { list, precondition, weight, action, yields, types, .. } = self;
        Command { list, precondition, weight, action, post, yields, types }
    }

    /// Sets which part of the result later steps may refer to by [`CommandBuilder::returned`]. Nobody can
    /// refer to a step for which it is `None`.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<u8, Vec<u8>>()
    ///     .model(|| 0)
    ///     .sut(Vec::new)
    ///     .command("allocate", |c| {
    ///         c.run(|(), _, system| {
    ///             // Four slots, and then no more.
    ///             let slot = (system.len() < 4).then_some(system.len());
    ///             system.extend(slot.map(|_| 0));
    ///             slot
    ///         })
    ///         .yields(|slot| *slot)
    ///     })
    ///     .command("write", |c| {
    ///         c.returned::<usize>("slot", "allocate")
    ///             .run(|slot, _, system| system.get_mut(slot).map(|byte| *byte = 1))
    ///             .post(|_, _, _, written| written.is_some())
    ///     })
    ///     .check(Config { require_all_commands: true, ..Config::default() })
    ///     .unwrap();
    /// ```
    pub fn yields<F, T>(self, extract: F) -> Command<M, S, L, P, A, Q, YieldClosure<F, T>>
    where
        F: Fn(&A::Output) -> Option<T> + 'static,
        T: Any,
    {
        let Self { list, precondition, weight, action, post, types, .. } = self;
        Command {
            list,
            precondition,
            weight,
            action,
            post,
            yields: YieldClosure(extract, PhantomData),
            types,
        }
    }

    /// Sets how often the command is chosen, relative to others. The default is 1.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let statistics = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("often", |c| c.run(|(), _, ()| ()).weight(9))
    ///     .command("seldom", |c| c.run(|(), _, ()| ()))
    ///     .check(Config { swarm: false, seed: Some(1), ..Config::default() })
    ///     .unwrap();
    /// let [often, seldom] = &statistics.commands[..] else { unreachable!() };
    /// assert!(often.ran > 5 * seldom.ran);
    /// ```
    pub fn weight(self, weight: u32) -> Self {
        Self { weight, ..self }
    }
}

impl<M, S, L, P, A, Q, Y> ErasedCommand<M, S> for Command<M, S, L, P, A, Q, Y>
where
    M: 'static,
    S: 'static,
    L: Arguments<M>,
    P: Precondition<M, L::Values>,
    A: Action<M, S, L::Values>,
    Q: Postcondition<M, S, L::Values, A::Output>,
    Y: Yield<A::Output>,
{
    fn weight(&self) -> u32 {
        self.weight
    }

    fn names(&self) -> Vec<&'static str> {
        self.list.names()
    }

    fn refers_to(&self) -> Vec<Reference> {
        self.list.refer_to()
    }

    fn yields(&self) -> Option<ValueType> {
        self.yields.value_type()
    }

    fn propose(
        &self,
        state: &StateView<'_, M>,
        rng: &mut Rng,
    ) -> Option<(Vec<ArgumentRecord>, Box<dyn Any>)> {
        let count = self.list.names().len();
        // A command without arguments is the same in every draw.
        for _ in 0..if count == 0 { 1 } else { MAX_DRAWS } {
            let mut arguments: Vec<ArgumentRecord> =
                (0..count).map(|_| ArgumentRecord::new(rng.bits())).collect();
            let Ok(trees) = self.list.build(state, &mut arguments) else { continue };
            if self.precondition.holds(state.model, &L::values(&trees)) {
                return Some((arguments, Box::new(trees)));
            }
        }
        None
    }

    fn describe_arguments(
        &self,
        state: &StateView<'_, M>,
        arguments: &[ArgumentRecord],
    ) -> Vec<(String, String)> {
        let trees = self.list.build(state, &mut arguments.to_vec());
        let values = trees.map(|trees| L::display(&trees)).unwrap_or_default();
        let names = self.list.names().into_iter().map(str::to_owned);
        names.zip(values).collect()
    }

    fn run<'a>(
        &'a self,
        name: &'static str,
        session: &'a mut Session<M, S>,
        step: &'a mut Step,
    ) -> MaybeFuture<'a, StepOutcome> {
        let trees = match self.trees(session, step) {
            Ok(trees) => trees,
            Err(reason) => return MaybeFuture::Ready(reason.into()),
        };
        if A::IS_ASYNC {
            return MaybeFuture::Future(Box::pin(async move {
                let values = || L::values(&trees);
                let result =
                    self.action.run_async(&values, &mut session.model, &mut session.system).await;
                self.evaluate(name, session, step.id, &trees, result)
            }));
        }
        let result =
            self.action.run(&|| L::values(&trees), &mut session.model, &mut session.system);
        MaybeFuture::Ready(self.evaluate(name, session, step.id, &trees, result))
    }
}

impl<M, S, L, P, A, Q, Y> Command<M, S, L, P, A, Q, Y>
where
    L: Arguments<M>,
    P: Precondition<M, L::Values>,
{
    /// The value trees of `step`, if it can run: those it was proposed with, or the same built again.
    fn trees(&self, session: &Session<M, S>, step: &mut Step) -> Result<L::Trees, NoValue> {
        let proposed = step.trees.take().map(<Box<dyn Any>>::downcast::<L::Trees>);
        if let Some(Ok(trees)) = proposed {
            return Ok(*trees);
        }
        let trees = self.list.build(&session.state(), &mut step.arguments)?;
        let is_allowed = self.precondition.holds(&session.model, &L::values(&trees));
        if is_allowed { Ok(trees) } else { Err(NoValue::Blocked) }
    }
}

impl<M, S, L, P, A, Q, Y> Command<M, S, L, P, A, Q, Y>
where
    L: Arguments<M>,
    A: Action<M, S, L::Values>,
    Q: Postcondition<M, S, L::Values, A::Output>,
    Y: Yield<A::Output>,
{
    /// The outcome of the action: an `Err` and a false postcondition are faults.
    fn evaluate(
        &self,
        name: &'static str,
        session: &mut Session<M, S>,
        id: u32,
        trees: &L::Trees,
        result: Result<A::Output, Fault>,
    ) -> StepOutcome {
        let result = match result {
            Ok(result) => result,
            Err(fault) => return StepOutcome::failed(fault, None),
        };
        let text = session.tracing.is_on().then(|| format!("{result:?}"));
        if A::ERR_IS_FAULT
            && let Some(error) = error_of(&result)
        {
            return StepOutcome::failed(Fault::new(FaultKind::Error, "", error), text);
        }
        let Session { model, system, results, .. } = session;
        if !self.post.holds(L::values(trees), model, system, &result) {
            let detail = format!("the result was {result:?}");
            return StepOutcome::failed(Fault::new(FaultKind::Postcondition, "", detail), text);
        }
        if let Some(value) = self.yields.extract(&result) {
            results.add(id, name, value);
        }
        StepOutcome::Passed(text)
    }
}

//! Commands: arguments, a precondition, an action, a postcondition, and what later steps may refer to.

mod builder;
mod condition;
mod error;
mod yields;

use std::{any::Any, borrow::Cow, marker::PhantomData, sync::Arc};

pub use self::{builder::CommandBuilder, condition::Verdict};
use self::{
    condition::{Label, NoLabel, NoPostcondition, Postcondition, Precondition},
    error::fault_of,
    yields::{NoYield, Yield, YieldClosure},
};
use crate::{
    Argument,
    action::Action,
    argument::{NoValue, StateView},
    arguments::Arguments,
    fault::{Fault, FaultKind},
    machine::StepOutcome,
    maybe_future::MaybeFuture,
    panics::Interruptible,
    results::{Reference, ValueType},
    session::{Session, State, StepValues},
    step::{ArgumentRecord, Binding, Step},
    threading::{Erase, Local, Threading},
};

/// How often arguments are drawn until the precondition holds.
const MAX_DRAWS: usize = 4;

/// A command with its name, as a value: functions can return it, and collections hold it.
///
/// ```
/// use foolproof_stateful::{Command, Config, stateful};
///
/// /// A command for both directions.
/// fn step(name: &'static str, by: i32) -> Command<i32, i32> {
///     Command::new(name, move |c| {
///         c.run(move |(), model, system| (*model, *system) = (*model + by, *system + by))
///     })
/// }
///
/// let both: Vec<Command<i32, i32>> = vec![step("up", 1), step("down", -1)];
/// stateful::<i32, i32>()
///     .model(|| 0)
///     .sut(|| 0)
///     .commands(both)
///     .invariant("same", |model, system| model == system)
///     .check(Config::default())
///     .unwrap();
/// ```
pub struct Command<M: 'static, S: 'static, K: Threading = Local> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) erased: Arc<K::Command<M, S>>,
}

impl<M: 'static, S: 'static, K: Threading> Command<M, S, K> {
    /// A command of this name, which `build` completes.
    pub fn new<C>(
        name: impl Into<Cow<'static, str>>,
        build: impl FnOnce(CommandBuilder<M, S, ()>) -> C,
    ) -> Self
    where
        C: ErasedCommand<M, S>,
        K: Erase<C, K::Command<M, S>>,
    {
        Self { name: name.into(), erased: K::erase(build(CommandBuilder::new())) }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<M: 'static, S: 'static, K: Threading> Clone for Command<M, S, K> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), erased: Arc::clone(&self.erased) }
    }
}

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
    fn names(&self) -> Vec<Cow<'static, str>>;

    /// The values of other commands that its arguments refer to.
    fn refers_to(&self) -> Vec<Reference>;

    /// The type of values that others may refer to, if any.
    fn yields(&self) -> Option<ValueType>;

    /// Draws arguments, from seeds that `seed` gives for each of them, for which its precondition holds in
    /// this state. Their values are put into `values`.
    fn propose(
        &self,
        state: &StateView<'_, M>,
        seed: &mut dyn FnMut(usize) -> u64,
        values: &mut StepValues,
    ) -> Result<Vec<ArgumentRecord>, NoValue>;

    /// Puts the values that `arguments` describe into `values`, if its precondition holds for them in this
    /// state.
    fn prepare(
        &self,
        state: &StateView<'_, M>,
        arguments: &mut [ArgumentRecord],
        values: &mut StepValues,
    ) -> Result<(), NoValue>;

    /// Values as text.
    fn display(&self, values: &StepValues) -> Vec<Argument>;

    /// Runs it as `step`, in a session that has a state and the values of the step.
    fn run<'a>(
        &'a self,
        session: &'a mut Session<M, S>,
        step: &'a Step,
    ) -> MaybeFuture<'a, StepOutcome>;
}

/// A complete command, as its parts.
///
/// `post`, `yields`, `label` and `weight` may follow, in any order.
#[must_use = "return it from the closure of `command`"]
pub struct CommandParts<M, S, L, P, A, Q = NoPostcondition, Y = NoYield, B = NoLabel> {
    list: L,
    precondition: P,
    weight: u32,
    action: A,
    post: Q,
    yields: Y,
    label: B,
    types: PhantomData<fn(M, S)>,
}

impl<M: 'static, S: 'static, L: Arguments<M>, P, A, Q, Y, B> CommandParts<M, S, L, P, A, Q, Y, B>
where
    A: Action<M, S, L::Values>,
{
    /// Sets the postcondition, which must hold after the command ran. It receives the arguments, the
    /// model, the system and the result, and returns a `bool`, or a `Result` whose error says what is wrong.
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
    pub fn post<F, C>(self, post: F) -> CommandParts<M, S, L, P, A, F, Y, B>
    where
        F: Fn(L::Values, &M, &mut S, &A::Output) -> C + 'static,
        C: Verdict,
    {
        let Self { list, precondition, weight, action, yields, label, types, .. } = self;
        CommandParts { list, precondition, weight, action, post, yields, label, types }
    }

    /// Sets the label of a step, which statistics count: how often a step had each label, and which followed
    /// which. It receives the model before the step, and the arguments.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let statistics = stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("push", |c| {
    ///         c.forall("item", 0..9_u8)
    ///             .run(|item, model, system| (model.push(item), system.push(item)))
    ///             .label(|model, _| if model.is_empty() { "the first" } else { "another" })
    ///     })
    ///     .check(Config::default())
    ///     .unwrap();
    /// assert!(statistics.labels.counts["another"] > statistics.labels.counts["the first"]);
    /// assert!(!statistics.labels.transitions["another"].contains_key("the first"));
    /// ```
    pub fn label<F, T>(self, label: F) -> CommandParts<M, S, L, P, A, Q, Y, F>
    where
        F: Fn(&M, &L::Values) -> T + 'static,
        T: Into<String>,
    {
        let Self { list, precondition, weight, action, post, yields, types, .. } = self;
        CommandParts { list, precondition, weight, action, post, yields, label, types }
    }

    /// Sets which part of the result later steps may refer to by [`CommandBuilder::returned`]: an `Option`, or
    /// any collection of several values. A step that yields nothing cannot be referred to.
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
    pub fn yields<F, I>(self, extract: F) -> CommandParts<M, S, L, P, A, Q, YieldClosure<F, I>, B>
    where
        F: Fn(&A::Output) -> I + 'static,
        I: IntoIterator + 'static,
        I::Item: Any,
    {
        let Self { list, precondition, weight, action, post, label, types, .. } = self;
        let yields = YieldClosure(extract, PhantomData);
        CommandParts { list, precondition, weight, action, post, yields, label, types }
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

impl<M, S, L, P, A, Q, Y, B> ErasedCommand<M, S> for CommandParts<M, S, L, P, A, Q, Y, B>
where
    M: 'static,
    S: 'static,
    L: Arguments<M>,
    P: Precondition<M, L::Values>,
    A: Action<M, S, L::Values>,
    Q: Postcondition<M, S, L::Values, A::Output>,
    Y: Yield<A::Output>,
    B: Label<M, L::Values>,
{
    fn weight(&self) -> u32 {
        self.weight
    }

    fn names(&self) -> Vec<Cow<'static, str>> {
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
        seed: &mut dyn FnMut(usize) -> u64,
        values: &mut StepValues,
    ) -> Result<Vec<ArgumentRecord>, NoValue> {
        let mut reason = NoValue::Blocked;
        // A command without arguments is the same in every draw.
        for _ in 0..if L::COUNT == 0 { 1 } else { MAX_DRAWS } {
            let mut arguments: Vec<ArgumentRecord> =
                (0..L::COUNT).map(|argument| ArgumentRecord::new(seed(argument))).collect();
            match self.prepare(state, &mut arguments, values) {
                Ok(()) => return Ok(arguments),
                Err(NoValue::Rejected(argument)) => reason = NoValue::Rejected(argument),
                Err(NoValue::Blocked | NoValue::Exhausted) => {}
            }
        }
        Err(reason)
    }

    fn prepare(
        &self,
        state: &StateView<'_, M>,
        arguments: &mut [ArgumentRecord],
        values: &mut StepValues,
    ) -> Result<(), NoValue> {
        let built = self.list.build(state, arguments)?;
        let _guard =
            Interruptible(|| format!("while the precondition of `{}` was checked", state.command));
        if !self.precondition.holds(state.model, &built) {
            return Err(NoValue::Blocked);
        }
        values.put(built);
        Ok(())
    }

    fn display(&self, values: &StepValues) -> Vec<Argument> {
        values.get().map(|values| self.list.display(values)).unwrap_or_default()
    }

    fn run<'a>(
        &'a self,
        session: &'a mut Session<M, S>,
        step: &'a Step,
    ) -> MaybeFuture<'a, StepOutcome> {
        let values = session.values[step.command].take::<L::Values>();
        let (Some(values), Some(state)) = (values, &mut session.state) else {
            return MaybeFuture::Ready(StepOutcome::Blocked);
        };
        let label = self.label.label(&state.model, &values);
        let kept = Q::IS_CHECKED.then(|| values.clone());
        if A::IS_ASYNC {
            return MaybeFuture::Future(Box::pin(async move {
                let Some(State { model, system }) = &mut session.state else {
                    return StepOutcome::Blocked;
                };
                let result = self.action.run_async(values, model, system).await;
                self.evaluate(session, step, (kept, label), result)
            }));
        }
        let State { model, system } = state;
        let result = self.action.run(values, model, system);
        MaybeFuture::Ready(self.evaluate(session, step, (kept, label), result))
    }
}

impl<M, S, L, P, A, Q, Y, B> CommandParts<M, S, L, P, A, Q, Y, B>
where
    L: Arguments<M>,
    A: Action<M, S, L::Values>,
    Q: Postcondition<M, S, L::Values, A::Output>,
    Y: Yield<A::Output>,
{
    /// The outcome of the action: an `Err` and a false postcondition are faults.
    fn evaluate(
        &self,
        session: &mut Session<M, S>,
        step: &Step,
        (values, label): (Option<L::Values>, Option<String>),
        result: Result<A::Output, Fault>,
    ) -> StepOutcome {
        let with_label = |outcome: StepOutcome| match label {
            Some(label) => outcome.with_label(label),
            None => outcome,
        };
        let result = match result {
            Ok(result) => result,
            Err(fault) => {
                session.log.add_nothing();
                return with_label(StepOutcome::failed(fault));
            }
        };
        session.log.add(&result, session.context.is_traced());
        if A::ERR_IS_FAULT
            && let Some(fault) = fault_of(&result)
        {
            return with_label(StepOutcome::failed(fault));
        }
        if let (Some(values), Some(State { model, system })) = (values, &mut session.state)
            && let Some(problem) = self.post.problem(values, model, system, &result)
        {
            let result = format!("the result was {result:?}");
            let detail = if problem.is_empty() { result } else { format!("{problem}; {result}") };
            let fault = Fault::new(FaultKind::Postcondition, "", detail);
            return with_label(StepOutcome::failed(fault));
        }
        let values = self.yields.extract(&result);
        if !values.is_empty() {
            session.results.add(step.id, step.command, values);
        }
        for (index, argument) in step.arguments.iter().enumerate() {
            if let Some(Binding::Step(step, part)) = &argument.binding
                && self.list.is_consumed(index)
            {
                session.results.consume(*step, *part);
            }
        }
        with_label(StepOutcome::passed())
    }
}

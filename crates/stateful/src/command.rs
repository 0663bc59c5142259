//! Commands: arguments, a precondition, something to run, and a postcondition.
//!
//! A command is built step by step, and each step is a type of its own: by the time `run` is written,
//! the types of the arguments are known, and closures need not name any.

use std::{any::Any, fmt::Debug, marker::PhantomData};

use proptest::strategy::Strategy;

use crate::{
    action::{Action, AsyncAction, OracleAction, SyncAction},
    argument::{Forall, ForallWith, NoValue, Pick, Reference, Returned, StateView, ValueType},
    arguments::{Append, Arguments},
    fault::{Fault, FaultKind},
    lifecycle::MaybeFuture,
    machine::StepOutcome,
    rng::Rng,
    session::Session,
    step::{ArgumentRecord, Step},
};

/// How often arguments are drawn again that the precondition refuses.
const MAX_DRAWS: usize = 4;

/// A command of a stateful test.
#[diagnostic::on_unimplemented(
    message = "the command has no action",
    label = "end it with `.run(…)`, `.run_async(…)` or `.oracle(…)`",
    note = "a command is `c.forall(…).pre(…).run(…).post(…)`, of which only the action is required"
)]
pub trait ErasedCommand<M, S> {
    /// How often it is chosen in comparison with others.
    fn weight(&self) -> u32;

    /// The names of its arguments.
    fn names(&self) -> Vec<&'static str>;

    /// What it refers to.
    fn refers_to(&self) -> Vec<Reference>;

    /// What others may refer to, if anything.
    fn yields(&self) -> Option<ValueType>;

    /// Draws arguments that its precondition admits in this state.
    fn propose(
        &self,
        state: &StateView<'_, M>,
        rng: &mut Rng,
    ) -> Option<(Vec<ArgumentRecord>, Box<dyn Any>)>;

    /// The arguments that it would have in this state, each with its name.
    fn describe_arguments(
        &self,
        state: &StateView<'_, M>,
        arguments: &[ArgumentRecord],
    ) -> Vec<(String, String)>;

    /// Runs it with the arguments of `step`; `name` is its own.
    fn run<'a>(
        &'a self,
        name: &'static str,
        session: &'a mut Session<M, S>,
        step: &'a mut Step,
    ) -> MaybeFuture<'a, StepOutcome>;
}

/// No precondition.
#[derive(Debug)]
pub struct NoPrecondition;

/// What must hold before a command runs.
pub trait Precondition<M, V>: 'static {
    /// Whether it does.
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

/// What must hold after a command ran.
pub trait Postcondition<M, S, V, R>: 'static {
    /// Whether it does.
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
pub struct YieldClosure<F, T>(F, PhantomData<fn() -> T>);

impl<R, T: Any, F: Fn(&R) -> Option<T> + 'static> Yield<R> for YieldClosure<F, T> {
    fn value_type(&self) -> Option<ValueType> {
        Some(ValueType::of::<T>())
    }

    fn extract(&self, result: &R) -> Option<Box<dyn Any>> {
        (self.0)(result).map(|value| Box::new(value) as Box<dyn Any>)
    }
}

/// A command that has no action yet.
///
/// [`Stateful::command`](crate::Stateful::command) hands one to its closure. Arguments come first, then
/// the precondition, then the action; each is optional but the last.
///
/// ```
/// # use foolproof_stateful::{Config, stateful};
/// use foolproof_stateful::CommandBuilder;
///
/// stateful::<u8, u8>()
///     .model(|| 0)
///     .sut(|| 0)
///     .command("add", |c: CommandBuilder<u8, u8, ()>| {
///         c.forall("by", 1..9_u8)
///             .pre(|model, by| *model < 200 - by)
///             .run(|by, model, system| (*model, *system) = (*model + by, *system + by))
///     })
///     .invariant("same", |model, system| model == system)
///     .check(Config::default())
///     .unwrap();
/// ```
#[must_use = "end it with `.run(…)`, `.run_async(…)` or `.oracle(…)`"]
pub struct CommandBuilder<M, S, L, P = NoPrecondition> {
    list: L,
    precondition: P,
    weight: u32,
    types: PhantomData<fn(M, S)>,
}

impl<M, S> CommandBuilder<M, S, ()> {
    pub(crate) fn new() -> Self {
        Self { list: (), precondition: NoPrecondition, weight: 1, types: PhantomData }
    }
}

/// A command without a precondition, which may get another argument.
#[diagnostic::on_unimplemented(
    message = "arguments come before the precondition",
    label = "move it before `.pre(…)`",
    note = "the precondition sees all arguments: `c.forall(…).forall(…).pre(…).run(…)`"
)]
pub trait AllowsArguments {}
impl AllowsArguments for NoPrecondition {}

impl<M: 'static, S: 'static, L, P> CommandBuilder<M, S, L, P> {
    /// Adds an argument that `strategy` makes.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use proptest::{collection::vec, prelude::any};
    /// stateful::<usize, Vec<u16>>()
    ///     .model(|| 0)
    ///     .sut(Vec::new)
    ///     .command("extend", |c| {
    ///         c.forall("items", vec(any::<u16>(), 0..4)).forall("twice", any::<bool>()).run(
    ///             |(items, is_twice), model, system| {
    ///                 for _ in 0..=u8::from(is_twice) {
    ///                     *model += items.len();
    ///                     system.extend(&items);
    ///                 }
    ///             },
    ///         )
    ///     })
    ///     .invariant("length", |model, system| *model == system.len())
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    pub fn forall<T>(self, name: &'static str, strategy: T) -> CommandBuilder<M, S, L::Longer>
    where
        T: Strategy + 'static,
        L: Append<Forall<T>>,
        P: AllowsArguments,
    {
        self.append(Forall { name, strategy })
    }

    /// Adds an argument that a strategy makes which depends on the model as it is at that step.
    ///
    /// The strategy is made before the precondition is asked, so it must exist in every state: an empty range
    /// panics.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("insert", |c| {
    ///         // Anywhere, the end included.
    ///         c.forall_with("place", |model| 0..=model.len()).forall("item", 0..9_u8).run(
    ///             |(place, item), model, system| {
    ///                 model.insert(place, item);
    ///                 system.insert(place, item);
    ///             },
    ///         )
    ///     })
    ///     .invariant("same", |model, system| model == system)
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    pub fn forall_with<T, F>(
        self,
        name: &'static str,
        strategy: F,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Strategy + 'static,
        F: Fn(&M) -> T + 'static,
        L: Append<ForallWith<F, T>>,
        P: AllowsArguments,
    {
        self.append(ForallWith { name, strategy, made: PhantomData })
    }

    /// Adds an argument that is one of what the model offers at that step. Where it offers nothing,
    /// the command cannot run.
    ///
    /// While the sequence shrinks, it stays with the candidate that looks the same (`Debug`), wherever that
    /// stands by then.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use std::collections::BTreeMap;
    /// let statistics = stateful::<BTreeMap<u8, char>, BTreeMap<u8, char>>()
    ///     .model(BTreeMap::new)
    ///     .sut(BTreeMap::new)
    ///     .command("put", |c| {
    ///         c.forall("key", 0..9_u8).run(|key, model, system| {
    ///             model.insert(key, 'x');
    ///             system.insert(key, 'x');
    ///         })
    ///     })
    ///     .command("remove", |c| {
    ///         c.pick("key", |model| model.keys().copied().collect::<Vec<_>>())
    ///             .run(|key, model, system| (model.remove(&key), system.remove(&key)))
    ///             .post(|_, _, _, removed| *removed == (Some('x'), Some('x')))
    ///     })
    ///     .check(Config::default())
    ///     .unwrap();
    /// assert!(statistics.commands[1].blocked > 0);
    /// ```
    pub fn pick<I, F>(self, name: &'static str, candidates: F) -> CommandBuilder<M, S, L::Longer>
    where
        I: IntoIterator + 'static,
        I::Item: Clone + Debug + 'static,
        F: Fn(&M) -> I + 'static,
        L: Append<Pick<F, I>>,
        P: AllowsArguments,
    {
        self.append(Pick { name, candidates, made: PhantomData })
    }

    /// Adds an argument that an earlier step of `command` yielded ([`Command::yields`]). It belongs to
    /// that step: if shrinking removes the step, this one goes too.
    ///
    /// The type must be the one that is yielded: of another, there is never one to choose.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// use std::collections::BTreeSet;
    ///
    /// // The system makes handles up; a model cannot know them.
    /// stateful::<usize, BTreeSet<usize>>()
    ///     .model(|| 0)
    ///     .sut(BTreeSet::new)
    ///     .command("open", |c| {
    ///         c.run(|(), model, system| {
    ///             *model += 1;
    ///             let handle = 100 + 7 * system.len();
    ///             system.insert(handle);
    ///             handle
    ///         })
    ///         .yields(|handle| Some(*handle))
    ///     })
    ///     .command("check", |c| {
    ///         c.returned::<usize>("handle", "open")
    ///             .run(|handle, _, system| system.contains(&handle))
    ///             .post(|_, _, _, is_open| *is_open)
    ///     })
    ///     .check(Config { require_all_commands: true, ..Config::default() })
    ///     .unwrap();
    /// ```
    pub fn returned<T>(
        self,
        name: &'static str,
        command: &'static str,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Clone + Debug + 'static,
        L: Append<Returned<T>>,
        P: AllowsArguments,
    {
        self.append(Returned { name, command, made: PhantomData })
    }

    fn append<A>(self, argument: A) -> CommandBuilder<M, S, L::Longer>
    where
        L: Append<A>,
    {
        let (list, weight) = (self.list.append(argument), self.weight);
        CommandBuilder { list, precondition: NoPrecondition, weight, types: PhantomData }
    }

    /// What must hold before the command runs; it sees the model and the arguments.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("push", |c| {
    ///         c.forall("item", 0..9_u8)
    ///             .pre(|model, item| model.len() < 5 && !model.contains(item))
    ///             .run(|item, model, system| {
    ///                 model.push(item);
    ///                 system.push(item);
    ///             })
    ///     })
    ///     .invariant("at most five", |_, system| system.len() <= 5)
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    pub fn pre<F>(self, precondition: F) -> CommandBuilder<M, S, L, F>
    where
        L: Arguments<M>,
        P: AllowsArguments,
        F: Fn(&M, &L::Values) -> bool + 'static,
    {
        let Self { list, weight, .. } = self;
        CommandBuilder { list, precondition, weight, types: PhantomData }
    }
}

impl<M: 'static, S: 'static, L: Arguments<M>, P: Precondition<M, L::Values>>
    CommandBuilder<M, S, L, P>
{
    /// Chooses the command so many times as often as one of weight 1.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let statistics = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("often", |c| c.weight(9).run(|(), _, ()| ()))
    ///     .command("seldom", |c| c.run(|(), _, ()| ()))
    ///     .check(Config { swarm: false, seed: Some(1), ..Config::default() })
    ///     .unwrap();
    /// let [often, seldom] = &statistics.commands[..] else { unreachable!() };
    /// assert!(often.ran > 5 * seldom.ran);
    /// ```
    pub fn weight(self, weight: u32) -> Self {
        Self { weight, ..self }
    }

    /// What the command does to the model and to the system. An `Err` is a failure.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use foolproof_stateful::FaultKind;
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("read", |c| {
    ///         c.forall("text", "[0-9x]").run(|text, _, ()| text.parse::<u8>())
    ///     })
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// let fault = failure.fault().unwrap();
    /// assert_eq!(fault.kind(), FaultKind::Error);
    /// assert_eq!(fault.detail(), "ParseIntError { kind: InvalidDigit }");
    /// ```
    pub fn run<F, R>(self, run: F) -> Command<M, S, L, P, SyncAction<F>>
    where
        F: Fn(L::Values, &mut M, &mut S) -> R + 'static,
        R: Debug + 'static,
    {
        self.ready(SyncAction(run))
    }

    /// The same for a system that has to be waited for.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::sync::mpsc::{Receiver, Sender, channel};
    ///
    /// stateful::<usize, (Sender<u8>, Receiver<u8>)>()
    ///     .model(|| 0)
    ///     .sut(|| channel(3))
    ///     .command("send", |c| {
    ///         c.forall("item", 0..9_u8).pre(|model, _| *model < 3).run_async(
    ///             async |item, model, (sender, _)| {
    ///                 *model += 1;
    ///                 sender.send(item).await
    ///             },
    ///         )
    ///     })
    ///     .command("receive", |c| {
    ///         c.pre(|model, ()| *model > 0)
    ///             .run_async(async |(), model, (_, receiver)| {
    ///                 *model -= 1;
    ///                 receiver.recv().await
    ///             })
    ///             .post(|(), _, _, item| item.is_some())
    ///     })
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    pub fn run_async<F, R>(self, run: F) -> Command<M, S, L, P, AsyncAction<F>>
    where
        F: AsyncFn(L::Values, &mut M, &mut S) -> R + 'static,
        R: Debug + 'static,
    {
        self.ready(AsyncAction(run))
    }

    /// What the model predicts, and what the system answers: they must be equal.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use foolproof_stateful::FaultKind;
    /// let failure = stateful::<u32, u32>()
    ///     .model(|| 0)
    ///     .sut(|| 0)
    ///     .command("add", |c| {
    ///         c.forall("by", 0..100_u32).oracle(
    ///             |by, model| {
    ///                 *model += by;
    ///                 *model
    ///             },
    ///             |by, system| {
    ///                 // The bug: it stops at 99.
    ///                 *system = (*system + by).min(99);
    ///                 *system
    ///             },
    ///         )
    ///     })
    ///     .check(Config { seed: Some(1), ..Config::default() })
    ///     .unwrap_err();
    /// let fault = failure.fault().unwrap();
    /// assert_eq!(fault.kind(), FaultKind::Prediction);
    /// assert_eq!(fault.detail(), "predicted 100, answered 99");
    /// ```
    pub fn oracle<F, G, R>(self, predict: F, answer: G) -> Command<M, S, L, P, OracleAction<F, G>>
    where
        F: Fn(&L::Values, &mut M) -> R + 'static,
        G: Fn(&L::Values, &mut S) -> R + 'static,
        R: Debug + PartialEq + 'static,
    {
        self.ready(OracleAction(predict, answer))
    }

    fn ready<A>(self, action: A) -> Command<M, S, L, P, A> {
        let Self { list, precondition, weight, types } = self;
        Command {
            list,
            precondition,
            weight,
            action,
            post: NoPostcondition,
            yields: NoYield,
            types,
        }
    }
}

/// A command that can run.
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
    /// What must hold after the command ran; it sees the arguments, the model, the system and the
    /// result.
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

    /// What later steps may refer to ([`CommandBuilder::returned`]); nothing, if this step has nothing
    /// to offer.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<u8, Vec<u8>>()
    ///     .model(|| 0)
    ///     .sut(Vec::new)
    ///     .command("allocate", |c| {
    ///         c.run(|(), _, system| {
    ///             // Four places, and then no more.
    ///             let place = (system.len() < 4).then_some(system.len());
    ///             system.extend(place.map(|_| 0));
    ///             place
    ///         })
    ///         .yields(|place| *place)
    ///     })
    ///     .command("write", |c| {
    ///         c.returned::<usize>("place", "allocate")
    ///             .run(|place, _, system| system.get_mut(place).map(|byte| *byte = 1))
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

    /// Chooses the command so many times as often as one of weight 1.
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
        // What has no arguments is the same when it is drawn again.
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
            Err(NoValue::Blocked) => return MaybeFuture::Ready(StepOutcome::Blocked),
            Err(NoValue::Exhausted) => return MaybeFuture::Ready(StepOutcome::Exhausted),
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
    /// What the arguments of `step` are made from, if it can run: what it was proposed with, or the
    /// same built again.
    fn trees(&self, session: &Session<M, S>, step: &mut Step) -> Result<L::Trees, NoValue> {
        let proposed = step.trees.take().map(<Box<dyn Any>>::downcast::<L::Trees>);
        if let Some(Ok(trees)) = proposed {
            return Ok(*trees);
        }
        let trees = self.list.build(&session.state(), &mut step.arguments)?;
        let is_fine = self.precondition.holds(&session.model, &L::values(&trees));
        if is_fine { Ok(trees) } else { Err(NoValue::Blocked) }
    }
}

impl<M, S, L, P, A, Q, Y> Command<M, S, L, P, A, Q, Y>
where
    L: Arguments<M>,
    A: Action<M, S, L::Values>,
    Q: Postcondition<M, S, L::Values, A::Output>,
    Y: Yield<A::Output>,
{
    /// What came of the action.
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
        let shown = session.is_traced.then(|| format!("{result:?}"));
        if A::ERR_IS_FAULT
            && let Some(error) = error_of(&result)
        {
            return StepOutcome::failed(Fault::new(FaultKind::Error, "", error), shown);
        }
        let Session { model, system, results, .. } = session;
        if !self.post.holds(L::values(trees), model, system, &result) {
            let detail = format!("the result was {result:?}");
            return StepOutcome::failed(Fault::new(FaultKind::Postcondition, "", detail), shown);
        }
        if let Some(value) = self.yields.extract(&result) {
            results.add(id, name, value);
        }
        StepOutcome::Passed(shown)
    }
}

/// What is in the `Err` of a result, if `value` is one. There is no way to ask a generic type whether
/// it is a `Result`; its name and how it shows itself tell.
fn error_of<R: Debug>(value: &R) -> Option<String> {
    let is_result = std::any::type_name::<R>().starts_with("core::result::Result<");
    if !is_result || !starts_with_err(value) {
        return None;
    }
    let text = format!("{value:?}");
    let inside = text.strip_prefix("Err(").and_then(|text| text.strip_suffix(')'));
    Some(inside.unwrap_or(&text).to_owned())
}

/// Whether the text of `value` begins with `Err(`, without writing out the rest.
fn starts_with_err(value: &impl Debug) -> bool {
    struct Peek {
        seen: String,
    }
    impl std::fmt::Write for Peek {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.seen.push_str(&text.chars().take(4).collect::<String>());
            if self.seen.len() >= 4 { Err(std::fmt::Error) } else { Ok(()) }
        }
    }
    let mut peek = Peek { seen: String::new() };
    let _ = std::fmt::Write::write_fmt(&mut peek, format_args!("{value:?}"));
    peek.seen.starts_with("Err(")
}

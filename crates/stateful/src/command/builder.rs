//! The builder of one command: arguments, then a precondition, then an action.
//!
//! Each stage is a type of its own: by the time `run` is called, the types of the arguments are known,
//! and closures need not name any.

use std::{fmt::Debug, marker::PhantomData};

use proptest::strategy::Strategy;

use super::{
    Command,
    condition::{NoPostcondition, NoPrecondition, Precondition},
    yields::NoYield,
};
use crate::{
    action::{AsyncAction, OracleAction, SyncAction},
    argument::{Forall, ForallWith, Pick, Returned},
    arguments::{Append, Arguments},
};

/// A command that has no action yet.
///
/// [`Stateful::command`](crate::Stateful::command) passes one to its closure. Arguments come first, then
/// the precondition, then the action; only the action is required.
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

/// A command that has no precondition yet, so that arguments can be added.
#[diagnostic::on_unimplemented(
    message = "arguments come before the precondition",
    label = "move it before `.pre(…)`",
    note = "the precondition sees all arguments: `c.forall(…).forall(…).pre(…).run(…)`"
)]
pub trait AllowsArguments {}
impl AllowsArguments for NoPrecondition {}

impl<M: 'static, S: 'static, L, P> CommandBuilder<M, S, L, P> {
    /// Adds an argument from a strategy.
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

    /// Adds an argument from a strategy that depends on the model in the state of the step.
    ///
    /// The strategy is created before the precondition is checked, so it must be valid in every state: an
    /// empty range panics.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("insert", |c| {
    ///         // Anywhere, the end included.
    ///         c.forall_with("index", |model| 0..=model.len()).forall("item", 0..9_u8).run(
    ///             |(index, item), model, system| {
    ///                 model.insert(index, item);
    ///                 system.insert(index, item);
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

    /// Adds an argument that is one of the candidates of the model in the state of the step. Without
    /// candidates, the command cannot run.
    ///
    /// While the sequence is shrunk, the argument stays bound to the candidate with the same `Debug` text,
    /// at whatever index.
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

    /// Adds an argument that an earlier step of `command` yielded ([`Command::yields`]). It is bound
    /// to that step: if shrinking removes the step, this one is removed too.
    ///
    /// The type must be the one that `command` yields; with another one, `check` fails.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// use std::collections::BTreeSet;
    ///
    /// // The system invents handles, which a model cannot know.
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

    /// Sets the precondition, which must hold before the command runs. It receives the model and the
    /// arguments.
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
    /// Sets how often the command is chosen, relative to others. The default is 1.
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

    /// Sets the action on the model and the system. An `Err` is a failure.
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

    /// Sets an asynchronous action on the model and the system. An `Err` is a failure.
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

    /// Sets an action in two parts: the prediction of the model and the answer of the system, which must
    /// be equal.
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

//! The builder of one command: arguments, then a precondition, then an action.
//!
//! Each stage is a type of its own: by the time `run` is called, the types of the arguments are known,
//! and closures need not name any.

use std::{borrow::Cow, fmt::Debug, marker::PhantomData};

use proptest::strategy::Strategy;

use super::{
    CommandParts,
    condition::{NoLabel, NoPostcondition, NoPrecondition, Precondition},
    yields::NoYield,
};
use crate::{
    action::{AsyncAction, AsyncOracleAction, OracleAction, SyncAction, TryAction, TryAsyncAction},
    argument::{Forall, ForallWith, Pick, Returned},
    arguments::{Append, Arguments},
    results::Producers,
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
    pub fn forall<T>(
        self,
        name: impl Into<Cow<'static, str>>,
        strategy: T,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Strategy + 'static,
        L: Append<Forall<T>>,
        P: AllowsArguments,
    {
        self.append(Forall { name: name.into(), strategy })
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
        name: impl Into<Cow<'static, str>>,
        strategy: F,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Strategy + 'static,
        F: Fn(&M) -> T + 'static,
        L: Append<ForallWith<F, T>>,
        P: AllowsArguments,
    {
        self.append(ForallWith { name: name.into(), strategy, made: PhantomData })
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
    pub fn pick<I, F>(
        self,
        name: impl Into<Cow<'static, str>>,
        candidates: F,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        I: IntoIterator + 'static,
        I::Item: Clone + Debug + 'static,
        F: Fn(&M) -> I + 'static,
        L: Append<Pick<F, I>>,
        P: AllowsArguments,
    {
        self.append(Pick { name: name.into(), candidates, made: PhantomData })
    }

    /// Adds an argument that an earlier step of one of the `producers` yielded
    /// ([`yields`](CommandParts::yields)): a command, or several that yield the same type. It is bound to that
    /// step: if shrinking removes the step, this one is removed too.
    ///
    /// The type must be the one that the producers yield; with another one, `check` fails.
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
        name: impl Into<Cow<'static, str>>,
        producers: impl Into<Producers>,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Clone + Debug + 'static,
        L: Append<Returned<T>>,
        P: AllowsArguments,
    {
        let (name, producers) = (name.into(), producers.into());
        self.append(Returned { name, producers, is_consumed: false, made: PhantomData })
    }

    /// Adds an argument that an earlier step yielded, as [`returned`](Self::returned) does, and that no
    /// later step gets once this one ran without a fault.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// // Two commands open, and each handle is closed once.
    /// stateful::<usize, Vec<u32>>()
    ///     .model(|| 0)
    ///     .sut(Vec::new)
    ///     .command("open", |c| {
    ///         c.run(|(), model, system| {
    ///             *model += 1;
    ///             system.push(system.last().unwrap_or(&0) + 1);
    ///             *system.last().unwrap()
    ///         })
    ///         .yields(|handle| Some(*handle))
    ///     })
    ///     .command("open several", |c| {
    ///         c.run(|(), model, system| {
    ///             *model += 2;
    ///             let next = system.last().unwrap_or(&0) + 1;
    ///             system.extend([next, next + 1]);
    ///             vec![next, next + 1]
    ///         })
    ///         .yields(|handles| handles.clone())
    ///     })
    ///     .command("close", |c| {
    ///         c.consumed::<u32>("handle", ["open", "open several"]).run(|handle, model, system| {
    ///             *model -= 1;
    ///             let index = system.iter().position(|open| *open == handle);
    ///             system.remove(index.expect("it is open"));
    ///         })
    ///     })
    ///     .invariant("as many", |model, system| *model == system.len())
    ///     .check(Config { require_all_commands: true, ..Config::default() })
    ///     .unwrap();
    /// ```
    pub fn consumed<T>(
        self,
        name: impl Into<Cow<'static, str>>,
        producers: impl Into<Producers>,
    ) -> CommandBuilder<M, S, L::Longer>
    where
        T: Clone + Debug + 'static,
        L: Append<Returned<T>>,
        P: AllowsArguments,
    {
        let (name, producers) = (name.into(), producers.into());
        self.append(Returned { name, producers, is_consumed: true, made: PhantomData })
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
    pub fn run<F, R>(self, run: F) -> CommandParts<M, S, L, P, SyncAction<F>>
    where
        F: Fn(L::Values, &mut M, &mut S) -> R + 'static,
        R: Debug + 'static,
    {
        self.ready(SyncAction(run))
    }

    /// Sets an action that returns a `Result`. An error is a failure, whose identity is the variant of the
    /// error: shrinking does not replace one variant by another. `post` and `yields` receive what is in `Ok`.
    ///
    /// Errors of types without variants, such as `String`, differ by their first word. [`run`](Self::run) recognizes
    /// errors too, and distinguishes them by the first word of their `Debug` text.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// #[derive(Debug)]
    /// enum StoreError {
    ///     Busy { retries: u8 },
    ///     Corrupt,
    /// }
    ///
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("write", |c| {
    ///         c.forall("bytes", 0..9_u8).try_run(|bytes, model, ()| {
    ///             *model += 1;
    ///             match (*model, bytes) {
    ///                 (3, _) => Err(StoreError::Corrupt),
    ///                 (8, 1) => Err(StoreError::Busy { retries: 3 }),
    ///                 _ => Ok(bytes),
    ///             }
    ///         })
    ///         .post(|_, _, (), written| *written < 9)
    ///     })
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// assert_eq!(failure.fault().unwrap().detail(), "Corrupt");
    /// ```
    pub fn try_run<F, T, X>(self, run: F) -> CommandParts<M, S, L, P, TryAction<F>>
    where
        F: Fn(L::Values, &mut M, &mut S) -> Result<T, X> + 'static,
        T: Debug + 'static,
        X: Debug,
    {
        self.ready(TryAction(run))
    }

    /// Sets an asynchronous action that returns a `Result`, of which an error is a failure as in
    /// [`try_run`](Self::try_run).
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    ///
    /// stateful::<u8, (DuplexStream, DuplexStream)>()
    ///     .model(|| 0)
    ///     .sut(|| duplex(8))
    ///     .command("echo", |c| {
    ///         c.forall("byte", 0..9_u8)
    ///             .try_run_async(async |byte, _, (near, far)| {
    ///                 near.write_u8(byte).await?;
    ///                 far.read_u8().await
    ///             })
    ///             .post(|byte, _, _, read| *read == byte)
    ///     })
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    pub fn try_run_async<F, T, X>(self, run: F) -> CommandParts<M, S, L, P, TryAsyncAction<F>>
    where
        F: AsyncFn(L::Values, &mut M, &mut S) -> Result<T, X> + 'static,
        T: Debug + 'static,
        X: Debug,
    {
        self.ready(TryAsyncAction(run))
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
    pub fn run_async<F, R>(self, run: F) -> CommandParts<M, S, L, P, AsyncAction<F>>
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
    pub fn oracle<F, G, R>(
        self,
        predict: F,
        answer: G,
    ) -> CommandParts<M, S, L, P, OracleAction<F, G>>
    where
        F: Fn(&L::Values, &mut M) -> R + 'static,
        G: Fn(&L::Values, &mut S) -> R + 'static,
        R: Debug + PartialEq + 'static,
    {
        self.ready(OracleAction(predict, answer))
    }

    /// Sets an action in two parts, as [`oracle`](Self::oracle) does, of which the answer of the system is
    /// asynchronous.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::sync::Mutex;
    ///
    /// stateful::<u32, Mutex<u32>>()
    ///     .model(|| 0)
    ///     .sut(|| Mutex::new(0))
    ///     .command("add", |c| {
    ///         c.forall("by", 0..9_u32).oracle_async(
    ///             |by, model| {
    ///                 *model += by;
    ///                 *model
    ///             },
    ///             async |by, system| {
    ///                 let mut locked = system.lock().await;
    ///                 *locked += by;
    ///                 *locked
    ///             },
    ///         )
    ///     })
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    pub fn oracle_async<F, G, R>(
        self,
        predict: F,
        answer: G,
    ) -> CommandParts<M, S, L, P, AsyncOracleAction<F, G>>
    where
        F: Fn(&L::Values, &mut M) -> R + 'static,
        G: AsyncFn(&L::Values, &mut S) -> R + 'static,
        R: Debug + PartialEq + 'static,
    {
        self.ready(AsyncOracleAction(predict, answer))
    }

    fn ready<A>(self, action: A) -> CommandParts<M, S, L, P, A> {
        let Self { list, precondition, weight, types } = self;
        CommandParts {
            list,
            precondition,
            weight,
            action,
            post: NoPostcondition,
            yields: NoYield,
            label: NoLabel,
            types,
        }
    }
}

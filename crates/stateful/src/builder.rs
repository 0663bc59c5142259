//! The fluent builder of a test.

mod machine;
mod parallelism;
mod typestate;
mod validation;

use std::{fmt::Debug, marker::PhantomData};

use self::{
    parallelism::Parallelism,
    typestate::{Absent, HasModel, HasSystem, Present},
};
use crate::{
    command::{CommandBuilder, ErasedCommand},
    config::Config,
    failure::Failure,
    lifecycle::{AsyncClosure, SyncClosure},
    runner,
    statistics::Statistics,
    threading::{Erase, Local, Shared, Threading},
};

/// Begins a test of a system `S` against a model `M`.
///
/// ```
/// use foolproof_stateful::{Config, stateful};
///
/// #[derive(Default)]
/// struct Counter(u8);
///
/// stateful::<u8, Counter>()
///     .model(|| 0)
///     .sut(Counter::default)
///     .command("add", |c| {
///         c.forall("by", 1..=9_u8)
///             .pre(|model, by| *model <= 200 - by)
///             .run(|by, model, counter| {
///                 *model += by;
///                 counter.0 += by;
///             })
///     })
///     .command("reset", |c| c.run(|(), model, counter| (*model, counter.0) = (0, 0)))
///     .invariant("same count", |model, counter| *model == counter.0)
///     .check(Config::default())
///     .unwrap();
/// ```
#[must_use]
pub fn stateful<M: Debug + 'static, S: 'static>() -> Stateful<M, S> {
    Stateful::empty()
}

/// A part of a test with its name.
type Named<T> = (&'static str, Box<T>);

/// A test: a model, a system, commands and invariants.
pub struct Stateful<
    M: 'static,
    S: 'static,
    K: Threading = Local,
    ModelState = Absent,
    SystemState = Absent,
> {
    model: Option<Box<K::Factory<M>>>,
    system: Option<Box<K::Factory<S>>>,
    setup: Vec<Box<K::Hook<M, S>>>,
    teardown: Vec<Box<K::Hook<M, S>>>,
    commands: Vec<Named<K::Command<M, S>>>,
    invariants: Vec<Named<K::Invariant<M, S>>>,
    parts: PhantomData<fn(ModelState, SystemState)>,
}

impl<M: Debug + 'static, S: 'static> Stateful<M, S> {
    /// Lets the test run on several threads. Its strategies and closures must be `Send` and `Sync`; the
    /// model and the system need not be, since each stays on one thread. Call it first.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// use std::num::NonZero;
    ///
    /// let test = stateful::<u8, u8>()
    ///     .shared()
    ///     .model(|| 0)
    ///     .sut(|| 0)
    ///     .command("set", |c| {
    ///         c.forall("to", 0..9_u8).run(|to, model, system| (*model, *system) = (to, to))
    ///     })
    ///     .invariant("same", |model, system| model == system);
    /// let threads = NonZero::new(4).unwrap();
    /// let statistics = test.check(Config { threads, ..Config::default() }).unwrap();
    /// assert_eq!(statistics.runs, 100);
    /// ```
    #[must_use]
    pub fn shared(self) -> Stateful<M, S, Shared> {
        Stateful::empty()
    }
}

impl<M: Debug + 'static, S: 'static, K: Threading> Stateful<M, S, K> {
    fn empty() -> Self {
        Self {
            model: None,
            system: None,
            setup: Vec::new(),
            teardown: Vec::new(),
            commands: Vec::new(),
            invariants: Vec::new(),
            parts: PhantomData,
        }
    }
}

impl<M: Debug + 'static, S: 'static, K: Threading, HM, HS> Stateful<M, S, K, HM, HS> {
    /// Sets how a fresh model is created for every sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// // No sequence sees what another has pushed.
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .command("push", |c| c.run(|(), model, system| (model.push(1), system.push(1))))
    ///     .invariant("short", |model, _| model.len() <= 20)
    ///     .check(Config { max_commands: 20, ..Config::default() })
    ///     .unwrap();
    /// ```
    #[must_use]
    pub fn model<F>(mut self, create: F) -> Stateful<M, S, K, Present, HS>
    where
        F: Fn() -> M + 'static,
        K: Erase<SyncClosure<F>, K::Factory<M>>,
    {
        self.model = Some(K::erase(SyncClosure(create)));
        self.with_state()
    }

    /// Sets how a fresh system is created for every sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use std::collections::VecDeque;
    /// stateful::<usize, VecDeque<u8>>()
    ///     .model(|| 0)
    ///     .sut(|| VecDeque::with_capacity(4))
    ///     .command("push", |c| {
    ///         c.forall("item", 0..9_u8).run(|item, model, queue| {
    ///             *model += 1;
    ///             queue.push_back(item);
    ///         })
    ///     })
    ///     .invariant("length", |model, queue| *model == queue.len())
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    #[must_use]
    pub fn sut<F>(mut self, create: F) -> Stateful<M, S, K, HM, Present>
    where
        F: Fn() -> S + 'static,
        K: Erase<SyncClosure<F>, K::Factory<S>>,
    {
        self.system = Some(K::erase(SyncClosure(create)));
        self.with_state()
    }

    /// Sets how a fresh system is created asynchronously for every sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::net::{TcpListener, TcpStream};
    ///
    /// stateful::<(), TcpListener>()
    ///     .model(|| ())
    ///     .sut_async(async || TcpListener::bind("127.0.0.1:0").await.unwrap())
    ///     .command("connect", |c| {
    ///         c.run_async(async |(), (), listener| {
    ///             let address = listener.local_addr()?;
    ///             let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
    ///             Ok::<_, std::io::Error>((client?.local_addr()?, server?.1))
    ///         })
    ///         .post(|(), (), _, pair| pair.as_ref().is_ok_and(|(near, far)| near == far))
    ///     })
    ///     .check_async(Config { num_runs: 5, max_commands: 5, ..Config::default() })
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    #[must_use]
    pub fn sut_async<F>(mut self, create: F) -> Stateful<M, S, K, HM, Present>
    where
        F: AsyncFn() -> S + 'static,
        K: Erase<AsyncClosure<F>, K::Factory<S>>,
    {
        self.system = Some(K::erase(AsyncClosure(create)));
        self.with_state()
    }

    /// Adds a hook that runs before the first step of every sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// stateful::<Vec<u8>, Vec<u8>>()
    ///     .model(Vec::new)
    ///     .sut(Vec::new)
    ///     .setup(|model, system| {
    ///         model.extend([1, 2, 3]);
    ///         system.extend([1, 2, 3]);
    ///     })
    ///     .command("pop", |c| {
    ///         c.pre(|model, ()| !model.is_empty()).oracle(|(), model| model.pop(), |(), system| system.pop())
    ///     })
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    #[must_use]
    pub fn setup<F>(mut self, setup: F) -> Self
    where
        F: Fn(&mut M, &mut S) + 'static,
        K: Erase<SyncClosure<F>, K::Hook<M, S>>,
    {
        self.setup.push(K::erase(SyncClosure(setup)));
        self
    }

    /// Adds an asynchronous hook that runs before the first step of every sequence.
    #[must_use]
    pub fn setup_async<F>(mut self, setup: F) -> Self
    where
        F: AsyncFn(&mut M, &mut S) + 'static,
        K: Erase<AsyncClosure<F>, K::Hook<M, S>>,
    {
        self.setup.push(K::erase(AsyncClosure(setup)));
        self
    }

    /// Adds a hook that runs after the last step of every sequence, also of one that failed. It does not run
    /// if creating the model or the system or `setup` panicked.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use std::{cell::Cell, rc::Rc};
    /// let open = Rc::new(Cell::new(0));
    /// let (opened, closed) = (Rc::clone(&open), Rc::clone(&open));
    /// let failure = stateful::<(), ()>()
    ///     .model(|| ())
    ///     .sut(move || opened.set(opened.get() + 1))
    ///     .teardown(move |(), ()| closed.set(closed.get() - 1))
    ///     .command("fail", |c| c.run(|(), (), ()| panic!("failed")))
    ///     .check(Config::default());
    /// assert!(failure.is_err());
    /// assert_eq!(open.get(), 0);
    /// ```
    #[must_use]
    pub fn teardown<F>(mut self, teardown: F) -> Self
    where
        F: Fn(&mut M, &mut S) + 'static,
        K: Erase<SyncClosure<F>, K::Hook<M, S>>,
    {
        self.teardown.push(K::erase(SyncClosure(teardown)));
        self
    }

    /// Adds an asynchronous hook that runs after the last step of every sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::task::JoinHandle;
    ///
    /// stateful::<(), JoinHandle<()>>()
    ///     .model(|| ())
    ///     .sut_async(async || tokio::spawn(std::future::pending()))
    ///     .command("poll", |c| c.run(|(), (), task| task.is_finished()).post(|(), (), _, done| !done))
    ///     .teardown_async(async |(), task| {
    ///         task.abort();
    ///         assert!(task.await.unwrap_err().is_cancelled());
    ///     })
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    #[must_use]
    pub fn teardown_async<F>(mut self, teardown: F) -> Self
    where
        F: AsyncFn(&mut M, &mut S) + 'static,
        K: Erase<AsyncClosure<F>, K::Hook<M, S>>,
    {
        self.teardown.push(K::erase(AsyncClosure(teardown)));
        self
    }

    /// Adds a command. Its name must be unique.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let test = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("up", |c| c.pre(|model, ()| *model < 9).run(|(), model, ()| *model += 1))
    ///     .command("up", |c| c.run(|(), _, ()| ()));
    /// let failure = test.check(Config::default()).unwrap_err();
    /// assert_eq!(failure.to_string(), "two commands are called `up`: names must differ");
    /// ```
    #[must_use]
    pub fn command<C>(
        mut self,
        name: &'static str,
        build: impl FnOnce(CommandBuilder<M, S, ()>) -> C,
    ) -> Self
    where
        C: ErasedCommand<M, S>,
        K: Erase<C, K::Command<M, S>>,
    {
        self.commands.push((name, K::erase(build(CommandBuilder::new()))));
        self
    }

    /// Adds an invariant, which must hold after every step. Several are checked in their order.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, u8>()
    ///     .model(|| 0)
    ///     .sut(|| 0)
    ///     .command("up", |c| c.run(|(), model, system| (*model, *system) = (*model + 1, *system + 1)))
    ///     .invariant("same", |model, system| model == system)
    ///     .invariant("below four", |_, system| *system < 4)
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// assert_eq!(failure.fault().unwrap().location(), "below four");
    /// assert_eq!(failure.minimal().len(), 4);
    /// ```
    #[must_use]
    pub fn invariant<F>(mut self, name: &'static str, holds: F) -> Self
    where
        F: Fn(&M, &mut S) -> bool + 'static,
        K: Erase<F, K::Invariant<M, S>>,
    {
        self.invariants.push((name, K::erase(holds)));
        self
    }

    /// Runs the test. The text of a [`Failure`] is the report, so `unwrap` is all that a test needs.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let statistics = stateful::<u8, u8>()
    ///     .model(|| 0)
    ///     .sut(|| 0)
    ///     .command("set", |c| {
    ///         c.forall("to", 0..9_u8).run(|to, model, system| (*model, *system) = (to, to))
    ///     })
    ///     .invariant("same", |model, system| model == system)
    ///     .check(Config { num_runs: 20, max_commands: 10, ..Config::default() })
    ///     .unwrap();
    /// assert_eq!(statistics.runs, 20);
    /// assert!(statistics.steps <= 200);
    /// ```
    #[expect(clippy::needless_pass_by_value, reason = "`check(Config { … })` reads best")]
    pub fn check(self, config: Config) -> Result<Statistics, Failure>
    where
        HM: HasModel,
        HS: HasSystem,
        K: Parallelism,
    {
        K::check(self.with_state(), &config.with_chosen_seed())
    }

    /// Runs the test of an asynchronous system on the caller's runtime.
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
    ///         c.forall("by", 0..9_u32)
    ///             .run_async(async |by, model, system| {
    ///                 *model += by;
    ///                 let mut locked = system.lock().await;
    ///                 *locked += by;
    ///                 *locked
    ///             })
    ///             .post(|_, model, _, total| model == total)
    ///     })
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    pub async fn check_async(self, config: Config) -> Result<Statistics, Failure>
    where
        HM: HasModel,
        HS: HasSystem,
    {
        let test: Test<M, S, K> = self.with_state();
        test.validate()?;
        runner::check_machine_async(&test, &config).await
    }

    fn with_state<NewModel, NewSystem>(self) -> Stateful<M, S, K, NewModel, NewSystem> {
        let Self { model, system, setup, teardown, commands, invariants, .. } = self;
        let parts = PhantomData;
        Stateful { model, system, setup, teardown, commands, invariants, parts }
    }
}

/// A test that has a model and a system.
pub(crate) type Test<M, S, K> = Stateful<M, S, K, Present, Present>;

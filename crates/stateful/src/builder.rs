//! The fluent builder of a test.

mod checks;
mod initial_state;
mod machine;
mod parallelism;
mod typestate;
mod validation;

use std::{borrow::Cow, fmt::Debug, marker::PhantomData, sync::Arc};

pub use self::{
    initial_state::GivenBuilder,
    typestate::{Absent, Present},
};
use self::{
    parallelism::Parallelism,
    typestate::{HasModel, HasSystem},
};
use crate::{
    Verdict,
    command::{Command, CommandBuilder, ErasedCommand},
    lifecycle::InvariantClosure,
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

/// Begins a test that may run on several threads, or with a timeout. Its strategies and closures must be
/// `Send` and `Sync`; the model and the system need not be, since each stays on one thread.
///
/// ```
/// use std::num::NonZero;
///
/// use foolproof_stateful::{Config, stateful_shared};
///
/// let test = stateful_shared::<u8, u8>()
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
pub fn stateful_shared<M: Debug + 'static, S: 'static>() -> Stateful<M, S, Shared> {
    Stateful::empty()
}

/// A part of a test with its name.
type Named<T> = (Cow<'static, str>, Arc<T>);

/// A test: a model, a system, commands and invariants.
///
/// A function can take and return one at any stage. The last two parameters say whether it has a model and a
/// system: [`Absent`] or [`Present`]. [`Test`] is one that has both.
///
/// ```
/// use foolproof_stateful::{Config, Stateful, Test, stateful};
///
/// fn with_pop<HM, HS>(
///     test: Stateful<Vec<u8>, Vec<u8>, foolproof_stateful::Local, HM, HS>,
/// ) -> Stateful<Vec<u8>, Vec<u8>, foolproof_stateful::Local, HM, HS> {
///     test.command("pop", |c| c.oracle(|(), model| model.pop(), |(), system| system.pop()))
/// }
///
/// fn complete() -> Test<Vec<u8>, Vec<u8>> {
///     with_pop(stateful()).model(|| vec![1, 2, 3]).sut(|| vec![1, 2, 3])
/// }
///
/// complete().check(Config::default()).unwrap();
/// ```
pub struct Stateful<
    M: 'static,
    S: 'static,
    K: Threading = Local,
    ModelState = Absent,
    SystemState = Absent,
> {
    model: Option<Arc<K::ModelFactory<M>>>,
    system: Option<Arc<K::SystemFactory<M, S>>>,
    setup: Vec<Arc<K::Hook<M, S>>>,
    teardown: Vec<Arc<K::Hook<M, S>>>,
    commands: Vec<Command<M, S, K>>,
    invariants: Vec<Named<K::Invariant<M, S>>>,
    show: Option<Arc<K::ShowSystem<S>>>,
    parts: PhantomData<fn(ModelState, SystemState)>,
}

/// A test that has a model and a system.
pub type Test<M, S, K = Local> = Stateful<M, S, K, Present, Present>;

impl<M: 'static, S: 'static, K: Threading, HM, HS> Clone for Stateful<M, S, K, HM, HS> {
    fn clone(&self) -> Self {
        self.with_state()
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
            show: None,
            parts: PhantomData,
        }
    }
}

impl<M: 'static, S: 'static, K: Threading, HM, HS> Stateful<M, S, K, HM, HS> {
    /// The same test, of which other parts are known to be present.
    fn with_state<NewModel, NewSystem>(&self) -> Stateful<M, S, K, NewModel, NewSystem> {
        Stateful {
            model: self.model.clone(),
            system: self.system.clone(),
            setup: self.setup.clone(),
            teardown: self.teardown.clone(),
            commands: self.commands.clone(),
            invariants: self.invariants.clone(),
            show: self.show.clone(),
            parts: PhantomData,
        }
    }
}

impl<M: Debug + 'static, S: 'static, K: Threading, HM, HS> Stateful<M, S, K, HM, HS> {
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
        self,
        name: impl Into<Cow<'static, str>>,
        build: impl FnOnce(CommandBuilder<M, S, ()>) -> C,
    ) -> Self
    where
        C: ErasedCommand<M, S>,
        K: Erase<C, K::Command<M, S>>,
    {
        self.commands([Command::new(name, build)])
    }

    /// Adds commands that were built before ([`Command::new`]).
    ///
    /// ```
    /// # use foolproof_stateful::{Command, Config, stateful};
    /// let up = Command::new("up", |c| c.run(|(), model: &mut u8, ()| *model += 1));
    /// let statistics = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .commands([up])
    ///     .check(Config::default())
    ///     .unwrap();
    /// assert_eq!(statistics.commands[0].name, "up");
    /// ```
    #[must_use]
    pub fn commands(mut self, commands: impl IntoIterator<Item = Command<M, S, K>>) -> Self {
        self.commands.extend(commands);
        self
    }

    /// Adds an invariant, which must hold in the initial state and after every step. It returns a `bool`, or a
    /// `Result` whose error says what is wrong. Several are checked in their order, and every one that is
    /// false is reported.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, u8>()
    ///     .model(|| 0)
    ///     .sut(|| 0)
    ///     .command("up", |c| c.run(|(), model, system| (*model, *system) = (*model + 1, *system + 1)))
    ///     .invariant("same", |model, system| model == system)
    ///     .invariant("below four", |_, system| {
    ///         if *system < 4 { Ok(()) } else { Err(format!("it is {system}")) }
    ///     })
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// let fault = failure.fault().unwrap();
    /// assert_eq!((fault.location(), fault.detail()), ("below four", "it is 4"));
    /// assert_eq!(failure.minimal().len(), 4);
    /// ```
    #[must_use]
    pub fn invariant<F, C>(mut self, name: impl Into<Cow<'static, str>>, holds: F) -> Self
    where
        F: Fn(&M, &mut S) -> C + 'static,
        C: Verdict + 'static,
        K: Erase<InvariantClosure<F, C>, K::Invariant<M, S>>,
    {
        self.invariants.push((name.into(), K::erase(InvariantClosure(holds, PhantomData))));
        self
    }

    /// Sets how the system is shown in reports, beside the model.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, Vec<u8>>()
    ///     .model(|| 0)
    ///     .sut(Vec::new)
    ///     .show(|system| format!("{} items", system.len()))
    ///     .command("push", |c| c.run(|(), model, system| (*model += 1, system.push(1))))
    ///     .invariant("fewer than three", |_, system| system.len() < 3)
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// assert!(failure.to_string().contains("system after it:             3 items"), "{failure}");
    /// ```
    ///
    /// The model is shown by its `Debug` text; a model that is large can be wrapped in a type with a shorter one.
    #[must_use]
    pub fn show<F, T>(mut self, show: F) -> Self
    where
        F: Fn(&S) -> T + 'static,
        T: ToString,
        K: Erase<F, K::ShowSystem<S>>,
    {
        self.show = Some(K::erase(show));
        self
    }
}

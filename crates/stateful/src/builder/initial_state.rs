//! How a sequence begins and ends: the model, the system, setup and teardown.

use std::{borrow::Cow, fmt::Debug};

use proptest::strategy::Strategy;

use super::{Absent, Present, Stateful};
use crate::{
    argument::Forall,
    arguments::{Append, Arguments},
    lifecycle::{
        AsyncClosure, IndependentAsyncClosure, IndependentClosure, ModelClosure, SyncClosure,
    },
    threading::{Erase, Threading},
};

impl<M: Debug + 'static, S: 'static, K: Threading, HS> Stateful<M, S, K, Absent, HS> {
    /// Adds an argument of the initial state, which is generated for every sequence. The model is created from
    /// it, and the system from the model ([`sut_from`](Self::sut_from)). It is shrunk and shown like the
    /// arguments of commands.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// #[derive(Debug)]
    /// struct Model {
    ///     capacity: usize,
    ///     length: usize,
    /// }
    ///
    /// let failure = stateful::<Model, Vec<u8>>()
    ///     .given("capacity", 1..100_usize)
    ///     .given("items", 0..3_usize)
    ///     .model(|(capacity, items)| Model { capacity, length: items.min(capacity) })
    ///     .sut_from(|model| vec![0; model.length])
    ///     .command("push", |c| {
    ///         c.pre(|model, ()| model.length < model.capacity).run(|(), model, system| {
    ///             model.length += 1;
    ///             system.push(0);
    ///         })
    ///     })
    ///     .invariant("below seven", |_, system| system.len() < 7)
    ///     .check(Config { seed: Some(3), ..Config::default() })
    ///     .unwrap_err();
    /// assert_eq!(failure.given(), ["capacity: 7", "items: 2"]);
    /// assert_eq!(failure.minimal().len(), 5);
    /// ```
    pub fn given<T>(
        self,
        name: impl Into<Cow<'static, str>>,
        strategy: T,
    ) -> GivenBuilder<M, S, K, HS, (Forall<T>,)>
    where
        T: Strategy + 'static,
    {
        let test = self;
        GivenBuilder { test, arguments: (Forall { name: name.into(), strategy },) }
    }
}

/// A test with arguments of the initial state that has no model yet. [`model`](Self::model) receives them.
#[must_use = "continue with `.model(…)`"]
pub struct GivenBuilder<M: 'static, S: 'static, K: Threading, HS, L> {
    test: Stateful<M, S, K, Absent, HS>,
    arguments: L,
}

impl<M: Debug + 'static, S: 'static, K: Threading, HS, L> GivenBuilder<M, S, K, HS, L> {
    /// Adds one more argument of the initial state.
    pub fn given<T>(
        self,
        name: impl Into<Cow<'static, str>>,
        strategy: T,
    ) -> GivenBuilder<M, S, K, HS, L::Longer>
    where
        T: Strategy + 'static,
        L: Append<Forall<T>>,
    {
        let arguments = self.arguments.append(Forall { name: name.into(), strategy });
        GivenBuilder { test: self.test, arguments }
    }

    /// Sets how a fresh model is created from the arguments of the initial state: one is passed as itself,
    /// several as a tuple.
    #[must_use]
    pub fn model<F>(self, create: F) -> Stateful<M, S, K, Present, HS>
    where
        L: Arguments<()>,
        F: Fn(L::Values) -> M + 'static,
        K: Erase<ModelClosure<L, F>, K::ModelFactory<M>>,
    {
        let Self { mut test, arguments } = self;
        test.model = Some(K::erase(ModelClosure { arguments, create }));
        test.with_state()
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
        K: Erase<IndependentClosure<F>, K::ModelFactory<M>>,
    {
        self.model = Some(K::erase(IndependentClosure(create)));
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
        K: Erase<IndependentClosure<F>, K::SystemFactory<M, S>>,
    {
        self.system = Some(K::erase(IndependentClosure(create)));
        self.with_state()
    }

    /// Sets how a fresh system is created for every sequence from its model.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # use std::collections::VecDeque;
    /// stateful::<Vec<u8>, VecDeque<u8>>()
    ///     .given("items", proptest::collection::vec(0..9_u8, 0..4))
    ///     .model(|items| items)
    ///     .sut_from(|model| model.iter().copied().collect())
    ///     .command("pop", |c| c.oracle(|(), model| model.pop(), |(), system| system.pop_back()))
    ///     .check(Config::default())
    ///     .unwrap();
    /// ```
    #[must_use]
    pub fn sut_from<F>(mut self, create: F) -> Stateful<M, S, K, HM, Present>
    where
        F: Fn(&M) -> S + 'static,
        K: Erase<SyncClosure<F>, K::SystemFactory<M, S>>,
    {
        self.system = Some(K::erase(SyncClosure(create)));
        self.with_state()
    }

    /// Sets how a fresh system is created asynchronously for every sequence from its model.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::sync::Semaphore;
    ///
    /// stateful::<usize, Semaphore>()
    ///     .given("permits", 0..4_usize)
    ///     .model(|permits| permits)
    ///     .sut_from_async(async |permits| Semaphore::new(*permits))
    ///     .command("add", |c| c.run(|(), model, system| (*model += 1, system.add_permits(1))))
    ///     .invariant("as many", |model, system| *model == system.available_permits())
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
    #[must_use]
    pub fn sut_from_async<F>(mut self, create: F) -> Stateful<M, S, K, HM, Present>
    where
        F: AsyncFn(&M) -> S + 'static,
        K: Erase<AsyncClosure<F>, K::SystemFactory<M, S>>,
    {
        self.system = Some(K::erase(AsyncClosure(create)));
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
        K: Erase<IndependentAsyncClosure<F>, K::SystemFactory<M, S>>,
    {
        self.system = Some(K::erase(IndependentAsyncClosure(create)));
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
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::sync::mpsc::{Receiver, Sender, channel};
    ///
    /// stateful::<usize, (Sender<u8>, Receiver<u8>)>()
    ///     .model(|| 0)
    ///     .sut(|| channel(2))
    ///     .setup_async(async |model, (sender, _)| {
    ///         *model = 1;
    ///         sender.send(7).await.unwrap();
    ///     })
    ///     .command("receive", |c| {
    ///         c.pre(|model, ()| *model > 0).run_async(async |(), model, (_, receiver)| {
    ///             *model -= 1;
    ///             receiver.recv().await
    ///         })
    ///     })
    ///     .invariant("as many", |model, (_, receiver)| *model == receiver.len())
    ///     .check_async(Config::default())
    ///     .await
    ///     .unwrap();
    /// # }
    /// ```
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
}

//! How a test is run: here, on a runtime, or on a thread of its own.

use std::{
    fmt::Debug,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use super::{HasModel, HasSystem, Parallelism, Stateful, Test, machine::TestMachine};
use crate::{
    config::Config,
    failure::Failure,
    runner,
    statistics::Statistics,
    threading::{Shared, Threading},
};

impl<M: Debug + 'static, S: 'static, K: Threading, HM, HS> Stateful<M, S, K, HM, HS> {
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
    pub fn check(&self, config: Config) -> Result<Statistics, Failure>
    where
        HM: HasModel,
        HS: HasSystem,
        K: Parallelism,
    {
        let config = config.resolve().map_err(Failure::misuse)?;
        let statistics = K::check(TestMachine::new(self.with_state())?, &config)?;
        must_have_run(&config, statistics)
    }

    /// Runs the test of an asynchronous system on the caller's runtime. Of [`Config::threads`], as many
    /// sequences run concurrently.
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
    pub async fn check_async(&self, config: Config) -> Result<Statistics, Failure>
    where
        HM: HasModel,
        HS: HasSystem,
    {
        let machine: TestMachine<M, S, K> = TestMachine::new(self.with_state())?;
        let statistics = runner::check_machine_async(&machine, &config).await?;
        must_have_run(&config, statistics)
    }
}

impl<M: Debug + 'static, S: 'static, HM, HS> Stateful<M, S, Shared, HM, HS> {
    /// Runs the test of an asynchronous system on a thread of its own, and returns a future of the outcome
    /// that is `Send`, so that it can be spawned on a runtime. (The future of
    /// [`check_async`](Self::check_async) cannot: those of asynchronous closures may not be `Send`.)
    ///
    /// `enter` runs on that thread and calls what it receives, in the context that the system needs: that of a
    /// runtime, say.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful_shared};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use tokio::{io::{AsyncReadExt as _, AsyncWriteExt as _}, runtime::Handle};
    ///
    /// let test = stateful_shared::<(), ()>().model(|| ()).sut(|| ()).command("echo", |c| {
    ///     c.forall("byte", 0..9_u8)
    ///         .try_run_async(async |byte, (), ()| {
    ///             let (mut near, mut far) = tokio::io::duplex(8);
    ///             let sent = tokio::spawn(async move { near.write_u8(byte).await });
    ///             sent.await.expect("it does not panic")?;
    ///             far.read_u8().await
    ///         })
    ///         .post(|byte, (), (), read| *read == byte)
    /// });
    /// let runtime = Handle::current();
    /// let check = test.check_detached(Config::default(), move |work| {
    ///     let _guard = runtime.enter();
    ///     work();
    /// });
    /// tokio::spawn(check).await.unwrap().unwrap();
    /// # }
    /// ```
    pub fn check_detached(
        &self,
        config: Config,
        enter: impl FnOnce(&mut dyn FnMut()) + Send + 'static,
    ) -> impl Future<Output = Result<Statistics, Failure>> + Send + 'static
    where
        HM: HasModel,
        HS: HasSystem,
    {
        let test: Test<M, S, Shared> = self.with_state();
        let outcome = Arc::new(Mutex::new(Detached::default()));
        let shared = Arc::clone(&outcome);
        // The thread has the name of this one, by which regressions are kept.
        let name = thread::current().name().unwrap_or("foolproof").to_owned();
        let spawned = thread::Builder::new().name(name).spawn(move || {
            let mut done = None;
            enter(&mut || done = Some(block_on(test.check_async(config.clone()))));
            let problem = "`enter` did not call what it received";
            finish(&shared, done.unwrap_or_else(|| Err(Failure::misuse(problem))));
        });
        if let Err(error) = spawned {
            let problem = format!("no thread can be started: {error}");
            finish(&outcome, Err(Failure::misuse(problem)));
        }
        DetachedCheck(outcome)
    }
}

/// The outcome of a check on another thread, and who waits for it.
#[derive(Default)]
struct Detached {
    outcome: Option<Result<Statistics, Failure>>,
    waker: Option<Waker>,
}

struct DetachedCheck(Arc<Mutex<Detached>>);

impl Future for DetachedCheck {
    type Output = Result<Statistics, Failure>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut detached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outcome) = detached.outcome.take() {
            return Poll::Ready(outcome);
        }
        detached.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

fn finish(detached: &Mutex<Detached>, outcome: Result<Statistics, Failure>) {
    let mut detached = detached.lock().unwrap_or_else(PoisonError::into_inner);
    detached.outcome = Some(outcome);
    if let Some(waker) = detached.waker.take() {
        waker.wake();
    }
}

/// Waits for a future on this thread, without a runtime.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut work = std::pin::pin!(work);
    loop {
        match work.as_mut().poll(&mut context) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

/// A test in which no step could ever run says nothing.
fn must_have_run(config: &Config, statistics: Statistics) -> Result<Statistics, Failure> {
    let is_expected = config.max_commands > 0 && statistics.cut_short == 0;
    if statistics.steps > 0 || statistics.runs == 0 || is_expected {
        return Ok(statistics);
    }
    Err(Failure::nothing_ran(statistics))
}

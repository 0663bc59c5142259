//! Where sequences run: in place, or on a thread that can be abandoned.

use std::{
    cell::RefCell,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    Argument, Config, Machine, Phase, StepRecord,
    async_timeout::{AsyncTimeout, timed_out},
    execution::{Execution, Job, Observer, SequenceOutcome, StepsSoFar, Watch, perform},
    machine::Activity,
    panics::poll_once,
};

/// Runs sequences.
pub(crate) trait Executor<T> {
    /// Runs one.
    async fn execute(&self, job: Job<T>) -> Execution<T>;
}

/// An executor of any type.
pub(crate) trait ErasedExecutor<T> {
    fn execute_erased<'a>(
        &'a self,
        job: Job<T>,
    ) -> Pin<Box<dyn Future<Output = Execution<T>> + 'a>>
    where
        T: 'a;
}

impl<T, E: Executor<T>> ErasedExecutor<T> for E {
    fn execute_erased<'a>(&'a self, job: Job<T>) -> Pin<Box<dyn Future<Output = Execution<T>> + 'a>>
    where
        T: 'a,
    {
        Box::pin(self.execute(job))
    }
}

/// Runs sequences where it is asked to. Asynchronous steps may have a timeout.
pub(crate) struct InPlace<'a, A> {
    machine: &'a A,
    config: &'a Config,
    timeout: Option<AsyncTimeout>,
}

impl<'a, A: Machine> InPlace<'a, A> {
    pub(crate) fn new(machine: &'a A, config: &'a Config) -> Self {
        Self { machine, config, timeout: None }
    }

    pub(crate) fn with_timeout(machine: &'a A, config: &'a Config) -> Self {
        Self { machine, config, timeout: config.step_timeout.map(AsyncTimeout::new) }
    }
}

impl<A: Machine> Executor<A::Step> for InPlace<'_, A> {
    async fn execute(&self, job: Job<A::Step>) -> Execution<A::Step> {
        let watch = Watch { timeout: self.timeout.as_ref(), observer: None, activity: None };
        perform(self.machine, self.config, job, &watch).await
    }
}

/// Runs sequences on a worker thread, which is abandoned if a call does not return in time.
pub(crate) struct OnThread<A: Machine> {
    machine: Arc<A>,
    config: Arc<Config>,
    limit: Duration,
    /// The worker, unless it was abandoned.
    worker: RefCell<Option<Worker<A::Step>>>,
}

/// What is known of a sequence that is running on another thread.
struct Progress<T> {
    activity: Arc<Activity>,
    so_far: Mutex<StepsSoFar<T>>,
}

impl<T: StepRecord> Progress<T> {
    fn new() -> Self {
        Self { activity: Arc::default(), so_far: Mutex::new(StepsSoFar::new()) }
    }

    fn update<R>(&self, change: impl FnOnce(&mut StepsSoFar<T>) -> R) -> R {
        change(&mut self.so_far.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: StepRecord> Observer<T> for Progress<T> {
    fn step_begins(&self, step: &T, arguments: Option<&[Argument]>) {
        self.update(|so_far| {
            so_far.steps.push(step.clone());
            so_far.arguments.extend(arguments.map(<[Argument]>::to_vec));
        });
    }

    fn step_is_blocked(&self) {
        self.update(|so_far| {
            so_far.steps.pop();
            so_far.arguments.pop();
        });
    }

    fn steps_end(&self, outcome: &SequenceOutcome) {
        self.update(|so_far| so_far.outcome = Some(outcome.clone()));
    }
}

/// A thread that runs sequences, one after the other.
struct Worker<T> {
    jobs: Sender<(Job<T>, Arc<Progress<T>>)>,
    /// Nothing if the machine waits, which a worker does not support.
    executions: Receiver<Option<Execution<T>>>,
}

impl<A: Machine + Send + Sync + 'static> OnThread<A>
where
    A::Step: Send,
{
    pub(crate) fn new(machine: &Arc<A>, config: &Arc<Config>, limit: Duration) -> Self {
        let (machine, config) = (Arc::clone(machine), Arc::clone(config));
        Self { machine, config, limit, worker: RefCell::new(None) }
    }

    fn start_worker(&self) -> Worker<A::Step> {
        let (jobs, received) = channel::<(Job<A::Step>, Arc<Progress<A::Step>>)>();
        let (sender, executions) = channel();
        let (machine, config) = (Arc::clone(&self.machine), Arc::clone(&self.config));
        thread::spawn(move || {
            while let Ok((job, progress)) = received.recv() {
                let activity = Some(Arc::clone(&progress.activity));
                let watch = Watch { timeout: None, observer: Some(&*progress), activity };
                let execution = poll_once(perform(machine.as_ref(), &config, job, &watch));
                if sender.send(execution).is_err() {
                    return;
                }
            }
        });
        Worker { jobs, executions }
    }

    /// The end of the sequence, or the phase that does not end.
    fn wait(
        &self,
        worker: &Worker<A::Step>,
        progress: &Progress<A::Step>,
    ) -> Result<Option<Execution<A::Step>>, Phase> {
        let (mut number, mut since) = (progress.activity.now().1, Instant::now());
        loop {
            let left = self.limit.saturating_sub(since.elapsed());
            let pause = left.clamp(Duration::from_millis(1), Duration::from_millis(100));
            match worker.executions.recv_timeout(pause) {
                Ok(execution) => return Ok(execution),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Phase::Step),
            }
            let (phase, now) = progress.activity.now();
            if now != number {
                (number, since) = (now, Instant::now());
            } else if since.elapsed() >= self.limit {
                return Err(phase);
            }
        }
    }

    /// The execution of a sequence that hangs in `phase`.
    fn abandon(&self, phase: Phase, progress: &Progress<A::Step>) -> Execution<A::Step> {
        let so_far = progress.update(|so_far| std::mem::replace(so_far, StepsSoFar::new()));
        so_far.interrupted(timed_out(self.limit, phase), phase, self.machine.commands().len())
    }
}

impl<A: Machine + Send + Sync + 'static> Executor<A::Step> for OnThread<A>
where
    A::Step: Send,
{
    async fn execute(&self, job: Job<A::Step>) -> Execution<A::Step> {
        let worker = self.worker.take().unwrap_or_else(|| self.start_worker());
        let progress = Arc::new(Progress::new());
        if worker.jobs.send((job, Arc::clone(&progress))).is_err() {
            return self.abandon(Phase::Step, &progress);
        }
        match self.wait(&worker, &progress) {
            Ok(Some(execution)) => {
                self.worker.replace(Some(worker));
                execution
            }
            // Never ready, so that whoever polls once learns that the machine waits.
            Ok(None) => std::future::pending().await,
            Err(phase) => self.abandon(phase, &progress),
        }
    }
}

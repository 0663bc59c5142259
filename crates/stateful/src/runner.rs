//! The runner: replays and regressions first, then random sequences, then shrinking.
//!
//! It is asynchronous; a machine that never waits is run by polling once. Sequence `i` depends on the
//! seed and `i` alone. A sequence that failed is not explored again: everything after it works on its
//! recorded steps.

use std::{future::poll_fn, pin::Pin, task::Poll, time::Instant};

use crate::{
    Config, Failure, Fault, Isolation, Machine, StepRecord,
    execution::{Execution, Job, OnBlocked, SequenceOutcome},
    executor::{ErasedExecutor, Executor, InPlace},
    exploration::{Exploration, Explorer, explore_sequences},
    machine::StepText,
    panics::poll_once,
    process::{self, InProcess, IsolatedCheck, Waiting},
    regressions::{self, Entry, RegressionFile},
    reporting::Reporter,
    statistics::Statistics,
};

/// Runs a machine that never waits, on this thread.
pub fn check_machine<A: Machine>(machine: &A, config: &Config) -> Result<Statistics, Failure> {
    let config = config.resolve().map_err(Failure::misuse)?;
    check_here(machine, &config)
}

/// Runs a machine that never waits, one sequence at a time: on this thread, or in a process of its own.
pub(crate) fn check_here<A: Machine>(machine: &A, config: &Config) -> Result<Statistics, Failure> {
    if config.threads.get() > 1 {
        return Err(Failure::misuse("this kind of test runs on one thread: set `threads` to 1"));
    }
    let check = isolated_check(config)?;
    if config.step_timeout.is_some() && check.is_none() {
        let problem = "a timeout for this kind of test needs a process of its own: set `isolation`";
        return Err(Failure::misuse(problem));
    }
    match check {
        None => check_sync(machine, &InPlace::new(machine, config), config),
        Some(check) => {
            let _ = poll_once(process::serve(machine, config, &check, Waiting::Refused));
            check_sync(machine, &InProcess::new(machine, config, &check), config)
        }
    }
}

/// This check, if its sequences run in a process of their own.
pub(crate) fn isolated_check(config: &Config) -> Result<Option<IsolatedCheck>, Failure> {
    (config.isolation == Isolation::Process).then(IsolatedCheck::next).transpose()
}

/// Runs an asynchronous machine on the caller's runtime. Of [`Config::threads`], as many sequences run
/// concurrently.
pub async fn check_machine_async<A: Machine>(
    machine: &A,
    config: &Config,
) -> Result<Statistics, Failure> {
    let config = config.resolve().map_err(Failure::misuse)?;
    if let Some(check) = isolated_check(&config)? {
        process::serve(machine, &config, &check, Waiting::Allowed).await;
        let executor = InProcess::new(machine, &config, &check);
        let check = Check { machine, executor: &executor, config: &config };
        return check.run(async |explorer| explore_sequences(&executor, explorer).await).await;
    }
    let executor = InPlace::with_timeout(machine, &config);
    let check = Check { machine, executor: &executor, config: &config };
    check.run(async |explorer| explore_concurrently(&executor, explorer).await).await
}

/// Runs a machine that never waits. One that does is a misuse.
pub(crate) fn check_sync<A: Machine, E: Executor<A::Step>>(
    machine: &A,
    executor: &E,
    config: &Config,
) -> Result<Statistics, Failure> {
    let check = Check { machine, executor, config };
    let done = poll_once(check.run(async |explorer| explore_sequences(executor, explorer).await));
    done.unwrap_or_else(must_be_awaited)
}

/// Runs a machine that never waits, exploring on several threads, each with an executor of its own.
pub(crate) fn check_on_threads<A, E>(
    machine: &A,
    executor: impl Fn() -> E + Sync,
    config: &Config,
) -> Result<Statistics, Failure>
where
    A: Machine,
    A::Step: Send,
    E: Executor<A::Step>,
{
    let check = Check { machine, executor: &executor(), config };
    let explore = async |explorer: &Explorer<'_, A::Step>| {
        let work = || poll_once(explore_sequences(&executor(), explorer));
        let done = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..config.threads.get()).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().ok().flatten())
        });
        if done.is_none() {
            // A thread met a machine that waits: so does whoever polls this.
            std::future::pending::<()>().await;
        }
    };
    poll_once(check.run(explore)).unwrap_or_else(must_be_awaited)
}

fn must_be_awaited() -> Result<Statistics, Failure> {
    let problem = "a command has to be waited for: use `check_async` on a runtime";
    Err(Failure::misuse(problem))
}

/// Runs sequences as concurrent futures of this task.
async fn explore_concurrently<T: StepRecord, E: Executor<T>>(
    executor: &E,
    explorer: &Explorer<'_, T>,
) {
    let count = explorer.config().threads.get();
    let mut running: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
    for _ in 0..count {
        running.push(Box::pin(explore_sequences(executor, explorer)));
    }
    poll_fn(|context| {
        running.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if running.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// A check of one machine.
struct Check<'a, T> {
    machine: &'a dyn StepText<T>,
    executor: &'a dyn ErasedExecutor<T>,
    config: &'a Config,
}

impl<T: StepRecord> Check<'_, T> {
    /// Replays what is to be replayed, explores, and reports.
    async fn run(&self, explore: impl AsyncFn(&Explorer<'_, T>)) -> Result<Statistics, Failure> {
        let Self { machine, config, .. } = *self;
        if let Some(text) = &config.replay {
            return self.replay(text).await;
        }
        let file = RegressionFile::of(config);
        let mut statistics = Statistics::of(machine.commands());
        let entries = file.load().map_err(Failure::misuse)?;
        for entry in entries {
            let outcome = self.run_entry(&entry, &mut statistics).await;
            outcome.map_err(|mut failure| {
                file.set_origin(&mut failure);
                failure
            })?;
        }
        let explorer = Explorer::new(machine, config);
        explore(&explorer).await;
        while explorer.begin_round() {
            explore(&explorer).await;
        }
        let Exploration { failures, statistics: explored } = explorer.finish();
        let regressions = statistics.regressions;
        let statistics = Statistics { regressions, ..explored };
        let mut reports = Vec::new();
        let mut left = u32::try_from(failures.len()).unwrap_or(u32::MAX);
        for (run, execution) in failures {
            let mut reporter = self.reporter(Some(run), &statistics);
            let until = config.deadline.map(|end| end.saturating_duration_since(Instant::now()));
            reporter.time = until.map(|until| until / left.max(1));
            left = left.saturating_sub(1);
            let mut failure = reporter.report(execution).await;
            file.append(&mut failure);
            reports.push(failure);
        }
        match Failure::of_all(reports) {
            Some(failure) => Err(failure),
            None => finish(config, statistics),
        }
    }

    fn reporter(&self, run: Option<u64>, statistics: &Statistics) -> Reporter<'_, T> {
        let Self { machine, executor, config } = *self;
        let statistics = statistics.clone();
        Reporter { machine, executor, config, run, statistics, origin: None, time: None }
    }

    /// Runs the steps of a replay. They are minimal already, so a failure is not shrunk.
    async fn replay(&self, text: &str) -> Result<Statistics, Failure> {
        let Some(recorded) = regressions::parse_steps(self.machine, text) else {
            return Err(Failure::misuse("the replay does not fit the commands of this test"));
        };
        let (execution, statistics) = self.run_recorded(&recorded.steps).await;
        if matches!(execution.outcome, SequenceOutcome::Blocked | SequenceOutcome::Exhausted) {
            let step = execution.steps.iter().filter(|step| !step.is_initial()).count();
            let problem = format!("the replay cannot run any more: step {step} is blocked");
            return Err(Failure::misuse(problem));
        }
        if execution.outcome.is_failure() {
            return Err(self.reporter(None, &statistics).confirm(execution).await);
        }
        let mut statistics = statistics;
        statistics.regressions.stale.extend(recorded.difference(&execution.arguments));
        Ok(statistics)
    }

    /// Runs a line of the regression file.
    async fn run_entry(&self, entry: &Entry, statistics: &mut Statistics) -> Result<(), Failure> {
        let regressions = &mut statistics.regressions;
        let line = |reason: &str| format!("line {}: {reason}", entry.line);
        let Some(recorded) = regressions::parse_steps(self.machine, &entry.text) else {
            if regressions::looks_like_steps(&entry.text) {
                regressions.stale.push(line("it does not fit the commands of the test"));
            } else {
                regressions.unreadable.push(line(&format!("`{}`", entry.text)));
            }
            return Ok(());
        };
        let (execution, own) = self.run_recorded(&recorded.steps).await;
        if execution.outcome.is_failure() {
            let mut reporter = self.reporter(None, &own);
            reporter.origin = Some(entry.line);
            return Err(reporter.confirm(execution).await);
        }
        let is_blocked =
            matches!(execution.outcome, SequenceOutcome::Blocked | SequenceOutcome::Exhausted);
        let regressions = &mut statistics.regressions;
        match recorded.difference(&execution.arguments) {
            Some(difference) => regressions.stale.push(line(&difference)),
            None if is_blocked => regressions.stale.push(line("a step cannot run any more")),
            None => regressions.passed += 1,
        }
        Ok(())
    }

    async fn run_recorded(&self, steps: &[T]) -> (Execution<T>, Statistics) {
        let job =
            Job::Replay { steps: steps.to_vec(), on_blocked: OnBlocked::Reject, is_traced: true };
        let execution = self.executor.execute_erased(job).await;
        let mut statistics = Statistics::of(self.machine.commands());
        let mut counts = execution.counts.clone();
        for step in execution.steps.iter().filter(|step| !step.is_initial()) {
            counts.ran[step.command()] += 1;
        }
        statistics.add(&counts);
        (execution, statistics)
    }
}

fn finish(config: &Config, statistics: Statistics) -> Result<Statistics, Failure> {
    let never: Vec<&str> = statistics.never_ran().collect();
    if config.require_all_commands && !never.is_empty() {
        let names = never.join("`, `");
        let problem = format!("`{names}` never ran in {} sequences", statistics.runs);
        return Err(Failure::commands_never_ran(problem, statistics));
    }
    Ok(statistics)
}

/// Whether two sequences failed in the same way: with the same fault, in a step of the same command unless
/// the fault is named by itself.
pub(crate) fn is_same_failure<T: StepRecord>(
    (fault, steps): (&Fault, &[T]),
    execution: &Execution<T>,
) -> bool {
    let command = |steps: &[T]| steps.last().map(StepRecord::command);
    matches!(&execution.outcome, SequenceOutcome::Failed(other) if other.is_same_as(fault))
        && (!fault.belongs_to_command() || command(steps) == command(&execution.steps))
}

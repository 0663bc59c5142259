//! The runner: replays and regressions first, then random sequences, then shrinking.
//!
//! It is asynchronous; a machine that never waits is run by polling once. Sequence `i` depends on the
//! seed and `i` alone.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    Config, Failure, Machine, Tracing,
    async_timeout::AsyncTimeout,
    confirmation::Confirmation,
    execution::{Execution, OnBlocked, SequenceOutcome, SequenceRun, run_steps},
    panics::{catch, poll_once},
    regressions,
    rng::{self, Rng},
    shrink::Shrinker,
    statistics::{Counts, Statistics},
};

/// The outcome of all random sequences: the number of the first that failed, and statistics up to it.
pub(crate) struct Exploration {
    failing: Option<u64>,
    statistics: Statistics,
}

/// Runs a machine that never waits, on this thread.
pub fn check_machine<A: Machine>(machine: &A, config: &Config) -> Result<Statistics, Failure> {
    check_sync(machine, &config.with_chosen_seed(), None)
}

/// Runs an asynchronous machine on the caller's runtime.
pub async fn check_machine_async<A: Machine>(
    machine: &A,
    config: &Config,
) -> Result<Statistics, Failure> {
    let config = config.with_chosen_seed();
    match config.step_timeout {
        None => check(machine, &config, None).await,
        Some(limit) => check(&AsyncTimeout::new(machine, limit), &config, None).await,
    }
}

/// Runs a machine that never waits. One that does is a misuse.
pub(crate) fn check_sync<A: Machine>(
    machine: &A,
    config: &Config,
    exploration: Option<Exploration>,
) -> Result<Statistics, Failure> {
    poll_once(check(machine, config, exploration)).unwrap_or_else(|| {
        let problem = "a command has to be waited for: use `check_async` on a runtime";
        Err(Failure::misuse(problem))
    })
}

/// Runs a machine, with an exploration that was made before or a new one.
pub(crate) async fn check<A: Machine>(
    machine: &A,
    config: &Config,
    exploration: Option<Exploration>,
) -> Result<Statistics, Failure> {
    let seed = config.seed.unwrap_or_default();
    if let Some(text) = &config.replay {
        let steps = regressions::parse_steps(machine, text)
            .ok_or_else(|| Failure::misuse("the replay does not fit the commands of this test"))?;
        return replay(machine, config, &steps, ReplaySource::Config).await;
    }
    for steps in regressions::load(machine, config)? {
        replay(machine, config, &steps, ReplaySource::RegressionFile).await?;
    }
    let Exploration { failing, statistics } = match exploration {
        Some(exploration) => exploration,
        None => explore_sequences(machine, config, seed).await,
    };
    let Some(run) = failing else { return finish(config, statistics) };
    let (execution, _) = run_sequence(machine, config, seed, run).await;
    let original = execution.steps.len();
    if let SequenceOutcome::PanicOutsideStep(fault) = execution.outcome {
        return Err(Failure::panic_outside_step(fault, seed, run, statistics));
    }
    let SequenceOutcome::Failed(fault) = execution.outcome else {
        // The same sequence passed the second time: nothing to shrink, but a flaky system to report.
        let confirmation =
            Confirmation { machine, config, seed, run: Some(run), original, statistics };
        return Err(confirmation.not_reproduced(&execution.steps));
    };
    let mut shrinker = Shrinker::new(machine, config, fault, execution.steps);
    shrinker.run().await;
    let confirmation = Confirmation { machine, config, seed, run: Some(run), original, statistics };
    let failure = confirmation.failure(&shrinker).await;
    regressions::append(config, &failure);
    Err(failure)
}

/// Where replayed steps come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplaySource {
    /// The user asked for them: that they cannot run any more is reported.
    Config,
    /// They were kept from an earlier run: if they cannot run any more, they are ignored.
    RegressionFile,
}

/// Runs recorded steps. They are minimal already, so a failure is not shrunk.
async fn replay<A: Machine>(
    machine: &A,
    config: &Config,
    steps: &[A::Step],
    source: ReplaySource,
) -> Result<Statistics, Failure> {
    let execution = run_steps(machine, steps, OnBlocked::Reject, Tracing::Off).await;
    let mut statistics = Statistics::of(machine.command_names());
    let mut counts = Counts::none(machine.command_names().len());
    for step in &execution.steps {
        counts.ran[machine.command_index(step)] += 1;
    }
    statistics.add(&counts);
    if source == ReplaySource::Config
        && matches!(execution.outcome, SequenceOutcome::Blocked | SequenceOutcome::Exhausted)
    {
        let step = execution.steps.len();
        let problem = format!("the replay cannot run any more: step {step} is blocked");
        return Err(Failure::misuse(problem));
    }
    let SequenceOutcome::Failed(fault) = execution.outcome else { return Ok(statistics) };
    let (seed, original) = (config.seed.unwrap_or_default(), steps.len());
    let confirmation = Confirmation { machine, config, seed, run: None, original, statistics };
    let shrinker = Shrinker::new(machine, config, fault, execution.steps);
    Err(confirmation.failure(&shrinker).await)
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

async fn explore_sequences<A: Machine>(machine: &A, config: &Config, seed: u64) -> Exploration {
    let mut statistics = Statistics::of(machine.command_names());
    for run in 0..config.num_runs {
        let (execution, counts) = run_sequence(machine, config, seed, run).await;
        statistics.add(&counts);
        if execution.outcome.is_failure() {
            return Exploration { failing: Some(run), statistics };
        }
    }
    Exploration { failing: None, statistics }
}

/// Runs sequences on several threads. Statistics count the sequences up to the first that fails, as if
/// they had run one after the other.
pub(crate) fn explore_in_parallel<A: Machine + Sync>(
    machine: &A,
    config: &Config,
) -> Option<Exploration> {
    let seed = config.seed.unwrap_or_default();
    let (next, failing) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let counted = Mutex::new(Vec::new());
    let work = || {
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= config.num_runs || run > failing.load(Ordering::Relaxed) {
                return Some(());
            }
            let (execution, counts) = poll_once(run_sequence(machine, config, seed, run))?;
            if execution.outcome.is_failure() {
                failing.fetch_min(run, Ordering::Relaxed);
            }
            counted.lock().unwrap_or_else(PoisonError::into_inner).push((run, counts));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..config.threads.get()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().ok().flatten())
    })?;
    let failing = failing.into_inner();
    let mut statistics = Statistics::of(machine.command_names());
    let mut counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    counted.sort_by_key(|(run, _)| *run);
    for (_, counts) in counted.iter().filter(|(run, _)| *run <= failing) {
        statistics.add(counts);
    }
    Some(Exploration { failing: (failing < u64::MAX).then_some(failing), statistics })
}

/// Runs sequence number `run`: each step is chosen among the commands that can run in the state that
/// the steps before it lead to.
async fn run_sequence<A: Machine>(
    machine: &A,
    config: &Config,
    seed: u64,
    run: u64,
) -> (Execution<A::Step>, Counts) {
    let mut rng = Rng::new(rng::child(seed, run));
    let commands = machine.command_names().len();
    let allowed = swarm(config, commands, &mut rng);
    let length = rng.below(config.max_commands.saturating_add(1));
    let mut counts = Counts::none(commands);
    let mut sequence = match SequenceRun::start(machine, Tracing::Off).await {
        Ok(sequence) => sequence,
        Err(fault) => return (Execution::not_started(fault), counts),
    };
    for id in 0..u32::try_from(length).unwrap_or(u32::MAX) {
        let proposed = catch(|| {
            machine.propose(&sequence.session, id, &mut rng, &allowed, &mut counts.blocked)
        });
        let step = match proposed {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(fault) => {
                sequence.outcome = SequenceOutcome::PanicOutsideStep(fault);
                break;
            }
        };
        counts.ran[machine.command_index(&step)] += 1;
        if !sequence.run(step, OnBlocked::Reject).await {
            break;
        }
    }
    (sequence.finish().await, counts)
}

/// Which commands a sequence may use.
fn swarm(config: &Config, commands: usize, rng: &mut Rng) -> Vec<bool> {
    // One sequence in four uses all commands, since some bugs need many of them.
    if !config.swarm || rng.below(4) == 0 {
        return vec![true; commands];
    }
    let mut allowed: Vec<bool> = (0..commands).map(|_| rng.below(2) == 0).collect();
    if commands > 0 && !allowed.contains(&true) {
        allowed[rng.below(commands)] = true;
    }
    allowed
}

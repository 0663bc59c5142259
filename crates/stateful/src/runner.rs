//! The runner: sequences that grow step by step, and chosen steps run again.
//!
//! It is written once, for machines that have to be waited for; one that never waits is run by polling
//! once. Sequence `i` depends on the seed and `i` alone.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{
    Config, Failure, Fault, Machine, Ran,
    panics::{at_once, catch, catch_later},
    regressions,
    report::Report,
    rng::{self, Rng},
    shrink::Shrinker,
    statistics::{Counts, Statistics},
    timed::Timed,
};

/// A step as reports show it.
pub(crate) struct Shown {
    /// Its arguments, each with its name.
    pub(crate) arguments: Vec<(String, String)>,
    /// What it returned, if it did.
    pub(crate) result: Option<String>,
}

/// A sequence as it went.
pub(crate) struct Execution<T> {
    /// The steps that ran; of a failure, the last is the one that failed.
    pub(crate) steps: Vec<T>,
    /// The same as reports show them, if it was watched.
    pub(crate) shown: Vec<Shown>,
    /// The model before and after the last step, if it was watched.
    pub(crate) models: (String, String),
    pub(crate) end: End,
}

/// How a sequence ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Passed,
    /// A step could not run, or a turn of an argument led nowhere.
    Blocked,
    Spent,
    Failed(Fault),
    /// Something panicked outside of any step: a start, a precondition, a strategy.
    Broken(Fault),
}

/// What happens to a step that cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnBlock {
    /// The sequence is none.
    Reject,
    /// Its arguments are drawn again; if that does not help, it is left out.
    Mend,
}

/// What all sequences of a test came to.
pub(crate) struct Explored {
    failing: Option<u64>,
    statistics: Statistics,
}

/// Runs a machine that never waits.
pub fn check_machine<A: Machine>(machine: &A, config: &Config) -> Result<Statistics, Failure> {
    check_at_once(machine, &config.settled(), None)
}

/// Runs a machine that has to be waited for, on the caller's runtime.
pub async fn check_machine_async<A: Machine>(
    machine: &A,
    config: &Config,
) -> Result<Statistics, Failure> {
    let config = config.settled();
    match config.step_limit {
        None => check(machine, &config, None).await,
        Some(limit) => check(&Timed::new(machine, limit), &config, None).await,
    }
}

/// Runs a test whose machine never waits.
pub(crate) fn check_at_once<A: Machine>(
    machine: &A,
    config: &Config,
    explored: Option<Explored>,
) -> Result<Statistics, Failure> {
    at_once(check(machine, config, explored)).unwrap_or_else(|| {
        let problem = "a command has to be waited for: use `check_async` on a runtime";
        Err(Failure::misuse(problem))
    })
}

/// Runs a test.
pub(crate) async fn check<A: Machine>(
    machine: &A,
    config: &Config,
    explored: Option<Explored>,
) -> Result<Statistics, Failure> {
    let seed = config.seed.unwrap_or_default();
    if let Some(text) = &config.replay {
        let steps = regressions::steps(machine, text)
            .ok_or_else(|| Failure::misuse("the replay does not fit the commands of this test"))?;
        return replay(machine, config, &steps, true).await;
    }
    for steps in regressions::read(machine, config)? {
        replay(machine, config, &steps, false).await?;
    }
    let Explored { failing, statistics } = match explored {
        Some(explored) => explored,
        None => explore_all(machine, config, seed).await,
    };
    let Some(run) = failing else { return finish(config, statistics) };
    let (execution, _) = explore(machine, config, seed, run).await;
    let original = execution.steps.len();
    if let End::Broken(fault) = execution.end {
        return Err(Failure::broken(fault, seed, run, statistics));
    }
    let End::Failed(fault) = execution.end else {
        // The same sequence did not fail a second time: what there is to tell is that it did once.
        let report = Report { machine, config, seed, run: Some(run), original, statistics };
        return Err(report.vanished(&execution.steps));
    };
    let mut shrinker = Shrinker::new(machine, config, fault, execution.steps);
    shrinker.run().await;
    let report = Report { machine, config, seed, run: Some(run), original, statistics };
    let failure = report.failure(&shrinker).await;
    regressions::append(config, &failure);
    Err(failure)
}

/// Runs chosen steps alone. They are minimal already.
async fn replay<A: Machine>(
    machine: &A,
    config: &Config,
    steps: &[A::Step],
    must_run: bool,
) -> Result<Statistics, Failure> {
    let execution = attempt(machine, steps, OnBlock::Reject, false).await;
    let mut statistics = Statistics::of(machine.commands());
    let mut counts = Counts::none(machine.commands().len());
    for step in &execution.steps {
        counts.ran[machine.command(step)] += 1;
    }
    statistics.add(&counts);
    if must_run && matches!(execution.end, End::Blocked | End::Spent) {
        let step = execution.steps.len();
        let problem = format!("the replay cannot run any more: step {step} is blocked");
        return Err(Failure::misuse(problem));
    }
    let End::Failed(fault) = execution.end else { return Ok(statistics) };
    let (seed, original) = (config.seed.unwrap_or_default(), steps.len());
    let report = Report { machine, config, seed, run: None, original, statistics };
    let shrinker = Shrinker::new(machine, config, fault, execution.steps);
    Err(report.failure(&shrinker).await)
}

fn finish(config: &Config, statistics: Statistics) -> Result<Statistics, Failure> {
    let never: Vec<&str> = statistics.never_ran().collect();
    if config.require_all_commands && !never.is_empty() {
        let names = never.join("`, `");
        let problem = format!("`{names}` never ran in {} sequences", statistics.runs);
        return Err(Failure::unused(problem, statistics));
    }
    Ok(statistics)
}

async fn explore_all<A: Machine>(machine: &A, config: &Config, seed: u64) -> Explored {
    let mut statistics = Statistics::of(machine.commands());
    for run in 0..config.num_runs {
        let (execution, counts) = explore(machine, config, seed, run).await;
        statistics.add(&counts);
        if matches!(execution.end, End::Failed(_) | End::Broken(_)) {
            return Explored { failing: Some(run), statistics };
        }
    }
    Explored { failing: None, statistics }
}

/// The same on several threads. Counted are the sequences up to the first that fails, as if they had
/// been run one after the other.
pub(crate) fn explore_together<A: Machine + Sync>(
    machine: &A,
    config: &Config,
) -> Option<Explored> {
    let seed = config.seed.unwrap_or_default();
    let (next, failing) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let counted = Mutex::new(Vec::new());
    let work = || {
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= config.num_runs || run > failing.load(Ordering::Relaxed) {
                return Some(());
            }
            let (execution, counts) = at_once(explore(machine, config, seed, run))?;
            if matches!(execution.end, End::Failed(_) | End::Broken(_)) {
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
    let mut statistics = Statistics::of(machine.commands());
    let mut counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    counted.sort_by_key(|(run, _)| *run);
    for (_, counts) in counted.iter().filter(|(run, _)| *run <= failing) {
        statistics.add(counts);
    }
    Some(Explored { failing: (failing < u64::MAX).then_some(failing), statistics })
}

/// Sequence number `run`: each step is chosen among what can run in the state that the ones before
/// it led to.
async fn explore<A: Machine>(
    machine: &A,
    config: &Config,
    seed: u64,
    run: u64,
) -> (Execution<A::Step>, Counts) {
    let mut rng = Rng::new(rng::child(seed, run));
    let commands = machine.commands().len();
    let allowed = swarm(config, commands, &mut rng);
    let length = rng.below(config.max_commands.saturating_add(1));
    let mut counts = Counts::none(commands);
    let mut running = match Running::start(machine, false).await {
        Ok(running) => running,
        Err(fault) => return (Execution::fallen(fault), counts),
    };
    for id in 0..u32::try_from(length).unwrap_or(u32::MAX) {
        let proposed = catch(|| {
            machine.propose(&running.session, id, &mut rng, &allowed, &mut counts.blocked)
        });
        let step = match proposed {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(fault) => {
                running.end = End::Broken(fault);
                break;
            }
        };
        counts.ran[machine.command(&step)] += 1;
        if !running.run(step, OnBlock::Reject).await {
            break;
        }
    }
    (running.finish().await, counts)
}

/// The commands that a sequence may use.
fn swarm(config: &Config, commands: usize, rng: &mut Rng) -> Vec<bool> {
    // All of them in one sequence of four: some bugs need company.
    if !config.swarm || rng.below(4) == 0 {
        return vec![true; commands];
    }
    let mut allowed: Vec<bool> = (0..commands).map(|_| rng.below(2) == 0).collect();
    if commands > 0 && !allowed.contains(&true) {
        allowed[rng.below(commands)] = true;
    }
    allowed
}

/// Runs chosen steps in a fresh session.
pub(crate) async fn attempt<A: Machine>(
    machine: &A,
    steps: &[A::Step],
    on_block: OnBlock,
    is_watched: bool,
) -> Execution<A::Step> {
    let mut running = match Running::start(machine, is_watched).await {
        Ok(running) => running,
        Err(fault) => return Execution::fallen(fault),
    };
    running.run_all(steps, on_block).await;
    running.finish().await
}

/// A step that is yet to be drawn.
pub(crate) struct Proposal {
    pub(crate) command: usize,
    pub(crate) id: u32,
    pub(crate) seed: u64,
}

/// The same with a step in between that is drawn from the state there.
pub(crate) async fn attempt_with<A: Machine>(
    machine: &A,
    before: &[A::Step],
    proposal: Proposal,
    after: &[A::Step],
) -> Execution<A::Step> {
    let mut running = match Running::start(machine, false).await {
        Ok(running) => running,
        Err(fault) => return Execution::fallen(fault),
    };
    if running.run_all(before, OnBlock::Reject).await && running.run_new(proposal).await {
        running.run_all(after, OnBlock::Mend).await;
    }
    running.finish().await
}

/// A sequence on its way.
struct Running<'a, A: Machine> {
    machine: &'a A,
    session: A::Session,
    steps: Vec<A::Step>,
    shown: Vec<Shown>,
    models: (String, String),
    end: End,
    is_watched: bool,
}

impl<'a, A: Machine> Running<'a, A> {
    async fn start(machine: &'a A, is_watched: bool) -> Result<Self, Fault> {
        let session = catch_later(machine.start(is_watched)).await?;
        let (steps, shown, models) = (Vec::new(), Vec::new(), Default::default());
        Ok(Self { machine, session, steps, shown, models, end: End::Passed, is_watched })
    }

    /// Runs chosen steps; whether another may follow.
    async fn run_all(&mut self, steps: &[A::Step], on_block: OnBlock) -> bool {
        for step in steps {
            if !self.run(step.clone(), on_block).await {
                return false;
            }
        }
        true
    }

    /// Runs a step that is drawn now; whether another may follow.
    async fn run_new(&mut self, proposal: Proposal) -> bool {
        let Proposal { command, id, seed } = proposal;
        let commands = self.machine.commands().len();
        let allowed: Vec<bool> = (0..commands).map(|other| other == command).collect();
        let mut blocked = vec![0; commands];
        let mut rng = Rng::new(seed);
        let proposed =
            catch(|| self.machine.propose(&self.session, id, &mut rng, &allowed, &mut blocked));
        match proposed {
            Ok(Some(step)) => return self.run(step, OnBlock::Reject).await,
            Ok(None) => self.end = End::Blocked,
            Err(fault) => self.end = End::Broken(fault),
        }
        false
    }

    /// Runs the next step; whether another may follow.
    async fn run(&mut self, mut step: A::Step, on_block: OnBlock) -> bool {
        let mut arguments = Vec::new();
        if self.is_watched {
            self.models.0 = self.show();
            // Before it runs: it may change what it would have.
            let described = catch(|| self.machine.describe(&self.session, &step));
            arguments = described.unwrap_or_default();
        }
        let mut ran = self.try_run(&mut step).await;
        if matches!(ran, Ok(Ran::Blocked)) && on_block == OnBlock::Mend {
            let redrawn = catch(|| self.machine.redraw(&self.session, &step));
            let Ok(Some(redrawn)) = redrawn else { return true };
            step = redrawn;
            ran = self.try_run(&mut step).await;
            if matches!(ran, Ok(Ran::Blocked)) {
                return true;
            }
        }
        let (end, result) = match ran {
            Ok(Ran::Passed(result)) => (End::Passed, result),
            Ok(Ran::Blocked) => (End::Blocked, None),
            Ok(Ran::Spent) => (End::Spent, None),
            Ok(Ran::Failed(failed)) => (End::Failed(failed.0), failed.1),
            Err(fault) => (End::Failed(fault), None),
        };
        if self.is_watched {
            self.models.1 = self.show();
            self.shown.push(Shown { arguments, result });
        }
        self.steps.push(step);
        self.end = end;
        matches!(self.end, End::Passed)
    }

    async fn try_run(&mut self, step: &mut A::Step) -> Result<Ran, Fault> {
        catch_later(self.machine.run(&mut self.session, step)).await
    }

    fn show(&self) -> String {
        catch(|| self.machine.show(&self.session)).unwrap_or_default()
    }

    /// Ends the session, whatever became of it.
    async fn finish(self) -> Execution<A::Step> {
        let Self { machine, session, steps, shown, models, mut end, .. } = self;
        let ended = catch_later(machine.end(session)).await;
        if let (End::Passed, Err(fault)) = (&end, ended) {
            end = End::Failed(fault.during("teardown"));
        }
        Execution { steps, shown, models, end }
    }
}

impl<T> Execution<T> {
    /// It did not even start.
    fn fallen(fault: Fault) -> Self {
        let (steps, shown, models) = (Vec::new(), Vec::new(), Default::default());
        Self { steps, shown, models, end: End::Broken(fault) }
    }
}

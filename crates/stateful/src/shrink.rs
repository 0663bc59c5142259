//! The shrinker: the smallest sequence that fails in the same way.
//!
//! Passes are repeated until none of them helps: cut behind the failing step, remove chunks, simplify
//! arguments one by one and those that are equal together, replace steps by a single simple one. What is
//! accepted is strictly smaller, first in length, then in its arguments. A candidate in which a step
//! cannot run is never accepted as it stands; it is mended and tried once more.

use std::time::Instant;

use crate::{
    Config, Fault, Machine,
    rng::Rng,
    runner::{End, Execution, OnBlock, attempt},
    step::Turn,
};

/// Steps are replaced by single ones in sequences up to this length.
const FEW: usize = 8;

/// How many draws of a replacement are tried.
const DRAWS: u64 = 2;

/// What is left of a failing sequence.
pub(crate) struct Shrinker<'a, A: Machine> {
    machine: &'a A,
    config: &'a Config,
    pub(crate) fault: Fault,
    pub(crate) steps: Vec<A::Step>,
    pub(crate) executions: u32,
    /// Whether a limit ended it.
    pub(crate) is_stopped: bool,
    start: Instant,
}

impl<'a, A: Machine> Shrinker<'a, A> {
    pub(crate) fn new(
        machine: &'a A,
        config: &'a Config,
        fault: Fault,
        steps: Vec<A::Step>,
    ) -> Self {
        let start = Instant::now();
        Self { machine, config, fault, steps, executions: 0, is_stopped: false, start }
    }

    /// Shrinks to a fixed point, or as far as the limits allow.
    pub(crate) async fn run(&mut self) {
        loop {
            let mut is_better = self.remove().await;
            is_better |= self.simplify().await;
            is_better |= self.simplify_together().await;
            is_better |= self.replace().await;
            if !is_better || self.is_over() {
                return;
            }
        }
    }

    fn is_over(&mut self) -> bool {
        let is_over = self.executions >= self.config.max_shrink_runs
            || self.start.elapsed() >= self.config.max_shrink_time;
        self.is_stopped |= is_over;
        is_over
    }

    /// Removes chunks of steps, large ones first, from the back.
    async fn remove(&mut self) -> bool {
        let mut is_better = false;
        let mut size = self.steps.len() / 2;
        while size > 0 && !self.is_over() {
            let mut end = self.steps.len();
            while end > 0 && !self.is_over() {
                let start = end.saturating_sub(size);
                let mut candidate = self.steps[..start].to_vec();
                candidate.extend_from_slice(&self.steps[end..]);
                if self.accepts_shorter(&candidate).await {
                    is_better = true;
                    end = start.min(self.steps.len());
                } else {
                    end = start;
                }
            }
            size = (size / 2).min(self.steps.len());
        }
        is_better
    }

    /// Whether `candidate`, as it stands or mended, fails in the same way and is shorter.
    async fn accepts_shorter(&mut self, candidate: &[A::Step]) -> bool {
        let first = self.execute(candidate, OnBlock::Reject).await;
        if matches!(first.end, End::Blocked) {
            let mended = self.execute(candidate, OnBlock::Mend).await;
            return self.take_if(mended, |mended, steps| mended.len() < steps.len());
        }
        self.take_if(first, |first, steps| first.len() < steps.len())
    }

    /// Simplifies arguments, one by one.
    async fn simplify(&mut self) -> bool {
        let mut is_better = false;
        // The last step is the one that fails, and its arguments are looked at first.
        for step in (0..self.steps.len()).rev() {
            let arguments = self.steps.get(step).map_or(0, |step| self.machine.arguments(step));
            for argument in 0..arguments {
                is_better |= self.search(&[(step, argument)]).await;
            }
        }
        is_better
    }

    /// Simplifies arguments together that have the same value: alone, each would no longer match the
    /// others.
    async fn simplify_together(&mut self) -> bool {
        let watched = attempt(self.machine, &self.steps, OnBlock::Reject, true).await;
        self.executions += 1;
        let mut groups: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (step, shown) in watched.shown.iter().enumerate() {
            for (argument, (_, value)) in shown.arguments.iter().enumerate() {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, places)) => places.push((step, argument)),
                    None => groups.push((value.clone(), vec![(step, argument)])),
                }
            }
        }
        let mut is_better = false;
        for (_, places) in groups.iter().filter(|(_, places)| places.len() > 1) {
            is_better |= self.search(places).await;
        }
        is_better
    }

    /// Turns the value trees at `places` toward what is simpler, all at once, as long as the sequence
    /// fails in the same way.
    async fn search(&mut self, places: &[(usize, usize)]) -> bool {
        let mut is_better = false;
        let mut current = self.steps.clone();
        let mut turn = Turn::Simplify;
        while !self.is_over() && places.iter().all(|(step, _)| *step < current.len()) {
            for (step, argument) in places {
                current[*step] = self.machine.turn(&current[*step], *argument, turn);
            }
            let execution = self.execute(&current, OnBlock::Reject).await;
            match &execution.end {
                End::Spent => break,
                End::Failed(fault) if fault.is_same_as(&self.fault) => {
                    let is_whole = execution.steps.len() == current.len();
                    self.take(execution);
                    is_better = true;
                    if !is_whole {
                        break;
                    }
                    turn = Turn::Simplify;
                }
                End::Passed | End::Blocked | End::Failed(_) | End::Broken(_) => {
                    turn = Turn::Complicate;
                }
            }
        }
        is_better
    }

    /// Replaces two or three steps by one of any command, when few are left.
    async fn replace(&mut self) -> bool {
        if self.steps.len() > FEW || self.steps.len() < 2 {
            return false;
        }
        let commands = self.machine.commands().len();
        for size in [3, 2] {
            for start in (0..=self.steps.len().saturating_sub(size)).rev() {
                for command in 0..commands {
                    if start + size > self.steps.len() || self.is_over() {
                        return false;
                    }
                    if self.replace_at(start, size, command).await {
                        return true;
                    }
                }
            }
        }
        false
    }

    async fn replace_at(&mut self, start: usize, size: usize, command: usize) -> bool {
        for draw in 0..DRAWS {
            let before = attempt(self.machine, &self.steps[..start], OnBlock::Reject, false).await;
            self.executions += 1;
            if !matches!(before.end, End::Passed) {
                return false;
            }
            let Some(step) = self.fresh(start, command, draw).await else { return false };
            let mut candidate = self.steps[..start].to_vec();
            candidate.push(step);
            candidate.extend_from_slice(&self.steps[start + size..]);
            if self.accepts_shorter(&candidate).await {
                return true;
            }
        }
        false
    }

    /// A step of `command` as it could follow the first `start` steps.
    async fn fresh(&mut self, start: usize, command: usize, draw: u64) -> Option<A::Step> {
        self.executions += 1;
        let commands = self.machine.commands().len();
        let allowed: Vec<bool> = (0..commands).map(|other| other == command).collect();
        let id = u32::MAX - self.executions;
        let mut session = self.machine.start(false).await;
        for step in &self.steps[..start] {
            self.machine.run(&mut session, &mut step.clone()).await;
        }
        let mut rng = Rng::new(draw);
        let mut blocked = vec![0; commands];
        let step = self.machine.propose(&session, id, &mut rng, &allowed, &mut blocked);
        self.machine.end(session).await;
        step
    }

    async fn execute(&mut self, steps: &[A::Step], on_block: OnBlock) -> Execution<A::Step> {
        self.executions += 1;
        attempt(self.machine, steps, on_block, false).await
    }

    fn take_if(
        &mut self,
        execution: Execution<A::Step>,
        is_smaller: impl Fn(&[A::Step], &[A::Step]) -> bool,
    ) -> bool {
        let is_same = matches!(&execution.end, End::Failed(fault) if fault.is_same_as(&self.fault))
            && self.is_same_command(&execution.steps);
        let is_better = is_same && is_smaller(&execution.steps, &self.steps);
        if is_better {
            self.take(execution);
        }
        is_better
    }

    /// Whether the step that fails is of the command that failed at first.
    fn is_same_command(&self, steps: &[A::Step]) -> bool {
        let command = |steps: &[A::Step]| steps.last().map(|step| self.machine.command(step));
        command(steps) == command(&self.steps)
    }

    /// Goes on from there: what comes behind the failing step is gone.
    fn take(&mut self, execution: Execution<A::Step>) {
        if let End::Failed(fault) = execution.end {
            self.fault = fault;
            self.steps = execution.steps;
        }
    }
}

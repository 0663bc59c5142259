//! A complete test as a [`Machine`].

use std::fmt::Debug;

use super::Test;
use crate::{
    argument::Results,
    command::ErasedCommand as _,
    fault::{Fault, FaultKind},
    lifecycle::{Factory as _, Hook as _},
    machine::{Machine, StepOutcome, Tracing},
    rng::Rng,
    session::Session,
    step::{ShrinkStep, Step},
    step_syntax,
    threading::Threading,
};

impl<M: Debug + 'static, S: 'static, K: Threading> Machine for Test<M, S, K> {
    type Session = Session<M, S>;
    type Step = Step;

    fn command_names(&self) -> Vec<String> {
        self.commands.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn command_index(&self, step: &Step) -> usize {
        step.command
    }

    async fn start(&self, tracing: Tracing) -> Session<M, S> {
        let expectation = "a complete test has a model and a system";
        let mut model = self.model.as_ref().expect(expectation).create().wait().await;
        let mut system = self.system.as_ref().expect(expectation).create().wait().await;
        for setup in &self.setup {
            setup.call(&mut model, &mut system).wait().await;
        }
        Session { model, system, results: Results::default(), tracing }
    }

    fn propose(
        &self,
        session: &Session<M, S>,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<Step> {
        let mut weights: Vec<u32> = self
            .commands
            .iter()
            .zip(allowed)
            .map(|((_, command), is_allowed)| if *is_allowed { command.weight() } else { 0 })
            .collect();
        loop {
            let total: usize = weights.iter().map(|weight| *weight as usize).sum();
            if total == 0 {
                return None;
            }
            let mut left = rng.below(total);
            let command = weights.iter().position(|weight| {
                let is_here = left < *weight as usize;
                left = left.saturating_sub(*weight as usize);
                is_here
            })?;
            let proposed = self.commands[command].1.propose(&session.state(), rng);
            if let Some((arguments, trees)) = proposed {
                return Some(Step { id, command, arguments, trees: Some(trees) });
            }
            blocked[command] += 1;
            weights[command] = 0;
        }
    }

    fn redraw(&self, session: &Session<M, S>, step: &Step) -> Option<Step> {
        let seed = step.arguments.first()?.seed;
        let proposed = self.commands[step.command].1.propose(&session.state(), &mut Rng::new(seed));
        let (arguments, trees) = proposed?;
        Some(Step { id: step.id, command: step.command, arguments, trees: Some(trees) })
    }

    fn describe_arguments(&self, session: &Session<M, S>, step: &Step) -> Vec<(String, String)> {
        self.commands[step.command].1.describe_arguments(&session.state(), &step.arguments)
    }

    async fn run(&self, session: &mut Session<M, S>, step: &mut Step) -> StepOutcome {
        let (name, command) = &self.commands[step.command];
        let outcome = command.run(name, session, step).wait().await;
        let StepOutcome::Passed(result) = outcome else { return outcome };
        match self.violated_invariant(session) {
            None => StepOutcome::Passed(result),
            Some(name) => StepOutcome::failed(Fault::new(FaultKind::Invariant, name, ""), result),
        }
    }

    async fn end(&self, mut session: Session<M, S>) {
        for teardown in &self.teardown {
            teardown.call(&mut session.model, &mut session.system).wait().await;
        }
    }

    fn argument_count(&self, step: &Step) -> usize {
        step.arguments.len()
    }

    fn shrink_argument(&self, step: &Step, argument: usize, shrink_step: ShrinkStep) -> Step {
        step.with_shrink_step(argument, shrink_step)
    }

    fn reset_argument(&self, step: &Step, argument: usize, like: (&Step, usize)) -> Step {
        step.with_reset_argument(argument, like)
    }

    fn describe_model(&self, session: &Session<M, S>) -> String {
        format!("{:?}", session.model)
    }

    fn serialize_step(&self, step: &Step) -> String {
        step_syntax::serialize(self.commands[step.command].0, step)
    }

    fn parse_step(&self, line: &str) -> Option<Step> {
        let (name, mut step) = step_syntax::parse(line)?;
        step.command = self.commands.iter().position(|(known, _)| *known == name)?;
        let arguments = self.commands[step.command].1.names().len();
        (step.arguments.len() == arguments).then_some(step)
    }
}

impl<M: Debug + 'static, S: 'static, K: Threading> Test<M, S, K> {
    /// The first invariant that does not hold.
    fn violated_invariant(&self, session: &mut Session<M, S>) -> Option<&'static str> {
        let Session { model, system, .. } = session;
        self.invariants.iter().find(|(_, holds)| !holds(model, system)).map(|(name, _)| *name)
    }
}

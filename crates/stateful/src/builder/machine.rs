//! A complete test as a [`Machine`].

use std::{borrow::Cow, fmt::Debug, mem, sync::Arc};

use super::Test;
use crate::{
    Argument, Failure, Machine, Phase, SessionContext, StateText, StepOutcome, StepRequest,
    argument::NoValue,
    command::ErasedCommand as _,
    fault::{Fault, FaultKind},
    lifecycle::{Hook as _, Invariant as _, ModelFactory, ShowSystem as _, SystemFactory},
    maybe_future::MaybeFuture,
    rng::Rng,
    session::{PreparedStep, Session, State},
    step::{ArgumentRecord, Step},
    step_syntax,
    threading::Threading,
};

/// The command of the step that creates the initial state: none.
const INITIAL: usize = usize::MAX;

/// A test that is complete and was validated.
pub struct TestMachine<M: 'static, S: 'static, K: Threading> {
    test: Test<M, S, K>,
    model: Arc<K::ModelFactory<M>>,
    system: Arc<K::SystemFactory<M, S>>,
    /// How many arguments the initial state has.
    given: usize,
    /// The names of the commands.
    names: Vec<Cow<'static, str>>,
    weights: Vec<u32>,
    /// For each command and each argument, the number of its name. Equal names have equal numbers.
    name_numbers: Vec<Vec<usize>>,
}

impl<M: Debug + 'static, S: 'static, K: Threading> TestMachine<M, S, K> {
    pub(super) fn new(test: Test<M, S, K>) -> Result<Self, Failure> {
        test.validate()?;
        let (Some(model), Some(system)) = (test.model.clone(), test.system.clone()) else {
            return Err(Failure::misuse("the test has no model or no system"));
        };
        let mut distinct: Vec<Cow<'static, str>> = Vec::new();
        let mut number = |name: Cow<'static, str>| {
            let known = distinct.iter().position(|known| *known == name);
            known.unwrap_or_else(|| {
                distinct.push(name);
                distinct.len() - 1
            })
        };
        let numbers = test
            .commands
            .iter()
            .map(|command| command.erased.names().into_iter().map(&mut number).collect::<Vec<_>>());
        Ok(Self {
            name_numbers: numbers.collect(),
            given: model.names().len(),
            names: test.commands.iter().map(|command| command.name.clone()).collect(),
            weights: test.commands.iter().map(|command| command.erased.weight()).collect(),
            model,
            system,
            test,
        })
    }

    /// Draws a step of `command`, from seeds that `rng` gives.
    fn draw(
        &self,
        session: &mut Session<M, S>,
        (id, command): (u32, usize),
        rng: &mut Rng,
    ) -> Result<Step, NoValue> {
        let numbers = &self.name_numbers[command];
        let mut values = mem::take(&mut session.values[command]);
        let view = session.view(command, &self.names).ok_or(NoValue::Blocked)?;
        let mut seed = |argument: usize| session.seeds.draw(numbers[argument], rng);
        let proposed = self.test.commands[command].erased.propose(&view, &mut seed, &mut values);
        session.values[command] = values;
        let arguments = proposed?;
        for (argument, number) in arguments.iter().zip(numbers) {
            session.seeds.remember(*number, argument.seed);
        }
        session.prepared = Some(PreparedStep { id, command, arguments: None, drawn: Ok(()) });
        Ok(Step { id, command, is_initial: false, arguments })
    }

    /// Chooses one of the allowed commands by their weights.
    fn choose(&self, request: &mut StepRequest<'_>, excluded: &[usize]) -> Option<usize> {
        let (allowed, commands) = (request.allowed, 0..self.weights.len());
        let weight = |command: usize| {
            let is_candidate = allowed[command] && !excluded.contains(&command);
            if is_candidate { self.weights[command] as usize } else { 0 }
        };
        let total: usize = commands.clone().map(weight).sum();
        if total == 0 {
            return None;
        }
        let mut left = request.rng().below(total);
        commands.into_iter().find(|command| {
            let weight = weight(*command);
            let is_here = left < weight;
            left = left.saturating_sub(weight);
            is_here
        })
    }

    /// Draws the step that creates the initial state.
    fn draw_initial(&self, session: &mut Session<M, S>, request: &mut StepRequest<'_>) -> Step {
        let rng = request.rng();
        let arguments = (0..self.given).map(|_| ArgumentRecord::new(rng.bits())).collect();
        let mut step = Step { id: request.id(), command: INITIAL, is_initial: true, arguments };
        let drawn = self.model.prepare(&mut step.arguments, &mut session.given);
        session.prepared = Some(Self::prepared(&step, drawn));
        step
    }

    fn prepared(step: &Step, drawn: Result<(), NoValue>) -> PreparedStep {
        let arguments = Some(step.arguments.clone());
        PreparedStep { id: step.id, command: step.command, arguments, drawn }
    }

    /// Draws the values of a step that was not drawn just now.
    fn prepare(&self, session: &mut Session<M, S>, step: &Step) {
        let is_prepared =
            |known: &PreparedStep| (known.id, known.command) == (step.id, step.command);
        if session.prepared.as_ref().is_some_and(is_prepared) {
            return;
        }
        let mut step = step.clone();
        let drawn = if step.is_initial {
            self.model.prepare(&mut step.arguments, &mut session.given)
        } else {
            let mut values = mem::take(&mut session.values[step.command]);
            let drawn = match session.view(step.command, &self.names) {
                None => Err(NoValue::Blocked),
                Some(view) => {
                    let command = &self.test.commands[step.command].erased;
                    command.prepare(&view, &mut step.arguments, &mut values)
                }
            };
            session.values[step.command] = values;
            drawn
        };
        session.prepared = Some(Self::prepared(&step, drawn));
    }

    /// Creates the model and the system, and runs the setup.
    async fn create_state(&self, session: &mut Session<M, S>) -> Result<(), Fault> {
        let context = session.context.clone();
        context.enter(Phase::Model);
        let Some(mut model) = self.model.create(&mut session.given) else {
            return Err(Fault::new(FaultKind::Error, "", "no model was created"));
        };
        context.enter(Phase::System);
        let mut system = self.system.create(&model).wait().await;
        context.enter(Phase::Setup);
        for setup in &self.test.setup {
            setup.call(&mut model, &mut system).wait().await;
        }
        session.state = Some(State { model, system });
        let violated = self.violated_invariants(session);
        violated.map_or(Ok(()), |fault| Err(fault.during("in the initial state")))
    }

    /// The fault of every invariant that does not hold: of the first one, with the others in its message.
    fn violated_invariants(&self, session: &mut Session<M, S>) -> Option<Fault> {
        let State { model, system } = session.state.as_mut()?;
        let mut violated: Option<(&str, String)> = None;
        for (name, invariant) in &self.test.invariants {
            let Some(problem) = invariant.problem(model, system) else { continue };
            match &mut violated {
                None => violated = Some((name, problem)),
                Some((_, detail)) => {
                    let separator = if detail.is_empty() { "" } else { "; " };
                    let why = if problem.is_empty() { problem } else { format!(": {problem}") };
                    detail.push_str(&format!("{separator}`{name}` is false too{why}"));
                }
            }
        }
        violated.map(|(name, detail)| Fault::new(FaultKind::Invariant, name, detail))
    }

    async fn tear_down(&self, session: &mut Session<M, S>) {
        if let Some(State { model, system }) = &mut session.state {
            for teardown in &self.test.teardown {
                teardown.call(model, system).wait().await;
            }
        }
    }
}

impl<M: Debug + 'static, S: 'static, K: Threading> Machine for TestMachine<M, S, K> {
    type Session = Session<M, S>;
    type Step = Step;

    fn commands(&self) -> Vec<String> {
        self.names.iter().map(ToString::to_string).collect()
    }

    async fn start(&self, context: &SessionContext) -> Result<Session<M, S>, Fault> {
        let mut session = Session::new(context.clone(), self.names.len());
        if self.given > 0 {
            return Ok(session);
        }
        if let Err(fault) = self.create_state(&mut session).await {
            context.enter(Phase::Teardown);
            self.tear_down(&mut session).await;
            return Err(fault);
        }
        Ok(session)
    }

    fn propose(&self, session: &mut Session<M, S>, request: &mut StepRequest<'_>) -> Option<Step> {
        if session.state.is_none() {
            return Some(self.draw_initial(session, request));
        }
        if request.reuses_arguments() {
            session.seeds.begin(request.rng());
        }
        // Commands that cannot run in this state.
        let mut excluded: Vec<usize> = Vec::new();
        loop {
            let command = self.choose(request, &excluded)?;
            let id = request.id();
            match self.draw(session, (id, command), request.rng()) {
                Ok(step) => return Some(step),
                Err(reason) => {
                    if let NoValue::Rejected(argument) = reason {
                        let names = self.test.commands[command].erased.names();
                        request.count_rejected(command, &names[argument]);
                    }
                    request.count_blocked(command);
                    excluded.push(command);
                }
            }
        }
    }

    fn redraw(&self, session: &mut Session<M, S>, step: &Step) -> Option<Step> {
        let seed = step.arguments.first().filter(|_| !step.is_initial)?.seed;
        self.draw(session, (step.id, step.command), &mut Rng::new(seed)).ok()
    }

    async fn run(&self, session: &mut Session<M, S>, step: &mut Step) -> StepOutcome {
        self.prepare(session, step);
        let Some(PreparedStep { arguments, drawn, .. }) = session.prepared.take() else {
            return StepOutcome::Blocked;
        };
        if let Some(arguments) = arguments {
            step.arguments = arguments;
        }
        if let Err(reason) = drawn {
            return reason.into();
        }
        if step.is_initial {
            session.log.add_nothing();
            let created = self.create_state(session).await;
            return created.map_or_else(StepOutcome::failed, |()| StepOutcome::passed());
        }
        let command = &self.test.commands[step.command].erased;
        // Awaiting what is ready would cost more than many steps.
        let outcome = match command.run(session, step) {
            MaybeFuture::Ready(outcome) => outcome,
            MaybeFuture::Future(outcome) => outcome.await,
        };
        let StepOutcome::Passed(notes) = outcome else { return outcome };
        match self.violated_invariants(session) {
            None => StepOutcome::Passed(notes),
            Some(fault) => StepOutcome::failed(fault).with_notes(notes),
        }
    }

    async fn end(&self, mut session: Session<M, S>) -> Result<(), Fault> {
        self.tear_down(&mut session).await;
        Ok(())
    }

    fn arguments(&self, session: &mut Session<M, S>, step: &Step) -> Vec<Argument> {
        self.prepare(session, step);
        if session.prepared.as_ref().is_none_or(|known| known.drawn.is_err()) {
            return Vec::new();
        }
        if step.is_initial {
            self.model.display(&session.given)
        } else {
            self.test.commands[step.command].erased.display(&session.values[step.command])
        }
    }

    fn results(&self, session: &Session<M, S>) -> Vec<String> {
        session.log.texts()
    }

    fn state(&self, session: &Session<M, S>) -> StateText {
        let Some(State { model, system }) = &session.state else { return StateText::default() };
        let show = self.test.show.as_ref();
        let system = show.map(|show| show.show(system)).unwrap_or_default();
        StateText { model: format!("{model:?}"), system }
    }

    fn serialize_step(&self, step: &Step) -> String {
        let name = self.names.get(step.command).map_or("", |name| name);
        step_syntax::serialize(name, step)
    }

    fn parse_step(&self, text: &str) -> Option<Step> {
        let (name, mut step) = step_syntax::parse(text)?;
        step.is_initial = name.is_empty();
        let arguments = if step.is_initial {
            step.command = INITIAL;
            self.given
        } else {
            step.command = self.names.iter().position(|known| *known == name)?;
            self.name_numbers[step.command].len()
        };
        (step.arguments.len() == arguments).then_some(step)
    }
}

//! A time limit for systems that are not waited for but called: each session lives on a thread of its
//! own, which is left behind if a call does not return.
//!
//! To the runner it is a machine like any other. What has to know the session happens on the thread;
//! records of steps go there and back. A thread serves one session after the other, so a sequence costs
//! a few messages a step and no thread, as long as nothing hangs.

use std::{
    cell::RefCell,
    panic::resume_unwind,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use crate::{
    Fault, FaultKind, Machine, StepOutcome,
    panics::{at_once, catch},
    rng::Rng,
    step::{Argument, ShrinkStep, Step},
};

/// A machine whose calls end in time, or are given up.
pub(crate) struct Limited<A> {
    machine: Arc<A>,
    limit: Duration,
    /// Threads without a session.
    idle: RefCell<Vec<Line>>,
}

/// A thread that serves sessions.
struct Line {
    asks: Sender<Ask>,
    answers: Receiver<Answer>,
}

/// A session on another thread.
pub(crate) struct Remote {
    line: Line,
    /// Whether its thread hangs in a call.
    is_lost: std::cell::Cell<bool>,
}

/// A step without what only its own thread can hold.
#[derive(Clone)]
struct Sent {
    id: u32,
    command: usize,
    arguments: Vec<Argument>,
}

enum Ask {
    Start { is_traced: bool },
    Propose { id: u32, rng: Rng, allowed: Vec<bool>, blocked: Vec<u64> },
    Redraw(Sent),
    Describe(Sent),
    Run(Sent),
    Show,
    End,
}

enum Answer {
    Done,
    Proposed {
        step: Option<Sent>,
        rng: Rng,
        blocked: Vec<u64>,
    },
    Described(Vec<(String, String)>),
    Outcome(StepOutcome, Sent),
    Shown(String),
    /// The call panicked.
    Fell(Fault),
    /// It would have to be waited for, which this is not made for.
    Waits,
}

impl Sent {
    fn of(step: &Step) -> Self {
        let Step { id, command, arguments, .. } = step;
        Self { id: *id, command: *command, arguments: arguments.clone() }
    }

    fn into_step(self) -> Step {
        let Self { id, command, arguments } = self;
        Step { id, command, arguments, held: None }
    }
}

impl<A: Machine<Step = Step> + Send + Sync + 'static> Limited<A> {
    pub(crate) fn new(machine: A, limit: Duration) -> Self {
        Self { machine: Arc::new(machine), limit, idle: RefCell::new(Vec::new()) }
    }

    fn line(&self) -> Line {
        self.idle.borrow_mut().pop().unwrap_or_else(|| {
            let (asks, asked) = channel();
            let (answer, answers) = channel();
            let machine = Arc::clone(&self.machine);
            thread::spawn(move || serve(machine.as_ref(), &asked, &answer));
            Line { asks, answers }
        })
    }

    /// Asks, and waits as long as it may take. What is too late or fell comes as a panic, which the
    /// runner catches like one of the system itself.
    fn ask(&self, remote: &Remote, ask: Ask) -> Answer {
        if remote.is_lost.get() || remote.line.asks.send(ask).is_err() {
            resume_unwind(Box::new(self.too_late()));
        }
        match remote.line.answers.recv_timeout(self.limit) {
            Ok(Answer::Fell(fault)) => resume_unwind(Box::new(fault)),
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                remote.is_lost.set(true);
                resume_unwind(Box::new(self.too_late()))
            }
        }
    }

    fn too_late(&self) -> Fault {
        Fault::new(FaultKind::Timeout, "", format!("it took longer than {:?}", self.limit))
    }
}

impl<A: Machine<Step = Step> + Send + Sync + 'static> Machine for Limited<A> {
    type Session = Remote;
    type Step = Step;

    fn command_names(&self) -> Vec<String> {
        self.machine.command_names()
    }

    fn command_index(&self, step: &Step) -> usize {
        self.machine.command_index(step)
    }

    async fn start(&self, is_traced: bool) -> Remote {
        let remote = Remote { line: self.line(), is_lost: std::cell::Cell::new(false) };
        let answer = self.ask(&remote, Ask::Start { is_traced });
        wait_if_needed(&answer).await;
        remote
    }

    fn propose(
        &self,
        session: &Remote,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<Step> {
        let ask = Ask::Propose {
            id,
            rng: rng.clone(),
            allowed: allowed.to_vec(),
            blocked: blocked.to_vec(),
        };
        let Answer::Proposed { step, rng: after, blocked: counted } = self.ask(session, ask) else {
            return None;
        };
        *rng = after;
        blocked.copy_from_slice(&counted);
        step.map(Sent::into_step)
    }

    fn redraw(&self, session: &Remote, step: &Step) -> Option<Step> {
        let answer = self.ask(session, Ask::Redraw(Sent::of(step)));
        let Answer::Proposed { step, .. } = answer else { return None };
        step.map(Sent::into_step)
    }

    fn describe_arguments(&self, session: &Remote, step: &Step) -> Vec<(String, String)> {
        let answer = self.ask(session, Ask::Describe(Sent::of(step)));
        if let Answer::Described(arguments) = answer { arguments } else { Vec::new() }
    }

    async fn run(&self, session: &mut Remote, step: &mut Step) -> StepOutcome {
        let answer = self.ask(session, Ask::Run(Sent::of(step)));
        wait_if_needed(&answer).await;
        let Answer::Outcome(outcome, sent) = answer else { return StepOutcome::Blocked };
        *step = sent.into_step();
        outcome
    }

    async fn end(&self, session: Remote) {
        if !session.is_lost.get() {
            let answer = self.ask(&session, Ask::End);
            wait_if_needed(&answer).await;
            self.idle.borrow_mut().push(session.line);
        }
    }

    fn argument_count(&self, step: &Step) -> usize {
        self.machine.argument_count(step)
    }

    fn shrink_argument(&self, step: &Step, argument: usize, shrink_step: ShrinkStep) -> Step {
        self.machine.shrink_argument(step, argument, shrink_step)
    }

    fn reset_argument(&self, step: &Step, argument: usize, like: (&Step, usize)) -> Step {
        self.machine.reset_argument(step, argument, like)
    }

    fn describe_model(&self, session: &Remote) -> String {
        if session.is_lost.get() {
            return String::new();
        }
        let answer = self.ask(session, Ask::Show);
        if let Answer::Shown(model) = answer { model } else { String::new() }
    }

    fn serialize_step(&self, step: &Step) -> String {
        self.machine.serialize_step(step)
    }

    fn parse_step(&self, line: &str) -> Option<Step> {
        self.machine.parse_step(line)
    }
}

/// Waits for ever for what has to be waited for: whoever polls only once learns that it does.
async fn wait_if_needed(answer: &Answer) {
    if matches!(answer, Answer::Waits) {
        std::future::pending::<()>().await;
    }
}

/// Serves one session after the other, until nobody asks any more.
fn serve<A: Machine<Step = Step>>(machine: &A, asked: &Receiver<Ask>, answers: &Sender<Answer>) {
    let mut session = None;
    let mut proposed: Option<Step> = None;
    while let Ok(ask) = asked.recv() {
        let answer = catch(|| answer(machine, &mut session, &mut proposed, ask));
        if answers.send(answer.unwrap_or_else(Answer::Fell)).is_err() {
            return;
        }
    }
}

fn answer<A: Machine<Step = Step>>(
    machine: &A,
    session: &mut Option<A::Session>,
    proposed: &mut Option<Step>,
    ask: Ask,
) -> Answer {
    let mut keep = |step: Option<Step>| {
        let sent = step.as_ref().map(Sent::of);
        *proposed = step;
        sent
    };
    match (ask, session.as_mut()) {
        (Ask::Start { is_traced }, _) => {
            *session = at_once(machine.start(is_traced));
            if session.is_some() { Answer::Done } else { Answer::Waits }
        }
        (Ask::Propose { id, mut rng, allowed, mut blocked }, Some(session)) => {
            let step = keep(machine.propose(session, id, &mut rng, &allowed, &mut blocked));
            Answer::Proposed { step, rng, blocked }
        }
        (Ask::Redraw(sent), Some(session)) => {
            let step = keep(machine.redraw(session, &sent.into_step()));
            Answer::Proposed { step, rng: Rng::new(0), blocked: Vec::new() }
        }
        (Ask::Describe(sent), Some(session)) => {
            Answer::Described(machine.describe_arguments(session, &sent.into_step()))
        }
        (Ask::Run(sent), Some(session)) => {
            // What was proposed last has what its arguments were built from.
            let known = proposed.take().filter(|step| step.arguments == sent.arguments);
            let mut step =
                known.filter(|step| step.id == sent.id).unwrap_or_else(|| sent.into_step());
            let outcome = at_once(machine.run(session, &mut step));
            outcome.map_or(Answer::Waits, |outcome| Answer::Outcome(outcome, Sent::of(&step)))
        }
        (Ask::Show, Some(session)) => Answer::Shown(machine.describe_model(session)),
        (Ask::End, _) => {
            let ended = session.take().map_or(Some(()), |session| at_once(machine.end(session)));
            ended.map_or(Answer::Waits, |()| Answer::Done)
        }
        (_, None) => Answer::Done,
    }
}

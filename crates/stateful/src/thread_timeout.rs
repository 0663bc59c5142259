//! The timeout of synchronous systems: each session runs on a worker thread, which is abandoned if a
//! call does not return in time.
//!
//! To the runner it is a machine like any other. Calls that need the session are sent to the worker as
//! requests with step records. A worker serves one session after the other, so a step costs a few
//! messages, and a thread is only started for the first session and after a timeout.

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
    Fault, Machine, StepOutcome, Tracing,
    panics::{catch, poll_once},
    rng::Rng,
    step::{ArgumentRecord, ShrinkStep, Step},
};

/// A machine whose calls return within a timeout or fail.
pub(crate) struct ThreadTimeout<A> {
    machine: Arc<A>,
    timeout: Duration,
    /// Workers without a session.
    idle: RefCell<Vec<Worker>>,
}

/// A thread that runs sessions, one after the other.
struct Worker {
    requests: Sender<Request>,
    responses: Receiver<Response>,
}

/// A session on a worker thread.
pub(crate) struct RemoteSession {
    worker: Worker,
    /// Whether a call did not return in time.
    is_hung: std::cell::Cell<bool>,
}

/// A step without its value trees, which cannot be sent to another thread.
#[derive(Clone)]
struct StepData {
    id: u32,
    command: usize,
    arguments: Vec<ArgumentRecord>,
}

enum Request {
    Start { tracing: Tracing },
    Propose { id: u32, rng: Rng, allowed: Vec<bool>, blocked: Vec<u64> },
    Redraw(StepData),
    DescribeArguments(StepData),
    Run(StepData),
    DescribeModel,
    End,
}

enum Response {
    Done,
    Proposed {
        step: Option<StepData>,
        rng: Rng,
        blocked: Vec<u64>,
    },
    Arguments(Vec<(String, String)>),
    Outcome(StepOutcome, StepData),
    Model(String),
    /// The call panicked.
    Panicked(Fault),
    /// The machine waits, which a worker does not support.
    Pending,
}

impl StepData {
    fn of(step: &Step) -> Self {
        let Step { id, command, arguments, .. } = step;
        Self { id: *id, command: *command, arguments: arguments.clone() }
    }

    fn into_step(self) -> Step {
        let Self { id, command, arguments } = self;
        Step { id, command, arguments, trees: None }
    }
}

impl<A: Machine<Step = Step> + Send + Sync + 'static> ThreadTimeout<A> {
    pub(crate) fn new(machine: A, timeout: Duration) -> Self {
        Self { machine: Arc::new(machine), timeout, idle: RefCell::new(Vec::new()) }
    }

    fn idle_worker(&self) -> Worker {
        self.idle.borrow_mut().pop().unwrap_or_else(|| {
            let (requests, received) = channel();
            let (sender, responses) = channel();
            let machine = Arc::clone(&self.machine);
            thread::spawn(move || serve(machine.as_ref(), &received, &sender));
            Worker { requests, responses }
        })
    }

    /// Sends a request and waits for the response within the timeout. A timeout or a panic of the call is
    /// raised as a panic, which the runner catches like one of the system itself.
    fn call(&self, session: &RemoteSession, request: Request) -> Response {
        if session.is_hung.get() || session.worker.requests.send(request).is_err() {
            resume_unwind(Box::new(Fault::timeout(self.timeout)));
        }
        match session.worker.responses.recv_timeout(self.timeout) {
            Ok(Response::Panicked(fault)) => resume_unwind(Box::new(fault)),
            Ok(response) => response,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                session.is_hung.set(true);
                resume_unwind(Box::new(Fault::timeout(self.timeout)))
            }
        }
    }
}

impl<A: Machine<Step = Step> + Send + Sync + 'static> Machine for ThreadTimeout<A> {
    type Session = RemoteSession;
    type Step = Step;

    fn command_names(&self) -> Vec<String> {
        self.machine.command_names()
    }

    fn command_index(&self, step: &Step) -> usize {
        self.machine.command_index(step)
    }

    async fn start(&self, tracing: Tracing) -> RemoteSession {
        let session =
            RemoteSession { worker: self.idle_worker(), is_hung: std::cell::Cell::new(false) };
        let response = self.call(&session, Request::Start { tracing });
        wait_if_pending(&response).await;
        session
    }

    fn propose(
        &self,
        session: &RemoteSession,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<Step> {
        let request = Request::Propose {
            id,
            rng: rng.clone(),
            allowed: allowed.to_vec(),
            blocked: blocked.to_vec(),
        };
        let Response::Proposed { step, rng: after, blocked: counted } = self.call(session, request)
        else {
            return None;
        };
        *rng = after;
        blocked.copy_from_slice(&counted);
        step.map(StepData::into_step)
    }

    fn redraw(&self, session: &RemoteSession, step: &Step) -> Option<Step> {
        let response = self.call(session, Request::Redraw(StepData::of(step)));
        let Response::Proposed { step, .. } = response else { return None };
        step.map(StepData::into_step)
    }

    fn describe_arguments(&self, session: &RemoteSession, step: &Step) -> Vec<(String, String)> {
        let response = self.call(session, Request::DescribeArguments(StepData::of(step)));
        if let Response::Arguments(arguments) = response { arguments } else { Vec::new() }
    }

    async fn run(&self, session: &mut RemoteSession, step: &mut Step) -> StepOutcome {
        let response = self.call(session, Request::Run(StepData::of(step)));
        wait_if_pending(&response).await;
        let Response::Outcome(outcome, data) = response else { return StepOutcome::Blocked };
        *step = data.into_step();
        outcome
    }

    async fn end(&self, session: RemoteSession) {
        if !session.is_hung.get() {
            let response = self.call(&session, Request::End);
            wait_if_pending(&response).await;
            self.idle.borrow_mut().push(session.worker);
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

    fn describe_model(&self, session: &RemoteSession) -> String {
        if session.is_hung.get() {
            return String::new();
        }
        let response = self.call(session, Request::DescribeModel);
        if let Response::Model(model) = response { model } else { String::new() }
    }

    fn serialize_step(&self, step: &Step) -> String {
        self.machine.serialize_step(step)
    }

    fn parse_step(&self, line: &str) -> Option<Step> {
        self.machine.parse_step(line)
    }
}

/// Never ready if the machine waits, so that a runner that polls once learns that it does.
async fn wait_if_pending(response: &Response) {
    if matches!(response, Response::Pending) {
        std::future::pending::<()>().await;
    }
}

/// Responds to requests until their sender is dropped.
fn serve<A: Machine<Step = Step>>(
    machine: &A,
    requests: &Receiver<Request>,
    responses: &Sender<Response>,
) {
    let mut session = None;
    let mut proposed: Option<Step> = None;
    while let Ok(request) = requests.recv() {
        let response = catch(|| respond(machine, &mut session, &mut proposed, request));
        if responses.send(response.unwrap_or_else(Response::Panicked)).is_err() {
            return;
        }
    }
}

fn respond<A: Machine<Step = Step>>(
    machine: &A,
    session: &mut Option<A::Session>,
    proposed: &mut Option<Step>,
    request: Request,
) -> Response {
    let mut remember = |step: Option<Step>| {
        let data = step.as_ref().map(StepData::of);
        *proposed = step;
        data
    };
    match (request, session.as_mut()) {
        (Request::Start { tracing }, _) => {
            *session = poll_once(machine.start(tracing));
            if session.is_some() { Response::Done } else { Response::Pending }
        }
        (Request::Propose { id, mut rng, allowed, mut blocked }, Some(session)) => {
            let step = remember(machine.propose(session, id, &mut rng, &allowed, &mut blocked));
            Response::Proposed { step, rng, blocked }
        }
        (Request::Redraw(data), Some(session)) => {
            let step = remember(machine.redraw(session, &data.into_step()));
            Response::Proposed { step, rng: Rng::new(0), blocked: Vec::new() }
        }
        (Request::DescribeArguments(data), Some(session)) => {
            Response::Arguments(machine.describe_arguments(session, &data.into_step()))
        }
        (Request::Run(data), Some(session)) => {
            // The step that was proposed last still has its value trees.
            let known = proposed.take().filter(|step| step.arguments == data.arguments);
            let mut step =
                known.filter(|step| step.id == data.id).unwrap_or_else(|| data.into_step());
            let outcome = poll_once(machine.run(session, &mut step));
            outcome.map_or(Response::Pending, |outcome| {
                Response::Outcome(outcome, StepData::of(&step))
            })
        }
        (Request::DescribeModel, Some(session)) => Response::Model(machine.describe_model(session)),
        (Request::End, _) => {
            let ended = session.take().map_or(Some(()), |session| poll_once(machine.end(session)));
            ended.map_or(Response::Pending, |()| Response::Done)
        }
        (_, None) => Response::Done,
    }
}

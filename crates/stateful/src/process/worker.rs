//! The worker: a process that runs the sequences that a test sends.

use std::{
    net::{Ipv4Addr, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
};

use super::{
    IsolatedCheck, VARIABLE,
    messages::{Message, Request, read_job, receive, send, write_execution},
};
use crate::{
    Argument, Config, Machine,
    execution::{Observer, SequenceOutcome, Watch, perform},
    machine::Activity,
    panics::poll_once,
    wire::Wire as _,
};

/// What happens if the machine waits.
#[derive(Clone, Copy)]
pub(crate) enum Waiting {
    /// It is awaited.
    Allowed,
    /// The test is told so, and fails.
    Refused,
}

/// Runs what a test sends and ends the process, if this process is a worker for `check`. Does
/// nothing otherwise.
pub(crate) async fn serve<A: Machine>(
    machine: &A,
    config: &Config,
    check: &IsolatedCheck,
    waiting: Waiting,
) {
    let Some(port) = address_of_test(check.number) else { return };
    let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { end_process() };
    let _ = stream.set_nodelay(true);
    let Ok(requests) = stream.try_clone().map(read_requests) else { end_process() };
    let test = Test(Arc::new(Mutex::new(stream)));
    let phases = test.clone();
    let activity = Arc::new(Activity::notifying(move |phase| phases.send(&Message::Phase(phase))));
    let observer = Reporter { machine, test: &test };
    while let Ok(bytes) = requests.recv() {
        let Some(Request { seed, job }) = Request::read(&mut &bytes[..]) else { break };
        let Some(job) = read_job(machine, &mut &job[..]) else { break };
        let config = Config { seed: Some(seed), ..config.clone() };
        let activity = Some(Arc::clone(&activity));
        let watch = Watch { timeout: None, observer: Some(&observer), activity };
        let running = perform(machine, &config, job, &watch);
        let execution = match waiting {
            Waiting::Allowed => Some(running.await),
            Waiting::Refused => poll_once(running),
        };
        test.send(&execution.map_or(Message::Waits, |execution| {
            Message::Done(write_execution(machine, &execution))
        }));
    }
    end_process()
}

/// Where the test listens, if this process is a worker for check number `check`.
fn address_of_test(check: u64) -> Option<u16> {
    #[expect(clippy::disallowed_methods, reason = "this is how a worker knows that it is one")]
    let variable = std::env::var(VARIABLE).ok()?;
    let (port, number) = variable.split_once('/')?;
    (number.parse() == Ok(check)).then(|| port.parse().ok()).flatten()
}

/// Reads requests on a thread. If the test is gone, the process ends at once, whatever it is doing.
fn read_requests(stream: TcpStream) -> Receiver<Vec<u8>> {
    let (sender, requests) = channel();
    thread::spawn(move || {
        while let Ok(request) = receive(&stream) {
            if sender.send(request).is_err() {
                return;
            }
        }
        end_process()
    });
    requests
}

/// Ends a worker. The rest of its test must not run: it belongs to the other process.
#[expect(clippy::exit, reason = "a worker is no test, and has nothing to return to")]
fn end_process() -> ! {
    std::process::exit(0)
}

/// The connection to the test.
#[derive(Clone)]
struct Test(Arc<Mutex<TcpStream>>);

impl Test {
    fn send(&self, message: &Message) {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If the test is gone, the thread that reads ends this process.
        let _ = send(&stream, &message.to_bytes());
    }
}

/// Reports every step to the test.
struct Reporter<'a, A> {
    machine: &'a A,
    test: &'a Test,
}

impl<A: Machine> Observer<A::Step> for Reporter<'_, A> {
    fn step_begins(&self, step: &A::Step, arguments: Option<&[Argument]>) {
        let step = self.machine.serialize_step(step);
        self.test.send(&Message::StepBegins { step, arguments: arguments.map(<[_]>::to_vec) });
    }

    fn step_is_blocked(&self) {
        self.test.send(&Message::StepIsBlocked);
    }

    fn steps_end(&self, outcome: &SequenceOutcome) {
        self.test.send(&Message::StepsEnd(outcome.clone()));
    }
}

//! Sequences in a process of their own: the binary of the test is started again, for this test alone, and
//! runs the sequences that it is sent. What blocks, spins or ends that process leaves nothing behind.
//!
//! The two processes talk over a loopback socket: the standard streams belong to the harness and to the
//! system. The worker reports every phase and every step before it runs, so that what interrupted a sequence
//! is known. A worker whose test is gone ends itself, whatever it is doing.

mod messages;
mod worker;

use std::{
    cell::{Cell, RefCell},
    io::{self, Read},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use self::messages::{Message, Request, read_execution, receive, send, write_job};
pub(crate) use self::worker::{Waiting, serve};
use crate::{
    Config, Failure, Fault, FaultKind, Machine, Phase,
    async_timeout::timed_out,
    config::test_name,
    execution::{Execution, Job, SequenceOutcome, StepsSoFar},
    executor::Executor,
    statistics::Counts,
    wire::Wire as _,
};

/// Tells a worker where its test listens, and which check of the test it is for.
const VARIABLE: &str = "FOOLPROOF_WORKER";

/// Why a check cannot have a process of its own.
const UNKNOWN_TEST: &str =
    "a test has a process of its own only under `cargo test`: its name is not known";

/// How long a worker may take to start.
const START: Duration = Duration::from_secs(30);

/// How many lines of the standard error of a worker are kept.
const LAST_LINES: usize = 4;

thread_local! {
    /// How many checks of this test have had a process of their own.
    static CHECKS: Cell<u64> = const { Cell::new(0) };
}

/// A check whose sequences run in a process of their own.
#[derive(Clone, Debug)]
pub(crate) struct IsolatedCheck {
    /// Its number among those of its test.
    number: u64,
    /// The name of its test.
    test: String,
}

impl IsolatedCheck {
    /// The next one of the test that runs on this thread.
    pub(crate) fn next() -> Result<Self, Failure> {
        let test = test_name().ok_or_else(|| Failure::misuse(UNKNOWN_TEST))?;
        Ok(Self { number: CHECKS.replace(CHECKS.get() + 1), test })
    }
}

/// Runs sequences in another process.
pub(crate) struct InProcess<'a, A: Machine> {
    machine: &'a A,
    config: &'a Config,
    check: &'a IsolatedCheck,
    /// The worker, unless it ended.
    worker: RefCell<Option<Worker>>,
}

/// A process that runs sequences, one after the other.
struct Worker {
    child: Child,
    stream: TcpStream,
    /// The last lines of its standard error.
    errors: Receiver<String>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a, A: Machine> InProcess<'a, A> {
    pub(crate) fn new(machine: &'a A, config: &'a Config, check: &'a IsolatedCheck) -> Self {
        Self { machine, config, check, worker: RefCell::new(None) }
    }

    fn run(&self, job: &Job<A::Step>) -> Option<Execution<A::Step>> {
        let worker = match self.worker.take().map_or_else(|| start_worker(self.check), Ok) {
            Ok(worker) => worker,
            Err(problem) => {
                let fault = Fault::new(FaultKind::Crash, "", problem);
                let counts = Counts::none(self.machine.commands().len());
                return Some(Execution::ended(SequenceOutcome::StartFailed(fault), counts));
            }
        };
        let mut request = Vec::new();
        Request { seed: self.config.chosen_seed(), job: write_job(self.machine, job) }
            .write(&mut request);
        // If it cannot be sent, there is no answer either.
        let _ = send(&worker.stream, &request);
        let mut so_far = StepsSoFar::new();
        let mut phase = Phase::Model;
        let fault = loop {
            let limit = self.config.step_timeout;
            let _ = worker.stream.set_read_timeout(limit);
            let message = match receive(&worker.stream) {
                Ok(bytes) => Message::from_bytes(&mut &bytes[..]),
                Err(error) if is_timeout(&error) => {
                    break timed_out(limit.unwrap_or_default(), phase);
                }
                Err(_) => break crash(worker, phase),
            };
            match message {
                Some(Message::Phase(next)) => phase = next,
                Some(Message::StepBegins { step, arguments }) => {
                    so_far.steps.extend(self.machine.parse_step(&step));
                    so_far.arguments.extend(arguments);
                }
                Some(Message::StepIsBlocked) => {
                    so_far.steps.pop();
                    so_far.arguments.pop();
                }
                Some(Message::StepsEnd(outcome)) => so_far.outcome = Some(outcome),
                Some(Message::Done(bytes)) => {
                    self.worker.replace(Some(worker));
                    return read_execution(self.machine, &mut &bytes[..]);
                }
                Some(Message::Waits) | None => return None,
            }
        };
        Some(so_far.interrupted(fault, phase, self.machine.commands().len()))
    }
}

impl<A: Machine> Executor<A::Step> for InProcess<'_, A> {
    async fn execute(&self, job: Job<A::Step>) -> Execution<A::Step> {
        match self.run(&job) {
            Some(execution) => execution,
            // Never ready, so that whoever polls once learns that the machine waits.
            None => std::future::pending().await,
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The fault of a worker that ended. How it ended is its identity.
fn crash(mut worker: Worker, phase: Phase) -> Fault {
    let status = worker.child.wait().map(|status| status.to_string()).unwrap_or_default();
    let errors: Vec<String> = worker.errors.iter().collect();
    let errors = errors[errors.len().saturating_sub(LAST_LINES)..].join("\n  ");
    let detail = if errors.is_empty() { status.clone() } else { format!("{status}\n  {errors}") };
    let fault = Fault::new(FaultKind::Crash, "", detail).with_identity(status);
    if phase == Phase::Step { fault } else { fault.during(phase.to_string()) }
}

/// Starts the binary of this test again, for this test alone.
fn start_worker(check: &IsolatedCheck) -> Result<Worker, String> {
    let test = &check.test;
    let started = (|| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let mut child = Command::new(std::env::current_exe()?)
            .args([test.as_str(), "--exact", "--nocapture", "--include-ignored"])
            .env(VARIABLE, format!("{port}/{}", check.number))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let errors = read_lines(child.stderr.take());
        let stream = accept(&listener, &mut child);
        if stream.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        Ok(Worker { child, stream: stream?, errors })
    })();
    started.map_err(|error: io::Error| {
        format!("`{test}` could not be started in a process of its own: {error}")
    })
}

/// The connection of the worker.
fn accept(listener: &TcpListener, child: &mut Child) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
        if let Some(status) = child.try_wait()? {
            let problem = format!("it ended before the check ({status})");
            return Err(io::Error::other(problem));
        }
        if start.elapsed() > START {
            return Err(io::Error::other("it did not come to the check in time"));
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Reads lines on a thread, so that whoever writes them never waits.
fn read_lines(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    use io::BufRead as _;
    let (sender, lines) = channel();
    thread::spawn(move || {
        let Some(stream) = stream else { return };
        let reader = io::BufReader::new(stream);
        for line in reader.split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            if !line.is_empty() && sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

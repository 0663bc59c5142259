//! The timeout of asynchronous systems: the future of a step that takes too long is dropped.

use std::{
    future::poll_fn,
    pin::pin,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use crate::{Fault, Machine, StepOutcome, Tracing, rng::Rng, step::ShrinkStep};

/// A machine whose steps are dropped after a timeout.
pub(crate) struct AsyncTimeout<'a, A> {
    machine: &'a A,
    timeout: Duration,
    timers: Sender<(Instant, Waker)>,
}

impl<'a, A: Machine> AsyncTimeout<'a, A> {
    pub(crate) fn new(machine: &'a A, timeout: Duration) -> Self {
        Self { machine, timeout, timers: spawn_timer() }
    }
}

/// Starts a thread that wakes a task at a given time. Timers of runtimes cannot be used, since the
/// runtime is not known.
fn spawn_timer() -> Sender<(Instant, Waker)> {
    let (timers, requests) = channel::<(Instant, Waker)>();
    thread::spawn(move || {
        let mut next: Option<(Instant, Waker)> = None;
        loop {
            // A later timer replaces an earlier one: only one step runs at a time.
            let received = match &next {
                None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((at, _)) => {
                    requests.recv_timeout(at.saturating_duration_since(Instant::now()))
                }
            };
            match received {
                Ok(timer) => next = Some(timer),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((_, waker)) = next.take() {
                        waker.wake();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    timers
}

impl<A: Machine> Machine for AsyncTimeout<'_, A> {
    type Session = A::Session;
    type Step = A::Step;

    fn command_names(&self) -> Vec<String> {
        self.machine.command_names()
    }

    fn command_index(&self, step: &A::Step) -> usize {
        self.machine.command_index(step)
    }

    async fn start(&self, tracing: Tracing) -> A::Session {
        self.machine.start(tracing).await
    }

    fn propose(
        &self,
        session: &A::Session,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<A::Step> {
        self.machine.propose(session, id, rng, allowed, blocked)
    }

    fn redraw(&self, session: &A::Session, step: &A::Step) -> Option<A::Step> {
        self.machine.redraw(session, step)
    }

    fn describe_arguments(&self, session: &A::Session, step: &A::Step) -> Vec<(String, String)> {
        self.machine.describe_arguments(session, step)
    }

    async fn run(&self, session: &mut A::Session, step: &mut A::Step) -> StepOutcome {
        let end = Instant::now() + self.timeout;
        let mut step_future = pin!(self.machine.run(session, step));
        poll_fn(|context| {
            if let Poll::Ready(outcome) = step_future.as_mut().poll(context) {
                return Poll::Ready(outcome);
            }
            if Instant::now() >= end {
                return Poll::Ready(StepOutcome::failed(Fault::timeout(self.timeout), None));
            }
            // If the timer thread is gone, the step has no timeout; it still ends by itself.
            let _ = self.timers.send((end, context.waker().clone()));
            Poll::Pending
        })
        .await
    }

    async fn end(&self, session: A::Session) {
        self.machine.end(session).await;
    }

    fn argument_count(&self, step: &A::Step) -> usize {
        self.machine.argument_count(step)
    }

    fn shrink_argument(&self, step: &A::Step, argument: usize, shrink_step: ShrinkStep) -> A::Step {
        self.machine.shrink_argument(step, argument, shrink_step)
    }

    fn reset_argument(&self, step: &A::Step, argument: usize, like: (&A::Step, usize)) -> A::Step {
        self.machine.reset_argument(step, argument, like)
    }

    fn describe_model(&self, session: &A::Session) -> String {
        self.machine.describe_model(session)
    }

    fn serialize_step(&self, step: &A::Step) -> String {
        self.machine.serialize_step(step)
    }

    fn parse_step(&self, line: &str) -> Option<A::Step> {
        self.machine.parse_step(line)
    }
}

//! A time limit for systems that are waited for.

use std::{
    future::poll_fn,
    pin::pin,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use crate::{Fault, FaultKind, Machine, StepOutcome, rng::Rng, step::ShrinkStep};

/// A machine whose steps are given up if they take too long.
pub(crate) struct Timed<'a, A> {
    machine: &'a A,
    limit: Duration,
    alarms: Sender<(Instant, Waker)>,
}

impl<'a, A: Machine> Timed<'a, A> {
    pub(crate) fn new(machine: &'a A, limit: Duration) -> Self {
        Self { machine, limit, alarms: clock() }
    }
}

/// A thread that wakes whoever asks for it. Runtimes have timers of their own, but not the same ones.
fn clock() -> Sender<(Instant, Waker)> {
    let (alarms, asked) = channel::<(Instant, Waker)>();
    thread::spawn(move || {
        let mut next: Option<(Instant, Waker)> = None;
        loop {
            // A later alarm replaces an earlier one: only one step runs at a time.
            let received = match &next {
                None => asked.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((at, _)) => asked.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match received {
                Ok(alarm) => next = Some(alarm),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((_, waker)) = next.take() {
                        waker.wake();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    alarms
}

impl<A: Machine> Machine for Timed<'_, A> {
    type Session = A::Session;
    type Step = A::Step;

    fn command_names(&self) -> Vec<String> {
        self.machine.command_names()
    }

    fn command_index(&self, step: &A::Step) -> usize {
        self.machine.command_index(step)
    }

    async fn start(&self, is_traced: bool) -> A::Session {
        self.machine.start(is_traced).await
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
        let end = Instant::now() + self.limit;
        let mut running = pin!(self.machine.run(session, step));
        poll_fn(|context| {
            if let Poll::Ready(outcome) = running.as_mut().poll(context) {
                return Poll::Ready(outcome);
            }
            if Instant::now() >= end {
                let detail = format!("it took longer than {:?}", self.limit);
                let fault = Fault::new(FaultKind::Timeout, "", detail);
                return Poll::Ready(StepOutcome::failed(fault, None));
            }
            // Without the clock the step would only end by itself.
            let _ = self.alarms.send((end, context.waker().clone()));
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

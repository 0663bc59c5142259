//! The timeout of asynchronous systems: a future that takes too long is dropped.

use std::{
    future::poll_fn,
    pin::pin,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use crate::{Fault, Phase, machine::Activity};

/// Limits how long futures take.
pub(crate) struct AsyncTimeout {
    limit: Duration,
    timers: Sender<(Instant, Waker)>,
}

impl AsyncTimeout {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, timers: spawn_timer() }
    }

    /// The result of `work`, unless one of its phases takes too long.
    pub(crate) async fn call<T>(
        &self,
        activity: &Activity,
        work: impl Future<Output = T>,
    ) -> Result<T, Fault> {
        let mut work = pin!(work);
        let (_, mut phase_number) = activity.now();
        let mut end = Instant::now() + self.limit;
        poll_fn(|context| {
            if let Poll::Ready(result) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(result));
            }
            let (phase, number) = activity.now();
            if number != phase_number {
                (phase_number, end) = (number, Instant::now() + self.limit);
            }
            if Instant::now() >= end {
                return Poll::Ready(Err(timed_out(self.limit, phase)));
            }
            // If the timer thread is gone, the work has no timeout; it still ends by itself.
            let _ = self.timers.send((end, context.waker().clone()));
            Poll::Pending
        })
        .await
    }
}

/// The fault of a call that took too long in this phase.
pub(crate) fn timed_out(limit: Duration, phase: Phase) -> Fault {
    let fault = Fault::timeout(limit);
    if phase == Phase::Step { fault } else { fault.during(phase.to_string()) }
}

/// Starts a thread that wakes tasks at given times. Timers of runtimes cannot be used, since the
/// runtime is not known.
fn spawn_timer() -> Sender<(Instant, Waker)> {
    let (timers, requests) = channel::<(Instant, Waker)>();
    thread::spawn(move || {
        // One time for each task. Sequences that run at the same time may share a task; each sets its timer
        // again whenever the task is polled, so the earliest is enough.
        let mut pending: Vec<(Instant, Waker)> = Vec::new();
        loop {
            let received = match pending.iter().map(|(at, _)| *at).min() {
                None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => requests.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match received {
                Ok((at, waker)) => {
                    match pending.iter_mut().find(|(_, known)| known.will_wake(&waker)) {
                        Some((known, _)) => *known = at.min(*known),
                        None => pending.push((at, waker)),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    for (_, waker) in pending.extract_if(.., |(at, _)| *at <= now) {
                        waker.wake();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    });
    timers
}

//! Ending what waits for a server as soon as the run is stopped or its time is over.

use std::time::{Duration, Instant};

use foolproof_stateful::StopSignal;
use tokio::{task::unconstrained, time::sleep};

/// How often the signal is looked at while a call waits. A call that is answered does not wait for it.
const INTERVAL: Duration = Duration::from_millis(20);

/// The result of `work`, unless the run is stopped or the deadline passes first. Then `work` is dropped.
pub(crate) async fn unless_stopped<T>(
    stop: &StopSignal,
    deadline: Option<Instant>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let stopped = async {
        while !stop.ends_everything() && deadline.is_none_or(|end| Instant::now() < end) {
            sleep(INTERVAL).await;
        }
    };
    tokio::select! {
        // An answer that is there counts, also after the signal.
        biased;
        done = work => Some(done),
        // A server that sends without a pause uses up what a task may do before others have their turn. What waits for the
        // end must not wait for that.
        () = unconstrained(stopped) => None,
    }
}

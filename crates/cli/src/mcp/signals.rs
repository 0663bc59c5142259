//! The signals that end a run: Ctrl-C, `SIGTERM`, `SIGHUP` and `SIGQUIT`, which are all the same to it.

use crate::exit::{Exit, INTERRUPT};

/// Waits for a signal, and returns how a run ends that it ends. If signals cannot be received, nothing interrupts the run.
#[cfg(unix)]
pub(super) async fn next() -> Exit {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ];
    let [interrupt, terminate, hangup, quit] = kinds.map(async |kind| {
        let Ok(mut signals) = signal(kind) else { return std::future::pending().await };
        signals.recv().await;
        Exit::Interrupted(u8::try_from(kind.as_raw_value()).unwrap_or(INTERRUPT))
    });
    tokio::select! {
        exit = interrupt => exit,
        exit = terminate => exit,
        exit = hangup => exit,
        exit = quit => exit,
    }
}

#[cfg(not(unix))]
pub(super) async fn next() -> Exit {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    Exit::Interrupted(INTERRUPT)
}

//! Sessions that are started ahead and closed behind, while others run: a server may take a second for each.

use std::{cell::RefCell, collections::VecDeque, sync::Arc};

use foolproof_stateful::StopSignal;
use tokio::task::JoinHandle;

use crate::{
    stop::unless_stopped,
    target::{SessionError, StartedSession, Target},
    wire::{Endpoint, Era},
};

/// How many sessions are started ahead.
const AHEAD: usize = 2;

/// How many sessions may be closing at a time.
const CLOSING: usize = 4;

/// Starts and ends sessions.
pub(crate) struct Pool {
    target: Arc<Target>,
    era: Era,
    /// How many sessions are started ahead.
    ahead: usize,
    /// Once it ends everything, sessions are killed instead of closed.
    stop: StopSignal,
    ready: RefCell<Option<StartedSession>>,
    starting: RefCell<VecDeque<JoinHandle<Result<StartedSession, SessionError>>>>,
    closing: RefCell<VecDeque<JoinHandle<()>>>,
}

impl Pool {
    /// A pool that has one session already. Nothing is started ahead of a command that resets the server, since that
    /// would reset it below sessions that still run; nor at a URL, where sessions may share their state.
    pub(crate) fn new(
        target: &Target,
        era: Era,
        first: Option<StartedSession>,
        stop: &StopSignal,
    ) -> Self {
        let is_process = matches!(target.endpoint, Endpoint::Command(_));
        let ahead = if is_process && target.reset_command.is_none() { AHEAD } else { 0 };
        Self {
            target: Arc::new(target.clone()),
            era,
            ahead,
            stop: stop.clone(),
            ready: RefCell::new(first),
            starting: RefCell::default(),
            closing: RefCell::default(),
        }
    }

    /// A fresh session.
    pub(crate) async fn start(&self) -> Result<StartedSession, SessionError> {
        let ready = self.ready.borrow_mut().take();
        let next = if ready.is_none() { self.starting.borrow_mut().pop_front() } else { None };
        self.start_ahead();
        match (ready, next) {
            (Some(ready), _) => Ok(ready),
            (None, Some(next)) => next.await.unwrap_or_else(|error| {
                Err(SessionError::Reset(format!("starting a session failed: {error}")))
            }),
            (None, None) => self.target.start(Some(self.era)).await,
        }
    }

    fn start_ahead(&self) {
        let mut starting = self.starting.borrow_mut();
        while starting.len() < self.ahead {
            let (target, era) = (Arc::clone(&self.target), self.era);
            starting.push_back(tokio::spawn(async move { target.start(Some(era)).await }));
        }
    }

    /// Ends a session.
    pub(crate) async fn close(&self, mut session: StartedSession) {
        if self.stop.ends_everything() {
            return;
        }
        let oldest = {
            let mut closing = self.closing.borrow_mut();
            closing.push_back(tokio::spawn(async move {
                session.connection.close().await;
            }));
            if closing.len() > CLOSING { closing.pop_front() } else { None }
        };
        if let Some(oldest) = oldest {
            self.closed(oldest).await;
        }
    }

    /// Waits until a session has been closed, or ends it if the run is stopped.
    async fn closed(&self, mut session: JoinHandle<()>) {
        // A session that cannot be closed was killed when it was dropped.
        if unless_stopped(&self.stop, None, &mut session).await.is_none() {
            session.abort();
            let _ = session.await;
        }
    }

    /// Ends all sessions that are left.
    pub(crate) async fn close_all(&self) {
        let ready = self.ready.borrow_mut().take();
        if let Some(ready) = ready {
            self.close(ready).await;
        }
        let starting = std::mem::take(&mut *self.starting.borrow_mut());
        for next in starting {
            // A session that nobody needs is not awaited: a task that is aborted drops it, which ends its process.
            next.abort();
            if let Ok(Ok(session)) = next.await {
                self.close(session).await;
            }
        }
        let closing = std::mem::take(&mut *self.closing.borrow_mut());
        for session in closing {
            self.closed(session).await;
        }
    }
}

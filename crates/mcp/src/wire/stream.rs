//! The transport of processes and pipes: one message a line in each direction.
//!
//! There is no task in the background: a request writes its message and reads until its answer is there.
//! While it waits it writes and reads at the same time, so that neither side can block the other. What
//! arrives between requests is read before the next one is sent.

use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    task::consume_budget,
    time::{Instant, sleep_until, timeout},
};

use super::{
    endpoint::{CommandEndpoint, Pipe},
    finding::FindingKind,
    limits::{Limits, after},
    lines::{Line, LineReader},
    log::Channel,
    outcome::{CallEnd, ExitStatus},
    process::Process,
    session::Session,
};

/// Answers to requests of the server are dropped, with a finding, while more than this is unsent.
const MOST_UNSENT: usize = 1024 * 1024;

/// How many messages are read at most when nothing is awaited.
const DRAINED_MESSAGES: usize = 256;

/// A caller that waits longer than this between requests is likely to find that something has arrived.
const PAUSE: Duration = Duration::from_micros(100);

/// How often a silent process is asked whether it has ended: usually its output ends first, but a child
/// of its own can hold it open.
const EXIT_CHECK: Duration = Duration::from_millis(250);

/// How long an answer is awaited after the process has ended, or after its input is gone.
const END_GRACE: Duration = Duration::from_millis(500);

/// How long the end of a process is awaited after its output has ended, within the limits of the request.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// A connection by lines.
pub(super) struct StreamTransport {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    lines: LineReader,
    outgoing: Vec<u8>,
    written: usize,
    needs_flush: bool,
    write_error: Option<io::Error>,
    has_ended: bool,
    /// Why reading failed, if it did.
    read_error: Option<io::Error>,
    process: Option<Process>,
    /// When the latest request ended.
    last_end: Instant,
}

impl StreamTransport {
    pub(super) fn over_pipe(pipe: Pipe) -> Self {
        Self {
            reader: pipe.reader,
            writer: Some(pipe.writer),
            lines: LineReader::default(),
            outgoing: Vec::new(),
            written: 0,
            needs_flush: false,
            write_error: None,
            has_ended: false,
            read_error: None,
            process: None,
            last_end: Instant::now(),
        }
    }

    pub(super) fn start(endpoint: &CommandEndpoint) -> io::Result<Self> {
        let (process, pipe) = Process::start(endpoint)?;
        Ok(Self { process: Some(process), ..Self::over_pipe(pipe) })
    }

    pub(super) fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    pub(super) fn stderr_tail(&self) -> String {
        self.process.as_ref().map(Process::stderr_tail).unwrap_or_default()
    }

    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.process.as_mut().and_then(Process::exit_status)
    }

    /// Reads what has arrived, without waiting. How the connection ended, if it has, which is known by this time.
    pub(super) async fn drain(&mut self, session: &mut Session, until: Instant) -> Option<CallEnd> {
        if self.has_ended {
            return Some(self.end_of_stream(false, until).await);
        }
        // The runtime learns what has arrived only when tasks yield. That costs a system call, so a
        // caller that goes on at once is spared it.
        if self.last_end.elapsed() > PAUSE {
            tokio::task::yield_now().await;
        }
        self.read_available(session).await;
        if self.has_ended { Some(self.end_of_stream(false, until).await) } else { None }
    }

    /// Sends a message and reads until it is answered.
    pub(super) async fn exchange(
        &mut self,
        session: &mut Session,
        message: &[u8],
        limits: Limits,
    ) -> Option<CallEnd> {
        let had_exited = self.process.as_ref().is_some_and(Process::is_known_to_have_ended);
        self.send(session, message);
        let mut end = self.read_until_answered(session, limits).await;
        if let Some(CallEnd::Crashed { request_sent, .. }) = &mut end {
            *request_sent &= !had_exited;
        }
        if end.is_none() {
            // What follows an answer at once belongs to its request.
            self.read_available(session).await;
        }
        self.last_end = Instant::now();
        end
    }

    /// Sends a message without waiting for anything; a later read writes what is left of it.
    pub(super) async fn notify(&mut self, session: &mut Session, message: &[u8]) {
        self.send(session, message);
        poll_fn(|context| {
            self.poll_write(context);
            Poll::Ready(())
        })
        .await;
    }

    /// Reads for a limited time, or until the stream ends.
    pub(super) async fn read_for(&mut self, session: &mut Session, limit: Duration) {
        let end = after(limit);
        while !self.has_ended && Instant::now() < end {
            consume_budget().await;
            let Some(line) = self.next_line(end).await else { return };
            self.handle(session, line);
        }
    }

    /// Closes the input of the server, reads what it still sends, and ends its process group.
    pub(super) async fn close(
        &mut self,
        session: &mut Session,
        limit: Duration,
    ) -> Option<ExitStatus> {
        let end = after(limit);
        if let Some(mut writer) = self.writer.take() {
            let _ = timeout(limit, writer.shutdown()).await;
        }
        let mut pause = Duration::from_millis(1);
        while !self.has_ended && Instant::now() < end {
            if self.exit_status().is_some() {
                self.read_available(session).await;
                break;
            }
            self.read_for(session, pause.min(end.saturating_duration_since(Instant::now()))).await;
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        let left = end.saturating_duration_since(Instant::now());
        match &mut self.process {
            Some(process) => process.end(left.max(limit / 4)).await,
            None => None,
        }
    }

    fn send(&mut self, session: &mut Session, message: &[u8]) {
        session.record_sent(Channel::Line, message);
        if self.written == self.outgoing.len() {
            self.outgoing.clear();
            self.written = 0;
        }
        self.outgoing.extend_from_slice(message);
        self.outgoing.push(b'\n');
    }

    async fn read_until_answered(
        &mut self,
        session: &mut Session,
        limits: Limits,
    ) -> Option<CallEnd> {
        let mut deadline = limits.deadline();
        let mut grace: Option<Instant> = None;
        loop {
            // Lines that are there already are read without waiting: a flood of them must not keep this task from hearing
            // that it is to end.
            consume_budget().await;
            let wake = grace.unwrap_or(deadline).min(deadline).min(Instant::now() + EXIT_CHECK);
            let received = self.next_line(wake).await;
            let was_silent = received.is_none();
            if let Some(line) = received {
                self.handle(session, line);
            }
            if session.is_answered() {
                return None;
            }
            if self.has_ended {
                return Some(self.end_of_stream(true, deadline).await);
            }
            if session.take_progress() {
                deadline = limits.deadline();
            }
            if grace.is_none() && was_silent && self.is_half_closed() {
                grace = Some(Instant::now() + END_GRACE);
            }
            let now = Instant::now();
            if grace.is_some_and(|grace| now >= grace) {
                return Some(self.end_of_stream(true, deadline).await);
            }
            if now >= deadline {
                return Some(CallEnd::TimedOut);
            }
        }
    }

    /// Whether an answer is unlikely, although the output is still open.
    fn is_half_closed(&mut self) -> bool {
        self.write_error.is_some() || self.exit_status().is_some()
    }

    /// The next line, or `None` at this time.
    async fn next_line(&mut self, wake: Instant) -> Option<Line> {
        let mut timer = pin!(sleep_until(wake));
        poll_fn(|context| {
            if let Poll::Ready(line) = self.poll_line(context) {
                return Poll::Ready(Some(line));
            }
            timer.as_mut().poll(context).map(|()| None)
        })
        .await
    }

    async fn read_available(&mut self, session: &mut Session) {
        for _ in 0..DRAINED_MESSAGES {
            let line = poll_fn(|context| match self.poll_line(context) {
                Poll::Ready(line) => Poll::Ready(Some(line)),
                Poll::Pending => Poll::Ready(None),
            });
            let Some(line) = line.await else { return };
            self.handle(session, line);
            if self.has_ended {
                return;
            }
        }
    }

    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<Line> {
        self.poll_write(context);
        self.lines.poll_line(context, Pin::new(&mut *self.reader))
    }

    fn poll_write(&mut self, context: &mut Context<'_>) {
        let Some(writer) = &mut self.writer else { return };
        if self.written == self.outgoing.len() && !self.needs_flush {
            return;
        }
        self.needs_flush = true;
        while self.written < self.outgoing.len() {
            let rest = &self.outgoing[self.written..];
            match Pin::new(&mut *writer).poll_write(context, rest) {
                Poll::Ready(Ok(count)) if count > 0 => self.written += count,
                Poll::Ready(Ok(_)) => return self.fail_write(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Err(error)) => return self.fail_write(error),
                Poll::Pending => return,
            }
        }
        match Pin::new(writer).poll_flush(context) {
            Poll::Ready(Ok(())) => self.needs_flush = false,
            Poll::Ready(Err(error)) => self.fail_write(error),
            Poll::Pending => {}
        }
    }

    fn fail_write(&mut self, error: io::Error) {
        self.written = self.outgoing.len();
        self.needs_flush = false;
        self.write_error.get_or_insert(error);
    }

    fn handle(&mut self, session: &mut Session, line: Line) {
        match line {
            Line::Whole(line) => session.receive(Channel::Line, self.lines.bytes(line)),
            Line::CutOff(line) => session.receive_cut_off(Channel::Line, self.lines.bytes(line)),
            Line::Oversized(message) => session.receive_oversized(Channel::Line, message),
            Line::End(error) => {
                self.has_ended = true;
                self.read_error = error;
            }
        }
        for reply in std::mem::take(&mut session.replies) {
            if self.outgoing.len() - self.written > MOST_UNSENT {
                session.found(FindingKind::UnreadAnswers, || {
                    format!("the server has not read {MOST_UNSENT} bytes that were sent to it")
                });
            } else {
                self.send(session, &reply);
            }
        }
    }

    /// How the connection ended, after its output did, or after its process did. The end of the process is awaited until
    /// `until` at most.
    async fn end_of_stream(&mut self, request_sent: bool, until: Instant) -> CallEnd {
        let status = match &mut self.process {
            None => None,
            Some(process) => {
                let left = until.saturating_duration_since(Instant::now());
                let status = process.wait(EXIT_GRACE.min(left)).await;
                process.finish_stderr().await;
                status
            }
        };
        if let Some(status) = status {
            return CallEnd::Crashed { status, request_sent };
        }
        let detail = if let Some(error) = &self.read_error {
            format!("the output of the server cannot be read: {error}")
        } else if self.has_ended {
            "the server closed its output".to_owned()
        } else if let Some(error) = &self.write_error {
            format!("the server does not read its input: {error}")
        } else {
            "the server ended".to_owned()
        };
        CallEnd::Closed { detail }
    }
}

//! The server over a pair of byte streams: one JSON-RPC message a line, in both directions.

use std::{collections::BTreeMap, io, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    task::{AbortHandle, JoinSet},
    time::sleep,
};

use super::{
    Ending, ExampleServer,
    dispatch::{self, Answer, Outcome},
    jsonrpc::{Message, Request},
    session::Session,
};

/// Serves one connection until the client closes it or the bug `crash` ends it.
pub(super) async fn serve<R, W>(server: &ExampleServer, reader: R, writer: W) -> io::Result<Ending>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    match serve_until_ended(server, reader, writer).await {
        // The client closed its end while an answer was being written.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Ending::Closed),
        ended => ended,
    }
}

async fn serve_until_ended<R, W>(server: &ExampleServer, reader: R, writer: W) -> io::Result<Ending>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut lines = BufReader::new(reader).split(b'\n');
    let session = server.new_session();
    let mut connection = Connection { server, session, writer, delayed: DelayedAnswers::default() };
    loop {
        tokio::select! {
            line = lines.next_segment() => match line? {
                None => return Ok(Ending::Closed),
                Some(line) => if let Some(ending) = connection.receive(&line).await? {
                    return Ok(ending);
                },
            },
            Some(answer) = connection.delayed.next() => connection.send(&answer).await?,
        }
    }
}

struct Connection<'s, W> {
    server: &'s ExampleServer,
    session: Session,
    writer: W,
    delayed: DelayedAnswers,
}

impl<W: AsyncWrite + Unpin> Connection<'_, W> {
    /// Handles one line; returns how the connection ends, if it does.
    async fn receive(&mut self, line: &[u8]) -> io::Result<Option<Ending>> {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        match Message::parse(line) {
            Err(rejection) => {
                self.send(&Answer::immediate(rejection.to_message())).await?;
            }
            Ok(Message::Request(request)) => return self.answer(&request).await,
            Ok(Message::Notification { method, params }) => {
                if method == "notifications/cancelled" {
                    self.delayed.cancel(params.get("requestId").unwrap_or(&Value::Null));
                }
            }
            Ok(Message::Response) => {}
        }
        Ok(None)
    }

    async fn answer(&mut self, request: &Request) -> io::Result<Option<Ending>> {
        let era = self.server.eras.of(request);
        match dispatch::respond(self.server, &self.session, era, request) {
            Outcome::Answer(answer) if answer.delay > Duration::ZERO => {
                self.delayed.add(&request.id, answer);
            }
            Outcome::Answer(answer) => self.send(&answer).await?,
            Outcome::Hang => {}
            Outcome::Crash(line) => {
                self.server.on_crash.call(&line);
                return Ok(Some(Ending::Crashed(line)));
            }
        }
        Ok(None)
    }

    async fn send(&mut self, answer: &Answer) -> io::Result<()> {
        if self.session.is_frozen() {
            return Ok(());
        }
        let mut text = String::new();
        if let Some(junk) = answer.junk {
            text.push_str(junk);
            text.push('\n');
        }
        text.push_str(&answer.message.to_string());
        text.push('\n');
        self.writer.write_all(text.as_bytes()).await?;
        self.writer.flush().await
    }
}

/// Answers that are held back.
#[derive(Default)]
struct DelayedAnswers {
    timers: JoinSet<Answer>,
    /// By the JSON text of the request's id.
    by_id: BTreeMap<String, AbortHandle>,
}

impl DelayedAnswers {
    fn add(&mut self, id: &Value, answer: Answer) {
        let timer = self.timers.spawn(async move {
            sleep(answer.delay).await;
            answer
        });
        self.by_id.insert(id.to_string(), timer);
    }

    /// Drops the answer to the request with this id, if it is held back.
    fn cancel(&mut self, id: &Value) {
        if let Some(timer) = self.by_id.remove(&id.to_string()) {
            timer.abort();
        }
    }

    /// The next answer whose delay is over, or `None` if no answer is held back.
    async fn next(&mut self) -> Option<Answer> {
        // Timers that were cancelled end with an error.
        while let Some(ended) = self.timers.join_next().await {
            if let Ok(answer) = ended {
                self.by_id.remove(&answer.message["id"].to_string());
                return Some(answer);
            }
        }
        None
    }
}

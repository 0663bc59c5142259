//! A small MCP server with realistic tools and deliberate bugs that can be switched on.
//!
//! It is what examples and tests of the tester run against, so it is written without an SDK and
//! without the code of the tester. Its ten tools keep tasks: `create_task`, `get_task`,
//! `update_task`, `delete_task`, `search_tasks`, `list_tasks`, `task_statistics`, `move_task`,
//! `set_reminder` and `delete_all_tasks`. Without [`Bugs`] it follows the protocol and its own
//! schemas, in both eras: the revisions with a handshake up to 2025-11-25, and the stateless revision
//! 2026-07-28.
//!
//! Ids of tasks look random and differ in every session, unless [`ExampleServer::with_seed`] sets
//! their seed.

use std::{
    convert::Infallible,
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};

mod arguments;
mod bugs;
mod calls;
mod dispatch;
mod http;
mod ids;
mod integer;
mod jsonrpc;
mod lines;
mod schemas;
mod session;
mod store;
mod tools;
mod versions;

pub use bugs::{Bug, Bugs, UnknownBug};
pub use versions::Eras;

use session::Session;

use crate::wire::{Endpoint, Pipe};

/// The example server. Clones share the numbering of sessions and nothing else.
///
/// ```
/// use foolproof_mcp::example_server::{Bugs, Ending, ExampleServer};
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let (client, server) = duplex(4096);
/// let (reader, writer) = split(server);
/// let server = ExampleServer::new(Bugs::none());
/// let served = tokio::spawn(async move { server.serve(reader, writer).await });
///
/// let (reader, mut writer) = split(client);
/// writer.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n").await?;
/// let line = BufReader::new(reader).lines().next_line().await?.unwrap();
/// let answer: serde_json::Value = serde_json::from_str(&line)?;
/// assert_eq!(answer["result"], serde_json::json!({}));
///
/// writer.shutdown().await?;
/// assert_eq!(served.await.unwrap()?, Ending::Closed);
/// # std::io::Result::Ok(())
/// # })?;
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Debug)]
pub struct ExampleServer {
    bugs: Bugs,
    eras: Eras,
    seed: u64,
    sessions: Arc<AtomicU64>,
    on_crash: CrashHook,
}

impl ExampleServer {
    /// The path of the HTTP endpoint.
    pub const HTTP_PATH: &str = http::PATH;

    /// The exit status of a process that ends by the bug `crash`. The library never ends the process:
    /// a program does that, in [`on_crash`](Self::on_crash) or when it sees [`Ending::Crashed`].
    pub const CRASH_STATUS: u8 = 101;

    /// A server with these bugs, for both eras.
    #[must_use]
    pub fn new(bugs: Bugs) -> Self {
        let on_crash = CrashHook(Arc::new(|_| {}));
        let sessions = Arc::new(AtomicU64::new(0));
        Self { bugs, eras: Eras::Both, seed: ids::fresh_seed(), sessions, on_crash }
    }

    /// The server, for these eras only.
    #[must_use]
    pub fn with_eras(mut self, eras: Eras) -> Self {
        self.eras = eras;
        self
    }

    /// The server, with ids that depend on `seed` and the number of the session alone.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The server, with a function that the bug `crash` calls before the connection ends, with the
    /// line that a process writes to its standard error.
    #[must_use]
    pub fn on_crash(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_crash = CrashHook(Arc::new(hook));
        self
    }

    /// Serves one connection, with one JSON-RPC message a line, until the client closes it or the bug
    /// `crash` ends it. Every connection is a session of its own, with no tasks at first.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> io::Result<Ending>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        lines::serve(self, reader, writer).await
    }

    /// The server as an endpoint in this process: every connection is a pipe to a task that serves it.
    ///
    /// ```
    /// use foolproof_mcp::{Settings, Target, example_server::{Bugs, ExampleServer}, run};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let target = Target::new(ExampleServer::new(Bugs::none()).endpoint());
    /// let settings = Settings { cases: 2, ..Settings::default() };
    /// let report = run(&target, &settings).await.unwrap();
    /// assert!(report.failures.is_empty(), "{report}");
    /// # });
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn endpoint(self) -> Endpoint {
        Endpoint::factory(move || {
            let server = self.clone();
            let (client, stream) = tokio::io::duplex(PIPE_BYTES);
            tokio::spawn(async move {
                let (reader, writer) = tokio::io::split(stream);
                // The client sees how the connection ends.
                let _ = server.serve(reader, writer).await;
            });
            Pipe::from(client)
        })
    }

    /// Serves streamable HTTP on [`HTTP_PATH`](Self::HTTP_PATH), with answers in JSON, until accepting
    /// fails; dropping the future ends every connection.
    ///
    /// In the handshake era each session (`Mcp-Session-Id`) has its own tasks; stateless requests
    /// share those of the server. The bug `frozen` freezes what shares the tasks, the bug `crash` ends
    /// the connection and its session, and the bug `junk` puts its line at the start of the body.
    pub async fn serve_http(&self, listener: TcpListener) -> io::Result<Infallible> {
        http::serve(self, listener).await
    }

    fn new_session(&self) -> Session {
        Session::new(self.next_seed())
    }

    fn next_seed(&self) -> u64 {
        ids::session_seed(self.seed, self.sessions.fetch_add(1, Ordering::Relaxed))
    }
}

/// How much a pipe to the server holds.
const PIPE_BYTES: usize = 64 * 1024;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client closed it.
    Closed,
    /// The bug `crash` ended it. The line is what a process writes to its standard error before it
    /// exits with [`ExampleServer::CRASH_STATUS`].
    Crashed(String),
}

/// What the bug `crash` calls.
#[derive(Clone)]
struct CrashHook(Arc<dyn Fn(&str) + Send + Sync>);

impl CrashHook {
    fn call(&self, line: &str) {
        (self.0)(line);
    }
}

impl fmt::Debug for CrashHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CrashHook")
    }
}

//! Endpoints: where a server is, and how a connection to it begins.
//!
//! Secrets (header values, tokens, values of variables) do not appear in the `Debug` output.

use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

use foolproof_live::{Isolation, SessionFolder};
use tokio::io::{AsyncRead, AsyncWrite, split};

use super::certificates::CaCertificates;

/// A server that can be connected to, as often as needed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Endpoint {
    /// A process that is started for every connection.
    Command(CommandEndpoint),
    /// A server that runs elsewhere.
    Url(UrlEndpoint),
    /// A server in this process.
    Factory(FactoryEndpoint),
}

impl Endpoint {
    /// A server in this process: `connect` starts it and returns the client's end of a pipe.
    ///
    /// ```
    /// use foolproof_mcp::wire::{Endpoint, Pipe};
    ///
    /// let endpoint = Endpoint::factory(|| {
    ///     let (client, server) = tokio::io::duplex(64 * 1024);
    ///     # drop(server);
    ///     // … `tokio::spawn` a task that serves `server` …
    ///     Pipe::from(client)
    /// });
    /// # drop(endpoint);
    /// ```
    #[must_use]
    pub fn factory(connect: impl Fn() -> Pipe + Send + Sync + 'static) -> Self {
        Self::Factory(FactoryEndpoint(Arc::new(connect)))
    }

    /// A program with arguments, in a minimal environment.
    #[must_use]
    pub fn command<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
        isolation: Isolation,
    ) -> Self {
        Self::Command(CommandEndpoint::new(program, args, isolation))
    }

    /// A URL without further headers.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url(UrlEndpoint { url: url.into(), ..UrlEndpoint::default() })
    }
}

impl From<CommandEndpoint> for Endpoint {
    fn from(command: CommandEndpoint) -> Self {
        Self::Command(command)
    }
}

impl From<UrlEndpoint> for Endpoint {
    fn from(url: UrlEndpoint) -> Self {
        Self::Url(url)
    }
}

/// A server that is a process, with JSON-RPC messages on its standard input and output.
///
/// Its environment is that of [`foolproof_live::environment`], and nothing else that is not named here.
///
/// ```
/// use foolproof_mcp::wire::{CommandEndpoint, Isolation, Launcher, Sandbox};
///
/// let launcher = Launcher::new("/usr/local/bin/foolproof");
/// let isolation = Isolation::Sandboxed(launcher, Sandbox::default());
/// let mut server = CommandEndpoint::new("node", ["server.js"], isolation);
/// server.env.insert("DATA".to_owned(), "{tmp}/data".to_owned());
/// ```
#[derive(Clone)]
pub struct CommandEndpoint {
    /// The program, searched in `PATH` if it has no slash.
    pub program: String,
    /// The arguments.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// The names of variables to inherit, if they are set.
    pub inherit: Vec<String>,
    /// The working folder; this process's own without it.
    pub cwd: Option<PathBuf>,
    /// How the process is kept apart from the machine.
    pub isolation: Isolation,
    /// The folder of the session; without one, the connection makes one.
    pub(crate) folder: Option<Arc<SessionFolder>>,
    /// Which of our variables the process gets beside those.
    pub(crate) environment: Environment,
}

/// Which of our variables a process gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    /// Those that programs cannot do without.
    Minimal,
    /// All of them: it is a command of the user's own.
    Whole,
}

impl CommandEndpoint {
    /// A program with arguments, in a minimal environment.
    #[must_use]
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
        isolation: Isolation,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            env: BTreeMap::new(),
            inherit: Vec::new(),
            cwd: None,
            isolation,
            folder: None,
            environment: Environment::Minimal,
        }
    }
}

impl fmt::Debug for CommandEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandEndpoint")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &self.env.keys())
            .field("inherit", &self.inherit)
            .field("cwd", &self.cwd)
            .field("isolation", &self.isolation)
            .finish_non_exhaustive()
    }
}

/// A server behind a URL, with the Streamable HTTP transport.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UrlEndpoint {
    /// The address of the MCP endpoint, `http` or `https`.
    pub url: String,
    /// Further headers of every request.
    pub headers: Vec<(String, String)>,
    /// The token for `Authorization: Bearer`.
    pub bearer_token: Option<String>,
    /// The certificates of a private authority, which is trusted beside the public ones.
    pub ca_certificates: Option<CaCertificates>,
}

impl fmt::Debug for UrlEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("UrlEndpoint")
            .field("url", &self.url)
            .field("headers", &headers)
            .field("bearer_token", &self.bearer_token.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
    }
}

/// A server in this process, made by [`Endpoint::factory`].
#[derive(Clone)]
pub struct FactoryEndpoint(Arc<dyn Fn() -> Pipe + Send + Sync>);

impl FactoryEndpoint {
    pub(super) fn connect(&self) -> Pipe {
        (self.0)()
    }
}

impl fmt::Debug for FactoryEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FactoryEndpoint")
    }
}

/// The client's end of a connection in this process: one message a line in each direction.
pub struct Pipe {
    /// What the server sends.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the server receives.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl<T: AsyncRead + AsyncWrite + Send + 'static> From<T> for Pipe {
    fn from(stream: T) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pipe")
    }
}

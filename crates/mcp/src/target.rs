//! The server under test: how a fresh session of it is made.
//!
//! `{tmp}` in a command, its variables, its folder, the reset command and the seeds stands for a folder that is
//! made for each session and removed after it.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use foolproof_live::{Confinement, Isolation, Preparation, SessionFolder};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;

use crate::{
    corpus::Seed,
    wire::{
        CommandEndpoint, ConnectOptions, Connection, Endpoint, Environment, Era, Pipe, Process,
        ProtocolChoice, StartError,
    },
};

/// What stands for the folder of a session.
pub const TMP: &str = "{tmp}";

/// How long a reset command may take.
const RESET_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a launcher may build a project.
const PREPARATION_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The most that is kept of what a command writes to standard output.
const MOST_OUTPUT: u64 = 16 * 1024 * 1024;

/// A server under test.
#[derive(Clone, Debug)]
pub struct Target {
    /// The server.
    pub endpoint: Endpoint,
    /// A command for the shell that runs before each session.
    pub reset_command: Option<String>,
    /// How connections are made.
    pub connect: ConnectOptions,
}

impl Target {
    /// A server that is reached so, with nothing to reset.
    #[must_use]
    pub fn new(endpoint: impl Into<Endpoint>) -> Self {
        Self { endpoint: endpoint.into(), reset_command: None, connect: ConnectOptions::default() }
    }

    /// Starts a session.
    pub(crate) async fn start(&self, era: Option<Era>) -> Result<StartedSession, SessionError> {
        let folder = Arc::new(SessionFolder::create().map_err(SessionError::Folder)?);
        let tmp = folder.path().display().to_string();
        if let Some(command) = &self.reset_command {
            self.reset(&command.replace(TMP, &tmp), &folder).await?;
        }
        let mut options = self.connect.clone();
        options.root = options.root.or_else(|| Some(folder.path().to_owned()));
        if let Some(era) = era {
            options.protocol = match era {
                Era::Handshake => ProtocolChoice::Handshake,
                Era::Stateless => ProtocolChoice::Stateless,
            };
        }
        let endpoint = self.endpoint_in(&folder);
        let connection = Connection::open(&endpoint, &options).await;
        let connection = connection.map_err(|error| SessionError::Start(Box::new(error)))?;
        Ok(StartedSession { connection, folder })
    }

    /// The endpoint of a session in the folder `tmp`.
    fn endpoint_in(&self, folder: &Arc<SessionFolder>) -> Endpoint {
        let Endpoint::Command(command) = &self.endpoint else { return self.endpoint.clone() };
        let tmp = folder.path().display().to_string();
        let replace = |text: &String| text.replace(TMP, &tmp);
        let env: BTreeMap<String, String> =
            command.env.iter().map(|(name, value)| (name.clone(), replace(value))).collect();
        let cwd =
            command.cwd.as_ref().map(|cwd| PathBuf::from(replace(&cwd.display().to_string())));
        Endpoint::Command(CommandEndpoint {
            program: replace(&command.program),
            args: command.args.iter().map(replace).collect(),
            env,
            inherit: command.inherit.clone(),
            cwd,
            isolation: command.isolation.clone(),
            folder: Some(Arc::clone(folder)),
            environment: command.environment,
        })
    }

    /// What keeps the server from harming this machine.
    #[must_use]
    pub fn confinement(&self) -> Confinement {
        match &self.endpoint {
            Endpoint::Factory(_) => Confinement::InProcess,
            Endpoint::Url(_) => Confinement::None("the server runs elsewhere".to_owned()),
            Endpoint::Command(command) => match &command.isolation {
                _ if is_container_engine(&command.program) => {
                    let engine = &command.program;
                    Confinement::None(format!("`{engine}` runs the server outside of it"))
                }
                Isolation::Sandboxed(_, sandbox) => Confinement::Sandboxed(sandbox.clone()),
                Isolation::Supervised(_) | Isolation::Unconfined => {
                    Confinement::None("the server may write wherever its user may".to_owned())
                }
            },
        }
    }

    /// What the command does to its project before it starts the server, if it runs in a sandbox that forbids it.
    #[must_use]
    pub fn preparation(&self) -> Option<Preparation> {
        let Endpoint::Command(command) = &self.endpoint else { return None };
        command.isolation.sandbox()?;
        Preparation::of(&command.program, &command.args, &self.working_folder())
    }

    /// The folder that the server works in, if it is a command.
    #[must_use]
    pub fn working_folder(&self) -> PathBuf {
        let own = std::env::current_dir().unwrap_or_default();
        match &self.endpoint {
            Endpoint::Command(CommandEndpoint { cwd: Some(cwd), .. }) => own.join(cwd),
            Endpoint::Command(_) | Endpoint::Url(_) | Endpoint::Factory(_) => own,
        }
    }

    /// This server with its project built, so that sessions find nothing left to do. It happens outside of the sandbox, with
    /// the environment of a session.
    pub(crate) async fn prepared(&self) -> Result<Self, SessionError> {
        let mut target = self.clone();
        let (Some(preparation), Endpoint::Command(command)) =
            (self.preparation(), &mut target.endpoint)
        else {
            return Ok(target);
        };
        let failed =
            |detail: String| SessionError::Preparation { command: preparation.to_string(), detail };
        let mut outside = command.clone();
        if let Isolation::Sandboxed(launcher, _) = &command.isolation {
            outside.isolation = Isolation::Supervised(launcher.clone());
        }
        // What the server is told is not for the build: a variable can change what it runs.
        (outside.env, outside.inherit) = (BTreeMap::new(), Vec::new());
        outside.program.clone_from(&preparation.program);
        outside.args.clone_from(&preparation.args);
        finished(&outside, PREPARATION_TIMEOUT).await.map_err(failed)?;
        if let (Some(args), Isolation::Sandboxed(_, sandbox)) =
            (&preparation.metadata, &mut command.isolation)
        {
            outside.args.clone_from(args);
            let metadata = finished(&outside, PREPARATION_TIMEOUT).await.map_err(failed)?;
            let metadata: Value = serde_json::from_str(&metadata).unwrap_or_default();
            let target = metadata["target_directory"].as_str().unwrap_or_default();
            let locks = Preparation::lock_files(Path::new(target));
            sandbox.writable.extend(locks);
        }
        Ok(target)
    }

    /// Runs the command that resets the server, confined as the server is. It is the user's own, so it gets their
    /// environment.
    async fn reset(&self, command: &str, folder: &Arc<SessionFolder>) -> Result<(), SessionError> {
        let isolation = match &self.endpoint {
            Endpoint::Command(command) => command.isolation.clone(),
            Endpoint::Url(_) | Endpoint::Factory(_) => Isolation::Unconfined,
        };
        let mut shell = CommandEndpoint::new(SHELL[0], [SHELL[1], command], isolation);
        shell.folder = Some(Arc::clone(folder));
        shell.environment = Environment::Whole;
        finished(&shell, RESET_TIMEOUT).await.map(drop).map_err(SessionError::Reset)
    }
}

/// Runs a command to its end, and returns what it wrote to standard output, or why it failed.
async fn finished(command: &CommandEndpoint, limit: Duration) -> Result<String, String> {
    let (mut process, pipe) = Process::start(command).map_err(|error| error.to_string())?;
    let Pipe { reader, writer } = pipe;
    drop(writer);
    // A command that writes much must not block, so it is read to its end.
    let output = tokio::spawn(async move {
        let (mut text, mut rest) = (Vec::new(), reader.take(MOST_OUTPUT));
        let _ = rest.read_to_end(&mut text).await;
        let _ = tokio::io::copy(&mut rest.into_inner(), &mut tokio::io::sink()).await;
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = process.wait(limit).await;
    process.end(Duration::ZERO).await;
    match status {
        Some(status) if status.code == Some(0) => Ok(output.await.unwrap_or_default()),
        Some(status) => {
            output.abort();
            let stderr = process.stderr_tail();
            let mut lines = stderr.lines().rev();
            let last = lines.find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("{status}: {last}"))
        }
        None => {
            output.abort();
            Err(format!("it takes longer than {limit:?}"))
        }
    }
}

/// A connection that is ready, with its folder.
#[derive(Debug)]
pub(crate) struct StartedSession {
    pub(crate) connection: Connection,
    folder: Arc<SessionFolder>,
}

impl StartedSession {
    /// The seeds of this session.
    pub(crate) fn seeds(&self, seeds: &[Seed]) -> Vec<Seed> {
        let tmp = self.tmp();
        seeds.iter().map(|seed| seed.replace(TMP, &tmp)).collect()
    }

    /// The folder of the session.
    pub(crate) fn tmp(&self) -> String {
        self.folder.path().display().to_string()
    }
}

/// Why a session could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Its folder could not be made.
    #[error("the folder of a session could not be made: {0}")]
    Folder(io::Error),
    /// The reset command failed.
    #[error("the reset command failed: {0}")]
    Reset(String),
    /// The project of the server could not be built.
    #[error("`{command}` failed, which runs before the first session: {detail}")]
    Preparation {
        /// What was run.
        command: String,
        /// How it failed.
        detail: String,
    },
    /// The server could not be started or reached.
    #[error("{0}")]
    Start(Box<StartError>),
}

/// The shell of the system, and its option for a command.
const SHELL: [&str; 2] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };

/// Whether a program starts servers through a service of the machine, which no sandbox of ours reaches.
fn is_container_engine(program: &str) -> bool {
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ["docker", "podman", "nerdctl", "finch"].contains(&name)
}

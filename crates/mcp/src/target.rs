//! The server under test: how a fresh session of it is made.
//!
//! `{tmp}` in a command, its variables, its folder, the reset command and the seeds stands for a folder that is
//! made for each session and removed after it.

use std::{collections::BTreeMap, io, path::PathBuf, process::Stdio, time::Duration};

use tempfile::TempDir;

use crate::{
    corpus::Seed,
    wire::{
        CommandEndpoint, ConnectOptions, Connection, Endpoint, Era, ProtocolChoice, StartError,
    },
};

/// What stands for the folder of a session.
pub const TMP: &str = "{tmp}";

/// How long a reset command may take.
const RESET_TIMEOUT: Duration = Duration::from_secs(60);

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
        let folder = TempDir::with_prefix("foolproof-mcp-").map_err(SessionError::Folder)?;
        let tmp = folder.path().display().to_string();
        if let Some(command) = &self.reset_command {
            reset(&command.replace(TMP, &tmp)).await?;
        }
        let mut options = self.connect.clone();
        options.root = options.root.or_else(|| Some(folder.path().to_owned()));
        if let Some(era) = era {
            options.protocol = match era {
                Era::Handshake => ProtocolChoice::Handshake,
                Era::Stateless => ProtocolChoice::Stateless,
            };
        }
        let endpoint = self.endpoint_in(&tmp);
        let connection = Connection::open(&endpoint, &options).await;
        let connection = connection.map_err(|error| SessionError::Start(Box::new(error)))?;
        Ok(StartedSession { connection, folder })
    }

    /// The endpoint of a session in the folder `tmp`.
    fn endpoint_in(&self, tmp: &str) -> Endpoint {
        let Endpoint::Command(command) = &self.endpoint else { return self.endpoint.clone() };
        let replace = |text: &String| text.replace(TMP, tmp);
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
        })
    }
}

/// A connection that is ready, with its folder.
#[derive(Debug)]
pub(crate) struct StartedSession {
    pub(crate) connection: Connection,
    folder: TempDir,
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
    /// The server could not be started or reached.
    #[error("{0}")]
    Start(Box<StartError>),
}

/// The shell of the system, and its option for a command.
const SHELL: [&str; 2] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };

async fn reset(command: &str) -> Result<(), SessionError> {
    let mut shell = tokio::process::Command::new(SHELL[0]);
    shell.arg(SHELL[1]).arg(command).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(RESET_TIMEOUT, shell.output()).await;
    let output = output
        .map_err(|_| SessionError::Reset(format!("it takes longer than {RESET_TIMEOUT:?}")))?
        .map_err(|error| SessionError::Reset(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(SessionError::Reset(format!("{}: {last}", output.status)))
}

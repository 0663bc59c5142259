//! How a connection is made and used.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use serde_json::Value;

use super::{log::LogLimits, revision::ProtocolChoice};

/// Gives the content for an elicitation from its `requestedSchema`; `None` declines.
pub type Elicit = dyn Fn(&Value) -> Option<Value> + Send + Sync;

/// How a connection is made and used.
///
/// ```
/// use std::{sync::Arc, time::Duration};
///
/// use foolproof_mcp::wire::{ConnectOptions, ProtocolChoice};
/// use serde_json::json;
///
/// let options = ConnectOptions {
///     protocol: ProtocolChoice::Handshake,
///     call_timeout: Duration::from_secs(5),
///     elicit: Some(Arc::new(|_schema| Some(json!({"confirmed": true})))),
///     ..ConnectOptions::default()
/// };
/// assert_eq!(options.start_timeout, Duration::from_secs(30));
/// ```
#[derive(Clone)]
pub struct ConnectOptions {
    /// Which era is used.
    pub protocol: ProtocolChoice,
    /// How long the answer to each of `server/discover` and `initialize` may take. With
    /// [`ProtocolChoice::Auto`], a server that ignores the probe costs this time once.
    pub start_timeout: Duration,
    /// How long a call may take. A progress notification for the call starts it again, up to three
    /// times this time in all.
    pub call_timeout: Duration,
    /// How long a process may take to end after its input is closed, and again after `SIGTERM`.
    pub close_timeout: Duration,
    /// The folder that is the only root; there is none without it.
    pub root: Option<PathBuf>,
    /// Answers elicitations. Without it they are declined.
    pub elicit: Option<Arc<Elicit>>,
    /// The text that answers `sampling/createMessage`.
    pub sampling_text: String,
    /// How often a call may require input in the stateless era.
    pub max_input_rounds: u32,
    /// How much the wire log keeps.
    pub log: LogLimits,
}

impl Default for ConnectOptions {
    /// [`ProtocolChoice::Auto`], 30 seconds to start and for each call.
    fn default() -> Self {
        Self {
            protocol: ProtocolChoice::Auto,
            start_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(1),
            root: None,
            elicit: None,
            sampling_text: "This is a fixed text.".to_owned(),
            max_input_rounds: 8,
            log: LogLimits::default(),
        }
    }
}

impl fmt::Debug for ConnectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectOptions")
            .field("protocol", &self.protocol)
            .field("start_timeout", &self.start_timeout)
            .field("call_timeout", &self.call_timeout)
            .field("close_timeout", &self.close_timeout)
            .field("root", &self.root)
            .field("elicit", &self.elicit.is_some())
            .field("sampling_text", &self.sampling_text)
            .field("max_input_rounds", &self.max_input_rounds)
            .field("log", &self.log)
            .finish()
    }
}

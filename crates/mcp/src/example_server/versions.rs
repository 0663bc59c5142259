//! The protocol revisions, and which of the two eras a request belongs to.

use serde_json::{Value, json};

use super::jsonrpc::{INVALID_PARAMS, Request, RpcError, UNSUPPORTED_VERSION};

/// The stateless revision.
pub(super) const STATELESS_VERSION: &str = "2026-07-28";

/// The revisions with a handshake, newest first. 2025-03-26 is not among them: it asks servers to
/// accept batches.
pub(super) const HANDSHAKE_VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2024-11-05"];

pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
pub(super) const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Which eras of the protocol a server answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eras {
    /// Both, at the same time.
    #[default]
    Both,
    /// Only revisions that start with `initialize`: 2025-11-25 and older.
    Handshake,
    /// Only the stateless revision 2026-07-28.
    Stateless,
}

/// The era of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Handshake,
    Stateless,
}

impl Eras {
    pub(super) fn contains(self, era: Era) -> bool {
        match self {
            Self::Both => true,
            Self::Handshake => era == Era::Handshake,
            Self::Stateless => era == Era::Stateless,
        }
    }

    /// The era of `request`. The fields of `_meta` decide; a request without them is of the handshake
    /// era, except `server/discover`, which that era does not have.
    pub(super) fn of(self, request: &Request) -> Era {
        let stateless = has_stateless_meta(request) || request.method == "server/discover";
        match self {
            Self::Both if stateless => Era::Stateless,
            Self::Both | Self::Handshake => Era::Handshake,
            Self::Stateless => Era::Stateless,
        }
    }
}

/// Whether `_meta` has a field that only stateless requests have.
pub(super) fn has_stateless_meta(request: &Request) -> bool {
    let meta = request.params.get("_meta").and_then(Value::as_object);
    meta.is_some_and(|meta| {
        [VERSION_KEY, CAPABILITIES_KEY, CLIENT_INFO_KEY].iter().any(|key| meta.contains_key(*key))
    })
}

/// The version in `_meta` of a stateless request, or why `_meta` is not valid.
pub(super) fn stateless_version(request: &Request) -> Result<&str, RpcError> {
    let missing = |key: &str, kind: &str| {
        RpcError::new(INVALID_PARAMS, format!("Invalid params: `_meta` must have {kind} `{key}`"))
    };
    let meta = request.params.get("_meta").unwrap_or(&Value::Null);
    let Some(version) = meta[VERSION_KEY].as_str() else {
        return Err(missing(VERSION_KEY, "a string"));
    };
    if !meta[CAPABILITIES_KEY].is_object() {
        return Err(missing(CAPABILITIES_KEY, "an object"));
    }
    Ok(version)
}

/// The error for a version that stateless requests cannot use.
pub(super) fn unsupported_version(requested: &str) -> RpcError {
    RpcError::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with_data(json!({ "supported": [STATELESS_VERSION], "requested": requested }))
}

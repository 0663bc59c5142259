//! The parameters of the requests that this client sends.

use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Map, Value};

use super::{
    input::{capabilities, client_info},
    revision::{Era, STATELESS},
};

/// The `_meta` of a request: the token for progress, and in the stateless era version, client and
/// capabilities.
pub(super) struct Meta {
    pub(super) era: Era,
    pub(super) progress_token: Option<u64>,
}

impl Meta {
    pub(super) fn is_empty(&self) -> bool {
        self.era == Era::Handshake && self.progress_token.is_none()
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut meta = serializer.serialize_map(None)?;
        if self.era == Era::Stateless {
            meta.serialize_entry("io.modelcontextprotocol/protocolVersion", STATELESS)?;
            meta.serialize_entry("io.modelcontextprotocol/clientInfo", &client_info())?;
            meta.serialize_entry("io.modelcontextprotocol/clientCapabilities", &capabilities())?;
        }
        if let Some(token) = self.progress_token {
            meta.serialize_entry("progressToken", &token)?;
        }
        meta.end()
    }
}

/// The parameters of `server/discover` and `tools/list`.
#[derive(Serialize)]
pub(super) struct ListParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Meta::is_empty")]
    pub(super) meta: Meta,
}

/// The parameters of `initialize`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitializeParams {
    pub(super) protocol_version: &'static str,
    pub(super) capabilities: Value,
    pub(super) client_info: Value,
}

/// The parameters of `tools/call`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallParams<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: &'a Value,
    /// Answers to what the last result required, by its keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_responses: Option<&'a Map<String, Value>>,
    /// What the last result gave, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request_state: Option<&'a Value>,
    #[serde(rename = "_meta")]
    pub(super) meta: Meta,
}

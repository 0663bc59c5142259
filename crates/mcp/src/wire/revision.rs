//! Revisions of the protocol, and the two eras they belong to.

use serde::Serialize;

/// The newest revision with a handshake; it is the one that `initialize` offers.
pub(super) const OFFERED: &str = "2025-11-25";

/// The stateless revision.
pub(super) const STATELESS: &str = "2026-07-28";

/// How a server and its clients agree on what they speak.
///
/// The era is a property of a server, so it is worth remembering: given back as a [`ProtocolChoice`],
/// it saves the probe.
///
/// ```
/// use foolproof_mcp::wire::{Era, ProtocolChoice};
///
/// assert_eq!(ProtocolChoice::from(Era::Handshake), ProtocolChoice::Handshake);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Era {
    /// A session begins with `initialize`: revisions 2024-11-05 to 2025-11-25.
    Handshake,
    /// Every request carries version and capabilities: revision 2026-07-28.
    Stateless,
}

/// Which era a connection uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// The stateless era if the server answers `server/discover`, and else the handshake, in a fresh
    /// connection: some servers refuse `initialize` after a probe, and some stop.
    #[default]
    Auto,
    /// The handshake, without a probe.
    Handshake,
    /// The stateless era; it is an error if the server does not answer `server/discover`.
    Stateless,
}

impl From<Era> for ProtocolChoice {
    fn from(era: Era) -> Self {
        match era {
            Era::Handshake => Self::Handshake,
            Era::Stateless => Self::Stateless,
        }
    }
}

/// A revision of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26, the only one with batches.
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28, the first stateless one.
    V2026_07_28,
    /// What a server answered, if it is none of the above.
    Unknown(String),
}

impl Revision {
    /// The revision of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "2024-11-05" => Self::V2024_11_05,
            "2025-03-26" => Self::V2025_03_26,
            "2025-06-18" => Self::V2025_06_18,
            OFFERED => Self::V2025_11_25,
            STATELESS => Self::V2026_07_28,
            other => Self::Unknown(other.to_owned()),
        }
    }

    /// The name, which is a date.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => OFFERED,
            Self::V2026_07_28 => STATELESS,
            Self::Unknown(name) => name,
        }
    }

    /// Whether a server may answer `initialize` with it.
    pub(super) fn has_handshake(&self) -> bool {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => true,
            Self::V2026_07_28 | Self::Unknown(_) => false,
        }
    }
}

//! What keeps the server from harming the machine, as reports have it.

use foolproof_contract::Untrusted;
use foolproof_live::{Confinement, Network};
use serde::{Deserialize, Serialize};

/// What keeps the server from harming the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SandboxReport {
    /// Whether a sandbox is in force.
    pub in_force: bool,
    /// What it is, in words.
    pub detail: Untrusted,
    /// What the server may write beside the folder of its session.
    #[serde(default)]
    pub writable: Vec<String>,
    /// Whether it may use TCP: `open` or `closed`.
    pub network: String,
}

impl From<&Confinement> for SandboxReport {
    fn from(confinement: &Confinement) -> Self {
        let (writable, network) = match confinement {
            Confinement::Sandboxed(sandbox) => {
                let paths = sandbox.writable.iter().map(|path| path.display().to_string());
                (paths.collect(), sandbox.network)
            }
            Confinement::InProcess | Confinement::None(_) => (Vec::new(), Network::Open),
        };
        let network = match network {
            Network::Open => "open",
            Network::NoTcp => "closed",
        };
        Self {
            in_force: confinement.is_in_force(),
            detail: confinement.to_string().into(),
            writable,
            network: network.to_owned(),
        }
    }
}

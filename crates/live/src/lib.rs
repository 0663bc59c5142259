//! Running a system under test so that it harms nobody and leaves nothing behind.
//!
//! A system under test is a stranger's program. It is started in a sandbox: it reads what it likes, and writes only below
//! the folder of its session and where its user allows it ([`Isolation`]). A launcher, which is another process of ours,
//! restricts it, stays as its supervisor and ends all of its descendants ([`launcher`]). Its environment is a minimal one,
//! whose folders are inside the folder of the session ([`environment`], [`SessionFolder`]).
//!
//! What it was given in confidence is masked wherever it shows up ([`Masks`]).
//!
//! What is absent here: what is said to the system, and what its answers mean.

mod caches;
pub mod environment;
mod isolation;
pub mod launcher;
mod masks;
mod preparation;
mod refusal;
mod session_folder;

pub use caches::Caches;
pub use isolation::{Confinement, Isolation, Launcher, Network, Sandbox, Support};
pub use launcher::LaunchRequest;
pub use masks::{MASK, Masks, SHORTEST_SECRET, is_secret_name};
pub use preparation::Preparation;
pub use refusal::refused_path;
pub use session_folder::{SessionFolder, remove_abandoned};

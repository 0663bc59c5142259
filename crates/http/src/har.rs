//! HTTP archives (HAR 1.2): requests out, recorded traffic in.

mod read;
mod write;

pub use read::{HarEntry, HarResponse, RecordedBody, read_har};
pub use write::to_har;

//! HTTP messages of OpenAPI operations: values become requests, and recorded traffic becomes values.
//!
//! - [`serialize`] and [`parse`]: one parameter as text and back, by its style.
//! - [`Form`]: urlencoded and multipart bodies, both ways.
//!
//! URLs are texts and are never normalised. Nothing here opens a connection, reads a file or looks at the
//! clock.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod escape;
mod field;
mod form;
mod json_text;
mod multipart;
mod parse;
mod scalar;
mod style;

pub use form::Form;
pub use multipart::MultipartBody;
pub use parse::parse;
pub use style::{NotTransmittable, serialize};

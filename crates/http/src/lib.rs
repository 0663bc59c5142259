//! HTTP messages of OpenAPI operations: values become requests, and recorded traffic becomes values.
//!
//! - [`serialize`] and [`parse`]: one parameter as text and back, by its style.
//! - [`Form`]: urlencoded and multipart bodies, both ways.
//! - [`build_request`]: the request of an operation with a value; [`to_curl`], [`to_hurl`] and [`to_har`]
//!   write it for other tools.
//! - [`Envelope`]: a value with the operation that it belongs to.
//! - [`read_har`], [`Router`] and [`TrafficReader`]: recorded traffic, the operation that it belongs to, and
//!   the values in it.
//! - [`is_secret_name`] and [`redact_request`]: whose values never enter a report.
//!
//! URLs are texts and are never normalised. Nothing here opens a connection, reads a file or looks at the
//! clock.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod base_url;
mod curl;
mod envelope;
mod error;
mod escape;
mod field;
mod form;
mod har;
mod hurl;
mod json_text;
mod message;
mod multipart;
mod parse;
mod request;
mod router;
mod scalar;
mod secrets;
mod sequence;
mod style;
mod traffic;

pub use curl::to_curl;
pub use envelope::{Envelope, EnvelopePart, read_envelopes};
pub use error::ReadError;
pub use form::Form;
pub use har::{HarEntry, HarResponse, RecordedBody, read_har, to_har};
pub use hurl::to_hurl;
pub use multipart::MultipartBody;
pub use parse::parse;
pub use request::{HttpRequest, RequestError, build_request};
pub use router::{RouteMatch, Router};
pub use secrets::{is_secret_name, redact_request};
pub use style::{NotTransmittable, serialize};
pub use traffic::{BodyState, Exchange, ObservedRequest, ObservedResponse, Traffic, TrafficReader};

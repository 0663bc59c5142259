//! Formats by construction.
//!
//! Every format of JSON Schema 2020-12 is known twice: as real-looking values, and as a regular
//! expression for a large part of it, which can be met with patterns and lengths. Neither promises
//! validity for every combination; the caller checks.

mod internet;
mod syntax;
mod time;

use super::{text, window::Window};
use crate::Source;

/// A format (JSON Schema 2020-12 Validation §7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    DateTime,
    Date,
    Time,
    Duration,
    Email,
    IdnEmail,
    Hostname,
    IdnHostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Iri,
    IriReference,
    Uuid,
    UriTemplate,
    JsonPointer,
    RelativeJsonPointer,
    Regex,
    /// Nothing is known of it, and nothing is asked.
    Unknown,
}

impl Format {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "date-time" => Self::DateTime,
            "date" => Self::Date,
            "time" => Self::Time,
            "duration" => Self::Duration,
            "email" => Self::Email,
            "idn-email" => Self::IdnEmail,
            "hostname" => Self::Hostname,
            "idn-hostname" => Self::IdnHostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "uri" => Self::Uri,
            "uri-reference" => Self::UriReference,
            "iri" => Self::Iri,
            "iri-reference" => Self::IriReference,
            "uuid" => Self::Uuid,
            "uri-template" => Self::UriTemplate,
            "json-pointer" => Self::JsonPointer,
            "relative-json-pointer" => Self::RelativeJsonPointer,
            "regex" => Self::Regex,
            _ => Self::Unknown,
        }
    }

    /// A value, in the window where that is easy.
    pub(super) fn draw(self, window: Window, source: &mut impl Source) -> Option<String> {
        Some(match self {
            Self::DateTime => time::date_time(source),
            Self::Date => time::date(source),
            Self::Time => time::time(source),
            Self::Duration => time::duration(source),
            Self::Email => internet::email(source),
            Self::IdnEmail => internet::idn_email(source),
            Self::Hostname => internet::hostname(source),
            Self::IdnHostname => internet::idn_hostname(source),
            Self::Ipv4 => internet::ipv4(source),
            Self::Ipv6 => internet::ipv6(source),
            Self::Uri => internet::uri(window, source),
            Self::UriReference => internet::uri_reference(window, source),
            Self::Iri => internet::iri(window, source),
            Self::IriReference => internet::iri_reference(window, source),
            Self::Uuid => syntax::uuid(source),
            Self::UriTemplate => syntax::uri_template(window, source),
            Self::JsonPointer => syntax::json_pointer(window, source),
            Self::RelativeJsonPointer => syntax::relative_json_pointer(window, source),
            Self::Regex => syntax::regex(source),
            Self::Unknown => return text::draw(window, source),
        })
    }

    /// A pattern for a large part of the format, anchored at both ends.
    pub(super) fn pattern(self) -> Option<String> {
        let inner = match self {
            Self::DateTime => format!("(?:{})T(?:{})", time::DATE, time::TIME),
            Self::Date => time::DATE.to_owned(),
            Self::Time => time::TIME.to_owned(),
            Self::Duration => time::DURATION.to_owned(),
            Self::Email | Self::IdnEmail => internet::email_pattern(),
            Self::Hostname | Self::IdnHostname => internet::hostname_pattern(),
            Self::Ipv4 => internet::IPV4.to_owned(),
            Self::Ipv6 => internet::IPV6.to_owned(),
            Self::Uri | Self::Iri => internet::uri_pattern(),
            Self::UriReference | Self::IriReference => internet::reference_pattern(),
            Self::Uuid => syntax::UUID.to_owned(),
            Self::UriTemplate => syntax::URI_TEMPLATE.to_owned(),
            Self::JsonPointer => syntax::JSON_POINTER.to_owned(),
            Self::RelativeJsonPointer => {
                format!("(?:0|[1-9][0-9]{{0,3}})(?:#|{})", syntax::JSON_POINTER)
            }
            Self::Regex => syntax::REGEX.to_owned(),
            Self::Unknown => return None,
        };
        Some(format!("^(?:{inner})$"))
    }
}

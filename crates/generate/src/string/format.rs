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

    /// Writes a value, in the window where that is easy, to `text`, which is empty; `false` if it would be too long.
    pub(super) fn draw(self, text: &mut String, window: Window, source: &mut impl Source) -> bool {
        match self {
            Self::DateTime => time::date_time(text, source),
            Self::Date => time::date(text, source),
            Self::Time => time::time(text, source),
            Self::Duration => time::duration(text, source),
            Self::Email => internet::email(text, source),
            Self::IdnEmail => internet::idn_email(text, source),
            Self::Hostname => internet::hostname(text, source),
            Self::IdnHostname => internet::idn_hostname(text, source),
            Self::Ipv4 => internet::ipv4(text, source),
            Self::Ipv6 => internet::ipv6(text, source),
            Self::Uri => internet::uri(text, window, source),
            Self::UriReference => internet::uri_reference(text, window, source),
            Self::Iri => internet::iri(text, window, source),
            Self::IriReference => internet::iri_reference(text, window, source),
            Self::Uuid => syntax::uuid(text, source),
            Self::UriTemplate => syntax::uri_template(text, window, source),
            Self::JsonPointer => syntax::json_pointer(text, window, source),
            Self::RelativeJsonPointer => syntax::relative_json_pointer(text, window, source),
            Self::Regex => syntax::regex(text, source),
            Self::Unknown => return text::draw(text, window, source),
        }
        true
    }

    /// About how many values are alike, as a power of two.
    pub(super) fn spread(self) -> u32 {
        match self {
            Self::Uuid | Self::Ipv6 => 64,
            Self::DateTime | Self::Ipv4 => 24,
            Self::Email | Self::IdnEmail | Self::Uri | Self::Iri => 16,
            Self::Date | Self::Time | Self::Duration | Self::Hostname | Self::IdnHostname => 12,
            Self::UriReference
            | Self::IriReference
            | Self::UriTemplate
            | Self::JsonPointer
            | Self::RelativeJsonPointer
            | Self::Regex => 6,
            // Text notes its own.
            Self::Unknown => 0,
        }
    }

    /// Whether the validator accepts every value that is drawn, so that it need not be asked about each. The oracle
    /// checks the whole instance in any case.
    pub(super) fn is_by_construction(self) -> bool {
        match self {
            Self::DateTime
            | Self::Date
            | Self::Time
            | Self::Duration
            | Self::Email
            | Self::Hostname
            | Self::Ipv4
            | Self::Ipv6
            | Self::Uri
            | Self::UriReference
            | Self::Uuid
            | Self::UriTemplate
            | Self::JsonPointer
            | Self::RelativeJsonPointer => true,
            Self::IdnEmail
            | Self::IdnHostname
            | Self::Iri
            | Self::IriReference
            | Self::Regex
            | Self::Unknown => false,
        }
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

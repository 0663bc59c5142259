//! Reads HTTP archives as browsers, proxies and test tools write them.
//!
//! Only what is needed is kept of an entry, and entries are converted one by one, so an archive needs little
//! more memory than its text and its bodies. What is absent or odd in an entry is left out; only text that
//! is not JSON, or not an archive, is an error.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::Value;

use crate::ReadError;

/// A request that was recorded, with its response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HarEntry {
    /// The method.
    pub method: String,
    /// The URL, as recorded.
    pub url: String,
    /// The headers, without the pseudo headers of HTTP/2.
    pub headers: Vec<(String, String)>,
    /// The cookies, where the archive lists them apart from the headers.
    pub cookies: Vec<(String, String)>,
    /// The body.
    pub body: RecordedBody,
    /// The response, if there was one.
    pub response: Option<HarResponse>,
}

/// A response that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HarResponse {
    /// The status.
    pub status: u16,
    /// The headers, without the pseudo headers of HTTP/2.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: RecordedBody,
}

/// What an archive knows of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedBody {
    /// There was none.
    Absent,
    /// There was one, but the archive does not have it.
    NotRecorded,
    /// Its bytes.
    Bytes {
        /// The media type, if it is known.
        media_type: Option<String>,
        /// The bytes, decoded.
        bytes: Vec<u8>,
    },
    /// The fields of a form.
    Fields {
        /// The media type, if it is known.
        media_type: Option<String>,
        /// Names and values, in their order.
        fields: Vec<(String, String)>,
    },
}

/// The entries of an archive.
///
/// ```
/// use foolproof_http::{ReadError, read_har};
///
/// let archive = r#"{ "log": { "entries": [{ "request": { "method": "GET", "url": "/a" } }] } }"#;
/// assert_eq!(read_har(archive.as_bytes()).unwrap()[0].method, "GET");
/// let error = read_har(b"{ \"log\":\n {").unwrap_err();
/// assert!(matches!(error, ReadError::Syntax { line: 2, .. }));
/// ```
pub fn read_har(text: &[u8]) -> Result<Vec<HarEntry>, ReadError> {
    // Some tools write a byte order mark.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let archive: Archive = match serde_json::from_slice(text) {
        Ok(archive) => archive,
        Err(error) if error.is_data() => return Err(ReadError::NotAnArchive),
        Err(error) => return Err(ReadError::syntax(&error)),
    };
    let entries = archive.log.and_then(|log| log.entries).ok_or(ReadError::NotAnArchive)?;
    Ok(entries.0)
}

#[derive(Deserialize)]
struct Archive {
    log: Option<Log>,
}

#[derive(Deserialize)]
struct Log {
    entries: Option<Entries>,
}

struct Entries(Vec<HarEntry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;
        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = Entries;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an array of entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = sequence.next_element::<RawEntry>()? {
                    entries.extend(self::entry(entry));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_seq(EntryVisitor)
    }
}

/// An entry whose request and response are not checked yet. Timings and the like are skipped.
struct RawEntry {
    request: Value,
    response: Value,
}

impl<'de> Deserialize<'de> for RawEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawVisitor;
        impl<'de> Visitor<'de> for RawVisitor {
            type Value = RawEntry;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an entry")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<RawEntry, A::Error> {
                let mut raw = RawEntry { request: Value::Null, response: Value::Null };
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "request" => raw.request = map.next_value()?,
                        "response" => raw.response = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(raw)
            }
        }
        deserializer.deserialize_map(RawVisitor)
    }
}

/// An entry without a request with a URL is of no use.
fn entry(raw: RawEntry) -> Option<HarEntry> {
    let RawEntry { mut request, response } = raw;
    let url = request.get("url")?.as_str()?.to_owned();
    let method = request.get("method").and_then(Value::as_str).unwrap_or("GET").to_owned();
    let (headers, cookies) = (pairs(&request["headers"]), pairs(&request["cookies"]));
    let size = number(&request["bodySize"]).max(content_length(&headers));
    let body = request_body(member(&mut request, "postData"), size, &headers);
    Some(HarEntry { method, url, headers, cookies, body, response: self::response(response) })
}

fn request_body(mut post: Value, size: i64, headers: &[(String, String)]) -> RecordedBody {
    let media_type = text(&post["mimeType"]).or_else(|| header(headers, "content-type"));
    let recorded = bytes(member(&mut post, "text"), &post["encoding"]);
    let fields: Vec<(String, String)> = pairs(&post["params"]);
    match recorded {
        Some(bytes) if !bytes.is_empty() => RecordedBody::Bytes { media_type, bytes },
        _ if !fields.is_empty() => RecordedBody::Fields { media_type, fields },
        _ if size > 0 => RecordedBody::NotRecorded,
        // An empty form is a body; of other media types nothing was sent.
        Some(bytes) if media_type.is_some() => RecordedBody::Bytes { media_type, bytes },
        _ => RecordedBody::Absent,
    }
}

fn response(mut response: Value) -> Option<HarResponse> {
    let status = u16::try_from(number(&response["status"])).ok().filter(|status| *status >= 100)?;
    let headers = pairs(&response["headers"]);
    let mut content = member(&mut response, "content");
    let media_type = header(&headers, "content-type").or_else(|| text(&content["mimeType"]));
    let size =
        number(&content["size"]).max(number(&response["bodySize"])).max(content_length(&headers));
    let body = match bytes(member(&mut content, "text"), &content["encoding"]) {
        Some(bytes) if !bytes.is_empty() => RecordedBody::Bytes { media_type, bytes },
        _ if matches!(status, 100..=199 | 204 | 304) => RecordedBody::Absent,
        _ if size > 0 => RecordedBody::NotRecorded,
        // Some tools leave out the text and the size together.
        None if media_type.is_some() && size < 0 => RecordedBody::NotRecorded,
        Some(_) | None => RecordedBody::Absent,
    };
    Some(HarResponse { status, headers, body })
}

/// The member `name`, moved out of its object, which is large.
fn member(object: &mut Value, name: &str) -> Value {
    object.get_mut(name).map_or(Value::Null, Value::take)
}

/// The bytes that an archive has as text; nothing if it is not text.
fn bytes(recorded: Value, encoding: &Value) -> Option<Vec<u8>> {
    let Value::String(text) = recorded else { return None };
    if encoding.as_str().is_some_and(|name| name.eq_ignore_ascii_case("base64")) {
        let compact: String = text.chars().filter(|it| !it.is_ascii_whitespace()).collect();
        return STANDARD.decode(compact).ok();
    }
    Some(text.into_bytes())
}

/// Objects with `name` and `value`. Pseudo headers start with a colon.
fn pairs(list: &Value) -> Vec<(String, String)> {
    let pair = |item: &Value| {
        let name = item.get("name")?.as_str()?;
        let value = item.get("value").and_then(Value::as_str).unwrap_or_default();
        (!name.starts_with(':')).then(|| (name.to_owned(), value.to_owned()))
    };
    list.as_array().into_iter().flatten().filter_map(pair).collect()
}

fn header(headers: &[(String, String)], wanted: &str) -> Option<String> {
    let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found.map(|(_, value)| value.clone())
}

fn content_length(headers: &[(String, String)]) -> i64 {
    header(headers, "content-length").and_then(|length| length.trim().parse().ok()).unwrap_or(-1)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A number that may be written as text or with a fraction; -1 if there is none.
fn number(value: &Value) -> i64 {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return -1,
    };
    let whole = text.split('.').next().unwrap_or_default();
    whole.parse().unwrap_or(-1)
}

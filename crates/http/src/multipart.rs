//! The syntax of `multipart/form-data` (RFC 7578).

use foolproof_contract::openapi::MediaKind;

/// A body in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultipartBody {
    /// The media type, with the boundary.
    pub media_type: String,
    /// The bytes.
    pub body: Vec<u8>,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Starts the boundaries that this module writes.
const BOUNDARY: &str = "foolproof-";

/// The parts as one body. The boundary depends on them alone.
pub(crate) fn write(parts: &[Part]) -> MultipartBody {
    let mut attempt: u64 = 0;
    let boundary = loop {
        let candidate = format!("{BOUNDARY}{:016x}", digest(parts, attempt));
        let is_free = |part: &Part| {
            !contains(&part.body, candidate.as_bytes()) && !part.name.contains(&candidate)
        };
        if parts.iter().all(is_free) {
            break candidate;
        }
        attempt += 1;
    };
    let mut body = Vec::new();
    for Part { name, content_type, body: content } in parts {
        let file = match content_type.as_deref().map(MediaKind::of) {
            // Servers treat a part as a file only if it has a file name.
            Some(MediaKind::Other) if !is_text(content_type.as_deref()) => "; filename=\"file\"",
            _ => "",
        };
        body.extend_from_slice(
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n")
                .as_bytes(),
        );
        if let Some(content_type) = content_type {
            body.extend_from_slice(format!("Content-Type: {content_type}\r\n").as_bytes());
        }
        body.extend_from_slice(b"\r\n");
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    MultipartBody { media_type: format!("multipart/form-data; boundary={boundary}"), body }
}

fn is_text(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|name| name.starts_with("text/"))
}

/// FNV-1a over the parts.
fn digest(parts: &[Part], attempt: u64) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = 0xcbf2_9ce4_8422_2325 ^ attempt;
    parts.iter().fold(start, |hash, part| {
        let hash = part.name.as_bytes().iter().fold(hash, step);
        part.body.iter().fold(hash, step)
    })
}

/// Whether the boundary is one of ours, so that a part without a media type is text.
pub(crate) fn is_our_own(media_type: &str) -> bool {
    boundary(media_type).is_some_and(|boundary| boundary.starts_with(BOUNDARY))
}

/// The `boundary` of a media type.
fn boundary(media_type: &str) -> Option<&str> {
    parameter(media_type, "boundary").filter(|boundary| !boundary.is_empty())
}

/// The parts of a body; nothing if it has no boundary.
pub(crate) fn read(body: &[u8], media_type: &str) -> Option<Vec<Part>> {
    let boundary = format!("--{}", boundary(media_type)?);
    let mut parts = Vec::new();
    let mut rest = after(body, boundary.as_bytes())?;
    let inner = format!("\r\n{boundary}");
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        // Blanks may follow a boundary.
        let start = rest.iter().position(|byte| *byte == b'\n')? + 1;
        let content = &rest[start..];
        // A part without headers or content may be directly followed by the next boundary.
        let end = find(content, inner.as_bytes())?;
        parts.extend(part(&content[..end]));
        rest = &content[end + inner.len()..];
    }
}

fn part(bytes: &[u8]) -> Option<Part> {
    let (head, body) = match find(bytes, b"\r\n\r\n") {
        Some(at) => (&bytes[..at], &bytes[at + 4..]),
        None => (bytes, &[][..]),
    };
    let head = String::from_utf8_lossy(head);
    let (mut name, mut content_type) = (None, None);
    for line in head.split("\r\n") {
        let Some((header, value)) = line.split_once(':') else { continue };
        if header.trim().eq_ignore_ascii_case("content-disposition") {
            name = parameter(value, "name").map(str::to_owned);
        } else if header.trim().eq_ignore_ascii_case("content-type") {
            content_type = Some(value.trim().to_owned());
        }
    }
    Some(Part { name: name?, content_type, body: body.to_vec() })
}

/// The parameter `key` of a header value such as `form-data; name="a"`.
fn parameter<'t>(value: &'t str, key: &str) -> Option<&'t str> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim();
        let (text, next) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => {
                let (text, next) = quoted.split_once('"')?;
                (text, next.trim_start().strip_prefix(';').unwrap_or(""))
            }
            None => {
                let (text, next) = after.split_once(';').unwrap_or((after, ""));
                (text.trim(), next)
            }
        };
        if name.eq_ignore_ascii_case(key) {
            return Some(text);
        }
        rest = next;
    }
}

fn after<'b>(bytes: &'b [u8], pattern: &[u8]) -> Option<&'b [u8]> {
    Some(&bytes[find(bytes, pattern)? + pattern.len()..])
}

fn contains(bytes: &[u8], pattern: &[u8]) -> bool {
    find(bytes, pattern).is_some()
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

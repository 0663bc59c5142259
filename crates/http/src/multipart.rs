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
    /// Whether it has a file name, without which servers do not treat a part as a file.
    pub(crate) is_file: bool,
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
    for Part { name, content_type, is_file, body: content } in parts {
        let is_other = content_type.as_deref().is_some_and(is_file_type);
        let file = if *is_file || is_other { "; filename=\"file\"" } else { "" };
        let usual = is_file.then(|| "application/octet-stream".to_owned());
        let content_type = content_type.clone().or(usual);
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

/// Whether a part of this media type is a file by itself.
fn is_file_type(media_type: &str) -> bool {
    MediaKind::of(media_type) == MediaKind::Other && !media_type.starts_with("text/")
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
    Some(Part {
        name: name?,
        content_type,
        is_file: head.contains("filename"),
        body: body.to_vec(),
    })
}

/// The parameter `key` of a header value such as `form-data; name="a"`.
fn parameter<'t>(value: &'t str, key: &str) -> Option<&'t str> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim();
        let (text, next) = if let Some(quoted) = after.trim_start().strip_prefix('"') {
            let (text, next) = quoted.split_once('"')?;
            (text, next.trim_start().strip_prefix(';').unwrap_or(""))
        } else {
            let (text, next) = after.split_once(';').unwrap_or((after, ""));
            (text.trim(), next)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_and_read() {
        let part = |name: &str, content_type: Option<&str>, is_file, body: &[u8]| Part {
            name: name.to_owned(),
            content_type: content_type.map(str::to_owned),
            is_file,
            body: body.to_vec(),
        };
        let parts = [
            part("text", None, false, b"a\r\nb"),
            part("json", Some("application/json"), false, b"{}"),
            part("file", Some("application/octet-stream"), true, b"--\0\xff"),
            part("", None, false, b""),
        ];
        let written = write(&parts);
        assert_eq!(read(&written.body, &written.media_type).unwrap(), parts);
        assert_eq!(write(&parts), written);
        assert!(is_our_own(&written.media_type) && !is_our_own("multipart/mixed; boundary=x"));
    }

    #[test]
    fn bodies_of_other_clients_are_read() {
        let body =
            b"preamble\r\n--x y \r\ncontent-disposition: form-data; filename=\"a;b\"; name=n\r\n\
            Content-Type: text/plain\r\n\r\n1\r\n--x y--\r\nepilogue";
        let parts = read(body, "multipart/form-data; charset=utf-8; Boundary=\"x y\"").unwrap();
        assert_eq!((parts[0].name.as_str(), parts[0].body.as_slice()), ("n", &b"1"[..]));
        assert_eq!(read(body, "multipart/form-data"), None);
        assert_eq!(read(b"", "multipart/form-data; boundary=x"), None);
        assert_eq!(read(b"--x--", "multipart/form-data; boundary=x"), Some(Vec::new()));
    }
}

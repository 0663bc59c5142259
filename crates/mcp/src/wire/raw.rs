//! Raw messages: bytes as they arrived, cut where they are too long to keep.
//!
//! A cut message keeps its first bytes, its length and a hash of the whole, so that two of them can be
//! compared without being kept. Nothing here interprets what it holds.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer, ser::SerializeStruct as _};

/// A message as it arrived, or its first bytes with the length and hash of the whole.
///
/// Serialized, it is an object with `text`; a cut one has `length` and `fnv1a64` too. Bytes that are
/// not UTF-8 appear in `text` as `\xNN`.
///
/// ```
/// use foolproof_mcp::wire::RawMessage;
///
/// let whole = RawMessage::new(b"{}\xff", 64);
/// assert_eq!((whole.text().as_ref(), whole.is_cut()), (r"{}\xff", false));
///
/// let cut = RawMessage::new(b"abcdef", 2);
/// assert_eq!((cut.text().as_ref(), cut.length(), cut.is_cut()), ("ab", 6, true));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RawMessage {
    bytes: Box<[u8]>,
    /// The length and hash of the whole, if it is cut.
    whole: Option<(u64, u64)>,
}

impl RawMessage {
    /// Keeps at most `limit` bytes of a message.
    #[must_use]
    pub fn new(bytes: &[u8], limit: usize) -> Self {
        if bytes.len() <= limit {
            return Self { bytes: bytes.into(), whole: None };
        }
        let mut hash = Fnv::default();
        hash.update(bytes);
        Self { bytes: bytes[..limit].into(), whole: Some((bytes.len() as u64, hash.value())) }
    }

    /// The bytes that were kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The kept bytes as text; bytes that are not UTF-8 are written as `\xNN`.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.bytes) {
            return Cow::Borrowed(text);
        }
        let mut text = String::with_capacity(self.bytes.len());
        for chunk in self.bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Cow::Owned(text)
    }

    /// The length of the whole message in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.whole.map_or(self.bytes.len() as u64, |(length, _)| length)
    }

    /// Whether the message is longer than what was kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.whole.is_some()
    }

    /// The 64-bit FNV-1a hash of the whole message, if it is cut.
    #[must_use]
    pub fn hash(&self) -> Option<u64> {
        self.whole.map(|(_, hash)| hash)
    }

    /// The same message with at most `limit` bytes kept.
    pub(super) fn shortened(&self, limit: usize) -> Self {
        match self.whole {
            Some(whole) => {
                let kept = self.bytes.len().min(limit);
                Self { bytes: self.bytes[..kept].into(), whole: Some(whole) }
            }
            None => Self::new(&self.bytes, limit),
        }
    }
}

impl fmt::Debug for RawMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())?;
        if self.is_cut() { write!(f, "… ({} bytes)", self.length()) } else { Ok(()) }
    }
}

impl Serialize for RawMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = if self.is_cut() { 3 } else { 1 };
        let mut object = serializer.serialize_struct("RawMessage", fields)?;
        object.serialize_field("text", &self.text())?;
        if let Some((length, hash)) = self.whole {
            object.serialize_field("length", &length)?;
            object.serialize_field("fnv1a64", &format!("{hash:016x}"))?;
        }
        object.end()
    }
}

/// A message of any length that is read and discarded, except for its first bytes.
#[derive(Default)]
pub(super) struct Capture {
    head: Vec<u8>,
    length: u64,
    hash: Fnv,
}

impl Capture {
    pub(super) fn push(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.length += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn finish(self) -> RawMessage {
        let is_cut = self.length > self.head.len() as u64;
        let whole = is_cut.then(|| (self.length, self.hash.value()));
        RawMessage { bytes: self.head.into(), whole }
    }
}

/// 64-bit FNV-1a (draft-eastlake-fnv): not cryptographic, and short enough to need no dependency.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn value(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Fnv::default();
        hash.update(b"foobar");
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_capture_equals_the_message_it_saw_in_parts() {
        let mut capture = Capture::default();
        for part in [&b"abc"[..], b"defg", b"h"] {
            capture.push(part, 5);
        }
        assert_eq!(capture.finish(), RawMessage::new(b"abcdefgh", 5));
    }
}

//! JSON Pointers (RFC 6901): where a value is inside a document.

use std::{
    borrow::Cow,
    fmt::{self, Write},
    str::FromStr,
    sync::Arc,
};

use serde_json::Value;

/// A syntactically valid JSON Pointer (RFC 6901).
///
/// A pointer says where a value is, not in which document; [`Location`](crate::Location)
/// adds the document.
///
/// ```
/// use foolproof_contract::Pointer;
///
/// let items = Pointer::root().key("items").key("a/b").index(0);
/// assert_eq!(items.to_string(), "/items/a~1b/0");
/// assert_eq!(items.to_fragment(), "#/items/a~1b/0");
/// assert_eq!("/items/a~1b/0".parse(), Ok(items));
/// assert!("items".parse::<Pointer>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(Arc<str>);

impl Pointer {
    /// The pointer to the whole document.
    #[must_use]
    pub fn root() -> Self {
        Self(Arc::from(""))
    }

    /// The pointer to member `name` of the object here.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        let mut text = String::with_capacity(self.0.len() + name.len() + 1);
        text.push_str(&self.0);
        push_segment(&mut text, name);
        Self(Arc::from(text))
    }

    /// The pointer to element `index` of the array here.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut text = String::with_capacity(self.0.len() + 4);
        text.push_str(&self.0);
        write!(text, "/{index}").expect("writing to a string cannot fail");
        Self(Arc::from(text))
    }

    /// This pointer with `rest` appended.
    #[must_use]
    pub fn join(&self, rest: &Self) -> Self {
        Self(Arc::from(format!("{}{}", self.0, rest.0)))
    }

    /// The pointer text, `""` for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this points at the whole document.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The pointer to the enclosing value, unless this is the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let cut = self.0.rfind('/')?;
        Some(Self(Arc::from(&self.0[..cut])))
    }

    /// The unescaped segments from the root down.
    pub fn segments(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(unescape)
    }

    /// Whether `self` is `other` or lies below it.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.strip_prefix(&*other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The pointer as a readable URI fragment, `#` for the root. Nothing is percent-encoded: this
    /// is what people read in reports, not an address to resolve.
    #[must_use]
    pub fn to_fragment(&self) -> String {
        format!("#{}", self.0)
    }

    /// The value here in `document`.
    #[must_use]
    pub fn resolve<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        document.pointer(&self.0)
    }
}

/// Appends `/` and the escaped `name`.
pub(crate) fn push_segment(text: &mut String, name: &str) {
    text.push('/');
    for character in name.chars() {
        match character {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            other => text.push(other),
        }
    }
}

fn unescape(segment: &str) -> Cow<'_, str> {
    if segment.contains('~') {
        Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(segment)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The text is not a JSON Pointer: it neither is empty nor starts with `/`, or it has a stray `~`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a JSON Pointer")]
pub struct InvalidPointer(String);

impl FromStr for Pointer {
    type Err = InvalidPointer;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let starts_well = text.is_empty() || text.starts_with('/');
        let escapes_well = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if starts_well && escapes_well {
            Ok(Self(Arc::from(text)))
        } else {
            Err(InvalidPointer(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn escaped_segments_resolve_to_the_value_they_name() {
        let document = json!({"a/b": {"~": [10, 20]}});
        let pointer = Pointer::root().key("a/b").key("~").index(1);
        assert_eq!(pointer.as_str(), "/a~1b/~0/1");
        assert_eq!(pointer.resolve(&document), Some(&json!(20)));
        assert_eq!(pointer.segments().collect::<Vec<_>>(), ["a/b", "~", "1"]);
    }

    #[test]
    fn within_respects_segment_borders() {
        let outer = Pointer::root().key("a");
        assert!(outer.key("b").is_within(&outer));
        assert!(outer.is_within(&outer));
        assert!(!Pointer::root().key("ab").is_within(&outer));
    }

    #[test]
    fn a_stray_tilde_is_rejected() {
        assert!("/a~2".parse::<Pointer>().is_err());
        assert!("/a~".parse::<Pointer>().is_err());
    }
}

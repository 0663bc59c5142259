//! Masks: no secret reaches a report, a file or a terminal.
//!
//! Text is masked before it is escaped for a medium or cut to a length, since both would hide a part of a secret from the
//! search. Servers echo what they were given in encodings of their own, so a secret is found in those too: percent-encoding,
//! escapes of JSON (also JSON inside JSON) and of XML, hexadecimal digits, Base64 at each of its three offsets.
//!
//! What is absent here: secrets that a server has from elsewhere. Nobody told us.

use std::{borrow::Cow, ops::Range};

use serde_json::Value;

mod encodings;
mod names;

pub use names::is_secret_name;

use encodings::View;

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// The shortest value that is masked: a shorter one would mask ordinary words.
pub const SHORTEST_SECRET: usize = 8;

/// The secrets of a run.
///
/// ```
/// use foolproof_live::Masks;
///
/// let mut masks = Masks::default();
/// masks.add_named("API_TOKEN", "abcd&efgh1234");
/// assert_eq!(masks.mask("token=abcd%26efgh1234&x=1"), "token=***&x=1");
/// assert_eq!(masks.mask("Basic OmFiY2QmZWZnaDEyMzQ="), "Basic O***=");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Masks {
    /// The longest first, since it may contain another one.
    secrets: Vec<Secret>,
    /// The names of values that look secret and are too short.
    short: Vec<String>,
}

#[derive(Clone, Debug)]
struct Secret {
    text: String,
    /// In lower-case hexadecimal digits.
    hex: String,
    /// What is certain of its Base64, at each of the three offsets.
    base64: [String; 3],
}

impl Masks {
    /// Adds a secret. `name` is what a warning calls it if it is too short.
    pub fn add(&mut self, name: &str, secret: &str) {
        if secret.is_empty() || self.secrets.iter().any(|known| known.text == secret) {
            return;
        }
        if secret.chars().count() < SHORTEST_SECRET {
            if !self.short.iter().any(|known| known == name) {
                self.short.push(name.to_owned());
            }
            return;
        }
        self.secrets.push(Secret {
            text: secret.to_owned(),
            hex: encodings::hex(secret),
            base64: [0, 1, 2].map(|offset| encodings::base64(secret, offset)),
        });
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
    }

    /// The names of values that look secret and are shorter than [`SHORTEST_SECRET`], so that they are not masked.
    pub fn too_short(&self) -> impl Iterator<Item = &str> {
        self.short.iter().map(String::as_str)
    }

    /// Whether there is nothing to mask.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// `text` without the secrets.
    #[must_use]
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // No encoding is shorter than the secret.
        if self.secrets.iter().all(|secret| least_part(&secret.text) > text.len()) {
            return Cow::Borrowed(text);
        }
        let mut spans = Vec::new();
        View::each(text, |view| {
            for secret in &self.secrets {
                spans.extend(view.find(&secret.text));
                spans.extend(view.cut_off(&secret.text, least_part(&secret.text)));
            }
        });
        let flat = View::flat(text);
        let lower = flat.map_bytes(|byte| byte.to_ascii_lowercase());
        let standard = flat.map_bytes(encodings::standard_base64);
        for secret in &self.secrets {
            spans.extend(lower.find(&secret.hex));
            for core in &secret.base64 {
                spans.extend(standard.find(core).map(|span| encodings::widened(text, &span)));
            }
        }
        if spans.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, spans)) }
    }

    /// `value` without the secrets: in keys, in strings, and in numbers whose digits are one.
    #[must_use]
    pub fn mask_value(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.mask(&text).into_owned()),
            Value::Number(number) => {
                let text = number.to_string();
                match self.mask(&text) {
                    Cow::Borrowed(_) => Value::Number(number),
                    Cow::Owned(masked) => Value::String(masked),
                }
            }
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.mask_value(item)).collect())
            }
            Value::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(key, member)| (self.mask(&key).into_owned(), self.mask_value(member)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) => value,
        }
    }
}

/// The fewest bytes at the beginning or the end of a text that are taken for a part of `secret` that was cut off there: logs
/// and streams are kept up to a length.
fn least_part(secret: &str) -> usize {
    (secret.len() / 2 + 1).max(SHORTEST_SECRET / 2)
}

/// `text` with the mask in the place of each span. Spans that overlap or touch are one.
fn replaced(text: &str, mut spans: Vec<Range<usize>>) -> String {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    let mut is_first = true;
    for span in spans {
        if is_first || span.start > end {
            masked.push_str(&text[end..span.start]);
            masked.push_str(MASK);
            is_first = false;
        }
        end = end.max(span.end);
    }
    masked.push_str(&text[end..]);
    masked
}

#[cfg(test)]
mod tests {
    use base64::{
        Engine as _,
        engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
    };
    use serde_json::json;

    use super::*;

    const SECRET: &str = "abcd&efg \"h'é/12~34";

    fn masks() -> Masks {
        let mut masks = Masks::default();
        masks.add("TOKEN", SECRET);
        masks
    }

    /// Ways in which a server may echo it.
    fn echoes() -> Vec<String> {
        let json = |text: &str| serde_json::to_string(text).unwrap();
        let ascii = |text: &str| text.replace('é', "\\u00e9");
        let percent = |is_kept: fn(u8) -> bool| -> String {
            let encode = |byte: u8| {
                if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            };
            SECRET.bytes().map(encode).collect()
        };
        let hex = encodings::hex(SECRET);
        let xml = SECRET.replace('&', "&amp;").replace('"', "&quot;").replace('\'', "&#39;");
        let wrapped = |text: &str| {
            let (first, second) = text.split_at(9);
            format!("{first}\n{second}")
        };
        vec![
            SECRET.to_owned(),
            json(SECRET),
            json(&json(SECRET)),
            json(&json(&json(SECRET))),
            ascii(&json(SECRET)),
            ascii(&json(SECRET)).replace('&', "\\u0026").replace('/', "\\/"),
            percent(|byte| byte.is_ascii_alphanumeric()),
            percent(|byte| byte.is_ascii_alphanumeric()).to_lowercase().replace("%20", "+"),
            percent(|_| false),
            json(&percent(|byte| byte.is_ascii_alphanumeric() || byte == b'"')),
            xml.clone(),
            xml.replace("&#39;", "&apos;").replace("&quot;", "&#x22;"),
            hex.to_uppercase(),
            wrapped(&hex),
            hex,
            STANDARD.encode(SECRET),
            STANDARD.encode(format!("u{SECRET}")),
            STANDARD.encode(format!("us{SECRET}er")),
            STANDARD.encode(format!("user:{SECRET}")),
            URL_SAFE_NO_PAD.encode(format!("~?{SECRET}??>>")),
            wrapped(&STANDARD.encode(SECRET)),
        ]
    }

    #[test]
    fn a_secret_is_found_in_every_encoding() {
        let masks = masks();
        for echo in echoes() {
            let text = format!("before {echo} after");
            let masked = masks.mask(&text);
            assert!(!masked.contains(&echo), "{masked}");
            assert!(masked.contains(MASK), "{echo}: {masked}");
            assert!(masked.starts_with("before ") && masked.ends_with(" after"), "{masked}");
            // At most the characters of Base64 and of quotes around it are left.
            assert!(masked.len() <= "before *** after".len() + 18, "{echo}: {masked}");
            for part in ["efg", "h'", "12~34"] {
                assert!(!masked.contains(part), "{echo}: {masked}");
            }
        }
    }

    #[test]
    fn values_are_masked_in_keys_strings_and_numbers() {
        let mut masks = masks();
        masks.add("PIN", "12345678");
        let value = json!({ SECRET: [format!("x{SECRET}"), 12_345_678, 1234, null, true] });
        let masked = masks.mask_value(value);
        assert_eq!(masked, json!({ "***": ["x***", "***", 1234, null, true] }));
    }

    #[test]
    fn text_without_a_secret_stays_as_it_is() {
        let masks = masks();
        for text in
            ["", "abcd", "100 % \\u00e9 \\ &amp; %zz %4", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="]
        {
            assert!(matches!(masks.mask(text), Cow::Borrowed(_)), "{text}");
        }
        assert!(matches!(Masks::default().mask("anything"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_secret_that_was_cut_is_masked() {
        let masks = masks();
        assert_eq!(masks.mask("see abcd&efg \"h'é"), "see ***");
        assert_eq!(masks.mask("g \"h'é/12~34 seen"), "*** seen");
        assert_eq!(masks.mask("see abcd&e"), "see abcd&e");
        assert_eq!(masks.mask("see abcd%26efg%20%22h'"), "see ***");
    }

    #[test]
    fn a_short_secret_is_named_and_not_masked() {
        let mut masks = Masks::default();
        masks.add("PIN", "1234");
        masks.add("PIN", "5678");
        masks.add("EMPTY", "");
        assert_eq!(masks.too_short().collect::<Vec<_>>(), ["PIN"]);
        assert_eq!(masks.mask("1234"), "1234");
    }

    #[test]
    fn a_secret_in_another_one_leaves_nothing_of_either() {
        let mut masks = Masks::default();
        masks.add("a", "password");
        masks.add("b", "my-password-is-long");
        assert_eq!(masks.mask("my-password-is-long, password"), "***, ***");
        assert_eq!(masks.mask("passwordpassword"), "***");
    }
}

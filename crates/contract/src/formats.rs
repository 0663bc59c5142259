//! How short and how long the strings of a format can be.
//!
//! The validator accepts no string whose length is outside of these limits. They are conservative: where the
//! validator is more generous than the specification of a format, they follow the validator, and where
//! nothing is certain there is no limit. A format that a draft does not assert has none either.

use std::ops::RangeInclusive;

use crate::Draft;

/// The lengths that a string of `format` can have under `draft`, in characters, if formats are asserted.
///
/// ```
/// use foolproof_contract::{Draft, format_lengths};
///
/// assert_eq!(format_lengths(Draft::Draft202012, "uuid"), 36..=36);
/// // Draft 4 does not know the format, so it restricts nothing.
/// assert_eq!(format_lengths(Draft::Draft4, "uuid"), 0..=u64::MAX);
/// ```
#[must_use]
pub fn format_lengths(draft: Draft, format: &str) -> RangeInclusive<u64> {
    const NO_LIMIT: u64 = u64::MAX;
    match format {
        // `2026-01-31` (RFC 3339 §5.6, as all three).
        "date" => 10..=10,
        // `2026-01-31T23:59:59Z`. A fraction of a second may have any number of digits.
        "date-time" => 20..=NO_LIMIT,
        // `23:59:59Z`.
        "time" => 9..=NO_LIMIT,
        // `P1D` (RFC 3339 appendix A).
        "duration" if draft >= Draft::Draft201909 => 3..=NO_LIMIT,
        // `a@b` (RFC 5321 §4.1.2). The validator admits a name before the address, of any length.
        "email" | "idn-email" => 3..=NO_LIMIT,
        // RFC 1123 §2.1.
        "hostname" => 1..=253,
        // `0.0.0.0` to `255.255.255.255` (RFC 2673 §3.2).
        "ipv4" => 7..=15,
        // `::` to an address that ends with one of IPv4 (RFC 4291 §2.2).
        "ipv6" => 2..=45,
        // A scheme of one letter, and nothing after it: `a:` (RFC 3986 §3).
        "uri" => 2..=NO_LIMIT,
        "iri" if draft >= Draft::Draft7 => 2..=NO_LIMIT,
        // RFC 4122 §3.
        "uuid" if draft >= Draft::Draft201909 => 36..=36,
        // A name of one letter; the number of levels up.
        "idn-hostname" | "relative-json-pointer" if draft >= Draft::Draft7 => 1..=NO_LIMIT,
        _ => 0..=NO_LIMIT,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Document, FormatPolicy, Oracle, ReadOptions};

    const FORMATS: [&str; 19] = [
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "iri",
        "uri-reference",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
    ];

    fn oracle(draft: Draft, format: &str) -> Oracle {
        let options = ReadOptions::default().draft(draft);
        let document = Document::from_value_with(json!({ "format": format }), &options).unwrap();
        Oracle::new(&document, FormatPolicy::Assert).unwrap()
    }

    #[test]
    fn no_short_string_is_below_the_least_length() {
        let letters: Vec<char> = "aA0:.-_/@P1DZT%[]<>\" é".chars().collect();
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..2 {
            let longer =
                last.iter().flat_map(|text| letters.iter().map(move |it| format!("{text}{it}")));
            last = longer.collect();
            texts.extend(last.iter().cloned());
        }
        for draft in Draft::ALL {
            for format in FORMATS {
                let (oracle, lengths) = (oracle(draft, format), format_lengths(draft, format));
                for text in &texts {
                    let length = text.chars().count() as u64;
                    let is_valid = oracle.is_valid(&Value::from(text.as_str()));
                    assert!(!is_valid || lengths.contains(&length), "{draft} {format}: {text:?}");
                }
            }
        }
    }

    #[test]
    fn strings_at_the_limits_are_valid() {
        let longest_name = format!("{}.{}", vec!["a".repeat(63); 3].join("."), "a".repeat(61));
        let cases = [
            ("date", "2026-01-31"),
            ("date-time", "2026-01-31T23:59:59Z"),
            ("time", "23:59:59Z"),
            ("duration", "P1D"),
            ("email", "a@b"),
            ("idn-email", "a@b"),
            ("hostname", "a"),
            ("hostname", longest_name.as_str()),
            ("idn-hostname", "a"),
            ("ipv4", "0.0.0.0"),
            ("ipv4", "255.255.255.255"),
            ("ipv6", "::"),
            ("ipv6", "0000:0000:0000:0000:0000:0000:255.255.255.255"),
            ("uri", "a:"),
            ("iri", "a:"),
            ("uuid", "00000000-0000-4000-8000-000000000000"),
            ("relative-json-pointer", "0"),
        ];
        for (format, text) in cases {
            let is_valid = oracle(Draft::Draft202012, format).is_valid(&Value::from(text));
            assert!(is_valid, "{format}: {text:?}");
            let lengths = format_lengths(Draft::Draft202012, format);
            let length = text.chars().count() as u64;
            assert!(length == *lengths.start() || length == *lengths.end(), "{format}: {text:?}");
        }
    }

    #[test]
    fn a_format_that_a_draft_does_not_assert_has_no_limits() {
        for draft in Draft::ALL {
            for format in FORMATS {
                let is_asserted = !oracle(draft, format).is_valid(&json!("\\ %\"<{"));
                let is_limited = format_lengths(draft, format) != (0..=u64::MAX);
                assert!(is_asserted || !is_limited, "{draft} {format}");
            }
        }
    }
}

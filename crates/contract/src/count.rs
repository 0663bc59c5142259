//! Counts: lengths and numbers of items, as `minLength` and its kind write them.

use serde_json::Number;

/// The count that `number` is, in any notation: `3`, `3.0` and `3e0` are one. Nothing if it has a
/// fraction, is negative, or is beyond `u64`.
///
/// ```
/// use foolproof_contract::count;
///
/// let read = |text: &str| count(&text.parse().unwrap());
/// assert_eq!((read("3"), read("3.0"), read("1e3")), (Some(3), Some(3), Some(1000)));
/// assert_eq!((read("2.5"), read("-1"), read("1e30")), (None, None, None));
/// ```
#[must_use]
pub fn count(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0)?;
        format!("{float:.0}").parse().ok()
    })
}

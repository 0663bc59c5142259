//! Integers of JSON Schema: any number without a fractional part, however it is written and however
//! large it is.

use serde_json::Number;

/// The value of `number` if it is integral; values beyond the range of `i128` become its nearest
/// bound.
pub(super) fn integer(number: &Number) -> Option<i128> {
    let text = number.to_string();
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let significant = digits.trim_end_matches('0');
    let removed = digits.len() - significant.len();
    let exponent = parse_exponent(exponent) + length(removed) - length(fraction.len());
    if exponent < 0 {
        return None;
    }
    let magnitude = magnitude(significant, exponent);
    Some(if negative { -magnitude } else { magnitude })
}

/// Far from the bounds of `i64`, so that lengths of texts can be added.
fn parse_exponent(text: &str) -> i64 {
    const BOUND: i64 = i64::MAX / 4;
    let saturated = if text.starts_with('-') { -BOUND } else { BOUND };
    text.parse().map_or(saturated, |exponent: i64| exponent.clamp(-BOUND, BOUND))
}

fn magnitude(significant: &str, exponent: i64) -> i128 {
    let exact = || {
        let power = 10i128.checked_pow(u32::try_from(exponent).ok()?)?;
        significant.parse::<i128>().ok()?.checked_mul(power)
    };
    exact().unwrap_or(i128::MAX)
}

fn length(length: usize) -> i64 {
    i64::try_from(length).expect("a text in memory has fewer than 2⁶³ bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_recognised_however_they_are_written() {
        let cases = [
            ("0", Some(0)),
            ("-7", Some(-7)),
            ("3.0", Some(3)),
            ("-0.0", Some(0)),
            ("1e3", Some(1000)),
            ("1.25E+2", Some(125)),
            ("120e-1", Some(12)),
            ("0e-5", Some(0)),
            ("2.5", None),
            ("1e-1", None),
            ("1e99999999999999999999", Some(i128::MAX)),
            ("-1e400", Some(-i128::MAX)),
            ("1e-99999999999999999999", None),
            ("99999999999999999999999999999999999999999999", Some(i128::MAX)),
        ];
        for (text, expected) in cases {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(integer(&number), expected, "{text}");
        }
    }
}

//! Scalars as text, and back.

use foolproof_contract::{JsonType, TypeSet};
use serde_json::{Number, Value};

/// The text of a scalar; numbers as they are written. `None` for null, arrays and objects.
pub(crate) fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value that a text stands for: a number, a boolean or a string, in this order, among what is
/// admitted. A text that is none of what is admitted is a string, or a number if strings are not.
pub(crate) fn from_text(text: &str, types: TypeSet) -> Value {
    let number = || number(text);
    let boolean = || match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    };
    if types.overlaps(TypeSet::NUMBER)
        && let Some(number) = number()
    {
        return number;
    }
    if types.contains(JsonType::Boolean)
        && let Some(boolean) = boolean()
    {
        return boolean;
    }
    Value::String(text.to_owned())
}

/// The number that `text` writes by the grammar of JSON.
pub(crate) fn number(text: &str) -> Option<Value> {
    let starts = text.starts_with(|it: char| it == '-' || it.is_ascii_digit());
    let ends = text.ends_with(|it: char| it.is_ascii_digit());
    if !starts || !ends {
        return None;
    }
    serde_json::from_str::<Number>(text).ok().map(Value::Number)
}

/// The number that `text` writes, without a dot: `1.50` as `15e-1`. For layouts whose delimiter is a dot.
pub(crate) fn without_dot(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let Some((whole, fraction)) = mantissa.split_once('.') else { return text.to_owned() };
    let fraction = fraction.trim_end_matches('0');
    let Ok(exponent) = exponent.trim_start_matches('+').parse::<i64>() else {
        // No number of this size is equal to another one that can be written.
        return format!("{whole}e{exponent}");
    };
    let shift = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let digits = format!("{whole}{fraction}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", &*digits), |rest| ("-", rest));
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    match exponent.saturating_sub(shift) {
        0 => format!("{sign}{digits}"),
        exponent => format!("{sign}{digits}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use foolproof_contract::json_equal;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_what_the_types_admit() {
        let (string, number) = (TypeSet::STRING, TypeSet::NUMBER);
        let boolean = TypeSet::only(JsonType::Boolean);
        assert_eq!(from_text("1", string), json!("1"));
        assert_eq!(from_text("1", string | number), json!(1));
        assert_eq!(from_text("1.50", number).to_string(), "1.50");
        assert_eq!(from_text("true", boolean | string), json!(true));
        assert_eq!(from_text("True", boolean), json!("True"));
        for odd in ["", " 1", "1 ", "01", "1.", "+1", "0x1", "NaN", "1e", "-", "١"] {
            assert_eq!(from_text(odd, number), json!(odd), "{odd:?}");
        }
    }

    #[test]
    fn numbers_without_a_dot_are_equal() {
        for (text, expected) in [
            ("1.5", "15e-1"),
            ("1.0", "1"),
            ("-0.25e2", "-25"),
            ("12", "12"),
            ("0.0", "0"),
            ("1.5e+3", "15e2"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(without_dot(text), expected);
            let parse = |text: &str| number(text).unwrap();
            assert!(json_equal(&parse(text), &parse(expected)), "{text}");
        }
    }
}

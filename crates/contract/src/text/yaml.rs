//! YAML text as events, parsed by `granit-parser`.
//!
//! Plain scalars follow the core schema of YAML 1.2 (§10.3.2): `NO` and `on` are strings, `0x1F`
//! is a number. Numbers keep their digits. Keys become strings as they are written, so that `200:`
//! in an OpenAPI document is the key `"200"`.

use granit_parser::{ErrorKind, Event as YamlEvent, Parser, ScalarStyle, Tag};
use serde_json::Value;

use super::{
    MAX_DEPTH, Syntax,
    compose::{self, Event, Fault},
};
use crate::error::Problem;

pub(super) struct Events<'t> {
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    /// For each open collection, what its next node is.
    expected: Vec<Expected>,
    documents: usize,
    length: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Key,
    Value,
    Item,
}

impl<'t> Events<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let options = granit_parser::options! {
            emit_comments: false,
            // The composer limits the depth and reports the error.
            flow_nesting_limit: MAX_DEPTH + 8,
            block_nesting_limit: MAX_DEPTH + 8,
            // Long keys (regular expressions under `patternProperties`) are simple keys too.
            simple_key_max_lookahead: 64 * 1024,
        };
        Self {
            parser: Parser::new_from_str_with_options(text, options),
            expected: Vec::new(),
            documents: 0,
            length: text.len(),
        }
    }

    /// What the node about to be read is. In a mapping, keys and values alternate.
    fn advance(&mut self) -> Expected {
        let Some(expected) = self.expected.last_mut() else { return Expected::Item };
        let node = *expected;
        *expected = match node {
            Expected::Key => Expected::Value,
            Expected::Value => Expected::Key,
            Expected::Item => Expected::Item,
        };
        node
    }

    fn translate(&mut self, event: YamlEvent<'_>) -> Result<Option<Event>, Problem> {
        let syntax =
            |message: &str| Problem::Syntax { format: Syntax::Yaml, message: message.to_owned() };
        Ok(Some(match event {
            YamlEvent::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(syntax("a second document starts here, one was expected"));
                }
                return Ok(None);
            }
            YamlEvent::StreamEnd => Event::End,
            YamlEvent::MappingStart(_, anchor, _) => {
                if self.advance() == Expected::Key {
                    return Err(syntax("a key must be a scalar, not a mapping"));
                }
                self.expected.push(Expected::Key);
                Event::ObjectStart { anchor }
            }
            YamlEvent::SequenceStart(_, anchor, _) => {
                if self.advance() == Expected::Key {
                    return Err(syntax("a key must be a scalar, not a sequence"));
                }
                self.expected.push(Expected::Item);
                Event::ArrayStart { anchor }
            }
            YamlEvent::MappingEnd => {
                self.expected.pop();
                Event::ObjectEnd
            }
            YamlEvent::SequenceEnd => {
                self.expected.pop();
                Event::ArrayEnd
            }
            YamlEvent::Alias(anchor) => {
                if self.advance() == Expected::Key {
                    return Err(syntax("a key must be written out, not an alias"));
                }
                Event::Alias { anchor }
            }
            YamlEvent::Scalar(text, style, anchor, tag) => {
                if self.advance() == Expected::Key {
                    if text == "<<" && style == ScalarStyle::Plain {
                        Event::Merge
                    } else {
                        Event::Key(text.into_owned())
                    }
                } else {
                    let value = scalar(&text, style, tag.as_deref())?;
                    Event::Scalar { value, anchor }
                }
            }
            // Stream start, document end and presentation details; the enum is open to more of them.
            YamlEvent::StreamStart | YamlEvent::DocumentEnd | _ => return Ok(None),
        }))
    }
}

impl compose::Events for Events<'_> {
    fn next(&mut self) -> Result<(Event, usize), Fault> {
        loop {
            match self.parser.next() {
                Some(Ok((event, span))) => {
                    let offset = span.start.byte_offset().unwrap_or(0);
                    match self.translate(event) {
                        Ok(Some(event)) => return Ok((event, offset)),
                        Ok(None) => {}
                        Err(problem) => return Err(Fault { problem, offset }),
                    }
                }
                Some(Err(error)) => {
                    let offset = error.marker().byte_offset().unwrap_or(self.length);
                    let problem = if *error.kind() == ErrorKind::RecursionLimitExceeded {
                        Problem::TooDeep { limit: MAX_DEPTH }
                    } else {
                        let message = error.kind().to_string();
                        Problem::Syntax { format: Syntax::Yaml, message }
                    };
                    return Err(Fault { problem, offset });
                }
                None => return Ok((Event::End, self.length)),
            }
        }
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, Problem> {
    let is_string = match tag {
        Some(tag) => matches!(tag.suffix(), "str" | "!" | ""),
        None => style != ScalarStyle::Plain,
    };
    if is_string {
        return Ok(Value::String(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_not_finite(text) => return Err(Problem::NotJson { text: text.to_owned() }),
        _ => match json_number(text).map(|number| super::number(&number)) {
            Some(number) => number?.map_or_else(|| Value::String(text.to_owned()), Value::Number),
            None => Value::String(text.to_owned()),
        },
    })
}

fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// A number of the core schema as JSON writes it, its digits kept.
fn json_number(text: &str) -> Option<String> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return Some(u128::from_str_radix(digits, radix).ok()?.to_string());
        }
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(cut) => unsigned.split_at(cut),
        None => (unsigned, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.trim_start_matches(['e', 'E']).trim_start_matches(['+', '-']);
    let well_formed = digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && (exponent.is_empty() || (!exponent_digits.is_empty() && digits(exponent_digits)));
    if !well_formed {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        trimmed => trimmed,
    };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}{exponent}"))
}

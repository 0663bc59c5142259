//! The text syntax of steps, for replay strings and regression files.
//!
//! `put#3(5f3a:S12C, 91)`: the command, the number of the step, and for each argument its seed, its
//! shrink steps after `:`, and its binding after `~`, which is a step number or a text. A `!` marks a last
//! shrink step that was not applied yet.

use crate::step::{ArgumentRecord, Binding, ShrinkStep, Step};

/// More shrink steps of one kind than any search takes. A file may claim any number.
const MAX_SHRINK_STEPS: usize = 1_000_000;

pub(crate) fn serialize(name: &str, step: &Step) -> String {
    let arguments: Vec<String> = step.arguments.iter().map(serialize_argument).collect();
    format!("{}#{}({})", escape(name), step.id, arguments.join(", "))
}

fn serialize_argument(argument: &ArgumentRecord) -> String {
    let mut text = format!("{:x}", argument.seed);
    if !argument.shrink_steps.is_empty() {
        text.push(':');
        for run in argument.shrink_steps.chunk_by(|left, right| left == right) {
            text.push(match run[0] {
                ShrinkStep::Simplify => 'S',
                ShrinkStep::Complicate => 'C',
                ShrinkStep::Simplest => 'Z',
            });
            if run.len() > 1 {
                text.push_str(&run.len().to_string());
            }
        }
        if argument.has_new_shrink_step {
            text.push('!');
        }
    }
    match &argument.binding {
        None => {}
        Some(Binding::Step(id, 0)) => text.push_str(&format!("~#{id}")),
        Some(Binding::Step(id, part)) => text.push_str(&format!("~#{id}.{part}")),
        Some(Binding::Value(like)) => text.push_str(&format!("~{}", escape(like))),
    }
    text
}

/// The name of the command, and the step. The caller sets the index of the command.
pub(crate) fn parse(text: &str) -> Option<(String, Step)> {
    let (head, rest) = text.trim().split_once('(')?;
    let (name, id) = head.rsplit_once('#')?;
    let list = rest.strip_suffix(')')?;
    let arguments = if list.is_empty() {
        Vec::new()
    } else {
        list.split(", ").map(parse_argument).collect::<Option<Vec<_>>>()?
    };
    let step = Step { id: id.parse().ok()?, command: 0, is_initial: false, arguments };
    Some((unescape(name), step))
}

fn parse_argument(text: &str) -> Option<ArgumentRecord> {
    let (drawn, binding) = match text.split_once('~') {
        Some((drawn, binding)) => (drawn, Some(binding)),
        None => (text, None),
    };
    let (drawn, has_new_shrink_step) = match drawn.strip_suffix('!') {
        Some(drawn) => (drawn, true),
        None => (drawn, false),
    };
    let (seed, shrink_steps) = drawn.split_once(':').unwrap_or((drawn, ""));
    let binding = match binding.map(|binding| (binding, binding.strip_prefix('#'))) {
        None => None,
        Some((_, Some(id))) => {
            let (id, part) = id.split_once('.').unwrap_or((id, "0"));
            Some(Binding::Step(id.parse().ok()?, part.parse().ok()?))
        }
        Some((like, None)) => Some(Binding::Value(unescape(like))),
    };
    let (seed, shrink_steps) =
        (u64::from_str_radix(seed, 16).ok()?, parse_shrink_steps(shrink_steps)?);
    Some(ArgumentRecord { seed, shrink_steps, binding, has_new_shrink_step })
}

/// Shrink steps, with a count where one repeats: `S12CS`.
fn parse_shrink_steps(text: &str) -> Option<Vec<ShrinkStep>> {
    let mut shrink_steps = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let shrink_step = match letter {
            'S' => ShrinkStep::Simplify,
            'C' => ShrinkStep::Complicate,
            'Z' => ShrinkStep::Simplest,
            _ => return None,
        };
        rest = &rest[1..];
        let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        let count = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        shrink_steps.extend(std::iter::repeat_n(shrink_step, usize::min(count, MAX_SHRINK_STEPS)));
        rest = &rest[digits..];
    }
    Some(shrink_steps)
}

/// Escapes the characters that have a meaning in the syntax.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '%' | '#' | '(' | ')' | ',' | '~' | ';' | '=' | '\n' | '\r' | '"' | '\\' => {
                escaped.push_str(&format!("%{:02x}", u32::from(char)));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

pub(crate) fn unescape(text: &str) -> String {
    let mut parts = text.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(char) => {
                plain.push(char);
                plain.push_str(&part[2..]);
            }
            None => plain.push_str(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsing_inverts_serializing() {
        let arguments = vec![
            ArgumentRecord {
                shrink_steps: [
                    vec![ShrinkStep::Simplify; 12],
                    vec![ShrinkStep::Complicate, ShrinkStep::Simplify],
                ]
                .concat(),
                ..ArgumentRecord::new(u64::MAX)
            },
            ArgumentRecord { binding: Some(Binding::Step(7, 0)), ..ArgumentRecord::new(0) },
            ArgumentRecord { binding: Some(Binding::Step(7, 2)), ..ArgumentRecord::new(0) },
            ArgumentRecord { shrink_steps: vec![ShrinkStep::Simplest], ..ArgumentRecord::new(3) },
            ArgumentRecord {
                shrink_steps: vec![ShrinkStep::Simplify],
                has_new_shrink_step: true,
                ..ArgumentRecord::new(4)
            },
            ArgumentRecord {
                binding: Some(Binding::Value("a, (\"b~#\n%\") ä; x = y".to_owned())),
                ..ArgumentRecord::new(5)
            },
        ];
        let step = Step { id: 12, command: 0, is_initial: false, arguments };
        let text = serialize("put; (all) #1", &step);
        assert!(!text.contains(['\n', ';', '=']), "{text}");
        let (name, parsed) = parse(&text).unwrap();
        assert_eq!((name.as_str(), parsed.id), ("put; (all) #1", 12));
        assert_eq!(parsed.arguments, step.arguments);
    }

    #[test]
    fn nonsense_is_no_step() {
        for text in
            ["", "put", "put#1", "put#x()", "put#1(zz)", "put#1(1:SX)", "put#1(1:9)", "put#1(1~#x)"]
        {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}

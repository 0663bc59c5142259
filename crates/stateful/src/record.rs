//! Steps as text: one that a person can read, paste and keep in a file.
//!
//! `put#3(5f3a:S12C, 91)`: the command, the number of the step, and for each argument its seed, the
//! turns taken, and after `~` what it holds on to, a step or a text.

use crate::step::{Anchor, Argument, ShrinkStep, Step};

/// More turns of one kind than any search takes: a file may say anything.
const MOST_TURNS: usize = 1_000_000;

pub(crate) fn write(name: &str, step: &Step) -> String {
    let arguments: Vec<String> = step.arguments.iter().map(argument).collect();
    format!("{}#{}({})", escape(name), step.id, arguments.join(", "))
}

fn argument(argument: &Argument) -> String {
    let mut text = format!("{:x}", argument.seed);
    if !argument.turns.is_empty() {
        text.push(':');
        for run in argument.turns.chunk_by(|left, right| left == right) {
            text.push(match run[0] {
                ShrinkStep::Simplify => 'S',
                ShrinkStep::Complicate => 'C',
                ShrinkStep::Simplest => 'Z',
            });
            if run.len() > 1 {
                text.push_str(&run.len().to_string());
            }
        }
    }
    match &argument.anchor {
        None => {}
        Some(Anchor::Step(id)) => text.push_str(&format!("~#{id}")),
        Some(Anchor::Like(like)) => text.push_str(&format!("~{}", escape(like))),
    }
    text
}

/// The name of the command, and the step but for the number of its command.
pub(crate) fn read(text: &str) -> Option<(String, Step)> {
    let (head, rest) = text.trim().split_once('(')?;
    let (name, id) = head.rsplit_once('#')?;
    let list = rest.strip_suffix(')')?;
    let arguments = if list.is_empty() {
        Vec::new()
    } else {
        list.split(", ").map(read_argument).collect::<Option<Vec<_>>>()?
    };
    let step = Step { id: id.parse().ok()?, command: 0, arguments, held: None };
    Some((unescape(name), step))
}

fn read_argument(text: &str) -> Option<Argument> {
    let (drawn, anchor) = match text.split_once('~') {
        Some((drawn, anchor)) => (drawn, Some(anchor)),
        None => (text, None),
    };
    let (seed, turns) = drawn.split_once(':').unwrap_or((drawn, ""));
    let anchor = match anchor.map(|anchor| (anchor, anchor.strip_prefix('#'))) {
        None => None,
        Some((_, Some(id))) => Some(Anchor::Step(id.parse().ok()?)),
        Some((like, None)) => Some(Anchor::Like(unescape(like))),
    };
    let (seed, turns) = (u64::from_str_radix(seed, 16).ok()?, read_turns(turns)?);
    Some(Argument { seed, turns, anchor, is_turned: false })
}

/// Turns, those that repeat with a count: `S12CS`.
fn read_turns(text: &str) -> Option<Vec<ShrinkStep>> {
    let mut turns = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let turn = match letter {
            'S' => ShrinkStep::Simplify,
            'C' => ShrinkStep::Complicate,
            'Z' => ShrinkStep::Simplest,
            _ => return None,
        };
        rest = &rest[1..];
        let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        let count = if digits == 0 { 1 } else { rest[..digits].parse().ok()? };
        turns.extend(std::iter::repeat_n(turn, usize::min(count, MOST_TURNS)));
        rest = &rest[digits..];
    }
    Some(turns)
}

/// Without the characters that mean something here.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '%' | '#' | '(' | ')' | ',' | '~' | ';' | '\n' | '\r' | '"' | '\\' => {
                escaped.push_str(&format!("%{:02x}", u32::from(char)));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

fn unescape(text: &str) -> String {
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
    fn what_is_written_is_read_again() {
        let arguments = vec![
            Argument {
                turns: [
                    vec![ShrinkStep::Simplify; 12],
                    vec![ShrinkStep::Complicate, ShrinkStep::Simplify],
                ]
                .concat(),
                ..Argument::new(u64::MAX)
            },
            Argument { anchor: Some(Anchor::Step(7)), ..Argument::new(0) },
            Argument { turns: vec![ShrinkStep::Simplest], ..Argument::new(3) },
            Argument {
                anchor: Some(Anchor::Like("a, (\"b~#\n%\") ä; x".to_owned())),
                ..Argument::new(5)
            },
        ];
        let step = Step { id: 12, command: 0, arguments, held: None };
        let text = write("put; (all) #1", &step);
        assert!(!text.contains('\n') && !text.contains(';'), "{text}");
        let (name, read) = read(&text).unwrap();
        assert_eq!((name.as_str(), read.id), ("put; (all) #1", 12));
        assert_eq!(read.arguments, step.arguments);
    }

    #[test]
    fn nonsense_is_no_step() {
        for text in
            ["", "put", "put#1", "put#x()", "put#1(zz)", "put#1(1:SX)", "put#1(1:9)", "put#1(1~#x)"]
        {
            assert!(read(text).is_none(), "{text}");
        }
    }
}

//! Drawing instances.
//!
//! - The oracle accepts what satisfies a schema taken literally, and refuses what does not, where that is certain.
//! - Every instance is accepted by the oracle, and by a validator that reads values in another way.
//! - The same seed gives the same bytes, whatever memory they are drawn in, also after compiling again.
//! - A schema without instances admits no value that is known.
//! - A schema that mentions no large number has no large instances.

use foolproof_contract::{
    Error, FormatPolicy, Verdict, fuzz::is_valid_plainly, with_large_stack, write_json,
};
use foolproof_generate::{DrawMemory, Generator, Meter, Seed};
use serde_json::Value;

use super::{literal::satisfies, subject::Subject};
use crate::Reached;

/// The most instances that are drawn.
const INSTANCES: u64 = 3;

/// How often one instance is drawn, and how many checks a repair may cost: with the defaults, a schema whose instances are hard
/// to find takes seconds.
const DRAWS: u32 = 8;
const CHECKS: usize = 200;

/// The longest instance of a schema without large numbers, in bytes.
const LONGEST: usize = 1024 * 1024;

/// The least number that is large: a schema that mentions it may mean as many items, members or characters.
const LARGE: f64 = 500.0;

/// Checks the laws of draws.
pub fn draw(data: &[u8]) -> Reached {
    with_large_stack(|| check(data))
}

fn check(data: &[u8]) -> Reached {
    let Some(subject) = Subject::of(data) else { return Reached::Refused };
    let document = &subject.document;
    for value in &subject.values {
        let literally = satisfies(document, value);
        let is_valid = subject.oracle.is_valid(value);
        let is_contrary = match literally {
            Verdict::Yes => !is_valid,
            Verdict::No => is_valid,
            Verdict::Unknown => false,
        };
        assert!(!is_contrary, "the oracle of {value} against the schema: {literally:?}");
    }
    let generator = || {
        let generator = Generator::new(document, FormatPolicy::Assert)?;
        Ok::<_, Error>(generator.draws(DRAWS).checks(CHECKS))
    };
    let (Ok(first), Ok(second)) = (generator(), generator()) else { return Reached::Refused };
    if first.plan().is_empty() {
        assert_eq!(subject.accepted().next(), None, "a plan without instances");
        return Reached::Checked;
    }
    let is_small = !mentions_large_numbers(document.value());
    let seed = Seed::from_number(data.len() as u64);
    let mut memory = DrawMemory::new();
    for index in 0..INSTANCES {
        let drawn = first.generate(seed, index).ok();
        let text = drawn.map(|drawn| drawn.instance().value().to_string());
        let in_memory = second.generate_in(seed, index, &mut memory, &mut Meter::counting()).ok();
        let again = in_memory.map(|instance| {
            let mut text = Vec::new();
            write_json(instance.view().value(), &mut text);
            String::from_utf8(text).expect("JSON is text")
        });
        assert_eq!(text, again, "instance {index} differs from itself");
        let Some(text) = text else { continue };
        assert!(!is_small || text.len() <= LONGEST, "an instance of {} bytes", text.len());
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => {
                assert!(subject.oracle.is_valid(&value), "{value} is not valid");
                assert_ne!(satisfies(document, &value), Verdict::No, "{value}, literally");
                let plainly = is_valid_plainly(document, FormatPolicy::Assert, &value);
                assert_ne!(plainly, Some(false), "{value} is not valid as a plain value");
            }
            Err(error) => assert!(error.to_string().starts_with("recursion limit"), "{error}"),
        }
    }
    Reached::Checked
}

fn mentions_large_numbers(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|number| number.abs() >= LARGE),
        // Patterns count too.
        Value::String(text) => text.bytes().filter(u8::is_ascii_digit).count() >= 3,
        Value::Array(items) => items.iter().any(mentions_large_numbers),
        Value::Object(members) => members.values().any(mentions_large_numbers),
        Value::Null | Value::Bool(_) => false,
    }
}

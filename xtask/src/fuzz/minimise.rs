//! The smallest contract that still has the same kind of fault: members and items are deleted, and
//! schemas replaced by what is inside them, as long as the fault remains.

use serde_json::Value;

use super::places;

/// The most runs for one fault.
const RUNS: usize = 600;

/// `text`, reduced while `is_faulty` holds.
pub(crate) fn minimise(text: &[u8], mut is_faulty: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut budget = RUNS;
    let mut ask = |text: &[u8]| {
        budget = budget.saturating_sub(1);
        budget > 0 && is_faulty(text)
    };
    match serde_json::from_slice(text) {
        Ok(document) => reduce_value(document, &mut ask).to_string().into_bytes(),
        Err(_) => reduce_bytes(text.to_vec(), &mut ask),
    }
}

fn reduce_value(mut document: Value, is_faulty: &mut impl FnMut(&[u8]) -> bool) -> Value {
    let mut try_out = |document: &Value| is_faulty(document.to_string().as_bytes());
    loop {
        let before = document.to_string().len();
        // Outermost first: what can go as a whole need not go bit by bit.
        for pointer in places::values(&document) {
            if pointer.is_empty() || document.pointer(&pointer).is_none() {
                continue;
            }
            let mut smaller = document.clone();
            places::remove(&mut smaller, &pointer);
            if try_out(&smaller) {
                document = smaller;
            }
        }
        document = hoist(document, &mut try_out);
        if document.to_string().len() == before {
            return document;
        }
    }
}

/// Replaces schemas by schemas inside them, the outermost by the outermost first.
fn hoist(mut document: Value, is_faulty: &mut impl FnMut(&Value) -> bool) -> Value {
    'smaller: loop {
        let schemas = places::schemas(&document);
        for outer in &schemas {
            let is_inside = |pointer: &&String| {
                pointer.strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('/'))
            };
            for inner in schemas.iter().filter(is_inside) {
                let Some(part) = document.pointer(inner).cloned() else { continue };
                let mut smaller = document.clone();
                let Some(place) = smaller.pointer_mut(outer) else { continue };
                *place = part;
                if is_faulty(&smaller) {
                    document = smaller;
                    continue 'smaller;
                }
            }
        }
        return document;
    }
}

fn reduce_bytes(mut text: Vec<u8>, is_faulty: &mut impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut length = text.len() / 2;
    while length > 0 {
        let mut from = 0;
        while from < text.len() {
            let mut smaller = text.clone();
            smaller.drain(from..(from + length).min(text.len()));
            if is_faulty(&smaller) {
                text = smaller;
            } else {
                from += length;
            }
        }
        length /= 2;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let text = br##"{"title":"x","properties":{"a":{"items":{"oneOf":[{"$ref":"#"},{"type":"null"}]}},"b":{}}}"##;
        let is_faulty =
            |text: &[u8]| String::from_utf8_lossy(text).contains(r##""oneOf":[{"$ref":"#"}"##);
        let minimal = minimise(text, is_faulty);
        assert_eq!(String::from_utf8_lossy(&minimal), r##"{"oneOf":[{"$ref":"#"}]}"##);
    }

    #[test]
    fn bytes_that_are_no_json_are_cut() {
        let minimal = minimise(b"{ \"a\": [[[[ nonsense", |text| text.contains(&b'['));
        assert_eq!(minimal, b"[");
    }
}

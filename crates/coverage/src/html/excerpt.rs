//! What a contract says at a location, in the words of its author.

use foolproof_contract::Syntax;

use super::escape::cut;

/// The most lines and bytes of an excerpt.
const MAX_LINES: usize = 14;
const MAX_BYTES: usize = 700;

/// The longest key, in bytes, that is shown in front of a value.
const MAX_KEY: usize = 80;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The line of the text that it begins in, from 1.
    pub(super) line: usize,
    /// The part, without the indentation that its lines have in common. It ends with `…` if it was cut.
    pub(super) text: String,
}

/// A text whose lines are counted once.
pub(super) struct Lines<'t> {
    text: &'t str,
    syntax: Syntax,
    /// The offsets at which lines begin.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, syntax: Syntax) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(offset, _)| offset + 1)).collect();
        Self { text, syntax, starts }
    }

    /// The value that begins at `offset`, with its key if that is in the same line.
    pub(super) fn excerpt(&self, offset: usize) -> Option<Excerpt> {
        self.text.get(offset..)?;
        let line = self.starts.partition_point(|start| *start <= offset);
        let line_start = self.starts[line - 1];
        let start = line_start + before_key(&self.text[line_start..offset]);
        let (whole, is_cut) = self.within_limits(start, self.end(offset));
        let mut text = without_indentation(whole);
        if is_cut {
            text.push('…');
        }
        Some(Excerpt { line, text })
    }

    /// The offset after the value at `offset`, or after what of it can be shown.
    fn end(&self, offset: usize) -> usize {
        let rest = &self.text[offset..];
        let length = match (self.syntax, rest.as_bytes().first()) {
            (_, Some(b'{' | b'[')) => bracketed(rest),
            (Syntax::Yaml, _) => self.indented(offset),
            _ => rest.find(['\n', ',', '}', ']']).unwrap_or(rest.len()),
        };
        offset + length
    }

    /// The length of a YAML block: up to the first line that is less indented than its first value.
    fn indented(&self, offset: usize) -> usize {
        let line_start = self.text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let column = offset - line_start;
        let mut length = 0;
        for (number, line) in self.text[offset..].split_inclusive('\n').enumerate() {
            let content = line.trim_start_matches(' ');
            let indentation = line.len() - content.len();
            let is_blank = content.trim().is_empty();
            if number > 0 && !is_blank && indentation < column {
                break;
            }
            length += line.len();
            if number > MAX_LINES {
                break;
            }
        }
        length
    }

    fn within_limits(&self, start: usize, end: usize) -> (&'t str, bool) {
        let whole = self.text[start..end].trim_end();
        let line_break = whole.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = line_break.map(|(offset, _)| offset).nth(MAX_LINES - 1);
        let (short, is_cut) = cut(whole, MAX_BYTES.min(lines.unwrap_or(whole.len())));
        (short.trim_end(), is_cut)
    }
}

/// Where the key begins, with its indentation, in the part of a line that is in front of a value. Its end if
/// there is no key.
fn before_key(line: &str) -> usize {
    let start = line.rfind(['{', '[', ',']).map_or(0, |delimiter| delimiter + 1);
    let key = &line[start..];
    let start = if start == 0 { 0 } else { line.len() - key.trim_start().len() };
    let is_whole = key.bytes().filter(|byte| *byte == b'"').count().is_multiple_of(2);
    if is_whole && key.len() <= MAX_KEY { start } else { line.len() }
}

/// The length of an object or array in JSON, or in the flow style of YAML.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(b'"'), b'\\') => drop(bytes.next()),
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
        if index > 2 * MAX_BYTES {
            break;
        }
    }
    cut(text, 2 * MAX_BYTES).0.len()
}

/// `text` without the indentation of its least indented line.
fn without_indentation(text: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let common = lines.map(indentation).min().unwrap_or(0);
    let lines = text.lines().map(|line| line.get(common..).unwrap_or("").trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use foolproof_contract::{Document, Pointer};

    use super::*;

    fn excerpt(name: &str, text: &str, pointer: &str) -> Excerpt {
        let document = Document::from_text(name, text).unwrap();
        let source = document.source_texts().remove(0);
        let pointer: Pointer = pointer.parse().unwrap();
        let offset = source.offsets([&pointer])[&pointer];
        Lines::new(source.text(), source.syntax()).excerpt(offset).unwrap()
    }

    #[test]
    fn json_is_shown_with_its_key() {
        let text = "{\n  \"properties\": {\n    \"a\": {\n      \"const\": \"}\\\"\"\n    },\n    \"b\": true\n  }\n}";
        let found = excerpt("it.json", text, "/properties/a");
        assert_eq!(found.line, 3);
        assert_eq!(found.text, "\"a\": {\n  \"const\": \"}\\\"\"\n}");
        assert_eq!(excerpt("it.json", text, "/properties/b").text, "\"b\": true");
        let line = r#"{ "properties": { "a": { "enum": [1, 2] }, "x, y": { "const": 1 } } }"#;
        assert_eq!(excerpt("it.json", line, "/properties/a").text, r#""a": { "enum": [1, 2] }"#);
        assert_eq!(excerpt("it.json", line, "/properties/x, y").text, r#"{ "const": 1 }"#);
    }

    #[test]
    fn yaml_ends_where_the_indentation_ends() {
        let text = "properties:\n  a:\n    type: string\n\n    minLength: 1\n  b: { const: 1 }\nrequired:\n  - a\n  - b\ntitle: t\n";
        let found = excerpt("it.yaml", text, "/properties/a");
        assert_eq!((found.line, &*found.text), (3, "type: string\n\nminLength: 1"));
        assert_eq!(excerpt("it.yaml", text, "/properties/b").text, "b: { const: 1 }");
        assert_eq!(excerpt("it.yaml", text, "/required").text, "- a\n- b");
        let items = "oneOf:\n  - type: string\n    title: s\n  - type: integer\n";
        assert_eq!(excerpt("it.yaml", items, "/oneOf/0").text, "- type: string\n  title: s");
    }

    #[test]
    fn long_text_is_cut() {
        let members: Vec<String> = (0..500).map(|number| format!("\"é{number}\"")).collect();
        let minified = format!("{{\"enum\":[{}]}}", members.join(","));
        let found = excerpt("it.json", &minified, "");
        assert!(found.text.len() <= MAX_BYTES + '…'.len_utf8(), "{}", found.text.len());
        assert!(found.text.starts_with("{\"enum\":[\"é0\"") && found.text.ends_with('…'));
        let spread = format!("{{\"enum\":[\n{}]}}", members.join(",\n"));
        assert_eq!(excerpt("it.json", &spread, "").text.lines().count(), MAX_LINES);
    }
}

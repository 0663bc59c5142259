//! JSON text as events, parsed by `json-event-parser`.

use json_event_parser::{JsonEvent, LowLevelJsonParser};
use serde_json::Value;

use super::{
    MAX_DEPTH, Syntax,
    compose::{self, Event, Fault},
};
use crate::error::Problem;

pub(super) struct Events<'t> {
    text: &'t str,
    offset: usize,
    parser: LowLevelJsonParser,
}

impl<'t> Events<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        // The composer limits the depth and reports the error; the parser's own limit only has to
        // be higher (it counts a state for the document and one or two for each level).
        let parser = LowLevelJsonParser::new().with_max_stack_size(4 * MAX_DEPTH);
        Self { text, offset: 0, parser }
    }
}

impl compose::Events for Events<'_> {
    fn next(&mut self) -> Result<(Event, usize), Fault> {
        if self.offset == 0 && self.text.starts_with('\u{feff}') {
            // The parser would skip it. One mark is not part of the text; a second one is not JSON.
            let message = "a second byte order mark".to_owned();
            return Err(Fault {
                problem: Problem::Syntax { format: Syntax::Json, message },
                offset: 0,
            });
        }
        let rest = &self.text[self.offset..];
        let separators = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':');
        let start = self.offset + rest.bytes().take_while(separators).count();
        let result = self.parser.parse_next(rest.as_bytes(), true);
        self.offset += result.consumed_bytes;
        let syntax = |message: String, offset| Fault {
            problem: Problem::Syntax { format: Syntax::Json, message },
            offset,
        };
        let event = match result.event {
            Some(Ok(event)) => event,
            Some(Err(error)) => {
                let offset = usize::try_from(error.location().start.offset).unwrap_or(start);
                // The parser reports half of a surrogate pair as the end of the text.
                let message = if error.message().contains("end of file")
                    && offset < self.text.trim_end().len()
                {
                    "a string ends too early, or holds half of a surrogate pair"
                } else {
                    error.message()
                };
                return Err(syntax(message.to_owned(), offset));
            }
            None => return Err(syntax("the text ends too early".to_owned(), self.text.len())),
        };
        let event = match event {
            JsonEvent::StartObject => Event::ObjectStart { anchor: 0 },
            JsonEvent::EndObject => Event::ObjectEnd,
            JsonEvent::StartArray => Event::ArrayStart { anchor: 0 },
            JsonEvent::EndArray => Event::ArrayEnd,
            JsonEvent::ObjectKey(key) => Event::Key(key.into_owned()),
            JsonEvent::String(text) => scalar(Value::String(text.into_owned())),
            JsonEvent::Boolean(value) => scalar(Value::Bool(value)),
            JsonEvent::Null => scalar(Value::Null),
            JsonEvent::Number(text) => match super::number(&text) {
                Ok(Some(number)) => scalar(Value::Number(number)),
                Ok(None) => return Err(syntax("invalid number".to_owned(), start)),
                Err(problem) => return Err(Fault { problem, offset: start }),
            },
            JsonEvent::Eof => Event::End,
        };
        Ok((event, start))
    }
}

fn scalar(value: Value) -> Event {
    Event::Scalar { value, anchor: 0 }
}

//! The items of a JSON array, parsed one at a time.

use std::{
    fmt,
    io::{self, BufRead},
};

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::{Value, error::Category};

/// Calls `handle` with each item of the array that `reader` gives. A text that is not JSON ends it: what
/// follows cannot be told apart any more, and `handle` gets the error as the last item.
pub(super) fn each(
    mut reader: impl BufRead,
    mut handle: impl FnMut(u64, Result<Value, serde_json::Error>),
) -> io::Result<()> {
    skip_mark(&mut reader)?;
    let mut index = 0;
    let mut parser = serde_json::Deserializer::from_reader(reader);
    let items = Items { index: &mut index, handle: &mut handle };
    let read = parser.deserialize_seq(items).and_then(|()| parser.end());
    match read {
        Ok(()) => Ok(()),
        Err(error) if error.classify() == Category::Io => Err(error.into()),
        Err(error) => {
            handle(index, Err(error));
            Ok(())
        }
    }
}

/// Skips a byte order mark.
fn skip_mark(reader: &mut impl BufRead) -> io::Result<()> {
    if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    Ok(())
}

struct Items<'a, H> {
    index: &'a mut u64,
    handle: &'a mut H,
}

impl<'de, H: FnMut(u64, Result<Value, serde_json::Error>)> Visitor<'de> for Items<'_, H> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of instances")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.handle)(*self.index, Ok(item));
            *self.index += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<String, String>> {
        let mut found = Vec::new();
        each(text.as_bytes(), |index, item| {
            assert_eq!(index, found.len() as u64);
            found.push(item.map(|it| it.to_string()).map_err(|error| error.to_string()));
        })
        .unwrap();
        found
    }

    #[test]
    fn each_item_is_an_instance() {
        let items = [Ok("1".to_owned()), Ok("[2]".to_owned()), Ok(r#"{"a":3.10}"#.to_owned())];
        assert_eq!(read("\u{feff}[1, [2],\n{\"a\": 3.10}]\n"), items);
        assert_eq!(read("[]"), []);
    }

    #[test]
    fn an_error_is_the_last_item() {
        let expected = |message: &str| [Ok("1".to_owned()), Err(message.to_owned())];
        assert_eq!(read("[1, oops, 2]"), expected("expected value at line 1 column 5"));
        assert_eq!(read("[1"), expected("EOF while parsing a list at line 1 column 2"));
        assert_eq!(read("[1] 2"), expected("trailing characters at line 1 column 5"));
        let not = "invalid type: map, expected an array of instances at line 1 column 1";
        assert_eq!(read("{}"), [Err(not.to_owned())]);
    }
}

//! Bodies that are sequences of JSON documents: JSON Lines, JSON text sequences, server-sent events.

use serde_json::Value;

/// A sequence with one item.
pub(crate) fn write(media_type: &str, item: &Value) -> Vec<u8> {
    match framing(media_type) {
        Framing::Lines => format!("{item}\n"),
        Framing::Records => format!("\u{1e}{item}\n"),
        Framing::Events => format!("data: {item}\n\n"),
    }
    .into_bytes()
}

/// The items of a sequence, or what is wrong with it.
pub(crate) fn read(media_type: &str, text: &str) -> Result<Vec<Value>, String> {
    let documents: Vec<String> = match framing(media_type) {
        Framing::Lines => text.lines().map(str::to_owned).collect(),
        Framing::Records => text.split('\u{1e}').map(str::to_owned).collect(),
        Framing::Events => events(text),
    };
    let documents = documents.iter().filter(|document| !document.trim().is_empty());
    documents.map(|document| serde_json::from_str(document).map_err(|it| it.to_string())).collect()
}

enum Framing {
    Lines,
    Records,
    Events,
}

fn framing(media_type: &str) -> Framing {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/event-stream" => Framing::Events,
        _ if essence.ends_with("json-seq") => Framing::Records,
        _ => Framing::Lines,
    }
}

/// The data of server-sent events; an event ends with an empty line.
fn events(text: &str) -> Vec<String> {
    let (mut events, mut data) = (Vec::new(), Vec::new());
    for line in text.lines().chain([""]) {
        if line.is_empty() {
            events.push(std::mem::take(&mut data).join("\n"));
        } else if let Some(text) = line.strip_prefix("data:") {
            data.push(text.strip_prefix(' ').unwrap_or(text));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sequence_is_read_as_it_was_written() {
        let item = json!({ "a": "x\ny" });
        for media_type in ["application/jsonl", "application/json-seq", "text/event-stream"] {
            let bytes = write(media_type, &item);
            let text = [bytes.clone(), bytes].concat();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(read(media_type, &text), Ok(vec![item.clone(), item.clone()]));
        }
        assert!(read("application/jsonl", "{}\n{").is_err());
    }
}

//! A server with one tool that answers as fast as it can: a line is not parsed, only its id is found.

use std::io::{BufRead as _, Write as _, stdin, stdout};

const INITIALIZE: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#;
const LIST: &str = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}"#;
const CALL: &str =
    r#"{"content":[{"type":"text","text":"{\"text\":\"alpha\"}"}],"structuredContent":{"text":"alpha"}}"#;

fn main() {
    let (mut output, mut line) = (stdout().lock(), String::new());
    let mut input = stdin().lock();
    while input.read_line(&mut line).is_ok_and(|length| length > 0) {
        if let Some(id) = id(&line) {
            let body = match () {
                () if line.contains("\"tools/call\"") => format!("\"result\":{CALL}"),
                () if line.contains("\"tools/list\"") => format!("\"result\":{LIST}"),
                () if line.contains("\"initialize\"") => format!("\"result\":{INITIALIZE}"),
                () => r#""error":{"code":-32601,"message":"unknown"}"#.to_owned(),
            };
            let sent = writeln!(output, "{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}");
            if sent.and_then(|()| output.flush()).is_err() {
                return;
            }
        }
        line.clear();
    }
}

fn id(line: &str) -> Option<&str> {
    let rest = &line[line.find("\"id\":")? + 5..];
    rest.split([',', '}']).next()
}

//! Messages of MCP servers, one a line.
//!
//! - Lines are those of the stream, however it arrives; those that are too long have the right length and beginning.
//! - Memory is bounded by the longest line, not by the stream.
//! - Every message is logged as it arrived, and only requests of the server are replied to.

use foolproof_mcp::{
    fuzz::{Interpreted, ReadLine, interpret, lines},
    wire::{Era, RawMessage},
};
use serde_json::Value;

use super::chunks::Stream;
use crate::Reached;

/// What a reader may hold beside two lines: it reads 64 KiB at once, into memory that at most doubles.
const ROOM: usize = 4 * 64 * 1024;

/// What a log keeps of a message.
const KEPT: usize = 64 * 1024;

/// Checks the laws of messages.
pub fn messages(data: &[u8]) -> Reached {
    let Some(stream) = Stream::of(data) else { return Reached::Refused };
    let expected = expected_lines(&stream);
    let read = lines(stream.chunks(), stream.longest);
    assert_eq!(read.items, expected, "in chunks");
    assert_eq!(lines(stream.whole(), stream.longest).items, expected, "at once");
    assert!(read.most_memory <= ROOM + 4 * stream.longest, "{} bytes", read.most_memory);
    let messages: Vec<&[u8]> = expected
        .iter()
        .filter_map(|line| match line {
            ReadLine::Whole(line) | ReadLine::CutOff(line) => Some(line.as_slice()),
            ReadLine::Oversized(_) => None,
        })
        .take(1_000)
        .collect();
    for era in [Era::Handshake, Era::Stateless] {
        check_session(era, &messages);
    }
    if messages.iter().any(|message| is_object(message)) {
        Reached::Checked
    } else {
        Reached::Refused
    }
}

/// The lines of a stream that is there as a whole.
fn expected_lines(stream: &Stream) -> Vec<ReadLine> {
    let mut lines: Vec<&[u8]> = stream.bytes.split(|byte| *byte == b'\n').collect();
    let rest = lines.pop().filter(|rest| !rest.is_empty());
    let oversized = |line: &[u8]| ReadLine::Oversized(RawMessage::new(line, KEPT));
    let is_long = |line: &[u8]| line.len() > stream.longest;
    let whole = lines
        .into_iter()
        .map(|line| if is_long(line) { oversized(line) } else { ReadLine::Whole(line.to_vec()) });
    let cut = rest
        .map(|line| if is_long(line) { oversized(line) } else { ReadLine::CutOff(line.to_vec()) });
    whole.chain(cut).collect()
}

fn check_session(era: Era, messages: &[&[u8]]) {
    let Interpreted { logged, findings, replies, answer } = interpret(era, messages);
    assert!(logged.iter().map(RawMessage::bytes).eq(messages.iter().copied()), "the log");
    assert!(findings.iter().count() as u64 <= findings.counts().values().sum());
    let asked: Vec<Value> = messages.iter().flat_map(|message| ids(message)).collect();
    for reply in replies {
        let reply: Value = serde_json::from_slice(&reply).expect("a reply is JSON");
        assert_eq!(reply["jsonrpc"], "2.0");
        assert!(reply.get("result").is_some() != reply.get("error").is_some(), "{reply}");
        assert!(asked.contains(&reply["id"]), "nobody asked for {reply}");
        assert_eq!(era, Era::Handshake, "{reply} in an era without requests of servers");
    }
    let has_id = messages.iter().any(|message| message.contains(&b'2'));
    assert!(answer.is_none() || has_id, "request 2 was answered without its id");
}

/// The ids of a message, or of those in a batch.
fn ids(message: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(message);
    let of = |message: &Value| message.get("id").cloned();
    match serde_json::from_str(&text) {
        Ok(Value::Array(batch)) => batch.iter().filter_map(of).collect(),
        Ok(message) => of(&message).into_iter().collect(),
        Err(_) => Vec::new(),
    }
}

fn is_object(message: &[u8]) -> bool {
    serde_json::from_slice::<Value>(message).is_ok_and(|message| message.is_object())
}

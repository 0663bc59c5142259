//! What a message of the server means: an answer, a request, a notification, or a finding.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Answer, Arrival, Pending, Session, serialize};
use crate::wire::{
    finding::FindingKind,
    message::{Message, bad_number, is_version_2, parse, read_error},
    revision::{Era, Revision},
    shape,
};

/// What is known about the id of an answer.
enum AnswerTo {
    Pending,
    Cancelled(u64),
    Answered(u64),
    Nothing,
}

impl Session {
    /// Interprets a message that has been recorded.
    pub(super) fn interpret(&mut self, arrival: Arrival<'_>) {
        let text = match std::str::from_utf8(arrival.raw) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                self.find(FindingKind::InvalidUtf8, None, arrival, || error.to_string());
                String::from_utf8_lossy(arrival.raw)
            }
        };
        let value = match parse(&text) {
            Ok(value) => value,
            Err((kind, reason)) => {
                self.find(kind, None, arrival, || reason);
                if self.seems_answered_by(arrival.raw) {
                    self.answer(Answer::Malformed(kind));
                }
                return;
            }
        };
        if let Some(number) = bad_number(&value) {
            self.find(FindingKind::NumberOutOfRange, None, arrival, || {
                let shown: String = number.chars().take(40).collect();
                let dots = if shown.len() < number.len() { "…" } else { "" };
                format!("the number `{shown}{dots}` does not fit a 64-bit float")
            });
        }
        if let Value::Array(messages) = value {
            self.interpret_batch(messages, arrival);
        } else {
            self.interpret_one(value, arrival);
        }
    }

    fn interpret_batch(&mut self, messages: Vec<Value>, arrival: Arrival<'_>) {
        if messages.is_empty() {
            self.find(FindingKind::Batch, None, arrival, || "a batch is empty".to_owned());
        } else if self.revision != Revision::V2025_03_26 {
            let revision = self.revision.name().to_owned();
            self.find(FindingKind::Batch, None, arrival, || {
                format!("revision {revision} has no batches")
            });
        }
        for message in messages {
            self.interpret_one(message, arrival);
        }
    }

    fn interpret_one(&mut self, message: Value, arrival: Arrival<'_>) {
        let Value::Object(object) = message else {
            return self
                .find(FindingKind::InvalidMessage, None, arrival, || "it is no object".to_owned());
        };
        if !is_version_2(&object) {
            let version = object.get("jsonrpc").cloned();
            self.find(FindingKind::WrongJsonrpc, None, arrival, || match version {
                None => "`jsonrpc` is missing".to_owned(),
                Some(version) => format!("`jsonrpc` is {version}"),
            });
        }
        match Message::from_object(object) {
            Message::Answer { id, result, error } => {
                self.interpret_answer(id.as_ref(), result, error, arrival);
            }
            Message::Request { id, method, params } => {
                self.interpret_request(&id, &method, params.as_ref(), arrival);
            }
            Message::Notification { method, params } => {
                self.interpret_notification(&method, params.as_ref());
            }
            Message::Invalid(reason) => {
                self.find(FindingKind::InvalidMessage, None, arrival, || reason.to_owned());
            }
        }
    }

    fn interpret_answer(
        &mut self,
        id: Option<&Value>,
        result: Option<Value>,
        error: Option<Value>,
        arrival: Arrival<'_>,
    ) {
        let Some(id) = id else {
            return self
                .find(FindingKind::MissingId, None, arrival, || "an answer has no id".to_owned());
        };
        match self.answer_to(id, arrival) {
            AnswerTo::Pending => {
                self.answer_bytes = arrival.raw.len();
                let answer = self.read_answer(result, error, arrival);
                self.answer(answer);
            }
            AnswerTo::Cancelled(number) => {
                self.cancelled.remove(&number);
                self.find(FindingKind::LateAnswer, Some(number), arrival, || {
                    format!("request {number} was answered after it had been cancelled")
                });
            }
            AnswerTo::Answered(number) => {
                self.find(FindingKind::DuplicateAnswer, Some(number), arrival, || {
                    format!("request {number} was answered again")
                });
            }
            AnswerTo::Nothing => {
                let id = id.to_string();
                self.find(FindingKind::UnknownId, None, arrival, || {
                    format!("no request has the id {id}")
                });
            }
        }
    }

    fn answer_to(&mut self, id: &Value, arrival: Arrival<'_>) -> AnswerTo {
        let Some(number) = id_number(id).filter(|number| (1..self.next_id).contains(number)) else {
            return AnswerTo::Nothing;
        };
        if id.as_u64().is_none() {
            self.find(FindingKind::IdTypeChanged, Some(number), arrival, || {
                format!("the id is {id} in the answer and {number} in the request")
            });
        }
        if self.cancelled.contains(&number) {
            return AnswerTo::Cancelled(number);
        }
        match &self.pending {
            Some(Pending { id, answer: None, .. }) if *id == number => AnswerTo::Pending,
            _ => AnswerTo::Answered(number),
        }
    }

    fn read_answer(
        &mut self,
        result: Option<Value>,
        error: Option<Value>,
        arrival: Arrival<'_>,
    ) -> Answer {
        if result.is_some() && error.is_some() {
            self.find(FindingKind::ResultAndError, self.pending_id(), arrival, || {
                "an answer has both `result` and `error`".to_owned()
            });
        }
        // Some libraries write the absent one of both as `null`, which leaves no doubt.
        let (result, error) = match (result, error) {
            (Some(Value::Null), Some(error)) => (None, Some(error)),
            (Some(result), Some(Value::Null)) => (Some(result), None),
            (Some(_), Some(_)) => return Answer::Malformed(FindingKind::ResultAndError),
            either => either,
        };
        if let Some(error) = error {
            let (error, problem) = read_error(error);
            if let Some(problem) = problem {
                self.find(FindingKind::InvalidError, self.pending_id(), arrival, || {
                    problem.to_owned()
                });
            }
            return Answer::Error(error);
        }
        let Some(result) = result else {
            self.find(FindingKind::NoResultNoError, self.pending_id(), arrival, || {
                "an answer has neither `result` nor `error`".to_owned()
            });
            return Answer::Malformed(FindingKind::NoResultNoError);
        };
        let method = self.pending.as_ref().map_or("", |pending| pending.method);
        if let Some(problem) = shape::problem(method, self.era, &result) {
            self.find(FindingKind::WrongResultShape, self.pending_id(), arrival, || problem);
        }
        Answer::Result(result)
    }

    fn interpret_request(
        &mut self,
        id: &Value,
        method: &str,
        params: Option<&Value>,
        arrival: Arrival<'_>,
    ) {
        if self.era == Era::Stateless {
            // Revision 2026-07-28 forbids the request, and an answer to it.
            return self.find(FindingKind::UnexpectedRequest, None, arrival, || {
                format!("the server sent the request `{method}`, and the stateless era has none")
            });
        }
        let reply = if let Some(result) = self.responder.respond(method, params) {
            json!({ "jsonrpc": "2.0", "id": id, "result": result })
        } else {
            self.find(FindingKind::UnknownRequest, None, arrival, || {
                format!("the server sent the request `{method}`, which no client declared")
            });
            let error = json!({ "code": -32601, "message": "method not found" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        };
        self.replies.push(serialize(&reply));
    }

    fn interpret_notification(&mut self, method: &str, params: Option<&Value>) {
        if method != "notifications/progress" {
            return;
        }
        let token = params.and_then(|params| params.get("progressToken")).and_then(Value::as_u64);
        if let Some(pending) = &mut self.pending
            // Requests other than calls have no token.
            && pending.method == "tools/call"
            && token == Some(pending.id)
        {
            pending.has_progressed = true;
        }
    }
}

/// The number that an id stands for, of any type.
fn id_number(id: &Value) -> Option<u64> {
    if let Some(text) = id.as_str() {
        return text.parse().ok();
    }
    id.as_u64().or_else(|| {
        let text = id.as_number()?.as_str();
        text.strip_suffix(".0")?.parse().ok()
    })
}

//! The list of tools, page by page.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    connection::Connection,
    finding::FindingKind,
    limits::Limits,
    outcome::CallEnd,
    request::{ListParams, Meta},
};

/// The most pages of a list.
const MOST_PAGES: usize = 1_000;

/// The most bytes of a list, all pages together.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// A tool as its server describes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolDescription {
    /// The name. Without one the tool cannot be called, which is a
    /// [finding](super::FindingKind::ToolWithoutName).
    pub name: Option<String>,
    /// The whole description.
    pub raw: Value,
}

impl Connection {
    /// Every tool of the server, in its order, from all pages of `tools/list`.
    ///
    /// A page that cannot be read ends the list with its [`CallEnd`]. A cursor that was given before,
    /// and a list that is too long, are findings; what was read so far is the list then.
    pub async fn list_tools(&mut self) -> Result<Vec<ToolDescription>, CallEnd> {
        let mut tools = Vec::new();
        let mut cursors = BTreeSet::new();
        let mut cursor: Option<String> = None;
        let mut bytes = 0;
        // The whole list has the limits of one call: an endless one must not take hours.
        let limits = self.call_limits();
        for _ in 0..MOST_PAGES {
            let (page, next) = match self.list_page(cursor.as_deref(), limits).await {
                // Each page came in time, but all of them do not: what there is can be tested.
                Err(CallEnd::TimedOut) if limits.are_over() && !cursors.is_empty() => break,
                page => page?,
            };
            bytes += self.session.answer_bytes();
            for raw in page {
                tools.extend(self.describe(raw));
            }
            let Some(next) = next else { return Ok(tools) };
            if !cursors.insert(next.clone()) {
                self.session.found(FindingKind::RepeatedCursor, || {
                    format!("`tools/list` gave the cursor `{next}` again")
                });
                return Ok(tools);
            }
            if bytes > MOST_BYTES {
                break;
            }
            cursor = Some(next);
        }
        let count = tools.len();
        self.session.found(FindingKind::ListTooLong, || {
            format!("`tools/list` has no end after {count} tools in {} pages", cursors.len())
        });
        Ok(tools)
    }

    async fn list_page(
        &mut self,
        cursor: Option<&str>,
        limits: Limits,
    ) -> Result<(Vec<Value>, Option<String>), CallEnd> {
        let era = self.era();
        let end = self
            .request("tools/list", None, limits, |_| ListParams {
                cursor,
                meta: Meta { era, progress_token: None },
            })
            .await;
        let CallEnd::Answered(result) = end else { return Err(end) };
        let mut result = result.into_raw();
        let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        match result.get_mut("tools").map(Value::take) {
            Some(Value::Array(tools)) => Ok((tools, next)),
            _ => Err(CallEnd::Malformed { kind: FindingKind::WrongResultShape }),
        }
    }

    fn describe(&mut self, raw: Value) -> Option<ToolDescription> {
        let name = raw.get("name").and_then(Value::as_str).map(str::to_owned);
        if name.is_none() {
            let shown: String = raw.to_string().chars().take(200).collect();
            self.session.found(FindingKind::ToolWithoutName, || format!("a tool is {shown}"));
        }
        if let Some(name) = &name
            && let Err(problem) = self.transport.learn(&self.session, name, &raw)
        {
            // Revision 2026-07-28 requires clients to exclude such a tool over HTTP.
            self.session.found(FindingKind::InvalidHeaderAnnotation, || {
                format!("the tool `{name}`: {problem}")
            });
            return None;
        }
        Some(ToolDescription { name, raw })
    }
}

//! The input and output schemas of the tools, in JSON Schema 2020-12.
//!
//! Input schemas use only the keywords that `arguments` checks.

use serde_json::{Value, json};

use super::{store::Priority, tools::Tool};

/// The schema of the arguments of `tool`.
pub(super) fn input(tool: Tool) -> Value {
    match tool {
        Tool::CreateTask => closed(
            &json!({
                "title": title(),
                "priority": {
                    "type": "string",
                    "description": "How important the task is; normal if absent.",
                    "enum": priorities(),
                },
                "estimate": estimate(),
            }),
            &["title"],
        ),
        Tool::GetTask | Tool::DeleteTask => closed(&json!({ "id": id() }), &["id"]),
        Tool::UpdateTask => closed(
            &json!({
                "id": id(),
                "title": title(),
                "done": { "type": "boolean", "description": "Whether the task is finished." },
                "estimate": estimate(),
            }),
            &["id"],
        ),
        Tool::SearchTasks => closed(
            &json!({
                "query": { "type": "string", "description": "Text to find in titles." },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 50,
                    "description": "The largest number of tasks to return; 50 if absent.",
                },
            }),
            &["query"],
        ),
        Tool::ListTasks | Tool::TaskStatistics | Tool::DeleteAllTasks => closed(&json!({}), &[]),
        Tool::MoveTask => closed(&json!({ "id": id(), "to": location_argument() }), &["id", "to"]),
        Tool::SetReminder => closed(
            &json!({
                "id": id(),
                "minutes": { "type": "integer", "description": "Minutes from now." },
            }),
            &["id", "minutes"],
        ),
    }
}

/// The schema of the structured content that `tool` returns.
pub(super) fn output(tool: Tool) -> Value {
    match tool {
        Tool::CreateTask | Tool::GetTask | Tool::UpdateTask => task(),
        Tool::DeleteTask => closed(&json!({ "deleted": { "type": "string" } }), &["deleted"]),
        Tool::SearchTasks | Tool::ListTasks => {
            closed(&json!({ "tasks": { "type": "array", "items": task() } }), &["tasks"])
        }
        Tool::TaskStatistics => {
            let names = Priority::ALL.map(Priority::name);
            let counts = names.iter().map(|name| ((*name).to_owned(), count())).collect();
            let by_priority = closed(&Value::Object(counts), &names);
            closed(
                &json!({
                    "total": count(),
                    "open": count(),
                    "done": count(),
                    "by_priority": by_priority,
                }),
                &["total", "open", "done", "by_priority"],
            )
        }
        Tool::MoveTask => closed(
            &json!({ "id": { "type": "string" }, "location": location() }),
            &["id", "location"],
        ),
        Tool::SetReminder => closed(
            &json!({ "id": { "type": "string" }, "minutes": { "type": "integer" } }),
            &["id", "minutes"],
        ),
        Tool::DeleteAllTasks => closed(&json!({ "deleted": count() }), &["deleted"]),
    }
}

fn task() -> Value {
    closed(
        &json!({
            "id": { "type": "string" },
            "title": { "type": "string", "minLength": 1 },
            "priority": { "type": "string", "enum": priorities() },
            "estimate": { "type": ["integer", "null"], "minimum": 0 },
            "done": { "type": "boolean" },
            "location": location(),
            "reminder": { "type": "integer" },
        }),
        &["id", "title", "priority", "estimate", "done"],
    )
}

fn location() -> Value {
    closed(
        &json!({ "project": { "type": "string" }, "position": count() }),
        &["project", "position"],
    )
}

/// As [`location`]; over HTTP a stateless client repeats the project in a header.
fn location_argument() -> Value {
    closed(
        &json!({
            "project": {
                "type": "string",
                "description": "The name of the project.",
                "x-mcp-header": "Project",
            },
            "position": {
                "type": "integer",
                "minimum": 0,
                "description": "The position in the project, from 0.",
            },
        }),
        &["project", "position"],
    )
}

fn id() -> Value {
    json!({ "type": "string", "description": "The id of the task, as create_task returned it." })
}

fn title() -> Value {
    json!({ "type": "string", "minLength": 1, "description": "What is to be done." })
}

fn estimate() -> Value {
    json!({ "type": "integer", "minimum": 0, "description": "The expected effort in minutes." })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn priorities() -> [&'static str; 3] {
    Priority::ALL.map(Priority::name)
}

/// An object with these properties and no others.
fn closed(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

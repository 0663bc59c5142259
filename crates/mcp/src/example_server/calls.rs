//! What each tool does, with the bugs that are switched on.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Number, Value, json};

use super::{
    arguments,
    bugs::{Bug, Bugs},
    integer::integer,
    jsonrpc::{INTERNAL_ERROR, INVALID_PARAMS, RpcError},
    schemas,
    store::{Location, Priority, Store, Task},
    tools::Tool,
};

/// From this many minutes on, the bugs of `set_reminder` show.
const REMINDER_LIMIT: i128 = 1000;

/// The largest number of tasks that a search returns.
const SEARCH_LIMIT: usize = 50;

/// How a call ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CallOutcome {
    /// The structured content of a successful result.
    Success(Value),
    /// The text of a result with `isError: true`.
    ToolError(String),
    /// The call never ends.
    Hang,
    /// The server ends, after this line on its standard error.
    Crash(String),
}

/// Calls `tool`. The error is for arguments that break the input schema.
pub(super) fn call(
    store: &mut Store,
    bugs: &Bugs,
    tool: Tool,
    arguments: Value,
) -> Result<CallOutcome, RpcError> {
    arguments::check(&schemas::input(tool), &arguments).map_err(|mismatch| {
        let pointer = if mismatch.pointer.is_empty() { "the object" } else { &mismatch.pointer };
        let reason = &mismatch.reason;
        let message = format!("Invalid arguments for {}: {pointer} {reason}", tool.name());
        RpcError::new(INVALID_PARAMS, message)
            .with_data(json!({ "pointer": mismatch.pointer, "reason": reason }))
    })?;
    Ok(match tool {
        Tool::CreateTask => create(store, read(arguments)?),
        Tool::GetTask => get(store, bugs, &read::<TaskId>(arguments)?.id),
        Tool::UpdateTask => update(store, read(arguments)?),
        Tool::DeleteTask => delete(store, &read::<TaskId>(arguments)?.id),
        Tool::SearchTasks => search(store, bugs, &read(arguments)?),
        Tool::ListTasks => CallOutcome::Success(tasks_json(store.iter())),
        Tool::TaskStatistics => statistics(store),
        Tool::MoveTask => move_task(store, read(arguments)?),
        Tool::SetReminder => set_reminder(store, bugs, read(arguments)?),
        Tool::DeleteAllTasks => CallOutcome::Success(json!({ "deleted": store.clear() })),
    })
}

/// Reads arguments that were checked; a failure is a mistake of the server.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, RpcError> {
    serde_json::from_value(arguments)
        .map_err(|error| RpcError::new(INTERNAL_ERROR, format!("Internal error: {error}")))
}

#[derive(Deserialize)]
struct TaskId {
    id: String,
}

#[derive(Deserialize)]
struct Creation {
    title: String,
    #[serde(default)]
    priority: Priority,
    estimate: Option<Number>,
}

#[derive(Deserialize)]
struct Update {
    id: String,
    title: Option<String>,
    done: Option<bool>,
    estimate: Option<Number>,
}

#[derive(Deserialize)]
struct Search {
    query: String,
    limit: Option<Number>,
}

#[derive(Deserialize)]
struct Move {
    id: String,
    to: Location,
}

#[derive(Deserialize)]
struct Reminder {
    id: String,
    minutes: Number,
}

fn create(store: &mut Store, arguments: Creation) -> CallOutcome {
    let Creation { title, priority, estimate } = arguments;
    CallOutcome::Success(store.create(title, priority, estimate).to_json())
}

fn get(store: &Store, bugs: &Bugs, id: &str) -> CallOutcome {
    if let Some(task) = store.get(id) {
        return CallOutcome::Success(task.to_json());
    }
    match store.deleted(id) {
        Some(task) if bugs.contains(Bug::StaleRead) => {
            let mut task = task.to_json();
            task["title"] = Value::Null;
            CallOutcome::Success(task)
        }
        _ => unknown(id),
    }
}

fn update(store: &mut Store, arguments: Update) -> CallOutcome {
    let Update { id, title, done, estimate } = arguments;
    let Some(task) = store.get_mut(&id) else { return unknown(&id) };
    if let Some(title) = title {
        task.title = title;
    }
    task.done = done.unwrap_or(task.done);
    if estimate.is_some() {
        task.estimate = estimate;
    }
    CallOutcome::Success(task.to_json())
}

fn delete(store: &mut Store, id: &str) -> CallOutcome {
    if store.delete(id) { CallOutcome::Success(json!({ "deleted": id })) } else { unknown(id) }
}

fn search(store: &Store, bugs: &Bugs, arguments: &Search) -> CallOutcome {
    let query = arguments.query.to_lowercase();
    let limit = arguments.limit.as_ref().and_then(integer);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(SEARCH_LIMIT);
    let found = store.iter().filter(|task| task.title.to_lowercase().contains(&query));
    let found: Vec<&Task> = found.take(limit).collect();
    if found.is_empty() && (bugs.contains(Bug::Hang) || bugs.contains(Bug::Frozen)) {
        return CallOutcome::Hang;
    }
    CallOutcome::Success(tasks_json(found))
}

fn statistics(store: &Store) -> CallOutcome {
    let count = |condition: &dyn Fn(&Task) -> bool| store.iter().filter(|t| condition(t)).count();
    let by_priority: serde_json::Map<String, Value> = Priority::ALL
        .into_iter()
        .map(|priority| {
            (priority.name().to_owned(), json!(count(&|task| task.priority == priority)))
        })
        .collect();
    CallOutcome::Success(json!({
        "total": count(&|_| true),
        "open": count(&|task| !task.done),
        "done": count(&|task| task.done),
        "by_priority": by_priority,
    }))
}

fn move_task(store: &mut Store, arguments: Move) -> CallOutcome {
    let Move { id, to } = arguments;
    let Some(task) = store.get_mut(&id) else { return unknown(&id) };
    let location = json!({ "project": to.project, "position": to.position });
    task.location = Some(to);
    CallOutcome::Success(json!({ "id": id, "location": location }))
}

fn set_reminder(store: &mut Store, bugs: &Bugs, arguments: Reminder) -> CallOutcome {
    let Reminder { id, minutes } = arguments;
    let Some(task) = store.get_mut(&id) else { return unknown(&id) };
    let value = integer(&minutes).unwrap_or_default();
    if value >= REMINDER_LIMIT && bugs.contains(Bug::Crash) {
        return CallOutcome::Crash(format!(
            "thread 'main' panicked: index out of bounds: the length is {REMINDER_LIMIT} but the \
             index is {minutes}"
        ));
    }
    let shown = if value >= REMINDER_LIMIT && bugs.contains(Bug::Threshold) {
        json!(format!("{} h {} min", value / 60, value % 60))
    } else {
        json!(minutes)
    };
    task.reminder = Some(minutes);
    CallOutcome::Success(json!({ "id": id, "minutes": shown }))
}

fn tasks_json<'t>(tasks: impl IntoIterator<Item = &'t Task>) -> Value {
    let tasks: Vec<Value> = tasks.into_iter().map(Task::to_json).collect();
    json!({ "tasks": tasks })
}

fn unknown(id: &str) -> CallOutcome {
    CallOutcome::ToolError(format!("There is no task with the id {id}."))
}

//! The tools: their names, and what `tools/list` says about each.

use serde_json::{Value, json};

use super::schemas;

/// One tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    CreateTask,
    GetTask,
    UpdateTask,
    DeleteTask,
    SearchTasks,
    ListTasks,
    TaskStatistics,
    MoveTask,
    SetReminder,
    DeleteAllTasks,
}

impl Tool {
    /// Every tool, in the order of `tools/list`.
    pub(super) const ALL: [Self; 10] = [
        Self::CreateTask,
        Self::GetTask,
        Self::UpdateTask,
        Self::DeleteTask,
        Self::SearchTasks,
        Self::ListTasks,
        Self::TaskStatistics,
        Self::MoveTask,
        Self::SetReminder,
        Self::DeleteAllTasks,
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CreateTask => "create_task",
            Self::GetTask => "get_task",
            Self::UpdateTask => "update_task",
            Self::DeleteTask => "delete_task",
            Self::SearchTasks => "search_tasks",
            Self::ListTasks => "list_tasks",
            Self::TaskStatistics => "task_statistics",
            Self::MoveTask => "move_task",
            Self::SetReminder => "set_reminder",
            Self::DeleteAllTasks => "delete_all_tasks",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::CreateTask => "Create a task",
            Self::GetTask => "Get a task",
            Self::UpdateTask => "Update a task",
            Self::DeleteTask => "Delete a task",
            Self::SearchTasks => "Search tasks",
            Self::ListTasks => "List tasks",
            Self::TaskStatistics => "Task statistics",
            Self::MoveTask => "Move a task",
            Self::SetReminder => "Set a reminder",
            Self::DeleteAllTasks => "Delete all tasks",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::CreateTask => "Creates a task and returns it with its new id.",
            Self::GetTask => "Returns the task with this id.",
            Self::UpdateTask => "Changes the given fields of a task and returns the task.",
            Self::DeleteTask => "Deletes the task with this id.",
            Self::SearchTasks => "Returns the tasks whose titles contain the query, in any case.",
            Self::ListTasks => "Returns every task, oldest first.",
            Self::TaskStatistics => "Counts the tasks by state and by priority.",
            Self::MoveTask => "Moves a task to a position in a project.",
            Self::SetReminder => "Sets a reminder this many minutes from now, or before now.",
            Self::DeleteAllTasks => "Deletes every task. This cannot be undone.",
        }
    }

    /// The hints for clients. `delete_task` has no `destructiveHint` so that testers which skip tools
    /// with that hint still call it.
    fn annotations(self) -> Value {
        match self {
            Self::GetTask | Self::SearchTasks | Self::ListTasks | Self::TaskStatistics => {
                json!({ "readOnlyHint": true, "openWorldHint": false })
            }
            Self::CreateTask => {
                json!({ "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false })
            }
            Self::UpdateTask | Self::MoveTask | Self::SetReminder => {
                json!({ "readOnlyHint": false, "idempotentHint": true, "openWorldHint": false })
            }
            Self::DeleteTask => json!({ "readOnlyHint": false, "openWorldHint": false }),
            Self::DeleteAllTasks => {
                json!({ "readOnlyHint": false, "destructiveHint": true, "openWorldHint": false })
            }
        }
    }

    /// The tool as `tools/list` returns it.
    pub(super) fn definition(self) -> Value {
        json!({
            "name": self.name(),
            "title": self.title(),
            "description": self.description(),
            "inputSchema": schemas::input(self),
            "outputSchema": schemas::output(self),
            "annotations": self.annotations(),
        })
    }
}

//! The tasks of one session.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Number, Value, json};

use super::ids::IdGenerator;

/// How important a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl Priority {
    pub(super) const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// Where a task stands.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Location {
    pub(super) project: String,
    pub(super) position: Number,
}

/// One task. Numbers are kept as they were written.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) priority: Priority,
    pub(super) estimate: Option<Number>,
    pub(super) done: bool,
    pub(super) location: Option<Location>,
    pub(super) reminder: Option<Number>,
}

impl Task {
    /// The task as tools return it.
    pub(super) fn to_json(&self) -> Value {
        let mut task = json!({
            "id": self.id,
            "title": self.title,
            "priority": self.priority.name(),
            "estimate": self.estimate,
            "done": self.done,
        });
        if let Some(Location { project, position }) = &self.location {
            task["location"] = json!({ "project": project, "position": position });
        }
        if let Some(minutes) = &self.reminder {
            task["reminder"] = json!(minutes);
        }
        task
    }
}

/// The tasks, in the order of their creation.
#[derive(Debug)]
pub(super) struct Store {
    ids: IdGenerator,
    tasks: Vec<Task>,
    /// What `delete` removed, which only the bug `stale-read` reads.
    deleted: BTreeMap<String, Task>,
}

impl Store {
    pub(super) fn new(seed: u64) -> Self {
        Self { ids: IdGenerator::new(seed), tasks: Vec::new(), deleted: BTreeMap::new() }
    }

    pub(super) fn create(
        &mut self,
        title: String,
        priority: Priority,
        estimate: Option<Number>,
    ) -> &Task {
        let id = self.unused_id();
        let task =
            Task { id, title, priority, estimate, done: false, location: None, reminder: None };
        self.tasks.push(task);
        self.tasks.last().expect("a task was just added")
    }

    fn unused_id(&mut self) -> String {
        loop {
            let id = self.ids.task();
            if self.get(&id).is_none() && !self.deleted.contains_key(&id) {
                return id;
            }
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.id == id)
    }

    /// The task with this id that `delete` removed.
    pub(super) fn deleted(&self, id: &str) -> Option<&Task> {
        self.deleted.get(id)
    }

    /// Removes a task; returns whether it was there.
    pub(super) fn delete(&mut self, id: &str) -> bool {
        let Some(index) = self.tasks.iter().position(|task| task.id == id) else { return false };
        let task = self.tasks.remove(index);
        self.deleted.insert(task.id.clone(), task);
        true
    }

    /// Removes every task; returns how many there were.
    pub(super) fn clear(&mut self) -> usize {
        self.tasks.drain(..).count()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter()
    }
}

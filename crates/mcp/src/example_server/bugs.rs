//! The deliberate bugs: their names, what each does, and which of them a server has.

use std::{collections::BTreeSet, fmt, str::FromStr, time::Duration};

use thiserror::Error;

/// One deliberate bug of the example server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bug {
    /// `get_task` finds a task that was deleted with `delete_task`, with `null` as its title.
    StaleRead,
    /// `set_reminder` with 1000 minutes or more ends the connection.
    Crash,
    /// `set_reminder` with 1000 minutes or more returns the minutes as a text.
    Threshold,
    /// `search_tasks` never answers if no task matches.
    Hang,
    /// `task_statistics` answers only after [`Bugs::delay`].
    Slow,
    /// A line that is not JSON stands before every answer of `list_tasks`.
    Junk,
    /// As [`Bug::Hang`], and no other request is answered from then on.
    Frozen,
}

impl Bug {
    /// Every bug, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::StaleRead,
        Self::Crash,
        Self::Threshold,
        Self::Hang,
        Self::Slow,
        Self::Junk,
        Self::Frozen,
    ];

    /// The name that [`Bug::from_str`] reads.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StaleRead => "stale-read",
            Self::Crash => "crash",
            Self::Threshold => "threshold",
            Self::Hang => "hang",
            Self::Slow => "slow",
            Self::Junk => "junk",
            Self::Frozen => "frozen",
        }
    }

    /// What the bug does, in one line.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::StaleRead => {
                "get_task answers for a deleted task, with a title that breaks the output schema"
            }
            Self::Crash => "set_reminder with 1000 minutes or more ends the process or connection",
            Self::Threshold => {
                "set_reminder with 1000 minutes or more returns minutes that break the output schema"
            }
            Self::Hang => "search_tasks never answers if no task matches",
            Self::Slow => "task_statistics answers after a long delay",
            Self::Junk => "a line that is not JSON is written before the answer of list_tasks",
            Self::Frozen => {
                "search_tasks never answers if no task matches, and nothing is answered after that"
            }
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Bug {
    type Err = UnknownBug;

    fn from_str(name: &str) -> Result<Self, UnknownBug> {
        let bug = Self::ALL.into_iter().find(|bug| bug.name() == name);
        bug.ok_or_else(|| UnknownBug { name: name.to_owned() })
    }
}

/// A name that is not the name of a [`Bug`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the example server has no bug `{name}`; its bugs are {}", Bug::ALL.map(Bug::name).join(", "))]
pub struct UnknownBug {
    /// The name.
    pub name: String,
}

/// The bugs that are switched on in a server.
///
/// ```
/// use foolproof_mcp::example_server::{Bug, Bugs};
///
/// let bugs: Bugs = "stale-read,slow".parse()?;
/// assert!(bugs.contains(Bug::Slow));
/// assert!(!bugs.contains(Bug::Crash));
/// assert_eq!(bugs.to_string(), "stale-read,slow");
/// assert!("stale".parse::<Bugs>().is_err());
/// # Ok::<(), foolproof_mcp::example_server::UnknownBug>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bugs {
    switched_on: BTreeSet<Bug>,
    delay: Duration,
}

impl Bugs {
    /// The delay of [`Bug::Slow`] unless [`with_delay`](Self::with_delay) sets another: longer than
    /// the limits that clients usually set for a call.
    pub const DEFAULT_DELAY: Duration = Duration::from_secs(120);

    /// No bugs.
    #[must_use]
    pub fn none() -> Self {
        Self { switched_on: BTreeSet::new(), delay: Self::DEFAULT_DELAY }
    }

    /// These bugs and `bug`.
    #[must_use]
    pub fn with(mut self, bug: Bug) -> Self {
        self.switched_on.insert(bug);
        self
    }

    /// These bugs, with another delay for [`Bug::Slow`].
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Whether `bug` is switched on.
    #[must_use]
    pub fn contains(&self, bug: Bug) -> bool {
        self.switched_on.contains(&bug)
    }

    /// How long [`Bug::Slow`] delays an answer.
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// The bugs that are switched on, in the order of [`Bug::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = Bug> {
        self.switched_on.iter().copied()
    }
}

impl Default for Bugs {
    fn default() -> Self {
        Self::none()
    }
}

impl From<Bug> for Bugs {
    fn from(bug: Bug) -> Self {
        Self::none().with(bug)
    }
}

impl FromIterator<Bug> for Bugs {
    fn from_iter<I: IntoIterator<Item = Bug>>(bugs: I) -> Self {
        Self { switched_on: bugs.into_iter().collect(), ..Self::none() }
    }
}

/// Reads names separated by commas; an empty text means no bugs.
impl FromStr for Bugs {
    type Err = UnknownBug;

    fn from_str(names: &str) -> Result<Self, UnknownBug> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(str::parse).collect()
    }
}

/// The names, separated by commas.
impl fmt::Display for Bugs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Bug::name).collect();
        f.pad(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for bug in Bug::ALL {
            assert_eq!(bug.name().parse(), Ok(bug));
        }
        let all: Bugs = Bug::ALL.into_iter().collect();
        assert_eq!(all.to_string().parse(), Ok(all));
    }

    #[test]
    fn no_names_are_no_bugs() {
        assert_eq!("".parse(), Ok(Bugs::none()));
    }

    #[test]
    fn an_unknown_name_is_named_in_the_error() {
        let error = "junk,nonsense".parse::<Bugs>().unwrap_err();
        assert!(
            error.to_string().starts_with("the example server has no bug `nonsense`; its bugs")
        );
    }
}

//! The instances that do not count: the first are listed while data is read, and all are counted.

use foolproof_contract::wording::count;

use super::data::Place;
use crate::{
    terminal::{print_line, short},
    verbosity::VerbosityArgs,
};

/// The most instances that are listed, unless all of them are.
const MAX_LISTED: u64 = 20;

/// How many instances were refused so far.
pub(super) struct Refused {
    /// The most that are listed.
    listed: u64,
    not_json: u64,
    invalid: u64,
}

impl Refused {
    /// None so far; all of them are listed if the user wants to know everything.
    pub(super) fn listing(verbosity: VerbosityArgs) -> Self {
        let listed = if verbosity.verbose { u64::MAX } else { MAX_LISTED };
        Self { listed, not_json: 0, invalid: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Whether the next one is listed, and so needs a reason.
    pub(super) fn is_listing(&self) -> bool {
        self.total() < self.listed
    }

    /// Adds an instance that does not count.
    pub(super) fn add(&mut self, file: &str, place: Place, why: &Refusal) {
        if self.is_listing() {
            let (location, what) = why.describe(file, place);
            print_line(&format!("{}: {}", short(&location, 200), short(&what, 300)));
        }
        match why {
            Refusal::NotJson(_) => self.not_json += 1,
            Refusal::Invalid(_) => self.invalid += 1,
        }
    }

    /// Prints how many of the instances `read` do not count.
    pub(super) fn print_total(&self, read: u64) {
        let total = self.total();
        if total > self.listed {
            print_line(&format!("and {} more", total - self.listed));
        }
        if total > 0 {
            let (not_json, invalid) = (self.not_json, self.invalid);
            let (read, do_not) = (count(read, "instance"), if total == 1 { "does" } else { "do" });
            print_line(&format!(
                "{total} of {read} {do_not} not count: {invalid} not valid, {not_json} not JSON"
            ));
        }
    }

    fn total(&self) -> u64 {
        self.not_json + self.invalid
    }
}

/// Why an instance does not count.
pub(super) enum Refusal {
    /// Its text is not JSON.
    NotJson(serde_json::Error),
    /// The schema does not admit it; the first violation, if it was asked for.
    Invalid(Option<String>),
}

impl Refusal {
    /// The location in the data, and the reason.
    fn describe(&self, file: &str, place: Place) -> (String, String) {
        match self {
            Self::NotJson(error) => {
                let line = match place {
                    // The parser gets a single line, so it does not know its number.
                    Place::Line(line) => line,
                    Place::Whole | Place::Item(_) => error.line() as u64,
                };
                let position = format!(" at line {} column {}", error.line(), error.column());
                let what = error.to_string();
                let what = what.strip_suffix(&position).unwrap_or(&what);
                (format!("{file}:{line}:{}", error.column()), format!("not JSON: {what}"))
            }
            Self::Invalid(violation) => {
                let location = match place {
                    Place::Whole => file.to_owned(),
                    Place::Line(line) => format!("{file}:{line}"),
                    Place::Item(index) => format!("{file}#/{index}"),
                };
                let why = violation.as_ref().map(|violation| format!(": {violation}"));
                let why = why.unwrap_or_default();
                (location, format!("not valid{why}"))
            }
        }
    }
}

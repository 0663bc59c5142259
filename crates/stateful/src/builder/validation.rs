//! Checks that types cannot make: names, and references between commands.

use std::{borrow::Cow, fmt::Debug};

use super::Test;
use crate::{
    command::ErasedCommand as _, failure::Failure, lifecycle::ModelFactory as _,
    results::Reference, threading::Threading,
};

impl<M: Debug + 'static, S: 'static, K: Threading> Test<M, S, K> {
    /// The first problem of a test that compiles but cannot run.
    pub(super) fn validate(&self) -> Result<(), Failure> {
        if self.commands.is_empty() {
            return Err(Failure::misuse("the test has no commands: call `.command(…)`"));
        }
        if self.commands.iter().any(|command| command.name.is_empty()) {
            return Err(Failure::misuse("a command has no name"));
        }
        let names: Vec<_> = self.commands.iter().map(|command| command.name.clone()).collect();
        if let Some(name) = repeated(&names) {
            let problem = format!("two commands are called `{name}`: names must differ");
            return Err(Failure::misuse(problem));
        }
        for command in &self.commands {
            must_differ(&command.erased.names(), &format!("`{}`", command.name))?;
            for reference in command.erased.refers_to() {
                self.resolve(&command.name, &reference)?;
            }
        }
        let given = self.model.as_ref().map(|model| model.names()).unwrap_or_default();
        must_differ(&given, "the initial state")
    }

    /// Whether the commands that `name` refers to exist and yield the type that `name` expects.
    fn resolve(&self, name: &str, reference: &Reference) -> Result<(), Failure> {
        let Reference { commands, value_type } = reference;
        for command in commands {
            let referred = self.commands.iter().find(|known| known.name == *command);
            let problem = match referred.map(|command| command.erased.yields()) {
                None => format!("`{name}` refers to `{command}`, which is no command"),
                Some(None) => format!("`{name}` refers to `{command}`, which yields nothing"),
                Some(Some(found)) if found.is(value_type) => continue,
                Some(Some(found)) => {
                    let (wanted, found) = (value_type.name, found.name);
                    format!(
                        "`{name}` takes a `{wanted}` from `{command}`, which yields a `{found}`"
                    )
                }
            };
            return Err(Failure::misuse(problem));
        }
        Ok(())
    }
}

/// Refuses two arguments with one name.
fn must_differ(names: &[Cow<'static, str>], whose: &str) -> Result<(), Failure> {
    repeated(names).map_or(Ok(()), |name| {
        let problem = format!("two arguments of {whose} are called `{name}`: names must differ");
        Err(Failure::misuse(problem))
    })
}

/// A name that occurs twice.
fn repeated<'a>(names: &'a [Cow<'static, str>]) -> Option<&'a str> {
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    twice.map(|(_, name)| name.as_ref())
}

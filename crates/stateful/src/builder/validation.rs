//! Checks that types cannot make: command names, and references between commands.

use std::fmt::Debug;

use super::Test;
use crate::{
    argument::Reference, command::ErasedCommand as _, failure::Failure, threading::Threading,
};

impl<M: Debug + 'static, S: 'static, K: Threading> Test<M, S, K> {
    /// The first problem of a test that compiles but cannot run.
    pub(super) fn validate(&self) -> Result<(), Failure> {
        if self.commands.is_empty() {
            return Err(Failure::misuse("the test has no commands: call `.command(…)`"));
        }
        for (index, (name, _)) in self.commands.iter().enumerate() {
            if self.commands[..index].iter().any(|(other, _)| other == name) {
                let problem = format!("two commands are called `{name}`: names must differ");
                return Err(Failure::misuse(problem));
            }
        }
        for (name, command) in &self.commands {
            for reference in command.refers_to() {
                self.resolve(name, reference)?;
            }
        }
        Ok(())
    }

    /// Whether the command `name` refers to exists and yields the type that `name` expects.
    fn resolve(&self, name: &str, reference: Reference) -> Result<(), Failure> {
        let Reference { command, value_type } = reference;
        let referred = self.commands.iter().find(|(known, _)| *known == command);
        let problem = match referred.map(|(_, command)| command.yields()) {
            None => format!("`{name}` refers to `{command}`, which is no command"),
            Some(None) => format!("`{name}` refers to `{command}`, which yields nothing"),
            Some(Some(found)) if found.is(&value_type) => return Ok(()),
            Some(Some(found)) => {
                let (wanted, found) = (value_type.name, found.name);
                format!("`{name}` takes a `{wanted}` from `{command}`, which yields a `{found}`")
            }
        };
        Err(Failure::misuse(problem))
    }
}

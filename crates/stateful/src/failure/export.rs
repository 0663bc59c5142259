//! The minimal sequence in other notations: as a Rust test, and as a Mermaid sequence diagram.

use super::{Failure, StepReport};

impl Failure {
    /// The minimal sequence as a Rust test, to be completed: methods of the system are called like the
    /// commands. `None` if no sequence fails, or if the `Debug` text of an argument is no Rust literal.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| *model += by))
    ///     .invariant("below two", |model, ()| *model < 2)
    ///     .check(Config { seed: Some(3), ..Config::default() })
    ///     .unwrap_err();
    /// assert_eq!(failure.to_rust().unwrap(), "\
    /// #[test]
    /// fn minimal_sequence() {
    ///     let mut system = todo!(\"create the system\");
    ///     system.add(2); // by
    ///     // Here, the invariant `below two` is false.
    /// }
    /// ");
    /// ```
    #[must_use]
    pub fn to_rust(&self) -> Option<String> {
        let fault = self.fault()?;
        if self.minimal().is_empty() {
            return None;
        }
        let mut text = "#[test]\nfn minimal_sequence() {\n".to_owned();
        for given in self.given() {
            let (name, value) = literal(given)?;
            text.push_str(&format!("    let {name} = {value};\n"));
        }
        text.push_str("    let mut system = todo!(\"create the system\");\n");
        for step in self.minimal() {
            let arguments: Option<Vec<_>> =
                step.arguments.iter().map(|argument| literal(argument)).collect();
            let (names, values): (Vec<_>, Vec<_>) = arguments?.into_iter().unzip();
            let comment = if names.is_empty() { String::new() } else { " // ".to_owned() };
            let (method, values) = (method(&step.command), values.join(", "));
            text.push_str(&format!(
                "    system.{method}({values});{comment}{}\n",
                names.join(", ")
            ));
        }
        let fault = fault.to_string();
        let lines: Vec<&str> = fault.lines().collect();
        text.push_str(&format!("    // Here, {}.\n}}\n", lines.join("\n    // ")));
        Some(text)
    }

    /// The minimal sequence as a Mermaid sequence diagram; `None` if no sequence fails.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("add", |c| c.run(|(), model, ()| { *model += 1; *model }))
    ///     .invariant("below two", |model, ()| *model < 2)
    ///     .check(Config { seed: Some(3), ..Config::default() })
    ///     .unwrap_err();
    /// let diagram = failure.to_mermaid().unwrap();
    /// assert!(diagram.starts_with("sequenceDiagram\n"));
    /// assert!(diagram.contains("    test->>system: add()\n    system-->>test: 1\n"));
    /// ```
    #[must_use]
    pub fn to_mermaid(&self) -> Option<String> {
        let fault = self.fault()?;
        if self.minimal().is_empty() {
            return None;
        }
        let mut text = "sequenceDiagram\n    participant test\n    participant system\n".to_owned();
        if !self.given().is_empty() {
            let given = mermaid(&self.given().join(", "));
            text.push_str(&format!("    note over test,system: {given}\n"));
        }
        for step in self.minimal() {
            let StepReport { result, .. } = step;
            text.push_str(&format!("    test->>system: {}\n", mermaid(&step.to_string())));
            if let Some(result) = result {
                text.push_str(&format!("    system-->>test: {}\n", mermaid(result)));
            }
        }
        text.push_str(&format!("    note over system: {}\n", mermaid(&fault.to_string())));
        Some(text)
    }
}

/// The name and the value of an argument, if the value is a literal in Rust.
fn literal(argument: &str) -> Option<(&str, &str)> {
    let (name, value) = argument.split_once(": ")?;
    let is_number =
        value.parse::<f64>().is_ok() && value.ends_with(|last: char| last.is_ascii_digit());
    let is_text = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    let is_char = value.len() > 2 && value.starts_with('\'') && value.ends_with('\'');
    let is_known = ["true", "false", "()", "None"].contains(&value);
    (is_number || is_text || is_char || is_known || is_list(value)).then_some((name, value))
}

/// Whether `value` is a list or a tuple of numbers.
fn is_list(value: &str) -> bool {
    let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let inside =
        inside.or_else(|| value.strip_prefix('(').and_then(|value| value.strip_suffix(')')));
    inside.is_some_and(|inside| {
        let mut items = inside.split(", ").filter(|item| !item.is_empty());
        items.all(|item| item.parse::<f64>().is_ok())
    })
}

/// A command as the name of a method.
fn method(command: &str) -> String {
    let chars = command.chars().map(|char| if char.is_alphanumeric() { char } else { '_' });
    chars.flat_map(char::to_lowercase).collect()
}

/// Text without the characters that have a meaning to Mermaid.
fn mermaid(text: &str) -> String {
    text.replace('#', "#35;").replace(';', "#59;").replace('\n', "<br/>")
}

//! A repro file is a stranger's program: what it would start or call is shown, and done only with the user's consent.

use std::io::{self, BufRead as _, IsTerminal as _};

use foolproof_contract::Untrusted;
use foolproof_mcp::Repro;
use serde_json::Value;

use crate::{failure::Failure, terminal::print_line};

/// What a repro file wants done that the user has not typed.
pub(super) struct Wanted {
    lines: Vec<String>,
}

/// What the user has typed instead of what is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    /// A command or a URL.
    pub(super) server: bool,
    pub(super) reset_command: bool,
}

impl Wanted {
    /// What `repro` wants, but for what the user has given.
    pub(super) fn by(repro: &Repro, given: Given) -> Self {
        let field = |name: &str| repro.server.get(name).filter(|value| !value.is_null());
        let shell = |value: &Value| Untrusted::new(value.as_str().unwrap_or_default()).shell();
        let mut lines = Vec::new();
        if !given.server {
            let words = field("command").and_then(Value::as_array).into_iter().flatten();
            let words: Vec<String> = words.map(shell).collect();
            if !words.is_empty() {
                lines.push(format!("command: {}", words.join(" ")));
            }
            for (name, value) in field("env").and_then(Value::as_object).into_iter().flatten() {
                lines.push(format!("with {}={}", Untrusted::new(name), shell(value)));
            }
            for name in field("needs").and_then(Value::as_array).into_iter().flatten() {
                lines.push(format!("with your variable {}", shell(name)));
            }
            lines.extend(field("cwd").map(|folder| format!("in the folder: {}", shell(folder))));
            lines.extend(field("url").map(|url| format!("server: {}", shell(url))));
        }
        if !given.reset_command {
            let reset = field("resetCommand");
            lines.extend(reset.map(|reset| format!("reset command: {}", shell(reset))));
        }
        Self { lines }
    }

    /// Shows what is wanted. Fails unless the user consents, by `--trust` or at the terminal.
    pub(super) fn confirm(&self, is_trusted: bool) -> Result<(), Failure> {
        if self.lines.is_empty() {
            return Ok(());
        }
        print_line("the file wants this to be done:");
        for line in &self.lines {
            print_line(&format!("  {line}"));
        }
        if is_trusted || Self::ask() {
            return Ok(());
        }
        Err(Failure::Usage(
            "nothing was started: a repro file can start any program. Repeat with --trust if you trust it, or give the \
             server yourself: after `--`, or with --url"
                .to_owned(),
        ))
    }

    fn ask() -> bool {
        let (stdin, stderr) = (io::stdin(), io::stderr());
        if !stdin.is_terminal() || !stderr.is_terminal() {
            return false;
        }
        print_line("do it? [y/N]");
        let mut answer = String::new();
        stdin.lock().read_line(&mut answer).is_ok()
            && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
    }
}

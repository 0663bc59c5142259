//! What launchers of projects do before they start a program: `cargo run` builds it, `uv run` makes its environment.
//!
//! Both write into the project, which a sandbox forbids. So the same tool does it once, before the first session and outside
//! of the sandbox. In the sessions it then finds that nothing is left to do.

use std::{fmt, fs, path::Path, path::PathBuf};

/// Options of `cargo run` that have a value in the next argument.
const CARGO_VALUES: [&str; 19] = [
    "-C",
    "-F",
    "-Z",
    "-j",
    "-p",
    "--bin",
    "--color",
    "--config",
    "--example",
    "--features",
    "--jobs",
    "--lockfile-path",
    "--manifest-path",
    "--message-format",
    "--package",
    "--profile",
    "--target",
    "--target-dir",
    "--timings",
];

/// Options of `uv run` that `uv sync` has too and that have a value in the next argument.
const UV_VALUES: [&str; 14] = [
    "-p",
    "--config-file",
    "--default-index",
    "--directory",
    "--extra",
    "--group",
    "--index",
    "--link-mode",
    "--no-extra",
    "--no-group",
    "--only-group",
    "--package",
    "--project",
    "--python",
];

/// Options of `uv run` that `uv sync` has too, without a value.
const UV_FLAGS: [&str; 13] = [
    "-q",
    "-v",
    "--all-extras",
    "--all-groups",
    "--all-packages",
    "--frozen",
    "--locked",
    "--native-tls",
    "--no-default-groups",
    "--no-dev",
    "--offline",
    "--only-dev",
    "--quiet",
];

/// Options of `uv run` for its own command, and how many of the next arguments belong to each.
const UV_OTHERS: [(&str, usize); 7] = [
    ("-w", 1),
    ("--env-file", 1),
    ("--with", 1),
    ("--with-editable", 1),
    ("--with-requirements", 1),
    ("--no-env-file", 0),
    ("--verbose", 0),
];

/// Options of `uv run` with which it makes no environment in the project.
const UV_WITHOUT_PROJECT: [&str; 6] =
    ["-s", "--script", "--gui-script", "--no-project", "--no-sync", "--isolated"];

/// A command that runs before the sessions of another one, outside of the sandbox.
///
/// ```
/// use foolproof_live::Preparation;
///
/// let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
/// let project = std::env::temp_dir();
/// let build = Preparation::of("cargo", &words("run --bin server -- --port 1"), &project);
/// assert_eq!(build.unwrap().to_string(), "cargo build --bin server");
/// assert!(Preparation::of("node", &words("server.js"), &project).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preparation {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The arguments with which `cargo` then says where it builds: what [`lock_files`](Self::lock_files) needs.
    pub metadata: Option<Vec<String>>,
}

impl Preparation {
    /// What `program` does with `args` in `folder` before it starts anything, if it does something.
    #[must_use]
    pub fn of(program: &str, args: &[String], folder: &Path) -> Option<Self> {
        // By its name alone: a program that a path leads to may be called as it likes.
        match program {
            "cargo" => Self::of_cargo(program, args),
            "uv" => Self::of_uv(program, args, folder),
            _ => None,
        }
    }

    fn of_cargo(program: &str, args: &[String]) -> Option<Self> {
        let mut words = args.iter();
        let mut before = Vec::new();
        // Options of `cargo` itself, and the toolchain.
        loop {
            let word = words.next()?;
            if word == "run" || word == "r" {
                break;
            }
            if !word.starts_with(['-', '+']) {
                return None;
            }
            before.push(word.clone());
            if CARGO_VALUES.contains(&word.as_str()) {
                before.extend(words.next().cloned());
            }
        }
        let mut own = Vec::new();
        // The first word that is not an option begins the arguments of the program.
        while let Some(word) = words.next().filter(|word| word.starts_with('-') && *word != "--") {
            own.push(word.clone());
            if CARGO_VALUES.contains(&word.as_str()) {
                own.extend(words.next().cloned());
            }
        }
        let mut metadata = before.clone();
        metadata.extend(["metadata", "--no-deps", "--format-version", "1"].map(str::to_owned));
        let manifest = own.iter().position(|word| word == "--manifest-path");
        metadata.extend(manifest.into_iter().flat_map(|at| own[at..].iter().take(2).cloned()));
        before.push("build".to_owned());
        let args = before.into_iter().chain(own).collect();
        Some(Self { program: program.to_owned(), args, metadata: Some(metadata) })
    }

    fn of_uv(program: &str, args: &[String], folder: &Path) -> Option<Self> {
        let mut words = args.iter();
        let mut own = vec!["sync".to_owned(), "--inexact".to_owned()];
        let mut is_run = false;
        while let Some(word) = words.next() {
            let name = word.split('=').next().unwrap_or(word);
            if word == "run" && !is_run {
                is_run = true;
            } else if UV_WITHOUT_PROJECT.contains(&name) {
                return None;
            } else if let Some((_, values)) = UV_OTHERS.iter().find(|(option, _)| *option == name) {
                let has_value = *values > 0 && name == word;
                has_value.then(|| words.next());
            } else if UV_VALUES.contains(&name) {
                own.push(word.clone());
                own.extend((name == word).then(|| words.next().cloned()).flatten());
            } else if UV_FLAGS.contains(&name) {
                own.push(word.clone());
            } else {
                // The command, or an option that is not known here.
                break;
            }
        }
        let names_project = own.iter().any(|word| {
            let name = word.split('=').next();
            name == Some("--project") || name == Some("--directory")
        });
        let is_project =
            || folder.ancestors().any(|folder| folder.join("pyproject.toml").is_file());
        let applies = is_run && (names_project || is_project());
        applies.then(|| Self { program: program.to_owned(), args: own, metadata: None })
    }

    /// The files that `cargo` locks whatever it does, in its folder for what it builds.
    #[must_use]
    pub fn lock_files(target: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect_locks(target, 2, &mut found);
        found.sort();
        found
    }
}

/// Adds the locks in `folder` and in the folders in it, which are those of profiles and platforms.
fn collect_locks(folder: &Path, levels: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && levels > 0 && !name.starts_with('.') {
            collect_locks(&entry.path(), levels - 1, found);
        } else if kind.is_file() && name.starts_with(".cargo-") && name.ends_with("lock") {
            found.push(entry.path());
        }
    }
}

impl fmt::Display for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(line: &str, folder: &Path) -> Option<String> {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        let args: Vec<String> = words.collect();
        Preparation::of(&program, &args, folder).map(|it| it.to_string())
    }

    #[test]
    fn cargo_builds_what_it_would_run() {
        let folder = Path::new("/nowhere");
        for (line, expected) in [
            ("cargo run", "cargo build"),
            ("cargo r -q --release", "cargo build -q --release"),
            ("cargo +stable --color never run -p a b c", "cargo +stable --color never build -p a"),
            ("cargo run --bin=x -- --bin y", "cargo build --bin=x"),
        ] {
            assert_eq!(prepared(line, folder).as_deref(), Some(expected), "{line}");
        }
        for line in ["cargo test", "cargo", "cargo mcp run", "npx cargo run", "/opt/bin/cargo run"]
        {
            assert_eq!(prepared(line, folder), None, "{line}");
        }
    }

    #[test]
    fn uv_syncs_a_project_and_nothing_else() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("pyproject.toml"), "").unwrap();
        let inner = project.path().join("src");
        fs::create_dir(&inner).unwrap();
        for (line, expected) in [
            ("uv run server.py", "uv sync --inexact"),
            (
                "uv run --with x --extra=a -p 3.12 server --extra b",
                "uv sync --inexact --extra=a -p 3.12",
            ),
            (
                "uv --directory sub run --frozen -- server",
                "uv sync --inexact --directory sub --frozen",
            ),
        ] {
            assert_eq!(prepared(line, &inner).as_deref(), Some(expected), "{line}");
        }
        for line in ["uv run --script server.py", "uv run --no-project x", "uv tool run x", "uv"] {
            assert_eq!(prepared(line, &inner), None, "{line}");
        }
        assert_eq!(prepared("uv run server.py", Path::new("/nowhere")), None);
    }

    #[test]
    fn the_locks_of_cargo_are_found() {
        let target = tempfile::tempdir().unwrap();
        let profile = target.path().join("x86_64/debug");
        fs::create_dir_all(&profile).unwrap();
        fs::write(profile.join(".cargo-lock"), "").unwrap();
        fs::write(profile.join("server"), "").unwrap();
        assert_eq!(Preparation::lock_files(target.path()), [profile.join(".cargo-lock")]);
        assert!(Preparation::lock_files(Path::new("/nowhere")).is_empty());
    }
}

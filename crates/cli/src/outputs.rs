//! Which files a command reads and writes, checked before any work.
//!
//! No two outputs may be one file, and none may be an input. Files are compared by their identity, so
//! another spelling of a path, a link or a redirected standard output is recognised. Devices and pipes may
//! be written to by several outputs.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use same_file::Handle;

use crate::failure::Failure;

/// Where an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sink<'a> {
    /// Standard output.
    Stdout,
    /// The file at this path.
    File(&'a Path),
}

impl<'a> Sink<'a> {
    /// The sink that the user wrote as a path: `-` is standard output.
    pub(crate) fn named(path: &'a Path) -> Self {
        if path == Path::new("-") { Self::Stdout } else { Self::File(path) }
    }

    /// How a message names it.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::File(path) => format!("`{}`", path.display()),
        }
    }

    fn identity(self) -> Option<Identity> {
        match self {
            Self::Stdout => Some(Identity::of_stdout()),
            Self::File(path) if is_stdout(path) => Some(Identity::of_stdout()),
            Self::File(path) => Identity::of(path),
        }
    }
}

/// A file that a command reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// What it is, as in "would overwrite the contract".
    pub(crate) role: &'static str,
    /// Where it is; `-` is standard input.
    pub(crate) path: &'a Path,
}

impl Input<'_> {
    fn identity(self) -> Option<Identity> {
        if self.path == Path::new("-") {
            Identity::of_standard(Handle::stdin())
        } else {
            Identity::of(self.path)
        }
    }
}

/// Fails if two of `outputs` are one file, or if one of them is one of `inputs`.
pub(crate) fn check(outputs: &[Sink<'_>], inputs: &[Input<'_>]) -> Result<(), Failure> {
    let known: Vec<(Sink<'_>, Option<Identity>)> =
        outputs.iter().map(|output| (*output, output.identity())).collect();
    for (number, (output, identity)) in known.iter().enumerate() {
        let is_same =
            |(_, found): &&(Sink<'_>, Option<Identity>)| identity.is_some() && identity == found;
        if let Some((other, _)) = known[..number].iter().find(is_same) {
            return Err(Failure::Usage(written_twice(*other, *output)));
        }
    }
    check_inputs(&known, inputs)
}

fn check_inputs(
    outputs: &[(Sink<'_>, Option<Identity>)],
    inputs: &[Input<'_>],
) -> Result<(), Failure> {
    for input in inputs {
        let Some(read) = input.identity() else { continue };
        let overwrites = |(_, written): &&(Sink<'_>, Option<Identity>)| {
            written.as_ref().is_some_and(|written| *written == read)
        };
        if let Some((output, _)) = outputs.iter().find(overwrites) {
            let (role, path) = (input.role, Sink::File(input.path));
            let input = if *output == path { String::new() } else { format!(" {}", path.name()) };
            let output = output.name();
            return Err(Failure::Usage(format!(
                "{output} would overwrite the {role}{input}; write to another file"
            )));
        }
    }
    Ok(())
}

fn written_twice(first: Sink<'_>, second: Sink<'_>) -> String {
    let (name, other) = (first.name(), second.name());
    if first == second {
        format!("{name} would be written twice")
    } else {
        format!("{name} and {other} are the same file, which would be written twice")
    }
}

/// What makes two paths the same file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// A file that exists and can be opened.
    Existing(Handle),
    /// One that exists and cannot be opened, by its path without links.
    Unreadable(PathBuf),
    /// One that does not exist yet: its folder and its name.
    Absent(PathBuf, OsString),
    /// Standard output, if it is not redirected to a regular file.
    Stdout,
}

impl Identity {
    /// The identity of a regular file, or of one that would be created. Nothing for devices, pipes and
    /// folders, and for what cannot be created.
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            // Opening a pipe would wait for its other end.
            Ok(found) if !found.is_file() => None,
            Ok(_) => {
                let unreadable = || fs::canonicalize(path).ok().map(Self::Unreadable);
                Handle::from_path(path).ok().map(Self::Existing).or_else(unreadable)
            }
            Err(_) => {
                let path = without_dangling_links(path);
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
                Some(Self::Absent(folder, path.file_name()?.to_owned()))
            }
        }
    }

    fn of_stdout() -> Self {
        Self::of_standard(Handle::stdout()).unwrap_or(Self::Stdout)
    }

    /// The identity of the regular file that a standard stream is redirected to, if it is one.
    fn of_standard(stream: io::Result<Handle>) -> Option<Self> {
        let stream = stream.ok()?;
        let is_file = stream.as_file().metadata().is_ok_and(|found| found.is_file());
        is_file.then_some(Self::Existing(stream))
    }
}

/// Whether `path` is another name of standard output, such as `/dev/stdout`, or a link to one. What these
/// lead to says nothing: standard error may lead to the same terminal.
fn is_stdout(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    let is_named = |path: &Path| NAMES.iter().any(|name| path == Path::new(name));
    links(path).any(|path| is_named(&path))
}

/// `path`, what it links to, and so on.
fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let next = |path: &PathBuf| {
        let target = fs::read_link(path).ok()?;
        Some(path.parent().unwrap_or(Path::new("")).join(target))
    };
    std::iter::successors(Some(path.to_owned()), next).take(MAX_LINKS)
}

/// Follows links whose target does not exist: what is written through them is created there.
pub(crate) fn without_dangling_links(path: &Path) -> PathBuf {
    links(path).last().unwrap_or_else(|| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn refused(outputs: &[&Path], inputs: &[&Path]) -> Option<String> {
        let outputs: Vec<Sink<'_>> = outputs.iter().map(|path| Sink::File(path)).collect();
        let input = |path| Input { role: "contract", path };
        let inputs: Vec<Input<'_>> = inputs.iter().map(|path| input(*path)).collect();
        match check(&outputs, &inputs) {
            Ok(()) => None,
            Err(Failure::Usage(message)) => Some(message),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_are_compared_by_identity() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        fs::create_dir(at("sub")).unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("new"), at("dangling")).unwrap();
        symlink(at("sub"), at("folder")).unwrap();
        fs::hard_link(at("file"), at("hard")).unwrap();
        let same = [
            ("file", "file"),
            ("file", "sub/../file"),
            ("file", "link"),
            ("file", "hard"),
            ("new", "sub/../new"),
            ("new", "dangling"),
            ("sub/new", "folder/new"),
        ];
        for (one, other) in same {
            let (one, other) = (at(one), at(other));
            assert!(refused(&[&one, &other], &[]).is_some(), "{one:?} {other:?}");
        }
        for (one, other) in [("file", "new"), ("new", "newer"), ("new", "sub/new")] {
            assert_eq!(refused(&[&at(one), &at(other)], &[]), None, "{one} {other}");
        }
        assert!(refused(&[&at("link")], &[&at("file")]).is_some());
        assert_eq!(refused(&[&at("new")], &[&at("file")]), None);
    }

    #[test]
    fn other_names_of_standard_output_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/stdout", &link).unwrap();
        for path in [Path::new("/dev/stdout"), Path::new("/dev/fd/1"), &link] {
            assert!(check(&[Sink::Stdout, Sink::File(path)], &[]).is_err(), "{path:?}");
        }
    }

    #[test]
    fn devices_may_be_written_twice() {
        let null = Path::new("/dev/null");
        assert_eq!(refused(&[null, null], &[null]), None);
    }
}

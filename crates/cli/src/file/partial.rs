//! Files with a temporary name, which get the name of an output once they are complete.
//!
//! The temporary name is `.OUT.<16 hexadecimal digits>.partial` in the folder of the output. It is random and the file must not
//! exist, so no link can be put in its place. The file is locked as long as the process lives that writes it: one that is not
//! locked was left by a process that was killed, and the next one that writes the same output removes it.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata, TryLockError},
    hash::{BuildHasher as _, RandomState},
    io::{self, BufWriter, IntoInnerError, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the names end with.
const SUFFIX: &str = ".partial";

/// How many random hexadecimal digits a name has.
const RANDOM: usize = 16;

/// How many bytes of the name of an output are part of the temporary name. With the rest it is shorter than what any file
/// system allows, of which 143 bytes (eCryptfs) are the least.
const MAX_STEM: usize = 100;

/// How often a file is made anew that another process takes for abandoned before it is locked. Once is rare.
const MAX_ATTEMPTS: usize = 16;

/// The partial files of this process.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed unless it is finished.
pub(super) struct Partial {
    /// Locked until it is closed.
    file: BufWriter<File>,
    temporary: Temporary,
    /// The output.
    path: PathBuf,
}

impl Partial {
    /// A new file for the output at `path`.
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        let stem = stem(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        remove_abandoned(folder, &stem);
        let replaced = fs::metadata(&path).ok();
        for _ in 0..MAX_ATTEMPTS {
            let temporary = folder.join(temporary_name(&stem));
            // Until it is registered, no signal ends the process.
            let mut in_use = in_use();
            let file = match create_new(&temporary, replaced.as_ref()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            };
            if claim(&file, &temporary) {
                in_use.insert(temporary.clone());
                let temporary = Temporary(temporary);
                return Ok(Self { file: BufWriter::new(file), temporary, path });
            }
        }
        Err(io::Error::other("its temporary file was removed again and again"))
    }

    pub(super) fn writer(&mut self) -> &mut impl Write {
        &mut self.file
    }

    /// Gives the file the name of the output, and the permissions of the file that it replaces.
    pub(super) fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(IntoInnerError::into_error)?;
        if let Ok(replaced) = fs::metadata(&self.path) {
            file.set_permissions(kept_permissions(&replaced))?;
        }
        file.sync_all()?;
        let in_use = in_use();
        let renamed = fs::rename(&self.temporary.0, &self.path);
        // The file, and with it its lock, is closed only after this.
        drop(in_use);
        renamed
    }
}

/// Removes the partial files of this process, for the moment before a signal ends it. No file is made or renamed after this.
pub(crate) fn remove_all() {
    let in_use = in_use();
    for path in in_use.iter() {
        // The next process that writes this output tries again.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(in_use);
}

fn in_use() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // Nothing can panic while the lock is held.
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path of a partial file, which is in [`IN_USE`].
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut in_use = in_use();
        // After a rename the file does not exist; and if it cannot be removed, the next process tries again.
        let _ = fs::remove_file(&self.0);
        in_use.remove(&self.0);
    }
}

/// A name for a partial file, which nobody can guess: the keys of the hash come from the system's source of randomness.
fn temporary_name(stem: &OsStr) -> OsString {
    let random = RandomState::new().hash_one(0_u8);
    let mut name = OsString::from(".");
    name.push(stem);
    name.push(format!(".{random:0RANDOM$x}{SUFFIX}"));
    name
}

/// What of the name of an output is part of temporary names. Outputs with long names may share it; only abandoned files are
/// ever removed.
fn stem(name: &OsStr) -> OsString {
    if name.len() <= MAX_STEM {
        return name.to_owned();
    }
    let mut stem = name.to_string_lossy().into_owned();
    while stem.len() > MAX_STEM {
        stem.pop();
    }
    stem.into()
}

fn is_partial_of(name: &OsStr, stem: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let random = bytes
        .strip_prefix(b".")
        .and_then(|rest| rest.strip_prefix(stem.as_encoded_bytes()))
        .and_then(|rest| rest.strip_prefix(b"."))
        .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|it| it.len() == RANDOM && it.iter().all(u8::is_ascii_hexdigit))
}

/// Locks a new file. Fails if another process has taken it for abandoned, which it is until it is locked.
fn claim(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => is_at(file, path),
        Err(TryLockError::WouldBlock) => false,
        // The file system has no locks, so nobody can lock it to remove it.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Removes the files of processes that were killed while they wrote an output with this stem.
fn remove_abandoned(folder: &Path, stem: &OsStr) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| is_partial_of(&entry.file_name(), stem)) {
        let path = entry.path();
        let Some(file) = open_own(&path) else { continue };
        // Nobody else renames or removes it while it is locked; its owner may have until then.
        if file.try_lock().is_ok() && is_at(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Opens a regular file of this user. Links are not followed, and nothing waits.
#[cfg(unix)]
fn open_own(path: &Path) -> Option<File> {
    use rustix::{
        fs::{Mode, OFlags, open},
        process::geteuid,
    };
    use std::os::unix::fs::MetadataExt as _;
    let is_own = |found: &Metadata| found.is_file() && found.uid() == geteuid().as_raw();
    // A device must not even be opened.
    fs::symlink_metadata(path).ok().filter(is_own)?;
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).ok()?);
    file.metadata().ok().filter(is_own)?;
    Some(file)
}

#[cfg(not(unix))]
fn open_own(path: &Path) -> Option<File> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    File::options().read(true).write(true).open(path).ok()
}

/// Whether `path` still is the name of `file`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |found: Metadata| (found.dev(), found.ino());
    let open = file.metadata().map(identity);
    open.is_ok_and(|open| fs::symlink_metadata(path).is_ok_and(|named| identity(named) == open))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Creates a file. Its permissions, from which the umask is taken, are not more than those of the file that it replaces, since
/// those are set only in the end. Its owner may always open it, or else could not remove it when it is abandoned.
#[cfg(unix)]
fn create_new(path: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    let mode = replaced.map_or(0o666, |replaced| replaced.mode() & 0o777 | 0o600);
    File::options().read(true).write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create_new(path: &Path, _replaced: Option<&Metadata>) -> io::Result<File> {
    File::options().read(true).write(true).create_new(true).open(path)
}

/// The permissions of a file, without the rights of its owner or group for those who execute it.
#[cfg(unix)]
fn kept_permissions(replaced: &Metadata) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(replaced.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn kept_permissions(replaced: &Metadata) -> fs::Permissions {
    replaced.permissions()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &str) {
        let mut partial = Partial::create(path.to_owned()).unwrap();
        partial.writer().write_all(text.as_bytes()).unwrap();
        partial.finish().unwrap();
    }

    #[test]
    fn only_files_that_nobody_writes_are_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut used = Partial::create(out.clone()).unwrap();
        used.writer().write_all(b"slow").unwrap();
        let alike = [
            ".out.0123456789abcde.partial",
            ".out.0123456789abcdef",
            ".out.0123456789abcd.f.partial",
            "out.0123456789abcdef.partial",
            ".other.0123456789abcdef.partial",
        ];
        for name in alike.into_iter().chain([".out.0123456789abcdef.partial"]) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        write(&out, "fast");
        assert_eq!(fs::read_to_string(&out).unwrap(), "fast");
        let left = names(folder.path());
        assert!(alike.iter().all(|name| left.contains(&OsString::from(name))), "{left:?}");
        // Besides them the output and the file that is being written.
        assert_eq!(left.len(), alike.len() + 2, "{left:?}");
        used.finish().unwrap();
        assert_eq!(fs::read_to_string(&out).unwrap(), "slow");
    }

    #[test]
    fn names_fit_into_any_file_system() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x".repeat(255), "ä".repeat(127), "日".repeat(85)] {
            let out = folder.path().join(&name);
            let partial = Partial::create(out.clone()).unwrap();
            let longest = names(folder.path()).into_iter().filter(|it| *it != *name);
            assert!(longest.map(|it| it.len()).max().unwrap() <= 143);
            drop(partial);
            write(&out, "x");
            assert_eq!(names(folder.path()), [OsString::from(&name)]);
            fs::remove_file(&out).unwrap();
        }
    }

    #[test]
    fn processes_that_write_and_clean_up_at_once_do_not_disturb_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let out = &out;
                scope.spawn(move || {
                    for _ in 0..50 {
                        write(out, &number.to_string().repeat(10_000));
                    }
                });
            }
        });
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.len() == 10_000 && text.bytes().all(|byte| byte == text.as_bytes()[0]));
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_file_of_ours_stays() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("victim"), "").unwrap();
        symlink(at("victim"), at(".out.aaaaaaaaaaaaaaaa.partial")).unwrap();
        fs::create_dir(at(".out.bbbbbbbbbbbbbbbb.partial")).unwrap();
        let pipe = at(".out.cccccccccccccccc.partial");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let before = names(folder.path());
        drop(Partial::create(at("out")).unwrap());
        assert_eq!(names(folder.path()), before);
    }
}

//! Folders of sessions, which are removed whatever happens.
//!
//! A session's folder is `foolproof-…/tmp` in the folder for temporary files. Beside it is a file that is locked as long as
//! the process lives that made it; a folder whose file is not locked was left by a process that was killed, and is removed
//! by the next one.

use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// What the names of these folders begin with.
const PREFIX: &str = "foolproof-";

/// The file that is locked while the folder is in use.
const LOCK: &str = "in-use";

/// The name of that file until it is locked. Under its final name, other processes would take the folder for abandoned.
const UNLOCKED: &str = "new";

/// The folder of a session. It is removed when this is dropped.
///
/// ```
/// let folder = foolproof_live::SessionFolder::create()?;
/// let path = folder.path().to_owned();
/// assert!(path.is_dir());
/// drop(folder);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SessionFolder {
    outer: PathBuf,
    inner: PathBuf,
    /// Held as long as the folder is in use.
    _lock: File,
}

impl SessionFolder {
    /// A fresh folder.
    pub fn create() -> io::Result<Self> {
        // A path without links, since rules of the sandbox and answers of servers name it so.
        let parent = fs::canonicalize(env::temp_dir())?;
        let outer = TempDir::with_prefix_in(PREFIX, parent)?;
        let unlocked = outer.path().join(UNLOCKED);
        let lock = File::create_new(&unlocked)?;
        lock.lock()?;
        fs::rename(unlocked, outer.path().join(LOCK))?;
        let inner = outer.path().join("tmp");
        fs::create_dir(&inner)?;
        // From here on it is removed by `remove`, which copes with what a server may have done to it.
        Ok(Self { outer: outer.keep(), inner, _lock: lock })
    }

    /// The folder that the session may use: `{tmp}`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner
    }

    /// The folder that is removed in the end, with everything in it.
    #[must_use]
    pub fn outer(&self) -> &Path {
        &self.outer
    }
}

impl Drop for SessionFolder {
    fn drop(&mut self) {
        remove(&self.outer);
    }
}

/// Removes the folders of processes that were killed. Folders in use and folders of others stay.
pub fn remove_abandoned() {
    let folders = fs::read_dir(env::temp_dir()).into_iter().flatten().filter_map(Result::ok);
    let ours = folders.filter(|entry| {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        is_named && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    for folder in ours.map(|entry| entry.path()) {
        // Without the file it is not one of these, or is just being made.
        let lock = folder.join(LOCK);
        // Anybody may put a folder there, with a pipe in it that blocks who opens it.
        if is_mine(&folder)
            && fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file())
            && let Ok(lock) = File::open(lock)
            && lock.try_lock().is_ok()
        {
            remove(&folder);
        }
    }
}

#[cfg(unix)]
fn is_mine(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(folder).is_ok_and(|found| found.uid() == own)
}

#[cfg(not(unix))]
fn is_mine(_folder: &Path) -> bool {
    true
}

/// Removes a folder with everything in it, also where its owner may not look. Links are not followed.
pub(crate) fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        unlock(folder);
        // What still cannot be removed belongs to somebody else or is a file system of its own.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Gives the owner all rights on a folder and the folders in it.
#[cfg(unix)]
fn unlock(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        left.extend(folders.map(|entry| entry.path()));
    }
}

#[cfg(not(unix))]
fn unlock(_folder: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(
        clippy::used_underscore_binding,
        reason = "nothing else gives up the lock of a folder"
    )]
    fn only_folders_that_nobody_uses_are_abandoned() {
        let used = SessionFolder::create().unwrap();
        let abandoned = SessionFolder::create().unwrap();
        let path = abandoned.outer().to_owned();
        let SessionFolder { .. } = {
            // What is left of a process that was killed: the folder without the lock.
            abandoned._lock.unlock().unwrap();
            &abandoned
        };
        let unrelated = TempDir::with_prefix(PREFIX).unwrap();
        let being_made = TempDir::with_prefix(PREFIX).unwrap();
        File::create_new(being_made.path().join(UNLOCKED)).unwrap();
        remove_abandoned();
        assert!(!path.exists());
        assert!(used.path().is_dir());
        assert!(unrelated.path().is_dir());
        assert!(being_made.path().is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_closed_by_its_user_is_removed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = SessionFolder::create().unwrap();
        let path = folder.outer().to_owned();
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("file"), "").unwrap();
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(0o500)).unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}

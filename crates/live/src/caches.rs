//! Folders that launchers such as `npx` and `uvx` keep what they download in.
//!
//! They are ours and kept between runs, and each command has its own. Neither the user's caches are used nor those of other
//! commands: a server may write its caches, so it could change what runs later with other rights or other secrets. For the
//! same reason a command has others in a sandbox than without one.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

/// The variable that names another folder.
const FOLDER_VARIABLE: &str = "FOOLPROOF_CACHE_DIR";

/// Variables of launchers, and the folder in ours that each means.
const FOLDERS: [(&str, &str); 9] = [
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("DENO_DIR", "deno"),
    ("UV_CACHE_DIR", "uv"),
    ("UV_TOOL_DIR", "uv-tools"),
    ("PIP_CACHE_DIR", "pip"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-modules"),
];

/// The folder for what launchers download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caches(PathBuf);

impl Caches {
    /// The folder of this user: `FOOLPROOF_CACHE_DIR`, or `foolproof/launchers` where caches are kept. It is created if it
    /// does not exist.
    pub fn of_user() -> io::Result<Self> {
        let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let folder = named(FOLDER_VARIABLE)
            .or_else(|| named("XDG_CACHE_HOME").map(|it| it.join("foolproof/launchers")))
            .or_else(|| named("HOME").map(|it| it.join(".cache/foolproof/launchers")))
            .or_else(|| named("LOCALAPPDATA").map(|it| it.join("foolproof/launchers")))
            .ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(&folder)?;
        Ok(Self(fs::canonicalize(folder)?))
    }

    /// The folder for one command in it, whose words are `words`. It is created if it does not exist.
    pub fn of_command<'w>(
        &self,
        is_sandboxed: bool,
        words: impl IntoIterator<Item = &'w str>,
    ) -> io::Result<Self> {
        let mut words = words.into_iter().peekable();
        let program = words.peek().and_then(|it| Path::new(it).file_stem()?.to_str());
        let is_plain = |name: &&str| name.chars().all(|char| char.is_ascii_alphanumeric());
        let program = program.filter(is_plain).unwrap_or("command").to_owned();
        let mut hash = Sha256::new_with_prefix([u8::from(is_sandboxed)]);
        for word in words {
            hash.update((word.len() as u64).to_le_bytes());
            hash.update(word);
        }
        let start =
            hash.finalize().iter().take(8).fold(0, |start, byte| start << 8 | u64::from(*byte));
        let folder = self.0.join(format!("{program}-{start:016x}"));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// A folder of the caller's.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder, which a system under test must be able to write.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The variables that lead launchers there.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, PathBuf)> + '_ {
        FOLDERS.iter().map(|(name, folder)| (*name, self.0.join(folder)))
    }
}

#[test]
fn commands_share_no_caches() {
    let folder = tempfile::tempdir().unwrap();
    let caches = Caches::at(folder.path());
    let of = |is_sandboxed, words: &[&str]| {
        caches.of_command(is_sandboxed, words.iter().copied()).unwrap()
    };
    let own = of(true, &["npx", "-y", "server"]);
    assert_eq!(own, of(true, &["npx", "-y", "server"]));
    assert!(own.folder().is_dir());
    assert!(own.folder().file_name().unwrap().to_str().unwrap().starts_with("npx-"));
    for other in [
        of(false, &["npx", "-y", "server"]),
        of(true, &["npx", "-y", "other"]),
        of(true, &["npx", "-yserver"]),
        of(true, &["../npx ", "-y", "server"]),
    ] {
        assert_ne!(own, other);
        assert_eq!(other.folder().parent(), Some(folder.path()));
    }
}

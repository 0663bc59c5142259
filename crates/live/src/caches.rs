//! Folders that launchers such as `npx` and `uvx` keep what they download in.
//!
//! They are ours, kept between runs, and shared by all systems under test. The user's own caches are not used: a server that
//! may write them could change what the user runs later, outside of any sandbox.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

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

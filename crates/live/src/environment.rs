//! The environment of a system under test: little of ours, and folders inside that of its session.
//!
//! A whole environment leaks secrets: there are servers that return it from a tool. So only what programs cannot do without
//! is passed on: where programs are, the language, certificates and proxies, and where launchers and version managers have
//! their configuration, which they would look for in a home folder.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use crate::caches::Caches;

/// Variables that are passed on if they are set. The last ones are what Windows needs to start most programs.
const INHERITED: [&str; 47] = [
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    // Certificates.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE",
    "DENO_CERT",
    "npm_config_cafile",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    // Proxies.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    // Where packages come from.
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_FIND_LINKS",
    "GOPROXY",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "PYENV_VERSION",
    "RUSTUP_TOOLCHAIN",
    "SystemRoot",
    "SystemDrive",
    "PATHEXT",
    "COMSPEC",
    "ProgramFiles",
    "ProgramData",
];

/// Variables that name what belongs to the user and is only read, and where it is below the home folder if they are not set.
const OF_USER: [(&str, &[&str]); 15] = [
    ("npm_config_userconfig", &[".npmrc"]),
    ("UV_CONFIG_FILE", &[".config/uv/uv.toml"]),
    ("UV_PYTHON_INSTALL_DIR", &[".local/share/uv/python"]),
    ("PIP_CONFIG_FILE", &[".config/pip/pip.conf", ".pip/pip.conf"]),
    ("CARGO_HOME", &[".cargo"]),
    ("RUSTUP_HOME", &[".rustup"]),
    ("PYENV_ROOT", &[".pyenv"]),
    ("NVM_DIR", &[".nvm"]),
    ("FNM_DIR", &[".local/share/fnm"]),
    ("VOLTA_HOME", &[".volta"]),
    ("ASDF_DATA_DIR", &[".asdf"]),
    ("MISE_DATA_DIR", &[".local/share/mise"]),
    ("SDKMAN_DIR", &[".sdkman"]),
    ("DOCKER_CONFIG", &[".docker"]),
    ("GIT_CONFIG_GLOBAL", &[".gitconfig", ".config/git/config"]),
];

/// Folders inside that of the session, by the variables that mean them. Their names are hidden ones, since the folder is also
/// what a server shows that lists files.
const OF_SESSION: [(&str, &str); 11] = [
    ("HOME", ".home"),
    ("USERPROFILE", ".home"),
    ("TMPDIR", ".tmp"),
    ("TMP", ".tmp"),
    ("TEMP", ".tmp"),
    ("XDG_CACHE_HOME", ".home/.cache"),
    ("XDG_CONFIG_HOME", ".home/.config"),
    ("XDG_DATA_HOME", ".home/.local/share"),
    ("XDG_STATE_HOME", ".home/.local/state"),
    ("XDG_RUNTIME_DIR", ".run"),
    ("APPDATA", ".home/AppData"),
];

/// What makes launchers use only what they have already.
const OFFLINE: [(&str, &str); 5] = [
    ("npm_config_offline", "true"),
    ("UV_OFFLINE", "1"),
    ("PIP_NO_INDEX", "1"),
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
];

/// Variables by name.
pub type Variables = BTreeMap<OsString, OsString>;

/// The environment of a system under test in the folder `session`, whose folders are created.
///
/// ```
/// use foolproof_live::{Caches, SessionFolder, environment};
///
/// let folder = SessionFolder::create()?;
/// let caches = Caches::at(folder.path().join("caches"));
/// let variables = environment::of_session(folder.path(), Some(&caches))?;
/// assert_eq!(variables["HOME".as_ref() as &std::ffi::OsStr], folder.path().join(".home"));
/// assert!(!variables.contains_key("AWS_SECRET_ACCESS_KEY".as_ref() as &std::ffi::OsStr));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn of_session(session: &Path, caches: Option<&Caches>) -> io::Result<Variables> {
    let mut variables = Variables::new();
    let mut set = |name: &str, value: &OsStr| variables.insert(name.into(), value.to_owned());
    for (name, value) in inherited() {
        set(name, &value);
    }
    let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from);
    for (name, places) in OF_USER {
        let below_home = || {
            let home = home.as_ref()?;
            places.iter().map(|place| home.join(place)).find(|path| path.exists())
        };
        if let Some(value) = env::var_os(name).or_else(|| below_home().map(OsString::from)) {
            set(name, &value);
        }
    }
    for (name, folder) in OF_SESSION {
        let folder = create_below(session, folder)?;
        set(name, folder.as_os_str());
    }
    for (name, folder) in caches.into_iter().flat_map(Caches::variables) {
        set(name, folder.as_os_str());
    }
    Ok(variables)
}

/// Creates the folder `path` in the folder of a session. A server of the same session may have put a link in its place, which is
/// removed instead of followed: it may lead anywhere.
fn create_below(session: &Path, path: &str) -> io::Result<PathBuf> {
    let mut folder = session.to_owned();
    for name in path.split('/') {
        folder.push(name);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&folder)?.is_dir() {
                    fs::remove_file(&folder)?;
                    fs::create_dir(&folder)?;
                }
            }
            created => created?,
        }
    }
    Ok(folder)
}

/// The variables of this process that every system under test gets. Proxies and registries may have passwords in them.
pub fn inherited() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED.iter().filter_map(|name| Some((*name, env::var_os(name)?)))
}

/// What makes launchers use only what they have already, for a system under test without network.
pub fn offline() -> impl Iterator<Item = (OsString, OsString)> {
    OFFLINE.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_in_place_of_folders_are_not_followed() {
        let (session, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = session.path().join(".home");
        std::os::unix::fs::symlink(elsewhere.path(), &home).unwrap();
        fs::write(session.path().join(".run"), "a file").unwrap();
        of_session(session.path(), None).unwrap();
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert!(fs::symlink_metadata(home.join(".config")).unwrap().is_dir());
        assert!(session.path().join(".run").is_dir());
    }
}

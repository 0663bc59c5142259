//! The only module that reads from the file system.
//!
//! A document is read because the user named it. Another file is read only if the user allowed it
//! and it lies in the folder that was allowed, links resolved; nothing is ever fetched.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Error, error::Problem, uri};

/// A folder whose files a document may refer to.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Reads the file that `uri` names, or returns the reason why it must not or cannot.
    pub(crate) fn load(&self, uri: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let path = path_of(uri).ok_or_else(|| format!("`{uri}` is not a file"))?;
        let describe = |error: io::Error| format!("cannot read `{}`: {error}", path.display());
        let real = path.canonicalize().map_err(describe)?;
        let folder = self.folder.canonicalize().map_err(describe)?;
        if !real.starts_with(&folder) {
            return Err(format!("`{}` lies outside `{}`", path.display(), folder.display()));
        }
        let bytes = fs_read(&real).map_err(describe)?;
        Ok((real, bytes))
    }
}

/// Reads the document that the user named.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs_read(path).map_err(|error| {
        Error::new(Problem::Unreadable { path: path.to_owned(), reason: error.to_string() })
    })
}

#[expect(clippy::disallowed_methods, reason = "this module is where files are read")]
fn fs_read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// The `file:` URI of `path`, if it exists.
pub(crate) fn uri_of(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    Some(format!("file://{}", uri::encode(real.to_str()?)))
}

/// The path of a `file:` URI.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let encoded = uri.strip_prefix("file://")?;
    Some(PathBuf::from(uri::decode(encoded).into_owned()))
}

//! The only module that reads from the file system.
//!
//! A document is read because the user named it. Another file is read only if the user allowed it
//! and it lies in the folder that was allowed, links resolved; nothing is ever fetched.
//!
//! Only regular files are read, so that nothing waits for ever or has no end; what the user names may also be a stream that
//! this process was given. All files of a contract together have a limit, and no more than that is read.

use std::{
    cell::Cell,
    fs::{self, File, FileType},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{Error, error::Problem, uri};

/// The most bytes that the files of a contract may have together, unless the caller says otherwise. The largest that are known
/// have 58 MB. Reading one takes 5 times its size in memory if it is one long text, 35 times if it is many definitions, and 130
/// times if it is a million small schemas.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// A folder whose files a document may refer to.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

/// The files of one contract while they are read.
pub(crate) struct FilesOfContract<'a> {
    files: &'a Files,
    /// How many bytes the contract has so far.
    bytes: Cell<u64>,
    limit: u64,
}

/// Why a file was not read.
pub(crate) enum NotLoaded {
    /// It must not or cannot be read.
    Refused(String),
    /// The contract would be too large with it.
    TooLarge(Problem),
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Starts to read the files of a contract that has `bytes` bytes without them, and at most `limit` with them.
    pub(crate) fn of_contract(&self, bytes: u64, limit: u64) -> FilesOfContract<'_> {
        FilesOfContract { files: self, bytes: Cell::new(bytes), limit }
    }
}

impl FilesOfContract<'_> {
    /// Reads the file that `uri` names.
    pub(crate) fn load(&self, uri: &str) -> Result<(PathBuf, Vec<u8>), NotLoaded> {
        let path =
            path_of(uri).ok_or_else(|| NotLoaded::Refused(format!("`{uri}` is not a file")))?;
        let describe = |error: io::Error| {
            NotLoaded::Refused(format!("cannot read `{}`: {error}", path.display()))
        };
        let real = path.canonicalize().map_err(describe)?;
        let folder = self.files.folder.canonicalize().map_err(describe)?;
        if !real.starts_with(&folder) {
            let (path, folder) = (path.display(), folder.display());
            return Err(NotLoaded::Refused(format!("`{path}` lies outside `{folder}`")));
        }
        // Whoever wrote the document chose the file, so a stream is never what the user wants to be read.
        let found = fs::metadata(&real).map_err(describe)?;
        if !found.is_file() {
            let kind = kind(found.file_type());
            let path = path.display();
            return Err(NotLoaded::Refused(format!("`{path}` is {kind}, not a regular file")));
        }
        let before = self.bytes.get();
        let file = File::open(&real).map_err(describe)?;
        let bytes = match read_at_most(file, self.limit.saturating_sub(before)) {
            Ok(bytes) => bytes,
            Err(NotRead::Error(error)) => return Err(describe(error)),
            Err(NotRead::TooLarge(size)) => {
                let size = size.map(|size| size.saturating_add(before));
                let name = path.display().to_string();
                let problem = Problem::TooLarge { name, size, limit: self.limit };
                return Err(NotLoaded::TooLarge(problem));
            }
        };
        self.bytes.set(before.saturating_add(bytes.len() as u64));
        Ok((real, bytes))
    }
}

/// Reads the document that the user named, which may have at most `limit` bytes.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let unreadable =
        |error: io::Error| Problem::Unreadable { path: path.to_owned(), reason: error.to_string() };
    let open = || {
        let found = fs::metadata(path).map_err(unreadable)?;
        if !found.is_file() && (found.is_dir() || !is_own_stream(path)) {
            return Err(Problem::NotAFile { path: path.to_owned(), kind: kind(found.file_type()) });
        }
        File::open(path).map_err(unreadable)
    };
    let file = open().map_err(Error::new)?;
    read_at_most(file, limit).map_err(|error| match error {
        NotRead::Error(error) => Error::new(unreadable(error)),
        NotRead::TooLarge(size) => {
            Error::new(Problem::TooLarge { name: path.display().to_string(), size, limit })
        }
    })
}

/// Reads a document from a stream to its end.
pub(crate) fn read_stream(name: &str, stream: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| {
        Error::new(Problem::Unreadable { path: name.into(), reason: error.to_string() })
    })?;
    if bytes.len() as u64 > limit {
        return Err(Error::new(Problem::TooLarge { name: name.to_owned(), size: None, limit }));
    }
    Ok(bytes)
}

/// Why a file was not read.
enum NotRead {
    Error(io::Error),
    /// It has more bytes than the limit; how many, if that is known.
    TooLarge(Option<u64>),
}

fn read_at_most(file: File, limit: u64) -> Result<Vec<u8>, NotRead> {
    let size = file.metadata().map_err(NotRead::Error)?.len();
    if size > limit {
        return Err(NotRead::TooLarge(Some(size)));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(NotRead::Error)?;
    if bytes.len() as u64 > limit { Err(NotRead::TooLarge(None)) } else { Ok(bytes) }
}

/// What a file is that is not regular, with its article.
#[cfg(unix)]
fn kind(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if found.is_dir() {
        "a folder"
    } else if found.is_fifo() {
        "a named pipe"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(found: FileType) -> &'static str {
    if found.is_dir() { "a folder" } else { "a device" }
}

/// Whether `path` is a stream that this process was given, as in `/dev/stdin` and what shells put in the place of `<(…)`: a name in
/// the folder of its open files, or a link to one.
#[cfg(unix)]
fn is_own_stream(path: &Path) -> bool {
    /// As many links as Linux follows.
    const MAX_LINKS: usize = 40;
    let canonical = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize().ok()
    };
    let own = ["/dev/fd", "/proc/self/fd"].map(|folder| canonical(Path::new(folder)));
    let next = |path: &PathBuf| Some(path.parent()?.join(fs::read_link(path).ok()?));
    let mut links = std::iter::successors(Some(path.to_owned()), next).take(MAX_LINKS);
    links.any(|link| {
        let folder = link.parent().and_then(canonical);
        folder.is_some() && own.contains(&folder)
    })
}

#[cfg(not(unix))]
fn is_own_stream(_path: &Path) -> bool {
    false
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

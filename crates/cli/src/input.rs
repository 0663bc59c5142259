//! Files other than contracts that are read as a whole: reports, values of earlier runs, repro files. No more of them is read
//! than fits into memory.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::failure::Failure;

/// The largest coverage report, in bytes. That of a contract of 64 MiB is a few times as large as the contract.
pub(crate) const MAX_REPORT: u64 = 1 << 30;

/// The largest file of values or calls, in bytes. They hold what single calls returned, a few kilobytes each.
pub(crate) const MAX_CALLS: u64 = 64 << 20;

/// The text of the file at `path`, which has at most `limit` bytes.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Failure> {
    read(path, limit).map_err(|error| Failure::Unreadable { path: path.to_owned(), error })
}

fn read(path: &Path, limit: u64) -> io::Result<String> {
    let file = File::open(path)?;
    let mut text = String::new();
    if file.metadata()?.len() <= limit {
        file.take(limit + 1).read_to_string(&mut text)?;
        if text.len() as u64 <= limit {
            return Ok(text);
        }
    }
    let problem = format!("it has more than {limit} bytes, which is the limit");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), "12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_read_up_to_the_limit() {
        let error = read(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}

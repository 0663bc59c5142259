//! Recognising in a text that a write was refused, so that a report can say what to allow.

use std::path::PathBuf;

/// How programs word that they may not write: the code of the error, and the words of the C library.
const SIGNS: [&str; 3] = ["EACCES", "Permission denied", "permission denied"];

/// How many lines above the reason the path may be: `cargo` has an empty line and "Caused by:" between them.
const LINES_BEFORE: usize = 3;

/// The path that `text` says may not be written, if it says so. One that is relative is so to the folder that the program works in.
///
/// ```
/// use foolproof_live::refused_path;
///
/// let node = "Error: EACCES: permission denied, open '/home/ada/memory.json'";
/// assert_eq!(refused_path(node), Some("/home/ada/memory.json".into()));
/// assert_eq!(refused_path("not found: /home/ada"), None);
/// ```
#[must_use]
pub fn refused_path(text: &str) -> Option<PathBuf> {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| SIGNS.iter().any(|sign| line.contains(sign)))?;
    // Some programs say what they were about to do first, and why they could not some lines below.
    let near = lines[at.saturating_sub(LINES_BEFORE)..=at].iter().rev();
    let absolute = near.into_iter().find_map(|line| quoted(line).or_else(|| bare(line)));
    absolute.or_else(|| relative(lines[at])).map(PathBuf::from)
}

/// The first absolute path in quotes.
fn quoted(line: &str) -> Option<&str> {
    ['\'', '"', '`']
        .into_iter()
        .find_map(|quote| line.split(quote).skip(1).step_by(2).find(|text| text.starts_with('/')))
}

/// The last text in quotes that may be a path. Programs name files in the folder that they work in without it.
fn relative(line: &str) -> Option<&str> {
    let is_path = |text: &&str| {
        !text.is_empty()
            && text.len() < 200
            && !text.contains(char::is_whitespace)
            && text.contains(['.', '/'])
    };
    ['\'', '"', '`']
        .into_iter()
        .find_map(|quote| line.split(quote).skip(1).step_by(2).filter(is_path).last())
}

/// The first word that is an absolute path, without the punctuation after it.
fn bare(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let word = words.find(|word| word.starts_with('/') && word.len() > 1)?;
    Some(word.trim_end_matches([':', ',', ';', ')', '.']))
}

#[test]
fn the_wordings_of_common_programs_are_recognised() {
    let path = |text: &str| refused_path(text).map(|path| path.display().to_string());
    for text in [
        "PermissionError: [Errno 13] Permission denied: '/srv/a b.txt'",
        "{\"message\":\"EACCES: permission denied, mkdir '/srv/a b.txt'\"}",
        "open \"/srv/a b.txt\": permission denied",
    ] {
        assert_eq!(path(text).as_deref(), Some("/srv/a b.txt"), "{text}");
    }
    assert_eq!(path("sh: 1: cannot create /srv/x: Permission denied").as_deref(), Some("/srv/x"));
    let relative = "PermissionError: [Errno 13] Permission denied: 'notes.txt'";
    assert_eq!(path(relative).as_deref(), Some("notes.txt"));
    assert_eq!(path("it is 'not good': Permission denied"), None);
    assert_eq!(path("Permission denied (os error 13)"), None);
    assert_eq!(path("all fine\n/srv/x"), None);
    let cargo = "error: failed to open: /srv/x\n\nCaused by:\n  Permission denied (os error 13)";
    assert_eq!(path(cargo).as_deref(), Some("/srv/x"));
}

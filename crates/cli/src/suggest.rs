//! What somebody may have meant who wrote a name that does not exist.

use std::str::FromStr;

/// The most names that are suggested.
const MAX_NAMES: usize = 3;

/// The least similarity of a name that is suggested, from 0 to 1.
const LEAST: f64 = 0.7;

/// The names that are close to `written`, the closest first.
pub(crate) fn close<'n>(written: &str, names: &'n [String]) -> Vec<&'n str> {
    let written = written.to_lowercase();
    let similarity = |name: &str| strsim::jaro_winkler(&written, &name.to_lowercase());
    let mut close: Vec<(f64, &str)> =
        names.iter().map(|name| (similarity(name), name.as_str())).collect();
    close.retain(|(similarity, _)| *similarity >= LEAST);
    close.sort_by(|left, right| right.0.total_cmp(&left.0));
    close.into_iter().take(MAX_NAMES).map(|(_, name)| name).collect()
}

/// The value that `text` names, or an error with what may have been meant. The error of `T` lists all of `names`, which
/// helps where none is close.
pub(crate) fn parse<T: FromStr<Err: ToString>>(
    text: &str,
    what: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        match close(text, &names)[..] {
            [] => error.to_string(),
            [closest, ..] => format!("`{text}` is no {what}; did you mean `{closest}`?"),
        }
    })
}

/// `; did you mean …?`, or nothing.
pub(crate) fn sentence(close: &[&str]) -> String {
    let quoted: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

//! How messages are worded: counts with their nouns, shares, and text cut to what a person reads. One
//! place for all crates, so that the same number never reads in two ways.

/// `1 target`, `2 targets`.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A share as a percentage, rounded down: only all of it is 100 %.
#[must_use]
pub fn percent(share: f64) -> String {
    // What is a whole tenth in decimal may lie a hair below it in binary.
    format!("{:.1} %", (share * 1_000.0 + 1e-9).floor() / 10.0)
}

/// The beginning and the end of `text`, if it is longer than `longest` characters.
#[must_use]
pub fn abbreviate(text: &str, longest: usize) -> String {
    // Bytes are never fewer than characters, and most texts are short.
    if text.len() <= longest || text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let (start, end) = (longest.div_ceil(2).saturating_sub(1), longest / 2);
    let first: String = text.chars().take(start).collect();
    let mut last: Vec<char> = text.chars().rev().take(end).collect();
    last.reverse();
    format!("{first}…{}", last.into_iter().collect::<String>())
}

/// Whether `name` matches a pattern with `*` and `?`.
#[must_use]
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // The prefixes of the pattern that match what was read so far.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    let skip_stars = |reached: &mut Vec<bool>| {
        for index in 0..pattern.len() {
            if reached[index] && pattern[index] == '*' {
                reached[index + 1] = true;
            }
        }
    };
    skip_stars(&mut reached);
    for char in name {
        let mut next = vec![false; pattern.len() + 1];
        for index in (0..pattern.len()).filter(|index| reached[*index]) {
            match pattern[index] {
                '*' => next[index] = true,
                '?' => next[index + 1] = true,
                other => next[index + 1] |= other == char,
            }
        }
        skip_stars(&mut next);
        reached = next;
    }
    reached[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars_and_question_marks() {
        assert!(matches_glob("*User*", "createUser") && matches_glob("get?", "getA"));
        assert!(matches_glob("GET /users/*", "GET /users/{id}") && !matches_glob("get", "getA"));
    }

    #[test]
    fn only_all_of_it_is_a_hundred_percent() {
        assert_eq!(percent(1.0), "100.0 %");
        assert_eq!(percent(0.999_999), "99.9 %");
        assert_eq!(percent(0.7), "70.0 %");
    }

    #[test]
    fn long_text_keeps_both_ends() {
        assert_eq!(abbreviate("abcdefgh", 8), "abcdefgh");
        assert_eq!(abbreviate("äöüäöüäöü", 9), "äöüäöüäöü");
        let cut = abbreviate(&format!("a{}z", "ä".repeat(300)), 10);
        assert_eq!(cut, "aäää…ääääz");
        assert_eq!(abbreviate("abc", 1), "…");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(
            (count(1, "target"), count(0, "target")),
            ("1 target".into(), "0 targets".into())
        );
    }
}

//! Plausible text of any length: words and names mostly, something awkward now and then.

use super::{append::Append, window::Window};
use crate::{
    Source,
    words::{FAMILY_NAMES, GIVEN_NAMES, WORDS, any_of},
};

/// Room for most texts, so that they are not moved while they are written.
const USUAL_LENGTH: usize = 40;

/// The longest text that is built at all.
const LONGEST: usize = 1 << 20;

/// The longest length that is worth reaching only because it is the greatest.
const LONGEST_EDGE: usize = 10_000;

/// Text that is valid and tends to break things.
const AWKWARD: &[&str] = &[
    " ",
    "\t",
    "line one\nline two",
    "  padded  ",
    "Zoë Müller-Lüdenscheidt",
    "naïve café",
    "Ærøskøbing",
    "Łódź",
    "Ωμέγα",
    "Привет, мир",
    "東京都",
    "안녕하세요",
    "שלום",
    "مرحبا",
    "😀",
    "👩\u{200d}👩\u{200d}👧 family",
    "e\u{301}clair",
    "O'Brien",
    "say \"hello\"",
    "C:\\temp\\new",
    "<b>bold</b> & more",
    "100% {sure}",
    "null",
    "0",
    "-1",
    "true",
    "../etc",
    "a,b;c|d",
    "ﬁ ligature",
    "İstanbul",
];

/// A text in the window, which is not empty; nothing if it would be too long to build.
pub(super) fn draw(window: Window, source: &mut impl Source) -> Option<String> {
    if window.least > LONGEST {
        return None;
    }
    // The simplest answer is an ordinary word, so the awkward ones are counted from the other end.
    if source.below(12) == 11 {
        return Some(awkward(window, source));
    }
    if window.most < 4 {
        return Some(letters(window, source));
    }
    Some(fit(ordinary(source), window, source))
}

fn ordinary(source: &mut impl Source) -> String {
    let mut text = String::with_capacity(USUAL_LENGTH);
    match source.weighted(&[2, 8, 4, 5, 4]) {
        0 => text.push_str(any_of(WORDS, source)),
        1 => text.push_all(&[any_of(WORDS, source), " ", any_of(WORDS, source)]),
        2 => text.push_all(&[any_of(GIVEN_NAMES, source), " ", any_of(FAMILY_NAMES, source)]),
        3 => sentence(&mut text, source),
        _ => {
            text.push_all(&[any_of(WORDS, source), "-", any_of(WORDS, source), "-"]);
            text.push_number(source.below(1000));
        }
    }
    text
}

fn sentence(text: &mut String, source: &mut impl Source) {
    text.push_capitalized(any_of(WORDS, source));
    for _ in 0..source.between(2, 8) {
        text.push(' ');
        text.push_str(any_of(WORDS, source));
    }
    text.push('.');
}

/// One word or two in one, in lower case.
pub(super) fn word(source: &mut impl Source) -> String {
    let mut text = String::with_capacity(USUAL_LENGTH);
    text.push_str(any_of(WORDS, source));
    if source.below(4) > 0 {
        text.push_str(any_of(WORDS, source));
    }
    text
}

/// Words written the way names in code and in tables are.
pub(super) fn label(source: &mut impl Source) -> String {
    let first = any_of(WORDS, source);
    let second = any_of(WORDS, source);
    let mut text = String::with_capacity(USUAL_LENGTH);
    match source.below(8) {
        0 => text.push_str(first),
        1 | 2 => text.push_capitalized(&word(source)),
        3 => text.push_all(&[first, "_", second]),
        4 => text.push_all(&[first, "-", second]),
        5 => {
            text.push_str(first);
            text.push_capitalized(second);
        }
        6 => {
            text.push_str(first);
            text.make_ascii_uppercase();
        }
        _ => {
            text.push_str(first);
            text.push_number(source.below(1000));
        }
    }
    text
}

fn letters(window: Window, source: &mut impl Source) -> String {
    let least = window.least.max(usize::from(window.most > 0));
    let length = source.between(least as u64, window.most as u64);
    (0..length).map(|_| char::from(b'a' + u8::try_from(source.below(26)).unwrap_or(0))).collect()
}

fn awkward(window: Window, source: &mut impl Source) -> String {
    let edge = |length: usize, source: &mut _| {
        fit(String::new(), Window { least: length, most: length }, source)
    };
    match source.below(8) {
        0 => edge(window.least, source),
        1 if window.most <= LONGEST_EDGE => edge(window.most, source),
        1 => edge(window.least.max(300), source),
        _ => fit((*source.pick(AWKWARD)).to_owned(), window, source),
    }
}

/// The text, cut or continued until it lies in the window.
pub(super) fn fit(mut text: String, window: Window, source: &mut impl Source) -> String {
    // Bytes bound characters from both sides, which spares most texts the count.
    if text.len().div_ceil(4) >= window.least && text.len() <= window.most {
        return text;
    }
    let mut length = text.chars().count();
    if length < window.least {
        text.reserve(window.least);
        let start = text.len();
        while length < window.least && text.len() - start < 4_000 {
            let word = any_of(WORDS, source);
            if length > 0 {
                text.push(' ');
                length += 1;
            }
            text.push_str(word);
            length += word.len();
        }
        // Beyond a few thousand characters, nobody reads on: the same again is as good.
        let again = text[start..].to_owned();
        while length < window.least {
            text.push_str(&again);
            length += again.len();
        }
    }
    // A text that was too short is cut where it first fits; one that was too long, at the limit.
    let most = if length > window.most { window.most } else { length };
    if let Some((cut, _)) = text.char_indices().nth(most) {
        text.truncate(cut);
        if text.ends_with(' ') {
            text.pop();
            text.push('s');
        }
    }
    text
}

//! Plausible text of any length: words and names mostly, something awkward now and then.

use super::{
    append::Append,
    window::{LONGEST, Window},
};
use crate::{
    Source,
    words::{FAMILY_NAMES, GIVEN_NAMES, WORDS, any_of},
};

/// The longest length that is worth reaching only because it is the greatest.
const LONGEST_EDGE: usize = 10_000;

/// Lengths of long text where nothing bounds it: around the sizes of buffers and of columns.
const LONG: [usize; 8] = [64, 127, 128, 255, 256, 1_000, 1_024, 4_096];

/// How unlikely awkward text is, as a power of two.
const AWKWARD_SPREAD: u32 = 4;

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

/// Writes a text in the window, which is not empty, to `text`, which is; `false` if it would be too long to build.
pub(super) fn draw(text: &mut String, window: Window, source: &mut impl Source) -> bool {
    if window.least > LONGEST {
        return false;
    }
    // The simplest answer is an ordinary word, so the awkward ones are counted from the other end.
    if source.below(12) == 11 {
        awkward(text, window, source);
    } else if window.most < 4 {
        letters(text, window, source);
    } else {
        ordinary(text, window, source);
        fit(text, window, source);
    }
    true
}

fn ordinary(text: &mut String, window: Window, source: &mut impl Source) {
    let spread = match source.below(22) {
        0 => {
            text.push_str(any_of(WORDS, source));
            12
        }
        1..=4 => {
            text.push_all(&[any_of(WORDS, source), " ", any_of(WORDS, source)]);
            18
        }
        5..=9 => {
            let words = [any_of(WORDS, source), any_of(WORDS, source), any_of(WORDS, source)];
            text.push_all(&[words[0], " ", words[1], " ", words[2]]);
            24
        }
        10..=12 => name(text, source),
        13..=17 => {
            sentence(text, source);
            24
        }
        _ => {
            text.push_all(&[any_of(WORDS, source), "-", any_of(WORDS, source), "-"]);
            text.push_number(source.below(1000));
            24
        }
    };
    // A text that is cut is one of fewer.
    source.note_spread(spread.min(window.most.try_into().unwrap_or(spread)));
}

/// A name of a person, half of them with an initial in the middle; and its spread.
fn name(text: &mut String, source: &mut impl Source) -> u32 {
    let (given, family) = (any_of(GIVEN_NAMES, source), any_of(FAMILY_NAMES, source));
    text.push_str(given);
    let has_initial = source.below(2) == 1;
    if has_initial {
        text.push(' ');
        text.push(char::from(b'A' + u8::try_from(source.below(26)).unwrap_or(0)));
        text.push('.');
    }
    text.push_all(&[" ", family]);
    if has_initial { 19 } else { 15 }
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
pub(super) fn word(text: &mut String, source: &mut impl Source) {
    text.push_str(any_of(WORDS, source));
    if source.below(4) > 0 {
        text.push_str(any_of(WORDS, source));
    }
    source.note_spread(8);
}

/// Words written the way names in code and in tables are.
pub(super) fn label(text: &mut String, source: &mut impl Source) {
    let first = any_of(WORDS, source);
    let second = any_of(WORDS, source);
    source.note_spread(8);
    match source.below(8) {
        0 => text.push_str(first),
        1 | 2 => {
            word(text, source);
            text[..1].make_ascii_uppercase();
        }
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
}

fn letters(text: &mut String, window: Window, source: &mut impl Source) {
    let least = window.least.max(usize::from(window.most > 0));
    let length = source.between(least as u64, window.most as u64);
    source.note_spread(4 * u32::try_from(length).unwrap_or(0));
    for _ in 0..length {
        text.push(char::from(b'a' + u8::try_from(source.below(26)).unwrap_or(0)));
    }
}

fn awkward(text: &mut String, window: Window, source: &mut impl Source) {
    let exactly = |length: usize| Window { least: length, most: length };
    match source.below(8) {
        0 => fit(text, exactly(window.least), source),
        1 if window.most <= LONGEST_EDGE => fit(text, exactly(window.most), source),
        1 => {
            let long = *source.pick(&LONG);
            source.note_spread(24);
            fit(text, exactly(window.least.max(long)), source);
        }
        2..=4 => {
            source.note_spread(AWKWARD.len().ilog2() + AWKWARD_SPREAD);
            text.push_str(any_of(AWKWARD, source));
            fit(text, window, source);
        }
        // With words after it, so that it occurs in long runs too, where what repeats is drawn again.
        _ => {
            text.push_all(&[any_of(AWKWARD, source), " ", any_of(WORDS, source), " "]);
            text.push_str(any_of(WORDS, source));
            source.note_spread(24.min(window.most.try_into().unwrap_or(24)));
            fit(text, window, source);
        }
    }
}

/// Cuts or continues `text` until it lies in the window.
fn fit(text: &mut String, window: Window, source: &mut impl Source) {
    // Bytes bound characters from both sides, which spares most texts the count.
    if text.len().div_ceil(4) >= window.least && text.len() <= window.most {
        return;
    }
    if text.len() > window.most && text.is_ascii() {
        text.truncate(window.most);
        end_in_letter(text);
        return;
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
        end_in_letter(text);
    }
}

/// Puts a letter in place of a space that a cut has left at the end.
fn end_in_letter(text: &mut String) {
    if text.ends_with(' ') {
        text.pop();
        text.push('s');
    }
}

//! Dates, times and durations (RFC 3339).

use super::super::append::Append;
use crate::{Source, words::any_of};

/// Days that every month has, and the others where the month has them; no leap days.
pub(super) const DATE: &str = "[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|\
    (?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)";

/// Without leap seconds.
pub(super) const TIME: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?\
    (?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

pub(super) const DURATION: &str = "P(?:[0-9]{1,3}W|(?:[0-9]{1,3}Y(?:[0-9]{1,3}M(?:[0-9]{1,3}D)?)?|\
    [0-9]{1,3}M(?:[0-9]{1,3}D)?|[0-9]{1,3}D)\
    (?:T(?:[0-9]{1,3}H(?:[0-9]{1,3}M(?:[0-9]{1,3}S)?)?|[0-9]{1,3}M(?:[0-9]{1,3}S)?|\
    [0-9]{1,3}S))?|T(?:[0-9]{1,3}H(?:[0-9]{1,3}M(?:[0-9]{1,3}S)?)?|\
    [0-9]{1,3}M(?:[0-9]{1,3}S)?|[0-9]{1,3}S))";

pub(super) fn date_time(text: &mut String, source: &mut impl Source) {
    date(text, source);
    text.push('T');
    time(text, source);
}

pub(super) fn date(text: &mut String, source: &mut impl Source) {
    // Mostly years that data is about; sometimes one that is far away.
    let year = match source.weighted(&[30, 8, 2]) {
        0 => 2000 + source.below(36),
        1 => 1900 + source.below(200),
        _ => source.between(1, 9999),
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let month = source.between(1, 12);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    // The last day of a month is where calendars go wrong.
    let day = if source.below(12) == 11 { last } else { source.between(1, last) };
    text.push_padded(year, 4);
    text.push('-');
    text.push_padded(month, 2);
    text.push('-');
    text.push_padded(day, 2);
}

pub(super) fn time(text: &mut String, source: &mut impl Source) {
    let (hour, minute, second) = match source.below(16) {
        15 => (23, 59, 59),
        _ => (source.below(24), source.below(60), source.below(60)),
    };
    text.push_padded(hour, 2);
    text.push(':');
    text.push_padded(minute, 2);
    text.push(':');
    text.push_padded(second, 2);
    match source.weighted(&[6, 3, 1]) {
        0 => {}
        1 => {
            text.push('.');
            text.push_padded(source.below(1000), 3);
        }
        _ => {
            text.push('.');
            text.push_padded(source.below(1_000_000), 6);
        }
    }
    if source.below(5) < 3 {
        text.push('Z');
    } else {
        text.push(*source.pick(&['+', '-']));
        let quarter = any_of(&["00", "30", "45"], source);
        text.push_padded(source.below(13), 2);
        text.push(':');
        text.push_str(quarter);
    }
}

pub(super) fn duration(text: &mut String, source: &mut impl Source) {
    text.push('P');
    if source.below(8) == 7 {
        text.push_number(source.between(1, 52));
        text.push('W');
        return;
    }
    let shape = source.weighted(&[3, 3, 2]);
    if shape != 1 {
        parts(text, &[('Y', 20), ('M', 11), ('D', 30)], source);
    }
    if shape != 0 {
        text.push('T');
        parts(text, &[('H', 23), ('M', 59), ('S', 59)], source);
    }
}

/// Neighbouring units, largest first: the grammar has no gaps.
fn parts(text: &mut String, units: &[(char, u64)], source: &mut impl Source) {
    let last = units.len() - 1 - source.index(units.len());
    let first = last - source.index(last + 1);
    for (unit, most) in &units[first..=last] {
        text.push_number(source.between(1, *most));
        text.push(*unit);
    }
}

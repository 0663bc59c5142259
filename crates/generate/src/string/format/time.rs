//! Dates, times and durations (RFC 3339).

use crate::Source;

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

pub(super) fn date_time(source: &mut impl Source) -> String {
    format!("{}T{}", date(source), time(source))
}

pub(super) fn date(source: &mut impl Source) -> String {
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
    format!("{year:04}-{month:02}-{day:02}")
}

pub(super) fn time(source: &mut impl Source) -> String {
    let (hour, minute, second) = match source.below(16) {
        15 => (23, 59, 59),
        _ => (source.below(24), source.below(60), source.below(60)),
    };
    let mut text = format!("{hour:02}:{minute:02}:{second:02}");
    match source.weighted(&[6, 3, 1]) {
        0 => {}
        1 => text += &format!(".{:03}", source.below(1000)),
        _ => text += &format!(".{:06}", source.below(1_000_000)),
    }
    if source.below(5) < 3 {
        text.push('Z');
    } else {
        let sign = source.pick(&['+', '-']);
        let quarter = source.pick(&["00", "30", "45"]);
        text += &format!("{sign}{:02}:{quarter}", source.below(13));
    }
    text
}

pub(super) fn duration(source: &mut impl Source) -> String {
    if source.below(8) == 7 {
        return format!("P{}W", source.between(1, 52));
    }
    let mut text = String::from("P");
    let shape = source.weighted(&[3, 3, 2]);
    if shape != 1 {
        text += &parts(&[('Y', 20), ('M', 11), ('D', 30)], source);
    }
    if shape != 0 {
        text.push('T');
        text += &parts(&[('H', 23), ('M', 59), ('S', 59)], source);
    }
    text
}

/// Neighbouring units, largest first: the grammar has no gaps.
fn parts(units: &[(char, u64)], source: &mut impl Source) -> String {
    let last = units.len() - 1 - source.index(units.len());
    let first = last - source.index(last + 1);
    let mut text = String::new();
    for (unit, most) in &units[first..=last] {
        text += &format!("{}{unit}", source.between(1, *most));
    }
    text
}

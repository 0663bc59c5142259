//! Clocks. Only reports and metrics contain times.

use std::{
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// The time since the first call.
pub(crate) fn elapsed() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// The current time in UTC, in the format of RFC 3339.
pub(crate) fn now() -> String {
    // A clock set before 1970 should not make the run fail.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    timestamp(since.as_secs())
}

/// The time so many seconds after the beginning of 1970.
fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted from 1 March of the year 0, so that a leap day is the last of its year: the days of
    // 400 years repeat, and those of the months from March follow (153 m + 2) / 5.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[test]
fn timestamps_follow_the_calendar() {
    let known = [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_735_689_599, "2024-12-31T23:59:59Z"),
        (1_740_787_200, "2025-03-01T00:00:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ];
    for (seconds, expected) in known {
        assert_eq!(timestamp(seconds), expected);
    }
}

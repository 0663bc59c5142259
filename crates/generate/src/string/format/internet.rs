//! Names and addresses of the internet: mail, hosts, IP, URIs and IRIs.

use super::super::{append::Append, window::Window};
use crate::{
    Source,
    words::{FAMILY_NAMES, GIVEN_NAMES, WORDS, any_of},
};

pub(super) const IPV4: &str = "(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\\.){3}\
    (?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

pub(super) const IPV6: &str = "(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|\
    (?:[0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|::(?:[0-9a-fA-F]{1,4}:){0,5}[0-9a-fA-F]{1,4}|::";

const LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const PATH_CHARACTER: &str = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})";

/// Ends that are reserved for examples, before real ones.
const DOMAINS: &[&str] =
    &["com", "org", "net", "example", "test", "io", "dev", "co.uk", "de", "fr", "info"];
const SCHEMES: &[&str] = &["https", "http", "ftp", "ws"];
const ACCENTED: &[&str] = &[
    "müller",
    "café",
    "españa",
    "bücher",
    "ångström",
    "łódź",
    "ελλάδα",
    "москва",
    "例え",
    "東京",
    "한국",
    "straße",
];

pub(super) fn email_pattern() -> String {
    let local = "[A-Za-z0-9]+(?:[._+-][A-Za-z0-9]+)*";
    format!("{local}@{}", hostname_pattern())
}

pub(super) fn hostname_pattern() -> String {
    format!("{LABEL}(?:\\.{LABEL})*")
}

pub(super) fn uri_pattern() -> String {
    let path = PATH_CHARACTER;
    let rest = format!("(?:\\?(?:{path}|[/?])*)?(?:#(?:{path}|[/?])*)?");
    let authority = format!("//[A-Za-z0-9.-]+(?::[0-9]{{1,5}})?(?:/{path}*)*");
    let bare = format!("/?{path}+(?:/{path}*)*");
    format!("[A-Za-z][A-Za-z0-9+.-]*:(?:{authority}|{bare}){rest}")
}

pub(super) fn reference_pattern() -> String {
    let path = PATH_CHARACTER;
    let first = "(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-F]{2})";
    let rest = format!("(?:\\?(?:{path}|[/?])*)?(?:#(?:{path}|[/?])*)?");
    format!("{}|(?:/?{first}+(?:/{path}*)*)?{rest}", uri_pattern())
}

pub(super) fn email(text: &mut String, source: &mut impl Source) {
    local_part(text, source);
    text.push('@');
    hostname(text, source);
}

fn local_part(text: &mut String, source: &mut impl Source) {
    let given = any_of(GIVEN_NAMES, source);
    let form = source.below(6);
    if form < 5 {
        text.push_lowercase(given);
    }
    match form {
        0 => {}
        1 | 2 => {
            text.push('.');
            text.push_lowercase(any_of(FAMILY_NAMES, source));
        }
        3 => text.push_number(source.below(1000)),
        4 => text.push_all(&["+", any_of(WORDS, source)]),
        _ => text.push_all(&[any_of(WORDS, source), "_", any_of(WORDS, source)]),
    }
}

pub(super) fn idn_email(text: &mut String, source: &mut impl Source) {
    match source.below(3) {
        0 => email(text, source),
        1 => {
            text.push_all(&[any_of(ACCENTED, source), "@"]);
            hostname(text, source);
        }
        _ => {
            local_part(text, source);
            text.push('@');
            idn_hostname(text, source);
        }
    }
}

pub(super) fn hostname(text: &mut String, source: &mut impl Source) {
    let word = any_of(WORDS, source);
    let end = any_of(DOMAINS, source);
    match source.below(8) {
        0..=2 => text.push_all(&[word, ".", end]),
        3 | 4 => text.push_all(&[word, "-", any_of(WORDS, source), ".", end]),
        5 => text.push_all(&["www.", word, ".", end]),
        6 => {
            text.push_str(word);
            text.push_number(source.below(100));
            text.push_all(&[".", any_of(WORDS, source), ".", end]);
        }
        _ => text.push_str(word),
    }
}

pub(super) fn idn_hostname(text: &mut String, source: &mut impl Source) {
    match source.below(3) {
        0 => hostname(text, source),
        1 => text.push_all(&[any_of(ACCENTED, source), ".", any_of(DOMAINS, source)]),
        _ => {
            let parts = [any_of(WORDS, source), ".", any_of(ACCENTED, source)];
            text.push_all(&parts);
            text.push_all(&[".", any_of(DOMAINS, source)]);
        }
    }
}

pub(super) fn ipv4(text: &mut String, source: &mut impl Source) {
    let random = match source.below(8) {
        0 | 1 => {
            text.push_str("192.168");
            2
        }
        2 => {
            text.push_str("10");
            3
        }
        3 => {
            text.push_str(any_of(&["127.0.0.1", "0.0.0.0", "255.255.255.255", "8.8.8.8"], source));
            0
        }
        _ => {
            text.push_number(source.between(1, 223));
            3
        }
    };
    for _ in 0..random {
        text.push('.');
        text.push_number(source.below(256));
    }
}

pub(super) fn ipv6(text: &mut String, source: &mut impl Source) {
    match source.below(8) {
        0 => text.push_str(any_of(&["::1", "::", "fe80::1", "ff02::1"], source)),
        1 => {
            text.push_str("::ffff:");
            ipv4(text, source);
        }
        2..=4 => {
            text.push_str("2001:db8::");
            let count = source.between(1, 4);
            groups(text, count, source);
        }
        _ => groups(text, 8, source),
    }
}

/// Groups of hexadecimal digits without leading zeros.
fn groups(text: &mut String, count: u64, source: &mut impl Source) {
    for number in 0..count {
        if number > 0 {
            text.push(':');
        }
        let group = source.below(0x1_0000);
        let width = group.checked_ilog2().map_or(1, |bits| bits as usize / 4 + 1);
        text.push_hex(group, width);
    }
}

pub(super) fn uri(text: &mut String, window: Window, source: &mut impl Source) {
    let start = text.len();
    match source.below(10) {
        8 => {
            text.push_all(&["urn:", any_of(WORDS, source), ":"]);
            return text.push_number(source.below(1_000_000));
        }
        9 => {
            text.push_str("mailto:");
            return email(text, source);
        }
        _ => {
            text.push_all(&[any_of(SCHEMES, source), "://"]);
            hostname(text, source);
        }
    }
    if source.below(8) == 7 {
        text.push(':');
        text.push_number(source.between(1, 65_535));
    }
    continue_path(text, start, window, source);
}

pub(super) fn uri_reference(text: &mut String, window: Window, source: &mut impl Source) {
    let start = text.len();
    match source.below(5) {
        0 | 1 => return uri(text, window, source),
        2 => text.push_all(&["../", any_of(WORDS, source)]),
        3 => text.push_str(any_of(WORDS, source)),
        _ => {
            text.push_str("//");
            hostname(text, source);
        }
    }
    continue_path(text, start, window, source);
}

pub(super) fn iri(text: &mut String, window: Window, source: &mut impl Source) {
    let start = text.len();
    match source.below(3) {
        0 => uri(text, window, source),
        1 => {
            text.push_str("https://");
            idn_hostname(text, source);
            continue_path(text, start, window, source);
        }
        _ => {
            uri(text, Window { least: 0, ..window }, source);
            text.push_all(&["/", any_of(ACCENTED, source)]);
        }
    }
}

pub(super) fn iri_reference(text: &mut String, window: Window, source: &mut impl Source) {
    let start = text.len();
    match source.below(3) {
        0 => uri_reference(text, window, source),
        1 => iri(text, window, source),
        _ => {
            text.push_all(&["/", any_of(ACCENTED, source)]);
            continue_path(text, start, window, source);
        }
    }
}

/// Segments until the least length is reached, counted from `start`, then perhaps a query and a fragment.
fn continue_path(text: &mut String, start: usize, window: Window, source: &mut impl Source) {
    let segments = source.below(4);
    let mut done = 0;
    while done < segments || (text.len() - start < window.least && text.len() < 10_000) {
        text.push_all(&["/", any_of(WORDS, source)]);
        done += 1;
    }
    match source.below(8) {
        5 => {
            text.push_all(&["?", any_of(WORDS, source), "="]);
            text.push_number(source.below(1000));
        }
        6 => text.push_all(&["#", any_of(WORDS, source)]),
        7 => text.push_all(&["?q=", any_of(WORDS, source), "%20", any_of(WORDS, source)]),
        _ => {}
    }
}

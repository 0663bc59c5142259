//! Names and addresses of the internet: mail, hosts, IP, URIs and IRIs.

use super::super::window::Window;
use crate::{
    Source,
    words::{FAMILY_NAMES, GIVEN_NAMES, WORDS},
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

pub(super) fn email(source: &mut impl Source) -> String {
    format!("{}@{}", local_part(source), hostname(source))
}

fn local_part(source: &mut impl Source) -> String {
    let given = source.pick(GIVEN_NAMES).to_lowercase();
    match source.below(6) {
        0 => given,
        1 | 2 => format!("{given}.{}", source.pick(FAMILY_NAMES).to_lowercase()),
        3 => format!("{given}{}", source.below(1000)),
        4 => format!("{given}+{}", source.pick(WORDS)),
        _ => format!("{}_{}", source.pick(WORDS), source.pick(WORDS)),
    }
}

pub(super) fn idn_email(source: &mut impl Source) -> String {
    match source.below(3) {
        0 => email(source),
        1 => format!("{}@{}", source.pick(ACCENTED), hostname(source)),
        _ => format!("{}@{}", local_part(source), idn_hostname(source)),
    }
}

pub(super) fn hostname(source: &mut impl Source) -> String {
    let word = source.pick(WORDS);
    let end = source.pick(DOMAINS);
    match source.below(8) {
        0..=2 => format!("{word}.{end}"),
        3 | 4 => format!("{word}-{}.{end}", source.pick(WORDS)),
        5 => format!("www.{word}.{end}"),
        6 => format!("{word}{}.{}.{end}", source.below(100), source.pick(WORDS)),
        _ => (*word).to_owned(),
    }
}

pub(super) fn idn_hostname(source: &mut impl Source) -> String {
    match source.below(3) {
        0 => hostname(source),
        1 => format!("{}.{}", source.pick(ACCENTED), source.pick(DOMAINS)),
        _ => format!("{}.{}.{}", source.pick(WORDS), source.pick(ACCENTED), source.pick(DOMAINS)),
    }
}

pub(super) fn ipv4(source: &mut impl Source) -> String {
    match source.below(8) {
        0 | 1 => format!("192.168.{}.{}", source.below(256), source.below(256)),
        2 => format!("10.{}.{}.{}", source.below(256), source.below(256), source.below(256)),
        3 => (*source.pick(&["127.0.0.1", "0.0.0.0", "255.255.255.255", "8.8.8.8"])).to_owned(),
        _ => {
            let first = source.between(1, 223);
            let mut next = || source.below(256);
            format!("{first}.{}.{}.{}", next(), next(), next())
        }
    }
}

pub(super) fn ipv6(source: &mut impl Source) -> String {
    let groups = |count: u64, source: &mut dyn Source| {
        let groups: Vec<String> =
            (0..count).map(|_| format!("{:x}", source.below(0x1_0000))).collect();
        groups.join(":")
    };
    match source.below(8) {
        0 => (*source.pick(&["::1", "::", "fe80::1", "ff02::1"])).to_owned(),
        1 => format!("::ffff:{}", ipv4(source)),
        2..=4 => {
            let count = source.between(1, 4);
            format!("2001:db8::{}", groups(count, source))
        }
        _ => groups(8, source),
    }
}

pub(super) fn uri(window: Window, source: &mut impl Source) -> String {
    let start = match source.below(10) {
        8 => return format!("urn:{}:{}", source.pick(WORDS), source.below(1_000_000)),
        9 => return format!("mailto:{}", email(source)),
        _ => format!("{}://{}", source.pick(SCHEMES), hostname(source)),
    };
    let port = if source.below(8) == 7 {
        format!(":{}", source.between(1, 65_535))
    } else {
        String::new()
    };
    continue_path(format!("{start}{port}"), window, source)
}

pub(super) fn uri_reference(window: Window, source: &mut impl Source) -> String {
    let start = match source.below(5) {
        0 | 1 => return uri(window, source),
        2 => format!("../{}", source.pick(WORDS)),
        3 => (*source.pick(WORDS)).to_owned(),
        _ => format!("//{}", hostname(source)),
    };
    continue_path(start, window, source)
}

pub(super) fn iri(window: Window, source: &mut impl Source) -> String {
    match source.below(3) {
        0 => uri(window, source),
        1 => continue_path(format!("https://{}", idn_hostname(source)), window, source),
        _ => format!("{}/{}", uri(Window { least: 0, ..window }, source), source.pick(ACCENTED)),
    }
}

pub(super) fn iri_reference(window: Window, source: &mut impl Source) -> String {
    match source.below(3) {
        0 => uri_reference(window, source),
        1 => iri(window, source),
        _ => continue_path(format!("/{}", source.pick(ACCENTED)), window, source),
    }
}

/// Segments until the least length is reached, then perhaps a query and a fragment.
fn continue_path(mut text: String, window: Window, source: &mut impl Source) -> String {
    let segments = source.below(4);
    let mut done = 0;
    while done < segments || (text.len() < window.least && text.len() < 10_000) {
        text.push('/');
        text.push_str(WORDS[source.index(WORDS.len())]);
        done += 1;
    }
    match source.below(8) {
        5 => text += &format!("?{}={}", source.pick(WORDS), source.below(1000)),
        6 => text += &format!("#{}", source.pick(WORDS)),
        7 => text += &format!("?q={}%20{}", source.pick(WORDS), source.pick(WORDS)),
        _ => {}
    }
    text
}

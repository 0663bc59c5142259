//! No secret that was given to a run is in anything that it prints or writes, in whatever encoding a server echoes it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripted/server.sh");

const SECRET: &str = "abcd&efgh<1234>\"x'/y";

/// What a server may make of a secret, by the name of the encoding.
fn echoes(secret: &str) -> Vec<(&'static str, String)> {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let percent = |secret: &str| -> String {
        let encode = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        };
        secret.bytes().map(encode).collect()
    };
    let hex = secret.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    vec![
        ("as it is", secret.to_owned()),
        ("JSON", json(secret)),
        ("JSON in JSON", json(&json(secret))),
        ("percent", percent(secret)),
        ("percent, lower case", percent(secret).replace("%3C", "%3c").replace("%2F", "%2f")),
        (
            "XML",
            secret
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;"),
        ),
        ("hex", hex.clone()),
        ("HEX", hex.to_uppercase()),
        ("Base64 at 0", base64(secret.as_bytes())),
        ("Base64 at 1", base64(format!("u{secret}").as_bytes())),
        ("Base64 at 2", base64(format!("us{secret}").as_bytes())),
    ]
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .chain(&[0; 2])
            .take(3)
            .fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for index in 0..4 {
            let is_there = index <= group.len();
            let char = ALPHABET[bits >> (18 - 6 * index) & 63];
            text.push(if is_there { char::from(char) } else { '=' });
        }
    }
    text
}

struct Session {
    folder: TempDir,
}

/// Everything that a run printed and wrote, by its name.
type Media = BTreeMap<&'static str, String>;

impl Session {
    /// A server that echoes `secret` in every encoding: in its name, in values that it answers, on standard error, and in a
    /// text that breaks an output schema.
    fn echoing(secret: &str) -> Self {
        Self::with_tools(secret, &["good", "bad", &format!("t{secret}")])
    }

    fn with_tools(secret: &str, names: &[&str]) -> Self {
        let session = Self { folder: tempfile::tempdir().unwrap() };
        let echoes: Vec<String> = echoes(secret).into_iter().map(|(_, echo)| echo).collect();
        let tool = |name: &str, longest: usize| {
            json!({
                "name": name, "description": echoes[0],
                "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
                "outputSchema": {
                    "type": "object",
                    "properties": { "all": { "type": "array", "items": { "type": "string", "maxLength": longest } } }
                }
            })
        };
        let longest = |name: &str| if name == "good" { 10_000 } else { 1 };
        let tools: Vec<Value> = names.iter().map(|name| tool(name, longest(name))).collect();
        fs::write(session.at("tools"), json!({ "tools": tools }).to_string()).unwrap();
        let text = json!({ "type": "text", "text": echoes.join(" ") });
        let result = json!({ "content": [text], "structuredContent": { "all": echoes } });
        fs::write(session.at("result"), result.to_string()).unwrap();
        fs::write(session.at("stderr"), echoes.join("\n")).unwrap();
        session
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn foolproof(&self, args: &[&str]) -> Output {
        let mut command = Command::new(FOOLPROOF);
        command.args(args).env("FOOLPROOF_CACHE_DIR", self.at("caches"));
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", self.at("step"));
        command.env("INHERITED", SECRET).output().unwrap()
    }

    /// Tests the server with these options, and these arguments of its own after those that it needs.
    fn test(&self, options: &[&str], arguments: &[&str]) -> (Output, Media) {
        let stderr = fs::read_to_string(self.at("stderr")).unwrap();
        let path = |name: &str| self.at(name).display().to_string();
        let files = [
            ("--junit", "junit.xml"),
            ("--summary-md", "summary.md"),
            ("--repro", "repro.json"),
            ("--dump-corpus", "corpus.json"),
            ("--coverage-report", "coverage.json"),
            ("--coverage-html", "coverage.html"),
        ];
        let files: Vec<String> =
            files.iter().flat_map(|(option, name)| [(*option).to_owned(), path(name)]).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let name = json!({ "name": SECRET, "version": "1" }).to_string();
        let (tools, result) = (path("tools"), path("result"));
        let server = ["--", "/bin/sh", SERVER, &name, &tools, &result, &stderr];
        let usual = ["mcp", "stdio", "--seed", "1", "--cases", "2", "--mine-text"];
        let _ = fs::remove_file(self.at("step"));
        let output = self.foolproof(&[&usual[..], options, &files, &server, arguments].concat());
        let names = [
            "junit.xml",
            "summary.md",
            "repro.json",
            "corpus.json",
            "coverage.json",
            "coverage.html",
            "step",
        ];
        let mut media: Media = names
            .into_iter()
            .map(|name| (name, fs::read_to_string(self.at(name)).unwrap_or_default()))
            .collect();
        media.insert("standard output", String::from_utf8(output.stdout.clone()).unwrap());
        media.insert("standard error", String::from_utf8(output.stderr.clone()).unwrap());
        (output, media)
    }
}

fn assert_masked(media: &Media, secret: &str, context: &str) {
    for (medium, text) in media {
        for (encoding, echo) in echoes(secret) {
            assert!(!text.contains(&echo), "{context}: {encoding} in {medium}:\n{text}");
        }
    }
}

/// The server's own arguments hold the echoes on standard error, so they are not given to the shell of a person: the line
/// `again:` has them, masked.
#[test]
fn no_medium_has_a_secret_in_any_encoding() {
    let session = Session::echoing(SECRET);
    let variable = format!("API_TOKEN={SECRET}");
    let url = format!("https://example.org/?api_key={}", &echoes(SECRET)[3].1);
    let value = format!("password={SECRET}");
    let flag = format!("--api-key={SECRET}");
    for (context, options, arguments) in [
        ("a variable", &["--env", &*variable][..], &[][..]),
        ("an inherited variable", &["--inherit-env", "INHERITED"], &[]),
        ("a value", &["--value", &*value], &[]),
        ("a flag", &[], &[&*flag]),
        ("an option", &[], &["--api-key", SECRET]),
        ("a URL", &[], &[&*url]),
    ] {
        for format in [&["--json"][..], &[]] {
            let (output, media) = session.test(&[options, format].concat(), arguments);
            assert_eq!(output.status.code(), Some(1), "{context}: {media:#?}");
            for (medium, text) in &media {
                assert!(!text.is_empty(), "{context}: {medium} is empty");
            }
            assert_masked(&media, SECRET, context);
        }
    }
}

#[test]
fn a_password_in_a_url_is_a_secret() {
    for password in ["s3cr3t-p4ss", "pw12"] {
        let url = format!("DATABASE_URL=postgres://bob:{password}@host/db");
        let secret = format!("bob:{password}@");
        let session = Session::echoing(&secret);
        let (_, media) = session.test(&["--env", &url], &[]);
        for (medium, text) in &media {
            assert!(!text.contains(&secret), "{medium}: {text}");
        }
        let repro: Value = serde_json::from_str(&media["repro.json"]).unwrap();
        assert_eq!(repro["server"]["needs"], json!(["DATABASE_URL"]));
    }
}

#[test]
fn a_server_gets_proxies_and_certificates_and_their_passwords_are_masked() {
    let session = Session::with_tools(SECRET, &["good"]);
    let script = "echo \"$HTTPS_PROXY $SSL_CERT_FILE $AWS_SECRET_ACCESS_KEY.\" >&2; exit 1";
    let output = Command::new(FOOLPROOF)
        .args(["mcp", "stdio", "--", "/bin/sh", "-c", script])
        .env("FOOLPROOF_CACHE_DIR", session.at("caches"))
        .env("HTTPS_PROXY", "http://bob:s3cr3t-p4ss@proxy:3128")
        .env("SSL_CERT_FILE", "/etc/ssl/own.pem")
        .env("AWS_SECRET_ACCESS_KEY", "not passed on")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("stderr: http://bob:***@proxy:3128 /etc/ssl/own.pem ."), "{errors}");
}

#[test]
fn a_short_secret_is_named_in_a_warning() {
    let session = Session::echoing(SECRET);
    let (_, media) = session.test(&["--env", "PIN_TOKEN=1234"], &[]);
    let warning = "PIN_TOKEN looks like a secret, but has fewer than 8 characters";
    assert!(media["standard error"].contains(warning), "{}", media["standard error"]);
}

#[test]
fn a_value_that_was_masked_must_be_given_again_to_replay() {
    // A call of a tool whose name was masked could not be made.
    let session = Session::with_tools(SECRET, &["good", "bad"]);
    let value = format!("password={SECRET}");
    let (_, media) = session.test(&["--value", &value], &[]);
    let repro: Value = serde_json::from_str(&media["repro.json"]).unwrap();
    assert_eq!(repro["seeds"][0]["value"], "***");
    let path = session.at("repro.json").display().to_string();
    // The arguments of the server have the secret too, so its command is given as well.
    let (tools, result) = (session.at("tools"), session.at("result"));
    let server = [
        "--",
        "/bin/sh",
        SERVER,
        "{\"name\":\"s\",\"version\":\"1\"}",
        tools.to_str().unwrap(),
        result.to_str().unwrap(),
        "",
    ];
    let text = |output: &Output| {
        [&output.stdout[..], &output.stderr[..]]
            .map(|it| String::from_utf8_lossy(it).into_owned())
            .concat()
    };
    let without = session.foolproof(&[&["mcp", "replay", &path][..], &server].concat());
    assert_eq!(without.status.code(), Some(2), "{}", text(&without));
    assert!(text(&without).contains("--value password=…"), "{}", text(&without));
    let with =
        session.foolproof(&[&["mcp", "replay", &path, "--value", &value][..], &server].concat());
    assert_eq!(with.status.code(), Some(1), "{}", text(&with));
    assert_masked(&Media::from([("a replay", text(&with))]), SECRET, "a replay");
    let recorded = session.foolproof(&["mcp", "replay", &path, "--value", &value, "--trust"]);
    assert_eq!(recorded.status.code(), Some(2), "{}", text(&recorded));
    assert!(text(&recorded).contains("after `--`"), "{}", text(&recorded));
}

#[test]
fn a_dry_run_and_a_server_that_does_not_start_are_masked() {
    let session = Session::echoing(SECRET);
    let variable = format!("API_TOKEN={SECRET}");
    let output = session.foolproof(&[
        "mcp",
        "stdio",
        "--env",
        &variable,
        "--",
        "/bin/sh",
        "-c",
        "echo \"$API_TOKEN\" >&2; exit 1",
    ]);
    assert_eq!(output.status.code(), Some(5));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("stderr: ***"), "{errors}");
    assert_masked(&Media::from([("an error", errors)]), SECRET, "a start");
    let value = format!("password={SECRET}");
    let (_, media) = session.test(&["--value", &value, "--dry-run"], &[]);
    assert_masked(&media, SECRET, "a dry run");
}

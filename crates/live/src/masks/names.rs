//! Which values are secrets: what somebody calls a token, a password or a key, wherever the name and the value are.

use serde_json::Value;

use super::{Masks, SHORTEST_SECRET};

/// What the name of a secret contains, wherever.
const PARTS: [&str; 8] =
    ["token", "secret", "password", "passwd", "credential", "apikey", "cookie", "authorization"];

/// What is a word of the name of a secret.
const WORDS: [&str; 9] =
    ["key", "auth", "pass", "pwd", "pat", "passphrase", "jwt", "bearer", "signature"];

/// From this number of bytes on, the user of a URL without a password is a token: names of people are shorter, tokens longer.
const LONG_USER: usize = 20;

/// How far texts are taken apart: an option that has a connection string that has a URL. A file may have any number of texts
/// inside one another.
const LEVELS: usize = 5;

/// Last words of names of what is not secret itself.
const PLACES: [&str; 5] = ["file", "path", "dir", "folder", "filename"];

/// Whether the value of what is called so is a secret: a variable, an option, a header, a member of an object.
///
/// ```
/// use foolproof_live::is_secret_name;
///
/// for name in ["API_TOKEN", "--api-key", "Authorization", "dbPassword", "OPENAI_API_KEY", "x-auth"] {
///     assert!(is_secret_name(name), "{name}");
/// }
/// for name in ["PATH", "--keyboard", "author", "TOKEN_FILE", "compass"] {
///     assert!(!is_secret_name(name), "{name}");
/// }
/// ```
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    if words.last().is_some_and(|last| PLACES.contains(&last.as_str())) {
        return false;
    }
    let is_secret = |word: &String| {
        let has_part = PARTS.iter().any(|part| word.contains(part));
        has_part
            || WORDS.contains(&word.as_str())
            || word.ends_with("key")
            || word.ends_with("auth")
    };
    words.iter().any(is_secret)
}

/// The words of `dbPassword`, `DB_PASSWORD` and `--db-password`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        let begins = !char.is_alphanumeric() || was_lower && char.is_uppercase();
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase() || char.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Masks {
    /// Adds `value` if it is called like a secret, and in any case the secrets inside it.
    pub fn add_named(&mut self, name: &str, value: &str) {
        self.named(name, value, LEVELS);
    }

    fn named(&mut self, name: &str, value: &str, levels: usize) {
        if is_secret_name(name) {
            self.add(name, value);
            // `Bearer abc`.
            let is_scheme = |word: &str| word.chars().all(char::is_alphabetic);
            if let Some((scheme, rest)) = value.split_once(' ')
                && is_scheme(scheme)
                && long_enough(rest)
            {
                self.add(name, rest.trim());
            }
        }
        self.inside(name, value, levels);
    }

    /// Adds the secrets in a command line: what follows an option that is called like one, and what is inside of arguments.
    pub fn add_arguments<'a>(&mut self, arguments: impl IntoIterator<Item = &'a str>) {
        self.arguments(arguments, LEVELS);
    }

    fn arguments<'a>(&mut self, arguments: impl IntoIterator<Item = &'a str>, levels: usize) {
        let mut option: Option<&str> = None;
        for argument in arguments {
            // A value may begin with a hyphen, and an option that follows another one has two, or is short.
            let is_value = !argument.starts_with("--")
                && (!argument.starts_with('-') || long_enough(argument));
            if let Some(option) = option.take().filter(|_| is_value) {
                self.named(option, argument, levels);
            } else {
                self.inside("an argument", argument, levels);
            }
            // `--key=…`, and `KEY=…` after `env` or `docker run --env`, are in the text.
            let is_option = argument.starts_with('-') && !argument.contains('=');
            option = Some(argument).filter(|_| is_option && is_secret_name(argument));
        }
    }

    /// Adds the secrets inside `text`: the password and the parameters of a URL, `name=value`, `Name: value`, JSON, the parts of a
    /// connection string, and what follows an option in a command line.
    pub fn add_text(&mut self, name: &str, text: &str) {
        self.inside(name, text, LEVELS);
    }

    fn inside(&mut self, name: &str, text: &str, levels: usize) {
        let Some(levels) = levels.checked_sub(1) else { return };
        if let Some((key, value)) = text.split_once('=').filter(|(key, _)| is_name(key)) {
            if is_secret_name(key) {
                self.named(key, value, levels);
            } else {
                // `--header=Authorization: …`, `--env=TOKEN=…`.
                self.inside(name, value, levels);
            }
        }
        if let Some((key, value)) = text.split_once(':').filter(|(key, _)| is_name(key))
            && is_secret_name(key)
        {
            self.named(key, value.trim(), levels);
        }
        if text.contains(';') {
            for part in text.split(';').map(str::trim) {
                self.inside(name, part, levels);
            }
        } else if text.contains(char::is_whitespace) {
            self.words(text, levels);
        }
        if text.starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            self.members(name, &value, levels);
        }
        for (start, _) in text.match_indices("://") {
            self.add_url(name, &text[start + 3..]);
        }
    }

    /// Adds the secrets in the words of a command line for a shell.
    fn words(&mut self, text: &str, levels: usize) {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(['\'', '"', '(', ')', '`']));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        self.arguments(words, levels);
    }

    /// Adds the secrets of a URL after its scheme.
    fn add_url(&mut self, name: &str, rest: &str) {
        let rest = rest.split([' ', '\n', '"', '\'']).next().unwrap_or_default();
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        // A password may have a slash in it, where it should be escaped. A port has digits only.
        let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_password =
            rest[..end].split_once(':').is_some_and(|(_, password)| !is_port(password));
        let end = if rest[..end].contains('@') || !is_password {
            end
        } else {
            rest.rfind('@').map_or(end, |at| at + 1)
        };
        let user = rest[..end].rsplit_once('@').map(|(user, _)| user);
        // Who is known by a long name alone is known by a token.
        if let Some(token) = user.filter(|user| !user.contains(':') && user.len() >= LONG_USER) {
            self.add(&format!("the user in {name}"), token);
        }
        if let Some(user) = user
            && let Some((_, password)) = user.split_once(':')
        {
            // A short password is a secret together with its user.
            let is_long = password.chars().count() >= SHORTEST_SECRET;
            let name = format!("the password in {name}");
            self.add(&name, if is_long { password } else { user });
            self.add_decoded(&name, password);
        }
        let query = rest.split_once('?').map_or("", |(_, query)| query);
        let query = query.split('#').next().unwrap_or_default();
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if is_secret_name(key) {
                self.add(key, value);
                self.add_decoded(key, value);
            }
        }
    }

    /// Adds what a part of a URL stands for, if that is longer than a word.
    fn add_decoded(&mut self, name: &str, part: &str) {
        let decoded = percent_encoding::percent_decode_str(part).decode_utf8_lossy();
        if decoded != part && long_enough(&decoded) {
            self.add(name, &decoded);
        }
    }

    /// Adds the members of a value that are called like secrets.
    fn members(&mut self, name: &str, value: &Value, levels: usize) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match member {
                        Value::String(text) => self.named(key, text, levels),
                        Value::Number(number) => self.named(key, &number.to_string(), levels),
                        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                            self.members(key, member, levels);
                        }
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.members(name, item, levels)),
            Value::String(text) => self.named(name, text, levels),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn long_enough(text: &str) -> bool {
    text.chars().count() >= SHORTEST_SECRET
}

/// Whether `text` is a name, perhaps of an option.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "-_.".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_wherever_they_are_named() {
        for (arguments, secret) in [
            (&["server", "--api-key=sk-12345678"][..], "sk-12345678"),
            (&["server", "--api-key", "sk-12345678"], "sk-12345678"),
            (&["server", "--api-key", "-sk12345678"], "-sk12345678"),
            (&["server", "--header=Authorization: Bearer sk-12345678"], "sk-12345678"),
            (&["server", "--header", "X-Api-Key:sk-12345678"], "sk-12345678"),
            (&["docker", "--env=API_KEY=sk-12345678", "image"], "sk-12345678"),
            (&["sh", "-c", "API_KEY=sk-12345678 exec server"], "sk-12345678"),
            (&["sh", "-c", "server --api-key 'sk-12345678' --port 1"], "sk-12345678"),
            (&["server", "Server=host;User Id=bob;Password=sk-12345678;"], "sk-12345678"),
            (&["git", "https://ghp_0123456789abcdef@github.com/x"], "ghp_0123456789abcdef"),
            (&["server", "postgres://bob:pa/ss+word@host/db"], "pa/ss+word"),
            (&["env", "API_KEY=sk-12345678", "server"], "sk-12345678"),
            (&["remote", "--header", "Authorization: Bearer sk-12345678"], "sk-12345678"),
            (&["server", "postgres://bob:p%40ssw0rd!@host/db"], "p%40ssw0rd!"),
            (&["server", "postgres://bob:p%40ssw0rd!@host/db"], "p@ssw0rd!"),
            (&["server", "postgres://bob:pw12@host/db"], "bob:pw12"),
            (&["server", "https://host/mcp?page=1&access_token=sk-12345678#x"], "sk-12345678"),
            (
                &["server", r#"{"auth":{"clientSecret":"sk-12345678"},"port":12345678}"#],
                "sk-12345678",
            ),
            (&["server", r#"--config={"a":1}"#, "--password", "with space"], "with space"),
        ] {
            let mut masks = Masks::default();
            masks.add_arguments(arguments.iter().copied());
            let text = format!("<{secret}>");
            assert_eq!(masks.mask(&text), "<***>", "{arguments:?}");
            assert_eq!(
                masks.mask("server 12345678 host page with"),
                "server 12345678 host page with"
            );
        }
    }

    #[test]
    fn texts_inside_one_another_are_taken_apart_to_a_limit() {
        for text in ["a=".repeat(200_000), "key=".repeat(100_000), "--a=key: ".repeat(50_000)] {
            let mut masks = Masks::default();
            masks.add_arguments([text.as_str()]);
            masks.add_named("value", &text);
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        let mut masks = Masks::default();
        let plain = [
            "server",
            "--port",
            "12345678",
            "--key-file",
            "/etc/keys/id_rsa",
            "https://example.org/a?b=c",
        ];
        masks.add_arguments(plain);
        masks.add_named("PATH", "/usr/local/bin:/usr/bin");
        assert!(masks.is_empty() && masks.too_short().next().is_none());
        masks.add_named("PIN_TOKEN", "1234");
        masks.add_named("DATABASE_URL", "x://a:b@host");
        assert_eq!(
            masks.too_short().collect::<Vec<_>>(),
            ["PIN_TOKEN", "the password in DATABASE_URL"]
        );
    }
}

//! Text as a word of a shell.

/// `text` as one word of a shell, on one line. Control characters are written as POSIX.1-2024 has it, `$'\n'`, which Bash, Zsh
/// and others have long known.
pub(super) fn word(text: &str) -> String {
    let is_safe = |char: char| char.is_ascii_alphanumeric() || "_-./:=@%+,".contains(char);
    if !text.is_empty() && text.chars().all(is_safe) {
        return text.to_owned();
    }
    let mut word = String::with_capacity(text.len() + 2);
    let mut rest = text;
    loop {
        let end = rest.find(super::controls_terminal).unwrap_or(rest.len());
        let (plain, others) = rest.split_at(end);
        if !plain.is_empty() || text.is_empty() {
            word.push_str(&format!("'{}'", plain.replace('\'', r"'\''")));
        }
        let end = others.find(|char| !super::controls_terminal(char)).unwrap_or(others.len());
        let (controls, next) = others.split_at(end);
        if !controls.is_empty() {
            word.push_str("$'");
            for byte in controls.bytes() {
                match byte {
                    b'\n' => word.push_str("\\n"),
                    b'\r' => word.push_str("\\r"),
                    b'\t' => word.push_str("\\t"),
                    byte => word.push_str(&format!("\\x{byte:02x}")),
                }
            }
            word.push('\'');
        }
        if next.is_empty() {
            return word;
        }
        rest = next;
    }
}

#[test]
fn a_word_is_one_argument_again() {
    for (text, expected) in [
        ("plain-word_1./:=@%+,", "plain-word_1./:=@%+,"),
        ("", "''"),
        ("it's", r"'it'\''s'"),
        ("a b\nc", r"'a b'$'\n''c'"),
        ("\u{1b}", r"$'\x1b'"),
        ("$(x) `y`", "'$(x) `y`'"),
    ] {
        assert_eq!(word(text), expected, "{text:?}");
    }
}

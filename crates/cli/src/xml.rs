//! Text in XML.

/// `text` in XML. Characters that XML cannot contain are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(char),
            char if char.is_control() || char == '\u{fffe}' || char == '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            char => escaped.push(char),
        }
    }
    escaped
}

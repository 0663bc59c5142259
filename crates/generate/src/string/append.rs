//! Appending to a text without an allocation of its own for every part.

/// Appends parts of formats and of free text.
pub(super) trait Append {
    /// Appends a number in decimal digits.
    fn push_number(&mut self, number: u64);

    /// Appends a number in decimal digits, with zeros before it up to `width` digits.
    fn push_padded(&mut self, number: u64, width: usize);

    /// Appends the last `width` hexadecimal digits of a number.
    fn push_hex(&mut self, number: u64, width: usize);

    /// Appends `word`, which is ASCII, in lower case.
    fn push_lowercase(&mut self, word: &str);

    /// Appends `word`, whose first character is ASCII, with that in upper case.
    fn push_capitalized(&mut self, word: &str);

    /// Appends several parts.
    fn push_all(&mut self, parts: &[&str]);
}

impl Append for String {
    fn push_number(&mut self, number: u64) {
        self.push_str(itoa::Buffer::new().format(number));
    }

    fn push_padded(&mut self, number: u64, width: usize) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number);
        for _ in digits.len()..width {
            self.push('0');
        }
        self.push_str(digits);
    }

    fn push_hex(&mut self, number: u64, width: usize) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for place in (0..width).rev() {
            let digit = (number >> (4 * place)) & 15;
            self.push(char::from(DIGITS[usize::try_from(digit).unwrap_or(0)]));
        }
    }

    fn push_lowercase(&mut self, word: &str) {
        let start = self.len();
        self.push_str(word);
        self[start..].make_ascii_lowercase();
    }

    fn push_capitalized(&mut self, word: &str) {
        let start = self.len();
        self.push_str(word);
        self[start..=start].make_ascii_uppercase();
    }

    fn push_all(&mut self, parts: &[&str]) {
        for part in parts {
            self.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_and_cut() {
        let mut text = String::new();
        text.push_number(120);
        text.push_padded(7, 3);
        text.push_padded(1234, 2);
        text.push_hex(0xabcd, 2);
        text.push_hex(1, 4);
        assert_eq!(text, "1200071234cd0001");
    }

    #[test]
    fn words_change_their_case() {
        let mut text = String::new();
        text.push_lowercase("Ada");
        text.push_capitalized("blue");
        assert_eq!(text, "adaBlue");
    }
}

//! The measure of a sequence, which shrinking lowers.

use crate::{Argument, StepRecord};

/// How large a sequence is: by its length; then by how complex its arguments are together; then by its
/// commands, in the order of the test; then by its arguments, in their order. A value tree knows its simplest
/// value, but values of arbitrary types have no order besides; so their `Debug` text decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    length: usize,
    complexity: usize,
    commands: Vec<usize>,
    arguments: Vec<(usize, String)>,
}

impl Measure {
    pub(super) fn of<T: StepRecord>(steps: &[T], arguments: &[Vec<Argument>]) -> Self {
        let mut measured = Vec::new();
        for (step, arguments) in steps.iter().zip(arguments) {
            for (index, argument) in arguments.iter().enumerate() {
                let is_simplest = index < step.argument_count() && step.is_simplest(index);
                let complexity = if is_simplest { 0 } else { complexity(&argument.value) };
                measured.push((complexity, argument.value.clone()));
            }
        }
        Self {
            length: steps.len(),
            complexity: measured.iter().map(|(complexity, _)| complexity).sum(),
            commands: steps.iter().map(StepRecord::command).collect(),
            arguments: measured,
        }
    }
}

/// How complex a `Debug` text is: digits, characters of strings, brackets and words count, where all words
/// are equal but `true`, which is less simple than `false`.
fn complexity(text: &str) -> usize {
    let (mut sum, mut is_quoted, mut is_escaped) = (1, false, false);
    let mut word = String::new();
    for char in text.chars().chain([' ']) {
        if is_quoted {
            sum += 1;
            is_quoted = char != '"' || is_escaped;
            is_escaped = char == '\\' && !is_escaped;
        } else if char.is_alphanumeric() || char == '_' {
            word.push(char);
        } else {
            sum += word_complexity(&word);
            word.clear();
            is_quoted = char == '"';
            sum += usize::from(!char.is_whitespace() && char != ',');
        }
    }
    sum
}

fn word_complexity(word: &str) -> usize {
    match word.chars().next() {
        None => 0,
        Some(first) if first.is_ascii_digit() => word.len(),
        Some(_) if word == "true" => 2,
        Some(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simpler_values_are_less_complex() {
        let ordered = [
            ["0", "10"],
            ["1", "-1"],
            ["false", "true"],
            ["None", "Some(0)"],
            ["[]", "[0]"],
            ["[]", "[[]]"],
            ["[0]", "[0, 0]"],
            ["\"\"", "\"a\""],
            ["\"a\"", "\"a\\\"\""],
        ];
        for [simple, complex] in ordered {
            assert!(complexity(simple) < complexity(complex), "{simple} {complex}");
        }
        assert_eq!(complexity("Small"), complexity("ExtraLarge"));
    }
}

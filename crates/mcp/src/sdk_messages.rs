//! How common SDKs word that their own validation refused something.
//!
//! They turn a violated output schema into an `isError` text or into the error -32602, which would otherwise look
//! like a refusal by the tool.

/// What the validation of a server refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// What its own tool returned.
    Output,
    /// The arguments of the call.
    Arguments,
}

/// Texts about what a tool returned, in lower case.
const OUTPUT: [&str; 7] = [
    "output validation error",
    "invalid structured content for tool",
    "structured content does not match the tool's output schema",
    "has an output schema but no structured content",
    "has an output schema but did not return structured content",
    "outputschema defined but no structured output returned",
    "failed to validate structured content",
];

/// Texts about arguments, in lower case.
const ARGUMENTS: [&str; 4] = [
    "input validation error",
    "invalid arguments for tool",
    "invalid tool arguments",
    "validation error for ",
];

/// What was refused, by the text of an error.
pub(crate) fn refusal(text: &str) -> Option<Refusal> {
    let text = text.to_lowercase();
    let has = |all: &[&str]| all.iter().any(|part| text.contains(part));
    if has(&OUTPUT) {
        Some(Refusal::Output)
    } else if has(&ARGUMENTS) {
        Some(Refusal::Arguments)
    } else {
        None
    }
}

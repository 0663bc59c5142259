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
const OUTPUT: [&str; 8] = [
    "output validation error",
    "invalid structured content for tool",
    "structured content does not match the tool's output schema",
    "has an output schema but no structured content",
    "has an output schema but did not return structured content",
    "outputschema defined but no structured output returned",
    "failed to validate structured content",
    "invalid tools/call result",
];

/// Texts about arguments, in lower case.
const ARGUMENTS: [&str; 3] =
    ["input validation error", "invalid arguments for tool", "invalid tool arguments"];

/// What was refused, by the text of an error. `output_title` is the title of the tool's output schema.
pub(crate) fn refusal(text: &str, output_title: Option<&str>) -> Option<Refusal> {
    let lower = text.to_lowercase();
    let has = |all: &[&str]| all.iter().any(|part| lower.contains(part));
    if has(&OUTPUT) {
        Some(Refusal::Output)
    } else if has(&ARGUMENTS) {
        Some(Refusal::Arguments)
    } else {
        refused_model(text).and_then(|model| match model {
            _ if model.ends_with("Arguments") => Some(Refusal::Arguments),
            _ if Some(model) == output_title || model.ends_with("Output") => Some(Refusal::Output),
            // A tool may well validate something else.
            _ => None,
        })
    }
}

/// The model in `2 validation errors for MODEL`, which pydantic writes in the first line.
fn refused_model(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    let (_, model) = line
        .split_once(" validation error for ")
        .or_else(|| line.split_once(" validation errors for "))?;
    Some(model.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_each_sdk_are_known() {
        let output = [
            "MCP error -32602: Output validation error: Invalid structured content for tool t: Required at a",
            "Output validation error: Tool t has an output schema but no structured content was provided",
            "Output validation error: 5 is not of type 'string'",
            "Output validation error: outputSchema defined but no structured output returned",
            "Error executing tool t: 2 validation errors for tOutput\nresult\n  Field required",
            "Error executing tool t: 1 validation error for Weather\ntemperature\n  Field required",
            "MCP error -32602: Invalid tools/call result: [{}]",
        ];
        for text in output {
            assert_eq!(refusal(text, Some("Weather")), Some(Refusal::Output), "{text}");
        }
        let arguments = [
            "MCP error -32602: Input validation error: Invalid arguments for tool t: Required at a",
            "Input validation error: 'timezone' is a required property",
            "Error executing tool t: 1 validation error for tArguments\ntimezone\n  Field required",
            "Error executing tool t: 3 validation errors for tArguments\ntimezone\n  Field required",
        ];
        for text in arguments {
            assert_eq!(refusal(text, Some("Weather")), Some(Refusal::Arguments), "{text}");
        }
        let other = [
            "Error executing tool t",
            "Unknown tool: t",
            "Error executing tool t: 1 validation error for Upstream\na\n  Field required",
            "no such file",
        ];
        for text in other {
            assert_eq!(refusal(text, Some("Weather")), None, "{text}");
        }
    }
}

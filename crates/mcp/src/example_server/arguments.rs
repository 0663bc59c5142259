//! Checks the arguments of a call against the input schema of its tool.
//!
//! Not a validator: it knows the keywords that `schemas::input` uses, and a test holds both to the
//! same list.

use serde_json::{Map, Value};

use super::integer::integer;

/// Where arguments break the input schema, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// A JSON Pointer into the arguments.
    pub(super) pointer: String,
    /// What the schema asks for there.
    pub(super) reason: String,
}

/// The first mismatch between `value` and `schema`, if there is one.
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), Mismatch> {
    check_at("", schema, value)
}

fn check_at(pointer: &str, schema: &Value, value: &Value) -> Result<(), Mismatch> {
    let fail = |reason: String| Err(Mismatch { pointer: pointer.to_owned(), reason });
    if let Some(name) = schema["type"].as_str()
        && !has_type(name, value)
    {
        let article = if name.starts_with(['i', 'o', 'a']) { "an" } else { "a" };
        return fail(format!("must be {article} {name}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return fail(format!("must be one of {}", schema["enum"]));
    }
    let number = value.as_number().and_then(integer);
    if let (Some(minimum), Some(number)) = (bound(schema, "minimum"), number)
        && number < minimum
    {
        return fail(format!("must be at least {minimum}"));
    }
    if let (Some(maximum), Some(number)) = (bound(schema, "maximum"), number)
        && number > maximum
    {
        return fail(format!("must be at most {maximum}"));
    }
    if let (Some(length), Some(text)) = (bound(schema, "minLength"), value.as_str())
        && (text.chars().count() as u128) < length.unsigned_abs()
    {
        return fail(format!("must have at least {length} characters"));
    }
    value.as_object().map_or(Ok(()), |object| check_object(pointer, schema, object))
}

fn check_object(
    pointer: &str,
    schema: &Value,
    object: &Map<String, Value>,
) -> Result<(), Mismatch> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !object.contains_key(name) {
            let reason = format!("must have the property `{name}`");
            return Err(Mismatch { pointer: pointer.to_owned(), reason });
        }
    }
    for (name, value) in object {
        let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        match schema["properties"].get(name) {
            Some(property) => check_at(&below, property, value)?,
            None if schema["additionalProperties"] == false => {
                return Err(Mismatch { pointer: below, reason: "must be absent".to_owned() });
            }
            None => {}
        }
    }
    Ok(())
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_number().and_then(integer).is_some(),
        _ => false,
    }
}

fn bound(schema: &Value, keyword: &str) -> Option<i128> {
    schema[keyword].as_number().and_then(integer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::example_server::{schemas, tools::Tool};

    /// Collects the keywords of a schema that has `properties` as its only applicator.
    fn keywords<'s>(schema: &'s Value, all: &mut Vec<&'s str>) {
        for (keyword, value) in schema.as_object().unwrap() {
            all.push(keyword);
            if keyword == "properties" {
                value.as_object().unwrap().values().for_each(|property| keywords(property, all));
            }
            if keyword == "type" {
                assert!(
                    ["object", "string", "boolean", "integer"].contains(&value.as_str().unwrap())
                );
            }
        }
    }

    #[test]
    fn input_schemas_use_only_keywords_that_are_checked() {
        let known = "type enum minimum maximum minLength properties required additionalProperties \
                     description x-mcp-header";
        for tool in Tool::ALL {
            let schema = schemas::input(tool);
            let mut used = Vec::new();
            keywords(&schema, &mut used);
            for keyword in used {
                assert!(known.split_whitespace().any(|name| name == keyword), "{keyword}");
            }
        }
    }

    #[test]
    fn mismatches_name_their_pointer() {
        let cases = [
            (Tool::CreateTask, json!({}), "", "must have the property `title`"),
            (Tool::CreateTask, json!({ "title": 1 }), "/title", "must be a string"),
            (Tool::CreateTask, json!({ "title": "" }), "/title", "must have at least 1 characters"),
            (
                Tool::CreateTask,
                json!({ "title": "a", "priority": "urgent" }),
                "/priority",
                r#"must be one of ["low","normal","high"]"#,
            ),
            (
                Tool::CreateTask,
                json!({ "title": "a", "estimate": -1 }),
                "/estimate",
                "must be at least 0",
            ),
            (
                Tool::CreateTask,
                json!({ "title": "a", "estimate": 1.5 }),
                "/estimate",
                "must be an integer",
            ),
            (
                Tool::SearchTasks,
                json!({ "query": "", "limit": 51 }),
                "/limit",
                "must be at most 50",
            ),
            (Tool::ListTasks, json!({ "a/b": 1 }), "/a~1b", "must be absent"),
            (
                Tool::MoveTask,
                json!({ "id": "a", "to": { "project": "b" } }),
                "/to",
                "must have the property `position`",
            ),
            (
                Tool::MoveTask,
                json!({ "id": "a", "to": { "project": "b", "position": null } }),
                "/to/position",
                "must be an integer",
            ),
        ];
        for (tool, arguments, pointer, reason) in cases {
            let mismatch = check(&schemas::input(tool), &arguments).unwrap_err();
            assert_eq!((mismatch.pointer.as_str(), mismatch.reason.as_str()), (pointer, reason));
        }
    }

    #[test]
    fn integers_may_be_written_as_decimals() {
        let arguments = json!({ "query": "", "limit": 5.0 });
        assert_eq!(check(&schemas::input(Tool::SearchTasks), &arguments), Ok(()));
    }
}

//! Values to ask both oracles about: what the schema itself mentions, a few fixed ones, and objects
//! and arrays built from what it declares.
//!
//! The values need not be valid. They should be near enough to valid that the keywords below the
//! root are reached, and each schema gets the same ones on every run.

use foolproof_contract::{JsonType, Operands, Oracle, Pointer, Violation};
use serde_json::{Map, Value, json};

/// The most instances for one schema.
const MOST: usize = 60;

/// How deep built values nest.
const DEPTH: usize = 4;

/// The most members of one built object, and the most places that are tried out.
const WIDTH: usize = 40;
const MOST_LEAVES: usize = 200;

/// How often a built value is brought nearer to what the schema asks for.
const CORRECTIONS: usize = 30;

/// The instances for `schema`, whose oracle is `oracle`, references resolved inside `document`.
pub(crate) fn instances(document: &Value, schema: &Value, oracle: &Oracle) -> Vec<Value> {
    let mut found = Found::default();
    let built = build(document, schema, Members::All, DEPTH);
    // What is wrong elsewhere would hide how the oracles read the place that is tried out.
    let full = correct(oracle, built.clone());
    let least = build(document, schema, Members::Required, DEPTH);
    found.add(built);
    found.add(full.clone());
    found.add(correct(oracle, least.clone()));
    found.add(least);
    for value in fixed() {
        found.add(value);
    }
    for value in mentioned(schema).into_iter().take(12) {
        found.add(value);
    }
    let mut leaves = Vec::new();
    leaves_of(document, schema, &mut Vec::new(), DEPTH, &mut leaves);
    // Each round changes every leaf once, so that a large schema is seen evenly.
    let rounds = (0..6).flat_map(|round| leaves.iter().map(move |leaf| (round, leaf)));
    for (round, (path, schema)) in rounds {
        if found.is_full() {
            break;
        }
        if let Some(candidate) = candidates(schema).get(round) {
            let mut changed = full.clone();
            if replace(&mut changed, path, candidate) {
                found.add(changed);
            }
        }
    }
    found.0
}

/// Brings `value` nearer to what the schema asks for, a few times over.
fn correct(oracle: &Oracle, mut value: Value) -> Value {
    for _ in 0..CORRECTIONS {
        let before = value.clone();
        for violation in &oracle.violations(&value) {
            correct_one(&mut value, violation);
        }
        if value == before {
            break;
        }
    }
    value
}

fn correct_one(value: &mut Value, violation: &Violation) {
    let Some(place) = at(value, violation.instance()) else {
        return;
    };
    match (violation.keyword(), violation.operands(), place) {
        ("required", Operands::Names(names), Value::Object(members)) => {
            members.extend(names.iter().map(|name| (name.clone(), json!("text"))));
        }
        (_, Operands::Names(names), Value::Object(members)) => {
            members.retain(|name, _| !names.contains(name));
        }
        (_, Operands::Values(values), place) => {
            place.clone_from(values.first().unwrap_or(&Value::Null));
        }
        (_, Operands::Types(types), place) => {
            *place = types.iter().next().map_or(Value::Null, of_type);
        }
        ("minLength", Operands::Limit(limit), Value::String(text)) => {
            let length = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
            *text = "x".repeat(length.unwrap_or_default().min(1_000));
        }
        ("minItems", _, Value::Array(items)) => {
            items.push(items.last().cloned().unwrap_or_else(|| json!("text")));
        }
        ("minimum" | "maximum", Operands::Limit(limit), place) => place.clone_from(limit),
        (_, Operands::Branches(branches), _) => {
            let nearest = branches.iter().min_by_key(|violations| violations.len());
            for violation in nearest.into_iter().flatten() {
                correct_one(value, violation);
            }
        }
        _ => take_away(value, violation.instance()),
    }
}

fn of_type(json_type: JsonType) -> Value {
    match json_type {
        JsonType::Object => json!({}),
        JsonType::Array => json!([]),
        JsonType::String => json!("text"),
        JsonType::Integer | JsonType::Number => json!(1),
        JsonType::Boolean => json!(true),
        JsonType::Null => Value::Null,
    }
}

fn at<'v>(value: &'v mut Value, pointer: &Pointer) -> Option<&'v mut Value> {
    value.pointer_mut(pointer.as_str())
}

fn take_away(value: &mut Value, pointer: &Pointer) {
    let (Some(parent), Some(last)) = (pointer.parent(), pointer.segments().last()) else {
        return;
    };
    match at(value, &parent) {
        Some(Value::Object(members)) => drop(members.remove(&*last)),
        Some(Value::Array(items)) => {
            let index = last.parse().unwrap_or(usize::MAX);
            if index < items.len() {
                items.remove(index);
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct Found(Vec<Value>);

impl Found {
    fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    fn add(&mut self, value: Value) {
        if !self.is_full() && !self.0.contains(&value) {
            self.0.push(value);
        }
    }
}

fn fixed() -> [Value; 11] {
    [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("a"),
        json!([]),
        json!({}),
        json!([{"a": [null]}]),
        json!({"a": {"b": [1, "x"]}}),
    ]
}

/// Strings on both sides of each format's border.
fn of_format(format: &str) -> &'static [&'static str] {
    match format {
        "date-time" => &["2024-02-29T12:00:00Z", "2024-02-29T12:00:00", "2024-02-30T12:00:00Z"],
        "date" => &["2024-02-29", "2023-02-29", "2024-2-9"],
        "time" => &["12:00:00Z", "12:00:00", "24:00:00Z"],
        "duration" => &["P1DT2H", "P1Y2D", "1D"],
        "email" | "idn-email" => &["user@example.com", "user@localhost", "user"],
        "hostname" | "idn-hostname" => &["example.com", "example.", "-a.b", "a_b"],
        "ipv4" => &["192.168.0.1", "192.168.0.01", "256.0.0.1"],
        "ipv6" => &["::1", "::1%eth0", "12345::"],
        "uri" | "url" | "iri" => &["https://example.com/a?b#c", "/a", "http://a b", "urn:x:y", ""],
        "uri-reference" | "iri-reference" => &["/a/b", "a b", "http://[::1"],
        "uri-template" => &["http://x/{a}", "{a", "{a.b}"],
        "uuid" => &["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380"],
        "regex" => &["^a+$", "(", "\\a", "(?i)a"],
        "json-pointer" => &["/a/0", "a", "/~2"],
        "relative-json-pointer" => &["0/a", "/a"],
        "byte" => &["YQ==", "Y"],
        _ => &["x"],
    }
}

/// Values for one leaf, the likeliest first.
fn candidates(schema: &Value) -> Vec<Value> {
    let mut values = Vec::new();
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        values.extend(of_format(format).iter().map(|text| json!(text)));
    }
    for keyword in ["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"] {
        values.extend(schema.get(keyword).filter(|bound| bound.is_number()).cloned());
    }
    if schema.get("pattern").is_some() {
        values.extend(["abc", "1.2.3", "ABC_1", "/a/b", "é"].map(Value::from));
    }
    values.extend([json!("text"), json!(1), json!(null), json!(0.1), json!(["x"]), json!({})]);
    values
}

/// Which members a built object has.
#[derive(Clone, Copy)]
enum Members {
    All,
    Required,
}

/// A value that has the shape `schema` declares.
fn build(document: &Value, schema: &Value, members: Members, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if let Some(value) = ["const", "default"].iter().find_map(|keyword| schema.get(keyword)) {
        return value.clone();
    }
    for keyword in ["enum", "examples"] {
        if let Some(value) = schema.get(keyword).and_then(|values| values.get(0)) {
            return value.clone();
        }
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let branch = schema.get(keyword).and_then(|branches| branches.get(0));
        if let (Some(branch), None, true) = (branch, schema.get("properties"), depth > 0) {
            return build(document, branch, members, depth - 1);
        }
    }
    match type_of(schema) {
        "object" => build_object(document, schema, members, depth),
        "array" => match (schema.get("items"), depth) {
            (Some(items @ Value::Object(_)), 1..) => {
                json!([build(document, items, members, depth - 1)])
            }
            (Some(Value::Array(items)), 1..) => {
                items.iter().map(|item| build(document, item, members, depth - 1)).collect()
            }
            _ => json!([]),
        },
        "string" => candidates(schema).into_iter().find(Value::is_string).unwrap_or_default(),
        "integer" | "number" => {
            candidates(schema).into_iter().find(Value::is_number).unwrap_or_default()
        }
        "boolean" => json!(true),
        _ => Value::Null,
    }
}

fn build_object(document: &Value, schema: &Value, members: Members, depth: usize) -> Value {
    let mut object = Map::new();
    let required: Vec<&str> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten().take(WIDTH) {
        let wanted = match members {
            Members::All => true,
            Members::Required => required.contains(&name.as_str()),
        };
        if wanted && depth > 0 {
            object.insert(name.clone(), build(document, property, members, depth - 1));
        }
    }
    for name in required {
        object.entry(name).or_insert_with(|| json!("text"));
    }
    Value::Object(object)
}

/// The places of a built value that hold no further members, each with its schema.
fn leaves_of<'d>(
    document: &'d Value,
    schema: &'d Value,
    path: &mut Vec<String>,
    depth: usize,
    leaves: &mut Vec<(Vec<String>, &'d Value)>,
) {
    if leaves.len() >= MOST_LEAVES {
        return;
    }
    let schema = resolve(document, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    if let (Some(properties), 1..) = (properties, depth) {
        for (name, property) in properties.iter().take(WIDTH) {
            path.push(name.clone());
            leaves_of(document, property, path, depth - 1, leaves);
            path.pop();
        }
    } else if let (Some(items @ Value::Object(_)), 1..) = (schema.get("items"), depth) {
        path.push("0".to_owned());
        leaves_of(document, items, path, depth - 1, leaves);
        path.pop();
    } else {
        leaves.push((path.clone(), schema));
    }
}

fn replace(value: &mut Value, path: &[String], by: &Value) -> bool {
    let place = path.iter().try_fold(value, |value, segment| match value {
        Value::Object(members) => members.get_mut(segment),
        Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    });
    place.map(|place| place.clone_from(by)).is_some()
}

/// What a local reference leads to; anything else stays as it is.
fn resolve<'d>(document: &'d Value, mut schema: &'d Value) -> &'d Value {
    // Longer chains than this are cycles.
    for _ in 0..8 {
        let Some(pointer) = schema.get("$ref").and_then(Value::as_str) else {
            break;
        };
        let target = pointer.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        let Some(target) = target else { break };
        schema = target;
    }
    schema
}

fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or("null"),
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

/// The values that the schema mentions, from the root down.
fn mentioned(schema: &Value) -> Vec<Value> {
    let mut values = Vec::new();
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                for (key, child) in members {
                    match (key.as_str(), child) {
                        ("default" | "const", child) => values.push(child.clone()),
                        ("enum" | "examples", Value::Array(items)) => {
                            values.extend(items.iter().take(3).cloned());
                        }
                        _ => pending.push(child),
                    }
                }
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    values
}

//! The serialiser against an implementation of RFC 6570 by others.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::openapi::{ParameterPlace, Style, StyleEncoding, WireFormat};
use foolproof_http::serialize;
use iri_string::{
    spec::UriSpec,
    template::{
        UriTemplateStr,
        simple_context::{SimpleContext, Value as TemplateValue},
    },
};
use proptest::prelude::*;
use serde_json::{Map, Value};

#[derive(Clone, Debug)]
enum Sample {
    Text(String),
    List(Vec<String>),
    Members(std::collections::BTreeMap<String, String>),
}

impl Sample {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => items.iter().cloned().map(Value::String).collect(),
            Self::Members(members) => {
                let member =
                    |(name, text): (&String, &String)| (name.clone(), Value::String(text.clone()));
                Value::Object(members.iter().map(member).collect::<Map<_, _>>())
            }
        }
    }

    fn has_empty_text(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::List(items) => items.iter().any(String::is_empty),
            Self::Members(members) => members.values().any(String::is_empty),
        }
    }

    fn expand(&self, template: &str) -> String {
        let mut context = SimpleContext::new();
        let value = match self {
            Self::Text(text) => TemplateValue::String(text.clone()),
            Self::List(items) => TemplateValue::List(items.clone()),
            Self::Members(members) => TemplateValue::Assoc(members.clone().into_iter().collect()),
        };
        context.insert("v", value);
        let template = UriTemplateStr::new(template).unwrap();
        template.expand::<UriSpec, _>(&context).unwrap().to_string()
    }
}

fn samples() -> impl Strategy<Value = Sample> {
    // Members without a name are outside of what RFC 6570 defines.
    prop_oneof![
        any::<String>().prop_map(Sample::Text),
        // Whether a list of one empty text is empty, implementations disagree on.
        prop::collection::vec(any::<String>(), 1..4)
            .prop_filter("not empty", |items| items != &[""])
            .prop_map(Sample::List),
        prop::collection::btree_map("[^\\pC]{1,4}", any::<String>(), 1..4)
            .prop_map(Sample::Members),
    ]
}

/// Place, style, `explode` and the template that means the same; `?` is not part of a parameter.
const TEMPLATES: [(ParameterPlace, Style, bool, &str); 8] = [
    (ParameterPlace::Path, Style::Simple, false, "{v}"),
    (ParameterPlace::Path, Style::Simple, true, "{v*}"),
    (ParameterPlace::Path, Style::Label, false, "{.v}"),
    (ParameterPlace::Path, Style::Label, true, "{.v*}"),
    (ParameterPlace::Path, Style::Matrix, false, "{;v}"),
    (ParameterPlace::Path, Style::Matrix, true, "{;v*}"),
    (ParameterPlace::Query, Style::Form, false, "{?v}"),
    (ParameterPlace::Query, Style::Form, true, "{?v*}"),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_are_those_of_another_implementation(sample in samples()) {
        for (place, style, explodes, template) in TEMPLATES {
            // RFC 6570 §3.2.1: an item or member that is empty has no equals sign, which the other
            // implementation heeds for scalars alone.
            if template == "{;v*}" && sample.has_empty_text() {
                continue;
            }
            let format = WireFormat::styled(place, StyleEncoding::new(style).exploding(explodes));
            let ours = serialize("v", format, &sample.json()).unwrap().join("&");
            let theirs = sample.expand(template);
            let theirs = theirs.strip_prefix('?').unwrap_or(&theirs);
            prop_assert_eq!(&ours, theirs, "{}", template);
        }
    }
}

/// The examples of RFC 6570 §3.2 that parameters can express, with `,`-joined members sorted by name.
#[test]
fn the_examples_of_the_rfc_hold() {
    let list = Value::from(vec!["red", "green", "blue"]);
    let keys: Value = serde_json::from_str(r#"{"semi":";","dot":".","comma":","}"#).unwrap();
    let hello = Value::from("Hello World!");
    for (place, style, explodes, value, expected) in [
        (ParameterPlace::Path, Style::Simple, false, &hello, "Hello%20World%21"),
        (ParameterPlace::Path, Style::Simple, false, &list, "red,green,blue"),
        (ParameterPlace::Path, Style::Simple, false, &keys, "comma,%2C,dot,.,semi,%3B"),
        (ParameterPlace::Path, Style::Simple, true, &keys, "comma=%2C,dot=.,semi=%3B"),
        (ParameterPlace::Path, Style::Label, true, &list, ".red.green.blue"),
        (ParameterPlace::Path, Style::Label, false, &list, ".red,green,blue"),
        (ParameterPlace::Path, Style::Matrix, false, &list, ";v=red,green,blue"),
        (ParameterPlace::Path, Style::Matrix, true, &list, ";v=red;v=green;v=blue"),
        (ParameterPlace::Path, Style::Matrix, true, &keys, ";comma=%2C;dot=.;semi=%3B"),
        (ParameterPlace::Query, Style::Form, false, &keys, "v=comma,%2C,dot,.,semi,%3B"),
        (ParameterPlace::Query, Style::Form, true, &keys, "comma=%2C&dot=.&semi=%3B"),
    ] {
        let format = WireFormat::styled(place, StyleEncoding::new(style).exploding(explodes));
        assert_eq!(serialize("v", format, value).unwrap().join("&"), expected);
    }
}

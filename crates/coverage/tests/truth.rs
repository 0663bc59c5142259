//! Statuses and hits are correct: no unreachable target is hit, and every hit is confirmed by a check of
//! the value that shares no code with the observer.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use foolproof_contract::{
    Accepted, Canonicalizer, Document, Draft, FormatPolicy, Oracle, ReadOptions, json_equal,
};
use foolproof_corpus::{
    Contracts,
    suite::{self, Part},
};
use foolproof_coverage::{
    ConditionalPath, Dimensions, Hits, Observer, Params, Status, Target, TargetKind, Universe,
};
use foolproof_generate::{Generator, Seed};
use serde_json::{Number, Value, json};

/// One of this many schemas of the corpus is tested.
const SPREAD: usize = 3;

/// How many values of each.
const VALUES: u64 = 50;

#[test]
fn no_valid_instance_of_the_suite_hits_an_unreachable_target() {
    let Some(folder) = suite::folder() else { return };
    let (mut values, mut unreachable) = (0, 0);
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for part in [Part::Required, Part::Formats, Part::Optional] {
            for group in suite::groups(&folder, draft, part) {
                let Ok(document) = group.document(&remotes) else { continue };
                let Some(checked) = Checked::at(&document) else { continue };
                unreachable += checked.unreachable();
                for test in group.tests {
                    let Some(value) = checked.oracle.accept(test.data) else { continue };
                    values += 1;
                    checked.check(&value, &group.name);
                }
            }
        }
    }
    assert!(values > 4000, "only {values} values");
    assert!(unreachable > 400, "only {unreachable} targets were unreachable");
}

#[test]
fn no_generated_value_hits_an_unreachable_target_and_every_hit_is_confirmed() {
    let contracts = Contracts::find();
    let (mut values, mut unreachable) = (0, 0);
    let mut confirmed = BTreeMap::new();
    for entry in contracts.schemas_every(SPREAD) {
        let Ok(document) = entry.read() else { continue };
        let Ok(generator) = Generator::new(&document, FormatPolicy::Assert) else { continue };
        let Some(checked) = Checked::at(&document) else { continue };
        unreachable += checked.unreachable();
        for value in generator.instances(Seed::from_number(1), VALUES) {
            values += 1;
            let hits = checked.check(&value, &entry.name);
            checked.confirm(&value, &hits, &entry.name, &mut confirmed);
        }
    }
    assert!(values > contracts.either(10_000, 2_000), "only {values} values");
    assert!(unreachable > contracts.either(100, 10), "only {unreachable} targets were unreachable");
    for kind in
        ["ANYOF_BRANCH", "ONEOF_BRANCH", "ENUM_VALUE_HIT", "NUMERIC_MIN_HIT", "PROPERTY_PRESENT"]
    {
        assert!(confirmed.get(kind).is_some_and(|seen| *seen > 50), "{kind}: {confirmed:?}");
    }
}

#[test]
fn in_a_dialect_that_does_not_assert_types_nothing_is_unreachable() {
    let Some(folder) = suite::folder() else { return };
    let dialect = "http://localhost:1234/draft2020-12/metaschema-no-validation.json";
    let mut options = ReadOptions::default();
    for (uri, value) in suite::remotes(&folder, Draft::Draft202012) {
        options = options.resource(uri, value);
    }
    let schema = json!({
        "$schema": dialect, "type": "string", "properties": { "a": true },
        "anyOf": [{ "type": "string" }, { "properties": { "a": true } }]
    });
    let document = Document::from_value_with(schema, &options).unwrap();
    let checked = Checked::at(&document).unwrap();
    let value = checked.oracle.accept(json!({ "a": 2 })).unwrap();
    let hits = checked.check(&value, "no validation");
    // `type` is not asserted, so the value takes both branches.
    assert_eq!(hits.len(), checked.universe.targets().len());
}

/// A contract with an observer, and oracles that are independent of it.
struct Checked {
    document: Document,
    universe: Arc<Universe>,
    oracle: Oracle,
    /// The oracles of branches, by target.
    branches: RefCell<BTreeMap<String, Option<Oracle>>>,
}

impl Checked {
    fn at(document: &Document) -> Option<Self> {
        let oracle = Oracle::new(document, FormatPolicy::Assert).ok()?;
        let mut forms = Canonicalizer::new(document, FormatPolicy::Assert).ok()?;
        let universe = Arc::new(Universe::of(document, &mut forms, Dimensions::all()));
        let branches = RefCell::default();
        Some(Self { document: document.clone(), universe, oracle, branches })
    }

    fn unreachable(&self) -> usize {
        let targets = self.universe.targets().iter();
        targets.filter(|target| target.status() == Status::Unreachable).count()
    }

    fn check(&self, value: &Accepted, name: &str) -> Hits {
        let observer = Observer::new(&self.universe, &self.document, FormatPolicy::Assert);
        let hits = observer.observe(value);
        for target in self.hit(&hits) {
            let status = target.status();
            assert_eq!(status, Status::Active, "{name}: {target} is hit by {}", value.value());
        }
        assert!(!hits.is_empty(), "{name}: {} hits nothing", value.value());
        hits
    }

    fn hit(&self, hits: &Hits) -> impl Iterator<Item = &Target> {
        let is_hit =
            |(location, _): &(usize, &Target)| hits.contains(self.universe.index_of(*location));
        self.universe.targets().iter().enumerate().filter(is_hit).map(|(_, target)| target)
    }
}

impl Checked {
    /// Confirms the hits by a direct check of `value`, counting by kind; and that no target at the root
    /// or at its properties was missed.
    fn confirm(
        &self,
        value: &Accepted,
        hits: &Hits,
        name: &str,
        confirmed: &mut BTreeMap<String, usize>,
    ) {
        let value = value.value();
        let mut parts = Vec::new();
        collect(value, &mut parts);
        for target in self.hit(hits) {
            if let Some(answer) = self.is_confirmed(target, &parts) {
                assert!(answer, "{name}: {target} is not hit by {value}");
                *confirmed.entry(target.kind().to_string()).or_default() += 1;
            }
        }
        for (location, target) in self.universe.targets().iter().enumerate() {
            let is_hit = hits.contains(self.universe.index_of(location));
            assert!(is_hit || !self.must_hit(target, value), "{name}: {target} is hit by {value}");
        }
    }

    /// Whether a direct check finds the target hit by a part of the value; `None` if it cannot decide.
    fn is_confirmed(&self, target: &Target, parts: &[Value]) -> Option<bool> {
        let has_key = |key: &str| parts.iter().any(|part| part.get(key).is_some());
        match target.params() {
            Params::Name(name) => Some(has_key(name)),
            Params::None if *target.kind() == TargetKind::PropertyPresent => {
                let name = target.location().rsplit('/').next().unwrap();
                Some(has_key(&name.replace("~1", "/").replace("~0", "~")))
            }
            Params::Member { value: member, .. } => {
                Some(parts.iter().any(|part| same(part, member)))
            }
            Params::Bound { keyword, value: bound, .. } => {
                let bound = Value::Number(bound.clone());
                Some(parts.iter().any(|part| measured(part, keyword, &bound)))
            }
            Params::Branch(index) => self.branch(target, *index, parts),
            Params::Path(ConditionalPath::Active) => {
                let name = target.location().rsplit('/').next().unwrap();
                Some(has_key(&name.replace("~1", "/").replace("~0", "~")))
            }
            Params::None | Params::Path(_) | _ => None,
        }
    }

    /// Whether some part of the value satisfies the branch, by an oracle of its own; not checked in
    /// large contracts, where that takes long.
    fn branch(&self, target: &Target, index: usize, parts: &[Value]) -> Option<bool> {
        let pointer =
            target.location().strip_prefix('#').filter(|_| self.universe.targets().len() < 500)?;
        let mut branches = self.branches.borrow_mut();
        let branch = branches.entry(target.id().to_owned()).or_insert_with(|| {
            let pointer = format!("{pointer}/{index}").parse().unwrap();
            Oracle::at(&self.document, &pointer, FormatPolicy::Assert).ok()
        });
        Some(parts.iter().any(|part| branch.as_ref().is_some_and(|branch| branch.is_valid(part))))
    }

    /// Whether a direct check of the root and its properties shows that `value` hits the target.
    fn must_hit(&self, target: &Target, value: &Value) -> bool {
        let root = self.universe.graph().root();
        if self.universe.graph()[root].location().to_string() != "#" {
            return false;
        }
        let declared = self.document.value().get("properties").and_then(Value::as_object);
        let part = target.location().strip_prefix("#/properties/").and_then(|name| {
            let name = name.replace("~1", "/").replace("~0", "~");
            declared?.get(&name)?;
            value.get(&name)
        });
        let part = if target.location() == "#" { Some(value) } else { part };
        part.is_some_and(|part| match target.params() {
            Params::None => true,
            Params::Member { value: member, .. } => part == member,
            Params::Bound { keyword, value: bound, .. } => {
                measured(part, keyword, &Value::Number(bound.clone()))
            }
            Params::Name(_) | Params::Branch(_) | Params::Path(_) | _ => false,
        })
    }
}

/// Every part of `value`, and every name in it.
fn collect(value: &Value, parts: &mut Vec<Value>) {
    parts.push(value.clone());
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, parts)),
        Value::Object(members) => {
            for (name, member) in members {
                parts.push(Value::String(name.clone()));
                collect(member, parts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => decimal(left) == decimal(right),
        (Value::Array(_) | Value::Object(_), Value::Array(_) | Value::Object(_)) => {
            json_equal(left, right)
        }
        _ => left == right,
    }
}

/// Sign, digits and exponent of a number as written, the same for every notation. Doubles cannot
/// distinguish long numbers.
fn decimal(number: &Number) -> (bool, String, i64) {
    let text = number.to_string().to_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return (false, String::new(), 0);
    }
    let length = |text: &str| i64::try_from(text.len()).unwrap();
    let zeros = length(&digits) - length(significant);
    let exponent = exponent.parse::<i64>().unwrap() + zeros - length(fraction);
    (whole.starts_with('-'), significant.trim_start_matches('0').to_owned(), exponent)
}

/// Whether the size that `keyword` measures in `part` equals `bound`.
fn measured(part: &Value, keyword: &str, bound: &Value) -> bool {
    let size = match (keyword, part) {
        ("minLength" | "maxLength", Value::String(text)) => text.chars().count(),
        ("minItems" | "maxItems", Value::Array(items)) => items.len(),
        (_, Value::Number(_)) if keyword.ends_with("imum") => return same(part, bound),
        _ => return false,
    };
    bound.as_u64() == Some(size as u64)
}

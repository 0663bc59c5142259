//! Places: the properties that a set declares inside its values, below their own properties.

use std::collections::{BTreeSet, VecDeque};

use foolproof_contract::{ArrayShape, Canonical, ObjectShape, Shape};
use serde_json::{Map, Value};

/// How many forms of one set are searched, and how many places are found in them.
const MAX_FORMS: usize = 256;
const MAX_PLACES: usize = 512;

/// How far below a value the objects are whose properties are found: an array and its items are two steps.
const MAX_STEPS: usize = 4;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlaceStep {
    /// To the property of this name.
    Property(String),
    /// To the item at this index.
    Item(usize),
}

/// A property of an object inside a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    path: Vec<PlaceStep>,
    name: String,
}

impl Place {
    /// The property `name` of the object at `path`.
    pub(crate) fn new(path: Vec<PlaceStep>, name: &str) -> Self {
        Self { path, name: name.to_owned() }
    }

    /// The property of the value itself.
    pub(super) fn top(name: &str) -> Self {
        Self { path: Vec::new(), name: name.to_owned() }
    }

    /// How far below the value it is.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// What `root` has at this place.
    pub(crate) fn get<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        let object = self.path.iter().try_fold(root, |at, step| match step {
            PlaceStep::Property(name) => at.get(name),
            PlaceStep::Item(index) => at.get(*index),
        });
        object?.get(&self.name)
    }

    /// `root` with `value` at this place. What is missing on the way, or is something else, becomes an object
    /// or an array; nothing if items before one are missing.
    pub(crate) fn set(&self, mut root: Value, value: Value) -> Option<Value> {
        let mut at = &mut root;
        for step in &self.path {
            at = match step {
                PlaceStep::Property(name) => members(at)?.entry(name).or_insert(Value::Null),
                PlaceStep::Item(index) => {
                    let items = items(at)?;
                    if items.len() == *index {
                        items.push(Value::Null);
                    }
                    items.get_mut(*index)?
                }
            };
        }
        members(at)?.insert(self.name.clone(), value);
        Some(root)
    }
}

/// The members of `value`, which becomes an object if it is none.
fn members(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// The items of `value`, which becomes an array if it is none.
fn items(value: &mut Value) -> Option<&mut Vec<Value>> {
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut()
}

/// The places that `form` declares or requires, those near its value first if there are too many.
pub(super) fn places(form: &Canonical) -> BTreeSet<Place> {
    let mut search = Search { found: BTreeSet::new(), pending: VecDeque::new() };
    search.pending.push_back((Vec::new(), form.clone()));
    for _ in 0..MAX_FORMS {
        let Some((path, form)) = search.pending.pop_front() else { break };
        search.visit(path, &form);
    }
    search.found
}

/// Forms on the way to places, and the places so far.
struct Search {
    found: BTreeSet<Place>,
    pending: VecDeque<(Vec<PlaceStep>, Canonical)>,
}

impl Search {
    fn visit(&mut self, path: Vec<PlaceStep>, form: &Canonical) {
        match form.shape() {
            Shape::Object(object) => self.object(&path, object),
            Shape::Array(array) => self.array(&path, array),
            Shape::Typed(_, body) => self.pending.push_back((path, *body)),
            Shape::AllOf(parts) | Shape::AnyOf(parts) | Shape::OneOf(parts) => {
                self.pending.extend(parts.into_iter().map(|part| (path.clone(), part)));
            }
            Shape::Reference(key) => {
                self.pending.extend(form.definition(&key).map(|form| (path, form)));
            }
            Shape::Any
            | Shape::Never
            | Shape::Types(_)
            | Shape::String(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_)
            | Shape::Not(_) => {}
        }
    }

    fn object(&mut self, path: &[PlaceStep], object: ObjectShape) {
        for name in object.properties.keys().chain(&object.required) {
            if self.found.len() < MAX_PLACES {
                self.found.insert(Place { path: path.to_vec(), name: name.clone() });
            }
        }
        for (name, form) in object.properties {
            self.descend(path, PlaceStep::Property(name), form);
        }
    }

    fn array(&mut self, path: &[PlaceStep], array: ArrayShape) {
        for (index, form) in array.prefix.into_iter().chain(array.items).enumerate() {
            self.descend(path, PlaceStep::Item(index), form);
        }
    }

    fn descend(&mut self, path: &[PlaceStep], step: PlaceStep, form: Canonical) {
        if path.len() < MAX_STEPS && self.pending.len() < MAX_FORMS {
            let mut path = path.to_vec();
            path.push(step);
            self.pending.push_back((path, form));
        }
    }
}

//! From a value found by resolving a reference back to its location.
//!
//! References resolve to values inside the documents of a contract, never to copies, so the address of a
//! value identifies its location. The index has one entry for each object, array or boolean and builds
//! a pointer only on request.

use std::{ptr, sync::Arc};

use serde_json::Value;

use super::Location;
use crate::{Pointer, pointer::push_segment};

#[derive(Default)]
pub(super) struct LocationIndex<'d> {
    entries: Vec<Entry<'d>>,
    /// Indices into `entries`, by address.
    by_address: Vec<(usize, u32)>,
    resources: Vec<Option<Arc<str>>>,
}

struct Entry<'d> {
    parent: Option<u32>,
    segment: Segment<'d>,
    resource: u32,
}

#[derive(Clone, Copy)]
enum Segment<'d> {
    Root,
    Key(&'d str),
    Index(usize),
}

pub(super) fn address(value: &Value) -> usize {
    ptr::from_ref(value).addr()
}

impl<'d> LocationIndex<'d> {
    /// Adds every value of `document`.
    pub(super) fn add(&mut self, resource: Option<Arc<str>>, document: &'d Value) {
        let resource_index = small(self.resources.len());
        self.resources.push(resource);
        let mut pending = vec![(document, None, Segment::Root)];
        while let Some((value, parent, segment)) = pending.pop() {
            let index = small(self.entries.len());
            match value {
                Value::Object(members) => pending.extend(
                    members.iter().map(|(key, child)| (child, Some(index), Segment::Key(key))),
                ),
                Value::Array(items) => pending.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(at, item)| (item, Some(index), Segment::Index(at))),
                ),
                Value::Bool(_) => {}
                Value::Null | Value::Number(_) | Value::String(_) => continue,
            }
            self.entries.push(Entry { parent, segment, resource: resource_index });
            self.by_address.push((address(value), index));
        }
        self.by_address.sort_unstable();
    }

    /// The location of `value`, if it belongs to a document that was added.
    pub(super) fn find(&self, value: &Value) -> Option<Location> {
        self.find_address(address(value))
    }

    /// The pointer of the value at `address`, if it belongs to the user's own document.
    pub(super) fn pointer_at(&self, address: usize) -> Option<Pointer> {
        let location = self.find_address(address)?;
        location.resource.is_none().then_some(location.pointer)
    }

    /// Where the value at `address` stands.
    pub(super) fn find_address(&self, address: usize) -> Option<Location> {
        let found = self.by_address.binary_search_by_key(&address, |(address, _)| *address);
        let (_, index) = self.by_address[found.ok()?];
        let mut segments = Vec::new();
        let mut next = Some(index);
        while let Some(index) = next {
            let entry = &self.entries[index as usize];
            segments.push(entry.segment);
            next = entry.parent;
        }
        let mut text = String::new();
        for segment in segments.into_iter().rev() {
            match segment {
                Segment::Root => {}
                Segment::Key(key) => push_segment(&mut text, key),
                Segment::Index(at) => push_segment(&mut text, &at.to_string()),
            }
        }
        let pointer: Pointer = text.parse().expect("segments were escaped as they were pushed");
        let resource = self.resources[self.entries[index as usize].resource as usize].clone();
        Some(Location::new(resource, pointer))
    }
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a document has fewer than 2^32 values")
}

//! Events in, one value out: the part of reading that JSON and YAML share.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use serde_json::{Map, Value};

use super::{MAX_DEPTH, Syntax};
use crate::{Error, Pointer, Position, error::Problem, metaschema::shorten, pointer::push_segment};

/// How many bytes aliases may add to a text of so many bytes, counted as JSON without white space: four times the text,
/// but at least 1 MB, and at most what a contract may have by itself. A contract that repeats more uses `$ref`.
fn alias_limit(text: usize) -> usize {
    const TIMES: usize = 4;
    const LEAST: usize = 1_000_000;
    const MOST: usize = 64 << 20;
    text.saturating_mul(TIMES).clamp(LEAST, MOST)
}

/// One parse event of a text.
pub(super) enum Event {
    ObjectStart {
        anchor: usize,
    },
    ObjectEnd,
    ArrayStart {
        anchor: usize,
    },
    ArrayEnd,
    Key(String),
    /// YAML's `<<`: the members of the value that follows belong to the object being read.
    Merge,
    Scalar {
        value: Value,
        anchor: usize,
    },
    Alias {
        anchor: usize,
    },
    /// The text is finished.
    End,
}

/// The parser of a format: gives each event with the byte offset it starts at. `0` as an anchor means
/// none.
pub(super) trait Events {
    fn next(&mut self) -> Result<(Event, usize), Fault>;
}

/// A problem found while reading events, at a byte offset.
pub(super) struct Fault {
    pub(super) problem: Problem,
    pub(super) offset: usize,
}

/// Builds the value that `events` describe.
pub(super) fn compose(text: &str, mut events: impl Events) -> Result<Value, Error> {
    let mut composer =
        Composer { text, stack: Vec::new(), anchors: BTreeMap::new(), open_anchors: 0, copied: 0 };
    composer.run(&mut events).map_err(|fault| {
        Error::new(fault.problem)
            .at(composer.pointer())
            .position_at(Position::of(text, fault.offset))
    })
}

struct Composer<'t> {
    text: &'t str,
    stack: Vec<Frame>,
    anchors: BTreeMap<usize, Anchored>,
    /// How many of the open collections have an anchor.
    open_anchors: usize,
    /// The bytes that were copied from anchors that are inside others, and by aliases.
    copied: usize,
}

struct Anchored {
    value: Value,
    size: Size,
}

struct Frame {
    anchor: usize,
    /// Where the collection starts in the text.
    start: usize,
    content: Content,
}

enum Content {
    Object { members: Map<String, Value>, next: Next, merged: Vec<Map<String, Value>> },
    Array(Vec<Value>),
}

/// What the next value of an object is for.
enum Next {
    Member(String),
    Merge,
    /// No key has been read since the last value.
    Nothing,
}

impl Composer<'_> {
    fn run(&mut self, events: &mut impl Events) -> Result<Value, Fault> {
        let mut root = None;
        loop {
            let (event, offset) = events.next()?;
            let fault = |problem| Fault { problem, offset };
            let finished = match event {
                Event::ObjectStart { anchor } => {
                    let content = Content::Object {
                        members: Map::new(),
                        next: Next::Nothing,
                        merged: Vec::new(),
                    };
                    self.open(Frame { anchor, start: offset, content }).map_err(fault)?;
                    continue;
                }
                Event::ArrayStart { anchor } => {
                    self.open(Frame { anchor, start: offset, content: Content::Array(Vec::new()) })
                        .map_err(fault)?;
                    continue;
                }
                Event::Key(key) => {
                    self.key(key).map_err(fault)?;
                    continue;
                }
                Event::Merge => {
                    if let Some(Frame { content: Content::Object { next, .. }, .. }) =
                        self.stack.last_mut()
                    {
                        *next = Next::Merge;
                    }
                    continue;
                }
                Event::ObjectEnd | Event::ArrayEnd => {
                    let Some(frame) = self.stack.pop() else { continue };
                    self.open_anchors -= usize::from(frame.anchor != 0);
                    let value = finish(frame.content);
                    self.remember(frame.anchor, &value, frame.start).map_err(fault)?;
                    value
                }
                Event::Scalar { value, anchor } => {
                    self.remember(anchor, &value, offset).map_err(fault)?;
                    value
                }
                Event::Alias { anchor } => self.unfold(anchor, offset).map_err(fault)?,
                Event::End => return root.ok_or_else(|| fault(Problem::Empty)),
            };
            if self.stack.is_empty() {
                root = Some(finished);
            } else {
                self.add(finished).map_err(fault)?;
            }
        }
    }

    fn open(&mut self, frame: Frame) -> Result<(), Problem> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(Problem::TooDeep { limit: MAX_DEPTH });
        }
        self.open_anchors += usize::from(frame.anchor != 0);
        self.stack.push(frame);
        Ok(())
    }

    fn key(&mut self, key: String) -> Result<(), Problem> {
        let Some(Frame { content: Content::Object { members, next, .. }, .. }) =
            self.stack.last_mut()
        else {
            return Ok(());
        };
        if members.contains_key(&key) {
            return Err(Problem::DuplicateKey { key });
        }
        *next = Next::Member(key);
        Ok(())
    }

    fn add(&mut self, value: Value) -> Result<(), Problem> {
        let Some(frame) = self.stack.last_mut() else { return Ok(()) };
        match &mut frame.content {
            Content::Array(items) => items.push(value),
            Content::Object { members, next, merged } => {
                match std::mem::replace(next, Next::Nothing) {
                    Next::Member(key) => {
                        members.insert(key, value);
                    }
                    Next::Merge => merge(merged, value)?,
                    Next::Nothing => {}
                }
            }
        }
        Ok(())
    }

    /// Keeps a copy of a value that has an anchor.
    fn remember(&mut self, anchor: usize, value: &Value, offset: usize) -> Result<(), Problem> {
        if anchor == 0 {
            return Ok(());
        }
        let size = Size::of(value);
        // Copies of values that are not inside one another are together as large as the document.
        if self.open_anchors > 0 {
            self.spend(size.bytes, offset)?;
        }
        self.anchors.insert(anchor, Anchored { value: value.clone(), size });
        Ok(())
    }

    fn unfold(&mut self, anchor: usize, offset: usize) -> Result<Value, Problem> {
        // An alias inside its own anchor has no finished value yet: it would be infinite.
        let Some(Anchored { size, .. }) = self.anchors.get(&anchor) else {
            let message = "an alias occurs inside the value it names".to_owned();
            return Err(Problem::Syntax { format: Syntax::Yaml, message });
        };
        let size = *size;
        self.spend(size.bytes, offset)?;
        if self.stack.len() + size.depth > MAX_DEPTH {
            return Err(Problem::TooDeep { limit: MAX_DEPTH });
        }
        Ok(self.anchors[&anchor].value.clone())
    }

    /// Counts a copy of what is at `offset` of the text.
    fn spend(&mut self, bytes: usize, offset: usize) -> Result<(), Problem> {
        self.copied += bytes;
        let limit = alias_limit(self.text.len());
        if self.copied > limit {
            return Err(Problem::TooManyAliases { name: name_at(self.text, offset), limit });
        }
        Ok(())
    }

    /// The pointer of the value being read.
    fn pointer(&self) -> Pointer {
        let mut text = String::new();
        for frame in &self.stack {
            match &frame.content {
                Content::Array(items) => {
                    push_segment(&mut text, &items.len().to_string());
                }
                Content::Object { next: Next::Member(key), .. } => {
                    push_segment(&mut text, key);
                }
                Content::Object { .. } => {}
            }
        }
        text.parse().expect("segments were escaped as they were pushed")
    }
}

/// The alias at `offset`, or the anchor there or before it, as written.
fn name_at(text: &str, offset: usize) -> String {
    let is_name = text.get(offset..).is_some_and(|rest| rest.starts_with(['*', '&']));
    let before = || text.get(..offset).and_then(|before| before.rfind('&'));
    let start = if is_name { offset } else { before().unwrap_or(offset) };
    let is_end = |character: char| character.is_whitespace() || ",[]{}".contains(character);
    let name = text.get(start..).unwrap_or_default().split(is_end).next();
    shorten(name.unwrap_or_default())
}

fn finish(content: Content) -> Value {
    match content {
        Content::Array(items) => Value::Array(items),
        Content::Object { mut members, merged, .. } => {
            // Own members have precedence over merged ones, and earlier merges over later ones.
            for (key, value) in merged.into_iter().flatten() {
                members.entry(key).or_insert(value);
            }
            Value::Object(members)
        }
    }
}

fn merge(merged: &mut Vec<Map<String, Value>>, value: Value) -> Result<(), Problem> {
    match value {
        Value::Object(members) => merged.push(members),
        Value::Array(items) => {
            for item in items {
                merge(merged, item)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(Problem::NotJson { text: "<<".to_owned() });
        }
    }
    Ok(())
}

/// The byte offsets at which the values at `wanted` start, as far as the text has them.
pub(super) fn locate<'p>(
    events: impl Events,
    wanted: &BTreeSet<&'p Pointer>,
) -> BTreeMap<&'p Pointer, usize> {
    let by_text: BTreeMap<&str, &Pointer> =
        wanted.iter().map(|pointer| (pointer.as_str(), *pointer)).collect();
    let mut found: BTreeMap<&Pointer, usize> = BTreeMap::new();
    if wanted.is_empty() {
        return found;
    }
    each_place(events, |Place { pointer, offset, is_alias }| {
        if let Some(pointer) = by_text.get(pointer) {
            found.entry(*pointer).or_insert(offset);
        }
        // Every value below an alias is located at the alias: the text has no closer position.
        if is_alias {
            let below = format!("{pointer}/");
            let inside = by_text.range(below.as_str()..);
            for (_, pointer) in inside.take_while(|(text, _)| text.starts_with(&below)) {
                found.entry(*pointer).or_insert(offset);
            }
        }
        if found.len() < wanted.len() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}

/// Where a value of a text starts.
pub(super) struct Place<'a> {
    /// The text of its pointer.
    pub(super) pointer: &'a str,
    pub(super) offset: usize,
    /// Whether the text has an alias in its place.
    pub(super) is_alias: bool,
}

/// Calls `see` with the place of every value, in the order of the text.
pub(super) fn each_place(
    mut events: impl Events,
    mut see: impl FnMut(Place<'_>) -> ControlFlow<()>,
) {
    let mut path = Path::default();
    while let Ok((event, offset)) = events.next() {
        let (opens, is_alias) = match event {
            Event::Key(key) => {
                path.name(&key);
                continue;
            }
            // Merged members have no position of their own under the names they get.
            Event::Merge => {
                path.name("<<");
                continue;
            }
            Event::ObjectEnd | Event::ArrayEnd => {
                path.close();
                continue;
            }
            Event::End => return,
            Event::ObjectStart { .. } => (Some(None), false),
            Event::ArrayStart { .. } => (Some(Some(0)), false),
            Event::Scalar { .. } => (None, false),
            Event::Alias { .. } => (None, true),
        };
        if see(Place { pointer: path.start_value(), offset, is_alias }).is_break() {
            return;
        }
        if let Some(first_index) = opens {
            path.open(first_index);
        }
    }
}

/// The pointer of the value being read, kept as text.
#[derive(Default)]
struct Path {
    text: String,
    /// For each open collection, the length of its own pointer and the next index of an array.
    open: Vec<(usize, Option<usize>)>,
}

impl Path {
    fn name(&mut self, key: &str) {
        if let Some((length, _)) = self.open.last() {
            self.text.truncate(*length);
            push_segment(&mut self.text, key);
        }
    }

    /// The pointer of the value that starts: in an array the next item, in an object the one that
    /// the key has named.
    fn start_value(&mut self) -> &str {
        if let Some((length, Some(next))) = self.open.last_mut() {
            self.text.truncate(*length);
            push_segment(&mut self.text, &next.to_string());
            *next += 1;
        }
        &self.text
    }

    fn open(&mut self, index: Option<usize>) {
        self.open.push((self.text.len(), index));
    }

    fn close(&mut self) {
        if let Some((length, _)) = self.open.pop() {
            self.text.truncate(length);
        }
    }
}

/// The nesting of `value`, without recursion: a value handed in by a library user may be deeper
/// than the stack allows.
pub(crate) fn depth_of(value: &Value) -> usize {
    let mut deepest = 0;
    visit(value, |_, depth| deepest = deepest.max(depth));
    deepest
}

/// How large a value is.
#[derive(Clone, Copy)]
struct Size {
    /// Its bytes as JSON without white space, as if no character had to be escaped.
    bytes: usize,
    /// Its nesting.
    depth: usize,
}

impl Size {
    fn of(value: &Value) -> Self {
        let mut size = Self { bytes: 0, depth: 0 };
        visit(value, |value, depth| {
            size.depth = size.depth.max(depth);
            // With the comma, the quotes and the colon around it.
            size.bytes += 1 + match value {
                Value::Null | Value::Bool(_) => 4,
                Value::Number(number) => number.to_string().len(),
                Value::String(text) => text.len() + 2,
                Value::Array(_) => 2,
                Value::Object(members) => {
                    2 + members.keys().map(|key| key.len() + 3).sum::<usize>()
                }
            };
        });
        size
    }
}

fn visit(value: &Value, mut each: impl FnMut(&Value, usize)) {
    let mut pending = vec![(value, 0)];
    while let Some((value, depth)) = pending.pop() {
        each(value, depth);
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                pending.extend(members.values().map(|member| (member, depth + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

//! Observing: which targets a value hits.
//!
//! One walk of an accepted value along the graph. Whatever a valid value must satisfy is followed;
//! where the contract branches, the oracle of the branch is asked. So a hit is true of the value,
//! however it was made.
//!
//! What is left to see gets less as a run goes on. A [`Watcher`] remembers below which nodes
//! everything was hit and passes them by, so that observing a long run costs next to nothing.

use foolproof_contract::{Accepted, Document, Formats, Graph};

use crate::{Hits, TargetIndex, Universe};

mod branches;
mod evaluated;
mod saturation;
mod signs;
mod walk;

use branches::Branches;
use saturation::Saturation;

/// Says which targets of a universe a value hits.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, Formats, Oracle};
/// use foolproof_coverage::{Dimensions, Observer, Universe};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["on", "off"] }))?;
/// let mut forms = Canonicalizer::new(&document, Formats::Assert)?;
/// let universe = Universe::of(&document, &mut forms, Dimensions::all());
/// let observer = Observer::new(&universe, &document, Formats::Assert);
///
/// let value = Oracle::new(&document, Formats::Assert)?.accept(json!("off")).unwrap();
/// let hits = observer.observe(&value);
/// let ids = universe.targets().iter().enumerate();
/// let hit = ids.filter(|(place, _)| hits.contains(universe.index_of(*place)));
/// assert_eq!(hit.map(|(_, target)| target.id()).collect::<Vec<_>>(), ["struct:#", "enum:#:1"]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Observer<'u> {
    universe: &'u Universe,
    branches: Branches<'u>,
}

impl<'u> Observer<'u> {
    /// An observer of values of `document`.
    #[must_use]
    pub fn new(universe: &'u Universe, document: &Document, formats: Formats) -> Self {
        let branches = Branches::new(universe, document.clone(), formats);
        Self { universe, branches }
    }

    /// The targets that `value` hits.
    #[must_use]
    pub fn observe(&self, value: &Accepted) -> Hits {
        let mut watcher = Watcher::new(self);
        watcher.watch(value);
        watcher.hits
    }

    fn graph(&self) -> &'u Graph {
        self.universe.graph()
    }
}

/// Watches the values of a run, in the order of their indices.
#[derive(Debug)]
pub struct Watcher<'o, 'u> {
    observer: &'o Observer<'u>,
    hits: Hits,
    fresh: Vec<TargetIndex>,
    saturation: Saturation,
    buffers: walk::Buffers,
}

impl<'o, 'u> Watcher<'o, 'u> {
    /// A watcher that has seen nothing yet.
    #[must_use]
    pub fn new(observer: &'o Observer<'u>) -> Self {
        let nodes = observer.graph().nodes().len();
        Self {
            observer,
            hits: Hits::none(observer.universe.targets().len()),
            fresh: Vec::new(),
            saturation: Saturation::of(observer.universe),
            buffers: walk::Buffers::of(nodes),
        }
    }

    /// Looks at one value, and returns the targets that it is the first to hit, in their order.
    pub fn watch(&mut self, value: &Accepted) -> &[TargetIndex] {
        self.fresh.clear();
        if let Some(entry) = self.observer.graph().entries().first() {
            self.walk(entry.node(), value.value());
        }
        self.fresh.sort_unstable();
        self.saturation.after(self.observer.universe, &self.hits, &self.fresh);
        &self.fresh
    }

    /// What was hit so far.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    fn mark(&mut self, target: Option<TargetIndex>) {
        if let Some(target) = target
            && self.hits.insert(target)
        {
            self.fresh.push(target);
        }
    }

    /// Whether there is nothing to gain from marking `target`.
    fn is_marked(&self, target: Option<TargetIndex>) -> bool {
        target.is_none_or(|target| self.hits.contains(target))
    }
}

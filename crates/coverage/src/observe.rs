//! Observing: which targets a value hits.
//!
//! An accepted value is walked once along the graph. A schema that every valid value must satisfy is
//! followed; at a branch, the oracle of the branch decides. So a hit is true of the value, however
//! the value was generated.
//!
//! Fewer targets are left to hit as a run goes on. A [`HitTracker`] skips the nodes below which every
//! target is hit, so observing a long run costs little.

use std::sync::Arc;

use foolproof_contract::{Accepted, AcceptedView, Document, FormatPolicy, Graph};

use crate::{Hits, TargetIndex, Universe, Unreachable};

mod branches;
mod evaluated;
mod places;
mod prefilter;
mod saturation;
mod walk;

use branches::Branches;
use places::Entered;
pub(crate) use places::{Place, Places};
use saturation::Saturation;
use walk::{Buffers, Walk};

/// Decides which targets of a universe a value hits. Clones share what was compiled.
///
/// ```
/// use std::sync::Arc;
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Oracle};
/// use foolproof_coverage::{Dimensions, Observer, Universe};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["on", "off"] }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::all()));
/// let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
///
/// let value = Oracle::new(&document, FormatPolicy::Assert)?.accept(json!("off")).unwrap();
/// let hits = observer.observe(&value);
/// let ids = universe.targets().iter().enumerate();
/// let hit = ids.filter(|(index, _)| hits.contains(universe.index_of(*index)));
/// assert_eq!(hit.map(|(_, target)| target.id()).collect::<Vec<_>>(), ["struct:#", "enum:#:1"]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Observer {
    universe: Arc<Universe>,
    branches: Arc<Branches>,
}

impl Observer {
    /// An observer of values of `document`.
    #[must_use]
    pub fn new(universe: &Arc<Universe>, document: &Document, formats: FormatPolicy) -> Self {
        let branches = Branches::new(Arc::clone(universe), document.clone(), formats);
        Self { universe: Arc::clone(universe), branches: Arc::new(branches) }
    }

    /// The same observer, with the targets `unreachable` marked as such.
    pub(crate) fn without(&self, unreachable: Vec<(TargetIndex, Unreachable)>) -> Self {
        let mut universe = Universe::clone(&self.universe);
        for (target, why) in unreachable {
            universe.set_unreachable(target, why);
        }
        Self { universe: Arc::new(universe), branches: Arc::clone(&self.branches) }
    }

    /// The same observer, without what it compiled to observe values: the oracles of branches take more memory than
    /// anything else of a large contract. They are compiled again once they are needed.
    pub(crate) fn rested(&self) -> Self {
        Self::new(&self.universe, self.document(), self.formats())
    }

    /// The targets.
    #[must_use]
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// The contract.
    #[must_use]
    pub fn document(&self) -> &Document {
        self.branches.document()
    }

    /// Whether formats constrain.
    #[must_use]
    pub fn formats(&self) -> FormatPolicy {
        self.branches.formats()
    }

    /// The targets that `value` hits.
    #[must_use]
    pub fn observe(&self, value: &Accepted) -> Hits {
        let mut tracker = HitTracker::new(self);
        tracker.observe(value);
        tracker.hits
    }

    /// The values in `value` that schemas are entered at.
    pub(crate) fn places(&self, value: &Accepted) -> Places {
        let mut entered = Entered::default();
        HitTracker::new(self).walk(value.view(), Some(&mut entered));
        entered.places(value.value())
    }

    fn graph(&self) -> &Graph {
        self.universe.graph()
    }
}

/// Observes the values of a run, in the order of their indices, and records what they hit.
#[derive(Debug)]
pub struct HitTracker {
    observer: Observer,
    hits: Hits,
    fresh: Vec<TargetIndex>,
    saturation: Saturation,
    buffers: Buffers,
}

impl HitTracker {
    /// A tracker that has not observed any value.
    #[must_use]
    pub fn new(observer: &Observer) -> Self {
        Self {
            observer: observer.clone(),
            hits: Hits::none(observer.universe.targets().len()),
            fresh: Vec::new(),
            saturation: Saturation::of(&observer.universe),
            buffers: Buffers::of(observer.graph().nodes().len()),
        }
    }

    /// Observes one value, and returns the targets that it is the first to hit, in their order.
    pub fn observe<'v>(&mut self, value: impl Into<AcceptedView<'v>>) -> &[TargetIndex] {
        self.walk(value.into(), None);
        &self.fresh
    }

    fn walk(&mut self, value: AcceptedView<'_>, entered: Option<&mut Entered>) {
        self.fresh.clear();
        let root = self.observer.graph().root();
        if let Some(covered) = self.observer.universe.covered()
            && self.hits.insert(covered)
        {
            self.fresh.push(covered);
        }
        if !self.saturation.is_saturated(root) {
            let walk = Walk {
                observer: &self.observer,
                hits: &mut self.hits,
                fresh: &mut self.fresh,
                saturation: &self.saturation,
                buffers: &mut self.buffers,
                entered,
            };
            walk.run(root, value.value());
        }
        self.fresh.sort_unstable();
        self.saturation.record(&self.observer.universe, &self.hits, &self.fresh);
    }

    /// Records a value whose hits are known already, and returns those that are new, in their order.
    pub(crate) fn record(&mut self, hits: &Hits) -> &[TargetIndex] {
        self.fresh.clear();
        self.fresh.extend(hits.iter().filter(|target| self.hits.insert(*target)));
        self.saturation.record(&self.observer.universe, &self.hits, &self.fresh);
        &self.fresh
    }

    /// What was hit so far.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        &self.hits
    }
}

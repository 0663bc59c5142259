//! The targets of a run: those of all entries of its contract, each once.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{Location, Pointer};

use crate::{Dimensions, Status, Target, TargetIndex, Universe, Unreachable, entry_set::Link};

/// The targets of a contract. A schema has one entry; the entries of an API share the targets of what
/// several of them reach.
#[derive(Clone, Debug)]
pub struct TargetSet {
    targets: Vec<Target>,
    dimensions: Dimensions,
    /// How many enumerations are too long to have a target for each member.
    sampled: usize,
    /// The objects that admit too many names by patterns alone.
    unlisted_names: BTreeSet<String>,
    operations: Operations,
}

/// Which operations of an API reach which targets. Empty for a schema.
#[derive(Clone, Debug, Default)]
struct Operations {
    keys: Vec<String>,
    /// For each target, the operations that reach it, as indices into `keys`.
    reached_by: Vec<Vec<usize>>,
    /// For each target, the operation that it is written in.
    owners: Vec<Option<usize>>,
}

/// An operation of an API, as far as targets are concerned.
pub(crate) struct SetOperation<'a> {
    pub(crate) key: &'a str,
    pub(crate) location: &'a Location,
}

impl TargetSet {
    pub(crate) fn new(targets: Vec<Target>, dimensions: Dimensions, sampled: usize) -> Self {
        let (unlisted_names, operations) = (BTreeSet::new(), Operations::default());
        Self { targets, dimensions, sampled, unlisted_names, operations }
    }

    /// The same set, with the objects that admit too many names by patterns alone.
    pub(crate) fn unlisting(self, unlisted_names: BTreeSet<String>) -> Self {
        Self { unlisted_names, ..self }
    }

    /// The targets, in the order of the contract.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The typed index of the target at `index` of [`targets`](Self::targets).
    #[must_use]
    pub fn index_of(&self, index: usize) -> TargetIndex {
        TargetIndex::new(index)
    }

    /// The indices of all targets, in their order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = TargetIndex> + use<> {
        (0..self.targets.len()).map(TargetIndex::new)
    }

    /// The dimensions that have targets.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// How many enumerations have targets for a sample of their members only.
    #[must_use]
    pub fn sampled_enumerations(&self) -> usize {
        self.sampled
    }

    /// The locations of objects that admit so many names by patterns alone that none of these is a target.
    #[must_use]
    pub fn unlisted_names(&self) -> &BTreeSet<String> {
        &self.unlisted_names
    }

    /// The operation that `target` belongs to: the one that it is about, or that it is written in.
    #[must_use]
    pub fn operation(&self, target: TargetIndex) -> Option<&str> {
        let owner = self.operations.owners.get(target.index()).copied().flatten()?;
        Some(&self.operations.keys[owner])
    }

    /// The operations that reach `target`.
    pub fn operations(&self, target: TargetIndex) -> impl Iterator<Item = &str> {
        let reached_by = self.operations.reached_by.get(target.index());
        reached_by.into_iter().flatten().map(|number| self.operations.keys[*number].as_str())
    }

    /// The same set, with the targets `unreachable` marked as such.
    pub(crate) fn without(&self, unreachable: &BTreeMap<TargetIndex, Unreachable>) -> Self {
        let mut set = self.clone();
        for (target, why) in unreachable {
            set.set_unreachable(*target, why.clone());
        }
        set
    }

    /// Records why no value can hit `target`.
    pub(crate) fn set_unreachable(&mut self, target: TargetIndex, why: Unreachable) {
        self.targets[target.index()].set_unreachable(why);
    }
}

impl std::ops::Index<TargetIndex> for TargetSet {
    type Output = Target;

    fn index(&self, index: TargetIndex) -> &Target {
        &self.targets[index.index()]
    }
}

/// Collects the targets of the entries of an API.
#[derive(Debug)]
pub(crate) struct TargetSetBuilder {
    set: TargetSet,
    by_id: BTreeMap<String, TargetIndex>,
    /// The operations, by where they are written.
    owners: BTreeMap<Pointer, usize>,
}

impl TargetSetBuilder {
    pub(crate) fn new(operations: &[SetOperation<'_>], dimensions: Dimensions) -> Self {
        let mut set = TargetSet::new(Vec::new(), dimensions, 0);
        set.operations.keys = operations.iter().map(|it| it.key.to_owned()).collect();
        let own = operations.iter().enumerate().filter(|(_, it)| it.location.resource().is_none());
        let owners = own.map(|(number, it)| (it.location.pointer().clone(), number)).collect();
        Self { set, by_id: BTreeMap::new(), owners }
    }

    /// Adds the targets of an entry of an operation, and returns what they are in the set. A target is
    /// unreachable if it is so in every entry that has it.
    pub(crate) fn add(&mut self, operation: usize, universe: &Universe) -> Link {
        let link = universe.targets().iter().map(|target| {
            let index = self.index(target);
            if target.status() == Status::Active {
                self.set.targets[index.index()].set_active();
            }
            let reached_by = &mut self.set.operations.reached_by[index.index()];
            if !reached_by.contains(&operation) {
                reached_by.push(operation);
            }
            index
        });
        let link = Link::Mapped(link.collect());
        let unlisted = universe.target_set().unlisted_names().iter().cloned();
        self.set.unlisted_names.extend(unlisted);
        link
    }

    fn index(&mut self, target: &Target) -> TargetIndex {
        if let Some(known) = self.by_id.get(target.id()) {
            return *known;
        }
        let index = TargetIndex::new(self.set.targets.len());
        self.by_id.insert(target.id().to_owned(), index);
        self.set.targets.push(target.clone());
        self.set.sampled += usize::from(target.is_first_of_sample());
        self.set.operations.reached_by.push(Vec::new());
        let owner = self.owner(target);
        self.set.operations.owners.push(owner);
        index
    }

    /// The operation that `target` is written in.
    fn owner(&self, target: &Target) -> Option<usize> {
        let mut pointer: Pointer = target.location().strip_prefix('#')?.parse().ok()?;
        loop {
            if let Some(number) = self.owners.get(&pointer) {
                return Some(*number);
            }
            pointer = pointer.parent()?;
        }
    }

    /// The targets so far.
    pub(crate) fn set(&self) -> &TargetSet {
        &self.set
    }

    pub(crate) fn finish(self) -> TargetSet {
        self.set
    }
}

//! Hosts: candidates in which single values are replaced.
//!
//! A replacement that keeps all targets which no other candidate hits takes the place of its host, so that one instance
//! collects many parts. Any other is a candidate of its own.

use std::collections::BTreeSet;

use foolproof_contract::{NodeId, Pointer};

use super::{
    route::Route,
    unit_generator::{Candidate, size},
};
use crate::{
    Observer, TargetIndex,
    observe::{Place, Places},
};

/// What is known about the candidates as hosts.
pub(super) struct Hosts<'a> {
    observer: &'a Observer,
    /// By the number of the candidate.
    known: Vec<Host>,
    /// For each target, how many candidates hit it.
    counts: Vec<usize>,
    /// For each schema, whether a candidate has a value that only this schema is entered at.
    is_entered: Vec<bool>,
}

struct Host {
    places: Places,
    /// The paths of the parts that were replaced already, as text.
    replaced: BTreeSet<String>,
    /// Whether checking it takes long, so that others are better hosts.
    is_large: bool,
}

/// How many values a host may have before others are preferred.
const LARGE: usize = 800;

/// How many values it may have before it is no host at all: each replacement is a check of the whole.
const HUGE: usize = 2_500;

impl Host {
    /// Whether replacing the value at `path` keeps the parts that were replaced before.
    fn is_free(&self, path: &Pointer) -> bool {
        let inside = format!("{path}/");
        let mut next = self.replaced.range(inside.clone()..);
        !self.replaced.contains(path.as_str())
            && next.next().is_none_or(|other| !other.starts_with(&inside))
    }
}

impl<'a> Hosts<'a> {
    pub(super) fn of(observer: &'a Observer, candidates: &[Candidate]) -> Self {
        let universe = observer.universe();
        let mut this = Self {
            observer,
            known: Vec::new(),
            counts: vec![0; universe.targets().len()],
            is_entered: vec![false; universe.graph().nodes().len()],
        };
        for candidate in candidates {
            this.add(candidate, BTreeSet::new());
        }
        this
    }

    /// Adds a candidate that is not made from another one.
    pub(super) fn add_new(&mut self, candidate: &Candidate) {
        self.add(candidate, BTreeSet::new());
    }

    fn add(&mut self, candidate: &Candidate, replaced: BTreeSet<String>) {
        let host = self.host(candidate, replaced);
        self.known.push(host);
    }

    fn host(&mut self, candidate: &Candidate, replaced: BTreeSet<String>) -> Host {
        for target in &candidate.hits {
            self.counts[target.index()] += 1;
        }
        let size = size(candidate.generated.instance().value());
        let places = if size > HUGE {
            Places::new()
        } else {
            self.observer.places(candidate.generated.instance())
        };
        for (node, places) in &places {
            self.is_entered[node.index()] |= places.iter().any(|place| !place.is_shared);
        }
        Host { places, replaced, is_large: size > LARGE }
    }

    /// The schemas on a route that a candidate has values of, the last first.
    pub(super) fn parts_on<'r>(&'r self, route: &'r Route) -> impl Iterator<Item = NodeId> + 'r {
        let entered = route.steps.iter().rev().filter(|(step, _)| step.leads_to_child());
        entered.map(|(_, schema)| *schema).filter(|schema| self.is_entered[schema.index()])
    }

    /// Values of the schema `part` that `is_usable`, each with the number of the candidate that has it, at most one of each candidate:
    /// those first that were not replaced yet, in candidates that are not large.
    pub(super) fn places(
        &self,
        part: NodeId,
        most: usize,
        is_usable: impl Fn(&Place) -> bool,
    ) -> Vec<(usize, Pointer)> {
        let (mut free, mut other) = (Vec::new(), Vec::new());
        for (number, host) in self.known.iter().enumerate() {
            let Some(places) = host.places.get(&part) else { continue };
            let mut paths =
                places.iter().filter(|place| is_usable(place)).map(|place| &place.path).peekable();
            let first = paths.peek().map(|path| (number, Pointer::clone(path)));
            match paths.find(|path| !host.is_large && host.is_free(path)) {
                Some(path) => free.push((number, path.clone())),
                None if other.len() < most => other.extend(first),
                None => {}
            }
            if free.len() == most {
                break;
            }
        }
        free.extend(other);
        free.truncate(most);
        free
    }

    /// Adds `candidate`, which is the candidate `number` with another value at `path`, or replaces that one by it.
    /// Returns whether there was room for it: `most` are all that there may be.
    pub(super) fn keep(
        &mut self,
        candidates: &mut Vec<Candidate>,
        mut candidate: Candidate,
        (number, path): (usize, &Pointer),
        most: usize,
    ) -> bool {
        let is_kept = |target: &TargetIndex| {
            self.counts[target.index()] > 1
                || candidate.all_hits.as_ref().is_some_and(|hits| hits.contains(*target))
        };
        let is_whole = candidates[number].hits.iter().all(is_kept);
        let mut replaced = self.known[number].replaced.clone();
        replaced.insert(path.as_str().to_owned());
        if is_whole {
            let before = &mut candidates[number];
            for target in &before.hits {
                self.counts[target.index()] -= 1;
            }
            let is_hit = |target: TargetIndex| {
                candidate.all_hits.as_ref().is_some_and(|hits| hits.contains(target))
            };
            let mut requests = std::mem::take(&mut before.requests);
            requests.retain(|(target, _)| is_hit(*target));
            let mut adopted = std::mem::take(&mut before.adopted);
            adopted.retain(|target| is_hit(*target));
            requests.append(&mut candidate.requests);
            (candidate.requests, candidate.adopted) = (requests, adopted);
            self.known[number] = self.host(&candidate, replaced);
            candidates[number] = candidate;
        } else if candidates.len() < most {
            self.add(&candidate, replaced);
            candidates.push(candidate);
        } else {
            return false;
        }
        true
    }
}

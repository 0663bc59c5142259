//! The instances of units.

use foolproof_contract::Canonical;
use foolproof_generate::{Generator, Made, Plans, Seed};

use super::Basis;
use crate::{Hits, Observer, TargetIndex, Watcher};

/// How many instances of a unit are made, of which the one that hits the most is kept.
const TRIES: u64 = 4;

/// How often one instance is drawn. A unit that few draws lead to is better taken apart.
const DRAWS: u32 = 6;

/// Makes the instances of units, and knows what they hit so far.
pub(super) struct Maker<'a> {
    generator: &'a Generator,
    plans: Plans,
    observer: &'a Observer,
    watcher: Watcher,
    seed: Seed,
}

impl<'a> Maker<'a> {
    pub(super) fn new(basis: &Basis<'a>) -> Self {
        let observer = basis.observer;
        Self {
            generator: basis.generator,
            plans: Plans::new(observer.document(), observer.universe().graph()),
            observer,
            watcher: Watcher::new(observer),
            seed: basis.seed,
        }
    }

    /// Whether an instance hits `target`.
    pub(super) fn is_hit(&self, target: TargetIndex) -> bool {
        self.watcher.hits().contains(target)
    }

    /// An instance of `form` that hits as many of `targets` as one of a few tries does; nothing if
    /// none of them is valid, or hits any.
    pub(super) fn make(
        &mut self,
        number: usize,
        form: &Canonical,
        targets: &[TargetIndex],
    ) -> Option<Made> {
        let generator = self.generator.within(self.plans.compile(form)).draws(DRAWS);
        let seed = self.seed.child("unit", number as u64);
        let open: Vec<TargetIndex> =
            targets.iter().copied().filter(|target| !self.is_hit(*target)).collect();
        let count = |hits: &Hits| open.iter().filter(|target| hits.contains(**target)).count();
        let mut best: Option<(usize, Made)> = None;
        for attempt in 0..TRIES {
            // Far from the start of a run, which is a tour: a unit says itself what it is for.
            let Ok(made) = generator.make(seed, u64::MAX - attempt) else { break };
            let hit = count(&self.observer.observe(made.instance()));
            if best.as_ref().is_none_or(|(most, _)| hit > *most) {
                best = Some((hit, made));
            }
            if hit == open.len() {
                break;
            }
        }
        let (hit, made) = best?;
        if hit == 0 {
            return None;
        }
        self.watcher.watch(made.instance());
        Some(made)
    }
}

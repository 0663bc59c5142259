//! Fewer repetitions in long runs of small contracts.
//!
//! A value that few choices lead to, such as an object without its optional properties whose number is a bound, is
//! drawn again and again in a long run. Instance `i` must not depend on the others, so repetitions cannot be looked
//! for; but a draw knows how many others were as likely ([`Source::note_spread`](crate::Source::note_spread)). A draw that
//! was likely, for a run so long, is drawn again a few times, and the least likely is kept. Of the first instances of a
//! run, only those are drawn again that nearly nothing was chosen for, such as an empty object. Contracts that have few
//! values are left alone.

use std::sync::OnceLock;

use foolproof_contract::ArenaValue;

use super::Generator;
use crate::{
    DrawMemory, Plan, Seed,
    draw::{FIRST, is_sparse},
};

/// How unlikely the first instances should be, as a power of two: they may be likely, but not certain.
const UNCERTAIN: u32 = 3;

/// How much less likely than one in the length of the run a draw should be, as a power of two.
const MARGIN: u32 = 7;

/// What is wanted of any draw at most, as a power of two.
const MOST: u32 = 19;

/// How often a likely draw is repeated.
const REDRAWS: u32 = 12;

/// The number of the first repetition among the attempts of an instance: beyond all others.
const FIRST_REDRAW: u32 = 1 << 16;

/// The draws that decide whether a contract has many values, and how many of them must be unlikely.
const PROBES: u64 = 32;
const UNLIKELY_PROBES: usize = 10;

/// Whether a contract has so many values that repetitions can be avoided: found out when it is first asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Variety(OnceLock<bool>);

impl Variety {
    /// How unlikely instance `index` should be, as a power of two.
    pub(super) fn wanted(&self, index: u64, plan: &Plan) -> u32 {
        let is_as_drawn = plan.is_on_tour(index) || is_sparse(index);
        if is_as_drawn || !self.has_many_values(plan) {
            return 0;
        }
        if index < FIRST { UNCERTAIN } else { (index.ilog2() + MARGIN).min(MOST) }
    }

    fn has_many_values(&self, plan: &Plan) -> bool {
        *self.0.get_or_init(|| {
            let seed = Seed::from_number(0).child("variety", 0);
            let mut memory = DrawMemory::new();
            let unlikely = (0..PROBES).filter(|probe| {
                let mut source = seed.of_draw(*probe, 0);
                memory.clear();
                plan.draw_in(&mut memory, &mut source).is_some() && source.spread() >= MOST
            });
            unlikely.take(UNLIKELY_PROBES).count() == UNLIKELY_PROBES
        })
    }
}

impl Generator {
    /// Whether a draw for instance `index` is likely to be repeated in a run so long. What is planned is not drawn again.
    pub(super) fn is_likely(&self, index: u64, spread: u32) -> bool {
        spread < MOST
            && self.chosen.is_none()
            && self.host.is_none()
            && spread < self.variety.wanted(index, &self.plan)
    }

    /// The least likely of `drawn`, whose spread is given, and a few other draws.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    pub(super) fn less_likely<'g>(
        &'g self,
        seed: Seed,
        index: u64,
        drawn: (Option<ArenaValue<'g>>, u32),
        memory: &mut DrawMemory<'g>,
    ) -> Option<ArenaValue<'g>> {
        let wanted = self.variety.wanted(index, &self.plan);
        let (mut best, mut most) = drawn;
        for redraw in FIRST_REDRAW..FIRST_REDRAW + REDRAWS {
            if most >= wanted {
                break;
            }
            let mut source = seed.of_draw(index, redraw);
            let other = self.plan.draw_in(memory, &mut source);
            if other.is_some() && source.spread() > most {
                (best, most) = (other, source.spread());
            }
        }
        best
    }
}

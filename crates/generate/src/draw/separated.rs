//! Values of branches of `oneOf` that admit each other's values.
//!
//! Where a filter rejects whatever is drawn, a rejected value is changed until it satisfies one branch only
//! ([`Separation`]). Whether that is needed depends on the plan alone: on draws from a fixed seed. Where some
//! of those pass, values stay as they are drawn.

use serde_json::Value;

use super::{DEPTH, Draw, Overlap, PATIENCE, Room, Style};
use crate::{
    Seed, Source,
    plan::{Filter, NodeId, Plan, Separation},
};

/// How many draws show that a filter rejects whatever is drawn.
const PROBES: usize = 64;

/// How many of them are separated, to show that it helps, and how many values are drawn to be separated.
const SEPARATED_PROBES: usize = 8;
const TRIES: usize = 4;

/// The number of values in one of these draws.
const BUDGET: usize = 200;

impl<S: Source> Draw<'_, S> {
    /// A value of one of `bases`, changed until the filter admits it.
    pub(super) fn separated(
        &mut self,
        id: NodeId,
        bases: &[NodeId],
        filter: &Filter,
        room: Room,
    ) -> Option<Value> {
        if self.overlap == Overlap::Redraw || self.drawn > PATIENCE || bases.is_empty() {
            return None;
        }
        let plan = self.plan;
        let separation = filter.separation(|found| is_needed(plan, bases, filter, found))?;
        (0..TRIES).find_map(|_| {
            let scheduled = room.turn.and_then(|turn| plan.tour().stop(id).choice(turn));
            let base = scheduled.map_or_else(|| self.source.index(bases.len()), |(base, _)| base);
            let value = self.value(bases[base], room.aside_of())?;
            let separate = separation.separate(value, base, self.source);
            separate.filter(|value| filter.admits(value))
        })
    }
}

/// Whether no draw passes the filter, and separation makes one pass.
fn is_needed(plan: &Plan, bases: &[NodeId], filter: &Filter, separation: &Separation) -> bool {
    let mut source = Seed::from_number(0).child("separation", 0).random();
    let least = bases.iter().filter_map(|base| plan.depths[base.index()]).min();
    let deepest = least.unwrap_or(0).saturating_add(DEPTH);
    let mut draw = Draw::new(plan, &mut source, Style::Mixed, deepest);
    let mut rejected = Vec::new();
    for _ in 0..PROBES {
        let drawn = draw.option(bases, Room { depth: 0, budget: BUDGET, turn: None });
        if draw.drawn > PATIENCE || drawn.as_ref().is_some_and(|value| filter.admits(value)) {
            return false;
        }
        rejected.extend(drawn);
    }
    rejected.into_iter().take(SEPARATED_PROBES).any(|value| {
        let separate = separation.separate(value, usize::MAX, &mut source);
        separate.is_some_and(|value| filter.admits(&value))
    })
}

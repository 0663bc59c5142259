//! Values of branches of `oneOf` that admit each other's values.
//!
//! Where a filter rejects whatever is drawn, a rejected value is changed until it satisfies one branch only
//! ([`Separation`]). Whether that is needed depends on the plan alone: on draws from a fixed seed. Where some
//! of those pass, values stay as they are drawn.

use foolproof_contract::ArenaValue;
use serde_json::Value;

use super::{DEPTH, Draw, DrawMemory, Overlap, PATIENCE, Room, Style};
use crate::{
    Seed, Source,
    plan::{Filter, NodeId, Plan, Separation},
    value_size::Slack,
};

/// How many draws show that a filter rejects whatever is drawn.
const PROBES: usize = 64;

/// How many of them are separated, to show that it helps, and how many values are drawn to be separated.
const SEPARATED_PROBES: usize = 8;
const TRIES: usize = 4;

/// The number of values in one of these draws.
const BUDGET: usize = 200;

impl<'p, S: Source> Draw<'p, '_, S> {
    /// A value of one of `bases`, changed until the filter admits it.
    pub(super) fn separated(
        &mut self,
        id: NodeId,
        bases: &'p [NodeId],
        filter: &'p Filter,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        if self.overlap == Overlap::Redraw || self.drawn > PATIENCE || bases.is_empty() {
            return None;
        }
        let plan = self.plan;
        let separation = filter.separation(|found| is_needed(plan, id, bases, filter, found))?;
        (0..TRIES).find_map(|_| {
            let scheduled = room.turn.and_then(|turn| plan.tour().stop(id).choice(turn));
            let base = scheduled.map_or_else(|| self.source.index(bases.len()), |(base, _)| base);
            let value = self.instead(id, bases[base], room.aside_of())?;
            let separate = separation.separate(self.memory.to_value(value), base, self.source);
            let separate = separate.filter(|value| filter.admits(value))?;
            self.memory.own(separate)
        })
    }
}

/// Whether no draw passes the filter, and separation makes one pass.
fn is_needed<'p>(
    plan: &'p Plan,
    id: NodeId,
    bases: &'p [NodeId],
    filter: &Filter,
    separation: &Separation,
) -> bool {
    let mut source = Seed::from_number(0).child("separation", 0).random();
    let Some(least) = plan.least[id.index()] else { return false };
    let Some(slack) = Slack::of(plan.limit, least.size) else { return false };
    let deepest = least.depth.saturating_add(DEPTH);
    let mut memory = DrawMemory::new();
    let mut draw = Draw::new(plan, &mut memory, &mut source, Style::Mixed, deepest, slack);
    let mut rejected: Vec<Value> = Vec::new();
    for _ in 0..PROBES {
        draw.memory.clear();
        draw.slack = slack;
        let drawn = draw.option(id, bases, Room { depth: 0, budget: BUDGET, turn: None });
        let drawn = drawn.map(|value| draw.memory.to_value(value));
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

//! A session: one model and one system, for one sequence.

use std::{any::Any, borrow::Cow};

use crate::{
    SessionContext,
    argument::{NoValue, StateView},
    results::{ResultLog, Results},
    rng::Rng,
    step::ArgumentRecord,
};

/// A model, a system, and the results that later steps may refer to.
pub struct Session<M, S> {
    /// The model and the system, once the initial state is created.
    pub(crate) state: Option<State<M, S>>,
    pub(crate) results: Results,
    pub(crate) log: ResultLog,
    /// The step that runs next.
    pub(crate) prepared: Option<PreparedStep>,
    /// For each command, the values of its step that runs next.
    pub(crate) values: Vec<StepValues>,
    /// The values that the initial state is created from.
    pub(crate) given: StepValues,
    pub(crate) seeds: SeedPool,
    pub(crate) context: SessionContext,
}

/// A model and a system.
pub(crate) struct State<M, S> {
    pub(crate) model: M,
    pub(crate) system: S,
}

/// A step whose values are drawn. They are drawn once: a strategy may give others the next time.
pub(crate) struct PreparedStep {
    pub(crate) id: u32,
    pub(crate) command: usize,
    /// The records of the arguments, if drawing the values has completed them.
    pub(crate) arguments: Option<Vec<ArgumentRecord>>,
    /// Why there are no values, if there are none.
    pub(crate) drawn: Result<(), NoValue>,
}

/// The values of a step, whatever their types. The memory is used again for the next step of its command.
#[derive(Default)]
pub struct StepValues(Option<Box<dyn Any>>);

impl StepValues {
    pub(crate) fn put<V: 'static>(&mut self, values: V) {
        match self.0.as_mut().and_then(|known| known.downcast_mut::<Option<V>>()) {
            Some(slot) => *slot = Some(values),
            None => self.0 = Some(Box::new(Some(values))),
        }
    }

    pub(crate) fn get<V: 'static>(&self) -> Option<&V> {
        self.0.as_ref()?.downcast_ref::<Option<V>>()?.as_ref()
    }

    pub(crate) fn take<V: 'static>(&mut self) -> Option<V> {
        self.0.as_mut()?.downcast_mut::<Option<V>>()?.take()
    }
}

impl<M, S> Session<M, S> {
    /// A session of a test with this number of commands.
    pub(crate) fn new(context: SessionContext, commands: usize) -> Self {
        Self {
            state: None,
            results: Results::default(),
            log: ResultLog::default(),
            prepared: None,
            values: (0..commands).map(|_| StepValues::default()).collect(),
            given: StepValues::default(),
            seeds: SeedPool::default(),
            context,
        }
    }

    /// What arguments of `command` are built from, once there is a state.
    pub(crate) fn view<'a>(
        &'a self,
        command: usize,
        commands: &'a [Cow<'static, str>],
    ) -> Option<StateView<'a, M>> {
        let State { model, .. } = self.state.as_ref()?;
        let name = commands.get(command).map_or("", |name| name);
        Some(StateView { model, results: &self.results, command: name, commands })
    }
}

/// The seeds of earlier arguments. Later arguments of the same name may get the same seed, and so the same
/// value: many bugs need a key twice. How often, and how many seeds are remembered, varies by sequence.
#[derive(Debug, Default)]
pub(crate) struct SeedPool {
    /// The seeds of earlier arguments, by the number of their name.
    seeds: Vec<Vec<u64>>,
    /// Of 8 arguments, how many reuse a seed. Nothing is remembered if none does.
    share: Option<usize>,
    /// The most seeds that are remembered for a name.
    capacity: usize,
}

impl SeedPool {
    /// Decides how often seeds are reused in this sequence.
    #[inline]
    pub(crate) fn begin(&mut self, rng: &mut Rng) {
        if self.share.is_none() {
            self.share = Some([0, 0, 1, 2, 4, 6][rng.below(6)]);
            self.capacity = [1, 2, 4, 16][rng.below(4)];
        }
    }

    /// A new seed, or one of an earlier argument with the same name.
    #[inline]
    pub(crate) fn draw(&self, name: usize, rng: &mut Rng) -> u64 {
        let share = self.share.unwrap_or(0);
        match self.seeds.get(name) {
            Some(seeds) if share > 0 && !seeds.is_empty() && rng.below(8) < share => {
                seeds[rng.below(seeds.len())]
            }
            Some(_) | None => rng.bits(),
        }
    }

    /// Remembers the seed of an argument.
    #[inline]
    pub(crate) fn remember(&mut self, name: usize, seed: u64) {
        if self.share.unwrap_or(0) == 0 {
            return;
        }
        if self.seeds.len() <= name {
            self.seeds.resize(name + 1, Vec::new());
        }
        let seeds = &mut self.seeds[name];
        if !seeds.contains(&seed) {
            if seeds.len() >= self.capacity {
                seeds.remove(0);
            }
            seeds.push(seed);
        }
    }
}

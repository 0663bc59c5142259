//! Arguments of commands: drawn from strategies, picked from the model, or returned by earlier steps.

use std::{borrow::Cow, cell::RefCell, fmt::Debug, marker::PhantomData, sync::LazyLock};

use proptest::{
    num::usize::BinarySearch,
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    machine::StepOutcome,
    results::{Producers, Reference, Results, ValueType},
    rng,
    step::{ArgumentRecord, Binding, ShrinkStep},
};

/// How often a value tree is simplified on the way to its simplest value. Far more than trees of any
/// sensible size need; it bounds trees that never end.
const MAX_SIMPLIFY_CALLS: usize = 10_000;

/// The state that arguments are built from.
pub struct StateView<'a, M> {
    pub(crate) model: &'a M,
    pub(crate) results: &'a Results,
    /// The name of the command.
    pub(crate) command: &'a str,
    /// The names of all commands.
    pub(crate) commands: &'a [Cow<'static, str>],
}

/// Why an argument has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// There is no candidate in this state, or the precondition is false.
    Blocked,
    /// The strategy of the argument with this index rejects nearly everything that it draws.
    Rejected(usize),
    /// The last shrink step did not change the value: the tree is exhausted.
    Exhausted,
}

impl NoValue {
    /// The same reason for the argument with this index.
    pub(crate) fn at(self, index: usize) -> Self {
        if let Self::Rejected(_) = self { Self::Rejected(index) } else { self }
    }
}

impl From<NoValue> for StepOutcome {
    fn from(reason: NoValue) -> Self {
        match reason {
            NoValue::Blocked | NoValue::Rejected(_) => Self::Blocked,
            NoValue::Exhausted => Self::Exhausted,
        }
    }
}

/// Where the values of one argument of a command come from.
pub trait ArgumentSource<M>: 'static {
    /// The type that the command receives.
    type Value: Clone + Debug + 'static;

    /// The name in reports.
    fn name(&self) -> &Cow<'static, str>;

    /// The values of other commands that it refers to, if any.
    fn refers_to(&self) -> Option<Reference> {
        None
    }

    /// Whether nobody can refer to its value any more once the command ran.
    fn is_consumed(&self) -> bool {
        false
    }

    /// Builds the value that `argument` describes, and records there what it is bound to.
    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<Self::Value, NoValue>;
}

/// An argument from a strategy.
#[derive(Debug)]
pub struct Forall<T> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) strategy: T,
}

impl<M, T> ArgumentSource<M> for Forall<T>
where
    T: Strategy + 'static,
    T::Value: Clone + 'static,
{
    type Value = T::Value;

    fn name(&self) -> &Cow<'static, str> {
        &self.name
    }

    fn build(
        &self,
        _: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<T::Value, NoValue> {
        Ok(build_tree(&self.strategy, argument)?.current())
    }
}

/// An argument from a strategy that depends on the model.
pub struct ForallWith<F, T> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) strategy: F,
    pub(crate) made: PhantomData<fn() -> T>,
}

impl<M, T, F> ArgumentSource<M> for ForallWith<F, T>
where
    T: Strategy + 'static,
    T::Value: Clone + 'static,
    F: Fn(&M) -> T + 'static,
{
    type Value = T::Value;

    fn name(&self) -> &Cow<'static, str> {
        &self.name
    }

    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<T::Value, NoValue> {
        Ok(build_tree(&(self.strategy)(state.model), argument)?.current())
    }
}

/// An argument that is one of the candidates of the model.
pub struct Pick<F, I> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) candidates: F,
    pub(crate) made: PhantomData<fn() -> I>,
}

impl<M, I, F> ArgumentSource<M> for Pick<F, I>
where
    I: IntoIterator + 'static,
    I::Item: Clone + Debug + 'static,
    F: Fn(&M) -> I + 'static,
{
    type Value = I::Item;

    fn name(&self) -> &Cow<'static, str> {
        &self.name
    }

    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<I::Item, NoValue> {
        let mut candidates: Vec<I::Item> = (self.candidates)(state.model).into_iter().collect();
        // Equal `Debug` text means the same candidate. If it is gone, the seed chooses another.
        let known = match &argument.binding {
            Some(Binding::Value(text)) => {
                candidates.iter().position(|candidate| format!("{candidate:?}") == *text)
            }
            Some(Binding::Step(..)) | None => None,
        };
        // The candidates may have no order of their own, so the simplest stays what it was once.
        let is_settled = argument.is_simplest() && !argument.has_new_shrink_step;
        let index = match known {
            Some(known) if is_settled => known,
            known => choose(known, candidates.len(), argument)?,
        };
        let chosen = candidates.swap_remove(index);
        argument.binding = Some(Binding::Value(format!("{chosen:?}")));
        if !argument.is_simplest() {
            argument.shrink_steps.clear();
        }
        Ok(chosen)
    }
}

/// An argument that an earlier step yielded.
pub struct Returned<T> {
    pub(crate) name: Cow<'static, str>,
    pub(crate) producers: Producers,
    pub(crate) is_consumed: bool,
    pub(crate) made: PhantomData<fn() -> T>,
}

impl<M, T: Clone + Debug + 'static> ArgumentSource<M> for Returned<T> {
    type Value = T;

    fn name(&self) -> &Cow<'static, str> {
        &self.name
    }

    fn refers_to(&self) -> Option<Reference> {
        let commands = self.producers.0.clone();
        Some(Reference { commands, value_type: ValueType::of::<T>() })
    }

    fn is_consumed(&self) -> bool {
        self.is_consumed
    }

    fn build(&self, state: &StateView<'_, M>, argument: &mut ArgumentRecord) -> Result<T, NoValue> {
        let producers = self.producers.0.iter();
        let producers =
            producers.filter_map(|name| state.commands.iter().position(|it| it == name));
        let found = state.results.of::<T>(&producers.collect::<Vec<_>>());
        let known = match &argument.binding {
            Some(Binding::Step(step, part)) => {
                let known = found.iter().position(|(place, _)| *place == (*step, *part));
                Some(known.ok_or(NoValue::Blocked)?)
            }
            Some(Binding::Value(_)) | None => None,
        };
        let index = choose(known, found.len(), argument)?;
        let ((step, part), value) = found[index];
        // From now on it is bound to that step, which the shrink steps led to: they are done.
        argument.binding = Some(Binding::Step(step, part));
        argument.shrink_steps.clear();
        Ok(value.clone())
    }
}

/// Which of `count` candidates an argument is: the one it is bound to, or the one that its seed
/// chooses. Shrink steps lead from there toward the first.
fn choose(
    known: Option<usize>,
    count: usize,
    argument: &mut ArgumentRecord,
) -> Result<usize, NoValue> {
    if count == 0 {
        return Err(NoValue::Blocked);
    }
    let drawn = || rng::Rng::new(argument.seed).below(count);
    let mut search = BinarySearch::new(known.unwrap_or_else(drawn));
    apply_shrink_steps(&mut search, argument)?;
    Ok(search.current())
}

pub(crate) fn build_tree<T: Strategy>(
    strategy: &T,
    argument: &mut ArgumentRecord,
) -> Result<T::Tree, NoValue> {
    let mut tree = if argument.shrink_steps.is_empty() {
        draw_tree(strategy, argument.seed)?
    } else {
        // A tree that is shrunk shares a count with its runner, which is for this tree alone.
        new_tree(strategy, &mut runner(argument.seed))?
    };
    apply_shrink_steps(&mut tree, argument)?;
    Ok(tree)
}

/// A value tree that is not shrunk. Creating a runner costs more than most draws, so a thread keeps one.
fn draw_tree<T: Strategy>(strategy: &T, seed: u64) -> Result<T::Tree, NoValue> {
    thread_local! {
        static RUNNER: RefCell<Option<TestRunner>> = const { RefCell::new(None) };
    }
    RUNNER.with(|kept| {
        // It is in use if a strategy runs a test of its own.
        let Ok(mut kept) = kept.try_borrow_mut() else {
            return new_tree(strategy, &mut runner(seed));
        };
        if let Some(used) = kept.as_mut() {
            *used.rng() = proptest_rng(seed);
            let tree = new_tree(strategy, used);
            if tree.is_ok() {
                return tree;
            }
        }
        // A runner counts the rejections of all its draws: the draw may have failed for those of others.
        new_tree(strategy, kept.insert(runner(seed)))
    })
}

fn new_tree<T: Strategy>(strategy: &T, runner: &mut TestRunner) -> Result<T::Tree, NoValue> {
    strategy.new_tree(runner).map_err(|_| NoValue::Rejected(0))
}

/// Applies the shrink steps of `argument` to its value tree. Only a new one has to change the value:
/// earlier ones did so when they were new, perhaps with more candidates than there are now.
fn apply_shrink_steps(
    tree: &mut impl ValueTree,
    argument: &mut ArgumentRecord,
) -> Result<(), NoValue> {
    let mut moved = true;
    for shrink_step in &argument.shrink_steps {
        moved = match shrink_step {
            ShrinkStep::Simplify => tree.simplify(),
            ShrinkStep::Complicate => tree.complicate(),
            // A value that cannot be simplified is the simplest already.
            ShrinkStep::Simplest => {
                (0..MAX_SIMPLIFY_CALLS).take_while(|_| tree.simplify()).count();
                true
            }
        };
    }
    let is_exhausted = !moved && argument.has_new_shrink_step;
    argument.has_new_shrink_step = false;
    if is_exhausted { Err(NoValue::Exhausted) } else { Ok(()) }
}

/// A proptest runner for one value. Each has its own count of rejections, so that no argument uses up
/// the limit of another.
fn runner(seed: u64) -> TestRunner {
    static CONFIG: LazyLock<Config> =
        LazyLock::new(|| Config { failure_persistence: None, ..Config::default() });
    TestRunner::new_with_rng(CONFIG.clone(), proptest_rng(seed))
}

fn proptest_rng(seed: u64) -> TestRng {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&rng::child(seed, 1).to_le_bytes());
    TestRng::from_seed(RngAlgorithm::XorShift, &bytes)
}

//! Arguments of commands: drawn from strategies, picked from the model, or returned by earlier steps.

use std::{
    any::{Any, TypeId},
    fmt::Debug,
    marker::PhantomData,
    sync::LazyLock,
};

use proptest::{
    num::usize::BinarySearch,
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    machine::StepOutcome,
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
}

/// The yielded results of a sequence, which later steps may refer to.
#[derive(Default)]
pub(crate) struct Results(Vec<(u32, &'static str, Box<dyn Any>)>);

impl Results {
    pub(crate) fn add(&mut self, step: u32, command: &'static str, result: Box<dyn Any>) {
        self.0.push((step, command, result));
    }

    fn of<T: Any>(&self, command: &str) -> Vec<(u32, &T)> {
        let those = self.0.iter().filter(|(_, name, _)| *name == command);
        those.filter_map(|(step, _, result)| Some((*step, result.downcast_ref()?))).collect()
    }
}

/// A reference to the yielded results of another command.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The command.
    pub(crate) command: &'static str,
    /// The type that is expected of its results.
    pub(crate) value_type: ValueType,
}

/// A type that can be compared, with its name for messages.
#[derive(Clone, Copy, Debug)]
pub struct ValueType {
    id: TypeId,
    pub(crate) name: &'static str,
}

impl ValueType {
    pub(crate) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: std::any::type_name::<T>() }
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// Why an argument has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// There is no candidate in this state, or the strategy rejects too much.
    Blocked,
    /// The last shrink step did not change the value: the tree is exhausted.
    Exhausted,
}

impl From<NoValue> for StepOutcome {
    fn from(reason: NoValue) -> Self {
        match reason {
            NoValue::Blocked => Self::Blocked,
            NoValue::Exhausted => Self::Exhausted,
        }
    }
}

/// Where the values of one argument of a command come from.
pub trait ArgumentSource<M>: 'static {
    /// The type that the command receives.
    type Value: Debug;
    /// What the value can be taken from repeatedly: a value tree, or the value itself.
    type Tree: 'static;

    /// The name in reports.
    fn name(&self) -> &'static str;

    /// The results of another command that it refers to, if any.
    fn refers_to(&self) -> Option<Reference> {
        None
    }

    /// Builds the value tree that `argument` describes, and records there what it is bound to.
    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<Self::Tree, NoValue>;

    /// The current value.
    fn value(tree: &Self::Tree) -> Self::Value;
}

/// An argument from a strategy.
#[derive(Debug)]
pub struct Forall<T> {
    pub(crate) name: &'static str,
    pub(crate) strategy: T,
}

impl<M, T: Strategy + 'static> ArgumentSource<M> for Forall<T> {
    type Value = T::Value;
    type Tree = T::Tree;

    fn name(&self) -> &'static str {
        self.name
    }

    fn build(
        &self,
        _: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<T::Tree, NoValue> {
        build_tree(&self.strategy, argument)
    }

    fn value(tree: &T::Tree) -> T::Value {
        tree.current()
    }
}

/// An argument from a strategy that depends on the model.
pub struct ForallWith<F, T> {
    pub(crate) name: &'static str,
    pub(crate) strategy: F,
    pub(crate) made: PhantomData<fn() -> T>,
}

impl<M, T, F> ArgumentSource<M> for ForallWith<F, T>
where
    T: Strategy + 'static,
    F: Fn(&M) -> T + 'static,
{
    type Value = T::Value;
    type Tree = T::Tree;

    fn name(&self) -> &'static str {
        self.name
    }

    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<T::Tree, NoValue> {
        build_tree(&(self.strategy)(state.model), argument)
    }

    fn value(tree: &T::Tree) -> T::Value {
        tree.current()
    }
}

/// An argument that is one of the candidates of the model.
pub struct Pick<F, I> {
    pub(crate) name: &'static str,
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
    type Tree = I::Item;

    fn name(&self) -> &'static str {
        self.name
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
            Some(Binding::Step(_)) | None => None,
        };
        let place = choose(known, candidates.len(), argument)?;
        let chosen = candidates.swap_remove(place);
        // The simplest candidate is the first one, whichever it is.
        if argument.shrink_steps != [ShrinkStep::Simplest] {
            argument.binding = Some(Binding::Value(format!("{chosen:?}")));
            argument.shrink_steps.clear();
        }
        Ok(chosen)
    }

    fn value(tree: &I::Item) -> I::Item {
        tree.clone()
    }
}

/// An argument that an earlier step returned.
pub struct Returned<T> {
    pub(crate) name: &'static str,
    pub(crate) command: &'static str,
    pub(crate) made: PhantomData<fn() -> T>,
}

impl<M, T: Clone + Debug + 'static> ArgumentSource<M> for Returned<T> {
    type Value = T;
    type Tree = T;

    fn name(&self) -> &'static str {
        self.name
    }

    fn refers_to(&self) -> Option<Reference> {
        Some(Reference { command: self.command, value_type: ValueType::of::<T>() })
    }

    fn build(&self, state: &StateView<'_, M>, argument: &mut ArgumentRecord) -> Result<T, NoValue> {
        let found = state.results.of::<T>(self.command);
        let known = match &argument.binding {
            Some(Binding::Step(id)) => {
                let known = found.iter().position(|(step, _)| step == id);
                Some(known.ok_or(NoValue::Blocked)?)
            }
            Some(Binding::Value(_)) | None => None,
        };
        let place = choose(known, found.len(), argument)?;
        let (step, value) = found[place];
        // From now on it is bound to that step, which the shrink steps led to: they are done.
        argument.binding = Some(Binding::Step(step));
        argument.shrink_steps.clear();
        Ok(value.clone())
    }

    fn value(tree: &T) -> T {
        tree.clone()
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
    // A strategy that rejects too many values has none in this state.
    let tree = strategy.new_tree(&mut runner(argument.seed));
    let mut tree = tree.map_err(|_| NoValue::Blocked)?;
    apply_shrink_steps(&mut tree, argument)?;
    Ok(tree)
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
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&rng::child(seed, 1).to_le_bytes());
    TestRunner::new_with_rng(CONFIG.clone(), TestRng::from_seed(RngAlgorithm::XorShift, &bytes))
}

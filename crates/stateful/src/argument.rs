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

/// How far the simplest value may be, in turns: far more than any value tree of sensible size has.
const MAX_SIMPLIFY_CALLS: usize = 10_000;

/// What is known when an argument is needed.
pub struct StateView<'a, M> {
    pub(crate) model: &'a M,
    pub(crate) results: &'a Results,
}

/// What the steps of a sequence returned, as far as others may refer to it.
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

/// A reference to what steps of another command return.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The command.
    pub(crate) command: &'static str,
    /// What is expected of it.
    pub(crate) value_type: ValueType,
}

/// A type that can be compared and shown.
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

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// There is nothing to choose from in this state.
    Blocked,
    /// The last turn of the value tree led nowhere.
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

/// One argument of a command.
pub trait ArgumentSource<M>: 'static {
    /// What the command gets.
    type Value: Debug;
    /// What values are made from, as often as they are needed.
    type Tree: 'static;

    /// The name that reports show.
    fn name(&self) -> &'static str;

    /// What it refers to, if it does.
    fn refers_to(&self) -> Option<Reference> {
        None
    }

    /// Builds the argument that `argument` describes; what it should hold on to is noted there.
    fn build(
        &self,
        state: &StateView<'_, M>,
        argument: &mut ArgumentRecord,
    ) -> Result<Self::Tree, NoValue>;

    /// The value.
    fn value(tree: &Self::Tree) -> Self::Value;
}

/// An argument that a strategy makes.
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

/// An argument that a strategy makes which depends on the model.
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

/// An argument that is one of what the model offers.
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
        // What looks the same is the same; where it is gone, what stands in its place.
        let known = match &argument.binding {
            Some(Binding::Value(text)) => {
                candidates.iter().position(|candidate| format!("{candidate:?}") == *text)
            }
            Some(Binding::Step(_)) | None => None,
        };
        let place = choose(known, candidates.len(), argument)?;
        let chosen = candidates.swap_remove(place);
        // The simplest is the first, whatever it looks like.
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
        // It belongs to that step from now on, and no longer needs the one that the turns began at.
        argument.binding = Some(Binding::Step(step));
        argument.shrink_steps.clear();
        Ok(value.clone())
    }

    fn value(tree: &T) -> T {
        tree.clone()
    }
}

/// Which of `count` candidates an argument is: the one it holds on to, or that of its seed, and from
/// there toward the first.
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
    // A strategy that rejects too much has no value here.
    let tree = strategy.new_tree(&mut runner(argument.seed));
    let mut tree = tree.map_err(|_| NoValue::Blocked)?;
    apply_shrink_steps(&mut tree, argument)?;
    Ok(tree)
}

/// Takes the turns of a value tree. Only of a new one is it of interest whether it leads anywhere: the
/// others were taken before, perhaps when there was more to choose from.
fn apply_shrink_steps(
    tree: &mut impl ValueTree,
    argument: &mut ArgumentRecord,
) -> Result<(), NoValue> {
    let mut moved = true;
    for shrink_step in &argument.shrink_steps {
        moved = match shrink_step {
            ShrinkStep::Simplify => tree.simplify(),
            ShrinkStep::Complicate => tree.complicate(),
            // Where there is nothing simpler, it is the simplest.
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

/// A runner for one value. Each has its own count of rejections, so that none is used up by others.
fn runner(seed: u64) -> TestRunner {
    static CONFIG: LazyLock<Config> =
        LazyLock::new(|| Config { failure_persistence: None, ..Config::default() });
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..].copy_from_slice(&rng::child(seed, 1).to_le_bytes());
    TestRunner::new_with_rng(CONFIG.clone(), TestRng::from_seed(RngAlgorithm::XorShift, &bytes))
}

//! Runs over the operations of an API.
//!
//! Each side of each operation in scope is an entry. An operation of which a part is missing, malformed or
//! admits no value is taken out as a whole, with the reason; the others work. Entries are compiled on
//! several threads, and planned for in their order.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU64, NonZeroUsize},
    ops::ControlFlow,
    sync::Arc,
};

use foolproof_contract::{
    Canonicalizer, Diagnostic, DiagnosticCode, Error, FormatPolicy, Location,
    openapi::{Api, ApiEntry, EntryOptions, Operation, Side},
    with_large_stack,
    wording::matches_glob,
};
use foolproof_generate::{Generator, Meter, Phase, PhaseMetrics, Pipeline, Seed, ValueSize};

use super::{
    compiled::{CompiledCoverage, CompiledEntry, CompiledRun},
    progress::CompileProgress,
};
use crate::{
    Dimension, Observer, OperationsScope, Settings, TargetIndex, Universe,
    entry_set::{EntryIndex, EntrySet, LinkedObserver},
    plan::{EntryInput, PlanBuilder, ProofInput, Proofs, prove},
    target_set::{SetOperation, TargetSetBuilder},
    universe::OperationSide,
};

/// Which parts of an API a run is about.
#[derive(Clone, Debug)]
pub struct ApiRunOptions {
    /// The keys of the operations, with `*` and `?`; all operations if there are none.
    pub operations: Vec<String>,
    /// Which sides of them.
    pub parts: Parts,
    /// How entries are read. The settings of the run decide about formats.
    pub entries: EntryOptions,
    /// How many threads compile.
    pub threads: NonZeroUsize,
    /// Says how far compiling and planning is, to whoever shares it.
    pub progress: Option<Arc<CompileProgress>>,
}

impl Default for ApiRunOptions {
    fn default() -> Self {
        Self {
            operations: Vec::new(),
            parts: Parts::Both,
            entries: EntryOptions::default(),
            threads: NonZeroUsize::MIN,
            progress: None,
        }
    }
}

/// Which sides of operations are in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// Requests.
    Request,
    /// Responses.
    Response,
    /// Both.
    #[default]
    Both,
}

impl Parts {
    fn sides(self) -> &'static [Side] {
        match self {
            Self::Request => &[Side::Request],
            Self::Response => &[Side::Response],
            Self::Both => &[Side::Request, Side::Response],
        }
    }
}

/// An operation that is taken out of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BrokenOperation {
    /// Its key.
    pub key: String,
    /// The side that is broken, if it is one.
    pub side: Side,
    /// Why.
    pub reason: BrokenReason,
}

/// Why an operation is taken out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BrokenReason {
    /// A part of it is missing or malformed.
    Error(Error),
    /// No value satisfies its schema; with the places that contradict themselves, as far as they are known.
    Unsatisfiable(Vec<Diagnostic>),
    /// Its smallest value has this size, which is more than a run may generate.
    TooLarge(ValueSize),
}

impl std::fmt::Display for BrokenOperation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { key, side, reason } = self;
        let is_request = *side == Side::Request;
        let side = side.as_str();
        match reason {
            BrokenReason::Error(error) => write!(formatter, "`{key}` is left out: {error}"),
            BrokenReason::TooLarge(least) => write!(
                formatter,
                "`{key}` is left out: its smallest {side} has {least}, which is more than is generated \
                 (VALUE_TOO_LARGE)"
            ),
            BrokenReason::Unsatisfiable(found) => {
                let sent = if is_request && found.is_empty() { " that can be sent" } else { "" };
                write!(formatter, "`{key}` is left out: no {side}{sent} satisfies its schema")?;
                match found.iter().find(|found| !found.is_intended()).or(found.first()) {
                    Some(found) => {
                        write!(formatter, ", because {found} ({})", found.code())
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// Why a run over an API cannot start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// A pattern matches no operation.
    #[error("no operation matches `{pattern}`")]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// The operations that there are.
        keys: Vec<String>,
    },
    /// All operations that were chosen are broken.
    #[error("every chosen operation is broken: {}", list(.broken))]
    ChosenBroken {
        /// They, and why.
        broken: Vec<BrokenOperation>,
    },
    /// No operation is left.
    #[error("the API has no operation that can be used{}", reasons(.broken))]
    NothingLeft {
        /// What was taken out, and why.
        broken: Vec<BrokenOperation>,
    },
}

fn list(broken: &[BrokenOperation]) -> String {
    broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn reasons(broken: &[BrokenOperation]) -> String {
    if broken.is_empty() { String::new() } else { format!(": {}", list(broken)) }
}

/// What of an API a run is about, and what was taken out.
#[derive(Debug)]
pub struct ApiRun {
    api: Api,
    entries: Vec<ApiEntry>,
    broken: Vec<BrokenOperation>,
    /// The keys of the operations in scope, if not all are.
    selected: Option<Vec<String>>,
    notes: Vec<String>,
    /// The schemas that several operations of the document refer to.
    reused: BTreeSet<Location>,
    formats: FormatPolicy,
}

impl ApiRun {
    /// Proves which of the `missed` targets of an entry no value can hit. What was compiled for it is compiled again:
    /// to keep that for every entry would take too much memory.
    pub(crate) fn prove(
        &self,
        entry: EntryIndex,
        observer: &Observer,
        missed: &[TargetIndex],
    ) -> Proofs {
        let entry = &self.entries[entry.0];
        let compiled = Generator::of_entry(entry, self.formats, &mut Meter::counting());
        let Ok((generator, mut forms)) = compiled else { return Proofs::default() };
        let side = Some(operation_side(&self.api, entry, &self.reused));
        let input = ProofInput { observer, side, generator: Some(&generator) };
        prove(input, &mut forms, missed)
    }

    /// The API.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The entries that instances are generated of, in the order of the operations.
    #[must_use]
    pub fn entries(&self) -> &[ApiEntry] {
        &self.entries
    }

    /// The operations that were taken out.
    #[must_use]
    pub fn broken(&self) -> &[BrokenOperation] {
        &self.broken
    }

    /// The operation that `entry` is a side of.
    #[must_use]
    pub fn operation(&self, entry: &ApiEntry) -> &Operation {
        &self.api.operations()[entry.operation]
    }

    pub(crate) fn scope(&self) -> OperationsScope {
        if self.selected.is_some() { OperationsScope::Selected } else { OperationsScope::All }
    }

    pub(crate) fn selected(&self) -> Option<&[String]> {
        self.selected.as_deref()
    }

    /// What a reader of the report should know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let broken = self.broken.iter().map(ToString::to_string);
        self.notes.iter().cloned().chain(broken).collect()
    }
}

/// The operations of an API that are in scope, and how to compile them.
pub(crate) struct ApiCompiler<'a> {
    api: &'a Api,
    options: &'a ApiRunOptions,
    settings: &'a Settings,
    /// The indices of the operations in scope.
    selected: Vec<usize>,
    /// The schemas that several operations of the document refer to.
    reused: BTreeSet<Location>,
    has_coverage: bool,
}

/// An operation that is compiled.
struct CompiledOperation {
    index: usize,
    result: Result<Vec<CompiledSide>, BrokenOperation>,
    metrics: PhaseMetrics,
}

/// One side of an operation that is compiled.
pub(crate) struct CompiledSide {
    pub(crate) entry: ApiEntry,
    pub(crate) generator: Generator,
    pub(crate) forms: Canonicalizer,
    pub(crate) observer: Option<Observer>,
    /// That values which are not meant for the side are generated nevertheless.
    note: Option<String>,
}

impl<'a> ApiCompiler<'a> {
    pub(crate) fn new(
        api: &'a Api,
        options: &'a ApiRunOptions,
        settings: &'a Settings,
        has_coverage: bool,
    ) -> Result<Self, ApiError> {
        let selected = select(api, &options.operations)?;
        let needs_reused = has_coverage && settings.dimensions.contains(Dimension::Operations);
        let reused = if needs_reused { reused(api, options) } else { BTreeSet::new() };
        Ok(Self { api, options, settings, selected, reused, has_coverage })
    }

    /// Compiles the operations in scope on several threads, and gives the sides of each that works to `use_side`,
    /// in their order. Returns the others.
    pub(crate) fn run(
        &self,
        meter: &mut Meter,
        mut use_side: impl FnMut(CompiledSide, &mut Meter),
    ) -> (Vec<BrokenOperation>, Vec<String>) {
        let (mut broken, mut notes) = (Vec::new(), Vec::new());
        let clock = meter.another();
        let count = self.selected.len() as u64;
        let progress = self.options.progress.as_deref();
        progress.inspect(|progress| progress.start(count));
        let _: ControlFlow<()> = Pipeline::new(self.options.threads).chunk(NonZeroU64::MIN).run(
            0..count,
            |numbers| {
                let operation = |number| {
                    let number = usize::try_from(number).expect("an operation has an index");
                    let mut meter = clock.another();
                    let result = self.operation(self.selected[number], &mut meter);
                    let metrics = meter.metrics().clone();
                    CompiledOperation { index: self.selected[number], result, metrics }
                };
                numbers.map(operation).collect::<Vec<_>>()
            },
            |compiled| {
                for CompiledOperation { index, result, metrics } in compiled {
                    meter.add(&metrics);
                    notes.extend(
                        self.api.operations()[index]
                            .notes
                            .iter()
                            .map(|note| format!("`{}`: {note}", self.api.operations()[index].key)),
                    );
                    match result {
                        Ok(sides) => {
                            for side in sides {
                                notes.extend(side.note.clone());
                                use_side(side, meter);
                            }
                        }
                        Err(reason) => broken.push(reason),
                    }
                    progress.inspect(|progress| progress.advance());
                }
                ControlFlow::Continue(())
            },
        );
        (broken, notes)
    }

    fn operation(
        &self,
        index: usize,
        meter: &mut Meter,
    ) -> Result<Vec<CompiledSide>, BrokenOperation> {
        let mut sides = Vec::new();
        for side in self.options.parts.sides() {
            let compiled = self.side(index, *side, meter).map_err(|reason| BrokenOperation {
                key: self.api.operations()[index].key.clone(),
                side: *side,
                reason,
            })?;
            sides.extend(compiled);
        }
        Ok(sides)
    }

    fn side(
        &self,
        index: usize,
        side: Side,
        meter: &mut Meter,
    ) -> Result<Option<CompiledSide>, BrokenReason> {
        let entry = self.api.entry(index, side, &entry_options(self.options, self.settings));
        let Some(entry) = entry.transpose().map_err(BrokenReason::Error)? else { return Ok(None) };
        let (generator, forms) = self.compile(&entry, meter)?;
        if let Some(least) = generator.excess() {
            return Err(BrokenReason::TooLarge(least));
        }
        if !generator.plan().is_empty() {
            return Ok(Some(self.observed(entry, generator, forms, None, meter)));
        }
        // What is left out may be what the schema needs.
        let diagnostics = written(&generator, &entry);
        let Some(entry) = entry.admitting_all() else {
            return Err(BrokenReason::Unsatisfiable(diagnostics));
        };
        let (generator, forms) = self.compile(&entry, meter)?;
        if generator.plan().is_empty() {
            return Err(BrokenReason::Unsatisfiable(written(&generator, &entry)));
        }
        let key = &self.api.operations()[index].key;
        let note = format!(
            "`{key}`: no {} is left without what is read-only, write-only or of another branch, so all of it is generated",
            side.as_str()
        );
        Ok(Some(self.observed(entry, generator, forms, Some(note), meter)))
    }

    fn compile(
        &self,
        entry: &ApiEntry,
        meter: &mut Meter,
    ) -> Result<(Generator, Canonicalizer), BrokenReason> {
        let compiled = Generator::of_entry(entry, self.settings.formats, meter);
        let (generator, forms) = compiled.map_err(BrokenReason::Error)?;
        Ok((generator.limited(self.settings.largest), forms))
    }

    fn observed(
        &self,
        entry: ApiEntry,
        generator: Generator,
        mut forms: Canonicalizer,
        note: Option<String>,
        meter: &mut Meter,
    ) -> CompiledSide {
        let observer = self.has_coverage.then(|| {
            meter.time(Phase::Plan, || {
                let side = self.operation_side(&entry);
                let dimensions = self.settings.dimensions;
                let universe = Universe::of_side(&entry.document, &mut forms, dimensions, side);
                Observer::new(&Arc::new(universe), &entry.document, self.settings.formats)
            })
        });
        CompiledSide { entry, generator, forms, observer, note }
    }

    /// The side of an operation that `entry` is.
    pub(crate) fn operation_side<'s>(&'s self, entry: &ApiEntry) -> OperationSide<'s> {
        operation_side(self.api, entry, &self.reused)
    }

    /// The operations, as far as targets are concerned.
    pub(crate) fn set_operations(&self) -> Vec<SetOperation<'a>> {
        let operations = self.api.operations().iter();
        operations.map(|it| SetOperation { key: &it.key, location: &it.location }).collect()
    }

    pub(crate) fn into_run(
        self,
        entries: Vec<ApiEntry>,
        broken: Vec<BrokenOperation>,
        notes: Vec<String>,
    ) -> Result<ApiRun, ApiError> {
        let is_chosen = !self.options.operations.is_empty();
        if entries.is_empty() {
            return Err(if is_chosen && !broken.is_empty() {
                ApiError::ChosenBroken { broken }
            } else {
                ApiError::NothingLeft { broken }
            });
        }
        let key = |index: &usize| self.api.operations()[*index].key.clone();
        let selected = is_chosen.then(|| self.selected.iter().map(key).collect());
        let notes = self.api.notes().iter().cloned().chain(notes).collect();
        let (reused, formats) = (self.reused, self.settings.formats);
        Ok(ApiRun { api: self.api.clone(), entries, broken, selected, notes, reused, formats })
    }
}

/// The side of an operation that `entry` is; `reused` are the schemas that several operations refer to.
pub(crate) fn operation_side<'a>(
    api: &'a Api,
    entry: &ApiEntry,
    reused: &'a BTreeSet<Location>,
) -> OperationSide<'a> {
    let operation = &api.operations()[entry.operation];
    OperationSide {
        key: &operation.key,
        location: &operation.location,
        side: entry.side,
        counts: entry.is_observed,
        reused,
    }
}

/// The contradictions that the user wrote. What an entry adds only refers to them.
fn written(generator: &Generator, entry: &ApiEntry) -> Vec<Diagnostic> {
    let all = generator.diagnostics().iter();
    // That all values are endless is a fact about the whole.
    let is_written = |found: &&Diagnostic| {
        found.code() == DiagnosticCode::Recursion
            || entry.document.is_written(&Location::root().join(found.pointer()))
    };
    all.filter(is_written).cloned().collect()
}

fn entry_options(options: &ApiRunOptions, settings: &Settings) -> EntryOptions {
    EntryOptions { formats: settings.formats, ..options.entries }
}

/// The indices of the operations whose keys match one of `patterns`; all without patterns.
fn select(api: &Api, patterns: &[String]) -> Result<Vec<usize>, ApiError> {
    let operations = api.operations();
    let matches = |pattern: &String, operation: &Operation| {
        *pattern == operation.key || matches_glob(pattern, &operation.key)
    };
    for pattern in patterns {
        if !operations.iter().any(|operation| matches(pattern, operation)) {
            let keys = operations.iter().map(|operation| operation.key.clone()).collect();
            return Err(ApiError::NoMatch { pattern: pattern.clone(), keys });
        }
    }
    let is_selected = |index: &usize| {
        patterns.is_empty() || patterns.iter().any(|it| matches(it, &operations[*index]))
    };
    Ok((0..operations.len()).filter(is_selected).collect())
}

/// The schemas that two or more operations of the document refer to, whatever is in scope.
fn reused(api: &Api, options: &ApiRunOptions) -> BTreeSet<Location> {
    let mut users: BTreeMap<Location, usize> = BTreeMap::new();
    let count = api.operations().len() as u64;
    let _: ControlFlow<()> = Pipeline::new(options.threads).run(
        0..count,
        |numbers| {
            let referred = |number| {
                let number = usize::try_from(number).expect("an operation has an index");
                let sides = Parts::Both.sides().iter();
                let entries =
                    sides.filter_map(|side| api.entry(number, *side, &options.entries)?.ok());
                entries.flat_map(|entry| entry.referred).collect::<BTreeSet<Location>>()
            };
            numbers.map(referred).collect::<Vec<_>>()
        },
        |all| {
            for location in all.into_iter().flatten() {
                *users.entry(location).or_default() += 1;
            }
            ControlFlow::Continue(())
        },
    );
    users.into_iter().filter(|(_, users)| *users > 1).map(|(location, _)| location).collect()
}

impl CompiledRun {
    /// Compiles and plans a run over the operations of an API, whose coverage is measured or guided.
    ///
    /// ```
    /// use foolproof_contract::{Document, openapi::Api};
    /// use foolproof_coverage::{ApiRunOptions, CompiledRun, Dimensions, Profile, Settings};
    /// use foolproof_generate::Meter;
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({
    ///     "openapi": "3.1.0", "info": { "title": "Coins", "version": "1" },
    ///     "paths": { "/coin": { "get": { "responses": { "200": {
    ///         "description": "", "content": { "application/json": { "schema": { "enum": ["heads", "tails"] } } }
    ///     } } } } }
    /// }))?;
    /// let settings = Settings { dimensions: Dimensions::all(), ..Settings::guided(Profile::Quick) };
    /// let api = Api::of(&document)?;
    /// let run = CompiledRun::of_api(&api, &ApiRunOptions::default(), settings, &mut Meter::counting()).unwrap();
    /// let ids: Vec<&str> = run.targets().unwrap().targets().iter().map(|target| target.id()).collect();
    /// assert_eq!(ids[0], "op:GET /coin:response");
    /// assert_eq!(run.plan().unwrap().units().len(), 3);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn of_api(
        api: &Api,
        options: &ApiRunOptions,
        settings: Settings,
        meter: &mut Meter,
    ) -> Result<Self, ApiError> {
        // Once for all entries: each of them asks the algebra dozens of questions.
        with_large_stack(|| Self::observed_api(api, options, settings, meter))
    }

    fn observed_api(
        api: &Api,
        options: &ApiRunOptions,
        settings: Settings,
        meter: &mut Meter,
    ) -> Result<Self, ApiError> {
        let compiler = ApiCompiler::new(api, options, &settings, true)?;
        let mut targets = TargetSetBuilder::new(&compiler.set_operations(), settings.dimensions);
        let mut plan = settings.guidance.map(|it| PlanBuilder::new(settings.most_units(), it));
        let (mut entries, mut compiled, mut observers) = (Vec::new(), Vec::new(), Vec::new());
        let master = Seed::from_number(settings.seed);
        let (broken, notes) = compiler.run(meter, |side, meter| {
            let CompiledSide { entry, generator, mut forms, observer, .. } = side;
            let Some(observer) = observer else { return };
            let operation = &api.operations()[entry.operation];
            let seed = seed_of(master, &operation.key, entry.side);
            let link = targets.add(entry.operation, observer.universe());
            let observer = LinkedObserver { observer, link };
            if let Some(plan) = &mut plan {
                let number = EntryIndex(entries.len());
                let side = Some(compiler.operation_side(&entry));
                let input = EntryInput {
                    entry: number,
                    observer: &observer,
                    generator: &generator,
                    seed,
                    side,
                };
                plan.add(&input, &mut forms, targets.set(), meter);
            }
            // What planning compiled for this entry is not needed for the others.
            let LinkedObserver { observer, link } = observer;
            let observer = LinkedObserver { observer: observer.rested(), link };
            entries.push(entry);
            compiled.push(CompiledEntry { generator, seed });
            observers.push(observer);
        });
        let run = compiler.into_run(entries, broken, notes)?;
        let entry_set = EntrySet::new(targets.finish(), observers);
        let generators: Vec<(&Generator, Seed)> =
            compiled.iter().map(|entry| (&entry.generator, entry.seed)).collect();
        let plan = meter.time(Phase::Plan, || {
            let mut plan = plan?.finish(&entry_set, &generators);
            plan.set_operations(|entry| run.operation(&run.entries()[entry.0]).key.clone());
            Some(plan)
        });
        let entries = match &plan {
            Some(plan) => entry_set.without(plan.unreachable()),
            None => entry_set,
        };
        let coverage = Some(CompiledCoverage { entries, plan, forms: None });
        let compiled = Self { settings, entries: compiled, coverage, api: Some(run) };
        compiled.count_planning(meter);
        Ok(compiled)
    }

    /// The same without coverage.
    pub fn of_api_without_coverage(
        api: &Api,
        options: &ApiRunOptions,
        settings: Settings,
        meter: &mut Meter,
    ) -> Result<Self, ApiError> {
        let compiler = ApiCompiler::new(api, options, &settings, false)?;
        let (mut entries, mut compiled) = (Vec::new(), Vec::new());
        let master = Seed::from_number(settings.seed);
        let (broken, notes) = compiler.run(meter, |side, _| {
            let key = &api.operations()[side.entry.operation].key;
            let seed = seed_of(master, key, side.entry.side);
            compiled.push(CompiledEntry { generator: side.generator, seed });
            entries.push(side.entry);
        });
        let run = compiler.into_run(entries, broken, notes)?;
        Ok(Self { settings, entries: compiled, coverage: None, api: Some(run) })
    }
}

/// The seed of an entry. It depends on the operation alone, so that the data of an operation is the same
/// whatever else is in scope.
fn seed_of(master: Seed, key: &str, side: Side) -> Seed {
    master.child(&format!("{} {key}", side.as_str()), 0)
}

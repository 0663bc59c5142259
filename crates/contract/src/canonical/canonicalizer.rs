//! From a document to canonical forms, whatever the library makes of it.
//!
//! Ask; where the library declines, find the place, relax it there, ask again. Each round either
//! ends or leaves less to model, and the last resort is the set of all values, so a document always
//! yields a usable form.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jsonschema::canonical::{CanonicalSchema, CanonicalView, RawReason};
use serde_json::{Value, json};

use super::{
    Canonical, Diagnostic, DiagnosticCode, RelaxReason, Relaxation, Shape, diagnose, emptiness,
    finite,
    relax::{self, Rewritten, WHOLE},
    rewrite::mentions,
    worker::{Answer, NoAnswer, Worker, WorkerInput},
};
use crate::{
    Document, Edge, Error, FormatPolicy, Graph, Location, Node, NodeId, Pointer, stack, uri,
};

/// The processor time that one question may take. The library's own budgets end almost every reading within a
/// second; this is for the few that they do not, on a slow machine.
const DEADLINE: Duration = Duration::from_secs(5);

/// The processor time that one question about a single schema ([`Canonicalizer::forms_of`]) may take. What callers ask
/// is bounded by counts of steps; this is for the few questions that the library's own budgets do not end.
const QUESTION_DEADLINE: Duration = Duration::from_secs(5);

/// How many such questions may get no answer in time before no more are asked: each leaves a thread behind that is
/// still busy.
const MAX_LATE_QUESTIONS: u64 = 3;

/// The processor time for all such questions together: the last resort against a document that is slow everywhere.
const TIME_FOR_QUESTIONS: Duration = Duration::from_secs(40);

/// What a reference to a place as it is written starts with, so that nobody takes it for another.
const WRITTEN: &str = "foolproof:written:";

/// How many places are relaxed one by one before the whole schema is.
const MAX_ROUNDS: usize = 24;

/// How many keywords are tried one by one before a place is left out as a whole.
const MAX_TRIALS: usize = 32;

/// The same where every trial that fails uses up the library's budget, which takes a second.
const MAX_COSTLY_TRIALS: usize = 4;

/// The canonical forms of a document.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "properties": { "age": { "type": "integer", "minimum": 18, "maximum": 17 } }
/// }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
///
/// assert!(forms.relaxed().is_empty());
/// let diagnostics = forms.diagnose();
/// assert_eq!(diagnostics[0].code().as_str(), "UNSAT_NUMERIC_BOUNDS");
/// assert_eq!(diagnostics[0].pointer().to_fragment(), "#/properties/age");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
pub struct Canonicalizer {
    document: Document,
    graph: Graph,
    formats: FormatPolicy,
    relaxed: Vec<Relaxation>,
    rewritten: Rewritten,
    worker: Worker,
    root: Canonical,
    /// Why the root is known to admit no value, where the library does not see it.
    why_empty: Option<DiagnosticCode>,
    /// The microseconds that questions about single schemas took.
    time_for_questions: AtomicU64,
    /// How many of them got no answer in time.
    late_questions: AtomicU64,
}

/// Why a question has no form as its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoForm {
    /// The library has none for the schema.
    Declined,
    /// A limit of time was reached, in this question or in those before it.
    OutOfTime,
}

/// Whether a part of a schema may be made wider: whether the whole is then wider too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Widening {
    Allowed,
    Forbidden,
}

impl Widening {
    /// Whether parts of `schema` may be wider. What `unevaluated*` applies to is what other parts leave over, and a part
    /// that says nothing leaves everything.
    fn of(schema: &Value) -> Self {
        let is_dependent = mentions(schema, &["unevaluatedProperties", "unevaluatedItems"]);
        if is_dependent { Self::Forbidden } else { Self::Allowed }
    }

    /// The same for what is inside `keyword`. A property of such a name is taken for the keyword, which is safe.
    fn inside(self, keyword: &str) -> Self {
        match keyword {
            "not" | "oneOf" | "if" | "contains" => Self::Forbidden,
            _ => self,
        }
    }
}

/// Why the library has no form for a schema.
struct Declined {
    reason: RelaxReason,
    /// Where, if it says so, in the document as rewritten.
    at: Option<Pointer>,
}

impl Canonicalizer {
    /// Canonicalises `document`.
    pub fn new(document: &Document, formats: FormatPolicy) -> Result<Self, Error> {
        let graph = Graph::of(document)?;
        Ok(Self::with_graph(document, graph, formats))
    }

    /// The same for a graph that is at hand already.
    #[must_use]
    pub fn with_graph(document: &Document, graph: Graph, formats: FormatPolicy) -> Self {
        let rewritten = Rewritten::of(document, &[]);
        let worker = start(document, formats, &rewritten);
        let mut this = Self {
            document: document.clone(),
            graph,
            formats,
            relaxed: Vec::new(),
            rewritten,
            worker,
            root: Canonical::any(document.draft(), formats),
            why_empty: None,
            time_for_questions: AtomicU64::new(0),
            late_questions: AtomicU64::new(0),
        };
        let root = this.form_at(&Pointer::root());
        this.why_empty = this.why_empty(&root);
        this.root = this.or_never(root, this.why_empty);
        this
    }

    /// The form of the whole schema.
    #[must_use]
    pub fn root(&self) -> Canonical {
        self.root.clone()
    }

    /// The form of the schema at `pointer`.
    pub fn at(&mut self, pointer: &Pointer) -> Canonical {
        let form = self.form_at(pointer);
        let why_empty = self.why_empty(&form);
        self.or_never(form, why_empty)
    }

    /// The form of the schema at `pointer` as the library has it.
    fn form_at(&mut self, pointer: &Pointer) -> Canonical {
        for _ in 0..MAX_ROUNDS {
            match ask(&self.worker, &self.rewritten, pointer) {
                Ok(form) => return Canonical::new(form),
                Err(declined) => self.relax(pointer, declined),
            }
        }
        let whole = Relaxation::new(pointer.clone(), WHOLE, RelaxReason::TooComplex);
        self.adopt(vec![whole]);
        Canonical::any(self.document.draft(), self.formats)
    }

    /// `form`, or the empty form if it is known to be that.
    fn or_never(&self, form: Canonical, why_empty: Option<DiagnosticCode>) -> Canonical {
        if why_empty.is_some() {
            Canonical::never(self.document.draft(), self.formats)
        } else {
            form
        }
    }

    /// Why no value belongs to `form`, where the library does not see it.
    fn why_empty(&self, form: &Canonical) -> Option<DiagnosticCode> {
        if self.is_endless(form) {
            return Some(DiagnosticCode::Recursion);
        }
        stack::with_large_stack(|| emptiness::why_empty(form))
    }

    /// Whether all values of `form` would be without end. The library sees that only where required
    /// properties lead in a circle. Left open where a schema requires itself of the same value: its form
    /// refers to itself without entering the value, which proves nothing.
    fn is_endless(&self, form: &Canonical) -> bool {
        let is_clear = self.graph.self_references().is_empty();
        is_clear && self.graph.is_recursive() && finite::is_endless(form)
    }

    /// The forms of `schemas`, which are read as if they stood in the document: they may hold what
    /// the document holds, and refer to places of it by [`Canonicalizer::reference`]. A question that gets no
    /// answer in time does not affect those after it.
    ///
    /// ```
    /// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Pointer, Verdict};
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({ "properties": { "age": { "maximum": 9 } } }))?;
    /// let forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
    /// let age = Canonicalizer::reference(forms.graph().nodes()[1].location());
    /// let form = forms.forms_of(&[json!({ "allOf": [age, { "const": 10 }] })]).remove(0);
    /// assert_eq!(form.unwrap().satisfiable(), Verdict::No);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn forms_of(&self, schemas: &[Value]) -> Vec<Result<Canonical, NoForm>> {
        let mut asked: Vec<Value> = schemas.to_vec();
        for schema in &mut asked {
            let widening = Widening::of(schema);
            self.translate(schema, widening);
        }
        let Some((value, place)) = self.rewritten.with(self.document.draft(), asked) else {
            return vec![Err(NoForm::Declined); schemas.len()];
        };
        let value = Arc::new(value);
        let start = || {
            let (document, formats) = (self.document.clone(), self.formats);
            let input = WorkerInput { document, value: Arc::clone(&value), formats };
            Worker::start(input, QUESTION_DEADLINE)
        };
        let mut worker = start();
        let mut ask = |index: usize| {
            if self.is_out_of_time() {
                return Err(NoForm::OutOfTime);
            }
            let Answer { result, time, .. } = worker.form(&place(index));
            let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            self.time_for_questions.fetch_add(micros, Ordering::Relaxed);
            match result {
                Ok(form) if matches!(form.view(), CanonicalView::Raw(_)) => Err(NoForm::Declined),
                Ok(form) => Ok(Canonical::new(form)),
                Err(NoAnswer::Refused(_)) => Err(NoForm::Declined),
                Err(NoAnswer::TimedOut) => {
                    self.late_questions.fetch_add(1, Ordering::Relaxed);
                    worker = start();
                    Err(NoForm::OutOfTime)
                }
                Err(NoAnswer::Panicked) => {
                    worker = start();
                    Err(NoForm::Declined)
                }
            }
        };
        (0..schemas.len()).map(&mut ask).collect()
    }

    fn is_out_of_time(&self) -> bool {
        let micros = self.time_for_questions.load(Ordering::Relaxed);
        Duration::from_micros(micros) > TIME_FOR_QUESTIONS
            || self.late_questions.load(Ordering::Relaxed) >= MAX_LATE_QUESTIONS
    }

    /// A reference to `location`, to be used in what [`forms_of`](Self::forms_of) is asked about.
    #[must_use]
    pub fn reference(location: &Location) -> Value {
        let resource = location.resource().unwrap_or("");
        json!({ "$ref": format!("{WRITTEN}{resource}#{}", location.pointer()) })
    }

    /// Points the references of `schema` to where their targets stand now. A target that was relaxed with what it is in
    /// stands nowhere: where a wider part makes the whole wider, it is the set of all values.
    fn translate(&self, schema: &mut Value, widening: Widening) {
        match schema {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get_mut("$ref")
                    && let Some(written) = reference.strip_prefix(WRITTEN)
                    && let Some((resource, pointer)) = written.split_once('#')
                    && let Ok(pointer) = pointer.parse()
                {
                    let is_own = resource.is_empty();
                    let now = if is_own { self.rewritten.to_now(&pointer) } else { pointer };
                    let is_gone = is_own && now.resolve(&self.rewritten.value).is_none();
                    if is_gone && widening == Widening::Allowed {
                        *schema = json!({});
                        return;
                    }
                    *reference = format!("{resource}#{}", uri::encode(now.as_str()));
                }
                for (keyword, member) in members {
                    self.translate(member, widening.inside(keyword));
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.translate(item, widening);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// What was relaxed so far, by place.
    #[must_use]
    pub fn relaxed(&self) -> &[Relaxation] {
        &self.relaxed
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Whether formats constrain.
    #[must_use]
    pub fn formats(&self) -> FormatPolicy {
        self.formats
    }

    /// The graph of the document.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The locations that admit no value, each with why. What is missing here is not proven to
    /// admit one.
    pub fn diagnose(&mut self) -> Vec<Diagnostic> {
        let found = self.worker.unsatisfiable().unwrap_or_default();
        let written = |pointer: &str| {
            let pointer: Pointer = pointer.parse().ok()?;
            let pointer = self.rewritten.to_written(&pointer);
            pointer.resolve(self.document.value()).map(|_| pointer.clone())
        };
        let mut diagnostics = diagnose::diagnose(&found, written);
        for diagnostic in &mut diagnostics {
            if self.rewritten.contradictory.contains(diagnostic.pointer()) {
                *diagnostic = Diagnostic::of_required_branches(diagnostic.pointer().clone());
            }
        }
        let root = Pointer::root();
        let is_named = diagnostics.first().is_some_and(|found| *found.pointer() == root);
        if self.root.shape() == Shape::Never && !is_named {
            let code = match self.why_empty {
                Some(code) => code,
                None if self.recurs() => DiagnosticCode::Recursion,
                None => DiagnosticCode::Conflict,
            };
            diagnostics.insert(0, Diagnostic::whole(code, root));
        }
        diagnostics
    }

    /// Whether a value can be inside another value of the same schema.
    fn recurs(&self) -> bool {
        let mut reached = vec![false; self.graph.nodes().len()];
        let root = self.graph.root();
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            for target in self.graph[node].edges().iter().map(Edge::target) {
                if !std::mem::replace(&mut reached[target.index()], true) {
                    pending.push(target);
                }
            }
        }
        reached[root.index()]
    }

    /// Relaxes one place so that the schema at `pointer` comes closer to having a form.
    fn relax(&mut self, pointer: &Pointer, declined: Declined) {
        let Declined { reason, at } = declined;
        if matches!(reason, RelaxReason::TimedOut | RelaxReason::Failed) {
            // Looking for the place would run into the deadline again and again.
            let whole = vec![Relaxation::new(pointer.clone(), WHOLE, reason.clone())];
            let coarse = relax::coarse(&self.graph, &self.document, &reason);
            let next = coarse.into_iter().find(|attempt| !self.contains_all(attempt));
            self.adopt(next.unwrap_or(whole));
            return;
        }
        let named = at.map(|at| self.rewritten.to_written(&at));
        let node = named.and_then(|at| self.node_at(&at)).or_else(|| self.search(pointer));
        let Some(node) = node else {
            self.adopt(vec![Relaxation::new(pointer.clone(), WHOLE, reason)]);
            return;
        };
        let is_costly = reason == RelaxReason::TooComplex;
        let trials = if is_costly { MAX_COSTLY_TRIALS } else { MAX_TRIALS };
        let place = self.graph[node].location().pointer().clone();
        let attempts = relax::attempts(&self.graph, &self.document, node, &reason);
        let mut untried: Vec<Vec<Relaxation>> =
            attempts.into_iter().filter(|attempt| !self.contains_all(attempt)).collect();
        untried.truncate(trials);
        let alone = untried.iter().find(|attempt| self.helps(attempt, &place)).cloned();
        let chosen = alone.or_else(|| self.fewest(untried, &place)).unwrap_or_else(|| {
            let mut whole = relax::surroundings(&self.graph, &self.document, node);
            whole.push(Relaxation::new(place, WHOLE, reason));
            whole
        });
        self.adopt(chosen);
    }

    /// Where no attempt helps alone: all of them, less those that are not needed.
    fn fewest(
        &self,
        mut attempts: Vec<Vec<Relaxation>>,
        place: &Pointer,
    ) -> Option<Vec<Relaxation>> {
        let together = |attempts: &[Vec<Relaxation>]| attempts.concat();
        if !self.helps(&together(&attempts), place) {
            return None;
        }
        for index in (0..attempts.len()).rev() {
            let spared = attempts.remove(index);
            if !self.helps(&together(&attempts), place) {
                attempts.insert(index, spared);
            }
        }
        Some(together(&attempts))
    }

    /// Whether the schema at `place` has a form once `attempt` is relaxed too.
    fn helps(&self, attempt: &[Relaxation], place: &Pointer) -> bool {
        let trial: Vec<Relaxation> = self.relaxed.iter().chain(attempt).cloned().collect();
        let rewritten = Rewritten::of(&self.document, &trial);
        // What was left out with its surroundings needs no form any more.
        if rewritten.to_now(place).resolve(&rewritten.value).is_none() {
            return true;
        }
        let worker = start(&self.document, self.formats, &rewritten);
        ask(&worker, &rewritten, place).is_ok()
    }

    fn contains_all(&self, attempt: &[Relaxation]) -> bool {
        // What was relaxed is sorted, and there may be tens of thousands of both.
        let is_done = |new: &Relaxation| {
            self.relaxed.binary_search_by(|done| done.key().cmp(&new.key())).is_ok()
        };
        attempt.iter().all(is_done)
    }

    fn adopt(&mut self, relaxations: Vec<Relaxation>) {
        self.relaxed.extend(relaxations);
        self.relaxed.sort();
        self.relaxed.dedup_by(|one, other| one.is_same_keyword(other));
        self.rewritten = Rewritten::of(&self.document, &self.relaxed);
        self.worker = start(&self.document, self.formats, &self.rewritten);
    }

    /// The node of the schema at `pointer`, or of what it refers to.
    fn node_at(&self, pointer: &Pointer) -> Option<NodeId> {
        let is_here =
            |location: &Location| location.resource().is_none() && location.pointer() == pointer;
        self.graph.iter().find(|(_, node)| is_here(node.location())).map(|(id, _)| id).or_else(
            || {
                let edges = self.graph.nodes().iter().flat_map(Node::edges);
                edges.filter(|edge| is_here(edge.site())).map(Edge::target).next()
            },
        )
    }

    /// The innermost schema below `pointer` that has no form of its own although all below it do.
    fn search(&self, pointer: &Pointer) -> Option<NodeId> {
        let mut seen = vec![false; self.graph.nodes().len()];
        let declines = |node: NodeId| {
            let location = self.graph[node].location();
            location.resource().is_none()
                && ask(&self.worker, &self.rewritten, location.pointer()).is_err()
        };
        let mut starts: Vec<NodeId> = match self.node_at(pointer) {
            Some(node) => vec![node],
            None => vec![self.graph.root()],
        };
        // The schema at `pointer` is known to decline; asking again would only cost time.
        let mut innermost = None;
        if let [only] = starts[..] {
            seen[only.index()] = true;
            innermost = Some(only);
            starts = self.graph[only].edges().iter().map(Edge::target).collect();
        }
        loop {
            let next = starts
                .into_iter()
                .find(|node| !std::mem::replace(&mut seen[node.index()], true) && declines(*node));
            let Some(node) = next else { return innermost };
            innermost = Some(node);
            starts = self.graph[node].edges().iter().map(Edge::target).collect();
        }
    }
}

impl std::fmt::Debug for Canonicalizer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Canonicalizer")
            .field("formats", &self.formats)
            .field("relaxed", &self.relaxed)
            .finish_non_exhaustive()
    }
}

fn start(document: &Document, formats: FormatPolicy, rewritten: &Rewritten) -> Worker {
    let value = Arc::clone(&rewritten.value);
    Worker::start(WorkerInput { document: document.clone(), value, formats }, DEADLINE)
}

/// The form of the schema that the user wrote at `pointer`.
fn ask(
    worker: &Worker,
    rewritten: &Rewritten,
    pointer: &Pointer,
) -> Result<CanonicalSchema, Declined> {
    let declined = |reason| Declined { reason, at: None };
    let form = worker.form(&rewritten.to_now(pointer)).result.map_err(|error| match error {
        NoAnswer::Refused(message) => declined(RelaxReason::Refused(message)),
        NoAnswer::TimedOut => declined(RelaxReason::TimedOut),
        NoAnswer::Panicked => declined(RelaxReason::Failed),
    })?;
    let CanonicalView::Raw(raw) = form.view() else { return Ok(form) };
    let reason = match raw.reason {
        RawReason::UnknownDialect | RawReason::Unmodeled => RelaxReason::Unmodeled,
        RawReason::OutgrewIntersections | RawReason::OutgrewCases => RelaxReason::TooComplex,
        RawReason::InexactIntersection => RelaxReason::Inexact,
    };
    // The library names a place inside the schema that was asked for.
    let inside = raw.pointer.and_then(|inside| inside.parse::<Pointer>().ok());
    let at = inside.map(|inside| rewritten.to_now(pointer).join(&inside));
    Err(Declined { reason, at })
}

//! Why no value can hit a target.

use foolproof_contract::{Diagnostic, DiagnosticCode};

use crate::{Params, Target, TargetKind};

/// Why no value can hit a target: a sentence, the code of the contradiction, and where it is.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
/// use foolproof_coverage::{Dimensions, Universe};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "minimum": 3, "maximum": 9, "multipleOf": 2 }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let universe = Universe::of(&document, &mut forms, Dimensions::all());
/// let why = universe.targets().iter().find_map(|target| target.unreachable()).unwrap();
/// assert_eq!(why.code(), "UNSAT_NUMERIC_BOUNDS");
/// assert_eq!(why.conflicts(), ["#/minimum", "#/multipleOf"]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    reason: String,
    code: DiagnosticCode,
    conflicts: Vec<String>,
}

impl Unreachable {
    pub(crate) fn new(reason: impl Into<String>, code: DiagnosticCode) -> Self {
        Self { reason: reason.into(), code, conflicts: Vec::new() }
    }

    /// The same, with the pointers of the keywords that contradict each other.
    pub(crate) fn at(mut self, conflicts: impl IntoIterator<Item = String>) -> Self {
        self.conflicts.extend(conflicts);
        self.conflicts.sort();
        self.conflicts.dedup();
        self
    }

    /// The same, without the pointer `conflict`.
    pub(crate) fn not_at(mut self, conflict: &str) -> Self {
        self.conflicts.retain(|known| known != conflict);
        self
    }

    /// The location that the target needs a value at admits none.
    pub(crate) fn by_diagnostic(found: &Diagnostic) -> Self {
        let place = found.pointer().to_fragment();
        let reason = format!("`{place}` admits no value: {found}");
        let conflicts = found.causes().iter().flat_map(|cause| {
            let schema = cause.pointer.to_fragment();
            let keyword = |name: &String| cause.pointer.key(name).to_fragment();
            let keywords: Vec<String> = cause.keywords.iter().map(keyword).collect();
            if keywords.is_empty() { vec![schema] } else { keywords }
        });
        let why = Self::new(reason, found.code()).at(conflicts);
        // `false` has no keyword that could be named.
        if why.conflicts.is_empty() { why.at([place]) } else { why }
    }

    /// No value that satisfies the schema at `anchor` hits `target`.
    pub(crate) fn by_demand(target: &Target, anchor: String) -> Self {
        let asked = match target.kind() {
            TargetKind::OneOfBranch | TargetKind::AnyOfBranch => "takes this branch",
            TargetKind::ConditionalPath => "has this outcome of the condition",
            TargetKind::EnumValueHit => "has this value here",
            TargetKind::PropertyPresent => "has this property",
            TargetKind::NumericMinHit | TargetKind::NumericMaxHit => "is this number here",
            TargetKind::StringMinLengthHit | TargetKind::StringMaxLengthHit => {
                "has a string of this length here"
            }
            TargetKind::ArrayMinItemsHit | TargetKind::ArrayMaxItemsHit => {
                "has an array of this size here"
            }
            TargetKind::SchemaNode
            | TargetKind::OpRequestCovered
            | TargetKind::OpResponseCovered
            | TargetKind::SchemaReusedCovered
            | TargetKind::Unknown(_) => "reaches this location",
        };
        let reason = format!("no value that satisfies `{anchor}` {asked}");
        Self::new(reason, code(target.kind())).at([anchor, own_pointer(target)])
    }

    /// No value hits `target` through any of the schemas at `uses`, which are all that lead to it.
    pub(crate) fn by_uses(target: &Target, uses: &[String]) -> Self {
        let reason = match uses {
            [only] => format!("what applies at `{only}` excludes it, and nothing else leads to it"),
            _ => {
                format!("what applies at each of the {} uses of its schema excludes it", uses.len())
            }
        };
        let conflicts = uses.iter().cloned().chain([own_pointer(target)]);
        Self::new(reason, code(target.kind())).at(conflicts)
    }

    /// Every value that would hit `target` satisfies several branches of a `oneOf`.
    pub(crate) fn by_other_branches(target: &Target) -> Self {
        let reason = "every value that would hit it satisfies another branch of the `oneOf` too";
        Self::new(reason, DiagnosticCode::OneOf).at([own_pointer(target)])
    }

    /// Everything that leads to a target is unreachable, the target `through` first.
    pub(crate) fn behind(through: &Target) -> Self {
        let reason = format!("it is reached only through `{}`, which is unreachable", through.id());
        let code = through.unreachable().map_or_else(|| code(through.kind()), |why| why.code);
        Self::new(reason, code).at([own_pointer(through)])
    }

    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The code of the contradiction, as in `docs/diagnostics.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Pointers to what contradicts itself or each other.
    #[must_use]
    pub fn conflicts(&self) -> &[String] {
        &self.conflicts
    }

    /// The same, of a document that stands at `base` of a larger one.
    pub(crate) fn below(&self, base: &str) -> Self {
        let moved = |pointer: &String| match pointer.strip_prefix('#') {
            Some(rest) => format!("{base}{rest}"),
            None => pointer.clone(),
        };
        Self { conflicts: self.conflicts.iter().map(moved).collect(), ..self.clone() }
    }
}

/// The code of a contradiction that the algebra found, by what was asked for.
fn code(kind: &TargetKind) -> DiagnosticCode {
    match kind {
        TargetKind::OneOfBranch => DiagnosticCode::OneOf,
        TargetKind::AnyOfBranch => DiagnosticCode::AnyOf,
        TargetKind::ConditionalPath => DiagnosticCode::Conditional,
        TargetKind::EnumValueHit => DiagnosticCode::TypeOrEnum,
        TargetKind::PropertyPresent => DiagnosticCode::ObjectConstraints,
        TargetKind::NumericMinHit | TargetKind::NumericMaxHit => DiagnosticCode::NumericBounds,
        TargetKind::StringMinLengthHit | TargetKind::StringMaxLengthHit => {
            DiagnosticCode::StringConstraints
        }
        TargetKind::ArrayMinItemsHit | TargetKind::ArrayMaxItemsHit => DiagnosticCode::ArrayBounds,
        TargetKind::SchemaNode
        | TargetKind::OpRequestCovered
        | TargetKind::OpResponseCovered
        | TargetKind::SchemaReusedCovered
        | TargetKind::Unknown(_) => DiagnosticCode::Conflict,
    }
}

/// The pointer of the keyword, branch or schema that a target is about.
fn own_pointer(target: &Target) -> String {
    let location = target.location();
    match target.params() {
        Params::Branch(index) => format!("{location}/{index}"),
        Params::Member { index, .. } => format!("{location}/enum/{index}"),
        Params::Bound { keyword, .. } => format!("{location}/{keyword}"),
        Params::None | Params::Name(_) | Params::Path(_) => location.to_owned(),
    }
}

//! Property names: which ones an object admits.
//!
//! [`NameIndex`] answers for one object shape, from `properties`, `patternProperties`,
//! `additionalProperties` and `propertyNames` together. Single names are checked by the validator;
//! the set of names is known through automata, within limits that are always reported. Nothing
//! counts as empty, complete or finite that is not proven so.
//!
//! How many properties there may be, which are required and which rules must be broken
//! (`BrokenRule`) are no business of names.

use std::sync::{Arc, OnceLock};

use crate::{ObjectShape, Verdict, language::PatternUnion};

mod census;
mod condition;
mod exact;
#[cfg(test)]
mod laws;
mod product;
mod rules;
mod search;
#[cfg(test)]
mod tests;
mod utf8;
mod walk;
mod words;

use census::Census;
use exact::Exact;
use product::Product;
use rules::Rules;
use search::{Search, TRIES};

/// The property names an object admits. Cheap to clone.
///
/// A name is admissible if `propertyNames` admits it and some value may stand under it: the schema
/// it is declared with, those of all patterns it matches, or else that of additional properties, is
/// not empty. That two of these schemas exclude each other is not seen here.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, NameIndex, Shape};
/// use foolproof_contract::names::{Provenance, Size};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "type": "object",
///     "properties": { "id": { "type": "integer" } },
///     "patternProperties": { "^x-": true },
///     "additionalProperties": false
/// }))?;
/// let Shape::Object(object) = Canonicalizer::new(&document, FormatPolicy::Assert)?.root().shape() else {
///     panic!("an object");
/// };
/// let index = NameIndex::of(&object);
///
/// assert!(index.has("x-trace") && !index.has("trace"));
/// assert_eq!(index.size(), Size::Infinite);
/// let names = index.enumerate(2).names;
/// assert_eq!((names[0].text.as_str(), &names[0].provenance), ("id", &Provenance::Declared));
/// assert_eq!((names[1].text.as_str(), &names[1].provenance), ("x-", &Provenance::Pattern(vec!["^x-".into()])));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NameIndex(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rules: Rules,
    exact: Exact,
    /// Explored when the first question needs it: most objects are only asked about single names.
    product: OnceLock<Product>,
}

/// What lets a name in.
///
/// The canonical form of a closed object keeps its declared names and its patterns only as a set of
/// names, so the names and patterns of `propertyNames` count like those of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// The object lists it; it may match patterns besides.
    Declared,
    /// It matches these patterns.
    Pattern(Vec<String>),
    /// Nothing mentions it.
    Additional,
}

/// An admissible name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// What lets it in.
    pub provenance: Provenance,
}

/// Admissible names in shortlex order: shorter first, counted in characters, then by character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The names. All are admissible; they are the first ones unless a limit cut the search, which
    /// may have missed names between them.
    pub names: Vec<Name>,
    /// Whether there are more.
    pub extent: Extent,
}

/// How far an enumeration got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// These are all names there are.
    Complete,
    /// There are more than were asked for.
    Truncated,
    /// There may be more.
    Cut(Limit),
}

/// How many names are admissible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This many.
    Finite(u64),
    /// An end to them, but more than `u64` can count.
    Vast,
    /// No end to them.
    Infinite,
    /// Not known, because of this limit.
    Unknown(Limit),
}

/// A limit that left an answer open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The automaton of a pattern is too large.
    PatternSize,
    /// All rules together have too many states.
    States,
    /// The search took too many steps.
    Steps,
    /// Names longer than are looked for may exist.
    Length,
    /// Too many candidates failed the exact check.
    Tries,
    /// A rule is beyond automata: look-around, a back-reference, a format, endless recursion.
    Inexpressible,
}

impl NameIndex {
    /// The index of the names that `shape` admits.
    #[must_use]
    pub fn of(shape: &ObjectShape) -> Self {
        let rules = Rules::of(shape);
        let exact = Exact::of(shape, &rules.patterns);
        Self(Arc::new(Inner { rules, exact, product: OnceLock::new() }))
    }

    /// Whether the names are limited as a whole, by `additionalProperties: false` or by
    /// `propertyNames`: the canonical form does not tell the two apart.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.exact.limits_names()
    }

    /// Whether `name` is admissible, as the validator decides it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.exact.admits(name)
    }

    /// What lets `name` in, if it is admissible.
    #[must_use]
    pub fn provenance(&self, name: &str) -> Option<Provenance> {
        if !self.has(name) {
            return None;
        }
        let Inner { rules, exact, .. } = &*self.0;
        if rules.declared.contains(name) {
            return Some(Provenance::Declared);
        }
        let patterns = rules.patterns.iter().filter(|pattern| exact.matches(pattern, name));
        let patterns: Vec<String> = patterns.cloned().collect();
        Some(if patterns.is_empty() {
            Provenance::Additional
        } else {
            Provenance::Pattern(patterns)
        })
    }

    /// The patterns of `patternProperties` that `name` matches: the value under it must belong to
    /// the sets of all of them.
    pub fn matched_patterns(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.exact.matched(name)
    }

    /// The first `k` admissible names in shortlex order.
    #[must_use]
    pub fn enumerate(&self, k: usize) -> Names {
        // One more tells whether the list is complete.
        let mut search = Search::new(self, k.saturating_add(1));
        search.run();
        let Search { mut names, cut, .. } = search;
        let truncated = names.len() > k;
        names.truncate(k);
        let extent = match cut {
            Some(limit) => Extent::Cut(limit),
            None if truncated => Extent::Truncated,
            None if self.0.exact.is_refused() => Extent::Cut(Limit::Inexpressible),
            None => Extent::Complete,
        };
        Names { names, extent }
    }

    /// Whether any name is admissible. Test for [`Verdict::No`].
    #[must_use]
    pub fn satisfiable(&self) -> Verdict {
        let Names { names, extent } = self.enumerate(1);
        match extent {
            _ if !names.is_empty() => Verdict::Yes,
            Extent::Complete => Verdict::No,
            Extent::Truncated | Extent::Cut(_) => Verdict::Unknown,
        }
    }

    /// How many names are admissible.
    #[must_use]
    pub fn size(&self) -> Size {
        if self.0.exact.is_refused() {
            return Size::Unknown(Limit::Inexpressible);
        }
        match census::count(self.product()) {
            Err(limit) => Size::Unknown(limit),
            Ok(Census::Infinite) => Size::Infinite,
            Ok(Census::Finite { certain, undecided: 0 }) => self.count_listed_and(certain),
            Ok(Census::Finite { .. }) => self.count_one_by_one(),
        }
    }

    /// The unlisted names are those that the automaton counted without the listed ones.
    fn count_listed_and(&self, counted: u128) -> Size {
        let (product, listed) = (self.product(), &self.0.rules.listed);
        let twice = listed.iter().filter(|name| product.counts(name)).count();
        let admitted = listed.iter().filter(|name| self.has(name)).count();
        let total = counted.saturating_sub(twice as u128).saturating_add(admitted as u128);
        u64::try_from(total).map_or(Size::Vast, Size::Finite)
    }

    fn count_one_by_one(&self) -> Size {
        let Names { names, extent } = self.enumerate(TRIES);
        match extent {
            Extent::Complete => Size::Finite(names.len() as u64),
            Extent::Truncated => Size::Unknown(Limit::Tries),
            Extent::Cut(limit) => Size::Unknown(limit),
        }
    }

    fn product(&self) -> &Product {
        self.0.product.get_or_init(|| {
            let unions = self.0.rules.languages.iter();
            let languages: Vec<PatternUnion> =
                unions.map(|union| PatternUnion::compile(&union.texts, union.exact)).collect();
            Product::explore(self.0.rules.condition.clone(), &languages)
        })
    }
}

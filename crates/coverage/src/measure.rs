//! Measuring: what values hit that come one by one, from wherever they come.

use foolproof_contract::Accepted;

use crate::{Example, HitTracker, Hits, Observer};

/// What a stream of values has hit so far. It keeps at most one example a target, so its size does
/// not grow with the stream.
///
/// ```
/// use std::sync::Arc;
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Oracle};
/// use foolproof_coverage::{Dimensions, Measurement, Observer, Universe};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["S", "M"] }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::default()));
/// let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
/// let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
///
/// let mut measurement = Measurement::new(&observer);
/// for value in [json!("XL"), json!("M"), json!("M")] {
///     match oracle.accept(value) {
///         Some(value) => measurement.add(&value),
///         None => measurement.pass_over(),
///     }
/// }
/// assert_eq!((measurement.read(), measurement.accepted()), (3, 2));
/// // The schema itself and `"M"`; both by the second value.
/// assert_eq!(measurement.hits().len(), 2);
/// assert_eq!(measurement.examples()[0].shown(), "M");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Measurement {
    tracker: HitTracker,
    examples: Vec<Example>,
    read: u64,
    accepted: u64,
}

impl Measurement {
    /// Nothing read yet.
    #[must_use]
    pub fn new(observer: &Observer) -> Self {
        Self { tracker: HitTracker::new(observer), examples: Vec::new(), read: 0, accepted: 0 }
    }

    /// Takes in the next value.
    pub fn add(&mut self, value: &Accepted) {
        let fresh = self.tracker.observe(value);
        if !fresh.is_empty() {
            self.examples.push(Example::new(self.read, value.value(), fresh));
        }
        self.read += 1;
        self.accepted += 1;
    }

    /// Passes over the next value, which does not count: it only takes its index.
    pub fn pass_over(&mut self) {
        self.read += 1;
    }

    /// How many values came.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.read
    }

    /// How many of them count.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// What they hit.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.tracker.hits()
    }

    /// The values that were the first to hit something, with their indices among all that came.
    #[must_use]
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }
}

//! Instances that a second oracle accepts too.
//!
//! AJV answers in batches, so instances are made in batches: all are drawn, all are sent, and those
//! it refuses are drawn on. What an index gets depends on its own draws only, so neither the limits
//! of a batch nor the order of batches show in the result.

use std::ops::Range;

use foolproof_contract::{AjvError, AjvOracle, Violation};
use serde_json::Value;

use super::{Exhausted, Generated, Generator, attempts::Attempts};
use crate::{Meter, Phase, Seed};

/// A generator whose instances AJV accepts as well.
///
/// ```no_run
/// use foolproof_contract::{Ajv, AjvOptions, Document, FormatPolicy};
/// use foolproof_generate::{Generator, SecondOracle, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "type": "string", "format": "email" }))?;
/// let generator = Generator::new(&document, FormatPolicy::Assert)?;
/// let ajv = Ajv::start(AjvOptions::default())?.oracle(&document, FormatPolicy::Assert)?;
///
/// let made = SecondOracle::new(&generator, &ajv).generate(Seed::from_number(42), 0..100)?;
/// assert!(made.iter().all(|made| made.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SecondOracle<'a> {
    generator: &'a Generator,
    ajv: &'a AjvOracle,
}

/// An instance that is not settled yet.
struct Open<'a> {
    /// Its place in the result.
    place: usize,
    attempts: Attempts<'a>,
    /// What the oracle accepted and AJV has not seen.
    made: Generated,
}

impl<'a> SecondOracle<'a> {
    /// Asks `ajv`, the oracle of the same schema, about what `generator` makes.
    #[must_use]
    pub fn new(generator: &'a Generator, ajv: &'a AjvOracle) -> Self {
        Self { generator, ajv }
    }

    /// Makes the instances `indices` of the run that `seed` names, in their order.
    pub fn generate(
        &self,
        seed: Seed,
        indices: Range<u64>,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        self.generate_metered(seed, indices, &mut Meter::counting())
    }

    /// The same, and `meter` takes down what it took. What AJV is asked counts like what the oracle
    /// is asked.
    pub fn generate_metered(
        &self,
        seed: Seed,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        let mut settled = Vec::new();
        let mut open = Vec::new();
        for (place, index) in indices.enumerate() {
            settled.push(None);
            let attempts = self.generator.attempts(seed, index);
            draw_on(place, attempts, &mut open, &mut settled, meter);
        }
        while !open.is_empty() {
            let values: Vec<&Value> =
                open.iter().map(|open| open.made.instance().value()).collect();
            meter.count(Phase::Validate, values.len() as u64);
            let opinions = meter.time(Phase::Validate, || self.ask(&values))?;
            for (asked, opinion) in std::mem::take(&mut open).into_iter().zip(opinions) {
                let Open { place, mut attempts, made } = asked;
                match opinion {
                    Opinion::Accepts => settled[place] = Some(Ok(made)),
                    Opinion::Refuses(violations) => {
                        attempts.refuse_last(violations);
                        draw_on(place, attempts, &mut open, &mut settled, meter);
                    }
                }
            }
        }
        Ok(settled.into_iter().flatten().collect())
    }

    /// Whether AJV accepts what was made elsewhere, one by one.
    pub fn confirm(&self, made: &[Generated], meter: &mut Meter) -> Result<Vec<bool>, AjvError> {
        let values: Vec<&Value> = made.iter().map(|made| made.instance().value()).collect();
        meter.count(Phase::Validate, values.len() as u64);
        let opinions = meter.time(Phase::Validate, || self.ask(&values))?;
        Ok(opinions.iter().map(|opinion| matches!(opinion, Opinion::Accepts)).collect())
    }

    /// AJV's opinion on each of `values`. One that it gives up on, because it nests too deeply for
    /// JavaScript, is refused; the others are asked about again.
    fn ask(&self, values: &[&Value]) -> Result<Vec<Opinion>, AjvError> {
        let mut failed = Vec::new();
        loop {
            let is_asked = |place: &usize| !failed.contains(place);
            let asked: Vec<usize> = (0..values.len()).filter(is_asked).collect();
            let batch: Vec<Value> = asked.iter().map(|place| values[*place].clone()).collect();
            match self.ajv.violations(&batch) {
                Ok(answers) => {
                    let mut opinions: Vec<Opinion> =
                        values.iter().map(|_| Opinion::Refuses(Vec::new())).collect();
                    for (place, answer) in asked.into_iter().zip(answers) {
                        opinions[place] = Opinion::of(answer);
                    }
                    return Ok(opinions);
                }
                Err(AjvError::Failed { index, .. }) if index < asked.len() => {
                    failed.push(asked[index]);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

enum Opinion {
    Accepts,
    Refuses(Vec<Violation>),
}

impl Opinion {
    fn of(violations: Vec<Violation>) -> Self {
        if violations.is_empty() { Self::Accepts } else { Self::Refuses(violations) }
    }
}

/// Draws until the oracle accepts something to ask AJV about, or the draws run out.
fn draw_on<'a>(
    place: usize,
    mut attempts: Attempts<'a>,
    open: &mut Vec<Open<'a>>,
    settled: &mut [Option<Result<Generated, Exhausted>>],
    meter: &mut Meter,
) {
    match attempts.next(meter) {
        Some(made) => open.push(Open { place, attempts, made }),
        None => settled[place] = Some(Err(attempts.into_exhausted())),
    }
}

//! Instances that a second oracle accepts too.
//!
//! AJV answers in batches, so instances are generated in batches: all are drawn, all are sent, and
//! those it rejects are drawn again. The instance of an index depends on its own draws only, so neither
//! the size nor the order of batches affects the result.

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
/// let results = SecondOracle::new(&generator, &ajv).generate(Seed::from_number(42), 0..100)?;
/// assert!(results.iter().all(|result| result.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SecondOracle<'a> {
    generator: &'a Generator,
    ajv: &'a AjvOracle,
}

/// An instance that AJV has not checked yet.
struct Pending<'a> {
    /// Its position in the result.
    position: usize,
    attempts: Attempts<'a>,
    /// The draw that the oracle accepted.
    generated: Generated,
}

impl<'a> SecondOracle<'a> {
    /// Checks the instances of `generator` with `ajv`, the oracle of the same schema.
    #[must_use]
    pub fn new(generator: &'a Generator, ajv: &'a AjvOracle) -> Self {
        Self { generator, ajv }
    }

    /// Generates the instances `indices` of the run that `seed` names, in their order.
    pub fn generate(
        &self,
        seed: Seed,
        indices: Range<u64>,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        self.generate_metered(seed, indices, &mut Meter::counting())
    }

    /// The same, and `meter` records the cost. Checks by AJV count like checks by the oracle.
    pub fn generate_metered(
        &self,
        seed: Seed,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        let mut results = Vec::new();
        let mut pending = Vec::new();
        for (position, index) in indices.enumerate() {
            results.push(None);
            let attempts = self.generator.attempts(seed, index);
            draw_next(position, attempts, &mut pending, &mut results, meter);
        }
        while !pending.is_empty() {
            let values: Vec<&Value> =
                pending.iter().map(|pending| pending.generated.instance().value()).collect();
            meter.count(Phase::Validate, values.len() as u64);
            let answers = meter.time(Phase::Validate, || self.ask(&values))?;
            for (checked, answer) in std::mem::take(&mut pending).into_iter().zip(answers) {
                let Pending { position, mut attempts, generated } = checked;
                match answer {
                    Answer::Accepted => results[position] = Some(Ok(generated)),
                    Answer::Rejected(violations) => {
                        attempts.reject_last(violations);
                        draw_next(position, attempts, &mut pending, &mut results, meter);
                    }
                }
            }
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// Whether AJV accepts each of `generated`, and what it finds wrong with those that it rejects. There
    /// may be no violation: AJV gives up on a value that nests too deeply for JavaScript.
    pub fn confirm(
        &self,
        generated: &[Generated],
        meter: &mut Meter,
    ) -> Result<Vec<Result<(), Vec<Violation>>>, AjvError> {
        let values: Vec<&Value> =
            generated.iter().map(|generated| generated.instance().value()).collect();
        meter.count(Phase::Validate, values.len() as u64);
        let answers = meter.time(Phase::Validate, || self.ask(&values))?;
        let confirmed = answers.into_iter().map(|answer| match answer {
            Answer::Accepted => Ok(()),
            Answer::Rejected(violations) => Err(violations),
        });
        Ok(confirmed.collect())
    }

    /// AJV's answer for each of `values`. A value that it fails on, because it nests too deeply for
    /// JavaScript, is rejected; the others are sent again.
    fn ask(&self, values: &[&Value]) -> Result<Vec<Answer>, AjvError> {
        let mut failed = Vec::new();
        loop {
            let is_sent = |position: &usize| !failed.contains(position);
            let sent: Vec<usize> = (0..values.len()).filter(is_sent).collect();
            let batch: Vec<Value> = sent.iter().map(|position| values[*position].clone()).collect();
            match self.ajv.violations(&batch) {
                Ok(violations) => {
                    let mut answers: Vec<Answer> =
                        values.iter().map(|_| Answer::Rejected(Vec::new())).collect();
                    for (position, violations) in sent.into_iter().zip(violations) {
                        answers[position] = Answer::of(violations);
                    }
                    return Ok(answers);
                }
                Err(AjvError::Failed { index, .. }) if index < sent.len() => {
                    failed.push(sent[index]);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// What AJV answers for one value.
enum Answer {
    Accepted,
    Rejected(Vec<Violation>),
}

impl Answer {
    fn of(violations: Vec<Violation>) -> Self {
        if violations.is_empty() { Self::Accepted } else { Self::Rejected(violations) }
    }
}

/// Draws until the oracle accepts a value to send to AJV, or the draws run out.
fn draw_next<'a>(
    position: usize,
    mut attempts: Attempts<'a>,
    pending: &mut Vec<Pending<'a>>,
    results: &mut [Option<Result<Generated, Exhausted>>],
    meter: &mut Meter,
) {
    match attempts.next(meter) {
        Some(generated) => pending.push(Pending { position, attempts, generated }),
        None => results[position] = Some(Err(attempts.into_exhausted())),
    }
}

//! What the contract crate makes of the corpus, and whether that is good enough.

use std::{
    fmt,
    time::{Duration, Instant},
};

use foolproof_contract::{
    Canonicalizer, Document, Draft, FormatPolicy, Verdict,
    openapi::{Api, EntryOptions, Side},
};
use foolproof_corpus::{
    Contracts,
    suite::{self, Part},
};

/// The longest that one document may take.
const SLOWEST: Duration = Duration::from_secs(5);
/// What half of the documents must stay below.
const MEDIAN: Duration = Duration::from_millis(5);
/// One in this many documents of the corpus may be relaxed.
const RELAXED: usize = 100;
/// One in this many of our own, which are few and written to have every keyword.
const RELAXED_OWN: usize = 20;

/// The findings over many documents.
#[derive(Debug)]
pub struct Survey {
    findings: Vec<Finding>,
    /// One in this many documents may be relaxed.
    relaxed_limit: usize,
}

#[derive(Debug)]
struct Finding {
    name: String,
    set: String,
    time: Duration,
    outcome: Result<Analysis, String>,
}

#[derive(Debug)]
struct Analysis {
    locations: usize,
    impossible: usize,
    satisfiable: Verdict,
    relaxed: Vec<String>,
}

impl Survey {
    /// Reads, graphs, canonicalises and diagnoses every document, and the schemas of the test suite if
    /// it stands beside them.
    #[must_use]
    pub fn of(contracts: &Contracts) -> Self {
        let mut findings = Vec::new();
        for entry in contracts.schemas() {
            findings.push(find(entry.name.clone(), entry.set(), || entry.read()));
        }
        for entry in contracts.openapi() {
            findings.extend(find_entries(&entry));
        }
        let folder = contracts.folder();
        for draft in Draft::ALL {
            let remotes = suite::remotes(folder, draft);
            for group in suite::groups(folder, draft, Part::Required) {
                let read = || group.document(&remotes).map_err(|error| error.to_string());
                findings.push(find(group.name.clone(), "test-suite", read));
            }
        }
        Self { findings, relaxed_limit: contracts.either(RELAXED, RELAXED_OWN) }
    }

    /// How many documents were looked at.
    #[must_use]
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether there was nothing to look at.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// What falls short, in words.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for finding in &self.findings {
            if let Err(error) = &finding.outcome {
                failures.push(format!("{}: {error}", finding.name));
            }
            if finding.time > SLOWEST {
                failures.push(format!("{} took {:?}", finding.name, finding.time));
            }
        }
        let median = self.median();
        if median > MEDIAN {
            failures.push(format!("the median is {median:?}, more than {MEDIAN:?}"));
        }
        let relaxed = self.relaxed().count();
        if relaxed * self.relaxed_limit > self.len() {
            failures.push(format!("{relaxed} of {} documents are relaxed", self.len()));
        }
        failures
    }

    fn relaxed(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.findings.iter().filter_map(|finding| {
            let analysis = finding.outcome.as_ref().ok()?;
            let is_relaxed = !analysis.relaxed.is_empty();
            is_relaxed.then_some((finding.name.as_str(), analysis.relaxed.as_slice()))
        })
    }

    fn median(&self) -> Duration {
        let mut times: Vec<Duration> = self.findings.iter().map(|finding| finding.time).collect();
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

/// One finding for each side of each operation of an API.
fn find_entries(contract: &foolproof_corpus::Entry) -> Vec<Finding> {
    let api = match contract.read().map(|document| Api::of(&document)) {
        Ok(Ok(api)) => api,
        Ok(Err(error)) => {
            let fail = || Err(error.to_string());
            return vec![find(contract.name.clone(), contract.set(), fail)];
        }
        Err(error) => return vec![find(contract.name.clone(), contract.set(), || Err(error))],
    };
    let mut findings = Vec::new();
    for (number, operation) in api.operations().iter().enumerate() {
        for side in [Side::Request, Side::Response] {
            let Some(entry) = api.entry(number, side, &EntryOptions::default()) else { continue };
            let name = format!("{} {} {}", contract.name, operation.key, side.as_str());
            let read = || entry.map(|entry| entry.document).map_err(|error| error.to_string());
            findings.push(find(name, contract.set(), read));
        }
    }
    findings
}

fn find(name: String, set: &str, read: impl FnOnce() -> Result<Document, String>) -> Finding {
    let start = Instant::now();
    let outcome = read().and_then(|document| analyse(&document));
    Finding { name, set: set.to_owned(), time: start.elapsed(), outcome }
}

fn analyse(document: &Document) -> Result<Analysis, String> {
    let mut forms =
        Canonicalizer::new(document, FormatPolicy::Assert).map_err(|error| error.to_string())?;
    let impossible = forms.diagnose().iter().filter(|found| !found.is_intended()).count();
    let relaxed = forms.relaxed().iter().map(|one| {
        format!(
            "{} `{}` {}: {}",
            one.pointer().to_fragment(),
            one.keyword(),
            one.effect(),
            one.reason()
        )
    });
    Ok(Analysis {
        locations: forms.graph().nodes().len(),
        impossible,
        satisfiable: forms.root().satisfiable(),
        relaxed: relaxed.collect(),
    })
}

impl fmt::Display for Survey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sets: Vec<&str> =
            self.findings.iter().map(|finding| finding.set.as_str()).collect();
        sets.dedup();
        writeln!(
            formatter,
            "set              documents  locations  empty  impossible  relaxed  errors       time"
        )?;
        for set in sets {
            let of_set = || self.findings.iter().filter(|finding| finding.set == set);
            let analyses = || of_set().filter_map(|finding| finding.outcome.as_ref().ok());
            writeln!(
                formatter,
                "{set:<16} {:>9}  {:>9}  {:>5}  {:>10}  {:>7}  {:>6}  {:>9}",
                of_set().count(),
                analyses().map(|analysis| analysis.locations).sum::<usize>(),
                analyses().filter(|analysis| analysis.satisfiable == Verdict::No).count(),
                analyses().map(|analysis| analysis.impossible).sum::<usize>(),
                analyses().filter(|analysis| !analysis.relaxed.is_empty()).count(),
                of_set().filter(|finding| finding.outcome.is_err()).count(),
                format!("{:.2?}", of_set().map(|finding| finding.time).sum::<Duration>()),
            )?;
        }
        let slowest = self.findings.iter().max_by_key(|finding| finding.time);
        if let Some(slowest) = slowest {
            writeln!(
                formatter,
                "median {:?}, slowest {:?} ({})",
                self.median(),
                slowest.time,
                slowest.name
            )?;
        }
        for (name, relaxations) in self.relaxed() {
            writeln!(formatter, "relaxed {name}")?;
            for relaxation in relaxations {
                writeln!(formatter, "    {relaxation}")?;
            }
        }
        Ok(())
    }
}

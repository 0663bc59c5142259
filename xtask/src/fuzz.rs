//! `cargo xtask fuzz`: mutants of real contracts against the real binary.
//!
//! Mutant `i` is a pure function of the seed, `i` and the contracts it is made from. Each goes through
//! four commands, every run in a process of its own with limits on time and memory. What aborts,
//! panics, hangs, ends with an undocumented code, emits what the schema does not accept, or gives
//! something else the second time is a fault: it is minimised and kept under `target/fuzz`.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use foolproof_contract::{
    ContractKind, Document, FormatPolicy, Oracle,
    openapi::{Api, Side},
    with_large_stack,
};
use serde_json::Value;

mod contracts;
mod fault;
pub(crate) mod minimise;
mod mutate;
mod places;
mod run;

use fault::{Fault, Kind};
use run::{Outcome, Runner, Subject};

/// One in so many mutants is generated from twice.
const REPEATED: u64 = 16;

/// One in so many mutants has its instances judged here.
const JUDGED: u64 = 4;

/// How many faults of one kind and command are minimised.
const MINIMISED: usize = 12;

/// After so many mutants a line says how far it is.
const PROGRESS: u64 = 1_000;

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names the mutants.
    pub seed: u64,
    /// When to stop.
    pub until: Until,
    /// How many runs go on side by side.
    pub jobs: usize,
    /// The command line tool.
    pub binary: PathBuf,
    /// Where the contracts are; the corpus, or else those in the repository.
    pub folder: Option<PathBuf>,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After so many mutants.
    Count(u64),
    /// After this time.
    Elapsed(Duration),
}

impl Options {
    /// Reads the arguments after `fuzz`; `Err` says what is wrong with them.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let beside = std::env::current_exe().ok();
        let beside =
            beside.as_deref().and_then(Path::parent).map(|folder| folder.join("foolproof"));
        let mut options = Self {
            seed: 0,
            until: Until::Count(1_000),
            jobs: thread::available_parallelism().map_or(1, usize::from),
            binary: beside.unwrap_or_else(|| PathBuf::from("foolproof")),
            folder: None,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut number = || -> Result<u64, String> {
                let value = arguments.next().unwrap_or_default();
                value.parse().map_err(|_| format!("`{argument}` needs a number, not `{value}`"))
            };
            match argument.as_str() {
                "--seed" => options.seed = number()?,
                "--count" => options.until = Until::Count(number()?),
                "--seconds" => options.until = Until::Elapsed(Duration::from_secs(number()?)),
                "--jobs" => options.jobs = usize::try_from(number()?).unwrap_or(1).max(1),
                "--binary" => {
                    options.binary = arguments.next().ok_or("`--binary` needs a path")?.into();
                }
                other if other.starts_with('-') => return Err(format!("unknown option `{other}`")),
                folder => options.folder = Some(PathBuf::from(folder)),
            }
        }
        if !options.binary.is_file() {
            let path = options.binary.display();
            return Err(format!(
                "`{path}` is not there; `cargo build --release --package foolproof-cli` makes it"
            ));
        }
        Ok(options)
    }
}

/// What came of it.
pub struct Summary {
    seed: u64,
    took: Duration,
    mutants: u64,
    /// How many runs ended with which code; `None` for those that did not end by themselves.
    codes: BTreeMap<Option<i32>, u64>,
    faults: Vec<Fault>,
    folder: PathBuf,
    /// What kept the fuzzer itself from working.
    errors: Vec<String>,
}

impl Summary {
    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.errors.is_empty()
    }
}

/// Runs mutants until it is time to stop.
///
/// # Panics
/// If there is no contract to mutate.
#[must_use]
pub fn fuzz(options: &Options) -> Summary {
    let folders = options.folder.clone().map_or_else(contracts::default_folders, |one| vec![one]);
    let contracts = contracts::read(&folders);
    assert!(!contracts.is_empty(), "there are no contracts in {folders:?}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    let session = Session {
        options,
        contracts: &contracts,
        folder: folder.join(format!("seed-{}", options.seed)),
        start: Instant::now(),
        next: AtomicU64::new(0),
        tally: Mutex::default(),
    };
    thread::scope(|scope| {
        for job in 0..options.jobs {
            let session = &session;
            scope.spawn(move || {
                // The schemas of some mutants nest deeply, and they are compiled here too.
                with_large_stack(|| {
                    if let Err(error) = session.work(job) {
                        session.tally(|tally| tally.errors.push(error.to_string()));
                    }
                });
            });
        }
    });
    let took = session.start.elapsed();
    let mut tally = session.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.faults.sort_by_key(|fault| (fault.kind, fault.subject, fault.index));
    Summary {
        seed: options.seed,
        took,
        mutants: tally.mutants,
        codes: tally.codes,
        faults: tally.faults,
        folder: session.folder,
        errors: tally.errors,
    }
}

struct Session<'a> {
    options: &'a Options,
    contracts: &'a [Value],
    folder: PathBuf,
    start: Instant,
    next: AtomicU64,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    mutants: u64,
    codes: BTreeMap<Option<i32>, u64>,
    faults: Vec<Fault>,
    errors: Vec<String>,
}

impl Session<'_> {
    fn tally<T>(&self, change: impl FnOnce(&mut Tally) -> T) -> T {
        change(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_over(&self, index: u64) -> bool {
        match self.options.until {
            Until::Count(count) => index >= count,
            Until::Elapsed(limit) => self.start.elapsed() >= limit,
        }
    }

    fn work(&self, job: usize) -> std::io::Result<()> {
        let folder = self.folder.join(format!("job-{job}"));
        fs::create_dir_all(&folder)?;
        let runner = Runner { binary: &self.options.binary, folder: folder.clone() };
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if self.is_over(index) {
                return fs::remove_dir_all(folder);
            }
            let mutant = mutate::mutant(self.options.seed, index, self.contracts);
            runner.set_contract(&mutant)?;
            for subject in Subject::ALL {
                let outcome = runner.run(subject)?;
                if subject == Subject::Generate {
                    runner.add_data(&outcome.stdout)?;
                }
                let code = outcome.code;
                self.tally(|tally| *tally.codes.entry(code).or_default() += 1);
                if let Some(kind) = wrong(index, subject, &mutant, &outcome, &runner)? {
                    self.keep(index, subject, kind, &mutant, outcome, &runner)?;
                }
            }
            self.count();
        }
    }

    /// Counts a mutant that is done with, and says now and then how far it is.
    #[expect(clippy::print_stderr, reason = "a run of an hour should show that it goes on")]
    fn count(&self) {
        let (mutants, faults) = self.tally(|tally| {
            tally.mutants += 1;
            (tally.mutants, tally.faults.len())
        });
        if mutants.is_multiple_of(PROGRESS) {
            eprintln!("{mutants} mutants, {faults} faults, {:.0?}", self.start.elapsed());
        }
    }

    /// Minimises a fault and saves it.
    fn keep(
        &self,
        index: u64,
        subject: Subject,
        kind: Kind,
        mutant: &[u8],
        outcome: Outcome,
        runner: &Runner<'_>,
    ) -> std::io::Result<()> {
        let alike = |fault: &&Fault| fault.kind == kind && fault.subject == subject;
        let known = self.tally(|tally| tally.faults.iter().filter(alike).count());
        // A run that does not end costs half a minute each time.
        let is_affordable = known < MINIMISED && kind != Kind::TooSlow;
        let minimal = if is_affordable {
            let remains =
                |text: &[u8]| remains(text, index, subject, kind, runner).unwrap_or(false);
            let minimal = minimise::minimise(mutant, remains);
            runner.set_contract(mutant)?;
            minimal
        } else {
            mutant.to_vec()
        };
        let fault = Fault {
            index,
            subject,
            kind,
            mutant: mutant.to_vec(),
            minimal,
            stderr: outcome.stderr,
        };
        fault.save(&self.folder, &subject.command_line())?;
        self.tally(|tally| tally.faults.push(fault));
        Ok(())
    }
}

/// What is wrong with a run on `mutant`, if anything is.
fn wrong(
    index: u64,
    subject: Subject,
    mutant: &[u8],
    outcome: &Outcome,
    runner: &Runner<'_>,
) -> std::io::Result<Option<Kind>> {
    if outcome.kind.is_some() || !matches!(subject, Subject::Generate | Subject::Guided) {
        return Ok(outcome.kind);
    }
    if index.is_multiple_of(JUDGED) && !accepts_all(mutant, &outcome.stdout) {
        return Ok(Some(Kind::Invalid));
    }
    if index.is_multiple_of(REPEATED) {
        let again = runner.run(subject)?;
        if (again.code, &again.stdout) != (outcome.code, &outcome.stdout) {
            return Ok(Some(again.kind.unwrap_or(Kind::Differs)));
        }
    }
    Ok(None)
}

/// Whether `text` has the same kind of fault.
fn remains(
    text: &[u8],
    index: u64,
    subject: Subject,
    kind: Kind,
    runner: &Runner<'_>,
) -> std::io::Result<bool> {
    runner.set_contract(text)?;
    if subject == Subject::Measure {
        let generated = runner.run(Subject::Generate)?;
        runner.add_data(&generated.stdout)?;
    }
    let outcome = runner.run(subject)?;
    Ok(wrong(index, subject, text, &outcome, runner)? == Some(kind))
}

/// Whether the contract accepts every one of `lines`, asked without the help of the command line.
fn accepts_all(contract: &[u8], lines: &[u8]) -> bool {
    let text = String::from_utf8_lossy(contract);
    let Ok(document) = Document::from_text("contract.json", &text) else { return lines.is_empty() };
    let judge = Judge::of(&document);
    String::from_utf8_lossy(lines).lines().all(|line| match serde_json::from_str::<Value>(line) {
        Ok(instance) => judge.accepts(&instance),
        // What nests too deeply for the parser says nothing about the binary.
        Err(error) => error.to_string().contains("recursion limit"),
    })
}

/// What decides whether generated lines are valid.
enum Judge {
    Schema(Oracle),
    Api(Api),
    /// The contract cannot be used, so nothing may be generated.
    Nothing,
}

impl Judge {
    fn of(document: &Document) -> Self {
        let judge = if document.kind() == ContractKind::Schema {
            Oracle::new(document, FormatPolicy::Assert).map(Self::Schema)
        } else {
            Api::of(document).map(Self::Api)
        };
        judge.unwrap_or(Self::Nothing)
    }

    fn accepts(&self, instance: &Value) -> bool {
        match self {
            Self::Schema(oracle) => oracle.is_valid(instance),
            Self::Api(api) => accepts_envelope(api, instance).unwrap_or(false),
            Self::Nothing => false,
        }
    }
}

/// Whether the side of the operation that an envelope names admits its value; nothing if there is no such side.
fn accepts_envelope(api: &Api, envelope: &Value) -> Option<bool> {
    let key = envelope["operationKey"].as_str()?;
    let index = api.operations().iter().position(|operation| operation.key == key)?;
    let side = match envelope["part"].as_str()? {
        "request" => Side::Request,
        _ => Side::Response,
    };
    let document = api.admitted(index, side, None, FormatPolicy::Assert)?.ok()?;
    Some(Oracle::new(&document, FormatPolicy::Assert).ok()?.is_valid(&envelope["value"]))
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: u64 = self.codes.values().sum();
        let codes: Vec<String> = self
            .codes
            .iter()
            .map(|(code, count)| match code {
                Some(code) => format!("exit code {code}: {count}"),
                None => format!("no exit code: {count}"),
            })
            .collect();
        writeln!(
            formatter,
            "seed {}: {} mutants, {runs} runs in {:.0?}; {}; faults: {}",
            self.seed,
            self.mutants,
            self.took,
            codes.join(", "),
            self.faults.len()
        )?;
        if !self.faults.is_empty() {
            writeln!(formatter, "\nkept in {}:", self.folder.display())?;
            writeln!(
                formatter,
                "{:<18} {:<9} {:>8}  smallest contract",
                "fault", "command", "mutant"
            )?;
        }
        for fault in &self.faults {
            let mut minimal = String::from_utf8_lossy(&fault.minimal).into_owned();
            if let Some((end, _)) = minimal.char_indices().nth(200) {
                minimal.truncate(end);
                minimal.push('…');
            }
            let (kind, name) = (fault.kind.to_string(), fault.subject.name());
            writeln!(formatter, "{kind:<18} {name:<9} {:>8}  {minimal}", fault.index)?;
        }
        for error in &self.errors {
            writeln!(formatter, "the fuzzer could not go on: {error}")?;
        }
        Ok(())
    }
}

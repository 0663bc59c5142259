//! Runs fuzz targets on inputs that are a function of seed, target and number, and says which laws they break.
//!
//! It needs neither a nightly compiler nor instrumentation, so CI and everybody else can run it. Targets share
//! the threads: the next free one takes the next few inputs. What is run does not depend on how many there are.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, Seek as _, Write as _},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use foolproof_contract::with_large_stack;
use foolproof_fuzz_targets::{Inputs, Reached, Target};

use crate::fuzz::minimise::minimise;

/// How many inputs a thread takes at once, where the target has a pace of one. Few, so that threads end at the same time.
const BATCH: u64 = 8;

/// An input that takes longer is counted as slow.
const SLOW: Duration = Duration::from_secs(2);

/// The most faults of a target that are minimised, and kept.
const MINIMISED: usize = 20;

/// The options of the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed that decides all inputs.
    pub seed: u64,
    /// How many inputs the slowest target is run on. The others are run on more, by their pace.
    pub runs: u64,
    /// The first of them.
    pub from: u64,
    /// The number of threads.
    pub jobs: usize,
    /// The targets.
    pub targets: Vec<Target>,
    /// A file to run the targets on instead, without catching panics.
    pub input: Option<PathBuf>,
    /// The input to print instead.
    pub printed: Option<u64>,
}

impl Options {
    /// Reads the arguments of the command.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let mut options = Self {
            seed: 1,
            runs: 100,
            from: 0,
            jobs,
            targets: Vec::new(),
            input: None,
            printed: None,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut number = || -> Result<u64, String> {
                let value = arguments.next().unwrap_or_default();
                value.parse().map_err(|_| format!("`{argument}` needs a number, not `{value}`"))
            };
            match argument.as_str() {
                "--seed" => options.seed = number()?,
                "--runs" => options.runs = number()?,
                "--from" => options.from = number()?,
                "--print" => options.printed = Some(number()?),
                "--jobs" => options.jobs = usize::try_from(number()?).unwrap_or(1).max(1),
                "--input" => {
                    let path = arguments.next().ok_or("`--input` needs a path")?;
                    options.input = Some(path.into());
                }
                other if other.starts_with('-') => return Err(format!("unknown option `{other}`")),
                name => {
                    let target = Target::named(name);
                    let names = Target::ALL.map(|target| target.name).join(", ");
                    options.targets.push(target.ok_or_else(|| {
                        format!("there is no target `{name}`; there are {names}")
                    })?);
                }
            }
        }
        if options.targets.is_empty() {
            options.targets = Target::ALL.to_vec();
        }
        Ok(options)
    }
}

/// Runs the targets on one file. A law that is broken panics, with a backtrace if the environment asks for one.
///
/// # Panics
/// If a law is broken.
pub fn run_file(options: &Options, path: &Path) -> io::Result<()> {
    let input = fs::read(path)?;
    for target in &options.targets {
        with_large_stack(|| (target.run)(&input));
    }
    Ok(())
}

/// Writes input `index` of each target.
pub fn print(options: &Options, index: u64, out: &mut impl io::Write) -> io::Result<()> {
    let inputs = options.targets.iter().map(|target| Inputs::new(target, options.seed));
    inputs.map(|inputs| inputs.input(index)).try_for_each(|input| out.write_all(&input))
}

/// What came of it.
#[derive(Debug)]
pub struct Summary {
    seed: u64,
    took: Duration,
    tallies: Vec<Tally>,
    folder: PathBuf,
    /// What kept the command itself from working.
    errors: Vec<String>,
}

impl Summary {
    /// Whether no law is broken.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.tallies.iter().all(|tally| tally.faults.is_empty())
    }
}

/// What came of one target.
#[derive(Clone, Debug)]
struct Tally {
    target: Target,
    runs: u64,
    /// On how many inputs the laws had something to say.
    checked: u64,
    /// The time of all threads together.
    time: Duration,
    slow: u64,
    slowest: Option<(Duration, u64)>,
    faults: Vec<Fault>,
}

#[derive(Clone, Debug)]
struct Fault {
    index: u64,
    message: String,
    input: Vec<u8>,
    minimal: Vec<u8>,
}

/// Inputs of one target.
struct Batch {
    target: usize,
    from: u64,
    to: u64,
}

/// Runs the targets.
#[must_use]
pub fn run(options: &Options) -> Summary {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz/targets");
    let start = Instant::now();
    let inputs: Vec<Inputs> =
        options.targets.iter().map(|target| Inputs::new(target, options.seed)).collect();
    let session = Session {
        options,
        inputs,
        batches: batches(options),
        next: AtomicUsize::new(0),
        folder,
        tallies: Mutex::new(options.targets.iter().map(Tally::new).collect()),
        errors: Mutex::default(),
    };
    // Each fault is reported once, at the end.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    thread::scope(|scope| {
        for job in 0..options.jobs {
            let session = &session;
            scope.spawn(move || {
                with_large_stack(|| {
                    if let Err(error) = session.work(job) {
                        lock(&session.errors).push(error.to_string());
                    }
                });
            });
        }
    });
    panic::set_hook(hook);
    let mut tallies = session.tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    for tally in &mut tallies {
        tally.faults.sort_by_key(|fault| fault.index);
    }
    let errors = session.errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (seed, took) = (options.seed, start.elapsed());
    Summary { seed, took, tallies, folder: session.folder, errors }
}

/// All inputs, a few of each target in turn.
fn batches(options: &Options) -> Vec<Batch> {
    let end = options.from + options.runs;
    let mut batches = Vec::new();
    for from in (options.from..end).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        let to = (from + BATCH).min(end);
        for (target, of) in options.targets.iter().enumerate() {
            batches.push(Batch { target, from: from * of.pace, to: to * of.pace });
        }
    }
    batches
}

struct Session<'a> {
    options: &'a Options,
    inputs: Vec<Inputs>,
    batches: Vec<Batch>,
    next: AtomicUsize,
    folder: PathBuf,
    tallies: Mutex<Vec<Tally>>,
    errors: Mutex<Vec<String>>,
}

impl Session<'_> {
    fn work(&self, job: usize) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        // After an abort it names the input.
        let path = self.folder.join(format!("running-{}-{job}", process::id()));
        let mut running = fs::File::create(&path)?;
        while let Some(batch) = self.batches.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let target = self.options.targets[batch.target];
            for index in batch.from..batch.to {
                running.rewind()?;
                let line = format!("{} --seed {} input {index}", target.name, self.options.seed);
                running.write_all(format!("{line:<80}\n").as_bytes())?;
                self.check(batch.target, index)?;
            }
        }
        fs::remove_file(path)
    }

    fn check(&self, target: usize, index: u64) -> io::Result<()> {
        let input = self.inputs[target].input(index);
        let start = Instant::now();
        let outcome = outcome(&self.options.targets[target], &input);
        let took = start.elapsed();
        let (message, count) = {
            let tally = &mut lock(&self.tallies)[target];
            tally.add(took, index, outcome.as_ref().ok());
            (outcome.err(), tally.faults.len())
        };
        let Some(message) = message else { return Ok(()) };
        let is_kept = count < MINIMISED;
        let fault = self.fault(target, index, message, input, is_kept);
        if is_kept {
            fault.save(&self.folder, &self.options.targets[target], self.options.seed)?;
        }
        lock(&self.tallies)[target].faults.push(fault);
        Ok(())
    }

    fn fault(
        &self,
        target: usize,
        index: u64,
        message: String,
        input: Vec<u8>,
        is_minimised: bool,
    ) -> Fault {
        let target = &self.options.targets[target];
        let kind = kind(&message);
        let remains =
            |input: &[u8]| outcome(target, input).is_err_and(|other| self::kind(&other) == kind);
        let minimal = if is_minimised { minimise(&input, remains) } else { input.clone() };
        Fault { index, message, input, minimal }
    }
}

/// What a target says about an input, or the message of its panic.
fn outcome(target: &Target, input: &[u8]) -> Result<Reached, String> {
    let run = AssertUnwindSafe(|| (target.run)(input));
    panic::catch_unwind(run).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

/// What faults of one kind have in common: the words of a message before the first value.
fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.chars().filter(|letter| letter.is_alphabetic() || *letter == ' ').take(24).collect()
}

impl Tally {
    fn new(target: &Target) -> Self {
        Self {
            target: *target,
            runs: 0,
            checked: 0,
            time: Duration::ZERO,
            slow: 0,
            slowest: None,
            faults: Vec::new(),
        }
    }

    fn add(&mut self, took: Duration, index: u64, reached: Option<&Reached>) {
        self.runs += 1;
        self.checked += u64::from(reached == Some(&Reached::Checked));
        self.time += took;
        self.slow += u64::from(took > SLOW);
        if self.slowest.is_none_or(|(slowest, _)| took > slowest) {
            self.slowest = Some((took, index));
        }
    }
}

impl Fault {
    fn save(&self, folder: &Path, target: &Target, seed: u64) -> io::Result<()> {
        let folder = folder.join(format!("{}-{seed}-{}", target.name, self.index));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("input"), &self.input)?;
        fs::write(folder.join("minimal"), &self.minimal)?;
        fs::write(folder.join("message"), &self.message)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<20} {:>8} {:>8} {:>8} {:>6} {:>16} {:>6}",
            "target", "inputs", "checked", "each", "slow", "slowest", "faults"
        )?;
        for tally in &self.tallies {
            let each = tally.time / u32::try_from(tally.runs.max(1)).unwrap_or(u32::MAX);
            let slowest = tally
                .slowest
                .map_or_else(String::new, |(took, index)| format!("{took:.1?} ({index})"));
            writeln!(
                formatter,
                "{:<20} {:>8} {:>8} {:>8} {:>6} {:>16} {:>6}",
                tally.target.name,
                tally.runs,
                tally.checked,
                format!("{each:.0?}"),
                tally.slow,
                slowest,
                tally.faults.len()
            )?;
        }
        write!(formatter, "seed {}, {:.0?}", self.seed, self.took)?;
        for tally in &self.tallies {
            // The first of each kind.
            let mut kinds: BTreeMap<String, (usize, &Fault)> = BTreeMap::new();
            for fault in &tally.faults {
                kinds.entry(kind(&fault.message)).or_insert((0, fault)).0 += 1;
            }
            for (count, fault) in kinds.values() {
                write_fault(formatter, tally.target.name, self.seed, fault)?;
                write!(formatter, "\n  such inputs: {count}")?;
            }
        }
        if !self.is_clean() {
            write!(formatter, "\n\nkept in {}", self.folder.display())?;
        }
        for error in &self.errors {
            write!(formatter, "\nit could not go on: {error}")?;
        }
        Ok(())
    }
}

/// The longest part of a message or an input that is shown.
const SHOWN: usize = 600;

fn write_fault(
    formatter: &mut fmt::Formatter<'_>,
    target: &str,
    seed: u64,
    fault: &Fault,
) -> fmt::Result {
    let shorten = |text: &str| text.chars().take(SHOWN).collect::<String>();
    let minimal = shorten(&String::from_utf8_lossy(&fault.minimal).escape_debug().to_string());
    write!(
        formatter,
        "\n\n{target}, seed {seed}, input {}: {}\n  smallest input: {minimal}",
        fault.index,
        shorten(&fault.message)
    )
}

//! The second oracle: AJV 8, in a Node process of its own.
//!
//! Most services validate with AJV, so it is the second oracle beside ours. It gets the document as
//! written and answers in batches, one JSON value on each line of its input and output. A process that
//! dies or hangs is replaced once for each batch, and always ends with this process.
//!
//! Two limits come with it. JavaScript reads numbers as doubles, so AJV sees `9007199254740993` as
//! `9007199254740992`, and `1e400` as infinite. And it lists the violations of the branches of
//! `anyOf` and `oneOf` beside the branching keyword rather than below it.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::Value;

use super::{Accepted, FormatPolicy, Rejected, Violation, violation::AjvViolation};
use crate::{Document, EntryId, Pointer, metaschema::shorten, stack};

mod error;
mod process;
mod setup;

pub use error::AjvError;
use process::Process;

/// The most instances sent on one line.
const MAX_INSTANCES: usize = 256;

/// How long a process may take to load AJV; generous, for busy machines.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A line of at least this length gets no further instance.
const LONG_LINE: usize = 1 << 20;

/// Where Node and the packages are, and how long to wait for an answer.
#[derive(Clone, Debug)]
pub struct AjvOptions {
    node: PathBuf,
    packages: PathBuf,
    limit: Duration,
}

impl Default for AjvOptions {
    /// `node` from the search path, packages as Node finds them from the current folder, and a
    /// minute for each answer.
    fn default() -> Self {
        Self { node: "node".into(), packages: ".".into(), limit: Duration::from_secs(60) }
    }
}

impl AjvOptions {
    /// Run this executable as Node.
    #[must_use]
    pub fn node(mut self, executable: impl Into<PathBuf>) -> Self {
        self.node = executable.into();
        self
    }

    /// Look for the packages in the `node_modules` of this folder, then of the folders above it.
    #[must_use]
    pub fn packages(mut self, folder: impl Into<PathBuf>) -> Self {
        self.packages = folder.into();
        self
    }

    /// Wait no longer than this for the schema to be compiled or a batch to be answered.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

/// A Node process that runs AJV, shared by its oracles. Cheap to clone.
///
/// The oracles of one process wait for each other; threads that should not wait start a process
/// each.
///
/// ```no_run
/// use foolproof_contract::{Ajv, AjvOptions, Document, FormatPolicy};
/// use serde_json::json;
///
/// let ajv = Ajv::start(AjvOptions::default().packages("tools/ajv"))?;
/// let document = Document::from_value(json!({"type": "integer", "minimum": 3}))?;
/// let oracle = ajv.oracle(&document, FormatPolicy::Assert)?;
///
/// let answers = oracle.check(vec![json!(4), json!(2)])?;
/// assert!(answers[0].is_ok());
/// assert_eq!(answers[1].as_ref().unwrap_err().violations()[0].keyword(), "minimum");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ajv(Arc<Mutex<Server>>);

impl Ajv {
    /// Starts the process and checks that AJV 8 is installed.
    pub fn start(options: AjvOptions) -> Result<Self, AjvError> {
        let mut server = Server { options, process: None, compiled: BTreeSet::new(), last_id: 0 };
        server.with_retry(|server| server.process().map(drop))?;
        Ok(Self(Arc::new(Mutex::new(server))))
    }

    /// The oracle of a JSON Schema.
    pub fn oracle(
        &self,
        document: &Document,
        formats: FormatPolicy,
    ) -> Result<AjvOracle, AjvError> {
        self.oracle_at(document, &Pointer::root(), formats)
    }

    /// The oracle of the schema at `pointer` of `document`, with references resolved as in the document.
    pub fn oracle_at(
        &self,
        document: &Document,
        pointer: &Pointer,
        formats: FormatPolicy,
    ) -> Result<AjvOracle, AjvError> {
        let mut server = self.lock();
        let key = server.next_id();
        let setup = stack::with_large_stack(|| {
            let mut setup = setup::setup(document, pointer, formats);
            setup.insert("id".to_owned(), key.into());
            setup.insert("key".to_owned(), key.into());
            Value::Object(setup).to_string().into()
        });
        server.with_retry(|server| server.compile(key, &setup))?;
        Ok(AjvOracle(Arc::new(Compiled { ajv: self.clone(), key, setup, entry: document.entry() })))
    }

    /// The id of the process, unless it has ended and not been replaced yet.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.lock().process.as_ref().map(Process::id)
    }

    fn lock(&self) -> MutexGuard<'_, Server> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers whether values satisfy a schema according to AJV. Created by [`Ajv::oracle`]; cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct AjvOracle(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    ajv: Ajv,
    key: u64,
    /// The line that makes a process compile the schema.
    setup: Arc<str>,
    entry: EntryId,
}

impl AjvOracle {
    /// Checks `values`; the type of each result keeps the answer.
    pub fn check(&self, values: Vec<Value>) -> Result<Vec<Result<Accepted, Rejected>>, AjvError> {
        let violations = self.violations(&values)?;
        let answer = |(value, violations): (Value, Vec<Violation>)| {
            if violations.is_empty() {
                Ok(Accepted { value, entry: self.0.entry })
            } else {
                Err(Rejected { value, violations })
            }
        };
        Ok(values.into_iter().zip(violations).map(answer).collect())
    }

    /// The violations of each of `values`, by pointer into the value, then by pointer into the schema;
    /// none where it is valid.
    pub fn violations(&self, values: &[Value]) -> Result<Vec<Vec<Violation>>, AjvError> {
        let Compiled { ajv, key, setup, .. } = &*self.0;
        let mut server = ajv.lock();
        let mut answers = Vec::with_capacity(values.len());
        while answers.len() < values.len() {
            let (instances, count) =
                stack::with_large_stack(|| instances_from(&values[answers.len()..]));
            let results = server.with_retry(|server| {
                server.compile(*key, setup)?;
                server.validate(*key, &instances, count)
            })?;
            for result in results {
                match result {
                    InstanceResult::Errors(errors) => answers.push(sorted(errors)),
                    InstanceResult::Failed { failed } => {
                        let message = shorten(&failed);
                        return Err(AjvError::Failed { index: answers.len(), message });
                    }
                }
            }
        }
        Ok(answers)
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let mut server = self.ajv.lock();
        if server.compiled.remove(&self.key)
            && let Some(process) = &server.process
        {
            process.send(format!(r#"{{"forget":{}}}"#, self.key).into());
        }
    }
}

/// The process and the schemas it has compiled.
#[derive(Debug)]
struct Server {
    options: AjvOptions,
    process: Option<Process>,
    /// The keys of the schemas that the process has compiled.
    compiled: BTreeSet<u64>,
    last_id: u64,
}

impl Server {
    /// Runs `work`, and runs it again with a new process if that may help.
    fn with_retry<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T, AjvError>,
    ) -> Result<T, AjvError> {
        let first = work(self);
        if !first.as_ref().is_err_and(AjvError::is_transient) {
            return first;
        }
        self.abandon();
        let second = work(self);
        if second.as_ref().is_err_and(AjvError::is_transient) {
            self.abandon();
        }
        second
    }

    fn abandon(&mut self) {
        self.process = None;
        self.compiled.clear();
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The process, started if there is none.
    fn process(&mut self) -> Result<&mut Process, AjvError> {
        let process = match self.process.take() {
            Some(process) => process,
            None => start(&self.options)?,
        };
        Ok(self.process.insert(process))
    }

    /// Sends the schema to the process, if that has not compiled it.
    fn compile(&mut self, key: u64, setup: &Arc<str>) -> Result<(), AjvError> {
        if self.process.is_some() && self.compiled.contains(&key) {
            return Ok(());
        }
        if let Some(message) = self.ask(key, Arc::clone(setup))?.refused {
            let message = shorten(&message);
            return Err(AjvError::Refused { message });
        }
        self.compiled.insert(key);
        Ok(())
    }

    fn validate(
        &mut self,
        key: u64,
        instances: &str,
        count: usize,
    ) -> Result<Vec<InstanceResult>, AjvError> {
        let id = self.next_id();
        let line = format!(r#"{{"id":{id},"key":{key},"instances":{instances}}}"#);
        match self.ask(id, line.into())?.results {
            Some(results) if results.len() == count => Ok(results),
            results => {
                let found = results.map_or(0, |results| results.len());
                Err(AjvError::Garbled { line: format!("{found} results for {count} instances") })
            }
        }
    }

    /// Sends `line` and waits for the answer to `id`.
    fn ask(&mut self, id: u64, line: Arc<str>) -> Result<Reply, AjvError> {
        let limit = self.options.limit;
        let process = self.process()?;
        process.send(line);
        let deadline = Instant::now() + limit;
        loop {
            let reply: Reply = parse(&process.receive(limit, deadline)?)?;
            if reply.id == id {
                return Ok(reply);
            }
        }
    }
}

/// Starts a process and waits until it has loaded AJV.
fn start(options: &AjvOptions) -> Result<Process, AjvError> {
    let AjvOptions { node, packages, limit: _ } = options;
    let mut process = Process::start(node, packages)?;
    match parse(&process.receive(START_LIMIT, Instant::now() + START_LIMIT)?)? {
        Greeting::Version(version) if version.starts_with("8.") => Ok(process),
        Greeting::Version(found) => Err(AjvError::WrongVersion { found }),
        Greeting::Missing(reason) => {
            Err(AjvError::NotInstalled { packages: packages.clone(), reason })
        }
    }
}

/// The first line of a process.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Greeting {
    Version(String),
    Missing(String),
}

/// Every other line: the outcome for a schema or a batch.
#[derive(Deserialize)]
struct Reply {
    id: u64,
    refused: Option<String>,
    results: Option<Vec<InstanceResult>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum InstanceResult {
    Errors(Vec<AjvViolation>),
    Failed { failed: String },
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, AjvError> {
    serde_json::from_str(line).map_err(|_| AjvError::Garbled { line: shorten(line) })
}

fn sorted(errors: Vec<AjvViolation>) -> Vec<Violation> {
    let mut violations: Vec<_> = errors.into_iter().map(Violation::of_ajv).collect();
    violations.sort();
    violations.dedup();
    violations
}

/// As many of `values` as fit into a line, as a JSON array, and their number.
fn instances_from(values: &[Value]) -> (String, usize) {
    let mut text = String::from("[");
    let mut count = 0;
    for value in values.iter().take(MAX_INSTANCES) {
        if count > 0 {
            text.push(',');
        }
        text.push_str(&value.to_string());
        count += 1;
        if text.len() > LONG_LINE {
            break;
        }
    }
    text.push(']');
    (text, count)
}

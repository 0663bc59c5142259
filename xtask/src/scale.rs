//! How the cost of guided runs grows with the contract: wide schemas of several sizes, and large API descriptions.
//!
//! Each run is a process of its own, so that its processor time, over all threads, and its most memory are known. Both
//! come from `/proc`; where there is none, they are left out.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

use foolproof_contract::{ContractKind, Document, openapi::Api};
use foolproof_coverage::{
    ApiRunOptions, CompiledRun, Dimensions, Profile, Report, Run, RunContext, Settings,
};
use foolproof_generate::Meter;
use serde_json::{Map, Value, json};

/// The sizes of wide schemas, in targets; the cost of one target is compared between the first and the last.
const SIZES: [usize; 4] = [2_000, 8_000, 16_000, 50_000];

/// How many definitions with a union the other schemas have.
const UNIONS: [usize; 2] = [200, 2_000];

/// The most instances of a wide schema.
const INSTANCES: u64 = 20;

/// The ticks of a second in `/proc`, which Linux promises to programs on every common platform.
const TICKS: f64 = 100.0;

/// The targets of one property with an enumeration of three: the schema, its presence and the members.
const TARGETS_OF_PROPERTY: usize = 5;

/// The cost of one guided run, and what it covers.
#[derive(Debug)]
pub struct Cost {
    name: String,
    targets: u64,
    covered: f64,
    instances: u64,
    /// Processor time in seconds, and the most memory in MB.
    seconds: Option<f64>,
    memory: Option<f64>,
}

/// The costs of all runs.
#[derive(Debug)]
pub struct Scale {
    wide: Vec<Result<Cost, String>>,
    large: Vec<Result<Cost, String>>,
}

impl Scale {
    /// Runs everything, each in a process of the program `xtask`; `large` is the folder of large descriptions, of which
    /// those are taken whose names contain `only`.
    #[must_use]
    pub fn of(xtask: &Path, large: &Path, only: &str) -> Self {
        let enumerations = SIZES.map(|targets| format!("enumerations:{targets}"));
        let unions = UNIONS.map(|definitions| format!("unions:{definitions}"));
        let wide = enumerations.iter().chain(&unions).filter(|name| name.contains(only));
        let is_contract = |path: &PathBuf| path.extension().is_some_and(|kind| kind != "md");
        let mut files: Vec<String> = fs::read_dir(large)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(is_contract)
            .map(|path| path.to_string_lossy().into_owned())
            .filter(|path| path.contains(only))
            .collect();
        files.sort();
        let run = |name: &String| measured(xtask, name);
        Self { wide: wide.map(run).collect(), large: files.iter().map(run).collect() }
    }

    /// What must not be: a run that fails, a wide schema that is not covered as a whole, or whose targets cost more
    /// than twice as much in the largest as in the smallest.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let all = self.wide.iter().chain(&self.large);
        let mut failures: Vec<String> =
            all.filter_map(|cost| cost.as_ref().err().cloned()).collect();
        let wide: Vec<&Cost> = self.wide.iter().flatten().collect();
        let partly = wide.iter().filter(|cost| cost.covered < 1.0);
        failures.extend(partly.map(|cost| format!("{}: not all is covered", cost.name)));
        let enumerations: Vec<&&Cost> =
            wide.iter().filter(|cost| cost.name.starts_with("enumerations")).collect();
        if let [first, .., last] = enumerations[..]
            && let (Some(one), Some(other)) = (first.of_target(), last.of_target())
            && other > 2.0 * one
        {
            failures.push(format!(
                "a target costs {one:.1} µs in {}, and {other:.1} µs in {}",
                first.name, last.name
            ));
        }
        failures
    }
}

impl Cost {
    /// The processor time of one target, in microseconds.
    fn of_target(&self) -> Option<f64> {
        self.seconds.map(|seconds| seconds * 1e6 / self.targets.max(1) as f64)
    }

    fn from_json(name: &str, line: &Value) -> Option<Self> {
        Some(Self {
            name: name.to_owned(),
            targets: line["targets"].as_u64()?,
            covered: line["covered"].as_f64()?,
            instances: line["instances"].as_u64()?,
            seconds: line["seconds"].as_f64(),
            memory: line["memory"].as_f64(),
        })
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.rsplit('/').next().unwrap_or(&self.name);
        let Self { targets, covered, instances, .. } = self;
        write!(
            formatter,
            "{name:36} {targets:>7} targets  {covered:.4} covered  {instances:>4} instances"
        )?;
        if let (Some(seconds), Some(of_target)) = (self.seconds, self.of_target()) {
            write!(formatter, "  {seconds:>7.2} s  {of_target:>7.1} µs a target")?;
        }
        match self.memory {
            Some(memory) => write!(formatter, "  {memory:>6.0} MB"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cost in self.wide.iter().chain(&self.large) {
            match cost {
                Ok(cost) => writeln!(formatter, "{cost}")?,
                Err(failure) => writeln!(formatter, "FAILED: {failure}")?,
            }
        }
        Ok(())
    }
}

/// The cost of one run, in a process of its own.
fn measured(xtask: &Path, name: &str) -> Result<Cost, String> {
    let output = Command::new(xtask).args(["scale", "--one", name]).output();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    let line = serde_json::from_slice(&output.stdout).ok();
    line.and_then(|line| Cost::from_json(name, &line))
        .ok_or_else(|| format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Executes the run `name` in this process, and returns what it costs as JSON.
pub fn one(name: &str) -> Result<Value, String> {
    let report = match name.split_once(':') {
        Some(("enumerations", targets)) => {
            let targets: usize = targets.parse().map_err(|_| "no number".to_owned())?;
            wide(enumerations(targets / TARGETS_OF_PROPERTY))
        }
        Some(("unions", definitions)) => {
            wide(unions(definitions.parse().map_err(|_| "no number".to_owned())?))
        }
        _ => large(Path::new(name)),
    }?;
    Ok(json!({
        "targets": report.metrics.targets_by_status.active,
        "covered": report.metrics.overall,
        "instances": report.run.actual_instances,
        "seconds": seconds(),
        "memory": memory(),
    }))
}

fn wide(schema: Value) -> Result<Report, String> {
    let document = Document::from_value(schema).map_err(|error| error.to_string())?;
    let settings = Settings { instances: INSTANCES, ..Settings::guided(Profile::Thorough) };
    let mut run = Run::new(&document, settings).map_err(|error| error.to_string())?;
    while run.next().is_some() {}
    Ok(run.finish())
}

fn large(path: &Path) -> Result<Report, String> {
    let document = Document::open(path).map_err(|error| error.to_string())?;
    let settings = Settings::guided(Profile::default());
    let compiled = if document.kind() == ContractKind::Schema {
        CompiledRun::new(&document, settings, &mut Meter::counting())
            .map_err(|error| error.to_string())?
    } else {
        let api = Api::of(&document).map_err(|error| error.to_string())?;
        let threads = std::thread::available_parallelism().map_err(|error| error.to_string())?;
        let options = ApiRunOptions { threads, ..ApiRunOptions::default() };
        let settings = Settings { dimensions: Dimensions::all(), ..settings };
        CompiledRun::of_api(&api, &options, settings, &mut Meter::counting())
            .map_err(|error| error.to_string())?
    };
    let meter = Meter::counting();
    let finished = compiled
        .stream(&RunContext::default(), &meter, |_| std::ops::ControlFlow::<()>::Continue(()));
    let finished = finished.map_err(|_| "the run was stopped".to_owned())?;
    finished.report.ok_or_else(|| "there is no report".to_owned())
}

/// An object of so many optional properties, each with an enumeration of three.
fn enumerations(properties: usize) -> Value {
    let values = |number: usize| ["a", "b", "c"].map(|letter| format!("{letter}{number}"));
    let property = |number: usize| (format!("p{number}"), json!({ "enum": values(number) }));
    let properties: Map<String, Value> = (0..properties).map(property).collect();
    json!({ "type": "object", "properties": properties })
}

/// An object of so many optional properties, each of a definition with three branches.
fn unions(definitions: usize) -> Value {
    let branch = |kind: &str| {
        let properties = json!({ "kind": { "const": kind }, "v": { "enum": ["x", "y"] } });
        json!({ "type": "object", "required": ["kind"], "properties": properties })
    };
    let branches = ["a", "b", "c"].map(branch);
    let name = |number: usize| format!("p{number}");
    let definition = |number: usize| (name(number), json!({ "oneOf": branches }));
    let reference = |number: usize| (name(number), json!({ "$ref": format!("#/$defs/p{number}") }));
    let all: Map<String, Value> = (0..definitions).map(definition).collect();
    let properties: Map<String, Value> = (0..definitions).map(reference).collect();
    json!({ "type": "object", "properties": properties, "$defs": all })
}

/// The processor time of this process so far, over all threads.
fn seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may have blanks; the times are fields 14 and 15 of the line.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

/// The most memory of this process so far, in MB.
fn memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::{Cost, Scale, one};

    #[test]
    fn wide_schemas_are_covered_as_a_whole_by_few_instances() {
        let check = |name: &str, targets: u64, most: u64| {
            let cost = Cost::from_json(name, &one(name).unwrap()).unwrap();
            assert_eq!((cost.targets, cost.covered), (targets, 1.0), "{cost}");
            assert!(cost.instances <= most, "{cost}");
        };
        check("enumerations:5000", 5_001, 3);
        check("unions:100", 2_301, 6);
    }

    #[test]
    fn a_cost_that_grows_faster_than_the_contract_is_a_failure() {
        let cost = |name: &str, targets, seconds| {
            let (name, seconds) = (name.to_owned(), Some(seconds));
            Ok(Cost { name, targets, covered: 1.0, instances: 3, seconds, memory: None })
        };
        let of = |seconds| {
            let wide =
                vec![cost("enumerations:2", 2_000, 0.1), cost("enumerations:5", 50_000, seconds)];
            Scale { wide, large: Vec::new() }.failures().len()
        };
        assert_eq!((of(4.9), of(5.1)), (0, 1));
    }
}

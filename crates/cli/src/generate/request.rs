//! The request of `foolproof generate`: the options of the command line, checked against each other and
//! converted to the settings of a run.

use std::{num::NonZeroUsize, thread};

use foolproof_contract::openapi::{Api, EntryOptions};
use foolproof_coverage::{ApiRunOptions, Dimension, Dimensions, Parts, Profile, Settings};
use foolproof_generate::ValueSize;

use crate::{
    args::{FormArg, FormatArg, GenerateArgs, ModeArg, OracleArg, PartArg},
    failure::Failure,
    file,
    generate::destination::Reader,
    outputs::{self, Input, Sink},
};

pub(super) struct Request<'a> {
    pub(super) args: &'a GenerateArgs,
    pub(super) settings: Settings,
    pub(super) coverage: Coverage,
    pub(super) threads: NonZeroUsize,
}

/// How instances are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each is a line.
    Lines,
    /// Each is an item of one JSON array.
    Array,
    /// Each is a block; blocks are separated by empty lines.
    Blocks,
    /// Each is an entry of an HTTP archive.
    Archive,
}

/// Whether coverage is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    Off,
    On,
}

impl<'a> Request<'a> {
    /// Fails before any work if options contradict each other or a file cannot be written.
    pub(super) fn new(args: &'a GenerateArgs) -> Result<Self, Failure> {
        let coverage = match args.mode {
            ModeArg::Off => Coverage::Off,
            ModeArg::Measure | ModeArg::Guided => Coverage::On,
        };
        if let (Coverage::Off, Some(option)) = (coverage, args.first_coverage_option()) {
            let message = format!("`{option}` needs `--coverage measure` or `--coverage guided`");
            return Err(Failure::Usage(message));
        }
        let form = args.api.form.filter(|form| *form != FormArg::Envelope);
        if form.is_some() && args.api.scope.part.is_some_and(|part| part != PartArg::Request) {
            let message =
                "`--as` writes requests only: leave `--part` out, or use `--part request`";
            return Err(Failure::Usage(message.to_owned()));
        }
        if form.is_some() && args.format == FormatArg::Json {
            let message = "`--format json` is for envelopes and not for other forms of `--as`";
            return Err(Failure::Usage(message.to_owned()));
        }
        if args.plan().is_some() && args.mode != ModeArg::Guided {
            let message = "`--coverage-plan` needs `--coverage guided`: other runs have no plan";
            return Err(Failure::Usage(message.to_owned()));
        }
        let request = Self { args, settings: settings(args), coverage, threads: threads(args) };
        request.check_files()?;
        Ok(request)
    }

    /// Where the instances go.
    fn data(&self) -> Sink<'a> {
        self.args.out.as_deref().map_or(Sink::Stdout, Sink::File)
    }

    /// Where everything else goes, each with the option that says so.
    fn others(&self) -> impl Iterator<Item = (&'static str, Sink<'a>)> {
        let report = (self.coverage == Coverage::On).then(|| self.args.coverage.report());
        let metrics = self.args.metrics.as_deref().map(Sink::File);
        let others = [
            ("--coverage-report", report),
            ("--coverage-html", self.args.coverage.html()),
            ("--coverage-plan", self.args.plan()),
            ("--metrics", metrics),
        ];
        let ci = self.args.coverage.ci.outputs();
        others.into_iter().filter_map(|(option, sink)| Some((option, sink?))).chain(ci)
    }

    /// Everything that the run writes to.
    pub(super) fn outputs(&self) -> Vec<Sink<'a>> {
        let others = self.others().map(|(_, sink)| sink);
        std::iter::once(self.data()).chain(others).collect()
    }

    /// Who reads the instances.
    pub(super) fn reader(&self) -> Reader {
        if self.others().next().is_some() { Reader::OneOfSeveral } else { Reader::Only }
    }

    fn check_files(&self) -> Result<(), Failure> {
        if self.data() == Sink::Stdout
            && let Some((option, _)) = self.others().find(|(_, sink)| *sink == Sink::Stdout)
        {
            return Err(Failure::Usage(format!(
                "`{option} -` writes to standard output, where the instances go: write those to a file with `--out`"
            )));
        }
        let contract = Input { role: "contract", path: &self.args.contract.file };
        outputs::check(&self.outputs(), &[contract])?;
        if self.data() == Sink::Stdout {
            file::probe_sink(self.data())?;
        }
        self.others().try_for_each(|(_, sink)| file::probe_sink(sink))
    }

    /// The settings for an API: operations are a dimension, and every operation has its turn.
    pub(super) fn api_settings(&self, api: &Api) -> Settings {
        let sides = 2 * api.operations().len() as u64;
        let instances = self.args.n.unwrap_or_else(|| self.settings.instances.max(sides));
        Settings {
            instances,
            shard: self.args.shard.is_part().then(|| self.args.shard.range(instances)),
            dimensions: self.args.coverage.dimensions_or(with_operations(self.settings.dimensions)),
            ..self.settings.clone()
        }
    }

    /// What of an API is in scope.
    pub(super) fn api_options(&self) -> ApiRunOptions {
        let scope = &self.args.api.scope;
        let is_request_only = self.form() != FormArg::Envelope;
        let part = scope.part.or(is_request_only.then_some(PartArg::Request));
        ApiRunOptions {
            operations: scope.operations.clone(),
            parts: part.map(Parts::from).unwrap_or_default(),
            entries: EntryOptions {
                formats: self.settings.formats,
                read_only: scope.read_only.map(Into::into).unwrap_or_default(),
            },
            threads: self.threads,
            progress: None,
        }
    }

    /// The URL that paths are appended to, if it is not a server of the document.
    pub(super) fn base_url(&self) -> Option<&'a str> {
        self.args.api.base_url.as_deref()
    }

    /// How instances are separated.
    pub(super) fn layout(&self) -> Layout {
        match (self.form(), self.args.format) {
            (FormArg::Envelope, FormatArg::Json) => Layout::Array,
            (FormArg::Envelope | FormArg::Curl, _) => Layout::Lines,
            (FormArg::Hurl, _) => Layout::Blocks,
            (FormArg::Har, _) => Layout::Archive,
        }
    }

    /// How requests and responses are written.
    pub(super) fn form(&self) -> FormArg {
        self.args.api.form.unwrap_or(FormArg::Envelope)
    }

    pub(super) fn has_second_oracle(&self) -> bool {
        match self.args.oracle {
            OracleArg::Jsonschema => false,
            OracleArg::Ajv => true,
        }
    }
}

fn settings(args: &GenerateArgs) -> Settings {
    let profile = args.profile();
    let instances = args.n.unwrap_or_else(|| profile.map_or(10, Profile::instances));
    let is_guided = args.mode == ModeArg::Guided;
    let default = profile.filter(|_| is_guided).map(Profile::dimensions).unwrap_or_default();
    Settings {
        guidance: profile.filter(|_| is_guided),
        dimensions: args.coverage.dimensions_or(default),
        formats: args.contract.formats.into(),
        seed: args.seed,
        largest: largest(args),
        shard: args.shard.is_part().then(|| args.shard.range(instances)),
        minimum: args.coverage.minimum,
        exclude_unreachable: args.coverage.excludes_unreachable(),
        long_examples: args.coverage.long_examples(),
        ..Settings::measure(instances)
    }
}

/// The most that one instance may have.
fn largest(args: &GenerateArgs) -> ValueSize {
    let default = ValueSize::DEFAULT_LIMIT;
    ValueSize {
        values: args.max_values.unwrap_or(default.values),
        bytes: args.max_bytes.unwrap_or(default.bytes),
    }
}

/// The same dimensions and that of operations.
fn with_operations(dimensions: Dimensions) -> Dimensions {
    dimensions.iter().chain([Dimension::Operations]).collect()
}

fn threads(args: &GenerateArgs) -> NonZeroUsize {
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    threads.unwrap_or(NonZeroUsize::MIN)
}

//! `foolproof mcp`: tests a live MCP server.

use std::{
    cell::Cell,
    env, fs,
    io::Write as _,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use clap::{Subcommand, ValueEnum};
use foolproof_contract::{
    SourceText, Untrusted,
    wording::{self, count},
};
use foolproof_coverage::{self as coverage, Timing};
use foolproof_live::{Confinement, MASK, Masks, refused_path};
use foolproof_mcp::{
    Check, CorpusFile, Evidence, Format, OutcomeStatus, REPRO_FORMAT, ReplayOutcome, ReplayProblem,
    Repro, RunError, RunReport, Settings, Target, dry_run, replay, run, wire,
};
use tokio::task::unconstrained;

use crate::{
    clock,
    coverage::{ci, html},
    exit::Exit,
    failure::Failure,
    file, input,
    output::{Output, check_open, unless_closed},
    outputs::{self, Input, Sink},
    suggest,
    terminal::{Progress, print_commands, print_line, short},
    verbosity::VerbosityArgs,
};

mod again;
mod args;
mod junit;
mod markdown;
mod secrets;
mod server;
mod signals;
mod trust;

use args::{ReplayArgs, RunArgs};
pub(crate) use server::{ServeArgs, demo};

/// The most characters of a message that has text of the server.
const MAX_MESSAGE: usize = 500;

/// The most characters of an annotation: GitHub cuts at 4,096 bytes.
const MAX_ANNOTATION: usize = 1_000;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Test a server that is a process and speaks over its standard input and output.
    ///
    /// Sequences of tool calls are explored, each in a fresh process. Strings and numbers come from `--value` and
    /// from what the server itself returned. What fails is shrunk to a minimal sequence.
    ///
    /// The process gets a minimal environment (PATH, HOME, TMPDIR, LANG) plus `--env` and `--inherit-env`. `{tmp}` in the
    /// command, in `--env`, `--cwd`, `--reset-command` and `--value` is a fresh folder for each session.
    #[command(
        after_help = "Examples:\n  foolproof mcp stdio -- npx -y @modelcontextprotocol/server-everything\n  foolproof mcp stdio --env MEMORY_FILE_PATH={tmp}/m.json --value Ada -- node memory.js\n  foolproof mcp stdio --value repo_path={tmp}/repo --reset-command 'git init {tmp}/repo' -- mcp-server-git"
    )]
    Stdio(StdioArgs),

    /// Test a server at a URL, over streamable HTTP.
    ///
    /// On a URL that is not local, only tools that declare themselves read-only are called, unless `--allow-writes`.
    #[command(
        after_help = "Example:\n  foolproof mcp http http://localhost:3000/mcp --value alpha --json"
    )]
    Http(HttpArgs),

    /// Run the minimal sequence of a repro file again.
    ///
    /// The file says how its server is started. That is shown, and done only with `--trust` or if you agree at the
    /// terminal; a server that you give yourself needs neither. The sandbox is that of a run.
    ///
    /// Exit codes: 1 while it still fails, 0 when it is fixed, 5 if the server could not be started or a call before
    /// the failing one could not be repeated.
    #[command(
        after_help = "Examples:\n  foolproof mcp replay failure.json --trust\n  foolproof mcp replay failure.json -- node my-server.js"
    )]
    Replay(ReplayArgs),

    /// List the checks with their codes and severities.
    #[command(after_help = "Example:\n  foolproof mcp checks")]
    Checks,

    /// Print the JSON Schema of what is written and read.
    #[command(after_help = "Example:\n  foolproof mcp schema report > mcp-report.schema.json")]
    Schema {
        /// The format.
        #[arg(value_enum)]
        format: FormatArg,
    },

    /// Find and shrink the bugs of the server that is built in.
    #[command(after_help = "Example:\n  foolproof mcp demo")]
    Demo,

    /// Serve the server that is built in.
    #[command(hide = true)]
    Serve(ServeArgs),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// What `--json` prints.
    Report,
    /// What `--repro` writes.
    Repro,
    /// What `--dump-corpus` writes.
    Corpus,
}

impl From<FormatArg> for Format {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Report => Self::Report,
            FormatArg::Repro => Self::Repro,
            FormatArg::Corpus => Self::Corpus,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct StdioArgs {
    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    process: args::ProcessArgs,

    /// The server: a program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct HttpArgs {
    /// The address of the server.
    #[arg(value_name = "URL")]
    url: String,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    http: args::HttpOptions,
}

/// Runs the command.
pub(crate) fn execute(command: &Command) -> Result<Exit, Failure> {
    if let Command::Serve(args) = command {
        // Its messages go to standard output from another thread, which must not be locked here.
        return server::serve(args);
    }
    let output = &mut Output::new();
    let exit = execute_with(command, output)?;
    unless_closed(output.flush())?;
    Ok(exit)
}

/// Runs a command that prints to `output`.
fn execute_with(command: &Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Stdio(StdioArgs { run, process, command }) => {
            let target = process.target(command, run)?;
            test(&target, run, output)
        }
        Command::Http(HttpArgs { url, run, http }) => {
            let target = http.target(url, run)?;
            test(&target, run, output)
        }
        Command::Replay(args) => repeat(args, output),
        Command::Checks => {
            for check in Check::ALL {
                let severity = serde_json::to_value(check.default_severity()).unwrap_or_default();
                let severity = severity.as_str().unwrap_or_default();
                writeln!(output, "{:<28} {severity:<5} {}", check.code(), check.description())?;
            }
            Ok(Exit::Success)
        }
        Command::Schema { format } => {
            writeln!(output, "{:#}", Format::from(*format).schema())?;
            Ok(Exit::Success)
        }
        Command::Demo => server::demo(output),
        Command::Serve(args) => server::serve(args),
    }
}

/// Runs `work` on a runtime, unless a signal ends it: then that is the error. Whatever happens, no process of a server is left.
fn block_on<T>(work: impl Future<Output = T>) -> Result<Result<T, Exit>, Failure> {
    block_on_until(work, signals::next())
}

/// Runs `work` on a runtime, unless `interrupt` ends it.
fn block_on_until<T>(
    work: impl Future<Output = T>,
    interrupt: impl Future<Output = Exit>,
) -> Result<Result<T, Exit>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::Signals)?;
    let done = runtime.block_on(async {
        tokio::select! {
            done = work => Ok(done),
            // A server that sends without a pause must not keep a signal from being heard.
            exit = unconstrained(interrupt) => Err(exit),
        }
    });
    // All at once, before the runtime ends one session after the other.
    wire::end_all();
    drop(runtime);
    wire::await_ends();
    Ok(done)
}

/// A run that was not ended at once, with the signal that ended it early, if one did.
type Tested = (Result<RunReport, RunError>, Option<Exit>);

/// Runs the test. The first signal ends it early, with a report on what was done; the second at once.
fn run_test(target: &Target, settings: &Settings) -> Result<Result<Tested, Exit>, Failure> {
    let (stop, first) = (settings.stop.clone(), Cell::new(None));
    let interrupt = async {
        first.set(Some(signals::next().await));
        stop.stop();
        print_line("interrupted: the report follows; press Ctrl-C again to end at once");
        signals::next().await
    };
    let done = block_on_until(run(target, settings), interrupt)?;
    Ok(done.map(|report| (report, first.get())))
}

/// Shows what is done to the project of the server before it starts.
fn show_preparation(target: &Target) {
    if let Some(preparation) = target.preparation() {
        let command = Untrusted::new(preparation.to_string());
        print_line(&format!("first, outside of the sandbox: {command}"));
    }
}

/// Fails if an output is where the server may write: it could put a link there, and so choose what is overwritten.
fn check_outputs(args: &RunArgs, target: &Target) -> Result<(), Failure> {
    let Confinement::Sandboxed(sandbox) = target.confinement() else { return Ok(()) };
    for path in args.files() {
        let folder =
            path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Ok(folder) = fs::canonicalize(folder) else { continue };
        if let Some(allowed) = sandbox.writable.iter().find(|it| folder.starts_with(it)) {
            let (path, allowed) = (path.display(), allowed.display());
            return Err(Failure::Usage(format!(
                "`{path}` is in `{allowed}`, which the server may write: it could replace it by a link. Write it elsewhere"
            )));
        }
    }
    Ok(())
}

fn test(target: &Target, args: &RunArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_open()?;
    if !args.dry_run {
        let outputs: Vec<Sink<'_>> =
            std::iter::once(Sink::Stdout).chain(args.files().map(Sink::File)).collect();
        outputs::check(&outputs, &args.inputs().collect::<Vec<_>>())?;
    }
    let mut settings = args.settings()?;
    let masks = &secrets::of(target, &settings.seeds);
    if !args.verbosity.quiet {
        secrets::warn_of_short(masks);
    }
    check_outputs(args, target)?;
    if args.dry_run {
        show_preparation(target);
        return match block_on(dry_run(target, &settings))? {
            Err(exit) => Ok(exit),
            Ok(Ok(shown)) => {
                write!(output.text(), "{}", masks.mask(&shown.to_string()))?;
                Ok(Exit::Success)
            }
            Ok(Err(RunError::UnknownTool { name, tools })) => Err(unknown_tool(&name, &tools)),
            Ok(Err(error)) => Ok(not_started(&error, masks)),
        };
    }
    for path in args.files() {
        file::probe(path)?;
    }
    let timing = Timing::start(clock::now(), clock::elapsed);
    let VerbosityArgs { quiet, verbose } = args.verbosity;
    let shows_bar = !quiet && !verbose;
    let bar = Arc::new(Mutex::new(Progress::new(shows_bar, Some(settings.cases), "sequences")));
    let reader = Arc::clone(&bar);
    let (verbosity, ended) = (args.verbosity, AtomicU64::new(0));
    settings.progress = Some(Arc::new(move |progress: &foolproof_mcp::Progress| {
        reader.lock().unwrap_or_else(PoisonError::into_inner).set(progress.sequences);
        if ended.swap(progress.sequences, Ordering::Relaxed) < progress.sequences {
            verbosity.detail(|| {
                let (sequences, calls) = (progress.sequences, count(progress.calls, "call"));
                let failing = progress.failing_calls;
                format!("sequence {sequences}: {calls} so far, {failing} of them failing")
            });
        }
    }));
    if !quiet {
        show_preparation(target);
    }
    let report = run_test(target, &settings)?;
    bar.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let (report, interrupted) = match report {
        Ok(tested) => tested,
        Err(exit) => {
            print_line("interrupted: nothing is reported");
            return Ok(exit);
        }
    };
    match report {
        Ok(report) => {
            let calls = report.tools.iter().map(|tool| tool.calls).sum();
            let exit = write_report(report, target, args, &timing, masks, output)?;
            if interrupted.is_some() {
                let calls = wording::count(calls, "call");
                print_line(&format!("interrupted: this is about the {calls} until then"));
            }
            Ok(interrupted.unwrap_or(exit))
        }
        Err(RunError::Stopped) => {
            print_line("interrupted: the server had not started yet");
            Ok(interrupted.unwrap_or(Exit::NotStarted))
        }
        Err(RunError::Settings(problem)) => Err(Failure::Usage(problem)),
        Err(RunError::UnknownTool { name, tools }) => Err(unknown_tool(&name, &tools)),
        Err(error) => Ok(not_started(&error, masks)),
    }
}

/// The error about a tool that the server does not have, with what may have been meant.
fn unknown_tool(name: &str, tools: &[String]) -> Failure {
    let close = suggest::close(name, tools);
    let hint = match (close.is_empty(), tools.is_empty()) {
        (false, _) => suggest::sentence(&close),
        (true, false) => format!("; it has {}", tools.join(", ")),
        (true, true) => "; it has no tools".to_owned(),
    };
    // The names are text of the server: they may be long, or meant for the terminal.
    Failure::Usage(short(&format!("the server has no tool `{name}`{hint}"), MAX_MESSAGE))
}

fn not_started(error: &RunError, masks: &Masks) -> Exit {
    print_line(&format!("  × {}", masks.mask(&error.to_string())));
    if let Some(stderr) = error.stderr_tail() {
        for line in stderr.lines().rev().take(10).collect::<Vec<_>>().into_iter().rev() {
            print_line(&format!("    stderr: {}", masks.mask(line)));
        }
    }
    let help = if let Some(path) = error.stderr_tail().and_then(refused_path) {
        let path = env::current_dir().unwrap_or_default().join(path);
        let folder = Untrusted::new(path.parent().unwrap_or(&path).to_string_lossy()).shell();
        format!("the sandbox may have refused it a write: --allow-write {folder} allows that")
    } else if error.to_string().contains("UnknownIssuer") {
        "if a private authority has signed its certificate, --ca-cert FILE trusts it".to_owned()
    } else {
        "check that the server starts by itself, with the same command or address".to_owned()
    };
    print_line(&format!("  help: {help}"));
    Exit::NotStarted
}

fn write_report(
    report: RunReport,
    target: &Target,
    args: &RunArgs,
    timing: &Timing,
    masks: &Masks,
    output: &mut Output,
) -> Result<Exit, Failure> {
    // Before anything is escaped for a medium, or cut.
    let report = &report.masked(masks);
    if args.json {
        writeln!(output, "{}", serde_json::to_value(report).unwrap_or_default())?;
    } else {
        writeln!(output.text(), "{report}")?;
        let command = again::command(std::env::args_os(), report.seed, masks);
        writeln!(output.text(), "again: {command}")?;
    }
    if let Some(path) = &args.summary_md {
        let text = markdown::summary(report);
        file::write(path, text.as_bytes())?;
        ci::append_to_job(&text)?;
    }
    if let Some(path) = &args.junit {
        file::write(path, junit::document(report).as_bytes())?;
    }
    if let Some(path) = &args.repro
        && let Some(repro) = repro_of(report, target, args)?
    {
        let value = masks.mask_value(serde_json::to_value(repro).unwrap_or_default());
        file::write(path, format!("{value:#}\n").as_bytes())?;
        if !args.verbosity.quiet {
            print_line(&format!(
                "the first failure is in {}: {}",
                path.display(),
                args.replay_command(path)
            ));
        }
    }
    let asks_for_coverage = args.coverage_report.is_some() || args.coverage_html.is_some();
    if let Some(coverage) = report.schema_coverage().filter(|_| asks_for_coverage) {
        write_coverage(report, coverage, args, timing, masks, output)?;
    }
    if let Some(path) = &args.dump_corpus {
        let file = CorpusFile::of(report.corpus());
        let mut value = masks.mask_value(serde_json::to_value(file).unwrap_or_default());
        // What is left of a secret serves no call.
        if let Some(values) = value["values"].as_array_mut().filter(|_| !masks.is_empty()) {
            values.retain(|it| !it["value"].as_str().is_some_and(|text| text.contains(MASK)));
        }
        file::write(path, format!("{value:#}\n").as_bytes())?;
    }
    if std::env::var_os("GITHUB_ACTIONS").is_some() {
        for failure in &report.failures {
            let (tool, message) = (failure.tool.raw(), failure.message.raw());
            let message = format!("{tool}: {}: {message}", failure.code);
            let message = Untrusted::new(message).short(MAX_ANNOTATION);
            // On standard error: standard output may be JSON.
            print_commands(&format!("::error title=foolproof mcp::{}\n", message.workflow_data()));
        }
    }
    Ok(match report.outcome.status {
        OutcomeStatus::Passed => Exit::Success,
        OutcomeStatus::Failed => Exit::CheckFailed,
        OutcomeStatus::NotJudged => Exit::NotJudged,
    })
}

/// Writes the coverage report, and its page, if they are asked for.
fn write_coverage(
    report: &RunReport,
    coverage: &coverage::Report,
    args: &RunArgs,
    timing: &Timing,
    masks: &Masks,
    output: &mut Output,
) -> Result<(), Failure> {
    let coverage = masked_coverage(coverage, timing, masks)?;
    if let Some(path) = &args.coverage_report {
        file::write(path, coverage.to_json().as_bytes())?;
    }
    if let Some(path) = &args.coverage_html {
        let text = SourceText::of_value("the tools of the server", report.tool_list());
        html::write(Sink::File(path), &coverage, &[text], output)?;
    }
    Ok(())
}

/// The coverage report with its times, without secrets.
fn masked_coverage(
    coverage: &coverage::Report,
    timing: &Timing,
    masks: &Masks,
) -> Result<coverage::Report, Failure> {
    let value = masks.mask_value(serde_json::to_value(coverage).unwrap_or_default());
    let mut coverage: coverage::Report = serde_json::from_value(value).map_err(|error| {
        Failure::Usage(format!("a secret is a word of the coverage report: {error}"))
    })?;
    timing.started_at().clone_into(&mut coverage.run.started_at);
    coverage.run.duration_ms = timing.elapsed_ms();
    Ok(coverage)
}

/// The repro of the first failure that has a sequence.
fn repro_of(report: &RunReport, target: &Target, args: &RunArgs) -> Result<Option<Repro>, Failure> {
    let Some(failure) = report.failures.iter().find(|failure| !failure.steps.is_empty()) else {
        return Ok(None);
    };
    let settings = args.settings()?;
    Ok(Some(Repro::new(failure, report, &settings, args::server_of(target))))
}

fn repeat(args: &ReplayArgs, output: &mut Output) -> Result<Exit, Failure> {
    let path = &args.file;
    outputs::check(&[Sink::Stdout], &[Input { role: "repro file", path }])?;
    check_open()?;
    let text = input::read_text(path, input::MAX_CALLS)?;
    let repro: Repro = serde_json::from_str(&text).map_err(|error| {
        let path = path.display();
        Failure::Usage(format!("`{path}` is no file that `--repro` wrote: {error}"))
    })?;
    if repro.format != REPRO_FORMAT {
        let problem =
            format!("`{}` has the format `{}`, not {REPRO_FORMAT}", path.display(), repro.format);
        return Err(Failure::Usage(problem));
    }
    let target = args.target(&repro)?;
    show_preparation(&target);
    let settings = args.settings(&repro)?;
    let masks = secrets::of(&target, &settings.seeds);
    let sandbox = target.confinement().to_string();
    if let Some(then) = repro.sandbox.as_ref().filter(|then| then.detail != sandbox.as_str()) {
        print_line(&format!("sandbox when it was found: {}", then.detail));
    }
    print_line(&format!("sandbox: {sandbox}"));
    let outcome = match block_on(replay(&target, &settings, &repro))? {
        Ok(outcome) => outcome,
        Err(exit) => return Ok(exit),
    };
    match outcome {
        Ok(ReplayOutcome::StillFails(evidence)) => {
            print_calls(&evidence.masked(&masks), output)?;
            writeln!(output.text(), "still fails: {}: {}", repro.tool, repro.code)?;
            Ok(Exit::CheckFailed)
        }
        Ok(ReplayOutcome::Fixed(evidence)) => {
            print_calls(&evidence.masked(&masks), output)?;
            writeln!(output.text(), "fixed: {} no longer shows {}", repro.tool, repro.code)?;
            Ok(Exit::Success)
        }
        Ok(_) => Ok(Exit::CheckFailed),
        Err(problem @ ReplayProblem::Refused { .. }) => Err(Failure::Usage(format!(
            "{problem}: nothing was called. --allow-destructive or --allow-writes allows it, as in a run"
        ))),
        Err(problem) => Ok(not_repeated(&problem.masked(&masks))),
    }
}

fn not_repeated(problem: &ReplayProblem) -> Exit {
    print_line(&format!("  × {problem}"));
    print_line("    so it is not known whether the failure is fixed");
    Exit::NotStarted
}

fn print_calls(evidence: &Evidence, output: &mut Output) -> Result<(), Failure> {
    for call in &evidence.calls {
        let arguments = Untrusted::new(call.arguments.to_string());
        writeln!(output.text(), "${} {} {arguments}", call.id, call.tool)?;
        writeln!(output.text(), "   → {}", call.answer.short(MAX_MESSAGE))?;
    }
    Ok(())
}

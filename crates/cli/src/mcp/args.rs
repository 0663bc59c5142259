//! The options of `foolproof mcp` as typed, and what they mean.

use std::{
    env, fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use foolproof_contract::{Untrusted, wording::matches_glob};
use foolproof_live::{MASK, Masks};
use foolproof_mcp::{
    Check, Checks, CorpusFile, Repro, Rule, Seed, Settings, Severity, Target, Tool,
    wire::{
        CaCertificates, CommandEndpoint, ConnectOptions, Endpoint, Isolation, Launcher, Network,
        ProtocolChoice, Sandbox, Support, UrlEndpoint,
    },
};
use serde_json::{Value, json};

use super::{
    secrets,
    trust::{Given, Wanted},
};
use crate::{failure::Failure, input, outputs::Input, suggest, verbosity::VerbosityArgs};

/// How many sequences are explored if nobody says.
const DEFAULT_CASES: u64 = 30;

/// How long a run may take if nobody says: a slow server must not take hours.
const DEFAULT_TIME: Duration = Duration::from_secs(5 * 60);

/// How the server is explored, and what is reported.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct RunArgs {
    /// Number of sequences to explore [default: 30, within 5 minutes].
    #[arg(long, value_name = "N")]
    cases: Option<u64>,

    /// The least number of calls in a sequence.
    #[arg(long, value_name = "N", default_value_t = 1, hide_short_help = true)]
    min_steps: usize,

    /// The greatest number of calls in a sequence.
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_steps: usize,

    /// Time limit for the run, such as `60s` or `10m` [default: 5m, or none with `--cases`].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// How many sequences run at a time, each in a session of its own.
    #[arg(long, value_name = "N", default_value = "1", hide_short_help = true)]
    concurrency: NonZeroUsize,

    /// The seed of the run; it is chosen at random and reported without one.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Where no known value fits, use `default`, `examples` or a value generated from the schema.
    #[arg(long)]
    lenient: bool,

    /// A value that calls can use: `5` is a number, `alpha` and `'"5"'` are strings, `name=VALUE` serves only properties
    /// of that name.
    #[arg(long, value_name = "VALUE")]
    value: Vec<Seed>,

    /// Use the values of a file that `--dump-corpus` wrote.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    corpus: Option<PathBuf>,

    /// Use what the text of answers contains, not only `structuredContent`.
    #[arg(long, hide_short_help = true)]
    mine_text: bool,

    /// Explore all sequences in one session; failures are confirmed and shrunk in fresh ones.
    #[arg(long, hide_short_help = true)]
    reuse_session: bool,

    /// Prefer tools and arguments that exercise a part of a schema that no call has exercised.
    ///
    /// Choices are not uniform then, and sequences run one by one.
    #[arg(long, conflicts_with = "concurrency")]
    guided: bool,

    /// Call only tools whose names match GLOB, or with `!GLOB` none of them.
    #[arg(long, value_name = "GLOB")]
    tools: Vec<String>,

    /// Call tools that declare themselves destructive, and without a sandbox those that do not say that they are not.
    #[arg(long)]
    allow_destructive: bool,

    /// On a server that is not local, call tools that do not declare themselves read-only.
    #[arg(long, hide_short_help = true)]
    allow_writes: bool,

    /// Warnings and rules are about these tools only.
    #[arg(long, value_name = "TOOL", hide_short_help = true)]
    coverage_allow: Vec<String>,

    /// Warnings and rules are not about these tools.
    #[arg(long, value_name = "TOOL", hide_short_help = true)]
    coverage_block: Vec<String>,

    /// Fail unless every tool was called with success N times.
    #[arg(long, value_name = "N", hide_short_help = true)]
    min_calls: Option<u64>,

    /// Fail unless this share of the tools that can be called was called with success.
    #[arg(long, value_name = "PERCENT", hide_short_help = true)]
    min_tools: Option<f64>,

    /// Fail unless every tool was called with success.
    #[arg(long)]
    no_uncalled: bool,

    /// Whether tools may answer with errors.
    #[arg(long, value_enum, default_value = "allow", hide_short_help = true)]
    errors: ErrorsArg,

    /// The severity of a check, such as `slow_call=fail`; `foolproof mcp checks` lists them.
    #[arg(long, value_name = "CODE=SEVERITY", value_parser = check_severity)]
    check: Vec<(Check, Severity)>,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Show for each tool a call that would be made, or what is missing, without calling any.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,

    /// Write a summary in Markdown to FILE; in a job of GitHub Actions, append it to the summary of the job too.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary_md: Option<PathBuf>,

    /// Write a report for test tools, in the format of `JUnit`, to FILE.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write the first failure to FILE, for `foolproof mcp replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) repro: Option<PathBuf>,

    /// Write which parts of the tools' schemas the calls exercised to FILE, in the format of `foolproof coverage`.
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_report: Option<PathBuf>,

    /// Write the same as one HTML page to FILE.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) coverage_html: Option<PathBuf>,

    /// Write all values that were known at the end to FILE, for `--corpus`.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) dump_corpus: Option<PathBuf>,
}

/// How sessions are made.
#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// How long a server may take to start.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s", hide_short_help = true)]
    start_timeout: Duration,

    /// Time limit for one call; each progress notification restarts it, up to three times this time in all.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    call_timeout: Duration,

    /// The revision of the protocol.
    #[arg(long, value_enum, default_value = "auto", hide_short_help = true)]
    protocol: ProtocolArg,

    /// A shell command to run before each session.
    #[arg(long, value_name = "CMD")]
    reset_command: Option<String>,
}

impl ConnectArgs {
    fn options(&self) -> ConnectOptions {
        ConnectOptions {
            protocol: self.protocol.into(),
            start_timeout: self.start_timeout,
            call_timeout: self.call_timeout,
            elicit: Some(Arc::new(foolproof_mcp::simplest_of_schema)),
            ..ConnectOptions::default()
        }
    }

    fn target(&self, endpoint: Endpoint) -> Target {
        let reset_command = self.reset_command.clone();
        Target { endpoint, reset_command, connect: self.options() }
    }
}

/// The process of a server.
#[derive(Debug, Args)]
pub(crate) struct ProcessArgs {
    /// A variable of the server's environment.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,

    /// A variable that the server inherits.
    #[arg(long, value_name = "NAME")]
    pub(crate) inherit_env: Vec<String>,

    /// The working folder of the server.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    #[command(flatten)]
    sandbox: SandboxArgs,
}

/// What the process of a server may do.
#[derive(Debug, Args)]
pub(crate) struct SandboxArgs {
    /// Let the server write to PATH, a file or folder, beside the folder of its session.
    #[arg(long, value_name = "PATH", conflicts_with = "no_sandbox")]
    allow_write: Vec<PathBuf>,

    /// Keep the server from connecting or listening over TCP, also on this machine.
    #[arg(long, conflicts_with = "no_sandbox")]
    no_network: bool,

    /// Let the server write wherever you may, and use the network. Its tools are then called only if they say that they
    /// are harmless, or with `--allow-destructive`.
    #[arg(long)]
    no_sandbox: bool,
}

/// How a server at a URL is reached.
#[derive(Debug, Args)]
pub(crate) struct HttpOptions {
    /// A header of every request.
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,

    /// The variable that has the token for `Authorization: Bearer`.
    #[arg(long, value_name = "VARIABLE")]
    bearer_env: Option<String>,

    /// A file in PEM with the certificates of a private authority, which is trusted beside the public ones.
    #[arg(long, value_name = "FILE")]
    ca_cert: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The file that `--repro` wrote.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    process: ProcessArgs,

    #[command(flatten)]
    http: HttpOptions,

    /// The address of another server than that of the file.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,

    /// Start the command of the file, or call its URL, without asking. A file that you did not write can name any program.
    #[arg(long)]
    trust: bool,

    /// Call tools that declare themselves destructive, and without a sandbox those that do not say that they are not.
    #[arg(long)]
    allow_destructive: bool,

    /// On a server that is not local, call tools that do not declare themselves read-only.
    #[arg(long)]
    allow_writes: bool,

    /// A value that the file does not have because it was a secret, as it was given to the run.
    #[arg(long, value_name = "VALUE")]
    value: Vec<Seed>,

    /// The severity of a check.
    #[arg(long, value_name = "CODE=SEVERITY", value_parser = check_severity)]
    check: Vec<(Check, Severity)>,

    #[command(flatten)]
    connect: ConnectArgs,

    /// The server, instead of that of the file.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ErrorsArg {
    Allow,
    Forbid,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProtocolArg {
    Auto,
    #[value(name = "2025-11-25")]
    Handshake,
    #[value(name = "2026-07-28")]
    Stateless,
}

impl From<ProtocolArg> for ProtocolChoice {
    fn from(arg: ProtocolArg) -> Self {
        match arg {
            ProtocolArg::Auto => Self::Auto,
            ProtocolArg::Handshake => Self::Handshake,
            ProtocolArg::Stateless => Self::Stateless,
        }
    }
}

impl RunArgs {
    /// The names of tools that the server must have.
    fn named_tools(&self) -> Vec<String> {
        let patterns = self.tools.iter().map(|it| it.strip_prefix('!').unwrap_or(it).to_owned());
        patterns.chain(self.coverage_allow.clone()).chain(self.coverage_block.clone()).collect()
    }

    /// The files to write.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let coverage = [&self.coverage_report, &self.coverage_html];
        let own = [&self.junit, &self.repro, &self.dump_corpus, &self.summary_md];
        let files = own.into_iter().chain(coverage);
        files.filter_map(Option::as_deref)
    }

    /// The files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Input<'_>> {
        let corpus = self.corpus.as_deref().into_iter();
        corpus.map(|path| Input { role: "corpus", path })
    }

    /// The command that repeats the failure in `repro`, a file that this run wrote.
    pub(crate) fn replay_command(&self, repro: &Path) -> String {
        let file = Untrusted::new(repro.to_string_lossy()).shell();
        let mut command = format!("foolproof mcp replay {file} --trust");
        for (is_given, option) in [
            (self.allow_destructive, " --allow-destructive"),
            (self.allow_writes, " --allow-writes"),
        ] {
            command.push_str(if is_given { option } else { "" });
        }
        command
    }

    /// The options of the run.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        if self.min_steps > self.max_steps {
            let (least, most) = (self.min_steps, self.max_steps);
            return Err(Failure::Usage(format!(
                "--min-steps {least} is more than --max-steps {most}"
            )));
        }
        let mut seeds = self.value.clone();
        if let Some(path) = &self.corpus {
            let text = input::read_text(path, input::MAX_CALLS)?;
            let file = CorpusFile::from_text(&text).map_err(|error| {
                Failure::Usage(format!("`{}` is no corpus file: {error}", path.display()))
            })?;
            seeds.extend(file.seeds());
        }
        let mut rules = Vec::new();
        rules.extend(self.min_calls.map(Rule::MinCalls));
        if let Some(percent) = self.min_tools {
            if !(0.0..=100.0).contains(&percent) {
                return Err(Failure::Usage(format!("--min-tools {percent} is no percentage")));
            }
            rules.push(Rule::MinTools(percent));
        }
        rules.extend(self.no_uncalled.then_some(Rule::NoUncalled));
        let mut checks = Checks::default();
        if matches!(self.errors, ErrorsArg::Forbid) {
            checks = checks.with(Check::ErrorAnswer, Severity::Fail);
        }
        for (check, severity) in &self.check {
            checks = checks.with(*check, *severity);
        }
        let allowlist = (!self.coverage_allow.is_empty()).then(|| self.coverage_allow.clone());
        Ok(Settings {
            cases: self.cases.unwrap_or(DEFAULT_CASES),
            min_steps: self.min_steps,
            max_steps: self.max_steps,
            seed: self.seed,
            // Who asks for a number of sequences wants them all.
            time: self.time.or_else(|| self.cases.is_none().then_some(DEFAULT_TIME)),
            concurrency: self.concurrency,
            seeds,
            lenient: self.lenient,
            mine_text: self.mine_text,
            reuse_session: self.reuse_session,
            guided: self.guided,
            tools: selection(&self.tools),
            named_tools: self.named_tools(),
            allow_destructive: self.allow_destructive,
            allow_writes: self.allow_writes,
            coverage_allowlist: allowlist,
            coverage_blocklist: self.coverage_block.clone(),
            rules,
            checks,
            ..Settings::default()
        })
    }
}

impl ProcessArgs {
    /// The server that `command` starts.
    pub(crate) fn target(&self, command: &[String], run: &RunArgs) -> Result<Target, Failure> {
        Ok(run.connect.target(self.endpoint(command)?))
    }

    fn endpoint(&self, command: &[String]) -> Result<Endpoint, Failure> {
        let Some((program, args)) = command.split_first() else {
            return Err(Failure::Usage("no command to start the server with".to_owned()));
        };
        if let Some(name) = self.inherit_env.iter().find(|name| env::var_os(name).is_none()) {
            return Err(Failure::Usage(format!("--inherit-env {name}: it is not set")));
        }
        let isolation = self.sandbox.isolation()?;
        let mut endpoint = CommandEndpoint::new(program, args, isolation);
        endpoint.env = self.env.iter().cloned().collect();
        endpoint.inherit.clone_from(&self.inherit_env);
        endpoint.cwd.clone_from(&self.cwd);
        Ok(Endpoint::Command(endpoint))
    }
}

impl SandboxArgs {
    /// How servers are isolated on this system, as these options want it.
    fn isolation(&self) -> Result<Isolation, Failure> {
        self.isolation_with(launcher()?, Support::of_this_system(), is_root())
    }

    fn isolation_with(
        &self,
        launcher: Option<Launcher>,
        support: Support,
        is_root: bool,
    ) -> Result<Isolation, Failure> {
        let supervised = launcher.clone().map_or(Isolation::Unconfined, Isolation::Supervised);
        if self.no_sandbox {
            return Ok(supervised);
        }
        if self.no_network && !support.network {
            return Err(Failure::Usage(
                "--no-network: this system cannot restrict the network (Linux 6.7 or newer can)"
                    .to_owned(),
            ));
        }
        let Some(launcher) = launcher.filter(|_| support.files) else {
            if !self.allow_write.is_empty() {
                return Err(Failure::Usage(
                    "--allow-write: this system has no sandbox, so it would change nothing"
                        .to_owned(),
                ));
            }
            if is_root {
                return Err(Failure::Usage(
                    "this system has no sandbox, and root may change everything: run as another user, or with --no-sandbox"
                        .to_owned(),
                ));
            }
            return Ok(supervised);
        };
        let allowed = |path: &PathBuf| {
            fs::canonicalize(path).map_err(|error| {
                let path = path.display();
                Failure::Usage(format!("--allow-write {path}: {error}; create it first"))
            })
        };
        // A path inside of another one is allowed with it. What is there now may be a link that the server has left.
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let is_outermost = |path: &&PathBuf| {
            let own = absolute(path);
            let is_around = |other: &PathBuf| own.starts_with(other) && own != *other;
            !self.allow_write.iter().map(absolute).any(|other| is_around(&other))
        };
        let outermost = self.allow_write.iter().filter(is_outermost);
        let writable = outermost.map(allowed).collect::<Result<_, _>>()?;
        let network = if self.no_network { Network::NoTcp } else { Network::Open };
        Ok(Isolation::Sandboxed(launcher, Sandbox { writable, network }))
    }
}

/// This program, which starts servers as their launcher; only Linux has what a launcher needs.
fn launcher() -> Result<Option<Launcher>, Failure> {
    if cfg!(target_os = "linux") {
        Launcher::current_exe().map(Some).map_err(Failure::Signals)
    } else {
        Ok(None)
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

impl HttpOptions {
    /// The server at `url`.
    pub(crate) fn target(&self, url: &str, run: &RunArgs) -> Result<Target, Failure> {
        Ok(run.connect.target(self.endpoint(url)?))
    }

    fn endpoint(&self, url: &str) -> Result<Endpoint, Failure> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Failure::Usage(format!("`{url}` is no http or https address")));
        }
        Ok(Endpoint::Url(UrlEndpoint {
            url: url.to_owned(),
            headers: self.headers()?,
            bearer_token: self.bearer()?,
            ca_certificates: self.ca_certificates()?,
        }))
    }

    /// The certificates of the private authority.
    fn ca_certificates(&self) -> Result<Option<CaCertificates>, Failure> {
        let Some(path) = &self.ca_cert else { return Ok(None) };
        let problem = |detail: String| {
            let path = path.display();
            Failure::Usage(format!(
                "--ca-cert {path}: {detail}; give a file with the certificate of the authority in PEM, which \
                 `openssl x509 -in {path}` prints"
            ))
        };
        let pem = fs::read(path).map_err(|error| problem(error.to_string()))?;
        CaCertificates::from_pem(&pem).map(Some).map_err(|error| problem(error.to_string()))
    }

    /// The headers of every request.
    pub(crate) fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        let read = |text: &String| match text.split_once(':') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Failure::Usage(format!("--header {text}: it has no colon"))),
        };
        self.header.iter().map(read).collect()
    }

    /// The token.
    pub(crate) fn bearer(&self) -> Result<Option<String>, Failure> {
        let read = |name: &String| {
            env::var(name)
                .map_err(|_| Failure::Usage(format!("--bearer-env {name}: it is not set")))
        };
        self.bearer_env.as_ref().map(read).transpose()
    }
}

impl ReplayArgs {
    /// The server of the repro, or the one that was given instead.
    ///
    /// Fails unless the user has given the server or trusts the file.
    pub(crate) fn target(&self, repro: &Repro) -> Result<Target, Failure> {
        let given = Given {
            server: self.url.is_some() || !self.command.is_empty(),
            reset_command: self.connect.reset_command.is_some(),
        };
        Wanted::by(repro, given).confirm(self.trust)?;
        let text = |name: &str| repro.server.get(name).and_then(Value::as_str).map(str::to_owned);
        let endpoint = if let Some(url) = &self.url {
            self.http.endpoint(url)?
        } else if !self.command.is_empty() {
            self.process.endpoint(&self.command)?
        } else if let Some(url) = text("url") {
            let needed = texts(&repro.server, "headers");
            let given = self.http.headers()?;
            let is_given =
                |name: &String| given.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
            if let Some(name) = needed.iter().find(|name| !is_given(name)) {
                return Err(Failure::Usage(format!("the server needs --header '{name}: …'")));
            }
            if repro.server.get("bearer") == Some(&Value::Bool(true))
                && self.http.bearer_env.is_none()
            {
                return Err(Failure::Usage("the server needs --bearer-env VARIABLE".to_owned()));
            }
            self.http.endpoint(&url)?
        } else {
            self.recorded_process(repro)?
        };
        let mut target = self.connect.target(endpoint);
        target.reset_command = target.reset_command.or_else(|| text("resetCommand"));
        if target.reset_command.as_ref().is_some_and(|command| command.contains(MASK)) {
            return Err(Failure::Usage(
                "the reset command of the file had a secret: give it again with --reset-command"
                    .to_owned(),
            ));
        }
        Ok(target)
    }

    fn recorded_process(&self, repro: &Repro) -> Result<Endpoint, Failure> {
        let command = texts(&repro.server, "command");
        secrets::check_command(&command)?;
        let Endpoint::Command(mut endpoint) = self.process.endpoint(&command)? else {
            return Err(Failure::Usage("the file names no server".to_owned()));
        };
        for (name, value) in
            repro.server.get("env").and_then(Value::as_object).into_iter().flatten()
        {
            let value = value.as_str().unwrap_or_default().to_owned();
            endpoint.env.entry(name.clone()).or_insert(value);
        }
        for name in texts(&repro.server, "needs") {
            if let Ok(value) = env::var(&name) {
                endpoint.env.insert(name, value);
            } else if !endpoint.env.contains_key(&name) {
                return Err(Failure::Usage(format!(
                    "the server needs the variable {name}: set it, or use --env {name}=…"
                )));
            }
        }
        if endpoint.cwd.is_none() {
            endpoint.cwd = repro.server.get("cwd").and_then(Value::as_str).map(PathBuf::from);
        }
        Ok(Endpoint::Command(endpoint))
    }

    /// The options of the replay.
    pub(crate) fn settings(&self, repro: &Repro) -> Result<Settings, Failure> {
        let severities = self.check.iter();
        let checks = severities
            .fold(Checks::default(), |checks, (check, severity)| checks.with(*check, *severity));
        Ok(Settings {
            seeds: secrets::given_again(&repro.seeds, &self.value)?,
            mine_text: repro.mine_text,
            allow_destructive: self.allow_destructive,
            allow_writes: self.allow_writes,
            checks,
            ..Settings::default()
        })
    }
}

/// Whether a variable is a secret or has one in it.
fn is_secret(name: &str, value: &str) -> bool {
    let mut masks = Masks::default();
    masks.add_named(name, value);
    foolproof_live::is_secret_name(name) || !masks.is_empty()
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    let items = value.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The server of a repro: `{tmp}` stays a template, and secrets are only named.
pub(crate) fn server_of(target: &Target) -> Value {
    let mut server = match &target.endpoint {
        Endpoint::Command(command) => {
            let (secret, plain): (Vec<_>, Vec<_>) =
                command.env.iter().partition(|(name, value)| is_secret(name, value));
            let env: serde_json::Map<String, Value> =
                plain.into_iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let needs: Vec<&String> =
                command.inherit.iter().chain(secret.into_iter().map(|(name, _)| name)).collect();
            let whole: Vec<&String> =
                std::iter::once(&command.program).chain(&command.args).collect();
            json!({ "command": whole, "env": env, "needs": needs, "cwd": command.cwd })
        }
        Endpoint::Url(url) => {
            let headers: Vec<&String> = url.headers.iter().map(|(name, _)| name).collect();
            json!({ "url": url.url, "headers": headers, "bearer": url.bearer_token.is_some() })
        }
        Endpoint::Factory(_) | _ => json!({}),
    };
    if let Some(reset) = &target.reset_command {
        server["resetCommand"] = json!(reset);
    }
    server
}

/// Which tools the patterns select; all of them without patterns.
fn selection(patterns: &[String]) -> Option<Arc<foolproof_mcp::ToolPredicate>> {
    if patterns.is_empty() {
        return None;
    }
    let (excluded, included): (Vec<String>, Vec<String>) =
        patterns.iter().cloned().partition(|pattern| pattern.starts_with('!'));
    Some(Arc::new(move |tool: &Tool| {
        let is_included =
            included.is_empty() || included.iter().any(|it| matches_glob(it, tool.name()));
        is_included && !excluded.iter().any(|it| matches_glob(&it[1..], tool.name()))
    }))
}

/// A time such as `500ms`, `10s`, `2m` or `1h`; a plain number is in seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits =
        text.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 =
        number.parse().map_err(|_| format!("`{text}` is no time, such as 10s or 2m"))?;
    let seconds = match unit {
        "ms" => number / 1_000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3_600.0,
        other => return Err(format!("`{other}` is no unit of time: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is too long"))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) | None => Err(format!("`{text}` is not NAME=VALUE")),
    }
}

fn check_severity(text: &str) -> Result<(Check, Severity), String> {
    let Some((code, severity)) = text.split_once('=') else {
        return Err(format!("`{text}` is not CODE=fail, CODE=warn or CODE=off"));
    };
    let code = suggest::parse(code, "check", Check::ALL.map(Check::code))?;
    Ok((code, severity.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(no_sandbox: bool) -> SandboxArgs {
        SandboxArgs { allow_write: Vec::new(), no_network: false, no_sandbox }
    }

    fn usage(result: Result<Isolation, Failure>) -> String {
        match result {
            Err(Failure::Usage(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn root_starts_nothing_where_there_is_no_sandbox() {
        let (launcher, none) = (Launcher::new("/usr/bin/foolproof"), Support::default());
        let start = |args: &SandboxArgs, is_root| {
            args.isolation_with(Some(launcher.clone()), none, is_root)
        };
        assert!(usage(start(&args(false), true)).contains("--no-sandbox"));
        let supervised = Isolation::Supervised(launcher.clone());
        assert_eq!(start(&args(false), false).unwrap(), supervised);
        assert_eq!(start(&args(true), true).unwrap(), supervised);
        // Where there is no launcher either, as on Windows.
        let unconfined = args(false).isolation_with(None, none, false);
        assert_eq!(unconfined.unwrap(), Isolation::Unconfined);
    }

    #[test]
    fn options_that_would_change_nothing_are_refused() {
        let launcher = || Some(Launcher::new("/usr/bin/foolproof"));
        let none = Support::default();
        let writable = SandboxArgs { allow_write: vec!["/tmp".into()], ..args(false) };
        assert!(
            usage(writable.isolation_with(launcher(), none, false)).starts_with("--allow-write")
        );
        let closed = SandboxArgs { no_network: true, ..args(false) };
        assert!(usage(closed.isolation_with(launcher(), none, false)).starts_with("--no-network"));
    }
}

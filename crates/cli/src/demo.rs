//! `foolproof demo`: the three jobs on what is built in, in a few seconds and without a network.

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use foolproof_contract::Document;
use foolproof_coverage::{Profile, Report, Run, Settings, html_page};

use crate::{
    exit::Exit,
    failure::Failure,
    file, mcp,
    output::Output,
    terminal::{WIDTH, bar, short},
};

mod cache;

/// The contract that data is generated for.
const CONTRACT: &str = include_str!("demo/ticket.json");

/// The name that the contract has in the page.
const CONTRACT_NAME: &str = "ticket.json";

/// The numbers of instances that chance and guidance are compared for.
const SIZES: [u64; 5] = [1, 2, 4, 8, 16];

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Write the page with the coverage to FILE [default: a file in the folder for temporary files].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &DemoArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(path) = &args.out {
        file::probe(path)?;
    }
    let page = generate(args, output)?;
    heading("2. Test a live MCP server", output)?;
    writeln!(
        output,
        "A server that is built in keeps tasks, and has two bugs. It is tested from the outside: by calls of its tools.\n"
    )?;
    output.flush()?;
    let exit = mcp::demo(output)?;
    if exit != Exit::Success {
        return Ok(exit);
    }
    writeln!(output)?;
    heading("3. Test a Rust system against a model", output)?;
    writeln!(
        output,
        "A cache drops the entry that was not used for the longest time; putting an entry again should count as use.\n"
    )?;
    match cache::check() {
        Ok(_) => writeln!(output, "the bug was not found")?,
        Err(failure) => writeln!(output, "{failure}")?,
    }
    writeln!(output, "What the generated data covers is shown in {}", page.display())?;
    writeln!(
        output,
        "Next: `foolproof generate schema.json --coverage guided` with a contract of your own."
    )?;
    Ok(Exit::Success)
}

/// Generates data, shows what it covers, and writes the page.
fn generate(args: &DemoArgs, output: &mut Output) -> Result<PathBuf, Failure> {
    heading("1. Generate data that covers a contract", output)?;
    let document = Document::from_text(CONTRACT_NAME, CONTRACT).map_err(contract_failure)?;
    writeln!(output, "The contract of a ticket, coverage by the number of instances:\n")?;
    writeln!(output, "{:>9}  {:<31}  guided", "instances", "by chance")?;
    for instances in SIZES {
        let chance = covered(&document, Settings::measure(instances))?.0;
        let guided = covered(&document, Settings { instances, ..settings() })?.0;
        let (chance, guided) = (bar(chance.metrics.overall), bar(guided.metrics.overall));
        writeln!(output, "{instances:>9}  {chance:<31}  {guided}")?;
        output.flush()?;
    }
    let (report, lines) = covered(&document, settings())?;
    writeln!(output, "\nThe guided run ends with {} instances, each valid:\n", lines.len())?;
    for line in lines.iter().take(3) {
        writeln!(output, "  {}", short(line, WIDTH))?;
    }
    writeln!(output, "  …")?;
    let page = match &args.out {
        Some(path) => path.clone(),
        None => temporary_page()?,
    };
    let html = html_page(&report, &document.source_texts());
    let html =
        html.map_err(|error| Failure::Report { code: error.code(), message: error.to_string() })?;
    file::write(&page, html.as_bytes())?;
    writeln!(
        output,
        "\nA page that shows every part of the contract and what covers it: {}\n",
        page.display()
    )?;
    Ok(page)
}

fn settings() -> Settings {
    Settings::guided(Profile::Balanced)
}

/// The report of a run, and its instances as text.
fn covered(document: &Document, settings: Settings) -> Result<(Report, Vec<String>), Failure> {
    let mut run = Run::new(document, settings).map_err(contract_failure)?;
    let lines = run.by_ref().map(|instance| instance.value().to_string()).collect();
    Ok((run.finish(), lines))
}

fn contract_failure(error: foolproof_contract::Error) -> Failure {
    Failure::Contract { error, text: Some(CONTRACT.into()) }
}

/// Where the page goes if nothing is said. The folder is that of this user, so that two of them do not meet.
fn temporary_page() -> Result<PathBuf, Failure> {
    let user = env::var("USER").or_else(|_| env::var("USERNAME")).unwrap_or_default();
    let user: String = user.chars().filter(char::is_ascii_alphanumeric).collect();
    let user = if user.is_empty() { user } else { format!("-{user}") };
    let folder = env::temp_dir().join(format!("foolproof-demo{user}"));
    let page = folder.join("coverage.html");
    match private_folder(&folder, &page) {
        Ok(()) => Ok(page),
        Err(error) => Err(Failure::File { path: folder, error }),
    }
}

/// Makes a folder for `page` that only this user can write to. Its name can be guessed, so somebody else may have made it, or put
/// a link in the place of the page.
#[cfg(unix)]
fn private_folder(folder: &Path, page: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    if let Err(error) = fs::DirBuilder::new().mode(0o700).create(folder)
        && error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        let problem = "it belongs to somebody else; use `--out FILE`";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    match fs::symlink_metadata(page) {
        Ok(found) if !found.is_file() => fs::remove_file(page),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn private_folder(folder: &Path, _page: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn heading(text: &str, output: &mut Output) -> Result<(), Failure> {
    writeln!(output, "{text}\n{}\n", "=".repeat(text.chars().count()))?;
    Ok(())
}

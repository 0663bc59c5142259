//! `foolproof completions` and `foolproof man`: what a shell and the manual know of the command line. Both are made
//! from the command line itself.

use std::{fs, io::Write as _, path::PathBuf};

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{args::Cli, exit::Exit, failure::Failure, output::Output};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command to DIR, which is created if it is not there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn complete(args: &CompletionsArgs, output: &mut Output) -> Result<Exit, Failure> {
    // A script is made in memory first, since the library ends the program if it cannot be written.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "foolproof", &mut script);
    output.write_all(&script)?;
    output.flush()?;
    Ok(Exit::Success)
}

pub(crate) fn man(args: &ManArgs, output: &mut Output) -> Result<Exit, Failure> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        output.write_all(&page)?;
        output.flush()?;
        return Ok(Exit::Success);
    };
    let written =
        fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| Failure::File { path: folder.clone(), error })?;
    Ok(Exit::Success)
}

//! `foolproof completions` and `foolproof man`: what a shell and the manual know of the command line. Both are made
//! from the command line itself.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{args::Cli, exit::Exit, failure::Failure, file, output::Output};

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
    fs::create_dir_all(folder).map_err(|error| Failure::File { path: folder.clone(), error })?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    pages(&command, folder)?;
    Ok(Exit::Success)
}

/// Writes the page of `command`, and those of its subcommands.
fn pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    file::write(&folder.join(page.get_filename()), &text)?;
    let shown = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    shown.into_iter().try_for_each(|subcommand| pages(subcommand, folder))
}

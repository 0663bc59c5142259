//! Writes the instances of a run while its events come, as lines, blocks, one array or one archive, and
//! shows progress.

use std::io::{self, IsTerminal};

use foolproof_coverage::Event;

use super::{Destination, Request, request::Layout};
use crate::{failure::Failure, terminal::Progress};

pub(super) struct InstanceWriter<'w, 'd> {
    layout: Layout,
    destination: &'w mut Destination<'d>,
    is_empty: bool,
    shows_progress: bool,
    progress: Option<Progress>,
}

impl<'w, 'd> InstanceWriter<'w, 'd> {
    pub(super) fn new(request: &Request<'_>, destination: &'w mut Destination<'d>) -> Self {
        // Instances on the screen show the progress themselves, and would mix with the bar.
        let is_screen_free = request.args.out.is_some() || !io::stdout().is_terminal();
        Self {
            layout: request.layout(),
            destination,
            is_empty: true,
            shows_progress: !request.args.verbosity.quiet && is_screen_free,
            progress: None,
        }
    }

    /// Reads the next event of the run.
    pub(super) fn read(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Planned { indices, .. } => {
                let total = Some(indices.end - indices.start);
                self.progress = Some(Progress::new(self.shows_progress, total, "instances"));
                Ok(())
            }
            Event::Instance { bytes, .. } => self.write(bytes),
            Event::Progress(totals) => {
                if let Some(progress) = &mut self.progress {
                    progress.set(totals.generated + totals.missing);
                }
                // A reader may be waiting.
                self.destination.flush()
            }
            Event::Finished(_) => self.end(),
            Event::Missing { .. } | _ => Ok(()),
        }
    }

    /// Removes the progress bar from the screen.
    pub(super) fn clear_progress(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear();
        }
    }

    fn write(&mut self, instance: &[u8]) -> Result<(), Failure> {
        let before: &[u8] = match (self.layout, self.is_empty) {
            (Layout::Lines, _) => {
                self.destination.write(instance)?;
                return self.destination.write(b"\n");
            }
            (Layout::Blocks, true) => b"",
            (Layout::Blocks, false) => b"\n",
            (Layout::Array, true) => b"[\n",
            (Layout::Archive, true) => ARCHIVE.as_bytes(),
            (Layout::Array | Layout::Archive, false) => b",\n",
        };
        self.destination.write(before)?;
        self.is_empty = false;
        self.destination.write(instance)
    }

    /// Closes what is open.
    fn end(&mut self) -> Result<(), Failure> {
        let start = match (self.layout, self.is_empty) {
            (Layout::Array, true) => "[",
            (Layout::Archive, true) => ARCHIVE,
            _ => "",
        };
        self.destination.write(start.as_bytes())?;
        let end: &[u8] = match (self.layout, self.is_empty) {
            (Layout::Lines | Layout::Blocks, _) => b"",
            (Layout::Array, true) => b"]\n",
            (Layout::Array, false) => b"\n]\n",
            (Layout::Archive, _) => b"\n]}}\n",
        };
        self.destination.write(end)
    }
}

/// The start of an HTTP archive.
const ARCHIVE: &str = concat!(
    r#"{"log":{"version":"1.2","creator":{"name":"foolproof","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"entries":["#,
    "\n"
);

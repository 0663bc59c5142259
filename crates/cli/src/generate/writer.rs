//! Writes the instances of a run while its events come, as lines or as one array, and shows progress.

use std::io::{self, IsTerminal};

use foolproof_coverage::Event;

use super::{Destination, Request};
use crate::{args::FormatArg, failure::Failure, terminal::Progress};

pub(super) struct InstanceWriter<'w, 'd> {
    format: FormatArg,
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
            format: request.format(),
            destination,
            is_empty: true,
            shows_progress: !request.args.quiet && is_screen_free,
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
        match (self.format, self.is_empty) {
            (FormatArg::Jsonl, _) => {}
            (FormatArg::Json, true) => self.destination.write(b"[\n")?,
            (FormatArg::Json, false) => self.destination.write(b",\n")?,
        }
        self.is_empty = false;
        self.destination.write(instance)?;
        if self.format == FormatArg::Jsonl {
            self.destination.write(b"\n")?;
        }
        Ok(())
    }

    /// Closes the array.
    fn end(&mut self) -> Result<(), Failure> {
        match (self.format, self.is_empty) {
            (FormatArg::Jsonl, _) => Ok(()),
            (FormatArg::Json, true) => self.destination.write(b"[]\n"),
            (FormatArg::Json, false) => self.destination.write(b"\n]\n"),
        }
    }
}

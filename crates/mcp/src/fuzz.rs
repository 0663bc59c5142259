//! What fuzz targets need of this crate beside its interface. Not part of what is stable.

pub use crate::wire::fuzz::{
    EventData, Interpreted, Read, ReadEvent, ReadLine, events, interpret, lines,
};
use crate::{StepError, StepFile, Tool, call_step::CallStep};

/// The call of a file as it is written again, and as it is written once everything that was shrunk is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The same call.
    pub step: StepFile,
    /// The call that was shrunk.
    pub settled: StepFile,
}

/// Reads the call of a file and writes it again.
pub fn rewrite(file: &StepFile, tools: &[Tool]) -> Result<Rewritten, StepError> {
    let step: CallStep = file.to_step(tools)?;
    Ok(Rewritten { step: StepFile::of(&step, tools), settled: StepFile::settled(&step, tools) })
}

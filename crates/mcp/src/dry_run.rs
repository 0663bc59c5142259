//! What a run would call first, without calling anything.

use std::fmt;

use foolproof_contract::Untrusted;
use foolproof_stateful::Rng;

use crate::{
    arguments,
    corpus::Corpus,
    run::{RunError, prepare},
    settings::Settings,
    target::Target,
    tool_coverage::ToolWarning,
};

/// What a run would call first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DryRun {
    /// Each tool with what would be done.
    pub tools: Vec<(Untrusted, DryCall)>,
}

/// What would be done with a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DryCall {
    /// It can be called from the start, as with these arguments, in JSON.
    Callable(Untrusted),
    /// It can be called once more values are known.
    Uncallable(ToolWarning),
    /// It would not be called, for this reason.
    Skipped(Untrusted),
}

/// Lists the tools of a server, and shows for each a call that could come first.
pub async fn dry_run(target: &Target, settings: &Settings) -> Result<DryRun, RunError> {
    let prepared = prepare(target, settings).await?;
    let corpus = Corpus::new(prepared.seeds.clone());
    let machine = prepared.machine(settings);
    let mut rng = Rng::new(settings.seed.unwrap_or(0));
    let mut tools = Vec::new();
    for (index, tool) in machine.tools.iter().enumerate() {
        let call = match (&prepared.selection[index], tool.input()) {
            (Some(skipped), _) => DryCall::Skipped(skipped.detail.clone()),
            (None, None) => DryCall::Skipped("its schema cannot be used".into()),
            (None, Some(input)) => {
                let drawn = machine
                    .missing(index, &corpus)
                    .is_none()
                    .then(|| arguments::draw(input, &corpus, settings, &mut rng))
                    .flatten();
                match drawn {
                    Some(arguments) => DryCall::Callable(arguments.value.to_string().into()),
                    None => DryCall::Uncallable(machine.warning(index, &corpus)),
                }
            }
        };
        tools.push((tool.name().into(), call));
    }
    machine.pool.close_all().await;
    Ok(DryRun { tools })
}

impl fmt::Display for DryRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (tool, call) in &self.tools {
            match call {
                DryCall::Callable(arguments) => writeln!(formatter, "{tool} {arguments}")?,
                DryCall::Uncallable(warning) => writeln!(formatter, "{tool}: not yet: {warning}")?,
                DryCall::Skipped(why) => writeln!(formatter, "{tool}: skipped: {why}")?,
            }
        }
        Ok(())
    }
}

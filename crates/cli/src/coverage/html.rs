//! `foolproof coverage html`: a stored report as one HTML page, and the pages of other commands.

use foolproof_contract::{SourceText, wording::abbreviate};
use foolproof_coverage::{HtmlError, Report, html_page};

use super::{args::HtmlArgs, report_file};
use crate::{
    exit::Exit,
    failure::Failure,
    file,
    output::Output,
    outputs::{self, Input, Sink},
    source::{self, ContractFile},
};

pub(super) fn run(args: &HtmlArgs, output: &mut Output) -> Result<Exit, Failure> {
    let sink = Sink::named(&args.out);
    let contract = args.contract.as_deref();
    let report = Input { role: "report", path: &args.report };
    let contract_input = contract.map(|path| Input { role: "contract", path });
    let inputs: Vec<Input<'_>> = contract_input.into_iter().chain([report]).collect();
    outputs::check(&[sink], &inputs)?;
    file::probe_sink(sink)?;
    let report = report_file::read(&args.report)?;
    let texts = match contract {
        None => Vec::new(),
        Some(file) => {
            let folder = args.allow_file_refs.as_ref();
            let source = source::read_file(&ContractFile {
                file,
                folder,
                draft: args.draft,
                max_bytes: args.max_contract_bytes,
            })?;
            source.check_outputs(&[sink])?;
            check_fingerprint(args, &report, &source.document.fingerprint())?;
            source.document.source_texts()
        }
    };
    let page = html_page(&report, &texts)
        .map_err(|error| report_file::fail(&[&args.report], error.code(), &error))?;
    super::write(sink, &page, output)?;
    Ok(Exit::Success)
}

/// A page with the text of another contract would be wrong at every location.
fn check_fingerprint(args: &HtmlArgs, report: &Report, found: &str) -> Result<(), Failure> {
    let Some(expected) = report.run.contract_fingerprint.as_deref() else { return Ok(()) };
    if expected == found {
        return Ok(());
    }
    let contract = args.contract.as_deref().unwrap_or(&args.report).display();
    let (expected, found) = (abbreviate(expected, 20), abbreviate(found, 20));
    Err(Failure::Report {
        code: "coverage::other-contract",
        message: format!(
            "`{}`: the report is not about `{contract}`, or that has changed since (fingerprints {expected} and {found}); pass the contract of the report, or leave `--contract` out",
            args.report.display()
        ),
    })
}

/// Writes the page of a report that a command has just made.
pub(crate) fn write(
    sink: Sink<'_>,
    report: &Report,
    texts: &[SourceText],
    output: &mut Output,
) -> Result<(), Failure> {
    let fail =
        |error: HtmlError| Failure::Report { code: error.code(), message: error.to_string() };
    super::write(sink, &html_page(report, texts).map_err(fail)?, output)
}

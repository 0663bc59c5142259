//! `foolproof inspect`: what a contract contains, and what in it is impossible.

use std::io::Write;

use foolproof_contract::{
    Canonicalizer, ContractKind, Diagnostic, Document, DraftOrigin, Graph, Oracle, Pointer, Verdict,
};

use crate::{
    args::InspectArgs,
    exit::Exit,
    failure::Failure,
    output::Output,
    outputs::{self, Input, Sink},
    source, warning,
};

mod api;
mod report;
mod text;

use report::{Definitions, Dialect, Impossible, Relaxed, Report, VERSION};

pub(crate) fn run(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let contract = Input { role: "contract", path: &args.contract.file };
    outputs::check(&[Sink::Stdout], &[contract])?;
    let source = source::read(&args.contract)?;
    source.check_outputs(&[Sink::Stdout])?;
    let document = &source.document;
    if document.kind() != ContractKind::Schema {
        return api::run(args, &source, output);
    }
    let formats = args.contract.formats.into();
    let fail = |error| source.fail(error);
    let graph = Graph::of(document).map_err(fail)?;
    warning::self_references(graph.self_references());
    // Reports now what would make the generation of data fail later: what does not compile.
    Oracle::new(document, formats).map_err(fail)?;
    let mut forms = Canonicalizer::with_graph(document, graph, formats);
    let report = describe(document, &mut forms, source.bytes);
    if args.json {
        serde_json::to_writer_pretty(&mut *output, &report).map_err(std::io::Error::from)?;
        writeln!(output)?;
    } else {
        text::write(&report, &mut output.text())?;
    }
    output.flush()?;
    Ok(if report.satisfiable == "no" { Exit::Unsatisfiable } else { Exit::Success })
}

fn describe(document: &Document, forms: &mut Canonicalizer, bytes: usize) -> Report {
    let diagnostics = forms.diagnose();
    let graph = forms.graph();
    let unreached: Vec<Pointer> =
        graph.unreached_definitions().iter().map(|found| found.pointer().clone()).collect();
    let impossible: Vec<_> = diagnostics.iter().filter(|found| !found.is_intended()).collect();
    let positions =
        document.positions(unreached.iter().chain(impossible.iter().map(|found| found.pointer())));
    let position_of = |pointer: &Pointer| {
        let position = positions.get(pointer);
        report::Position {
            pointer: pointer.to_fragment(),
            line: position.map(|position| position.line()),
            column: position.map(|position| position.column()),
        }
    };
    Report {
        version: VERSION,
        document: document.name().to_owned(),
        kind: document.kind().to_string(),
        dialect: dialect(document),
        format: document.format().map(|format| format.to_string()),
        bytes,
        locations: graph.nodes().len(),
        definitions: Definitions {
            total: graph.definitions(),
            unreached: unreached.iter().map(position_of).collect(),
        },
        satisfiable: match forms.root().satisfiable() {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Unknown => "unknown",
        },
        unsatisfiable: impossible
            .iter()
            .map(|found| impossible_location(found, position_of(found.pointer())))
            .collect(),
        relaxed: forms
            .relaxed()
            .iter()
            .map(|relaxation| Relaxed {
                pointer: relaxation.pointer().to_fragment(),
                keyword: relaxation.keyword(),
                effect: relaxation.effect(),
                reason: relaxation.reason().to_string(),
            })
            .collect(),
        external: graph.external_resources().map(str::to_owned).collect(),
    }
}

/// The draft that schemas are read under.
fn dialect(document: &Document) -> Dialect {
    Dialect {
        draft: document.draft().name(),
        origin: match document.draft_origin() {
            DraftOrigin::Chosen => "chosen",
            DraftOrigin::Declared => "declared",
            DraftOrigin::Guessed => "guessed",
        },
    }
}

/// A location that no value satisfies.
fn impossible_location(found: &Diagnostic, position: report::Position) -> Impossible {
    let cause = |cause: &foolproof_contract::Cause| report::Cause {
        pointer: cause.pointer.to_fragment(),
        keywords: cause.keywords.clone(),
    };
    Impossible {
        position,
        code: found.code().as_str(),
        message: found.to_string(),
        causes: found.causes().iter().map(cause).collect(),
    }
}

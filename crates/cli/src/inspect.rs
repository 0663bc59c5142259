//! `foolproof inspect`: what a contract contains, and what in it is impossible.

use std::io::Write;

use foolproof_contract::{
    Canonicalizer, ContractKind, Document, DraftOrigin, Graph, Oracle, Pointer, Verdict,
};

use crate::{args::InspectArgs, exit::Exit, failure::Failure, output::Output, source, warning};

mod report;
mod text;

use report::{Definitions, Dialect, Impossible, Operation, Relaxed, Report, VERSION};

pub(crate) fn run(args: &InspectArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = source::read(&args.contract)?;
    let document = &source.document;
    let formats = args.contract.formats.into();
    let fail = |error| source.fail(error);
    let graph = Graph::of(document).map_err(fail)?;
    warning::self_references(graph.self_references());
    // Reports now what would make the generation of data fail later: what does not compile.
    for entry in graph.entries() {
        Oracle::at(document, entry.site().pointer(), formats).map_err(fail)?;
    }
    let mut forms = Canonicalizer::with_graph(document, graph, formats);
    let report = describe(document, &mut forms, source.bytes);
    if args.json {
        serde_json::to_writer_pretty(&mut *output, &report).map_err(std::io::Error::from)?;
        writeln!(output)?;
    } else {
        text::write(&report, output)?;
    }
    output.flush()?;
    Ok(if report.satisfiable == Some("no") { Exit::Unsatisfiable } else { Exit::Success })
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
    let is_schema = document.kind() == ContractKind::Schema;
    Report {
        version: VERSION,
        document: document.name().to_owned(),
        kind: document.kind().to_string(),
        dialect: Dialect {
            draft: document.draft().name(),
            origin: match document.draft_origin() {
                DraftOrigin::Chosen => "chosen",
                DraftOrigin::Declared => "declared",
                DraftOrigin::Guessed => "guessed",
            },
        },
        format: document.format().map(|format| format.to_string()),
        bytes,
        locations: graph.nodes().len(),
        operations: (!is_schema).then(|| document.operations().iter().map(operation).collect()),
        definitions: Definitions {
            total: graph.definitions(),
            unreached: unreached.iter().map(position_of).collect(),
        },
        satisfiable: is_schema.then(|| match forms.root().satisfiable() {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Unknown => "unknown",
        }),
        unsatisfiable: impossible
            .iter()
            .map(|found| Impossible {
                position: position_of(found.pointer()),
                code: found.code().as_str(),
                message: found.to_string(),
                causes: found
                    .causes()
                    .iter()
                    .map(|cause| report::Cause {
                        pointer: cause.pointer.to_fragment(),
                        keywords: cause.keywords.clone(),
                    })
                    .collect(),
            })
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

fn operation(operation: &foolproof_contract::Operation) -> Operation {
    Operation {
        key: operation.key().to_owned(),
        pointer: operation.pointer().to_fragment(),
        schemas: operation.schemas().len(),
    }
}

//! Reads APIs and lists what their entries are.
#![allow(clippy::print_stdout, reason = "x")]
use foolproof_contract::{
    Canonicalizer, Document, FormatPolicy, Oracle, Verdict,
    openapi::{Api, EntryOptions, Side},
};
use std::time::Instant;
fn main() {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let document = match Document::open(&path) {
            Ok(d) => d,
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        let api = Api::of(&document).unwrap();
        let read = start.elapsed();
        let (mut ok, mut bad, mut unsat, mut nodes) = (0, 0, 0, 0);
        let mut cut = std::time::Duration::ZERO;
        for index in 0..api.operations().len() {
            for side in [Side::Request, Side::Response] {
                let s = Instant::now();
                let entry = api.entry(index, side, &EntryOptions::default());
                cut += s.elapsed();
                match entry {
                    None => {}
                    Some(Err(e)) => {
                        bad += 1;
                        println!("  {} {}: {e}", api.operations()[index].key, side.as_str());
                    }
                    Some(Ok(entry)) => {
                        ok += 1;
                        if let Err(e) = Oracle::new(&entry.document, FormatPolicy::Assert) {
                            println!(
                                "  oracle {} {}: {e}",
                                api.operations()[index].key,
                                side.as_str()
                            );
                        }
                        match Canonicalizer::new(&entry.document, FormatPolicy::Assert) {
                            Err(e) => println!(
                                "  graph {} {}: {e}",
                                api.operations()[index].key,
                                side.as_str()
                            ),
                            Ok(forms) => {
                                nodes += forms.graph().nodes().len();
                                if !forms.relaxed().is_empty() {
                                    println!(
                                        "  relaxed {} {:?}",
                                        api.operations()[index].key,
                                        forms.relaxed()
                                    );
                                }
                                if forms.root().satisfiable() == Verdict::No {
                                    unsat += 1;
                                    println!(
                                        "  unsat {} {}",
                                        api.operations()[index].key,
                                        side.as_str()
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
        println!(
            "{path}: {} ops, {ok} entries, {bad} bad, {unsat} unsat, {nodes} nodes, read {read:?} cut {cut:?} total {:?} notes {:?}",
            api.operations().len(),
            start.elapsed(),
            api.notes().len()
        );
    }
}

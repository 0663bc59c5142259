//! The promises on speed, variety and memory, measured.
//!
//! The limit is what no generator of checked data can go below: validating and serialising its
//! output. The pipeline is compared with a multiple of that, on the same instances, in the same
//! process, in CPU time. `cargo bench --package foolproof-generate --bench limit`; see `HELP`.
//!
//! A bench, not a test: it reports, and always succeeds.
#![expect(clippy::print_stdout, reason = "a table for a person")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

mod arguments;
mod binary;
mod cpu;
mod memory;
mod process;
mod ratio;
mod report;
#[path = "../schemas/mod.rs"]
mod schemas;
mod threads;
mod variety;

use arguments::{Arguments, Task};
use report::Report;

const HELP: &str = "\
Measures the promises on speed, variety and memory.

  --n N           instances of the medium schema, for the ratio (default 100000)
  --most N        instances of the longest run whose memory is measured (default 1000000)
  --binary FILE   the `foolproof` to run (default: it is built)";

fn main() {
    match arguments::parse(std::env::args().skip(1)) {
        Ok(Task::Help) => println!("{HELP}"),
        Ok(Task::Memory(n)) => memory::report_own(n),
        Ok(Task::Measure(arguments)) => measure(&arguments),
        Err(problem) => println!("{problem}\n\n{HELP}"),
    }
}

fn measure(arguments: &Arguments) {
    println!("{}\n", cpu::machine());
    let schemas = schemas::all();
    let mut report = Report::default();
    report::heading("Pipeline (draw, check, serialise) against its limit (check, serialise)");
    ratio::table(&schemas, arguments.n, &mut report);
    report::heading("Distinct instances");
    variety::table(&schemas, &mut report);
    let binary = binary::find(arguments.binary.as_deref());
    report::heading("The whole command against the limit");
    process::table(&schemas, arguments.n, binary.as_deref(), &mut report);
    report::heading(&format!("Peak memory, schema `{}`", schemas::MEDIUM));
    memory::table(&schemas, arguments.most, binary.as_deref(), &mut report);
    report::heading(&format!("Threads, schema `{}`", schemas::MEDIUM));
    threads::table(&schemas, arguments.n, binary.as_deref());
    report::heading("Promises");
    report.print();
}

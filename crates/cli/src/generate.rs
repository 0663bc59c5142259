//! `foolproof generate`: valid instances of a schema.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::Instant,
};

use foolproof_contract::{Accepted, Canonicalizer, Document, Formats, Kind};
use foolproof_generate::{Generator, Seed};

use crate::{
    args::{FormatArg, GenerateArgs},
    exit::Exit,
    failure::Failure,
    output::Output,
    source,
};

pub(crate) fn run(args: &GenerateArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = source::read(&args.contract)?;
    let document = &source.document;
    if document.kind() != Kind::Schema {
        return Err(Failure::Unsupported("generating data from an OpenAPI document"));
    }
    let formats = args.contract.formats.into();
    let generator = Generator::new(document, formats).map_err(|error| source.fail(error))?;
    let start = Instant::now();
    let mut run = Run { generator: &generator, args, made: 0, missing: Vec::new() };
    if let Some(path) = &args.out {
        write_atomically(path, |file| run.write(file))?;
    } else {
        run.write(output)?;
        output.flush()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let Run { made, missing, .. } = run;
    let pace = if seconds > 0.0 {
        format!(", {:.0} a second", made as f64 / seconds)
    } else {
        String::new()
    };
    talk(&format!("{made} instances, seed {}{pace}", args.seed));
    if missing.is_empty() {
        return Ok(Exit::Success);
    }
    talk(&format!(
        "{} of {} could not be made, the first is number {}",
        missing.len(),
        args.n,
        missing[0]
    ));
    explain(document, formats);
    Ok(Exit::Unsatisfiable)
}

struct Run<'a> {
    generator: &'a Generator,
    args: &'a GenerateArgs,
    made: u64,
    /// The indices of the instances that could not be made.
    missing: Vec<u64>,
}

impl Run<'_> {
    fn write(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let (from, to) = self.args.shard.range(self.args.n);
        let seed = Seed::from_number(self.args.seed);
        for index in from..to {
            match self.generator.instance(seed, index) {
                Some(instance) => self.put(output, &instance)?,
                None => self.missing.push(index),
            }
        }
        match (self.args.format, self.made) {
            (FormatArg::Json, 0) => writeln!(output, "[]"),
            (FormatArg::Json, _) => writeln!(output, "\n]"),
            (FormatArg::Jsonl, _) => Ok(()),
        }
    }

    fn put(&mut self, output: &mut dyn Write, instance: &Accepted) -> io::Result<()> {
        let before = match (self.args.format, self.made) {
            (FormatArg::Jsonl, _) => "",
            (FormatArg::Json, 0) => "[\n",
            (FormatArg::Json, _) => ",\n",
        };
        output.write_all(before.as_bytes())?;
        serde_json::to_writer(&mut *output, instance.value())?;
        self.made += 1;
        if self.args.format == FormatArg::Jsonl { output.write_all(b"\n") } else { Ok(()) }
    }
}

/// Writes beside `path` and moves the result there once it is whole, so that a run that fails leaves
/// what was there before.
fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let written = (|| {
        let mut file = io::BufWriter::new(fs::File::create(&partial)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&partial, path)
    })();
    if written.is_err() {
        // What is left of a failed run is of no use; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Says which locations conflict, as far as it is known.
fn explain(document: &Document, formats: Formats) {
    let Ok(mut forms) = Canonicalizer::new(document, formats) else { return };
    let impossible: Vec<_> =
        forms.diagnose().into_iter().filter(|found| !found.is_intended()).take(5).collect();
    for found in &impossible {
        talk(&format!("{} {}: {found}", found.pointer().to_fragment(), found.code()));
    }
    if impossible.is_empty() {
        talk("no contradiction is known: the schema may admit values that were not found");
    }
}

fn talk(message: &str) {
    // Nobody is left to tell if even this cannot be printed.
    let _ = writeln!(io::stderr().lock(), "{message}");
}

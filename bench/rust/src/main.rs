//! Runs one generator that is a crate: `foolproof-peers PEER SCHEMA OUT SECONDS MOST`.
//!
//! The contract of every runner is in `bench/README.md`: instances as JSON lines to `OUT`, one JSON
//! object with counts and CPU times to standard output.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    io::{BufWriter, Write},
    time::{Duration, Instant},
};

use json_schema_ast::SchemaDocument;
use json_schema_fuzz::{GenerationConfig, ValueGenerator};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [peer, schema, out, seconds, most] = arguments.as_slice() else {
        return Err("usage: foolproof-peers PEER SCHEMA OUT SECONDS MOST".into());
    };
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema)?)?;
    let run = Run {
        out: BufWriter::new(fs::File::create(out)?),
        budget: Duration::from_secs_f64(seconds.parse()?),
        most: most.parse()?,
    };
    let mut source = StdRng::seed_from_u64(1);
    let report = match peer.as_str() {
        "noson" => run.take(Duration::ZERO, || noson::generate(&schema, &mut source))?,
        "json_schema_fuzz" => {
            let start = now();
            match SchemaDocument::from_json(&schema) {
                Ok(document) => {
                    let prepare = now().saturating_sub(start);
                    let config = GenerationConfig::default();
                    run.take(prepare, || ValueGenerator::generate(&document, config, &mut source))?
                }
                Err(error) => json!({ "refused": error.to_string() }),
            }
        }
        other => return Err(format!("no peer is called `{other}`").into()),
    };
    println!("{report}");
    Ok(())
}

struct Run {
    out: BufWriter<fs::File>,
    budget: Duration,
    most: u64,
}

impl Run {
    /// Draws until the budget or the number is used up.
    fn take<E: std::fmt::Display>(
        mut self,
        prepare: Duration,
        mut draw: impl FnMut() -> Result<Value, E>,
    ) -> Result<Value, Box<dyn Error>> {
        let (mut made, mut failed) = (0_u64, 0_u64);
        let mut errors: BTreeMap<String, u64> = BTreeMap::new();
        let (wall, start) = (Instant::now(), now());
        // The clock on the wall is cheap to read and never behind: the dear one is asked only then.
        let is_over =
            || wall.elapsed() >= self.budget && now().saturating_sub(start) >= self.budget;
        while made + failed < self.most && !is_over() {
            match draw() {
                Ok(value) => {
                    serde_json::to_writer(&mut self.out, &value)?;
                    self.out.write_all(b"\n")?;
                    made += 1;
                }
                Err(error) => {
                    *errors.entry(error.to_string()).or_default() += 1;
                    failed += 1;
                }
            }
        }
        self.out.flush()?;
        let cpu = now().saturating_sub(start).as_secs_f64();
        let error = errors.into_iter().max_by_key(|(_, count)| *count).map(|(text, _)| text);
        let prepare = prepare.as_secs_f64();
        Ok(
            json!({ "made": made, "failed": failed, "cpu": cpu, "prepare": prepare, "error": error }),
        )
    }
}

/// CPU time of this process.
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

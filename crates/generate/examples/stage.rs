//! One stage of generation, repeated: what `bench/instructions` counts the instructions of.
//!
//! `stage SCHEMA STAGE ROUNDS` makes the same instances first and then repeats the stage on all of them, so that the
//! difference of two runs with different ROUNDS is the stage alone. STAGE is `plan`, `draw` (into a value of its own), `generate`
//! (draw and check), `check`, `serialise` (by `serde_json`) or `all` (draw, check and write, as the command does).
#![expect(clippy::print_stdout, reason = "the output is the result")]

use std::{env, error::Error, hint::black_box, io::Write};

use foolproof_contract::{Accepted, FormatPolicy, Oracle, write_json};
use foolproof_generate::{DrawMemory, Generator, Meter, Seed};

#[path = "../benches/schemas/mod.rs"]
mod schemas;

/// The instances that a stage is repeated on: as they are in the middle of a long run.
const INSTANCES: std::ops::Range<u64> = 10_000..10_200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [schema, stage, rounds] = arguments.as_slice() else {
        return Err("usage: stage SCHEMA STAGE ROUNDS; see the source".into());
    };
    let schemas = schemas::all();
    let schema = schemas.iter().find(|it| it.name == schema).ok_or("there is no such schema")?;
    let document = schema.document()?;
    let generator = Generator::new(&document, FormatPolicy::Assert)?;
    let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
    let seed = Seed::from_number(1);
    let instances: Vec<Accepted> =
        INSTANCES.filter_map(|index| generator.instance(seed, index)).collect();
    let (mut text, mut memory, mut meter) = (Vec::new(), DrawMemory::new(), Meter::counting());
    for _ in 0..rounds.parse::<u32>()? {
        match stage.as_str() {
            "plan" => {
                black_box(Generator::new(&document, FormatPolicy::Assert)?);
            }
            "draw" => {
                for index in INSTANCES {
                    let random = seed.child("draw", index).random();
                    black_box(generator.plan().draw(&mut { random }));
                }
            }
            "generate" => {
                for index in INSTANCES {
                    black_box(generator.generate_in(seed, index, &mut memory, &mut meter).is_ok());
                }
            }
            "check" => {
                for instance in &instances {
                    black_box(oracle.is_valid(instance.value()));
                }
            }
            "serialise" => {
                for instance in &instances {
                    write(instance, &mut text)?;
                }
            }
            "all" => {
                for index in INSTANCES {
                    let made = generator.generate_in(seed, index, &mut memory, &mut meter);
                    if let Ok(instance) = made {
                        text.clear();
                        write_json(instance.view().value(), &mut text);
                        black_box(&text);
                    }
                }
            }
            _ => return Err("there is no such stage".into()),
        }
    }
    println!("{}", instances.len());
    Ok(())
}

fn write(instance: &Accepted, text: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    text.clear();
    serde_json::to_writer(&mut *text, instance.value())?;
    text.flush()?;
    black_box(&text);
    Ok(())
}

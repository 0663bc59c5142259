//! A postcondition without the parameter for the result.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("reset", |c| {
            c.run(|(), model, system| (*model, *system) = (0, 0))
                .post(|(), model, system| model == system)
        })
        .check(Config::default());
}

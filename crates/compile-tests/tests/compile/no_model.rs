//! A test without a model.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .sut(|| 0)
        .command("reset", |c| c.run(|(), model, system| (*model, *system) = (0, 0)))
        .check(Config::default());
}

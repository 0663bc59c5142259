//! A test without a system.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .command("reset", |c| c.run(|(), model, system| (*model, *system) = (0, 0)))
        .check(Config::default());
}

//! A command without an action.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("add", |c| c.forall("by", 0..9_u8))
        .check(Config::default());
}

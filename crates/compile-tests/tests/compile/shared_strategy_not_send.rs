//! A strategy that is not `Send`, in a test that is shared by several threads.

use foolproof::stateful::{Config, stateful_shared};
use proptest::strategy::Strategy as _;

fn main() {
    let _ = stateful_shared::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("set", |c| {
            c.forall("to", (0..9_u8).boxed()).run(|to, model, system| (*model, *system) = (to, to))
        })
        .check(Config::default());
}

//! An argument after the precondition, which would not receive it.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("set", |c| {
            c.pre(|model, ()| *model < 9)
                .forall("to", 0..9_u8)
                .run(|to, model, system| (*model, *system) = (to, to))
        })
        .check(Config::default());
}

//! A postcondition that asserts instead of returning a `bool`.

use foolproof::stateful::{Config, stateful};

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("reset", |c| {
            c.run(|(), model, system| (*model, *system) = (0, 0))
                .post(|(), model, system, _| assert_eq!(model, system))
        })
        .check(Config::default());
}

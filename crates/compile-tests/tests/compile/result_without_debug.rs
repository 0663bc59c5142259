//! A result without `Debug`, which reports need.

use foolproof::stateful::{Config, stateful};

struct Secret;

fn main() {
    let _ = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("read", |c| c.run(|(), _, _| Secret))
        .check(Config::default());
}

//! The command that repeats a run.

use std::ffi::OsString;

use foolproof_contract::Untrusted;
use foolproof_live::Masks;

/// The command of this process with the seed of the run, as one types it in a shell, without its secrets.
pub(super) fn command(args: impl Iterator<Item = OsString>, seed: u64, masks: &Masks) -> String {
    let args = args.skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let mut args: Vec<String> = args.collect();
    let options = args.iter().take_while(|arg| *arg != "--");
    let has_seed = options.into_iter().any(|arg| arg == "--seed" || arg.starts_with("--seed="));
    if !has_seed {
        // After `mcp` and its subcommand.
        let place = args.len().min(2);
        args.splice(place..place, ["--seed".to_owned(), seed.to_string()]);
    }
    let words = args.iter().map(|arg| Untrusted::new(masks.mask(arg)).shell());
    ["foolproof".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_command_is_repeated_with_its_seed() {
    let again = |args: &[&str]| command(args.iter().map(OsString::from), 7, &Masks::default());
    assert_eq!(
        again(&["/bin/foolproof", "mcp", "stdio", "--value", "it's", "--", "server", "--seed"]),
        r"foolproof mcp stdio --seed 7 --value 'it'\''s' -- server --seed"
    );
    let seeded = ["foolproof", "mcp", "http", "--seed=3", "http://localhost:1/mcp"];
    assert_eq!(again(&seeded), "foolproof mcp http --seed=3 http://localhost:1/mcp");
}

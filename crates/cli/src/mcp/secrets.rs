//! The secrets of a run: what the user gives that is called like one, wherever it is given.

use std::env;

use foolproof_live::{MASK, Masks, SHORTEST_SECRET, environment};
use foolproof_mcp::{Seed, SeedFile, Target, wire::Endpoint};

use crate::{failure::Failure, terminal::print_line};

/// The secrets in how a server is started or reached, and in the values for its calls.
pub(super) fn of(target: &Target, seeds: &[Seed]) -> Masks {
    let mut masks = Masks::default();
    match &target.endpoint {
        Endpoint::Command(command) => {
            for (name, value) in environment::inherited() {
                masks.add_text(name, &value.to_string_lossy());
            }
            for (name, value) in &command.env {
                masks.add_named(name, value);
            }
            for name in &command.inherit {
                masks.add(name, &env::var(name).unwrap_or_default());
            }
            masks.add_arguments(command.args.iter().map(String::as_str));
        }
        Endpoint::Url(url) => {
            masks.add_text("the URL", &url.url);
            for (name, value) in &url.headers {
                masks.add_named(name, value);
            }
            masks.add("the bearer token", url.bearer_token.as_deref().unwrap_or_default());
        }
        Endpoint::Factory(_) | _ => {}
    }
    for seed in seeds {
        let text = seed.value.as_str().map(str::to_owned);
        let value = text.unwrap_or_else(|| seed.value.to_string());
        masks.add_named(seed.property.as_deref().unwrap_or("a value"), &value);
    }
    masks.add_text("the reset command", target.reset_command.as_deref().unwrap_or_default());
    masks
}

/// Says which values look like secrets and are too short to be masked.
pub(super) fn warn_of_short(masks: &Masks) {
    for name in masks.too_short() {
        print_line(&format!(
            "warning: {name} looks like a secret, but has fewer than {SHORTEST_SECRET} characters: it is not masked"
        ));
    }
}

/// The values of a repro, in which those that were secrets are taken from what the user gives again.
pub(super) fn given_again(recorded: &[SeedFile], given: &[Seed]) -> Result<Vec<Seed>, Failure> {
    let mut unnamed = given.iter().filter(|seed| seed.property.is_none());
    let seeds = recorded.iter().cloned().map(Seed::from).map(|seed| {
        if !seed.value.as_str().is_some_and(|text| text.contains(MASK)) {
            return Ok(seed);
        }
        let again = match &seed.property {
            Some(_) => given.iter().rfind(|given| given.property == seed.property),
            None => unnamed.next(),
        };
        again.cloned().ok_or_else(|| {
            let name = seed.property.map(|name| format!("{name}=")).unwrap_or_default();
            Failure::Usage(format!(
                "a value was a secret, so the file does not have it: give it again with --value {name}…"
            ))
        })
    });
    seeds.collect()
}

/// Fails if a part of the recorded server was a secret and was not given again.
pub(super) fn check_command(words: &[String]) -> Result<(), Failure> {
    match words.iter().find(|word| word.contains(MASK)) {
        None => Ok(()),
        Some(word) => Err(Failure::Usage(format!(
            "`{word}` in the command of the file was a secret, so the file does not have it: give the whole command after `--`"
        ))),
    }
}

//! The output of examples that pass.

use foolproof_stateful::Statistics;

/// Prints how often each command ran, and how often it was blocked.
pub(crate) fn statistics(title: &str, statistics: &Statistics) {
    println!("{title}: {} steps in {} sequences", statistics.steps, statistics.runs);
    for command in &statistics.commands {
        println!("  {}: {} ran, {} blocked", command.name, command.ran, command.blocked);
    }
}

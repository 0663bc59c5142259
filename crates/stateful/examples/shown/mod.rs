//! What the examples print when all is well.

use foolproof_stateful::Statistics;

/// How often each command ran, and how often it could not.
pub(crate) fn statistics(title: &str, statistics: &Statistics) {
    println!("{title}: {} steps in {} sequences", statistics.steps, statistics.runs);
    for command in &statistics.commands {
        println!("  {}: {} ran, {} blocked", command.name, command.ran, command.blocked);
    }
}

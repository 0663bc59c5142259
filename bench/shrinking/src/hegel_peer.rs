//! Runs scenarios with `hegeltest`: rules draw their arguments and assume preconditions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hegel::{
    HealthCheck, Hegel, Settings, TestCase, Verbosity, generators as gs,
    stateful::{Invariant, Rule, StateMachine},
};

use crate::{
    observer,
    planted::systems::Jug,
    scenario::{Domain, Scenario, Step, Value, fails, is_possible},
};

struct Both<P: Scenario> {
    model: P::Model,
    system: P::System,
}

impl<P: Scenario> Both<P> {
    /// The rule of command number `N`. Rules are plain functions, so they cannot capture a number.
    fn rule<const N: usize>(&mut self, case: TestCase) {
        let (command, domains) = P::commands(&self.model).swap_remove(N);
        let draw = |(name, domain)| (name, draw(&case, domain));
        let step = Step { command, arguments: domains.into_iter().map(draw).collect() };
        case.assume(is_possible::<P>(&self.model, &step));
        observer::step(format!("{step:?}"));
        let predicted = P::predict(&mut self.model, &step);
        if fails::<P>(&self.model, &mut self.system, &step, &predicted) {
            observer::failed();
            panic!("it is wrong");
        }
    }
}

fn draw(case: &TestCase, domain: Domain) -> Value {
    match domain {
        Domain::Number(least, most) => {
            Value::Number(case.draw(gs::integers::<i64>().min_value(least).max_value(most)))
        }
        Domain::Pick(from) => {
            case.assume(!from.is_empty());
            Value::Number(case.draw(gs::sampled_from(from)))
        }
        Domain::Text => Value::Text(case.draw(gs::from_regex("[a-z]{0,12}"))),
        Domain::Jug => Value::Jug(case.draw(gs::sampled_from(vec![Jug::Small, Jug::Large]))),
    }
}

impl<P: Scenario> StateMachine for Both<P> {
    fn rules(&self) -> Vec<Rule<Self>> {
        let rules: [fn(&mut Self, TestCase); 8] = [
            Self::rule::<0>,
            Self::rule::<1>,
            Self::rule::<2>,
            Self::rule::<3>,
            Self::rule::<4>,
            Self::rule::<5>,
            Self::rule::<6>,
            Self::rule::<7>,
        ];
        let commands = P::commands(&self.model).into_iter();
        commands.zip(rules).map(|((name, _), rule)| Rule::new(name, 1.0, rule)).collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        // Checked by the rules, after every step.
        Vec::new()
    }
}

/// Searches for the bug of `P` in at most `runs` sequences, and shrinks a failure.
pub(crate) fn run<P: Scenario>(seed: u64, runs: u32) {
    let settings = Settings::new()
        .seed(Some(seed))
        .test_cases(u64::from(runs))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .print_blob(false)
        .suppress_health_check(HealthCheck::all());
    let test = |case: TestCase| {
        observer::start();
        let both = Both::<P> { model: P::Model::default(), system: P::System::default() };
        hegel::stateful::machine(both).steps(50).run(case);
    };
    // The observer records whether it fails.
    let _ = catch_unwind(AssertUnwindSafe(|| Hegel::new(test).settings(settings).run()));
}

//! `hegeltest`: rules that draw their arguments, and assume what they need.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hegel::{
    HealthCheck, Hegel, Settings, TestCase, Verbosity, generators as gs,
    stateful::{Invariant, Rule, StateMachine},
};

use crate::{
    planted::systems::Jug,
    puzzle::{Kind, Puzzle, Step, Value, is_possible},
    watch,
};

struct Both<P: Puzzle> {
    model: P::Model,
    system: P::System,
}

impl<P: Puzzle> Both<P> {
    /// The rule of command number `N`. Rules are plain functions: they cannot hold a number.
    fn rule<const N: usize>(&mut self, case: TestCase) {
        let (command, kinds) = P::commands(&self.model).swap_remove(N);
        let draw = |(name, kind)| (name, draw(&case, kind));
        let step = Step { command, arguments: kinds.into_iter().map(draw).collect() };
        case.assume(is_possible::<P>(&self.model, &step));
        watch::step(format!("{step:?}"));
        let predicted = P::predict(&mut self.model, &step);
        let answered = P::answer(&mut self.system, &step);
        if answered != predicted || !P::holds(&self.model, &self.system) {
            watch::failed();
            panic!("it is wrong");
        }
    }
}

fn draw(case: &TestCase, kind: Kind) -> Value {
    match kind {
        Kind::Number(least, most) => {
            Value::Number(case.draw(gs::integers::<i64>().min_value(least).max_value(most)))
        }
        Kind::Pick(from) => {
            case.assume(!from.is_empty());
            Value::Number(case.draw(gs::sampled_from(from)))
        }
        Kind::Text => Value::Text(case.draw(gs::from_regex("[a-z]{0,12}"))),
        Kind::Jug => Value::Jug(case.draw(gs::sampled_from(vec![Jug::Small, Jug::Large]))),
    }
}

impl<P: Puzzle> StateMachine for Both<P> {
    fn rules(&self) -> Vec<Rule<Self>> {
        let rules: [fn(&mut Self, TestCase); 5] =
            [Self::rule::<0>, Self::rule::<1>, Self::rule::<2>, Self::rule::<3>, Self::rule::<4>];
        let commands = P::commands(&self.model).into_iter();
        commands.zip(rules).map(|((name, _), rule)| Rule::new(name, 1.0, rule)).collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        // Checked by the rules, after every step.
        Vec::new()
    }
}

/// Looks for the bug of `P` in so many sequences, and shrinks what it finds.
pub(crate) fn run<P: Puzzle>(seed: u64, runs: u32) {
    let settings = Settings::new()
        .seed(Some(seed))
        .test_cases(u64::from(runs))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .print_blob(false)
        .suppress_health_check(HealthCheck::all());
    let test = |case: TestCase| {
        watch::start();
        let both = Both::<P> { model: P::Model::default(), system: P::System::default() };
        hegel::stateful::machine(both).steps(50).run(case);
    };
    // Whether it fails is seen by the watch.
    let _ = catch_unwind(AssertUnwindSafe(|| Hegel::new(test).settings(settings).run()));
}

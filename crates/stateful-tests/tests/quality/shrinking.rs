//! How small failing sequences get, and how many executions it takes.

use foolproof_stateful::{
    Argument, Config, Failure, Fault, FaultKind, Machine, SessionContext, StateText, StepOutcome,
    StepRecord, StepRequest, check_machine, stateful,
};

use crate::planted::{BUGS, Bug, CRATE_BUGS};

/// How many seeds search for each bug.
const SEEDS: usize = 100;

fn seeded(seed: usize) -> Config {
    // The rarest bug appears in one sequence of a thousand.
    Config { seed: Some(seed as u64), num_runs: 20_000, ..Config::default() }
}

/// How small the counterexamples of a bug are.
#[derive(Default)]
struct Tally {
    found: usize,
    shortest: usize,
    smallest: usize,
    executions: Vec<u32>,
}

impl Tally {
    fn of(bug: &Bug, seeds: usize) -> Self {
        let mut tally = Self::default();
        for failure in (0..seeds).filter_map(|seed| (bug.check)(seeded(seed)).err()) {
            tally.found += 1;
            tally.shortest += usize::from(bug.is_shortest(failure.minimal()));
            tally.smallest += usize::from(bug.is_smallest(failure.minimal()));
            tally.executions.push(failure.executions());
        }
        tally.executions.sort_unstable();
        tally
    }

    fn add(&mut self, other: &Self) {
        self.found += other.found;
        self.shortest += other.shortest;
        self.smallest += other.smallest;
        self.executions.extend(&other.executions);
        self.executions.sort_unstable();
    }

    fn median(&self) -> u32 {
        self.executions[self.executions.len() / 2]
    }

    fn line(&self, name: &str) -> String {
        let Self { found, shortest, smallest, .. } = self;
        let median = self.median();
        format!("{name:<36} {found:>5} {shortest:>9} {smallest:>9} {median:>7}\n")
    }
}

#[test]
fn planted_bugs_are_shrunk_to_the_smallest_sequences() {
    if !foolproof_corpus::makes_tables() {
        return;
    }
    let mut all = Tally::default();
    let mut table = format!("{:<36} found  shortest  smallest  median\n", "");
    let mut is_fine = true;
    for bug in &BUGS {
        let one = Tally::of(bug, SEEDS);
        table += &one.line(bug.name);
        is_fine &= one.found == SEEDS && one.shortest * 100 >= 80 * SEEDS;
        all.add(&one);
    }
    table += &all.line("all");
    is_fine &= all.shortest * 100 >= 99 * all.found && all.smallest * 100 >= 99 * all.found;
    is_fine &= all.median() <= 100;
    println!("{table}");
    assert!(is_fine, "{table}");
}

/// How many seeds search for each bug in a wrapper of `redb`. Creating a database takes half a millisecond.
const REDB_SEEDS: usize = 30;
/// The least share of failures of one bug that are as short as possible, in percent.
const ONE_SHORTEST: usize = 95;
/// The same of all bugs.
const ALL_SHORTEST: usize = 98;
/// The least share of all failures with the simplest arguments, in percent.
const ALL_SMALLEST: usize = 97;

#[test]
fn bugs_in_wrappers_of_crates_are_shrunk() {
    if !foolproof_corpus::makes_tables() {
        return;
    }
    let mut all = Tally::default();
    let mut table = format!("{:<36} found  shortest  smallest  median\n", "");
    let mut is_fine = true;
    for bug in &CRATE_BUGS {
        let seeds = if bug.name.contains("redb") { REDB_SEEDS } else { SEEDS };
        let one = Tally::of(bug, seeds);
        table += &one.line(bug.name);
        is_fine &= one.found == seeds && one.shortest * 100 >= ONE_SHORTEST * seeds;
        all.add(&one);
    }
    table += &all.line("all");
    is_fine &= all.shortest * 100 >= ALL_SHORTEST * all.found;
    is_fine &= all.smallest * 100 >= ALL_SMALLEST * all.found;
    println!("{table}");
    assert!(is_fine, "{table}");
}

#[test]
fn every_run_of_the_system_is_counted() {
    for bug in &BUGS {
        crate::planted::take_created();
        let config = seeded(1);
        let confirmations = config.confirmations;
        let failure = (bug.check)(config).unwrap_err();
        // The sequences up to the failing one, that one once more, and the confirmations.
        let others = failure.statistics().unwrap().runs + 1 + u64::from(confirmations);
        assert_eq!(
            u64::from(crate::planted::take_created()),
            others + u64::from(failure.executions()),
            "{}",
            bug.name
        );
    }
}

#[test]
fn shrinking_is_deterministic() {
    for bug in &BUGS {
        let [first, second] = [7, 7].map(|seed| (bug.check)(seeded(seed)).unwrap_err());
        assert_eq!(first.to_string(), second.to_string());
        assert!(!first.is_flaky() && !first.reached_shrink_limit(), "{first}");
    }
}

#[test]
fn a_minimal_sequence_fails_again_when_it_is_replayed() {
    for bug in &BUGS {
        let failure = (bug.check)(seeded(3)).unwrap_err();
        let replay = Config { replay: Some(failure.replay().to_owned()), ..seeded(0) };
        let again = (bug.check)(replay).unwrap_err();
        assert_eq!(again.minimal(), failure.minimal(), "{}", bug.name);
    }
}

#[test]
fn a_limit_on_executions_is_kept_and_reported() {
    for bug in &BUGS {
        let failure = (bug.check)(Config { max_shrink_runs: 10, ..seeded(5) }).unwrap_err();
        // Tracing the current sequence may exceed the limit by a few.
        assert!(failure.executions() <= 12, "{failure}");
        assert!(failure.reached_shrink_limit(), "{failure}");
    }
}

/// A system in which two commands violate the same invariant: `store` with a number below ten, and `check`
/// after any other number was stored.
fn two_faults(seed: usize) -> Failure {
    stateful::<(), (u32, bool)>()
        .model(|| ())
        .sut(|| (0, true))
        .command("store", |c| {
            c.forall("number", 0..1_000_u32).run(|number, (), system| {
                *system = (number, number >= 10);
            })
        })
        .command("check", |c| c.run(|(), (), system| system.1 = system.0 < 10))
        .invariant("fine", |(), system| system.1)
        .check(seeded(seed))
        .unwrap_err()
}

#[test]
fn a_false_invariant_is_shrunk_to_the_command_that_shows_it_most_simply() {
    for seed in 0..50 {
        let failure = two_faults(seed);
        let steps: Vec<String> = failure.minimal().iter().map(ToString::to_string).collect();
        assert_eq!(steps, ["store(number: 0)"], "{failure}");
    }
}

/// A system whose `pick` panics when it is drawn with exactly one item. Sequences without `pick` are not
/// affected, and shrinking draws it there.
fn panicking_pick(seed: usize) -> Failure {
    stateful::<Vec<u8>, ()>()
        .model(Vec::new)
        .sut(|| ())
        .command("push", |c| c.forall("item", 0..9_u8).run(|item, model, ()| model.push(item)))
        .command("pick", |c| {
            c.pick("item", |model: &Vec<u8>| {
                assert!(model.len() != 1, "one is not enough");
                model.clone()
            })
            .run(|_, _, ()| ())
        })
        .invariant("at most three", |model, ()| model.len() < 4)
        .check(seeded(seed))
        .unwrap_err()
}

#[test]
fn a_panic_while_a_replacement_is_drawn_does_not_end_the_test() {
    let failures = (0..50).map(panicking_pick);
    let failures: Vec<_> = failures
        .filter(|failure| failure.fault().unwrap().kind() == FaultKind::Invariant)
        .collect();
    assert!(failures.len() > 10, "{}", failures.len());
    for failure in failures {
        let steps: Vec<String> = failure.minimal().iter().map(ToString::to_string).collect();
        assert_eq!(steps, ["push(item: 0)"; 4], "{failure}");
    }
}

#[test]
fn a_failure_in_every_teardown_is_shrunk_to_at_most_one_step() {
    let failure = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("work", |c| c.forall("hours", 0..9_u8).run(|_, (), ()| ()))
        .teardown(|(), ()| panic!("never at rest"))
        .check(Config { num_runs: 100, ..seeded(2) })
        .unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Panic);
    assert!(failure.minimal().len() <= 1, "{failure}");
}

/// A machine of two commands that does not serialize steps, so that candidates of equal length cannot be
/// told apart. It fails at the third step of the second command.
struct NoSyntax;

#[derive(Clone)]
struct Wear(usize);

impl StepRecord for Wear {
    fn command(&self) -> usize {
        self.0
    }
}

impl Machine for NoSyntax {
    type Session = u32;
    type Step = Wear;

    fn commands(&self) -> Vec<String> {
        ["idle", "wear"].map(str::to_owned).to_vec()
    }

    async fn start(&self, _: &SessionContext) -> Result<u32, Fault> {
        Ok(0)
    }

    fn propose(&self, _: &mut u32, request: &mut StepRequest<'_>) -> Option<Wear> {
        let drawn = request.rng().below(2);
        [drawn, 1 - drawn].into_iter().find(|command| request.is_allowed(*command)).map(Wear)
    }

    fn redraw(&self, _: &mut u32, _: &Wear) -> Option<Wear> {
        None
    }

    async fn run(&self, worn: &mut u32, step: &mut Wear) -> StepOutcome {
        *worn += u32::from(step.0 == 1);
        if *worn < 3 {
            return StepOutcome::passed();
        }
        StepOutcome::failed(Fault::new(FaultKind::Error, "", "worn out"))
    }

    async fn end(&self, _: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn arguments(&self, _: &mut u32, _: &Wear) -> Vec<Argument> {
        Vec::new()
    }

    fn results(&self, _: &u32) -> Vec<String> {
        Vec::new()
    }

    fn state(&self, _: &u32) -> StateText {
        StateText::default()
    }

    fn serialize_step(&self, _: &Wear) -> String {
        String::new()
    }

    fn parse_step(&self, _: &str) -> Option<Wear> {
        None
    }
}

#[test]
fn a_machine_that_serializes_no_steps_is_shrunk_too() {
    for seed in 0..50 {
        let failure = check_machine(&NoSyntax, &seeded(seed)).unwrap_err();
        let steps: Vec<String> = failure.minimal().iter().map(ToString::to_string).collect();
        assert_eq!(steps, ["wear()"; 3], "{failure}");
    }
}

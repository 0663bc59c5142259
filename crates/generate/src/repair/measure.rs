//! The measure of a value's violations, and which violations are open once branches are chosen.

use foolproof_contract::{Operands, Pointer, Violation};

/// The violations as a pair in lexicographic order: a change that adds a violation is never progress,
/// and one that leaves their number is progress if it brings the value nearer to a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Measure {
    violations: usize,
    /// The violations inside the branches that are nearest to holding.
    inside: usize,
}

impl Measure {
    pub(super) fn of(open: &[&Violation]) -> Self {
        Self { violations: open.len(), inside: open.iter().map(|it| inside(it)).sum() }
    }
}

/// The least number of violations inside a branch; where several branches hold and one should, the
/// number of surplus branches.
fn inside(violation: &Violation) -> usize {
    let Operands::Branches(branches) = violation.operands() else {
        return 0;
    };
    match branches.iter().filter(|branch| branch.is_empty()).count() {
        0 => branches.iter().map(|branch| cost(branch)).min().unwrap_or(0),
        holding => holding - 1,
    }
}

/// The number of violations to repair until a branch holds.
pub(super) fn cost(branch: &[Violation]) -> usize {
    branch.iter().map(|violation| 1 + inside(violation)).sum()
}

/// The size of a list of violations: their number, those inside branches, and the values they list.
pub(super) fn size(violations: &[Violation]) -> usize {
    let inner = |violation: &Violation| {
        if let Operands::Branches(branches) = violation.operands() {
            branches.iter().map(|branch| size(branch)).sum()
        } else if let Operands::Values(values) = violation.operands() {
            values.len()
        } else {
            0
        }
    };
    violations.iter().map(|violation| 1 + inner(violation)).sum()
}

/// The branch that is being repaired towards.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) instance: Pointer,
    pub(super) schema: Pointer,
    pub(super) branch: usize,
}

impl Choice {
    fn concerns(&self, violation: &Violation) -> bool {
        &self.instance == violation.instance() && &self.schema == violation.schema()
    }
}

/// The violations, with those of `anyOf` and `oneOf` replaced by the violations of the chosen branch.
/// Where the chosen branch holds, too many branches hold, and the violation stays.
pub(super) fn open<'v>(violations: &'v [Violation], choices: &[Choice]) -> Vec<&'v Violation> {
    let mut found = Vec::new();
    for violation in violations {
        match chosen(violation, choices) {
            Some(branch) => found.extend(open(branch, choices)),
            None => found.push(violation),
        }
    }
    found
}

fn chosen<'v>(violation: &'v Violation, choices: &[Choice]) -> Option<&'v [Violation]> {
    let Operands::Branches(branches) = violation.operands() else {
        return None;
    };
    let choice = choices.iter().find(|choice| choice.concerns(violation))?;
    branches.get(choice.branch).map(Vec::as_slice).filter(|branch| !branch.is_empty())
}

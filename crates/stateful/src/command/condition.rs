//! Preconditions, postconditions and labels: closures, or none.

use std::fmt::Display;

/// What a condition returns: a `bool`, or a `Result` whose error says why it does not hold.
///
/// ```
/// use foolproof_stateful::Verdict as _;
///
/// assert_eq!(true.problem(), None);
/// assert_eq!(false.problem().as_deref(), Some(""));
/// assert_eq!(Err::<(), _>("too long").problem().as_deref(), Some("too long"));
/// ```
#[diagnostic::on_unimplemented(
    message = "a condition returns a `bool` or a `Result<(), E>` whose error can be displayed",
    label = "this is neither"
)]
pub trait Verdict {
    /// Why the condition does not hold, which may be empty; `None` if it holds.
    fn problem(self) -> Option<String>;
}

impl Verdict for bool {
    fn problem(self) -> Option<String> {
        if self { None } else { Some(String::new()) }
    }
}

impl<E: Display> Verdict for Result<(), E> {
    fn problem(self) -> Option<String> {
        self.err().map(|error| error.to_string())
    }
}

/// No precondition.
#[derive(Debug)]
pub struct NoPrecondition;

/// A condition that must hold before a command runs.
pub trait Precondition<M, V>: 'static {
    /// Whether it holds.
    fn holds(&self, model: &M, values: &V) -> bool;
}

impl<M, V> Precondition<M, V> for NoPrecondition {
    fn holds(&self, _: &M, _: &V) -> bool {
        true
    }
}

impl<M, V, F: Fn(&M, &V) -> bool + 'static> Precondition<M, V> for F {
    fn holds(&self, model: &M, values: &V) -> bool {
        self(model, values)
    }
}

/// No postcondition.
#[derive(Debug)]
pub struct NoPostcondition;

/// A condition that must hold after a command ran.
pub trait Postcondition<M, S, V, R>: 'static {
    /// Whether there is a condition, so that the arguments must be kept for it.
    const IS_CHECKED: bool;

    /// Why it does not hold; `None` if it holds.
    fn problem(&self, values: V, model: &M, system: &mut S, result: &R) -> Option<String>;
}

impl<M, S, V, R> Postcondition<M, S, V, R> for NoPostcondition {
    const IS_CHECKED: bool = false;

    fn problem(&self, _: V, _: &M, _: &mut S, _: &R) -> Option<String> {
        None
    }
}

impl<M, S, V, R, C, F> Postcondition<M, S, V, R> for F
where
    F: Fn(V, &M, &mut S, &R) -> C + 'static,
    C: Verdict,
{
    const IS_CHECKED: bool = true;

    fn problem(&self, values: V, model: &M, system: &mut S, result: &R) -> Option<String> {
        self(values, model, system, result).problem()
    }
}

/// No label.
#[derive(Debug)]
pub struct NoLabel;

/// What statistics count steps by.
pub trait Label<M, V>: 'static {
    /// The label of a step, before it runs.
    fn label(&self, model: &M, values: &V) -> Option<String>;
}

impl<M, V> Label<M, V> for NoLabel {
    fn label(&self, _: &M, _: &V) -> Option<String> {
        None
    }
}

impl<M, V, T: Into<String>, F: Fn(&M, &V) -> T + 'static> Label<M, V> for F {
    fn label(&self, model: &M, values: &V) -> Option<String> {
        Some(self(model, values).into())
    }
}

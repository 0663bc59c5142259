//! Patterns as regular languages: what the strings and the names of a contract may look like.
//!
//! A pattern is ECMA-262 and may match anywhere in a text. It is translated and parsed by the
//! libraries that the validator uses, so an automaton means what the validator does. What no
//! automaton can express (look-around inside a pattern, back-references, word boundaries over
//! Unicode) is widened to a regular language that contains it, and every type that may have been
//! widened says whether it was.
//!
//! - [`PatternConditions`]: a pattern as regular conditions that hold together.
//! - [`Automaton`]: the texts that satisfy some conditions, explored a character at a time.
//! - [`Expression`] and [`Syntax`]: one regular expression, and its parts for whoever needs them.
//! - [`CharacterClass`]: a set of characters.
//!
//! The libraries for regular expressions are used in this module and in [`Pattern`](crate::Pattern),
//! and none of their types leaves it.

mod alphabet;
mod automaton;
mod dfa;
mod expression;
mod look_around;
mod regular;
mod union;

pub use alphabet::CharacterClass;
pub use automaton::{Automaton, Edge, State, TooLarge};
pub use expression::{Expression, Syntax};
pub use look_around::LookAroundPolicy;
pub use regular::{Condition, PatternConditions, matches_every_text};

pub(crate) use automaton::states_leading_to;
pub(crate) use dfa::DfaState;
pub(crate) use regular::WidenedPattern;
pub(crate) use union::PatternUnion;

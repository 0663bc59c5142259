//! Bounds on lengths and on numbers of items and members.

use foolproof_contract::count;
use serde_json::Number;

/// A bound as a size; what does not fit is beyond everything that is drawn.
pub(crate) fn size(bound: &Number) -> usize {
    count(bound).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
}

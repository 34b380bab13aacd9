//! Skipping of known hits.

use stepback_parsers::Position;

/// Removes the first `skip` results at the first position with results.
pub(super) fn behind_known<T>(
    found: impl Iterator<Item = T>,
    skip: usize,
    position: impl Fn(&T) -> Position,
) -> impl Iterator<Item = T> {
    let mut found = found.peekable();
    let first = found.peek().map(&position);
    let mut left = skip;
    found.filter(move |hit| {
        let is_passed_over = left > 0 && Some(position(hit)) == first;
        left -= usize::from(is_passed_over);
        !is_passed_over
    })
}

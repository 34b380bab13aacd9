//! Hits that are known already.

use stepback_parsers::Position;

/// What was found without so many of the first position that has some.
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

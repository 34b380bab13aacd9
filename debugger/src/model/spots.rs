//! Marks on a strip: at most one mark per pixel, independent of the number of marked positions.

use std::ops::RangeInclusive;

use stepback_parsers::Position;

/// Spot of a strip that has marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Coordinate on the strip.
    pub spot: u32,
    /// First of the marked positions.
    pub position: Position,
}

/// Returns true if any of the ascending positions is in a range. O(log n).
pub fn is_any_in(marked: &[u64], positions: RangeInclusive<u64>) -> bool {
    let place = marked.partition_point(|position| position < positions.start());
    marked
        .get(place)
        .is_some_and(|position| position <= positions.end())
}

/// Returns the distinct spots of the marked positions in a range, ascending. `spot_of` must not
/// decrease. Cost: grows with the number of spots, not of positions.
pub fn spots(
    marked: &[u64],
    positions: RangeInclusive<u64>,
    spot_of: impl Fn(u64) -> u32,
) -> Vec<Spot> {
    let first = marked.partition_point(|position| position < positions.start());
    let end = marked.partition_point(|position| position <= positions.end());
    let mut rest = marked.get(first..end).unwrap_or_default();
    let mut spots = Vec::new();
    while let Some(position) = rest.first() {
        let spot = spot_of(*position);
        spots.push(Spot {
            spot,
            position: Position(*position),
        });
        let later = rest.partition_point(|position| spot_of(*position) <= spot);
        rest = rest.get(later.max(1)..).unwrap_or_default();
    }
    spots
}

//! Positions that are marked on a strip: at most one mark a pixel, however many there are.

use std::ops::RangeInclusive;

use stepback_parsers::Position;

/// A spot of a strip with marks on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which.
    pub spot: u32,
    /// The first of the positions.
    pub position: Position,
}

/// Whether any of some positions, which ascend, lies in a range. O(log n).
pub fn is_any_in(marked: &[u64], positions: RangeInclusive<u64>) -> bool {
    let place = marked.partition_point(|position| position < positions.start());
    marked
        .get(place)
        .is_some_and(|position| position <= positions.end())
}

/// The spots of a strip that marked positions of a range are on, each once; they ascend, and a spot is never less for a later
/// position. Cost: what the spots take, however many positions there are.
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

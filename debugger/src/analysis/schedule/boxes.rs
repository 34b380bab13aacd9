//! Boxes to draw for a lane: at most one per pixel column.

use std::ops::Range;

use super::{BoundedList, LanePiece};

/// Entries of a lane drawn as one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBox {
    /// First column.
    pub left: u32,
    /// Column after the last one.
    pub right: u32,
    /// Index of the first entry in the lane.
    pub place: usize,
    /// Number of entries in the box.
    pub count: usize,
}

/// Returns the boxes between two positions, for a width of `columns`. O(columns · log n).
pub fn boxes<T: LanePiece>(lane: &BoundedList<T>, view: Range<u64>, columns: u32) -> Vec<LaneBox> {
    let Range {
        start: first,
        end: last,
    } = view;
    let list = lane.list();
    let length = u128::from(last.saturating_sub(first).max(1));
    let scaled =
        |position: u64| u128::from(position.clamp(first, last) - first) * u128::from(columns);
    let left_of = |piece: &T| u32::try_from(scaled(piece.first()) / length).unwrap_or(columns);
    let right_of =
        |piece: &T| u32::try_from(scaled(piece.end()).div_ceil(length)).unwrap_or(columns);
    let mut found = Vec::new();
    let mut place = list.partition_point(|piece| piece.end() <= first);
    while let Some((piece, rest)) = list.get(place..).and_then(<[T]>::split_first) {
        if piece.first() >= last {
            break;
        }
        let left = left_of(piece);
        let right = right_of(piece).max(left + 1);
        // Entries that fit into the same column share its box.
        let others = if right == left + 1 {
            rest.partition_point(|other| right_of(other) <= right)
        } else {
            0
        };
        found.push(LaneBox {
            left,
            right,
            place,
            count: 1 + others,
        });
        place += 1 + others;
    }
    found
}

//! The longest common subsequence of two short sequences ([`matched_pairs`]).

use crate::region::StepPair;

/// A step in a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GapStep {
    /// Address, in terms of the first trace.
    pub address: u64,
    /// Identity of the functions on the call stack. Among subsequences of equal length, the one
    /// with most pairs of equal stacks is chosen.
    pub stack: u64,
}

/// Maximum number of cells of a table. It needs two bits for each: 128 MiB.
pub(crate) const CELLS: u64 = 1 << 29;
/// Number of edits that are allowed first, besides the difference of the lengths.
const FIRST_EDITS: usize = 64;
/// Growth of that number.
const GROWTH: usize = 4;

/// Predecessor of a cell of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Above = 0,
    Left = 1,
    Diagonal = 2,
}

/// Score of an alignment of two prefixes: first its number of pairs; among equal ones, the number
/// of pairs in calls of the same functions, and of pairs that continue a run. The lowest bit is set
/// if the last steps are a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score(u64);

impl Score {
    /// Returns the score of a pair, in sequences of a length.
    fn pair(length: usize) -> Self {
        Self(8 * (length as u64 + 1))
    }

    #[inline]
    fn after_gap(self) -> Self {
        Self(self.0 & !1)
    }

    /// Returns the score with one more pair; `stacks` is 1 if its call stacks are equal.
    #[inline]
    fn after_pair(self, pair: Self, stacks: u64) -> Self {
        let continues = self.0 & 1;
        Self((self.0 & !1) + pair.0 + 4 * stacks + 2 * continues + 1)
    }
}

/// The predecessors of the cells in a band around the diagonal, four in a byte.
struct Table {
    bytes: Vec<u8>,
    /// Number of diagonals below the one through the first cell.
    below: usize,
    width: usize,
}

impl Table {
    fn new(height: usize, below: usize, right: usize) -> Self {
        let width = below + right + 1;
        Self {
            bytes: vec![0; (height * width).div_ceil(4)],
            below,
            width,
        }
    }

    fn cell(&self, row: usize, column: usize) -> usize {
        row * self.width + column + self.below - row
    }

    /// Sets a cell that was not set, or was set to [`Came::Above`].
    #[inline]
    fn set(&mut self, row: usize, column: usize, came: Came) {
        let cell = self.cell(row, column);
        if let Some(byte) = self.bytes.get_mut(cell / 4) {
            *byte |= (came as u8) << (2 * (cell % 4));
        }
    }

    fn get(&self, row: usize, column: usize) -> Came {
        let cell = self.cell(row, column);
        let byte = self.bytes.get(cell / 4).copied().unwrap_or(0);
        match byte >> (2 * (cell % 4)) & 3 {
            0 => Came::Above,
            1 => Came::Left,
            _ => Came::Diagonal,
        }
    }
}

/// Returns the pairs of a longest common subsequence of the addresses, ascending, and takes the
/// number of computed cells from `cells`. `None` if it does not contain enough.
///
/// Only a band around the diagonal is computed, which is made wider until no better subsequence can
/// lie outside (Ukkonen 1985). Cost: the length times the number of edits, in time, and two bits
/// for each in memory.
pub(crate) fn matched_pairs(
    a: &[GapStep],
    b: &[GapStep],
    cells: &mut u64,
) -> Option<Vec<StepPair>> {
    let all = a.len() + b.len();
    let mut edits = a.len().abs_diff(b.len()) + FIRST_EDITS;
    loop {
        let edits_allowed = edits.min(all);
        let needed = (a.len() as u64).saturating_mul(edits_allowed as u64 + 1);
        *cells = cells.checked_sub(needed).filter(|_| needed <= CELLS)?;
        let pairs = pairs_within(a, b, edits_allowed);
        if all - 2 * pairs.len() <= edits_allowed {
            return Some(pairs);
        }
        edits = edits.saturating_mul(GROWTH);
    }
}

/// Returns the pairs of a longest common subsequence among those that need at most a number of
/// edits, which exceeds the difference of the lengths or is all there is.
fn pairs_within(a: &[GapStep], b: &[GapStep], edits: usize) -> Vec<StepPair> {
    // Number of steps of one sequence that may be left out before one of the other.
    let below = ((edits + a.len()).saturating_sub(b.len()) / 2).min(a.len());
    let right = ((edits + b.len()).saturating_sub(a.len()) / 2).min(b.len());
    // One pair outweighs all that make an alignment better among those of equal length.
    let pair = Score::pair(a.len().min(b.len()));
    let mut table = Table::new(a.len(), below, right);
    let mut above = vec![Score::default(); b.len() + 1];
    for (row, step) in a.iter().enumerate() {
        let first = row.saturating_sub(below);
        let last = (row + right).min(b.len().saturating_sub(1));
        let mut diagonal = above.get(first).copied().unwrap_or_default();
        // Left of the band nothing is better than above.
        let mut left = Score::default();
        let others = b.get(first..=last).unwrap_or_default().iter();
        let values = above.get_mut(first + 1..).unwrap_or_default();
        for ((column, other), best) in (first..).zip(others).zip(values) {
            let up = *best;
            let (mut value, mut came) = match left > up {
                true => (left.after_gap(), Came::Left),
                false => (up.after_gap(), Came::Above),
            };
            if step.address == other.address {
                let paired = diagonal.after_pair(pair, u64::from(step.stack == other.stack));
                if paired >= value {
                    (value, came) = (paired, Came::Diagonal);
                }
            }
            table.set(row, column, came);
            diagonal = up;
            left = value;
            *best = value;
        }
        // Above the end of the band there is nothing.
        if last == row + right && table.get(row, last) == Came::Above {
            table.set(row, last, Came::Left);
        }
    }
    let (mut row, mut column) = (a.len(), b.len());
    let mut pairs = Vec::new();
    while row > 0 && column > 0 {
        match table.get(row - 1, column - 1) {
            Came::Above => row -= 1,
            Came::Left => column -= 1,
            Came::Diagonal => {
                (row, column) = (row - 1, column - 1);
                pairs.push(StepPair {
                    a: row as u64,
                    b: column as u64,
                });
            }
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn steps(addresses: &[u64]) -> Vec<GapStep> {
        let step = |address: &u64| GapStep {
            address: *address,
            stack: 0,
        };
        addresses.iter().map(step).collect()
    }

    fn pairs_of(a: &[GapStep], b: &[GapStep]) -> Vec<StepPair> {
        let mut cells = u64::MAX;
        matched_pairs(a, b, &mut cells).unwrap()
    }

    #[track_caller]
    fn check(a: &[u64], b: &[u64], expected: &[u64]) {
        let pairs = pairs_of(&steps(a), &steps(b));
        let found: Vec<u64> = pairs.iter().map(|pair| a[pair.a as usize]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_longest_common_subsequence_is_found() {
        check(&[1, 2, 3], &[1, 2, 3], &[1, 2, 3]);
        check(&[1, 2, 3], &[1, 9, 3], &[1, 3]);
        check(&[1, 2, 3, 4], &[3, 4, 1, 2, 5, 4], &[1, 2, 4]);
        check(&[], &[1], &[]);
    }

    #[test]
    fn steps_in_calls_of_the_same_functions_are_preferred() {
        let step = |stack| GapStep { address: 1, stack };
        let pairs = pairs_of(&[step(7)], &[step(5), step(7), step(6)]);
        assert_eq!(pairs, [StepPair { a: 0, b: 1 }]);
    }

    /// Length of the longest common subsequence, by the textbook recursion over prefixes.
    fn length(a: &[u64], b: &[u64]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (row, x) in a.iter().enumerate() {
            for (column, y) in b.iter().enumerate() {
                rows[row + 1][column + 1] = match x == y {
                    true => rows[row][column] + 1,
                    false => rows[row][column + 1].max(rows[row + 1][column]),
                };
            }
        }
        rows[a.len()][b.len()]
    }

    #[test]
    fn a_table_that_is_too_large_is_not_computed() {
        let steps = steps(&[1; 100]);
        let mut cells = 1000;
        assert_eq!(matched_pairs(&steps, &steps, &mut cells), None);
        assert!(matched_pairs(&steps, &steps, &mut 10_000).is_some());
    }

    proptest! {
        /// Long sequences, so that the band is narrower than the table at first.
        #[test]
        fn a_narrow_band_loses_no_pair(
            a in prop::collection::vec(0u64..3, 100..300),
            b in prop::collection::vec(0u64..50, 100..300),
            start in 0usize..200,
        ) {
            let mut b = b;
            let start = start.min(b.len());
            b.splice(start..start, a[..a.len() / 2].to_vec());
            let pairs = pairs_of(&steps(&a), &steps(&b));
            prop_assert_eq!(pairs.len(), length(&a, &b));
            prop_assert!(pairs.iter().all(|pair| a[pair.a as usize] == b[pair.b as usize]));
        }

        #[test]
        fn pairs_ascend_and_are_as_many_as_possible(
            a in prop::collection::vec(0u64..5, 0..40),
            b in prop::collection::vec(0u64..5, 0..40),
        ) {
            let pairs = pairs_of(&steps(&a), &steps(&b));
            prop_assert_eq!(pairs.len(), length(&a, &b));
            prop_assert!(pairs.windows(2).all(|two| two[0].a < two[1].a && two[0].b < two[1].b));
            prop_assert!(pairs.iter().all(|pair| a[pair.a as usize] == b[pair.b as usize]));
        }
    }
}

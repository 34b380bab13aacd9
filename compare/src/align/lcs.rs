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

/// Maximum number of cells of a table. It needs two bits for each: 32 MiB.
pub(crate) const CELLS: u64 = 1 << 27;

/// Predecessor of a cell of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Above = 0,
    Left = 1,
    Diagonal = 2,
}

/// The predecessors of all cells, four in a byte.
struct Table {
    bytes: Vec<u8>,
    width: usize,
}

impl Table {
    fn new(height: usize, width: usize) -> Self {
        Self {
            bytes: vec![0; (height * width).div_ceil(4)],
            width,
        }
    }

    fn set(&mut self, row: usize, column: usize, came: Came) {
        let cell = row * self.width + column;
        if let Some(byte) = self.bytes.get_mut(cell / 4) {
            *byte |= (came as u8) << (2 * (cell % 4));
        }
    }

    fn get(&self, row: usize, column: usize) -> Came {
        let cell = row * self.width + column;
        let byte = self.bytes.get(cell / 4).copied().unwrap_or(0);
        match byte >> (2 * (cell % 4)) & 3 {
            0 => Came::Above,
            1 => Came::Left,
            _ => Came::Diagonal,
        }
    }
}

/// Returns the pairs of a longest common subsequence of the addresses, ascending. Cost: the product
/// of the lengths, in time, and two bits for each in memory.
pub(crate) fn matched_pairs(a: &[GapStep], b: &[GapStep]) -> Vec<StepPair> {
    // A pair outweighs all equal stacks together, whose number is at most that of the pairs.
    let pair_weight = a.len().min(b.len()) as u64 + 1;
    let mut table = Table::new(a.len(), b.len());
    let mut above = vec![0u64; b.len() + 1];
    for (row, step) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (0, 0);
        for ((column, other), best) in b.iter().enumerate().zip(above.iter_mut().skip(1)) {
            let up = *best;
            let (mut value, mut came) = match left > up {
                true => (left, Came::Left),
                false => (up, Came::Above),
            };
            if step.address == other.address {
                let paired = diagonal + pair_weight + u64::from(step.stack == other.stack);
                if paired >= value {
                    (value, came) = (paired, Came::Diagonal);
                }
            }
            table.set(row, column, came);
            diagonal = up;
            left = value;
            *best = value;
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

    #[track_caller]
    fn check(a: &[u64], b: &[u64], expected: &[u64]) {
        let pairs = matched_pairs(&steps(a), &steps(b));
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
        let pairs = matched_pairs(&[step(7)], &[step(5), step(7), step(6)]);
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

    proptest! {
        #[test]
        fn pairs_ascend_and_are_as_many_as_possible(
            a in prop::collection::vec(0u64..5, 0..40),
            b in prop::collection::vec(0u64..5, 0..40),
        ) {
            let pairs = matched_pairs(&steps(&a), &steps(&b));
            prop_assert_eq!(pairs.len(), length(&a, &b));
            prop_assert!(pairs.windows(2).all(|two| two[0].a < two[1].a && two[0].b < two[1].b));
            prop_assert!(pairs.iter().all(|pair| a[pair.a as usize] == b[pair.b as usize]));
        }
    }
}

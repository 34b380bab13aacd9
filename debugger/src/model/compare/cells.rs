//! Splits differing memory into cells as wide as the writes.

use anyhow::Result;
use stepback_index::answer::MemoryDifference;
use stepback_index::query::MemoryAt;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Address, Endian};
use stepback_parsers::{Position, Step};

use crate::session::Session;

/// Maximum number of bytes read at once.
const PIECE: u64 = 64;

/// Bytes at two positions, some of which differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryCell {
    /// Address of the first byte.
    pub address: u64,
    /// Bytes at the first position.
    pub from: Vec<Option<u8>>,
    /// Bytes at the second position.
    pub to: Vec<Option<u8>>,
    /// Latest of the last writes of the differing bytes.
    pub last_write: Option<Step>,
    /// Interpretation of the bytes.
    pub kind: CellKind,
}

/// Interpretation of the bytes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A number, written by one step.
    Word,
    /// Single bytes, written one by one, as in copied text.
    Bytes,
}

impl MemoryCell {
    /// Returns the number of bytes that differ.
    pub fn differing(&self) -> u64 {
        self.from
            .iter()
            .zip(&self.to)
            .filter(|(from, to)| from != to)
            .count() as u64
    }

    /// Returns the number that a word holds at the second position; none if a byte is unknown, and
    /// for single bytes.
    pub fn number(&self, endian: Endian) -> Option<u64> {
        let bytes: Option<Vec<u8>> = self.to.iter().copied().collect();
        let bytes = bytes.filter(|bytes| self.kind == CellKind::Word && bytes.len() <= 8)?;
        let shift = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match endian {
            Endian::Big => bytes.iter().fold(0, shift),
            Endian::Little => bytes.iter().rev().fold(0, shift),
        })
    }
}

/// Splits differing memory into cells. A word whose differing bytes were last written by one step
/// becomes a number, and so do half words; all other bytes become single bytes.
///
/// `word` is the size of an address. The result ascends; [`fill`] reads the values.
pub fn cells_of(memory: &[MemoryDifference], word: u64) -> Vec<MemoryCell> {
    let mut cells = Vec::new();
    // Differing bytes, each with the step that last wrote it.
    let mut bytes: Vec<(u64, Option<Step>)> = Vec::new();
    for run in memory {
        for place in 0..run.to.len() as u64 {
            let address = run.address.0.wrapping_add(place);
            if bytes
                .first()
                .is_some_and(|(first, _)| first / word != address / word)
            {
                push_word(&mut cells, &bytes, word);
                bytes.clear();
            }
            bytes.push((address, run.last_write));
        }
    }
    push_word(&mut cells, &bytes, word);
    cells
}

/// Adds the cells for the differing bytes of one word.
fn push_word(cells: &mut Vec<MemoryCell>, bytes: &[(u64, Option<Step>)], word: u64) {
    type Byte = (u64, Option<Step>);
    let halves = |one: &Byte, other: &Byte| one.0 / (word / 2) == other.0 / (word / 2);
    let is_one = |bytes: &[Byte]| {
        bytes
            .windows(2)
            .all(|pair| matches!(pair, [(_, one), (_, next)] if one == next))
    };
    let mut push = |bytes: &[Byte], len: u64, kind: CellKind| {
        let Some((first, _)) = bytes.first() else {
            return;
        };
        let unread = vec![None; usize::try_from(len).unwrap_or_default()];
        cells.push(MemoryCell {
            address: first / len * len,
            from: unread.clone(),
            to: unread,
            last_write: bytes.iter().filter_map(|(_, writer)| *writer).max(),
            kind,
        });
    };
    match () {
        () if is_one(bytes) => push(bytes, word, CellKind::Word),
        () if bytes.chunk_by(halves).all(is_one) => {
            bytes
                .chunk_by(halves)
                .for_each(|half| push(half, word / 2, CellKind::Word));
        }
        () => push(bytes, word, CellKind::Bytes),
    }
}

/// Pair of positions to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionPair {
    /// First position.
    pub from: Position,
    /// Second position.
    pub to: Position,
}

/// Reads the bytes of the cells at both positions. Cost: two queries for each block of 64 bytes
/// that has cells.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn fill(
    cells: &mut [MemoryCell],
    session: &Session,
    between: PositionPair,
    cancel: &Cancel,
) -> Result<()> {
    for near in cells.chunk_by_mut(|one, next| one.address / PIECE == next.address / PIECE) {
        let Some(address) = near.first().map(|cell| cell.address / PIECE * PIECE) else {
            continue;
        };
        let read = |position| MemoryAt {
            position,
            address: Address(address),
            len_bytes: PIECE,
        };
        let from = read(between.from).run(&session.index, cancel)?;
        let to = read(between.to).run(&session.index, cancel)?;
        for cell in near {
            let start = usize::try_from(cell.address - address).unwrap_or_default();
            for (bytes, states) in [(&mut cell.from, &from), (&mut cell.to, &to)] {
                for (byte, state) in bytes.iter_mut().zip(states.iter().skip(start)) {
                    *byte = state.value;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(runs: &[(u64, u64, u64)], expected: &[(u64, usize, CellKind, u64)]) {
        let run = |(address, len, writer): &(u64, u64, u64)| MemoryDifference {
            address: Address(*address),
            from: vec![Some(0); *len as usize],
            to: vec![Some(1); *len as usize],
            last_write: Some(Step(*writer)),
        };
        let runs: Vec<_> = runs.iter().map(run).collect();
        let cells = cells_of(&runs, 8);
        let found: Vec<_> = cells
            .iter()
            .map(|cell| {
                (
                    cell.address,
                    cell.to.len(),
                    cell.kind,
                    cell.last_write.unwrap().0,
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_one_step_wrote_is_a_number_and_what_several_wrote_are_bytes() {
        use CellKind::{Bytes, Word};
        check(&[(0x1002, 3, 7)], &[(0x1000, 8, Word, 7)]);
        check(
            &[(0x1000, 16, 7)],
            &[(0x1000, 8, Word, 7), (0x1008, 8, Word, 7)],
        );
        check(
            &[(0x1000, 4, 7), (0x1004, 2, 9)],
            &[(0x1000, 4, Word, 7), (0x1004, 4, Word, 9)],
        );
        check(
            &[(0x1000, 1, 9), (0x1001, 1, 8), (0x1009, 1, 5)],
            &[(0x1000, 8, Bytes, 9), (0x1008, 8, Word, 5)],
        );
        check(&[], &[]);
    }
}

//! Searches memory as it is at a position.

use std::ops::RangeInclusive;

use anyhow::{Result, anyhow};
use stepback_index::query::{DifferenceBetween, MemoryAt};
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Address, Endian};
use stepback_parsers::Position;

use super::memory::known_runs;
use crate::action::Direction;
use crate::analysis::search::bytes_of;
use crate::messages::say;
use crate::session::Session;

/// Number of bytes read at once.
const PIECE: u64 = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemorySearchTarget {
    /// Byte that differs from its value at another position.
    Changed(Position),
    /// Sequence of bytes.
    Bytes(Vec<u8>),
}

/// Search through memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySearchQuery {
    pub sought: MemorySearchTarget,
    /// Position of the searched memory.
    pub position: Position,
    /// Address after which, or before which, the target lies.
    pub from: Address,
    /// Towards higher addresses (forward) or lower ones.
    pub direction: Direction,
}

/// Parses a byte pattern, in one of these forms:
/// - pairs of hexadecimal digits separated by spaces (`67 64 62`)
/// - a text in quotes
/// - a number, in as many bytes as a group has or as it needs
/// - any other text, taken literally
///
/// # Errors
/// The pattern is empty.
pub fn sought_bytes(text: &str, group: u8, endian: Endian) -> Result<Vec<u8>> {
    let text = text.trim();
    let number = text.strip_prefix("0x").map_or_else(
        || text.parse().ok(),
        |hex| u64::from_str_radix(hex, 16).ok(),
    );
    let has_spaces = text.contains(char::is_whitespace);
    let spelled = || bytes_of(text).filter(|_| has_spaces || text.starts_with('"'));
    let bytes = match number {
        Some(number) => number_bytes(number, group, endian),
        None => spelled().unwrap_or_else(|| text.bytes().collect()),
    };
    if bytes.is_empty() {
        return Err(anyhow!(say!("memory-nothing-to-look-for")));
    }
    Ok(bytes)
}

fn number_bytes(number: u64, group: u8, endian: Endian) -> Vec<u8> {
    let needed = (64 - number.leading_zeros())
        .div_ceil(8)
        .max(1)
        .next_power_of_two();
    let size = usize::from(group).max(needed as usize).min(8);
    let mut bytes: Vec<u8> = number.to_le_bytes().into_iter().take(size).collect();
    if endian == Endian::Big {
        bytes.reverse();
    }
    bytes
}

/// Finds the nearest address that matches; none if no address does. Runs on a worker. Cost: at most
/// all memory that the trace accesses; for changes that of [`DifferenceBetween`].
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn seek_memory(
    session: &Session,
    seek: &MemorySearchQuery,
    cancel: &Cancel,
) -> Result<Option<Address>> {
    match &seek.sought {
        MemorySearchTarget::Changed(other) => changed(session, seek, *other, cancel),
        MemorySearchTarget::Bytes(bytes) => found(session, seek, bytes, cancel),
    }
}

fn changed(
    session: &Session,
    seek: &MemorySearchQuery,
    other: Position,
    cancel: &Cancel,
) -> Result<Option<Address>> {
    let difference = DifferenceBetween {
        from: other,
        to: seek.position,
        thread: None,
    }
    .run(&session.index, cancel)?;
    let bytes = difference.memory.iter().flat_map(|run| {
        let pairs = run.from.iter().zip(&run.to);
        let places = pairs.enumerate().filter(|(_, (from, to))| from != to);
        // A run may end with the highest address.
        places.map(|(place, _)| Address(run.address.0.wrapping_add(place as u64)))
    });
    Ok(match seek.direction {
        Direction::Forward => bytes.filter(|address| *address > seek.from).min(),
        Direction::Back => bytes.filter(|address| *address < seek.from).max(),
    })
}

fn found(
    session: &Session,
    seek: &MemorySearchQuery,
    bytes: &[u8],
    cancel: &Cancel,
) -> Result<Option<Address>> {
    let overlap = bytes.len() as u64 - 1;
    let runs = known_runs(session, cancel)?.into_iter();
    let pieces = runs.flat_map(|(first, last)| pieces_of(first..=last, overlap));
    let near = |(start, last): &(u64, u64)| match seek.direction {
        Direction::Forward => *last > seek.from.0,
        Direction::Back => *start < seek.from.0,
    };
    let mut pieces: Vec<(u64, u64)> = pieces.filter(near).collect();
    if seek.direction == Direction::Back {
        pieces.reverse();
    }
    for (start, last) in pieces {
        cancel.check()?;
        let read = MemoryAt {
            position: seek.position,
            address: Address(start),
            len_bytes: last - start + 1,
        };
        let held: Vec<Option<u8>> = read
            .run(&session.index, cancel)?
            .into_iter()
            .map(|byte| byte.value)
            .collect();
        let is_here = |window: &[Option<u8>]| {
            window
                .iter()
                .zip(bytes)
                .all(|(held, byte)| *held == Some(*byte))
        };
        let mut hits = held
            .windows(bytes.len())
            .enumerate()
            .filter(|(_, window)| is_here(window));
        let mut places =
            std::iter::from_fn(|| hits.next().map(|(place, _)| Address(start + place as u64)));
        let hit = match seek.direction {
            Direction::Forward => places.find(|address| *address > seek.from),
            Direction::Back => places.take_while(|address| *address < seek.from).last(),
        };
        if hit.is_some() {
            return Ok(hit);
        }
    }
    Ok(None)
}

/// Splits a run into pieces, each with its first and last byte. A piece extends into the next one
/// so that matches across the border are found.
fn pieces_of(run: RangeInclusive<u64>, overlap: u64) -> impl Iterator<Item = (u64, u64)> {
    let last = *run.end();
    let end = move |start: u64| {
        start
            .saturating_add(PIECE - 1)
            .saturating_add(overlap)
            .min(last)
    };
    run.step_by(PIECE as usize)
        .map(move |start| (start, end(start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn a_text_means_bytes_a_number_or_itself() {
        let bytes = |text: &str, group| sought_bytes(text, group, Endian::Little).unwrap();
        assert_eq!(bytes("67 64 62", 1), b"gdb");
        assert_eq!(bytes("\"12\"", 1), b"12");
        assert_eq!(bytes("gdb", 4), b"gdb");
        assert_eq!(bytes("0x1f", 4), [0x1f, 0, 0, 0]);
        assert_eq!(bytes("258", 1), [2, 1]);
        assert_eq!(sought_bytes("0x102", 1, Endian::Big).unwrap(), [1, 2]);
        assert!(sought_bytes(" ", 1, Endian::Little).is_err());
    }

    #[track_caller]
    fn check(sought: MemorySearchTarget, from: u64, direction: Direction, expected: Option<u64>) {
        let seek = MemorySearchQuery {
            sought,
            position: Position(1250),
            from: Address(from),
            direction,
        };
        let found = seek_memory(&overflow(), &seek, &Cancel::default()).unwrap();
        assert_eq!(found.map(|address| address.0), expected);
    }

    #[test]
    fn bytes_are_found_above_and_below() {
        let text = || MemorySearchTarget::Bytes(b"%u5b".to_vec());
        check(text(), 0, Direction::Forward, Some(0x8402_0000));
        check(text(), 0x8402_0000, Direction::Forward, None);
        check(text(), u64::MAX, Direction::Back, Some(0x8402_0000));
        check(text(), 0x8402_0000, Direction::Back, None);
    }

    #[test]
    fn pieces_reach_to_the_last_address() {
        let last = u64::MAX;
        assert_eq!(
            pieces_of(last - 63..=last, 3).collect::<Vec<_>>(),
            [(last - 63, last)]
        );
        assert_eq!(
            pieces_of(0..=4096, 3).collect::<Vec<_>>(),
            [(0, 4096), (4096, 4096)]
        );
        let (first, middle) = (last - 8191, last - 4095);
        assert_eq!(
            pieces_of(first..=last, 3).collect::<Vec<_>>(),
            [(first, middle + 2), (middle, last)]
        );
    }

    #[test]
    fn the_byte_that_a_step_stored_is_the_next_changed_one() {
        check(
            MemorySearchTarget::Changed(Position(1249)),
            0,
            Direction::Forward,
            Some(0x8002_0010),
        );
        check(
            MemorySearchTarget::Changed(Position(1249)),
            0x8002_0010,
            Direction::Forward,
            None,
        );
        check(
            MemorySearchTarget::Changed(Position(1249)),
            u64::MAX,
            Direction::Back,
            Some(0x8002_0010),
        );
    }
}

//! Memory as rows of bytes. A range that no step accesses is one row.

use std::ops::RangeInclusive;

use anyhow::Result;
use stepback_index::answer::{Access, AccessTarget, ByteState, ByteTouch, Effect, ValueSource};
use stepback_index::query::{MemoryAt, NextAccessedBlock, NextTouchedBlock, Steps, TouchesAt};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{AccessKind, Address, InstructionSet};
use stepback_parsers::{Position, RegisterSource};

use crate::action::CellName;
use crate::session::Session;

/// Size in bytes of the blocks for which the index records whether they were accessed; also the
/// maximum row length.
pub const BLOCK_BYTES: u64 = 64;

/// Request for rows of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRequest {
    /// Position of the shown state.
    pub position: Position,
    /// Position to compare with; bytes that differ are marked as changed.
    pub previous: Position,
    /// Requests the bytes at the previous position, too.
    pub is_compared: bool,
    /// Bytes per row: a power of two, at most [`BLOCK_BYTES`].
    pub row_bytes: u64,
    /// Address in the first row, or `lead` rows below it.
    pub top: Address,
    /// Number of rows before that of `top`.
    pub lead: usize,
    /// Number of rows from the first row on.
    pub rows_below: usize,
    /// Number of rows before the first for which only the addresses are returned.
    pub rows_above: usize,
}

/// Rows around an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPage {
    /// Requested position.
    pub position: Position,
    /// Position that was compared with.
    pub previous: Position,
    /// True if the cells contain the bytes at the previous position.
    pub is_compared: bool,
    /// Rows from the requested address on.
    pub rows: Vec<MemoryRow>,
    /// First addresses of the preceding rows, the nearest first.
    pub above: Vec<Address>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryRow {
    Bytes {
        /// Address of the first byte.
        address: Address,
        /// Address of the last byte.
        last: Address,
        /// Source line, if the row contains code.
        source: Option<String>,
        /// Bytes; fewer than a row has only if they could not be read.
        cells: Vec<ByteCell>,
    },
    /// Memory that no step accesses.
    Gap {
        /// First byte.
        first: Address,
        /// Last byte.
        last: Address,
    },
}

/// Byte at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCell {
    /// Value; none if unknown.
    pub value: Option<u8>,
    pub source: ValueSource,
    /// The last move changed the byte. In traces without values: a step in between wrote it.
    pub is_changed: bool,
    /// The step just before the position wrote the byte.
    pub is_news: bool,
    /// Last access, in traces without values.
    pub touch: Option<LastAccessKind>,
    /// Value at the position that is compared with, if requested; none inside if unknown.
    pub other: Option<Option<u8>>,
}

/// Last access of a byte whose value is not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastAccessKind {
    /// Not accessed yet.
    Never,
    /// A load.
    Read,
    /// A store.
    Written,
}

impl MemoryPage {
    /// Returns a byte of the page.
    pub fn cell(&self, address: Address) -> Option<&ByteCell> {
        self.rows.iter().find_map(|row| match row {
            MemoryRow::Bytes {
                address: first,
                cells,
                ..
            } => cells.get(usize::try_from(address.0.checked_sub(first.0)?).ok()?),
            MemoryRow::Gap { .. } => None,
        })
    }

    /// Moves an address by some bytes; a gap counts as one step.
    pub fn moved(&self, from: Address, bytes: i64) -> Address {
        let to = if bytes < 0 {
            from.0.saturating_sub(bytes.unsigned_abs())
        } else {
            from.0.saturating_add(bytes.unsigned_abs())
        };
        let gap = self.rows.iter().find_map(|row| match row {
            MemoryRow::Gap { first, last } if (first.0..=last.0).contains(&to) => {
                Some((first.0, last.0))
            }
            _ => None,
        });
        Address(match gap {
            // From inside a gap, leave it on the other side; from outside, stop at its edge.
            Some((first, last)) if (first..=last).contains(&from.0) => {
                if bytes < 0 {
                    first.saturating_sub(1)
                } else {
                    last.saturating_add(1)
                }
            }
            Some((first, last)) => {
                if bytes < 0 {
                    last
                } else {
                    first
                }
            }
            None => to,
        })
    }
}

impl MemoryRow {
    /// Returns the address of the first byte.
    pub fn first(&self) -> Address {
        match self {
            Self::Bytes { address, .. } => *address,
            Self::Gap { first, .. } => *first,
        }
    }

    /// Returns the address of the last byte.
    pub fn last(&self) -> Address {
        match self {
            Self::Bytes { last, .. } | Self::Gap { last, .. } => *last,
        }
    }
}

/// Reads the rows around an address. Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn memory_page(
    session: &Session,
    request: &MemoryRequest,
    cancel: &Cancel,
) -> Result<MemoryPage> {
    let map = AccessedMap {
        session,
        row_bytes: request.row_bytes.clamp(1, BLOCK_BYTES),
        cancel,
    };
    let requested = map.row_around(request.top)?;
    let top = map
        .rows_before(requested, request.lead)?
        .last()
        .map_or(requested, |first| first.0);
    let mut rows = map.rows_from(top, request.rows_below)?;
    fill(session, request, &mut rows, cancel)?;
    let MemoryRequest {
        position,
        previous,
        is_compared,
        ..
    } = *request;
    Ok(MemoryPage {
        position,
        previous,
        is_compared,
        rows,
        above: map.rows_before(top, request.rows_above)?,
    })
}

/// Map of the blocks that were ever accessed.
struct AccessedMap<'a> {
    session: &'a Session,
    row_bytes: u64,
    cancel: &'a Cancel,
}

impl AccessedMap<'_> {
    /// Returns the first accessed block at or after an address.
    fn next(&self, from: u64) -> Result<Option<u64>, QueryError> {
        let query = NextAccessedBlock {
            from: Address(from),
        };
        Ok(query
            .run(&self.session.index, self.cancel)?
            .map(|block| block_of(block.0)))
    }

    /// Returns the last accessed block before a block, by exponential and then binary search. Cost:
    /// O(64) queries.
    fn previous(&self, before: u64) -> Result<Option<u64>, QueryError> {
        let is_any = |from: u64, until: u64| {
            Ok::<bool, QueryError>(self.next(from)?.is_some_and(|block| block < until))
        };
        let mut reach = BLOCK_BYTES;
        let mut low = before.saturating_sub(reach);
        while !is_any(low, before)? {
            if low == 0 {
                return Ok(None);
            }
            reach = reach.saturating_mul(4);
            low = block_of(before.saturating_sub(reach));
        }
        // An accessed block is in low..high. Halve the range until that block is the only one.
        let mut high = before;
        while high - low > BLOCK_BYTES {
            let middle = block_of(low + (high - low) / 2);
            if is_any(middle, high)? {
                low = middle
            } else {
                high = middle
            }
        }
        Ok(Some(low))
    }

    /// Returns the highest address that an instruction can name: 32-bit machines end at 4 GiB.
    fn last_address(&self) -> u64 {
        let is_wide = |set: &InstructionSet| set.word_bytes() == 8;
        if self.session.index.instruction_sets().iter().any(is_wide) {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        }
    }

    /// Returns the first address of the row that contains an address.
    fn row_around(&self, address: Address) -> Result<u64, QueryError> {
        let block = block_of(address.0);
        if self.next(block)? == Some(block) {
            return Ok(address.0 & !(self.row_bytes - 1));
        }
        Ok(self
            .previous(block)?
            .map_or(0, |accessed| accessed + BLOCK_BYTES))
    }

    /// Returns `count` rows that start at the first address of a row. The bytes are not filled in
    /// yet.
    fn rows_from(&self, top: u64, count: usize) -> Result<Vec<MemoryRow>, QueryError> {
        let mut rows = Vec::new();
        let mut next_row = Some(top);
        while let Some(address) = next_row.filter(|_| rows.len() < count) {
            let row = match self.next(block_of(address))? {
                Some(block) if block <= address => {
                    let last = Address(address | (self.row_bytes - 1));
                    MemoryRow::Bytes {
                        address: Address(address),
                        last,
                        source: None,
                        cells: Vec::new(),
                    }
                }
                Some(block) => MemoryRow::Gap {
                    first: Address(address),
                    last: Address(block - 1),
                },
                None => MemoryRow::Gap {
                    first: Address(address),
                    last: Address(self.last_address().max(address)),
                },
            };
            let is_end =
                matches!(row, MemoryRow::Gap { last, .. } if last.0 >= self.last_address());
            next_row = row.last().0.checked_add(1).filter(|_| !is_end);
            rows.push(row);
        }
        Ok(rows)
    }

    /// Returns the first addresses of the rows before a row, the nearest first.
    fn rows_before(&self, top: u64, count: usize) -> Result<Vec<Address>, QueryError> {
        let mut rows = Vec::new();
        let mut address = top;
        while address > 0 && rows.len() < count {
            let last = address - 1;
            let block = block_of(last);
            address = if self.next(block)? == Some(block) {
                last & !(self.row_bytes - 1)
            } else {
                self.previous(block)?
                    .map_or(0, |accessed| accessed + BLOCK_BYTES)
            };
            rows.push(Address(address));
        }
        Ok(rows)
    }
}

fn block_of(address: u64) -> u64 {
    address & !(BLOCK_BYTES - 1)
}

/// Ranges of memory, ascending: the first and the last byte of each.
pub type MemoryRuns = Vec<(u64, u64)>;

/// Returns the ranges of blocks that the trace accesses or an image fills, ascending. Cost: all
/// those blocks.
pub(super) fn known_runs(session: &Session, cancel: &Cancel) -> Result<MemoryRuns> {
    let map = AccessedMap {
        session,
        row_bytes: BLOCK_BYTES,
        cancel,
    };
    runs_of(|from| Ok(map.next(block_of(from))?))
}

/// Returns the ranges of blocks that the trace accesses, ascending. Runs on a worker. Cost: all
/// those blocks.
///
/// # Errors
/// See [`QueryError`].
pub fn accessed_runs(session: &Session, cancel: &Cancel) -> Result<MemoryRuns> {
    runs_of(|from| {
        let query = NextTouchedBlock {
            from: Address(from),
        };
        Ok(query.run(&session.index, cancel)?.map(|block| block.0))
    })
}

fn runs_of(next_block: impl Fn(u64) -> Result<Option<u64>>) -> Result<MemoryRuns> {
    let (mut runs, mut next): (MemoryRuns, Option<u64>) = (Vec::new(), Some(0));
    while let Some(from) = next
        && let Some(block) = next_block(from)?
    {
        let last = block | (BLOCK_BYTES - 1);
        match runs.last_mut() {
            Some((_, before)) if before.checked_add(1) == Some(block) => *before = last,
            _ => runs.push((block, last)),
        }
        next = last.checked_add(1);
    }
    Ok(runs)
}

/// Returns the first address of the 64-byte block that contains an address, or of the next one if
/// that block is not accessed.
pub(super) fn block_from(
    session: &Session,
    address: u64,
    cancel: &Cancel,
) -> Result<Option<u64>, QueryError> {
    AccessedMap {
        session,
        row_bytes: BLOCK_BYTES,
        cancel,
    }
    .next(block_of(address))
}

/// Returns the bytes that the step just before a position wrote.
fn written_just_before(
    session: &Session,
    position: Position,
    cancel: &Cancel,
) -> Result<Vec<RangeInclusive<u64>>> {
    let Some(step) = position.last_step() else {
        return Ok(Vec::new());
    };
    let record = Steps {
        first: step,
        count: 1,
    }
    .run(&session.index, cancel)?;
    let effects = record.iter().flat_map(|record| &record.effects);
    let written = effects.filter_map(|effect| match effect {
        Effect::Access(Access {
            kind: AccessKind::Write,
            target:
                AccessTarget::Memory {
                    address,
                    size_bytes,
                },
            ..
        }) => Some(address.0..=address.0.saturating_add(size_bytes.saturating_sub(1))),
        _ => None,
    });
    Ok(written.collect())
}

/// Reads the bytes of all rows, adjacent rows together.
fn fill(
    session: &Session,
    request: &MemoryRequest,
    rows: &mut [MemoryRow],
    cancel: &Cancel,
) -> Result<()> {
    let news = written_just_before(session, request.position, cancel)?;
    let has_lines = session.images.are_lines_ready();
    let is_run = |a: &MemoryRow, b: &MemoryRow| {
        matches!((a, b), (MemoryRow::Bytes { .. }, MemoryRow::Bytes { .. }))
    };
    for run in rows.chunk_by_mut(is_run) {
        let Some(MemoryRow::Bytes { address: first, .. }) = run.first() else {
            continue;
        };
        let len_bytes = request.row_bytes * run.len() as u64;
        let bytes_at = |position| {
            MemoryAt {
                position,
                address: *first,
                len_bytes,
            }
            .run(&session.index, cancel)
        };
        let now = bytes_at(request.position)?;
        let before = if request.previous == request.position {
            now.clone()
        } else {
            bytes_at(request.previous)?
        };
        let mut cells: Vec<_> = now
            .iter()
            .zip(&before)
            .map(|(now, before)| ByteCell::new(now, before))
            .collect();
        if request.is_compared {
            cells
                .iter_mut()
                .zip(&before)
                .for_each(|(cell, other)| cell.other = Some(other.value));
        }
        if session.index.source().traits().registers == RegisterSource::Operands {
            let touches_at = |position| {
                TouchesAt {
                    position,
                    address: *first,
                    len_bytes,
                }
                .run(&session.index, cancel)
            };
            let (now, before) = (touches_at(request.position)?, touches_at(request.previous)?);
            cells
                .iter_mut()
                .zip(now.iter().zip(&before))
                .for_each(|(cell, (now, before))| cell.touch(now, before));
        }
        for (address, cell) in (first.0..=u64::MAX).zip(&mut cells) {
            cell.is_news = news.iter().any(|written| written.contains(&address));
        }
        let mut cells = cells.into_iter();
        for row in run {
            if let MemoryRow::Bytes {
                address,
                source,
                cells: shown,
                ..
            } = row
            {
                shown.extend(cells.by_ref().take(request.row_bytes as usize));
                let line = || session.images.source_at(*address);
                *source = has_lines.then(line).flatten().map(|line| line.short());
            }
        }
    }
    Ok(())
}

impl ByteCell {
    fn new(now: &ByteState, before: &ByteState) -> Self {
        let is_changed = now.value != before.value;
        Self {
            value: now.value,
            source: now.source,
            is_changed,
            is_news: false,
            touch: None,
            other: None,
        }
    }

    /// Sets the last access and whether a step in between wrote the byte.
    fn touch(&mut self, now: &ByteTouch, before: &ByteTouch) {
        self.is_changed = now.written_at != before.written_at;
        self.touch = Some(match now {
            ByteTouch {
                written_at: None,
                read_at: None,
            } => LastAccessKind::Never,
            // A step that reads and writes the same byte usually writes it last.
            touch if touch.written_at >= touch.read_at => LastAccessKind::Written,
            _ => LastAccessKind::Read,
        });
    }

    /// Formats two digits, or `??`; `··` if the trace has no values and no step has accessed the
    /// byte yet.
    pub fn hex(&self) -> String {
        let unknown = if self.touch == Some(LastAccessKind::Never) {
            "··"
        } else {
            "??"
        };
        self.value
            .map_or_else(|| unknown.to_owned(), |byte| format!("{byte:02x}"))
    }

    /// Returns the character, `.` if it is not printable, or a blank if it is unknown.
    pub fn character(&self) -> char {
        match self.value {
            Some(byte) if (0x20..0x7f).contains(&byte) => char::from(byte),
            Some(_) => '.',
            None => ' ',
        }
    }
}

/// Aligns an address down to a unit of 1, 2, 4 or 8 bytes.
pub fn aligned(address: Address, len_bytes: u64) -> Address {
    Address(address.0 & !(len_bytes.max(1).next_power_of_two() - 1))
}

/// Returns the name of the aligned unit for commands.
pub fn aligned_cell(address: Address, len_bytes: u64) -> CellName {
    let len_bytes = len_bytes.max(1);
    CellName::Memory(aligned(address, len_bytes).to_string(), len_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::{overflow, tarmac};

    #[test]
    fn a_unit_begins_at_a_multiple_of_its_length() {
        let starts = [1, 2, 4, 8].map(|len| aligned(Address(0x1007), len).0);
        assert_eq!(starts, [0x1007, 0x1006, 0x1004, 0x1000]);
    }

    #[test]
    fn an_unknown_byte_is_blank_in_text() {
        let shown = |value| {
            let cell = ByteCell {
                value,
                ..ByteCell::default()
            };
            format!("{}{}", cell.hex(), cell.character())
        };
        assert_eq!(
            [shown(Some(0x41)), shown(Some(0)), shown(None)],
            ["41A", "00.", "?? "]
        );
    }

    fn page(top: u64, lead: usize) -> MemoryPage {
        let request = MemoryRequest {
            position: Position(1250),
            previous: Position(1249),
            is_compared: false,
            row_bytes: 16,
            top: Address(top),
            lead,
            rows_below: 6,
            rows_above: 4,
        };
        memory_page(&overflow(), &request, &Cancel::default()).unwrap()
    }

    #[track_caller]
    fn check_page(page: &MemoryPage, expected: &[&str]) {
        let byte =
            |cell: &ByteCell| format!("{}{}", cell.hex(), if cell.is_changed { "!" } else { "" });
        let text = |row: &MemoryRow| match row {
            MemoryRow::Bytes { address, cells, .. } => {
                format!(
                    "{:x}: {}",
                    address.0,
                    cells.iter().take(4).map(byte).collect::<Vec<_>>().join(" ")
                )
            }
            MemoryRow::Gap { first, last } => format!("{:x} - {:x}", first.0, last.0),
        };
        let rows: Vec<String> = page.rows.iter().map(text).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn only_what_the_last_step_wrote_is_news_however_far_the_move_was() {
        // Step 1,249 stores a byte; much more differs from the start of the trace.
        let request = MemoryRequest {
            position: Position(1250),
            previous: Position(0),
            is_compared: true,
            row_bytes: 16,
            top: Address(0x8002_0010),
            lead: 0,
            rows_below: 2,
            rows_above: 0,
        };
        let page = memory_page(&overflow(), &request, &Cancel::default()).unwrap();
        let MemoryRow::Bytes { cells, .. } = &page.rows[0] else {
            panic!("{page:?}")
        };
        assert_eq!(cells.iter().position(|cell| cell.is_news), Some(0));
        assert_eq!(cells.iter().filter(|cell| cell.is_news).count(), 1);
        assert!(cells.iter().filter(|cell| cell.is_changed).count() > 1);
        assert_eq!(cells[0].other, Some(None));
    }

    #[test]
    fn memory_that_nobody_accesses_is_one_row() {
        let rows = [
            "80020010: a9! 02 00 80",
            "80020020: 00 00 00 00",
            "80020030: ?? ?? ?? ??",
            "80020040 - 8401ffff",
        ];
        let more = ["84020000: 25 75 35 62", "84020010: 33 66 25 75"];
        check_page(
            &page(0x8002_0014, 0),
            &[rows, [more[0], more[1], "", ""]].concat()[..6],
        );
    }

    #[test]
    fn rows_may_be_longer_and_shorter() {
        let first = |row_bytes| {
            let request = MemoryRequest {
                position: Position(1250),
                previous: Position(1250),
                is_compared: false,
                row_bytes,
                top: Address(0x8002_0014),
                lead: 0,
                rows_below: 2,
                rows_above: 0,
            };
            let page = memory_page(&overflow(), &request, &Cancel::default()).unwrap();
            (
                page.rows[0].first().0,
                page.rows[0].last().0,
                page.rows[1].first().0,
            )
        };
        assert_eq!(first(8), (0x8002_0010, 0x8002_0017, 0x8002_0018));
        assert_eq!(first(64), (0x8002_0000, 0x8002_003f, 0x8002_0040));
    }

    #[test]
    fn rows_above_lead_over_gaps() {
        let page = page(0x8402_0000, 2);
        check_page(
            &MemoryPage {
                rows: page.rows[..3].to_vec(),
                ..page.clone()
            },
            &[
                "80020030: ?? ?? ?? ??",
                "80020040 - 8401ffff",
                "84020000: 25 75 35 62",
            ],
        );
        let above: Vec<u64> = page.above.iter().map(|first| first.0).collect();
        assert_eq!(above[..2], [0x8002_0020, 0x8002_0010]);
    }

    #[test]
    fn an_address_in_a_gap_shows_the_gap() {
        let rows = page(0x8100_0000, 0).rows;
        assert_eq!(
            rows[0],
            MemoryRow::Gap {
                first: Address(0x8002_0040),
                last: Address(0x8401_ffff)
            }
        );
        let rows = page(u64::MAX, 0).rows;
        assert_eq!((rows.len(), rows[0].last()), (1, Address(u64::MAX)));
    }
    #[test]
    fn the_last_row_of_the_address_space_is_shown() {
        let (session, _place) = tarmac(
            "0 clk IT (0) 00001000 d503201f O EL1h_n : NOP\n\
             0 clk MW8 fffffffffffffff8 0000000000000002\n",
        );
        let request = MemoryRequest {
            position: Position(1),
            previous: Position(0),
            is_compared: true,
            row_bytes: 16,
            top: Address(u64::MAX),
            lead: 1,
            rows_below: 4,
            rows_above: 1,
        };
        let page = memory_page(&session, &request, &Cancel::default()).unwrap();
        let row = page.rows.last().unwrap();
        assert_eq!(
            (row.first(), row.last()),
            (Address(0xffff_ffff_ffff_fff0), Address(u64::MAX))
        );
        let cell = page.cell(Address(0xffff_ffff_ffff_fff8)).unwrap();
        assert_eq!((cell.value, cell.is_news), (Some(2), true));
        assert!(page.cell(Address(u64::MAX)).unwrap().is_news);
    }
}

//! Describes one byte of memory in full, and formats rows of bytes as characters and numbers.

use anyhow::Result;
use stepback_index::answer::{
    AccessKinds, AccessTarget, ByteState, Cell, CellAccess, Hit, ValueSource,
};
use stepback_index::query::{MemoryAt, NearestAccess, Steps};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::display::LaneFormat;
use stepback_machine::{Address, Endian};
use stepback_parsers::{Position, RegisterSource, Step};

use crate::action::MemoryText;
use crate::messages::say;
use crate::model::address_text::physical_words;
use crate::model::externals::{ExternalRow, last_external};
use crate::model::memory::ByteCell;
use crate::model::names::{function_name, place_name};
use crate::model::so_far::{SourceWords, doubt_words, so_far, source_so_far};
use crate::model::text::size_text;
use crate::session::Session;

/// Details of one byte of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteDetail {
    pub address: Address,
    /// Symbol at the address.
    pub symbol: Option<String>,
    /// Value and provenance.
    pub state: ByteState,
    /// Last step that wrote the byte.
    pub written_by: Option<Step>,
    /// Function of that step.
    pub writer: Option<String>,
    /// Value before that step.
    pub before: Option<u8>,
    /// Next step that writes the byte.
    pub next_write: Option<Step>,
    /// Description of the last and next accesses, for traces that record no values.
    pub accesses: Option<ByteAccesses>,
    /// Physical address as text; none if the trace records no physical addresses.
    pub physical: Option<String>,
    /// Read that contradicted the known value, if the current value comes from it.
    pub external: Option<ExternalRow>,
}

/// Accesses around a byte whose value is not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteAccesses {
    /// Size and thread of the last store: `8 bytes of 22696`.
    pub written: Option<String>,
    /// Last step that loaded the byte.
    pub last_read: Option<Step>,
    /// Next step that loads the byte.
    pub next_read: Option<Step>,
    /// Reason why the last known store may not be the last one.
    pub doubt: Option<String>,
}

/// Formats the size of an access, with the thread if there are several: `8 bytes`.
fn access_words(session: &Session, hit: &Hit) -> Option<String> {
    let access = hit.access.as_ref()?;
    let AccessTarget::Memory { size_bytes, .. } = access.target else {
        return None;
    };
    let threads = session.index.threads();
    let thread = threads
        .get(usize::from(hit.record.thread.0))
        .filter(|_| threads.len() > 1);
    Some(match thread {
        None => say!("memory-bytes", count = size_bytes),
        Some(thread) => say!(
            "memory-bytes-of-thread",
            count = size_bytes,
            thread = &*thread.name
        ),
    })
}

/// Collects the details of one byte. Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn byte_detail(
    session: &Session,
    address: Address,
    position: Position,
    cancel: &Cancel,
) -> Result<ByteDetail> {
    let index = &session.index;
    let cell = Cell::Memory {
        address,
        len_bytes: 1,
    };
    let state_at = |position| {
        let bytes = MemoryAt {
            position,
            address,
            len_bytes: 1,
        }
        .run(index, cancel)?;
        Ok::<ByteState, QueryError>(bytes.first().copied().unwrap_or_default())
    };
    let last = NearestAccess::last(cell, AccessKinds::Writes, position).run(index, cancel)?;
    let step_of = |answer: &Option<CellAccess>| match answer {
        Some(CellAccess::Step(hit)) => Some(hit.record.step),
        Some(CellAccess::Initial(_)) | None => None,
    };
    let written_by = step_of(&last);
    let accesses = if index.source().traits().registers == RegisterSource::Operands {
        let last_read =
            NearestAccess::last(cell, AccessKinds::Reads, position).run(index, cancel)?;
        let next_read =
            NearestAccess::next(cell, AccessKinds::Reads, position).hit(index, cancel)?;
        let hit = if let Some(CellAccess::Step(hit)) = &last {
            Some(hit)
        } else {
            None
        };
        Some(ByteAccesses {
            written: hit.and_then(|hit| access_words(session, hit)),
            last_read: step_of(&last_read),
            next_read: next_read.map(|hit| hit.record.step),
            doubt: hit.and_then(|hit| Some(doubt_words(hit.doubt?, hit.record.instruction_set))),
        })
    } else {
        None
    };
    let before = match written_by {
        Some(step) => state_at(step.before())?.value,
        None => None,
    };
    let next = NearestAccess::next(cell, AccessKinds::Writes, position).hit(index, cancel)?;
    let state = state_at(position)?;
    let external = match state.source {
        ValueSource::External => last_external(session, address, position, cancel)?,
        ValueSource::Recorded | ValueSource::Inferred | ValueSource::Unknown => None,
    };
    let writer = match written_by {
        Some(step) => Steps {
            first: step,
            count: 1,
        }
        .run(index, cancel)?
        .into_iter()
        .next(),
        None => None,
    };
    Ok(ByteDetail {
        address,
        symbol: place_name(&session.images, address),
        state,
        written_by,
        writer: writer.map(|record| function_name(&session.images, record.pc)),
        before,
        next_write: next.map(|hit| hit.record.step),
        accesses,
        physical: physical_words(session, address, position, cancel)?,
        external,
    })
}

/// Explains the mark of a byte, as preliminary if the rest of the trace may change it.
pub fn source_words(session: &Session, source: ValueSource) -> String {
    source_so_far(session, source, SourceWords::of(source).meaning)
}

impl ByteDetail {
    /// Returns one line each for the origin of the value, the last write and the next write.
    pub fn lines(&self, session: &Session) -> Vec<String> {
        let mut lines = vec![self.source_text(session)];
        lines.push(match (&self.written_by, &self.writer) {
            (Some(step), Some(function)) => say!(
                "memory-written-by-step-in",
                step = step.0,
                function = &**function
            ),
            (Some(step), None) => say!("memory-written-by-step", step = step.0),
            (None, _) => say!("memory-no-step-wrote-it-before").to_owned(),
        });
        lines.push(match self.next_write {
            Some(step) => say!("memory-valid-until", step = step.0),
            None => source_so_far(
                session,
                ValueSource::Inferred,
                say!("memory-no-later-step-writes-it"),
            ),
        });
        lines
    }

    /// Explains the origin of the value in a sentence.
    pub fn source_text(&self, session: &Session) -> String {
        let Some(read) = &self.external else {
            return source_words(session, self.state.source);
        };
        let last = match self.written_by {
            Some(step) => say!("memory-the-last-write", step = step.0),
            None => say!("memory-what-was-known").to_owned(),
        };
        let (was, now) = read.byte(self.address).unwrap_or((None, 0));
        say!(
            "memory-external",
            step = read.step.0,
            last = last,
            was = byte_digits(was),
            now = format!("{now:02x}")
        )
    }
}

/// Formats a byte as two digits, or `??`.
pub fn byte_digits(byte: Option<u8>) -> String {
    byte.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"))
}

/// Describes a gap after its addresses: its size, and that no step accesses it.
pub fn gap_words(session: &Session, first: Address, last: Address) -> String {
    let size = match (last.0 - first.0).checked_add(1) {
        Some(bytes) => size_text(bytes),
        None => say!("memory-16-eib").to_owned(),
    };
    so_far(session, &say!("memory-never-accessed", size = size))
}

/// Formats a row as text, one character per byte so that rows line up.
pub fn row_text(cells: &[ByteCell], text: MemoryText) -> String {
    let mut shown = String::new();
    let mut rest = cells;
    while let Some((first, after)) = rest.split_first() {
        let wide = if text == MemoryText::Utf8 {
            wide_character(rest)
        } else {
            None
        };
        match wide {
            Some((letter, len)) => {
                shown.push(letter);
                // The remaining bytes of the character are blank.
                shown.extend(std::iter::repeat_n(' ', len - 1));
                rest = rest.get(len..).unwrap_or_default();
            }
            None => {
                shown.push(first.character());
                rest = after;
            }
        }
    }
    shown
}

/// Decodes a character of two to four bytes at the start of the cells, if it can be drawn.
fn wide_character(cells: &[ByteCell]) -> Option<(char, usize)> {
    let known: Vec<u8> = cells.iter().take(4).map_while(|cell| cell.value).collect();
    (2..=known.len()).find_map(|len| {
        let letter = std::str::from_utf8(known.get(..len)?)
            .ok()?
            .chars()
            .next()?;
        (letter.len_utf8() == len && is_shown(letter)).then_some((letter, len))
    })
}

/// Returns true if the code font has a letter: Latin, Greek, Cyrillic. Others would be drawn as
/// boxes.
fn is_shown(letter: char) -> bool {
    matches!(letter, '\u{a1}'..='\u{17f}' | 'Α'..='ω' | 'А'..='я') && letter.is_alphanumeric()
}

/// Formats a group as a floating-point number, with `?` if a byte is unknown.
pub fn number_text(cells: &[ByteCell], format: LaneFormat, endian: Endian) -> String {
    let mut bytes: Vec<Option<u8>> = cells.iter().map(|cell| cell.value).collect();
    if endian == Endian::Big {
        bytes.reverse();
    }
    format.lanes(&bytes).concat()
}

/// Returns the index in the row of the byte drawn at `shown`, so that each group reads as a number.
pub fn place_in_row(shown: usize, group: usize, endian: Endian) -> usize {
    let group = group.max(1);
    let (first, offset) = (shown / group * group, shown % group);
    match endian {
        Endian::Big => shown,
        Endian::Little => first + (group - 1 - offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn a_byte_knows_its_writers() {
        let detail = byte_detail(
            &overflow(),
            Address(0x8002_0010),
            Position(1250),
            &Cancel::default(),
        )
        .unwrap();
        assert_eq!(
            (detail.written_by, detail.before, detail.state.value),
            (Some(Step(1249)), Some(0xa0), Some(0xa9))
        );
    }

    #[test]
    fn a_byte_says_who_wrote_it_and_until_when_it_holds() {
        let session = overflow();
        let detail = byte_detail(
            &session,
            Address(0x8002_0010),
            Position(1250),
            &Cancel::default(),
        )
        .unwrap();
        let lines = detail.lines(&session);
        assert!(lines[0].starts_with("recorded"), "{lines:?}");
        assert!(
            lines[1].starts_with("written by step 1,249 in "),
            "{lines:?}"
        );
    }
}

#[cfg(test)]
mod memory_text_tests {
    use super::*;

    #[test]
    fn little_endian_groups_read_from_the_highest_byte() {
        let places = |group, is_big| {
            let endian = if is_big { Endian::Big } else { Endian::Little };
            (0..8)
                .map(|shown| place_in_row(shown, group, endian))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(1, false), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(places(2, false), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(places(4, false), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(places(8, true), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_row_reads_as_text_with_a_letter_a_byte_or_as_utf_8() {
        let cells: Vec<ByteCell> = "a\u{e9}b"
            .bytes()
            .map(|byte| ByteCell {
                value: Some(byte),
                ..ByteCell::default()
            })
            .collect();
        assert_eq!(row_text(&cells, MemoryText::Ascii), "a..b");
        assert_eq!(row_text(&cells, MemoryText::Utf8), "a\u{e9} b");
        assert_eq!(row_text(&cells[..2], MemoryText::Utf8), "a.");
    }

    #[test]
    fn a_group_is_a_number() {
        let cells = 1.5f32.to_le_bytes().map(|byte| ByteCell {
            value: Some(byte),
            ..ByteCell::default()
        });
        let format = LaneFormat::new(stepback_machine::display::LaneKind::Float, 4);
        assert_eq!(number_text(&cells, format, Endian::Little), "1.5");
        assert_eq!(
            number_text(&[ByteCell::default(); 4], format, Endian::Little),
            "?"
        );
    }
}

//! A node of the waveform: the events of a trace at one time, its memory accesses, and their raw
//! lines.
//!
//! The parser splits an access arbitrarily. [`DiagramRow`] joins the parts again, as one line of
//! the trace draws them.

use stepback_index::answer::ThreadId;
use stepback_machine::{AccessKind, Address, RegisterView};
use stepback_parsers::LINE_LIMIT;
use stepback_parsers::{MemoryAccess, Source, SourceError};

/// An instruction with its events, or the events at a time without an instruction.
#[derive(Clone, Debug, Default)]
pub struct DumpNode {
    /// Time; never less than that of the preceding node.
    pub time: u64,
    /// The instruction; at most one.
    pub instruction: Option<NodeInstruction>,
    /// Threads with an event, each once.
    pub threads: Vec<ThreadId>,
    /// Registers that were written.
    pub writes: Vec<(ThreadId, RegisterView)>,
    /// Memory accesses, in trace order.
    pub accesses: Vec<NodeAccess>,
}

#[derive(Clone, Debug)]
pub struct NodeInstruction {
    /// The thread that reached it.
    pub thread: ThreadId,
    /// Step number.
    pub step: u64,
    /// Address; bit 0 is clear for Thumb code too, as `tarmac-vcd` shows it.
    pub pc: u64,
    pub opcode: u32,
    /// Disassembly in the trace.
    pub text: Vec<u8>,
    /// False if its condition failed.
    pub is_executed: bool,
}

/// A memory access.
#[derive(Clone, Copy, Debug)]
pub struct NodeAccess {
    pub thread: ThreadId,
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: Address,
    /// The number that was loaded or stored; `None` if the trace does not record it.
    pub value: Option<u64>,
}

impl DumpNode {
    /// Clears the node for a time and keeps its buffers.
    pub fn restart(&mut self, time: u64) {
        self.time = time;
        self.instruction = None;
        self.threads.clear();
        self.writes.clear();
        self.accesses.clear();
    }

    /// Adds a thread that has an event.
    pub fn note(&mut self, thread: ThreadId) {
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }
}

/// Maximum width of an access.
const ACCESS_BYTES: usize = 8;

/// The accesses of one `LD` or `ST` line, in parts that the parser split arbitrarily.
#[derive(Clone, Debug, Default)]
pub struct DiagramRow {
    /// Lowest address first.
    parts: Vec<MemoryAccess>,
}

impl DiagramRow {
    /// Returns true if an access is drawn by the same line.
    pub fn goes_on(&self, access: &MemoryAccess) -> bool {
        self.parts
            .first()
            .is_some_and(|first| first.place.offset == access.place.offset)
    }

    pub fn push(&mut self, access: &MemoryAccess) {
        self.parts.push(*access);
    }

    pub fn first(&self) -> Option<MemoryAccess> {
        self.parts.first().copied()
    }

    /// Clears the row for another line.
    pub fn clear(&mut self) {
        self.parts.clear();
    }

    /// Returns the accesses from left to right in the line, that is from the highest address down.
    /// Adjacent parts are joined, and known bytes are split into groups of eight from the left. Each
    /// has its lowest address and its bytes in memory order; `None` if the trace does not record
    /// them.
    pub fn accesses(&self) -> Vec<(Address, Option<Vec<u8>>)> {
        let meets = |one: &MemoryAccess, other: &MemoryAccess| {
            one.address.0.checked_add(one.size_bytes.into()) == Some(other.address.0)
                && one.bytes.is_some() == other.bytes.is_some()
        };
        let mut accesses = Vec::new();
        for run in self.parts.chunk_by(meets).rev() {
            let Some(first) = run.first() else { continue };
            if first.bytes.is_none() {
                accesses.push((first.address, None));
                continue;
            }
            let known: Vec<u8> = run.iter().flat_map(bytes_of).collect();
            let mut end = known.len();
            for bytes in known.rchunks(ACCESS_BYTES) {
                end -= bytes.len();
                let address = Address(first.address.0.wrapping_add(end as u64));
                accesses.push((address, Some(bytes.to_vec())));
            }
        }
        accesses
    }
}

fn bytes_of(access: &MemoryAccess) -> impl Iterator<Item = u8> + use<> {
    access
        .bytes
        .unwrap_or_default()
        .into_iter()
        .take(access.size_bytes.into())
}

/// Number of bytes read at once.
const WINDOW: u64 = 1 << 20;

/// Reader of raw trace lines, from front to back.
pub struct LineText<'a> {
    source: &'a dyn Source,
    start: u64,
    text: Vec<u8>,
}

impl<'a> LineText<'a> {
    /// Creates a reader; reads nothing yet.
    pub fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            start: 0,
            text: Vec::new(),
        }
    }

    /// Returns the line that begins at an offset, without its end. Cost: a read if the offset is
    /// past the buffered text.
    pub fn line_at(&mut self, offset: u64) -> Result<&[u8], SourceError> {
        let end = offset
            .saturating_add(LINE_LIMIT as u64)
            .min(self.source.length());
        if offset < self.start || end > self.start + self.text.len() as u64 {
            self.text.clear();
            self.source
                .read_raw(offset..offset.saturating_add(WINDOW), &mut self.text)?;
            self.start = offset;
        }
        let begin = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        let rest = self.text.get(begin..).unwrap_or_default();
        Ok(rest.split(|byte| *byte == b'\n').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::AccessKind;
    use stepback_parsers::{InputLocation, ThreadNumber};

    use super::*;

    #[track_caller]
    fn check(parts: &[(u64, Option<&[u8]>)], expected: &[(u64, Option<&[u8]>)]) {
        let mut row = DiagramRow::default();
        for (address, known) in parts {
            let mut bytes = [0; 8];
            let size = known.map_or(4, <[u8]>::len);
            bytes[..size].copy_from_slice(known.unwrap_or(&[0; 4]));
            row.push(&MemoryAccess {
                thread: ThreadNumber(0),
                kind: AccessKind::Read,
                address: Address(*address),
                tag: 0,
                size_bytes: size as u8,
                bytes: known.map(|_| bytes),
                place: InputLocation::default(),
            });
        }
        let found = row.accesses();
        let found: Vec<_> = found
            .iter()
            .map(|(address, bytes)| (address.0, bytes.as_deref()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_whole_row_is_two_accesses_the_upper_first() {
        let [low, high] = [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16]];
        check(
            &[(0, Some(&low)), (8, Some(&high))],
            &[(8, Some(&high)), (0, Some(&low))],
        );
    }

    #[test]
    fn parts_that_meet_are_cut_from_the_left() {
        check(
            &[(4, Some(&[1, 2, 3, 4])), (8, Some(&[5, 6, 7, 8]))],
            &[(4, Some(&[1, 2, 3, 4, 5, 6, 7, 8]))],
        );
        let low: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8];
        check(
            &[(0, Some(low)), (8, Some(&[9, 10]))],
            &[(2, Some(&[3, 4, 5, 6, 7, 8, 9, 10])), (0, Some(&[1, 2]))],
        );
    }

    #[test]
    fn what_is_unknown_stays_apart() {
        check(
            &[(0, Some(&[1])), (1, None), (5, None), (14, Some(&[2]))],
            &[(14, Some(&[2])), (1, None), (0, Some(&[1]))],
        );
    }
}

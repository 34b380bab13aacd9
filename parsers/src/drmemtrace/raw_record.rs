//! Binary records of a trace file ([`TraceEntry`]; DynamoRIO, `trace_entry.h`). Their width depends
//! on the pointers of the traced program ([`Width`]). [`EncodingSlot`] collects the encoding
//! records in front of an instruction.

use stepback_machine::Encoding;

/// Record: little-endian `type`, `size`, and a value with the pointer width of the traced program
/// (`trace_entry_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TraceEntry {
    /// `trace_type_t`: see [`kind`].
    pub kind: u16,
    /// Size or kind of marker, depending on the type.
    pub size: u16,
    /// Value; a narrow one is zero-extended.
    pub value: u64,
}

/// Width of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bytes: programs with 32-bit pointers.
    Narrow,
    /// 12 bytes: programs with 64-bit pointers.
    Wide,
}

/// Record types (`trace_type_t`) that need a name.
pub(super) mod kind {
    pub const READ: u16 = 0;
    pub const WRITE: u16 = 1;
    pub const INSTRUCTION: u16 = 10;
    pub const INDIRECT_JUMP: u16 = 12;
    pub const INDIRECT_CALL: u16 = 15;
    pub const RETURN: u16 = 16;
    pub const BUNDLE: u16 = 17;
    pub const INSTRUCTION_FLUSH: u16 = 18;
    pub const INSTRUCTION_FLUSH_END: u16 = 19;
    pub const DATA_FLUSH: u16 = 20;
    pub const DATA_FLUSH_END: u16 = 21;
    pub const THREAD: u16 = 22;
    pub const THREAD_EXIT: u16 = 23;
    pub const PROCESS: u16 = 24;
    pub const HEADER: u16 = 25;
    pub const FOOTER: u16 = 26;
    pub const MARKER: u16 = 28;
    pub const NO_FETCH: u16 = 29;
    pub const MAYBE_FETCH: u16 = 30;
    pub const ENCODING: u16 = 47;
}

/// Kinds of markers that the decoder itself interprets.
pub(super) mod marker {
    pub const KERNEL_EVENT: u16 = 0;
    pub const TIMESTAMP: u16 = 2;
    pub const CPU: u16 = 3;
    pub const FILE_TYPE: u16 = 9;
    pub const CHUNK_INSTRUCTIONS: u16 = 20;
    pub const CHUNK_FOOTER: u16 = 21;
    pub const RECORD_ORDINAL: u16 = 22;
    pub const BRANCH_TARGET: u16 = 29;
    pub const CORE_WAIT: u16 = 32;
    pub const CORE_IDLE: u16 = 33;
}

impl TraceEntry {
    /// Decodes a record of a 64-bit program.
    pub fn wide(bytes: &[u8; 12]) -> Self {
        let [a, b, c, d, value @ ..] = *bytes;
        Self {
            kind: u16::from_le_bytes([a, b]),
            size: u16::from_le_bytes([c, d]),
            value: u64::from_le_bytes(value),
        }
    }

    /// Decodes a record of a 32-bit program.
    pub fn narrow(bytes: &[u8; 8]) -> Self {
        let [a, b, c, d, value @ ..] = *bytes;
        Self {
            kind: u16::from_le_bytes([a, b]),
            size: u16::from_le_bytes([c, d]),
            value: u64::from(u32::from_le_bytes(value)),
        }
    }

    /// Returns whether it looks like most records of a trace.
    fn is_sensible(&self) -> bool {
        match self.kind {
            kind::READ | kind::WRITE => (1..=64).contains(&self.size),
            10..=16 | 48 | 49 => (1..=15).contains(&self.size) && self.value != 0,
            kind::ENCODING => (1..=8).contains(&self.size),
            kind::MARKER => self.size < 64,
            _ => false,
        }
    }
}

impl Width {
    /// Returns the bytes of a record.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Narrow => 8,
            Self::Wide => 12,
        }
    }

    /// Decodes the whole records in some bytes; ignores an incomplete one at the end.
    pub(super) fn records(self, bytes: &[u8]) -> impl Iterator<Item = TraceEntry> {
        let (wide, narrow) = match self {
            Self::Wide => (bytes, &[][..]),
            Self::Narrow => (&[][..], bytes),
        };
        let wide = wide.as_chunks().0.iter().map(TraceEntry::wide);
        wide.chain(narrow.as_chunks().0.iter().map(TraceEntry::narrow))
    }

    /// Detects the width from the first bytes of a file's records; defaults to wide.
    pub(super) fn of_first(bytes: &[u8]) -> Self {
        Self::of_head(bytes)
            .or_else(|| Self::guess(bytes))
            .unwrap_or(Self::Wide)
    }

    /// Detects the width from the first two records of a file: a header and a record that may
    /// follow one. `None` if they are something else.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        [Self::Wide, Self::Narrow].into_iter().find(|width| {
            let mut records = width.records(head);
            let (Some(header), Some(next)) = (records.next(), records.next()) else {
                return false;
            };
            let is_header = header.kind == kind::HEADER
                && header.size == 0
                && header.value <= u64::from(u32::MAX);
            is_header && matches!(next.kind, kind::THREAD | kind::PROCESS | kind::MARKER)
        })
    }

    /// Guesses the width in which most records are plausible, for files without a header; `None` if
    /// neither fits.
    pub(super) fn guess(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..GUESS_BYTES).unwrap_or(bytes);
        let sensible = |width: &Self| {
            width.records(bytes).filter(TraceEntry::is_sensible).count() * width.bytes()
        };
        let width = [Self::Narrow, Self::Wide]
            .into_iter()
            .max_by_key(sensible)?;
        (sensible(&width) * 4 > bytes.len() * 3).then_some(width)
    }
}

/// Number of bytes that [`Width::guess`] examines.
const GUESS_BYTES: usize = 1 << 10;

/// Bytes from the encoding records before an instruction.
#[derive(Debug, Default)]
pub(super) struct EncodingSlot {
    bytes: [u8; Encoding::LIMIT],
    length: usize,
}

impl EncodingSlot {
    /// Adds the first `count` bytes of a record's value; returns false if they are too many.
    pub fn push(&mut self, count: u16, value: u64) -> bool {
        let value = value.to_le_bytes();
        let Some(more) = value.get(..usize::from(count)) else {
            return false;
        };
        let Some(room) = self.bytes.get_mut(self.length..self.length + more.len()) else {
            return false;
        };
        room.copy_from_slice(more);
        self.length += more.len();
        true
    }

    /// Takes the bytes out; `None` if no record stated any.
    pub fn take(&mut self) -> Option<Encoding> {
        let length = std::mem::take(&mut self.length);
        if length == 0 {
            None
        } else {
            Encoding::new(self.bytes.get(..length)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_records_tell_the_width() {
        let check = |head: &[u8], expected| assert_eq!(Width::of_head(head), expected);
        check(
            b"\x19\0\0\0\x07\0\0\0\0\0\0\0\x1c\0\x0c\0\x07\0\0\0\0\0\0\0",
            Some(Width::Wide),
        );
        check(
            b"\x19\0\0\0\x07\0\0\0\x1c\0\x0c\0\x07\0\0\0\x1c\0\x09\0",
            Some(Width::Narrow),
        );
        check(
            b"\x19\0\0\0\x01\0\0\0\0\0\0\0\x16\0\x04\0\x2c\x54\0\0\0\0\0\0",
            Some(Width::Wide),
        );
        check(b"\x19\0\0\0\x07\0\0\0\0\0\0\0\x1c\0", None);
        check(b"\x19\0\x01\0\x07\0\0\0\x1c\0\x0c\0\x07\0\0\0", None);
        check(b"1 clk IT (1) 00008000 e3a00001", None);
        check(b"", None);
    }

    #[test]
    fn without_a_header_the_sensible_width_is_taken() {
        let wide = b"\x0a\0\x04\0\0\0\x40\0\0\0\0\0".repeat(20);
        assert_eq!(Width::guess(&wide), Some(Width::Wide));
        let narrow = b"\x0a\0\x04\0\x78\x56\x34\x12".repeat(20);
        assert_eq!(Width::guess(&narrow), Some(Width::Narrow));
        assert_eq!(
            Width::guess(b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1"),
            None
        );
    }
}

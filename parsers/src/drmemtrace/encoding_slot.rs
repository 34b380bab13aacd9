//! Encoding of the next instruction.

use stepback_machine::Encoding;

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

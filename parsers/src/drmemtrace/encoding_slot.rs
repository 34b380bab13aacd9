//! The bytes of the instruction that comes next.

use stepback_machine::Encoding;

/// What the encoding records before an instruction said so far.
#[derive(Debug, Default)]
pub(super) struct EncodingSlot {
    bytes: [u8; Encoding::LIMIT],
    length: usize,
}

impl EncodingSlot {
    /// Adds the first `count` bytes of a record's value; false when they are too many.
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

    /// The bytes, which are then forgotten; none when no record told any.
    pub fn take(&mut self) -> Option<Encoding> {
        let length = std::mem::take(&mut self.length);
        if length == 0 {
            None
        } else {
            Encoding::new(self.bytes.get(..length)?)
        }
    }
}

//! The bytes of an instruction.

use std::fmt;

use crate::InstructionSet;

/// The bytes of an instruction as they lie in memory: 1 to 15.
///
/// ```
/// use crate::{Encoding, InstructionSet};
/// let wide = Encoding::of_opcode(0xf000_f801, 4, InstructionSet::T32).unwrap();
/// assert_eq!(wide.bytes(), [0x00, 0xf0, 0x01, 0xf8]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoding {
    bytes: [u8; 15],
    length: u8,
}

impl Encoding {
    /// As many bytes as an instruction has at most.
    pub const LIMIT: usize = 15;

    /// From its bytes; none when there are none or more than [`Self::LIMIT`].
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut encoding = Self { length: u8::try_from(bytes.len()).ok()?, ..Self::default() };
        encoding.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(encoding).filter(|encoding| encoding.length > 0)
    }

    /// From a right-aligned Arm opcode, as little-endian memory holds it; none for 0, which stands for unknown, and for other sets.
    pub fn of_opcode(opcode: u32, length_bytes: u8, set: InstructionSet) -> Option<Self> {
        if opcode == 0 || !set.is_arm() {
            return None;
        }
        match (set, length_bytes) {
            (InstructionSet::T32, 2) => Self::new(&(opcode as u16).to_le_bytes()),
            // The first halfword is the upper one (Arm ARM, "Instruction encoding").
            (InstructionSet::T32, _) => Self::new(&opcode.rotate_left(16).to_le_bytes()),
            _ => Self::new(&opcode.to_le_bytes()),
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }

    /// An Arm instruction as a right-aligned number; 0 for other lengths than 2 and 4.
    pub fn opcode(&self, set: InstructionSet) -> u32 {
        match *self.bytes() {
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] if set == InstructionSet::T32 => u32::from_le_bytes([c, d, a, b]),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

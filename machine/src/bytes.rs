//! Instruction encodings.

use std::fmt;

/// The bytes of an instruction in memory order: 1 to 16.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoding {
    bytes: [u8; Self::LIMIT],
    length: u8,
}

impl Encoding {
    /// Maximum number of bytes: synthetic instructions have up to 16, those of x86 up to 15.
    pub const LIMIT: usize = 16;

    /// Creates an encoding; none if there are no bytes or more than [`Self::LIMIT`].
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut encoding = Self {
            length: u8::try_from(bytes.len()).ok()?,
            ..Self::default()
        };
        encoding
            .bytes
            .get_mut(..bytes.len())?
            .copy_from_slice(bytes);
        Some(encoding).filter(|encoding| encoding.length > 0)
    }

    /// Returns the bytes in memory order.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.length))
            .unwrap_or_default()
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

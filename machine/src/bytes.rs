//! The bytes of an instruction.

use std::fmt;

/// The bytes of an instruction as they lie in memory: 1 to 16.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoding {
    bytes: [u8; Self::LIMIT],
    length: u8,
}

impl Encoding {
    /// Maximum number of bytes: synthetic instructions have up to 16, those of x86 up to 15.
    pub const LIMIT: usize = 16;

    /// From its bytes; none when there are none or more than [`Self::LIMIT`].
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

    /// Its bytes.
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

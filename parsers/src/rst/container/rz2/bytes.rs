//! Reads numbers from a stream.

/// The reason why a stream cannot be read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// The stream ends too early.
    Short,
    /// The stream contains something that no packer writes.
    Contradiction,
    /// The history would need more memory than the limit allows.
    Memory,
}

/// The unread bytes of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamBytes<'a>(pub &'a [u8]);

impl<'a> StreamBytes<'a> {
    /// Takes `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], StreamFault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(StreamFault::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], StreamFault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(StreamFault::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Returns the next byte without taking it.
    pub fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub fn byte(&mut self) -> Result<u8, StreamFault> {
        self.array().map(|[byte]| byte)
    }

    pub fn half(&mut self) -> Result<u16, StreamFault> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn word(&mut self) -> Result<u32, StreamFault> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn long(&mut self) -> Result<u64, StreamFault> {
        self.array().map(u64::from_be_bytes)
    }
}

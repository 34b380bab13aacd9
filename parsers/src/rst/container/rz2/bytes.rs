//! Numbers of a stream.

/// Why a stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// It ends too early.
    Short,
    /// It says something that the packer never wrote.
    Contradiction,
    /// What is to be remembered would need more memory than we give.
    Memory,
}

/// The bytes of a stream that were not used yet.
#[derive(Clone, Copy, Debug)]
pub struct StreamBytes<'a>(pub &'a [u8]);

impl<'a> StreamBytes<'a> {
    /// So many bytes.
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

    /// The next byte, which stays.
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

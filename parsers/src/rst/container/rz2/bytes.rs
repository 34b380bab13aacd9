//! Numbers of a stream.

/// Why a stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It ends too early.
    Short,
    /// It says something that the packer never wrote.
    Contradiction,
    /// What is to be remembered would need more memory than we give.
    Memory,
}

/// The bytes of a stream that were not used yet.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// So many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Fault::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Fault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Fault::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub fn byte(&mut self) -> Result<u8, Fault> {
        self.array().map(|[byte]| byte)
    }

    pub fn half(&mut self) -> Result<u16, Fault> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn word(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn long(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_be_bytes)
    }
}

//! The head of a file, its blocks ([`FramedBlock`]), and the numbers in a stream, which are
//! big-endian ([`StreamBytes`]). The length of a block is limited, so that a damaged one cannot
//! claim memory.

use std::io;

use crate::problem::RstFault;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::UnpackFault;

/// Length of the head in bytes.
const HEAD_BYTES: usize = 512;
/// Maximum length of a block in bytes. No packer makes longer ones: they hold some hundred thousand
/// records.
const BLOCK_BYTES_MAX: usize = 8 << 20;
/// Maximum number of processors.
pub const CPUS: u8 = 64;

/// A block: its length is stored before it.
pub struct FramedBlock {
    pub bytes: Vec<u8>,
    /// True if the file ends within the block.
    pub is_cut_off: bool,
}

/// Number of consecutive records of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTurn {
    pub cpu: u8,
    pub records: u32,
}

/// Reads the rest of the head of a file. Returns true if the records are of one processor; those of
/// several are interleaved in turns. The inner result is the reason if the head is invalid.
///
/// # Errors
/// The file could not be read.
pub fn is_of_one_cpu(
    input: &mut ReadAheadReader,
    mut head: Vec<u8>,
) -> io::Result<Result<bool, RstFault>> {
    let missing = HEAD_BYTES.saturating_sub(head.len());
    input.read_into(&mut head, missing)?;
    if head.len() < HEAD_BYTES {
        return Ok(Err(RstFault::CutOff));
    }
    let text = String::from_utf8_lossy(&head);
    let cpus = text
        .split_once("Numcpus=")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect());
    let cpus = cpus.and_then(|digits: String| digits.parse::<u32>().ok());
    Ok(cpus.map(|cpus| cpus == 1).ok_or(RstFault::NoProcessorCount))
}

impl FramedBlock {
    /// Reads the next block. The inner result is the reason if the length is impossible.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read(
        input: &mut ReadAheadReader,
        mut used: Vec<u8>,
    ) -> io::Result<Result<Self, RstFault>> {
        let mut length = Vec::with_capacity(4);
        input.read_into(&mut length, 4)?;
        used.clear();
        let Some(length) = length
            .first_chunk()
            .map(|bytes| u32::from_be_bytes(*bytes) as usize)
        else {
            return Ok(Ok(Self {
                bytes: used,
                is_cut_off: true,
            }));
        };
        if length > BLOCK_BYTES_MAX {
            return Ok(Err(RstFault::BlockLength(length)));
        }
        input.read_into(&mut used, length)?;
        let is_cut_off = used.len() < length;
        Ok(Ok(Self {
            bytes: used,
            is_cut_off,
        }))
    }
}

/// Decodes the turns of a block.
pub fn turns(mut bytes: StreamBytes<'_>) -> Result<Vec<ProcessorTurn>, UnpackFault> {
    let mut turns = Vec::new();
    while bytes.peek().is_some() {
        let cpu = bytes.byte()?;
        let records = match bytes.byte()? {
            0 => match bytes.half()? {
                0 => bytes.word()?,
                records => u32::from(records),
            },
            records => u32::from(records),
        };
        if cpu >= CPUS {
            return Err(UnpackFault::Contradiction);
        }
        turns.push(ProcessorTurn { cpu, records });
    }
    Ok(turns)
}

/// The unread bytes of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamBytes<'a>(pub &'a [u8]);

impl<'a> StreamBytes<'a> {
    /// Takes `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], UnpackFault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(UnpackFault::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], UnpackFault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(UnpackFault::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Returns the next byte without taking it.
    pub fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    pub fn byte(&mut self) -> Result<u8, UnpackFault> {
        self.array().map(|[byte]| byte)
    }

    pub fn half(&mut self) -> Result<u16, UnpackFault> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn word(&mut self) -> Result<u32, UnpackFault> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn long(&mut self) -> Result<u64, UnpackFault> {
        self.array().map(u64::from_be_bytes)
    }
}

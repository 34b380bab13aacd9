//! Decodes the chunks of a stream, which are sequences of instructions, and the items between them,
//! which are other records ([`Rz2CpuState::next_part`]). A chunk may name a sequence in the history
//! of its processor; the decoder must update the history exactly like the packer.

use crate::rst::container::batch::UnpackFault;
use crate::rst::container::code::{InstructionClass, destination, target_of};
use crate::rst::container::paged::TableBudget;
use crate::rst::container::rz2::cpu::{Rz2CpuState, VALUES};
use crate::rst::container::rz2::framing::StreamBytes;
use crate::rst::fields::{INSTR_FLAGS, instr, regval};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// Tag bytes.
const END: u8 = 161;
const NEW_CHUNK: u8 = 162;
const KNOWN_CHUNK: u8 = 163;

/// Flags of an instruction: those of its record, and one more.
mod flag {
    pub const HAS_EA: u8 = 0x40;
    pub const TAKEN: u8 = 4;
    pub const ANNULLED: u8 = 2;
    /// Other records follow before the next instruction.
    pub const HAS_ITEMS: u8 = 1;
    /// The flags that are part of the record.
    pub const OF_RECORD: u8 = 0x6e;
}

/// Number of chunks that a checksum covers. It is stored after the last of them.
const CHUNKS_PER_SUM: u32 = 16;
/// Minor version of rstzip 3 with the same instruction classes.
const CLASSES: u8 = 20;

/// An element of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPart {
    /// One or more records.
    Records,
    /// The end of the stream.
    End,
}

/// A stream, and the destination of its records.
pub struct ChunkStream<'a, 'b> {
    pub bytes: &'a mut StreamBytes<'b>,
    pub out: &'a mut Vec<u8>,
    pub scratch: &'a mut ChunkScratch,
    pub budget: &'a mut TableBudget,
}

/// Buffers of a chunk, reused for the next.
#[derive(Debug, Default)]
pub struct ChunkScratch {
    words: Vec<u32>,
    /// The effective addresses that the chunk stores.
    eas: Vec<u64>,
}

/// Beginning of a chunk.
#[derive(Clone, Copy)]
struct ChunkHead<'a> {
    is_known: bool,
    pc: u64,
    /// Flags of each instruction.
    flags: &'a [u8],
}

impl Rz2CpuState {
    /// Appends the records of the next chunk or item. Appends nothing if it cannot be read.
    pub fn next_part(
        &mut self,
        stream: &mut ChunkStream<'_, '_>,
    ) -> Result<StreamPart, UnpackFault> {
        let before = stream.out.len();
        let part = match stream.bytes.byte()? {
            END => return Ok(StreamPart::End),
            begin @ (NEW_CHUNK | KNOWN_CHUNK) => self.chunk(begin, stream),
            first => {
                let record = self.item(first, stream.bytes, stream.budget);
                record.map(|record| stream.out.extend_from_slice(&record))
            }
        };
        if part.is_err() {
            stream.out.truncate(before);
        }
        part.map(|()| StreamPart::Records)
    }

    fn chunk(&mut self, begin: u8, stream: &mut ChunkStream<'_, '_>) -> Result<(), UnpackFault> {
        let is_known = begin == KNOWN_CHUNK;
        let length = usize::from(stream.bytes.half()?);
        let pc = stream.bytes.long()?;
        stream.scratch.words.clear();
        if !is_known {
            let words = stream.bytes.take(4 * length)?.as_chunks().0;
            stream
                .scratch
                .words
                .extend(words.iter().map(|word| u32::from_be_bytes(*word)));
        }
        let head = ChunkHead {
            is_known,
            pc,
            flags: stream.bytes.take(length)?,
        };
        self.read_eas(head, stream)?;
        let counts = head
            .flags
            .iter()
            .filter(|flags| **flags & flag::HAS_ITEMS != 0)
            .count();
        let counts = stream.bytes.take(counts)?;
        let sums = [u64::from(begin), length as u64, pc];
        self.sum = sums
            .into_iter()
            .chain(counts.iter().map(|count| u64::from(*count)))
            .fold(self.sum, u64::wrapping_add);
        self.push_instructions(head, counts, stream)?;
        self.check_sum(stream.bytes)
    }

    /// Determines the instruction words and reads the effective addresses, then updates the history
    /// with both.
    fn read_eas(
        &mut self,
        ChunkHead {
            is_known,
            pc,
            flags,
        }: ChunkHead<'_>,
        stream: &mut ChunkStream<'_, '_>,
    ) -> Result<(), UnpackFault> {
        let ChunkStream {
            bytes,
            scratch: ChunkScratch { words, eas },
            budget,
            ..
        } = stream;
        eas.clear();
        if !is_known {
            let stated = flags
                .iter()
                .zip(&*words)
                .filter(|(flags, word)| is_stated(**flags, **word))
                .count();
            eas.extend(
                bytes
                    .take(8 * stated)?
                    .as_chunks()
                    .0
                    .iter()
                    .map(|ea| u64::from_be_bytes(*ea)),
            );
            return self
                .history
                .store(pc, words, eas, budget)
                .ok_or(UnpackFault::Memory);
        }
        let way = self
            .history
            .find(pc, flags.len(), budget)
            .ok_or(UnpackFault::Contradiction)?;
        words.extend(way.words().iter().take(flags.len()));
        let stated = flags
            .iter()
            .zip(&*words)
            .filter(|(flags, word)| is_stated(**flags, **word))
            .count();
        for before in way.eas().iter().take(stated) {
            eas.push(before.wrapping_add_signed(distance(bytes)?));
        }
        way.keep(eas);
        Ok(())
    }

    fn push_instructions(
        &mut self,
        head: ChunkHead<'_>,
        counts: &[u8],
        stream: &mut ChunkStream<'_, '_>,
    ) -> Result<(), UnpackFault> {
        let mask = if self.masks_addresses {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let (mut stated, mut counts) = (0, counts.iter());
        let mut pc = head.pc;
        for (number, flags) in head.flags.iter().copied().enumerate() {
            let word = stream
                .scratch
                .words
                .get(number)
                .copied()
                .ok_or(UnpackFault::Contradiction)?;
            let class = InstructionClass::of(word, CLASSES);
            let ea = if is_stated(flags, word) {
                let ea = stream
                    .scratch
                    .eas
                    .get(stated)
                    .copied()
                    .ok_or(UnpackFault::Contradiction)?;
                stated += 1;
                self.sum = self.sum.wrapping_add(ea);
                ea
            } else if flags & flag::ANNULLED != 0 || !is_relative(class) {
                0
            } else if flags & flag::TAKEN != 0 {
                target_of(word, class, pc) & mask
            } else {
                pc.wrapping_add(8)
            };
            self.sum = self
                .sum
                .wrapping_add(u64::from(word))
                .wrapping_add(u64::from(flags));
            self.word = word;
            let record = RawRecord::empty(kind::INSTRUCTION, RecordEncoding::default())
                .with(INSTR_FLAGS, u64::from(flags & flag::OF_RECORD))
                .with(instr::CPUID_LO, u64::from(self.number))
                .with(instr::INSTR, u64::from(word))
                .with(instr::PC_VA, pc)
                .with(instr::EA_VA, ea);
            stream.out.extend_from_slice(&record.bytes());
            if flags & flag::HAS_ITEMS != 0 {
                let count = counts.next().copied().unwrap_or_default();
                (0..count).try_for_each(|_| self.push_item(stream))?;
            }
            pc = pc.wrapping_add(4);
        }
        Ok(())
    }

    fn push_item(&mut self, stream: &mut ChunkStream<'_, '_>) -> Result<(), UnpackFault> {
        let first = stream.bytes.byte()?;
        let record = self.item(first, stream.bytes, stream.budget)?;
        self.sum = self.sum.wrapping_add(u64::from(record[0]));
        stream.out.extend_from_slice(&record);
        Ok(())
    }

    fn check_sum(&mut self, bytes: &mut StreamBytes<'_>) -> Result<(), UnpackFault> {
        self.chunks += 1;
        if self.chunks < CHUNKS_PER_SUM {
            return Ok(());
        }
        self.chunks = 0;
        let sum = std::mem::take(&mut self.sum);
        if bytes.long()? == sum {
            Ok(())
        } else {
            Err(UnpackFault::Contradiction)
        }
    }
}

/// Returns true if the chunk stores the effective address: those of branches and calls follow from
/// their words.
fn is_stated(flags: u8, word: u32) -> bool {
    flags & flag::HAS_EA != 0 && !is_relative(InstructionClass::of(word, CLASSES))
}

fn is_relative(class: InstructionClass) -> bool {
    class.is_branch() || class == InstructionClass::Call
}

/// Reads the distance of an effective address from the previous one.
fn distance(bytes: &mut StreamBytes<'_>) -> Result<i64, UnpackFault> {
    Ok(match bytes.byte()?.cast_signed() {
        -125 => i64::from(bytes.byte()?.cast_signed()),
        -123 => i64::from(bytes.half()?.cast_signed()),
        123 => i64::from(bytes.word()?.cast_signed()),
        125 => bytes.long()?.cast_signed(),
        distance => i64::from(distance),
    })
}

/// Tag bytes.
mod tag {
    /// Smaller tags are the types of records that are stored unpacked.
    pub const RAW_END: u8 = 160;
    pub const DIFFERENCE: u8 = 164;
    pub const DIFFERENCE_END: u8 = 171;
    pub const CONDITION_CODES: u8 = 172;
    pub const REGISTER: u8 = 173;
    pub const BYTE: u8 = 174;
    pub const HALF: u8 = 175;
    pub const WORD: u8 = 176;
    pub const LONG: u8 = 177;
    pub const KNOWN: u8 = 178;
    pub const ALL_ONES: u8 = 179;
    pub const ZERO: u8 = 180;
    pub const EIGHT: u8 = 188;
    pub const PAIR: u8 = 189;
}

/// Register kinds of a REGVAL record.
const INTEGER: u64 = 1;
const UNUSED: u64 = 5;
const CONDITION_CODES: u64 = 6;

impl Rz2CpuState {
    /// Decodes the record that begins with the tag `first`.
    pub fn item(
        &mut self,
        first: u8,
        bytes: &mut StreamBytes<'_>,
        budget: &mut TableBudget,
    ) -> Result<[u8; RECORD_BYTES], UnpackFault> {
        let mut record = match first {
            ..tag::RAW_END => raw(first, bytes)?,
            tag::DIFFERENCE..=tag::DIFFERENCE_END => {
                let slot = usize::from(first - tag::DIFFERENCE);
                self.differences
                    .get(slot)
                    .ok_or(UnpackFault::Contradiction)?
            }
            tag::REGISTER..=tag::PAIR => self.registers(first, bytes, budget)?,
            _ => return Err(UnpackFault::Contradiction),
        };
        if first == kind::DIFFERENCE {
            self.differences.store(record);
        }
        self.adopt(&mut record);
        Ok(record)
    }

    fn registers(
        &mut self,
        first: u8,
        bytes: &mut StreamBytes<'_>,
        budget: &mut TableBudget,
    ) -> Result<[u8; RECORD_BYTES], UnpackFault> {
        let mut record = RawRecord::empty(kind::REGISTERS, RecordEncoding::default())
            .with(regval::POST_INSTR, 1)
            .with(regval::REGTYPE0, INTEGER);
        let is_pair = first == tag::PAIR;
        let begin = if is_pair { bytes.byte()? } else { first };
        let (id, value) = self.register(begin, bytes, budget)?;
        record = record.with(regval::REGID0, id).with(regval::REG0, value);
        if is_pair {
            let begin = bytes.byte()?;
            let (id, value) = self.register(begin, bytes, budget)?;
            record = record.with(regval::REGTYPE1, INTEGER);
            record = record.with(regval::REGID1, id).with(regval::REG1, value);
        } else if bytes.peek().ok_or(UnpackFault::Short)? == tag::CONDITION_CODES {
            bytes.byte()?;
            record = record
                .with(regval::REGTYPE1, CONDITION_CODES)
                .with(regval::REGID1, u64::from(bytes.byte()?));
        } else {
            record = record.with(regval::REGTYPE1, UNUSED);
        }
        Ok(record.bytes())
    }

    /// Decodes a register that begins with a tag; returns its number and its value. If its number is not stored, it is the register
    /// that the last instruction writes.
    fn register(
        &mut self,
        begin: u8,
        bytes: &mut StreamBytes<'_>,
        budget: &mut TableBudget,
    ) -> Result<(u64, u64), UnpackFault> {
        let (id, begin) = match begin {
            tag::REGISTER => (u64::from(bytes.byte()?), bytes.byte()?),
            begin => (u64::from(destination(self.word)), begin),
        };
        let value = match begin {
            tag::BYTE => u64::from(bytes.byte()?),
            tag::HALF => u64::from(bytes.half()?),
            tag::WORD => self.note(u64::from(bytes.word()?), budget)?,
            tag::LONG => self.note(bytes.long()?, budget)?,
            tag::KNOWN => *self
                .values
                .place(usize::from(bytes.half()?), budget)
                .ok_or(UnpackFault::Memory)?,
            tag::ALL_ONES => u64::MAX,
            tag::ZERO..=tag::EIGHT => u64::from(begin - tag::ZERO),
            _ => return Err(UnpackFault::Contradiction),
        };
        Ok((id, value))
    }

    /// Remembers a value, which may occur again.
    fn note(&mut self, value: u64, budget: &mut TableBudget) -> Result<u64, UnpackFault> {
        *self
            .values
            .place((value % VALUES) as usize, budget)
            .ok_or(UnpackFault::Memory)? = value;
        Ok(value)
    }
}

/// Reads a record that is stored unpacked.
fn raw(first: u8, bytes: &mut StreamBytes<'_>) -> Result<[u8; RECORD_BYTES], UnpackFault> {
    let mut record = [first; RECORD_BYTES];
    record[1..].copy_from_slice(bytes.take(RECORD_BYTES - 1)?);
    Ok(record)
}

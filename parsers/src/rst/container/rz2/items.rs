//! Decodes items: records other than instructions.

use crate::rst::container::code::destination;
use crate::rst::container::paged::TableBudget;
use crate::rst::container::rz2::bytes::{StreamBytes, StreamFault};
use crate::rst::container::rz2::cpu::{Rz2CpuState, VALUES};
use crate::rst::fields::regval;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

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

/// A register and its value.
#[derive(Clone, Copy)]
struct RegisterItem {
    id: u64,
    value: u64,
}

impl Rz2CpuState {
    /// Decodes the record that begins with the tag `first`.
    pub fn item(
        &mut self,
        first: u8,
        bytes: &mut StreamBytes<'_>,
        budget: &mut TableBudget,
    ) -> Result<[u8; RECORD_BYTES], StreamFault> {
        let mut record = match first {
            ..tag::RAW_END => raw(first, bytes)?,
            tag::DIFFERENCE..=tag::DIFFERENCE_END => {
                let slot = usize::from(first - tag::DIFFERENCE);
                self.differences
                    .get(slot)
                    .ok_or(StreamFault::Contradiction)?
            }
            tag::REGISTER..=tag::PAIR => self.registers(first, bytes, budget)?,
            _ => return Err(StreamFault::Contradiction),
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
    ) -> Result<[u8; RECORD_BYTES], StreamFault> {
        let mut record = RawRecord::empty(kind::REGISTERS, RecordEncoding::default())
            .with(regval::POST_INSTR, 1)
            .with(regval::REGTYPE0, INTEGER);
        let is_pair = first == tag::PAIR;
        let begin = if is_pair { bytes.byte()? } else { first };
        let register = self.register(begin, bytes, budget)?;
        record = record
            .with(regval::REGID0, register.id)
            .with(regval::REG0, register.value);
        if is_pair {
            let begin = bytes.byte()?;
            let register = self.register(begin, bytes, budget)?;
            record = record.with(regval::REGTYPE1, INTEGER);
            record = record
                .with(regval::REGID1, register.id)
                .with(regval::REG1, register.value);
        } else if bytes.peek().ok_or(StreamFault::Short)? == tag::CONDITION_CODES {
            bytes.byte()?;
            record = record
                .with(regval::REGTYPE1, CONDITION_CODES)
                .with(regval::REGID1, u64::from(bytes.byte()?));
        } else {
            record = record.with(regval::REGTYPE1, UNUSED);
        }
        Ok(record.bytes())
    }

    /// Decodes a register that begins with a tag. If its number is not stored, it is the register
    /// that the last instruction writes.
    fn register(
        &mut self,
        begin: u8,
        bytes: &mut StreamBytes<'_>,
        budget: &mut TableBudget,
    ) -> Result<RegisterItem, StreamFault> {
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
                .ok_or(StreamFault::Memory)?,
            tag::ALL_ONES => u64::MAX,
            tag::ZERO..=tag::EIGHT => u64::from(begin - tag::ZERO),
            _ => return Err(StreamFault::Contradiction),
        };
        Ok(RegisterItem { id, value })
    }

    /// Remembers a value, which may occur again.
    fn note(&mut self, value: u64, budget: &mut TableBudget) -> Result<u64, StreamFault> {
        *self
            .values
            .place((value % VALUES) as usize, budget)
            .ok_or(StreamFault::Memory)? = value;
        Ok(value)
    }
}

/// Reads a record that is stored unpacked.
fn raw(first: u8, bytes: &mut StreamBytes<'_>) -> Result<[u8; RECORD_BYTES], StreamFault> {
    let mut record = [first; RECORD_BYTES];
    record[1..].copy_from_slice(bytes.take(RECORD_BYTES - 1)?);
    Ok(record)
}

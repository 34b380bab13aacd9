//! The records of most instructions, each with a fixed length ([`UsualRecord`]). They are read without
//! going through memory as an [`StfRecord`](crate::stf::record::StfRecord), which has room for all.

use crate::stf::record::{RegisterClass, descriptor};
use crate::stf::recorder::GroupOpcode;

/// A record that describes an instruction.
#[derive(Clone, Copy, Debug)]
pub enum UsualRecord {
    /// Register of 64 bits.
    Register { number: u16, kind: u8, word: u64 },
    /// Access to memory.
    Access {
        address: u64,
        size_bytes: u16,
        kind: u8,
    },
    /// Word of data.
    Data(u64),
    /// Target of a taken branch.
    Target(u64),
    /// Instruction.
    Opcode(GroupOpcode),
}

impl UsualRecord {
    /// Reads the record at a place; returns it with its length. None if it is another one, or not
    /// complete.
    #[inline(always)]
    pub fn at(bytes: &[u8], place: usize) -> Option<(Self, usize)> {
        let rest = bytes.get(place..)?;
        match *rest.first()? {
            descriptor::REGISTER => {
                let [_, n0, n1, kind, word @ ..] = *rest.first_chunk::<12>()?;
                let is_vector = RegisterClass::of(kind) == RegisterClass::Vector;
                let register = Self::Register {
                    number: u16::from_le_bytes([n0, n1]),
                    kind,
                    word: u64::from_le_bytes(word),
                };
                (!is_vector).then_some((register, 12))
            }
            descriptor::OPCODE32 => {
                let [_, word @ ..] = *rest.first_chunk::<5>()?;
                let opcode = GroupOpcode {
                    word: u32::from_le_bytes(word),
                    length_bytes: 4,
                };
                Some((Self::Opcode(opcode), 5))
            }
            descriptor::OPCODE16 => {
                let [_, word @ ..] = *rest.first_chunk::<3>()?;
                let opcode = GroupOpcode {
                    word: u16::from_le_bytes(word).into(),
                    length_bytes: 2,
                };
                Some((Self::Opcode(opcode), 3))
            }
            descriptor::ACCESS => {
                let [_, a0, a1, a2, a3, a4, a5, a6, a7, s0, s1, _, _, kind] =
                    *rest.first_chunk::<14>()?;
                let access = Self::Access {
                    address: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
                    size_bytes: u16::from_le_bytes([s0, s1]),
                    kind,
                };
                Some((access, 14))
            }
            descriptor::DATA => Some((Self::Data(word_after(rest)?), 9)),
            descriptor::TARGET => Some((Self::Target(word_after(rest)?), 9)),
            _ => None,
        }
    }
}

/// Returns the word after a descriptor.
#[inline(always)]
fn word_after(record: &[u8]) -> Option<u64> {
    let [_, word @ ..] = *record.first_chunk::<9>()?;
    Some(u64::from_le_bytes(word))
}

//! The distinct instructions that a trace executed.
//!
//! ```text
//! sets    in the directory: the instruction sets, by number
//! codes   for each, by ascending address, then by first slot:
//!         address - address before: varint; number of its set: u8; length: u8; encoding;
//!         first slot: varint
//! ```
//! Two instructions are distinct if their address, instruction set or encoding differs. The whole
//! list is read when the index is opened.
//!
//! A trace with `nop` at 0x1000 in slots 1 and 3 and `ret` there in slot 2 has two entries
//! (AArch64): `80 20 00 04 1f 20 03 d5 01` and `00 00 04 c0 03 5f d6 02`.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, Encoding, InstructionSet};
use stepback_parsers::Step;

use crate::store::data::{Extent, IndexData};
use crate::store::packed::{MalformedEncoding, push_varint, take, take_varint};

/// Maximum number of listed instructions, to bound memory: real programs execute fewer.
pub(crate) const CODES_LIMIT: usize = 1 << 19;

/// Location of the list of instructions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CodeContents {
    /// The list.
    pub codes: Extent,
    /// Instruction sets, by the numbers that the list uses.
    pub sets: Vec<InstructionSet>,
}

impl CodeContents {
    /// Returns the list from an index file; `None` if it is damaged.
    pub(crate) fn table(&self, data: &IndexData) -> Option<CodeTable> {
        CodeTable::decode(self.codes.checked(data)?, &self.sets)
    }
}

/// An executed instruction with its recorded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedCode {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// Instruction set of the encoding.
    pub set: InstructionSet,
    /// Bytes in the memory layout of the instruction set.
    pub encoding: Encoding,
    /// First step that executed it.
    pub first: Step,
}

/// The instructions of a trace, by ascending address, then by first step.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeTable(Vec<ExecutedCode>);

impl CodeTable {
    /// Creates a table from instructions in any order.
    pub fn of(mut codes: Vec<ExecutedCode>) -> Self {
        codes.sort_unstable_by_key(|code| (code.pc, code.first, code.encoding));
        Self(codes)
    }

    /// Decodes a table. O(n).
    pub fn decode(mut bytes: &[u8], sets: &[InstructionSet]) -> Option<Self> {
        let (mut codes, mut pc) = (Vec::new(), 0u64);
        while !bytes.is_empty() {
            let code = decode_code(&mut bytes, sets, pc).ok()?;
            pc = code.pc.0;
            codes.push(code);
        }
        Some(Self(codes))
    }

    /// Returns the encoded table and the instruction sets that it numbers.
    pub fn encode(&self) -> (Vec<u8>, Vec<InstructionSet>) {
        let (mut bytes, mut sets) = (Vec::new(), Vec::new());
        let mut before = 0;
        for ExecutedCode {
            pc,
            set,
            encoding,
            first,
        } in &self.0
        {
            let number = sets
                .iter()
                .position(|known| known == set)
                .unwrap_or_else(|| {
                    sets.push(*set);
                    sets.len() - 1
                });
            push_varint(&mut bytes, pc.0.wrapping_sub(before));
            before = pc.0;
            bytes.extend([number as u8, encoding.bytes().len() as u8]);
            bytes.extend_from_slice(encoding.bytes());
            push_varint(&mut bytes, first.after().0);
        }
        (bytes, sets)
    }

    /// Returns all instructions.
    pub fn all(&self) -> &[ExecutedCode] {
        &self.0
    }

    /// Returns the instructions that may overlap a range of addresses: those that begin in it or
    /// shortly before.
    pub fn around(&self, first: u64, last: u64) -> &[ExecutedCode] {
        let from = first.saturating_sub(Encoding::LIMIT as u64 - 1);
        let start = self.0.partition_point(|code| code.pc.0 < from);
        let end = self.0.partition_point(|code| code.pc.0 <= last);
        self.0.get(start..end).unwrap_or_default()
    }

    /// Returns false if the trace may have executed more instructions than are listed.
    pub fn is_complete(&self) -> bool {
        self.0.len() < CODES_LIMIT
    }
}

fn decode_code(
    bytes: &mut &[u8],
    sets: &[InstructionSet],
    before: u64,
) -> Result<ExecutedCode, MalformedEncoding> {
    let pc = before.wrapping_add(take_varint(bytes)?);
    let [number, length] = *take(bytes, 2)?.first_chunk().ok_or(MalformedEncoding)?;
    let set = *sets.get(usize::from(number)).ok_or(MalformedEncoding)?;
    let encoding = Encoding::new(take(bytes, length.into())?).ok_or(MalformedEncoding)?;
    let slot = take_varint(bytes)?
        .checked_sub(1)
        .ok_or(MalformedEncoding)?;
    Ok(ExecutedCode {
        pc: Address(pc),
        set,
        encoding,
        first: Step(slot),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: [u8; 4] = [0x1f, 0x20, 0x03, 0xd5];
    const RET: [u8; 4] = [0xc0, 0x03, 0x5f, 0xd6];

    fn code(pc: u64, set: InstructionSet, bytes: &[u8], step: u64) -> ExecutedCode {
        ExecutedCode {
            pc: Address(pc),
            set,
            encoding: Encoding::new(bytes).unwrap(),
            first: Step(step),
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let codes = [
            code(0x1000, InstructionSet::A64, &RET, 1),
            code(u64::MAX, InstructionSet::X86_64, &[0x90], 7),
            code(0x1000, InstructionSet::A64, &NOP, 0),
            code(0x1002, InstructionSet::T32, &[0x70, 0x47], 300),
        ];
        let (bytes, sets) = CodeTable::of(codes.to_vec()).encode();
        let expected = [
            0x80, 0x20, 0, 4, 0x1f, 0x20, 3, 0xd5, 1, 0, 0, 4, 0xc0, 3, 0x5f, 0xd6, 2,
        ];
        assert_eq!(bytes.get(..expected.len()), Some(&expected[..]));
        let table = CodeTable::decode(&bytes, &sets).unwrap();
        assert_eq!(table.all(), [codes[2], codes[0], codes[3], codes[1]]);
        assert!(
            CodeTable::decode(&bytes[..bytes.len() - 1], &sets).is_none(),
            "cut off"
        );
        assert!(
            CodeTable::decode(&bytes, &sets[1..]).is_none(),
            "a set is missing"
        );
    }

    #[test]
    fn an_instruction_that_begins_before_a_range_may_reach_into_it() {
        let set = InstructionSet::X86_64;
        let codes = [
            code(0x0ff0, set, &[0x90; 15], 0),
            code(0x1000, set, &[0x90], 1),
            code(0x1010, set, &[0x90], 2),
        ];
        let table = CodeTable::of(codes.to_vec());
        let pcs = |first, last| {
            table
                .around(first, last)
                .iter()
                .map(|code| code.pc.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(pcs(0xffe, 0xffe), [0xff0]);
        assert_eq!(pcs(0x1000, 0x1010), [0x1000, 0x1010]);
        assert_eq!(pcs(0, u64::MAX), [0xff0, 0x1000, 0x1010]);
    }
}

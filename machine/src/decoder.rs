//! Decodes instructions, with a cache per thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use capstone::Capstone;

use crate::address::Address;
use crate::bytes::Encoding;
use crate::instruction::Instruction;
use crate::set::InstructionSet;
use crate::site::CodeSite;

/// Decodes an instruction.
///
/// Never fails: undecodable bytes become the text, and their registers are unknown. Costs about a
/// microsecond, much less if the calling thread decoded the instruction recently.
pub fn decode(encoding: Encoding, pc: Address, set: InstructionSet) -> Arc<Instruction> {
    DECODER.with_borrow_mut(|decoder| decoder.decode((set, CodeSite { pc, encoding })))
}

/// Returns the text of a step: the recorded text, else the decoded encoding, else a note that gives
/// the number of unrecorded bytes.
pub fn step_text(
    told: &[u8],
    encoding: Option<Encoding>,
    pc: Address,
    set: InstructionSet,
    length_bytes: u8,
) -> String {
    match encoding {
        _ if !told.is_empty() => String::from_utf8_lossy(told).into_owned(),
        Some(encoding) => decode(encoding, pc, set).text.clone(),
        None if length_bytes == 1 => "(1 byte, not recorded)".to_owned(),
        None => format!("({length_bytes} bytes, not recorded)"),
    }
}

thread_local! {
    /// Disassemblers cannot be shared between threads.
    static DECODER: RefCell<Decoder> = RefCell::default();
}

/// Maximum number of cached instructions; the cache is cleared when it is full.
const REMEMBERED: usize = 1 << 14;

type DecoderKey = (InstructionSet, CodeSite);

#[derive(Default)]
struct Decoder {
    disassemblers: HashMap<InstructionSet, Vec<Capstone>>,
    remembered: HashMap<DecoderKey, Arc<Instruction>, foldhash::fast::RandomState>,
}

impl Decoder {
    fn decode(&mut self, key: DecoderKey) -> Arc<Instruction> {
        if let Some(known) = self.remembered.get(&key) {
            return known.clone();
        }
        if self.remembered.len() >= REMEMBERED {
            self.remembered.clear();
        }
        let instruction = Arc::new(self.disassemble(key));
        self.remembered.insert(key, instruction.clone());
        instruction
    }

    fn disassemble(&mut self, key: DecoderKey) -> Instruction {
        let (set, site) = key;
        let disassemblers = if set.is_stateful(&site.encoding) {
            &set.disassemblers()
        } else {
            self.disassemblers
                .entry(set)
                .or_insert_with(|| set.disassemblers())
        };
        let found = set.decode_with(&site, disassemblers);
        let instruction = found.unwrap_or_else(|| Instruction::undecodable(&site.encoding));
        Instruction {
            control: set.control(&site),
            ..instruction
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(set: InstructionSet, bytes: &[u8], expected: &str) {
        assert_eq!(
            decode(Encoding::new(bytes).unwrap(), Address(0x1000), set).text,
            expected
        );
    }

    #[test]
    fn every_set_has_its_text() {
        check(
            InstructionSet::A64,
            &[0xfd, 0x7b, 0xbf, 0xa9],
            "stp x29, x30, [sp, #-0x10]!",
        );
        check(
            InstructionSet::A32,
            &[0x04, 0xe0, 0x2d, 0xe5],
            "str lr, [sp, #-4]!",
        );
        check(InstructionSet::T32, &[0x00, 0xf0, 0x01, 0xf8], "bl #0x1006");
        check(
            InstructionSet::X86_64,
            &[0xe8, 0x00, 0x01, 0x00, 0x00],
            "call 0x1105",
        );
        check(
            InstructionSet::X86_32,
            &[0x8b, 0x45, 0x08],
            "mov eax, dword ptr [ebp + 8]",
        );
        check(InstructionSet::Riscv64, &[0x41, 0x11], "c.addi sp, -0x10");
        check(InstructionSet::Regdeps, &[0x41, 0x11], ".byte 41 11");
    }

    #[test]
    fn system_registers_that_nobody_knows_are_survived() {
        for register in 0..1 << 15 {
            let opcode = 0xd510_0000u32 | register << 5;
            for opcode in [opcode, opcode | 1 << 21] {
                decode(
                    Encoding::new(&opcode.to_le_bytes()).unwrap(),
                    Address(0x1000),
                    InstructionSet::A64,
                );
            }
        }
    }

    #[test]
    fn bytes_that_mean_nothing_are_their_own_text() {
        check(InstructionSet::X86_64, &[0x06], ".byte 06");
        check(
            InstructionSet::A64,
            &[0xff, 0xff, 0xff, 0xff],
            ".byte ff ff ff ff",
        );
        // An incomplete instruction, and more than one instruction.
        check(InstructionSet::X86_64, &[0x48, 0x8b], ".byte 48 8b");
        check(InstructionSet::X86_64, &[0x90, 0x90], ".byte 90 90");
    }

    proptest! {
        #[test]
        fn any_bytes_decode_always_to_the_same(bytes in prop::collection::vec(any::<u8>(), 1..16), pc: u64) {
            for set in InstructionSet::ALL {
                for length in [1, 2, 4, bytes.len()] {
                    let Some(encoding) = bytes.get(..length).and_then(Encoding::new) else { continue };
                    let first = Decoder::default().disassemble((set, CodeSite { pc: Address(pc), encoding }));
                    let [_, second] = [(); 2].map(|()| decode(encoding, Address(pc), set));
                    prop_assert_eq!(&first, &*second);
                }
            }
        }
    }
}

//! Decodes instructions, and remembers those of late.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::{Address, Encoding, InstructionSet};
use capstone::Capstone;
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _, arm, arm64, riscv, x86};

use crate::arm::{a64, aarch32};
use crate::by_disassembler::Disassembled;
use crate::description::Description;
use crate::instruction::UNDECODABLE;
use crate::{Instruction, Meaning, riscv as risc, x86 as intel};

/// Decodes an instruction. Never fails: bytes that mean nothing are their own text, with registers that are not known.
/// Cost: about a microsecond, much less for one that the calling thread decoded of late.
pub fn decode(encoding: Encoding, pc: Address, set: InstructionSet) -> Arc<Instruction> {
    DECODER.with_borrow_mut(|decoder| decoder.decode((set, pc, encoding)))
}

/// The text of a step: as the trace has it, else from the encoding; without either it says how much is not known.
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
    /// The disassembler is bound to its thread.
    static DECODER: RefCell<Decoder> = RefCell::default();
}

/// So many instructions are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 14;

type Key = (InstructionSet, Address, Encoding);

#[derive(Default)]
struct Decoder {
    disassemblers: HashMap<InstructionSet, Vec<Capstone>>,
    remembered: HashMap<Key, Arc<Instruction>, foldhash::fast::RandomState>,
}

impl Decoder {
    fn decode(&mut self, key: Key) -> Arc<Instruction> {
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

    fn disassemble(&mut self, (set, pc, encoding): Key) -> Instruction {
        let disassemblers = if is_if_then(set, &encoding) {
            // The disassembler would take what it decodes next for a part of the block.
            &disassemblers(set)
        } else {
            self.disassemblers.entry(set).or_insert_with(|| disassemblers(set))
        };
        let mut found = disassemblers.iter().filter_map(|disassembler| disassembled(disassembler, (set, pc, encoding)));
        found.next().unwrap_or_else(|| undecodable(&encoding))
    }
}

/// The `it` of T32.
fn is_if_then(set: InstructionSet, encoding: &Encoding) -> bool {
    set == InstructionSet::T32 && matches!(*encoding.bytes(), [low, 0xbf] if low & 15 != 0)
}

/// What decodes a set: what the first cannot read, the second may.
fn disassemblers(set: InstructionSet) -> Vec<Capstone> {
    use InstructionSet::{A32, A64, Regdeps, Riscv64, T32, X86_32, X86_64};
    let x86 = |mode| Capstone::new().x86().mode(mode).detail(true).build();
    let arm = |mode, extra| Capstone::new().arm().mode(mode).extra_mode([extra].into_iter()).detail(true).build();
    let compressed = [riscv::ArchExtraMode::RiscVC].into_iter();
    let built = match set {
        A64 => vec![Capstone::new().arm64().mode(arm64::ArchMode::Arm).detail(true).build()],
        A32 => vec![arm(arm::ArchMode::Arm, arm::ArchExtraMode::V8)],
        T32 => {
            [arm::ArchExtraMode::V8, arm::ArchExtraMode::MClass].map(|extra| arm(arm::ArchMode::Thumb, extra)).into()
        }
        X86_64 => vec![x86(x86::ArchMode::Mode64)],
        X86_32 => vec![x86(x86::ArchMode::Mode32)],
        Riscv64 => {
            vec![Capstone::new().riscv().mode(riscv::ArchMode::RiscV64).extra_mode(compressed).detail(true).build()]
        }
        Regdeps => vec![],
    };
    built.into_iter().filter_map(Result::ok).collect()
}

/// An instruction that takes all the bytes of its encoding.
fn disassembled(disassembler: &Capstone, (set, pc, encoding): Key) -> Option<Instruction> {
    let instructions = disassembler.disasm_count(encoding.bytes(), pc.0, 1).ok()?;
    let instruction = instructions.iter().next().filter(|found| found.bytes() == encoding.bytes())?;
    let operands = instruction.op_str().unwrap_or_default();
    let detail = disassembler.insn_detail(instruction).ok()?;
    let length_bytes = u8::try_from(encoding.bytes().len()).ok()?;
    let mnemonic = instruction.mnemonic()?;
    let operands =
        if set == InstructionSet::Riscv64 { risc::absolute(mnemonic, operands, pc) } else { operands.into() };
    let text = format!("{mnemonic} {operands}").trim_end().to_ascii_lowercase();
    let described =
        Disassembled { disassembler, detail: &detail, mnemonic, operands: &operands, set, pc, length_bytes };
    let description = match set {
        InstructionSet::A64 => a64::describe(encoding.opcode(set), pc).or_else(|| Some(described.describe())),
        InstructionSet::A32 | InstructionSet::T32 => aarch32::describe(&described),
        InstructionSet::X86_64 | InstructionSet::X86_32 => intel::describe(&encoding, pc, set),
        InstructionSet::Riscv64 => risc::describe(&encoding, pc),
        InstructionSet::Regdeps => None,
    };
    let (registers, meaning) = description.map(Description::finish).unzip();
    Some(Instruction { text, registers, meaning: meaning.unwrap_or_default() })
}

fn undecodable(encoding: &Encoding) -> Instruction {
    let digits: String = encoding.bytes().iter().map(|byte| format!(" {byte:02x}")).collect();
    Instruction { text: format!("{UNDECODABLE}{digits}"), registers: None, meaning: Meaning::default() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SETS: [InstructionSet; 7] = [
        InstructionSet::A64,
        InstructionSet::A32,
        InstructionSet::T32,
        InstructionSet::X86_64,
        InstructionSet::X86_32,
        InstructionSet::Riscv64,
        InstructionSet::Regdeps,
    ];

    #[track_caller]
    fn check(set: InstructionSet, bytes: &[u8], expected: &str) {
        assert_eq!(decode(Encoding::new(bytes).unwrap(), Address(0x1000), set).text, expected);
    }

    #[test]
    fn every_set_has_its_text() {
        check(InstructionSet::A64, &[0xfd, 0x7b, 0xbf, 0xa9], "stp x29, x30, [sp, #-0x10]!");
        check(InstructionSet::A32, &[0x04, 0xe0, 0x2d, 0xe5], "str lr, [sp, #-4]!");
        check(InstructionSet::T32, &[0x00, 0xf0, 0x01, 0xf8], "bl #0x1006");
        check(InstructionSet::X86_64, &[0xe8, 0x00, 0x01, 0x00, 0x00], "call 0x1105");
        check(InstructionSet::X86_32, &[0x8b, 0x45, 0x08], "mov eax, dword ptr [ebp + 8]");
        check(InstructionSet::Riscv64, &[0x41, 0x11], "c.addi sp, -0x10");
        check(InstructionSet::Regdeps, &[0x41, 0x11], ".byte 41 11");
    }

    #[test]
    fn system_registers_that_nobody_knows_are_survived() {
        for register in 0..1 << 15 {
            let opcode = 0xd510_0000u32 | register << 5;
            for opcode in [opcode, opcode | 1 << 21] {
                decode(Encoding::new(&opcode.to_le_bytes()).unwrap(), Address(0x1000), InstructionSet::A64);
            }
        }
    }

    #[test]
    fn bytes_that_mean_nothing_are_their_own_text() {
        check(InstructionSet::X86_64, &[0x06], ".byte 06");
        check(InstructionSet::A64, &[0xff, 0xff, 0xff, 0xff], ".byte ff ff ff ff");
        // Half of an instruction, and more than one.
        check(InstructionSet::X86_64, &[0x48, 0x8b], ".byte 48 8b");
        check(InstructionSet::X86_64, &[0x90, 0x90], ".byte 90 90");
    }

    proptest! {
        #[test]
        fn any_bytes_decode_always_to_the_same(bytes in prop::collection::vec(any::<u8>(), 1..16), pc: u64) {
            for set in SETS {
                for length in [1, 2, 4, bytes.len()] {
                    let Some(encoding) = bytes.get(..length).and_then(Encoding::new) else { continue };
                    let first = Decoder::default().disassemble((set, Address(pc), encoding));
                    let [_, second] = [(); 2].map(|()| decode(encoding, Address(pc), set));
                    prop_assert_eq!(&first, &*second);
                }
            }
        }
    }
}

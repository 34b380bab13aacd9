//! Decoding: an [`Instruction`] is made from an [`Encoding`] and its [`Address`]. [`decode`] never
//! fails, since undecodable bytes become the text. Each thread caches decoded instructions, because
//! Capstone takes about a microsecond for one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use capstone::{Capstone, InsnDetail};
use serde::{Deserialize, Serialize};

use crate::control::ControlFlowEffect;
use crate::description::MeaningBuilder;
use crate::meaning::{ExecutionCondition, Meaning, RegisterUse};
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Text prefix for bytes that cannot be decoded.
const UNDECODABLE: &str = ".byte";

/// A decoded instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic and operands in lower case, targets as addresses; `.byte 48 85` if the bytes cannot
    /// be decoded.
    pub text: String,
    /// Registers that it uses; none if unknown, in which case it may write any register.
    pub registers: Option<RegisterUse>,
    /// Effects on registers and memory; incomplete where they are not modelled.
    pub meaning: Meaning,
    /// Control transfer after it; default until
    /// [`InstructionSet::control`](crate::InstructionSet::control) fills it in.
    pub control: ControlFlowEffect,
}

impl Instruction {
    /// Creates an instruction from its text, in any case, and its description. Control is filled in
    /// later.
    pub(crate) fn new(text: &str, description: Option<MeaningBuilder>) -> Self {
        let text = text.trim_end().to_ascii_lowercase();
        let (registers, meaning) = description.map(MeaningBuilder::finish).unzip();
        Self {
            text,
            registers,
            meaning: meaning.unwrap_or_default(),
            control: ControlFlowEffect::default(),
        }
    }

    /// Creates an instruction for bytes that cannot be decoded.
    pub(crate) fn undecodable(encoding: &Encoding) -> Self {
        let digits: String = encoding
            .bytes()
            .iter()
            .map(|byte| format!(" {byte:02x}"))
            .collect();
        Self {
            text: format!("{UNDECODABLE}{digits}"),
            ..Self::default()
        }
    }

    /// Returns true if the bytes were decoded as a whole.
    pub fn is_decoded(&self) -> bool {
        !self.text.starts_with(UNDECODABLE)
    }

    /// Returns true if it takes effect only when a condition holds.
    pub fn is_conditional(&self) -> bool {
        self.meaning.condition == ExecutionCondition::Conditional
    }

    /// Returns true for a direct branch whose outcome depends on registers or flags.
    pub fn decides(&self) -> bool {
        let is_read = self
            .registers
            .as_ref()
            .is_some_and(|known| !known.reads.is_empty());
        self.is_conditional() || is_read
    }

    /// Returns true if it zeroes a byte of a vector register because it writes a lower part.
    pub fn clears(&self, byte: RegisterView) -> bool {
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&byte.register);
        let is_below = |write: &RegisterView| {
            write.register == byte.register
                && write.offset.saturating_add(write.size_bytes) <= byte.offset
        };
        let writes = self.registers.iter().flat_map(|known| &known.writes);
        self.meaning.clears_rest
            && is_vector
            && !self.may_write(byte)
            && writes.into_iter().any(is_below)
    }

    /// Returns true if it writes, or may write, a byte of a view.
    pub fn may_write(&self, view: RegisterView) -> bool {
        self.registers
            .as_ref()
            .is_none_or(|known| known.writes.iter().any(|write| write.overlaps(view)))
    }
}

/// The bytes of an instruction in memory order: 1 to 16.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoding {
    bytes: [u8; Self::LIMIT],
    length: u8,
}

impl Encoding {
    /// Maximum number of bytes: synthetic instructions have up to 16, those of x86 up to 15.
    pub const LIMIT: usize = 16;

    /// Creates an encoding; none if there are no bytes or more than [`Self::LIMIT`].
    #[inline]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        // Most encodings have 2 or 4 bytes. A copy of a variable length, read as 16 bytes soon after,
        // makes the processor wait.
        let number = match *bytes {
            [b0, b1] => u16::from_le_bytes([b0, b1]).into(),
            [b0, b1, b2, b3] => u32::from_le_bytes([b0, b1, b2, b3]).into(),
            _ => {
                let mut padded = [0; Self::LIMIT];
                padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
                u128::from_le_bytes(padded)
            }
        };
        let encoding = Self {
            bytes: number.to_le_bytes(),
            length: bytes.len() as u8,
        };
        Some(encoding).filter(|encoding| encoding.length > 0)
    }

    /// Returns the bytes in memory order.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.length))
            .unwrap_or_default()
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes()
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An address in the traced machine's memory.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Address(pub u64);

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Address and bytes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeSite {
    /// Address, without a bit that selects the instruction set.
    pub pc: Address,
    /// Bytes of the instruction.
    pub encoding: Encoding,
}

impl CodeSite {
    /// Returns the address of the next instruction.
    pub fn after(&self) -> u64 {
        self.pc.0.wrapping_add(self.encoding.bytes().len() as u64)
    }
}

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
    stated: &[u8],
    encoding: Option<Encoding>,
    pc: Address,
    set: InstructionSet,
    length_bytes: u8,
) -> String {
    match encoding {
        _ if !stated.is_empty() => String::from_utf8_lossy(stated).into_owned(),
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

/// An instruction decoded by Capstone.
pub(crate) struct DisassembledInstruction<'a> {
    pub disassembler: &'a Capstone,
    pub detail: &'a InsnDetail<'a>,
    pub mnemonic: &'a str,
    pub operands: &'a str,
    pub site: &'a CodeSite,
}

impl DisassembledInstruction<'_> {
    /// Applies `take` to the result of each disassembler that decodes all bytes, until one returns
    /// a value.
    pub fn first<T>(
        disassemblers: &[Capstone],
        site: &CodeSite,
        take: impl Fn(&DisassembledInstruction<'_>) -> Option<T>,
    ) -> Option<T> {
        disassemblers.iter().find_map(|disassembler| {
            let instructions = disassembler
                .disasm_count(site.encoding.bytes(), site.pc.0, 1)
                .ok()?;
            let instruction = instructions
                .iter()
                .next()
                .filter(|found| found.bytes() == site.encoding.bytes())?;
            let detail = disassembler.insn_detail(instruction).ok()?;
            let operands = instruction.op_str().unwrap_or_default();
            take(&DisassembledInstruction {
                disassembler,
                detail: &detail,
                mnemonic: instruction.mnemonic()?,
                operands,
                site,
            })
        })
    }

    /// Creates the instruction from its text and, if there is one, its description.
    pub fn described(&self, description: Option<MeaningBuilder>) -> Instruction {
        Instruction::new(&format!("{} {}", self.mnemonic, self.operands), description)
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

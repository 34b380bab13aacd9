//! An instruction as the disassembler library has it.

use capstone::{Capstone, InsnDetail};

use crate::description::Description;
use crate::instruction::Instruction;
use crate::site::Site;

/// An instruction, as the library gives it.
pub(crate) struct Disassembled<'a> {
    pub disassembler: &'a Capstone,
    pub detail: &'a InsnDetail<'a>,
    pub mnemonic: &'a str,
    pub operands: &'a str,
    pub site: &'a Site,
}

impl Disassembled<'_> {
    /// What the first of some disassemblers that takes all bytes of an instruction finds.
    pub fn first<T>(
        disassemblers: &[Capstone],
        site: &Site,
        take: impl Fn(&Disassembled<'_>) -> Option<T>,
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
            take(&Disassembled {
                disassembler,
                detail: &detail,
                mnemonic: instruction.mnemonic()?,
                operands,
                site,
            })
        })
    }

    /// The instruction with its description, if there is one.
    pub fn described(&self, description: Option<Description>) -> Instruction {
        Instruction::new(&format!("{} {}", self.mnemonic, self.operands), description)
    }
}

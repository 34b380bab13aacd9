//! Instructions as decoded by Capstone.

use capstone::{Capstone, InsnDetail};

use crate::description::MeaningBuilder;
use crate::instruction::Instruction;
use crate::site::CodeSite;

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

//! What the disassembler knows of an instruction: which registers it uses, and whether it accesses memory.

use crate::{Address, InstructionSet, RegisterId, RegisterView};
use capstone::{Capstone, InsnDetail, RegId};

use crate::description::Description;
use crate::views::{view_of, written};

/// An instruction as the disassembler has it.
pub(super) struct Disassembled<'a> {
    pub disassembler: &'a Capstone,
    pub detail: &'a InsnDetail<'a>,
    pub mnemonic: &'a str,
    pub operands: &'a str,
    pub set: InstructionSet,
    pub pc: Address,
    pub length_bytes: u8,
}

impl Disassembled<'_> {
    /// The registers by its lists; memory that it accesses is not described.
    pub fn describe(&self) -> Description {
        let mut description = Description::default();
        for view in self.views(self.detail.regs_read()) {
            description.read(view);
        }
        for view in self.views(self.detail.regs_write()) {
            description.write(written(view, self.set));
        }
        if self.has_memory_operand() {
            description.access_unknown();
        }
        description
    }

    /// The program counter is left out.
    fn views<'a>(&'a self, registers: &'a [RegId]) -> impl Iterator<Item = RegisterView> + 'a {
        let views = registers.iter().filter_map(|register| view_of(self.disassembler, *register, self.set));
        views.filter(|view| view.register != RegisterId::PC)
    }

    /// By its text: of the operands that the library gives as data, an unknown system register of A64 ends the program.
    fn has_memory_operand(&self) -> bool {
        self.operands.contains('[')
    }
}

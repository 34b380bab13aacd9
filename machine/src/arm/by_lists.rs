//! What the disassembler knows of an instruction: which registers it uses, and whether it accesses memory.

use capstone::RegId;

use crate::description::Description;
use crate::disassembly::Disassembled;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

use crate::arm::views::{view_of, written};

/// The registers by its lists; memory that it accesses is not described.
pub fn describe(instruction: &Disassembled<'_>, set: InstructionSet) -> Description {
    let views = |registers: &[RegId]| -> Vec<RegisterView> {
        let views = registers.iter().filter_map(|register| view_of(instruction.disassembler, *register, set));
        views.filter(|view| view.register != RegisterId::PC).collect()
    };
    let mut description = Description::default();
    for view in views(instruction.detail.regs_read()) {
        description.read(view);
    }
    for view in views(instruction.detail.regs_write()) {
        description.write(written(view, set));
    }
    // By its text: of the operands that the library gives as data, an unknown system register of A64 ends the program.
    if instruction.operands.contains('[') {
        description.access_unknown();
    }
    description
}

//! Descriptions from the disassembler's register lists and operand text.

use capstone::RegId;

use crate::description::MeaningBuilder;
use crate::disassembly::DisassembledInstruction;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

use crate::arm::views::{view_of, written};

/// Records the registers that the lists mark as both read and written.
///
/// The lists include the old destination of most vector forms; for these the description is
/// complete and decides.
pub fn note_listed(
    description: &mut MeaningBuilder,
    instruction: &DisassembledInstruction<'_>,
    set: InstructionSet,
) {
    if !description.meaning.memory.is_empty() {
        return;
    }
    let views = |registers: &[RegId]| -> Vec<RegisterView> {
        registers
            .iter()
            .filter_map(|register| view_of(instruction.disassembler, *register, set))
            .collect()
    };
    let written = views(instruction.detail.regs_write());
    let mut listed = views(instruction.detail.regs_read());
    listed.retain(|view| {
        let is_status = matches!(view.register, RegisterId::PC | RegisterId::PSR);
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
        let is_excluded = is_status || is_vector && !description.takes_or_keeps(view.register);
        !is_excluded && written.iter().any(|known| known.overlaps(*view))
    });
    description.meaning.listed_reads = listed;
}

/// Describes the listed registers. Memory accesses are marked as not modelled.
pub fn describe(instruction: &DisassembledInstruction<'_>, set: InstructionSet) -> MeaningBuilder {
    let views = |registers: &[RegId]| -> Vec<RegisterView> {
        let views = registers
            .iter()
            .filter_map(|register| view_of(instruction.disassembler, *register, set));
        views
            .filter(|view| view.register != RegisterId::PC)
            .collect()
    };
    let mut description = MeaningBuilder::default();
    for view in views(instruction.detail.regs_read()) {
        description.read(view);
    }
    for view in views(instruction.detail.regs_write()) {
        description.write(written(view, set));
    }
    // Uses the text: converting the operands to data ends the program on an unknown A64 system
    // register.
    if instruction.operands.contains('[') {
        description.access_unknown();
    }
    description
}

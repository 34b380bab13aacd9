//! Conversion of the disassembler's registers to views.

use capstone::{Capstone, RegId};

use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

use crate::arm::registers;

/// Returns the view of a disassembler register; none for constants like `xzr` and for registers
/// outside the tables.
pub fn view_of(
    disassembler: &Capstone,
    register: RegId,
    set: InstructionSet,
) -> Option<RegisterView> {
    view_of_name(&disassembler.reg_name(register)?, set)
}

/// Returns the view of a register from the disassembler's name.
pub fn view_of_name(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let name = match (name, set) {
        ("fp", InstructionSet::A64) => "x29",
        ("sb", InstructionSet::A32 | InstructionSet::T32) => "r9",
        ("sl", InstructionSet::A32 | InstructionSet::T32) => "r10",
        ("fp", InstructionSet::A32 | InstructionSet::T32) => "r11",
        ("ip", InstructionSet::A32 | InstructionSet::T32) => "r12",
        ("nzcv" | "apsr" | "apsr_nzcv", _) => "cpsr",
        ("fpscr_nzcv", _) => "fpscr",
        _ => name,
    };
    registers::view(&name.to_ascii_lowercase(), set)
}

/// Returns the bytes that a write of a view changes, including those that the architecture zeroes.
pub fn written(view: RegisterView, set: InstructionSet) -> RegisterView {
    let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
    let size_bytes = match set {
        InstructionSet::A64 if is_vector => view.size_bytes.max(16),
        InstructionSet::A64 if view.register <= RegisterId::SP => 8,
        _ => view.size_bytes,
    };
    RegisterView { size_bytes, ..view }
}

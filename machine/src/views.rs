//! The registers that the disassembler names.

use crate::{InstructionSet, RegisterId, RegisterView, Registers};
use capstone::{Capstone, RegId};

/// The view of a register of the disassembler; none for constants like `xzr` and for what the tables do not have.
pub(super) fn view_of(disassembler: &Capstone, register: RegId, set: InstructionSet) -> Option<RegisterView> {
    view_of_name(&disassembler.reg_name(register)?, set)
}

fn view_of_name(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let name = match (name, set) {
        ("fp", InstructionSet::A64) => "x29",
        ("sb", _) if set.is_aarch32() => "r9",
        ("sl", _) if set.is_aarch32() => "r10",
        ("fp", _) if set.is_aarch32() => "r11",
        ("ip", _) if set.is_aarch32() => "r12",
        ("nzcv" | "apsr" | "apsr_nzcv", _) => "cpsr",
        ("fpscr_nzcv", _) => "fpscr",
        // The tables have the whole stack pointer under this name.
        ("sp", _) if set.is_x86() => return Some(RegisterView::new(RegisterId::SP, 0, 2)),
        _ => name,
    };
    Registers::view(name, set)
}

/// The bytes that a write of a view changes: what the architecture makes zero counts.
pub(super) fn written(view: RegisterView, set: InstructionSet) -> RegisterView {
    let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
    let size_bytes = match set {
        InstructionSet::A64 if is_vector => view.size_bytes.max(16),
        InstructionSet::A64 if view.register <= RegisterId::SP => 8,
        InstructionSet::X86_64 if view.register <= RegisterId::SP && view.size_bytes == 4 => 8,
        _ => view.size_bytes,
    };
    RegisterView { size_bytes, ..view }
}

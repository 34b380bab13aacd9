//! Describes traps in words.

use stepback_machine::InstructionSet;

use crate::rst::records::Trap;

/// Returns the description of a trap.
pub fn trap_text(trap: &Trap) -> String {
    let Trap {
        trap_type,
        level,
        pc,
        is_async,
        system_call,
        ..
    } = *trap;
    let kind = if is_async { "asynchronous, " } else { "" };
    let call = if system_call == 0 {
        String::new()
    } else {
        format!(", system call {system_call}")
    };
    let name = InstructionSet::Sparc64
        .trap_name(trap_type.into())
        .unwrap_or_default();
    format!(
        "TRAP {trap_type:#05x} {name}{call} ({kind}level {level} to {}, at {pc:#x})",
        level + 1
    )
}

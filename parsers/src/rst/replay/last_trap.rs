//! The trap that the last instruction of a processor took.

use crate::rst::records::Trap;
use stepback_machine::RegisterView;

/// Number of trap levels with separate registers.
pub const LEVELS: u8 = 7;

/// A trap, and its possible effects.
#[derive(Debug)]
pub struct LastTrap {
    /// The TRAP record; none in traces without such records.
    pub trap: Option<Trap>,
    /// Registers that a kernel may have changed and that no record has stated since, as absolute
    /// cells.
    pub changed: Vec<RegisterView>,
    /// Register that receives the result.
    pub result: Option<RegisterView>,
}

impl LastTrap {
    /// Records that the trace states the value of a register.
    pub fn confirm(&mut self, home: RegisterView) {
        self.changed.retain(|view| !view.overlaps(home));
    }

    /// Returns true if the kernel left its result in a register, which is recorded after the trap.
    pub fn takes_for_result(&mut self, home: RegisterView) -> bool {
        self.result
            .take_if(|result| result.overlaps(home))
            .is_some()
    }

    /// Returns true if control is again at PC or nPC of the trap.
    pub fn is_over_at(&self, pc: u64) -> bool {
        self.trap
            .is_none_or(|trap| [trap.pc, trap.npc].contains(&pc))
    }
}

//! The trap that the last instruction of a processor took.

use stepback_machine::RegisterView;

use crate::rst::records::Trap;

/// The trap, and what it may have done.
#[derive(Debug)]
pub struct LastTrap {
    /// As its record tells of it; none in traces without such records.
    pub trap: Option<Trap>,
    /// The registers that a kernel may have changed, and that no record has told since, as absolute cells.
    pub changed: Vec<RegisterView>,
    /// Where it leaves what it returns.
    pub result: Option<RegisterView>,
}

impl LastTrap {
    /// What a register holds is told.
    pub fn confirm(&mut self, home: RegisterView) {
        self.changed.retain(|view| !view.overlaps(home));
    }

    /// True when the kernel left its result in a register, which is told behind the trap.
    pub fn takes_for_result(&mut self, home: RegisterView) -> bool {
        self.result
            .take_if(|result| result.overlaps(home))
            .is_some()
    }

    /// True when control is at an instruction again that the trap came before or behind.
    pub fn is_over_at(&self, pc: u64) -> bool {
        self.trap
            .is_none_or(|trap| [trap.pc, trap.npc].contains(&pc))
    }
}

//! Checks that each instruction of a processor follows from the one before it (clauses 3b and 7a of
//! the specification).

use stepback_machine::flow::DelaySlotRule;

use crate::rst::check::instruction::{InstructionWord, InstructionWordKind};
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::records::{Instruction, Trap, is_fake_address};

/// The expected PC and nPC of a processor.
#[derive(Debug)]
pub struct ControlPathCheck {
    /// Expected address of the next instruction; none if unknown.
    pc: Option<u64>,
    /// Expected address of the instruction after it (nPC).
    next: NextAddress,
    /// True if the next instruction is annulled.
    is_annulled: bool,
}

/// Expected address of the instruction after the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextAddress {
    /// Unknown.
    Lost,
    /// Directly after the next one.
    After,
    /// At this address.
    At(u64),
}

impl Default for ControlPathCheck {
    fn default() -> Self {
        Self {
            pc: None,
            next: NextAddress::Lost,
            is_annulled: false,
        }
    }
}

impl ControlPathCheck {
    /// Forgets the expected addresses.
    pub fn lose(&mut self) {
        *self = Self::default();
    }

    /// Checks an instruction, then computes the expected addresses after it.
    pub fn check(
        &mut self,
        word: &InstructionWord,
        found: &Instruction,
        trap: Option<&Trap>,
        out: &mut FindingSink,
    ) {
        let is_stopped = found.has_trap && trap.is_none_or(|trap| trap.pc == found.pc);
        // A handler may begin anywhere. If no TRAP is recorded, this may be the first instruction
        // of a handler.
        let may_begin_handler =
            trap.is_none() && found.has_trap && self.pc.is_some_and(|pc| pc != found.pc);
        if trap.is_some() && !is_stopped || may_begin_handler {
            *self = Self {
                pc: None,
                next: NextAddress::After,
                is_annulled: false,
            };
        }
        if is_fake_address(found.pc) {
            return self.lose();
        }
        if !self.is_here(found, out) {
            self.lose();
        }
        if !is_stopped && !found.is_annulled {
            self.check_target(word, found, out);
        }
        *self = if is_stopped {
            Self {
                next: NextAddress::After,
                ..Self::default()
            }
        } else {
            self.after(word, found)
        };
    }

    /// Returns true if the instruction is at the expected address.
    fn is_here(&self, found: &Instruction, out: &mut FindingSink) -> bool {
        let Some(expected) = self.pc else { return true };
        let Instruction { cpu, pc, .. } = *found;
        if pc == expected {
            if self.is_annulled && !found.is_annulled && !found.has_trap {
                out.found(&rules::A09, || {
                    format!(
                        "cpu{cpu} at {pc:#x}: the branch before annuls it, and it is not marked"
                    )
                });
            }
            return true;
        }
        if self.is_annulled && self.next == NextAddress::At(pc) {
            out.found(&rules::A09, || {
                format!("cpu{cpu}: the annulled instruction at {expected:#x} is left out")
            });
        } else {
            out.found(&rules::P01, || {
                format!("cpu{cpu} is at {pc:#x}, where {expected:#x} would come next")
            });
        }
        false
    }

    fn check_target(&self, word: &InstructionWord, found: &Instruction, out: &mut FindingSink) {
        let Instruction {
            cpu, pc, is_taken, ..
        } = *found;
        let Some(ea) = found
            .ea
            .filter(|ea| word.kind == InstructionWordKind::Branch && !is_fake_address(*ea))
        else {
            return;
        };
        // With 32-bit addresses the upper half is cut off.
        let is_same = |address: u64| address == ea || ea >> 32 == 0 && address & 0xffff_ffff == ea;
        let after = match (self.next, word.delay) {
            (NextAddress::At(next), _) => next.wrapping_add(4),
            _ => pc.wrapping_add(8),
        };
        // A branch that is never taken may still be marked as taken.
        let target = word.target(pc).filter(|_| is_taken);
        let is_after = is_same(after) || is_same(pc.wrapping_add(8));
        // A branch without delay slot is followed by the next instruction.
        let is_right = match target {
            Some(target) => is_same(target),
            None if is_taken => true,
            None if word.delay == DelaySlotRule::None && is_same(pc.wrapping_add(4)) => true,
            None => is_after,
        };
        if !is_right {
            let expected = target.unwrap_or(after);
            let taken = if is_taken { "taken" } else { "not taken" };
            out.found(&rules::A07, || {
                format!("cpu{cpu} at {pc:#x}: a branch {taken} to {ea:#x}, where {expected:#x} would be right")
            });
        }
    }

    /// Returns the expected addresses after an instruction.
    fn after(&self, word: &InstructionWord, found: &Instruction) -> Self {
        let pc = match self.next {
            NextAddress::Lost => None,
            NextAddress::After => Some(found.pc.wrapping_add(4)),
            NextAddress::At(next) => Some(next),
        };
        let straight = Self {
            pc,
            next: NextAddress::After,
            is_annulled: word.annuls(found),
        };
        let at = |ea: Option<u64>| ea.filter(|ea| !is_fake_address(*ea));
        if found.is_annulled {
            return straight;
        }
        match word.kind {
            InstructionWordKind::Branch if word.delay == DelaySlotRule::None && found.is_taken => {
                Self {
                    pc: at(found.ea),
                    next: NextAddress::After,
                    is_annulled: false,
                }
            }
            InstructionWordKind::Branch if found.is_taken => Self {
                next: at(found.ea).map_or(NextAddress::Lost, NextAddress::At),
                ..straight
            },
            // If the annulled slot is missing from the trace, the address of the next record shows
            // it.
            InstructionWordKind::Branch if straight.is_annulled => Self {
                next: pc.map_or(NextAddress::After, |pc| NextAddress::At(pc.wrapping_add(4))),
                ..straight
            },
            InstructionWordKind::TrapCall if found.is_taken || word.is_unconditional => {
                Self::default()
            }
            InstructionWordKind::Done => Self {
                pc: at(found.ea),
                next: NextAddress::After,
                is_annulled: false,
            },
            InstructionWordKind::Retry => Self {
                pc: at(found.ea),
                ..Self::default()
            },
            _ => straight,
        }
    }
}

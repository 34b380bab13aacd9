//! Checks how traps begin and end (clause 4 of the specification).

use crate::rst::check::instruction::{InstructionWord, InstructionWordKind};
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::records::{Instruction, Preg, RegisterKind, RegisterValues, Trap, TrapExit};

/// Number of trap levels that are tracked.
const LEVELS: usize = 8;
/// Numbers of the privileged registers TPC, TNPC, TT and TL.
const STATED_AFTER: [u8; 4] = [0, 1, 3, 7];
/// Number of TL among the privileged registers.
const TRAP_LEVEL: u8 = 7;

/// The trap levels of a processor.
#[derive(Debug, Default)]
pub struct TrapCheck {
    level: Option<u8>,
    /// The lower eight bits of the trap type at each level.
    types: [Option<u8>; LEVELS],
    /// A trap that waits for its first instruction.
    waiting: Option<Trap>,
    /// True if the trapped instruction has a TRAPPING_INSTR record, so that no INSTR shows it.
    pub is_stopped_apart: bool,
    preg: Option<Preg>,
    last: Option<LastTrapStep>,
    /// True for each of TPC, TNPC, TT and TL that was recorded since the last instruction.
    stated: [bool; 4],
    /// True if a TRAPEXIT was recorded since the last instruction.
    has_exit: bool,
    /// True if the trace records register values.
    has_values: bool,
}

#[derive(Clone, Copy, Debug)]
struct LastTrapStep {
    kind: InstructionWordKind,
    record: u64,
    pc: u64,
    /// Trap level after the instruction, if it ends a trap.
    level: Option<u8>,
}

impl TrapCheck {
    /// Returns the trap level, if it is known.
    pub fn level(&self) -> Option<u8> {
        self.level
    }

    /// Returns true if a trap waits for its first instruction.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Returns the waiting trap, whose first instruction comes now.
    pub fn take_waiting(&mut self) -> Option<Trap> {
        self.waiting.take()
    }

    pub fn registers(&mut self, values: &RegisterValues) {
        self.has_values = true;
        for slot in values
            .slots
            .iter()
            .filter(|slot| slot.kind == RegisterKind::Privileged)
        {
            let id = match slot.id {
                64..=71 => 0,
                72..=79 => 1,
                88..=95 => 3,
                id => id,
            };
            if let Some(place) = STATED_AFTER.iter().position(|stated| *stated == id) {
                self.stated[place] = true;
            }
            if slot.id == TRAP_LEVEL && self.waiting.is_none() {
                self.level = u8::try_from(slot.value).ok();
            }
        }
    }

    pub fn preg(&mut self, preg: Preg) {
        self.level = self
            .level
            .or(Some(preg.level))
            .filter(|_| self.waiting.is_none());
        self.preg = Some(preg);
    }

    pub fn exit(&mut self, exit: &TrapExit, out: &mut FindingSink) {
        self.has_exit = true;
        self.level = Some(exit.level);
        if self
            .last
            .is_some_and(|last| last.kind == InstructionWordKind::WritesLevel)
        {
            out.found(&rules::T08, || {
                format!("cpu{}: a TRAPEXIT after a write of %tl", exit.cpu)
            });
        }
    }

    /// Takes a TRAP record.
    pub fn trap(&mut self, trap: Trap, out: &mut FindingSink) {
        let Trap {
            cpu,
            level,
            trap_type,
            system_call,
            pc,
            ..
        } = trap;
        // An instruction MMU miss has no instruction record, so two traps may follow each other.
        if self.waiting.is_some() && !is_fetch(&trap) {
            out.found(&rules::T04, || {
                format!("cpu{cpu}: two traps without an instruction in between")
            });
        }
        if let Some(known) = self.level.filter(|known| *known != level) {
            out.found(&rules::T04, || {
                format!("cpu{cpu} traps at level {level}, and was at level {known}")
            });
        }
        if system_call != 0 && !(0x100..=0x1ff).contains(&trap_type) {
            out.found(&rules::T04, || {
                format!("cpu{cpu}: system call {system_call} of a trap of type {trap_type:#x}, which is none")
            });
        }
        if self
            .last
            .is_some_and(|last| last.kind == InstructionWordKind::WritesLevel && last.pc == pc)
        {
            out.found(&rules::T08, || {
                format!("cpu{cpu}: a TRAP of the write of %tl at {pc:#x}")
            });
        }
        let above = level.saturating_add(1);
        self.level = Some(above);
        if let Some(place) = self.types.get_mut(usize::from(above)) {
            *place = Some(trap_type as u8);
        }
        self.waiting = Some(trap);
    }

    /// Checks an instruction and the trap recorded before it.
    pub fn check(
        &mut self,
        word: &InstructionWord,
        found: &Instruction,
        trap: Option<&Trap>,
        out: &mut FindingSink,
    ) {
        self.check_end_before(found, out);
        match trap {
            Some(_) if std::mem::take(&mut self.is_stopped_apart) => {}
            Some(trap) => check_entry(found, trap, out),
            None if found.has_trap => out.found_in_system(&rules::T03, || {
                format!(
                    "cpu{} at {:#x}: marked as trapped, and no TRAP is before it",
                    found.cpu, found.pc
                )
            }),
            None => {}
        }
        let is_end = matches!(
            word.kind,
            InstructionWordKind::Done | InstructionWordKind::Retry
        ) && !found.is_annulled
            && !found.has_trap;
        let mut last = LastTrapStep {
            kind: word.kind,
            record: out.number,
            pc: found.pc,
            level: None,
        };
        if is_end {
            self.check_end(found, out);
            // Some traces record, before this instruction, the level after the trap.
            let is_stated = self.stated[3];
            self.level = self
                .level
                .and_then(|level| level.checked_sub(1))
                .filter(|_| !is_stated);
            last.level = self.level;
        } else if matches!(
            word.kind,
            InstructionWordKind::WritesLevel | InstructionWordKind::WritesTrapRegister
        ) {
            self.types = [None; LEVELS];
            self.level = self
                .level
                .filter(|_| word.kind != InstructionWordKind::WritesLevel);
        }
        self.preg = None;
        self.stated = [false; 4];
        self.has_exit = false;
        self.last =
            Some(last).filter(|last| is_end || last.kind == InstructionWordKind::WritesLevel);
    }

    /// Checks the records required before DONE and RETRY.
    fn check_end(&self, found: &Instruction, out: &mut FindingSink) {
        let (cpu, pc) = (found.cpu, found.pc);
        let Some(preg) = &self.preg else {
            out.found(&rules::T05, || {
                format!("cpu{cpu} at {pc:#x}: no PREG before the end of the trap")
            });
            return;
        };
        let level = self.level.filter(|_| !self.stated[3]);
        if let Some(level) = level.filter(|level| *level != preg.level) {
            let stated = preg.level;
            out.found(&rules::T05, || {
                format!("cpu{cpu} at {pc:#x}: the PREG states trap level {stated}, not {level}")
            });
        }
        let known = level.and_then(|level| *self.types.get(usize::from(level))?);
        if let Some(known) = known.filter(|known| *known != preg.trap_type) {
            let stated = preg.trap_type;
            out.found(&rules::T05, || {
                format!(
                    "cpu{cpu} at {pc:#x}: the PREG states a trap of type {stated:#x}, not {known:#x}"
                )
            });
        }
    }

    /// Checks the records recommended after DONE and RETRY, when the next instruction arrives.
    fn check_end_before(&self, found: &Instruction, out: &mut FindingSink) {
        let Some(last) = self
            .last
            .filter(|last| last.kind != InstructionWordKind::WritesLevel)
        else {
            return;
        };
        let cpu = found.cpu;
        // At level 0 there are no trap registers.
        let is_stated = if last.level == Some(0) {
            self.stated[3]
        } else {
            self.stated == [true; 4]
        };
        if self.has_values && !is_stated {
            out.found_at(&rules::T06, last.record, || {
                format!(
                    "cpu{cpu} at {:#x}: not all of TL, TT, TPC and TNPC are recorded after it",
                    last.pc
                )
            });
        }
        if !self.has_exit {
            out.found_at(&rules::T07, last.record, || {
                format!("cpu{cpu} at {:#x}: no TRAPEXIT after it", last.pc)
            });
        }
    }
}

/// Returns true if the trapping instruction could not be fetched (instruction MMU misses and
/// errors).
fn is_fetch(trap: &Trap) -> bool {
    matches!(trap.trap_type, 0x08..=0x0a | 0x64..=0x67)
}

fn check_entry(found: &Instruction, trap: &Trap, out: &mut FindingSink) {
    let Instruction {
        cpu, pc, has_trap, ..
    } = *found;
    let (trap_type, at) = (trap.trap_type, trap.pc);
    if !has_trap {
        out.found(&rules::T01, || {
            format!("cpu{cpu} at {pc:#x}: the first instruction after a trap of type {trap_type:#x} is not marked")
        });
        return;
    }
    // Resets and fetch errors may be recorded at either place.
    let is_open = matches!(trap_type, 0x01..=0x05 | 0x08..=0x0a);
    let is_handler = trap.is_async || is_fetch(trap);
    if !is_open && is_handler == (pc == at) {
        let expected = if is_handler {
            "its handler"
        } else {
            "its instruction"
        };
        out.found(&rules::T02, || {
            format!("cpu{cpu}: a trap of type {trap_type:#x} at {at:#x} is followed by {pc:#x}, not {expected}")
        });
    }
}

//! Checks the flags and addresses of instructions (clauses 3b, 3g and 7a of the specification).

use crate::finding::Severity;
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::check::word::{InstructionWord, InstructionWordKind};
use crate::rst::record::is_fake_address;
use crate::rst::records::{Instruction, Preg, RegisterKind, RegisterValues, Trap, TrapExit};

/// PSTATE.AM: addresses have 32 bits.
const MASKED: u64 = 1 << 3;
/// Number of PSTATE among the privileged registers.
const PSTATE: u8 = 6;

/// Checks the flags of an instruction, and if it has an effective address.
pub fn check_flags(
    word: &InstructionWord,
    found: &Instruction,
    trap: Option<&Trap>,
    out: &mut FindingSink,
) {
    let Instruction {
        cpu,
        pc,
        ea,
        is_annulled,
        is_taken,
        has_trap,
        ..
    } = *found;
    let at = || format!("cpu{cpu} at {pc:#x}");
    let is_whole = !is_annulled && !has_trap;
    if is_annulled && ea.is_some() {
        // Clause 7a allows the combination that clause 3b forbids.
        out.found_as(&rules::A01, Severity::Warning, || {
            format!("{}: annulled, with an effective address", at())
        });
    }
    if is_annulled && (is_fake_address(pc) || !pc.is_multiple_of(4)) {
        out.found(&rules::A01, || {
            format!(
                "{}: annulled, and its address is none of an instruction",
                at()
            )
        });
    }
    if word.kind == InstructionWordKind::Branch && is_whole && ea.is_none() {
        out.found(&rules::A02, || {
            format!("{}: a branch that does not say where control goes", at())
        });
    }
    if word.kind == InstructionWordKind::Access && is_whole && ea.is_none() {
        out.found(&rules::A05, || {
            format!("{}: a load or store without its address", at())
        });
    }
    let is_transfer = matches!(
        word.kind,
        InstructionWordKind::Branch
            | InstructionWordKind::TrapCall
            | InstructionWordKind::Done
            | InstructionWordKind::Retry
    );
    let has_address = is_transfer
        || matches!(
            word.kind,
            InstructionWordKind::Access | InstructionWordKind::MaybeAccess
        );
    if ea.is_some() && !has_address && !has_trap && !is_annulled {
        out.found(&rules::A03, || {
            format!("{}: an effective address of what accesses nothing", at())
        });
    }
    if is_taken && !is_transfer && !has_trap {
        out.found(&rules::A04, || {
            format!("{}: marked as taken, and no control transfer", at())
        });
    }
    let is_miss =
        trap.is_some_and(|trap| !trap.is_async && (0x68..=0x6f).contains(&trap.trap_type));
    if is_miss && has_trap && ea.is_some() && trap.is_some_and(|trap| trap.pc == pc) {
        out.found(&rules::A06, || {
            format!(
                "{}: it misses in the data MMU, and has an effective address",
                at()
            )
        });
    }
}
/// Checks that addresses have 32 bits while PSTATE.AM is known to be set.
#[derive(Debug, Default)]
pub struct AddressWidthCheck {
    is_on: Option<bool>,
    /// State recorded for the next instruction, or for the one after it if the next ends a trap.
    next: Option<bool>,
}

impl AddressWidthCheck {
    pub fn preg(&mut self, preg: &Preg) {
        self.next = Some(u64::from(preg.pstate) & MASKED != 0);
    }

    pub fn registers(&mut self, values: &RegisterValues) {
        let is_state = |kind, id| kind == RegisterKind::Privileged && id == PSTATE;
        if let Some(slot) = values
            .slots
            .iter()
            .find(|slot| is_state(slot.kind, slot.id))
        {
            self.is_on = Some(slot.value & MASKED != 0);
        }
    }

    pub fn exit(&mut self, exit: &TrapExit) {
        self.is_on = Some(u64::from(exit.tstate >> 8) & MASKED != 0);
    }

    /// Checks the addresses of an instruction.
    pub fn check(
        &mut self,
        word: &InstructionWord,
        found: &Instruction,
        trap: Option<&Trap>,
        out: &mut FindingSink,
    ) {
        let is_end = matches!(
            word.kind,
            InstructionWordKind::Done | InstructionWordKind::Retry
        );
        let told = self.next.take();
        if !is_end {
            self.is_on = told.or(self.is_on);
        }
        // A handler has wide addresses. The instruction that trapped has the state before the trap.
        if let Some(trap) = trap {
            let is_stopped = trap.pc == found.pc;
            self.is_on = Some(is_stopped && u64::from(trap.pstate) & MASKED != 0);
        }
        let is_wide = |address: u64| address >> 32 != 0 && !is_fake_address(address);
        if self.is_on == Some(true) && !found.is_hyperprivileged && !is_end {
            for address in [Some(found.pc), found.ea]
                .into_iter()
                .flatten()
                .filter(|address| is_wide(*address))
            {
                let cpu = found.cpu;
                out.found(&rules::A08, || {
                    format!("cpu{cpu}: {address:#x} with addresses of 32 bits")
                });
            }
        }
        match word.kind {
            _ if trap.is_some() => self.is_on = Some(false),
            InstructionWordKind::Done | InstructionWordKind::Retry => self.is_on = told,
            InstructionWordKind::WritesState => self.is_on = None,
            _ => {}
        }
    }
}

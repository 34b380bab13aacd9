//! Checks the flags and addresses of instructions (clauses 3b, 3g and 7a of the specification).
//! [`InstructionWord`] has the properties of an instruction word that these and other rules need.

use stepback_machine::flow::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};
use stepback_machine::{Address, InstructionSet, decode};

use crate::finding::Severity;
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::records::{
    Instruction, Preg, RegisterKind, RegisterValues, Trap, TrapExit, is_fake_address,
};

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
        let stated = self.next.take();
        if !is_end {
            self.is_on = stated.or(self.is_on);
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
            InstructionWordKind::Done | InstructionWordKind::Retry => self.is_on = stated,
            InstructionWordKind::WritesState => self.is_on = None,
            _ => {}
        }
    }
}

const SET: InstructionSet = InstructionSet::Sparc64;
/// An address for decoding that no branch reaches from address 0.
const FAR: u64 = 1 << 40;

/// Properties of an instruction word that the rules need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionWord {
    /// Class of the instruction.
    pub kind: InstructionWordKind,
    /// Effect on the next instruction.
    pub delay: DelaySlotRule,
    /// Distance of the branch target, if the encoding has one.
    displacement: Option<u64>,
    /// True if the transfer is unconditional.
    pub is_unconditional: bool,
}

/// Classes of instructions that the rules distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionWordKind {
    /// No control transfer, no access.
    Plain,
    /// Branches, calls and jumps.
    Branch,
    /// Tcc.
    TrapCall,
    /// DONE.
    Done,
    /// RETRY.
    Retry,
    /// Loads and stores in the current address space.
    Access,
    /// Accesses to other address spaces, prefetches, FLUSH: the effective address is optional.
    MaybeAccess,
    /// A write of the trap level.
    WritesLevel,
    /// A write of PSTATE.
    WritesState,
    /// A write of a trap register.
    WritesTrapRegister,
}

impl InstructionWord {
    /// Classifies a word by its bits (The SPARC Architecture Manual, Version 9, appendix E).
    pub fn of(word: u32) -> Self {
        let control = |at: u64| {
            let encoding = SET.encoding_of(word, 4);
            encoding.map_or_else(ControlFlowEffect::default, |encoding| {
                decode(encoding, Address(at), SET).control
            })
        };
        let (near, far) = (control(0), control(FAR));
        let displacement = match (near.target, far.target) {
            (BranchTarget::Address(near), BranchTarget::Address(far)) if near != far => Some(near),
            _ => None,
        };
        let condition = word >> 25 & 15;
        let kind = kind_of(word);
        let is_by_register = word >> 30 == 0 && word >> 22 & 7 == 3;
        let is_unconditional =
            near.flow != FlowKind::Next && (condition == 8 && !is_by_register || word >> 30 != 0);
        let is_unconditional = if kind == InstructionWordKind::TrapCall {
            condition == 8
        } else {
            is_unconditional
        };
        Self {
            kind,
            delay: near.delay,
            displacement,
            is_unconditional,
        }
    }

    /// Returns the branch target for an address, if the encoding has one.
    pub fn target(&self, pc: u64) -> Option<u64> {
        self.displacement
            .map(|displacement| pc.wrapping_add(displacement))
    }

    /// Returns true if the recorded instruction annuls its delay slot.
    pub fn annuls(&self, found: &Instruction) -> bool {
        !found.is_annulled
            && (self.delay == DelaySlotRule::Annulled
                || self.delay == DelaySlotRule::UnlessNotTaken && !found.is_taken)
    }
}

fn kind_of(word: u32) -> InstructionWordKind {
    match (word >> 30, word >> 19 & 0x3f) {
        (0, _) if matches!(word >> 22 & 7, 1 | 2 | 3 | 5 | 6) => InstructionWordKind::Branch,
        (0, _) => InstructionWordKind::Plain,
        (1, _) | (2, 0x38 | 0x39) => InstructionWordKind::Branch,
        (2, 0x32) => match word >> 25 & 31 {
            0..=3 => InstructionWordKind::WritesTrapRegister,
            6 => InstructionWordKind::WritesState,
            7 => InstructionWordKind::WritesLevel,
            _ => InstructionWordKind::Plain,
        },
        (2, 0x3a) => InstructionWordKind::TrapCall,
        (2, 0x3b) => InstructionWordKind::MaybeAccess,
        (2, 0x3e) if word >> 25 & 31 == 0 => InstructionWordKind::Done,
        (2, 0x3e) if word >> 25 & 31 == 1 => InstructionWordKind::Retry,
        (2, _) => InstructionWordKind::Plain,
        (_, 0x00..=0x0b | 0x0d..=0x0f | 0x20..=0x27) => InstructionWordKind::Access,
        _ => InstructionWordKind::MaybeAccess,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinguished() {
        let kinds = [
            (0x1080_0004, InstructionWordKind::Branch),      // b
            (0x0080_0004, InstructionWordKind::Branch),      // bn
            (0x0100_0000, InstructionWordKind::Plain),       // nop
            (0x4000_0004, InstructionWordKind::Branch),      // call
            (0x81c7_e008, InstructionWordKind::Branch),      // ret
            (0x81cf_e008, InstructionWordKind::Branch),      // return
            (0x91d0_206d, InstructionWordKind::TrapCall),    // ta
            (0x81f0_0000, InstructionWordKind::Done),        // done
            (0x83f0_0000, InstructionWordKind::Retry),       // retry
            (0xc400_6000, InstructionWordKind::Access),      // ld
            (0xc480_6000, InstructionWordKind::MaybeAccess), // lda
            (0xc168_4000, InstructionWordKind::MaybeAccess), // prefetch
            (0x8f90_2001, InstructionWordKind::WritesLevel), // wrpr %tl
            (0x8d90_2001, InstructionWordKind::WritesState), // wrpr %pstate
            (0x9de3_bf50, InstructionWordKind::Plain),       // save
        ];
        for (word, kind) in kinds {
            assert_eq!(InstructionWord::of(word).kind, kind, "{word:08x}");
        }
    }

    fn found(is_taken: bool) -> Instruction {
        Instruction {
            cpu: 0,
            word: 0,
            pc: 0,
            ea: None,
            is_annulled: false,
            is_taken,
            has_trap: false,
            is_privileged: false,
            is_hyperprivileged: false,
        }
    }

    #[test]
    fn targets_are_those_of_the_encoding() {
        assert_eq!(
            InstructionWord::of(0x1080_0004).target(0x1000),
            Some(0x1010)
        );
        assert_eq!(InstructionWord::of(0x7fff_ffff).target(0x1000), Some(0xffc));
        assert_eq!(InstructionWord::of(0x81c7_e008).target(0x1000), None);
        let annulled =
            |word| [true, false].map(|is_taken| InstructionWord::of(word).annuls(&found(is_taken)));
        assert_eq!(annulled(0x3080_0004), [true, true]); // b,a
        assert_eq!(annulled(0x2280_0004), [false, true]); // be,a
        assert_eq!(annulled(0x0280_0004), [false, false]); // be
        let is_unconditional = |word| InstructionWord::of(word).is_unconditional;
        assert!(
            is_unconditional(0x1080_0004)
                && is_unconditional(0x4000_0004)
                && is_unconditional(0x91d0_2005)
        );
        assert!(
            !is_unconditional(0x0280_0004)
                && !is_unconditional(0x83d0_2005)
                && !is_unconditional(0x02c2_4004)
        );
    }
}

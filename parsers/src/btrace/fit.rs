//! Whether a record fits the program.

use stepback_machine::DelaySlotRule;

use crate::btrace::code::{ControlTransfer, ProgramCode, WORD, is_same_small};
use crate::btrace::kind::{BranchKind, is_probe};
use crate::btrace::record::BranchRecord;
use crate::reconstruct::{Decision, NextDecision, Outcome};

/// Why a record cannot be of the program, or not be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordMismatch {
    /// The program has another instruction there.
    #[error("the program has {found:08x} there, not {told:08x}")]
    Word {
        /// What the program has.
        found: u32,
        /// What the record says.
        told: u32,
    },
    /// The instruction is none that is recorded.
    #[error("the instruction is none that Btrace records")]
    NoBranch,
    /// It is of another kind.
    #[error("the instruction is a {}", .0.name())]
    Kind(BranchKind),
    /// It leads elsewhere.
    #[error("the instruction leads to {0:#x}")]
    Target(u64),
    /// It cannot be taken, or cannot but be taken.
    #[error("the instruction is {} taken", if *.0 { "always" } else { "never" })]
    Outcome(bool),
    /// It does not annul its delay slot then, or cannot but annul it.
    #[error("its delay slot is {} then", if *.0 { "annulled" } else { "executed" })]
    Annulment(bool),
}

/// A record that fits.
#[derive(Clone, Copy, Debug)]
pub struct FittedRecord {
    /// What its instruction is.
    pub transfer: ControlTransfer,
    /// What it did.
    pub decision: Decision,
}

impl FittedRecord {
    /// What a record says, if that can be.
    ///
    /// # Errors
    /// It cannot.
    pub fn of(record: &BranchRecord, code: &ProgramCode) -> Result<Self, RecordMismatch> {
        let transfer = transfer_of(record, code)?;
        let kind = transfer.kind.ok_or(RecordMismatch::NoBranch)?;
        if record.kind.is_some_and(|number| number != kind as u8) {
            return Err(RecordMismatch::Kind(kind));
        }
        if let Some(is_taken) = transfer
            .is_always_taken
            .filter(|is_taken| *is_taken != record.is_taken)
        {
            return Err(RecordMismatch::Outcome(is_taken));
        }
        let is_annulled = match transfer.fork.control.delay {
            DelaySlotRule::Annulled => true,
            DelaySlotRule::UnlessNotTaken => !record.is_taken,
            DelaySlotRule::Slot | DelaySlotRule::None => false,
        };
        if record.is_annulled.is_some_and(|told| told != is_annulled) {
            return Err(RecordMismatch::Annulment(is_annulled));
        }
        Ok(Self {
            transfer,
            decision: decision_of(record, &transfer)?,
        })
    }

    /// The decision, for a walk to come to.
    pub fn sought(&self) -> NextDecision {
        let Self { transfer, decision } = self;
        let behind = transfer.fork.behind;
        NextDecision {
            pc: behind.wrapping_sub(WORD),
            behind,
            slot: decision.slot,
        }
    }

    /// Why a record that fits by itself does not: what it says of the delay slot cannot be.
    pub fn misfit_of_slot(&self) -> RecordMismatch {
        RecordMismatch::Target(self.transfer.fork.behind.wrapping_add(WORD))
    }
}

fn transfer_of(
    record: &BranchRecord,
    code: &ProgramCode,
) -> Result<ControlTransfer, RecordMismatch> {
    let found = code.word(record.pc).filter(|word| !is_probe(*word));
    let told = record.word;
    match (found, told) {
        (Some(found), Some(told)) if found != told => Err(RecordMismatch::Word { found, told }),
        (Some(_), _) => code
            .transfer(record.pc)
            .copied()
            .ok_or(RecordMismatch::NoBranch),
        (None, Some(told)) => code
            .told_transfer(told, record.pc)
            .ok_or(RecordMismatch::NoBranch),
        (None, None) => Err(RecordMismatch::NoBranch),
    }
}

fn decision_of(
    record: &BranchRecord,
    transfer: &ControlTransfer,
) -> Result<Decision, RecordMismatch> {
    let direct = transfer.fork.control.target.address();
    let outcome = match (record.is_taken, direct) {
        (false, _) => Outcome::NotTaken,
        (true, None) => Outcome::To(record.target),
        (true, Some(target)) if target == record.target => Outcome::Taken,
        // The addresses of a program of 32 bits end there: what leads beyond leads to the other end.
        (true, Some(target)) if is_same_small(record.pc, target, record.target) => {
            Outcome::To(record.target)
        }
        (true, Some(target)) => return Err(RecordMismatch::Target(target)),
    };
    // What is behind the delay slot is recorded where a branch was not taken.
    let slot = (!record.is_taken).then(|| record.target.wrapping_sub(WORD));
    Ok(Decision { outcome, slot })
}

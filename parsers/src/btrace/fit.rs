//! Comparison of records with a program: of a single one, with the reason if both contradict each
//! other ([`FittedRecord`], [`RecordMismatch`]), and of a sample from all over a file ([`fit_of`]),
//! which shows if the files are those of the recorded program.

use std::io;

use stepback_machine::flow::DelaySlotRule;

use crate::btrace::code::{ControlTransfer, ProgramCode, WORD, is_same_small};
use crate::btrace::record::{BranchLayout, BranchRecord, BranchRecordReader, is_probe};
use crate::packed::PackedKind;
use crate::problem::RecordMismatch;
use crate::program_file::{ProgramFile, ProgramFit};
use crate::read_at::TraceFile;
use crate::reconstruct::{Decision, NextDecision, Outcome};

/// A record that agrees with the program.
#[derive(Clone, Copy, Debug)]
pub struct FittedRecord {
    /// Its instruction.
    pub transfer: ControlTransfer,
    /// Recorded outcome.
    pub decision: Decision,
}

impl FittedRecord {
    /// Compares a record with the program.
    ///
    /// # Errors
    /// Returns the reason if they contradict each other.
    pub fn of(record: &BranchRecord, code: &ProgramCode) -> Result<Self, RecordMismatch> {
        let transfer = transfer_of(record, code)?;
        let kind = transfer.kind.ok_or(RecordMismatch::NoBranch)?;
        if record.kind.is_some_and(|number| number != kind as u8) {
            return Err(RecordMismatch::Kind(kind.name()));
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
        if record
            .is_annulled
            .is_some_and(|stated| stated != is_annulled)
        {
            return Err(RecordMismatch::Annulment(is_annulled));
        }
        Ok(Self {
            transfer,
            decision: decision_of(record, &transfer)?,
        })
    }

    /// Returns the decision as the destination of a walk.
    pub fn sought(&self) -> NextDecision {
        let Self { transfer, decision } = self;
        let after = transfer.fork.after;
        NextDecision {
            pc: after.wrapping_sub(WORD),
            after,
            slot: decision.slot,
        }
    }

    /// Returns the mismatch of a record that agrees with its instruction but not with the path: the
    /// recorded delay slot is impossible.
    pub fn misfit_of_slot(&self) -> RecordMismatch {
        RecordMismatch::Target(self.transfer.fork.after.wrapping_add(WORD))
    }
}

fn transfer_of(
    record: &BranchRecord,
    code: &ProgramCode,
) -> Result<ControlTransfer, RecordMismatch> {
    let found = code.word(record.pc).filter(|word| !is_probe(*word));
    let stated = record.word;
    match (found, stated) {
        (Some(found), Some(stated)) if found != stated => {
            Err(RecordMismatch::Word { found, stated })
        }
        (Some(_), _) => code
            .transfer(record.pc)
            .copied()
            .ok_or(RecordMismatch::NoBranch),
        (None, Some(stated)) => code
            .stated_transfer(stated, record.pc)
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
        // A 32-bit address space ends there: a branch beyond one end leads to the other.
        (true, Some(target)) if is_same_small(record.pc, target, record.target) => {
            Outcome::To(record.target)
        }
        (true, Some(target)) => return Err(RecordMismatch::Target(target)),
    };
    // For a branch that was not taken, the address after the delay slot is recorded.
    let slot = (!record.is_taken).then(|| record.target.wrapping_sub(WORD));
    Ok(Decision { outcome, slot })
}

/// Number of places in the file that are sampled: the code that starts a program may be in other
/// files than the program itself.
const PLACES: u64 = 16;
/// Number of records sampled at each place.
const LOOKED_AT: u64 = 256;

/// Compares records from all over a file with a program; from a compressed file, the first ones.
/// Cost: one decoding of the program, and reading 4,096 records.
///
/// # Errors
/// The file could not be read.
pub fn fit_of(
    file: &TraceFile,
    layout: &BranchLayout,
    files: &[ProgramFile],
) -> io::Result<ProgramFit> {
    let code = ProgramCode::new(files);
    let mut fit = ProgramFit::default();
    let record_bytes = layout.record_bytes as u64;
    // From a compressed file, unpack no more than needed.
    let count = match PackedKind::of(file.data.as_ref())? {
        Some(_) => PLACES * LOOKED_AT,
        None => file.data.length()?.saturating_sub(layout.first_record) / record_bytes.max(1),
    };
    let step = (count / PLACES).max(LOOKED_AT);
    for place in (0..PLACES)
        .map(|place| place * step)
        .take_while(|place| *place < count)
    {
        let first_record = layout.first_record + place * record_bytes;
        let mut reader =
            BranchRecordReader::new(file.clone(), layout.clone().beginning_at(first_record));
        for _ in 0..LOOKED_AT {
            let Some(record) = reader.next_record()? else {
                break;
            };
            match (code.word(record.pc), record.word) {
                (None, _) => fit.nowhere += 1,
                (Some(found), Some(stated)) if found == stated || is_probe(found) => fit.same += 1,
                // A record without its instruction must match an instruction that can have done
                // what it says.
                (Some(_), None) if FittedRecord::of(&record, &code).is_ok() => fit.same += 1,
                (Some(_), _) => fit.other += 1,
            }
        }
    }
    Ok(fit)
}

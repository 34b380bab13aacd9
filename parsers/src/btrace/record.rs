//! The record of an executed control transfer.

use crate::btrace::kind::BranchKind;

/// Content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since an arbitrary moment; `None` if the records have no times.
    pub time: Option<u64>,
    /// Address of the instruction.
    pub pc: u64,
    /// Destination; or the address after the delay slot if the transfer was not taken.
    pub target: u64,
    /// Thread.
    pub thread: u64,
    /// Processor; `None` if the records do not contain it.
    pub cpu: Option<u64>,
    /// True if the transfer was taken.
    pub is_taken: bool,
    /// True if the instruction in the delay slot was skipped; `None` if the records do not contain
    /// it.
    pub is_annulled: Option<bool>,
    /// Kind as recorded; `None` if the records do not contain it.
    pub kind: Option<u8>,
    /// Instruction word; `None` if the records do not contain it.
    pub word: Option<u32>,
}

impl BranchRecord {
    /// Returns whether the fields are consistent, as those of random bytes rarely are.
    pub fn is_plausible(&self) -> bool {
        let is_kind = |word| {
            let kind = BranchKind::of_word(word);
            kind.is_some_and(|kind| self.kind.is_none_or(|number| number == kind as u8))
        };
        self.pc.is_multiple_of(4) && self.target.is_multiple_of(4) && self.word.is_none_or(is_kind)
    }
}

//! A record: a control transfer that was executed.

use crate::btrace::kind::BranchKind;

/// What a record says of a control transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since some moment; none where the records have no times.
    pub time: Option<u64>,
    /// The address of the instruction.
    pub pc: u64,
    /// Where control went: the destination, or what is behind the delay slot where the transfer was not taken.
    pub target: u64,
    /// Which thread.
    pub thread: u64,
    /// Which processor it ran on; none where the records do not say it.
    pub cpu: Option<u64>,
    /// Whether it went elsewhere.
    pub is_taken: bool,
    /// Whether the instruction in the delay slot was skipped; none where the records do not say it.
    pub is_annulled: Option<bool>,
    /// As recorded; none where the records do not say it.
    pub kind: Option<u8>,
    /// The instruction; none where the records do not have it.
    pub word: Option<u32>,
}

impl BranchRecord {
    /// Whether its parts fit each other as those of a record do, and not as any bytes.
    pub fn is_plausible(&self) -> bool {
        let is_kind = |word| {
            let kind = BranchKind::of_word(word);
            kind.is_some_and(|kind| self.kind.is_none_or(|number| number == kind as u8))
        };
        self.pc.is_multiple_of(4) && self.target.is_multiple_of(4) && self.word.is_none_or(is_kind)
    }
}

//! Files of the traced program ([`ProgramFile`]), for traces that do not contain its instructions,
//! and the agreement of such files with a sample of a trace's records ([`ProgramFit`]).

use std::sync::Arc;

/// A file of the traced program, at its load address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFile {
    /// Name without folders, for messages.
    pub name: String,
    /// Entry point of the program; `None` for a library.
    pub entry: Option<u64>,
    /// Code of the file.
    pub parts: Vec<CodePart>,
}

/// A contiguous range of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePart {
    /// Load address.
    pub address: u64,
    /// Contents.
    pub bytes: Arc<[u8]>,
}

/// Number of sampled records that agree with the files of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFit {
    /// Records that agree with the files.
    pub same: u64,
    /// Records that contradict the files.
    pub other: u64,
    /// Records at addresses that no file contains.
    pub nowhere: u64,
}

/// Divisor for recognising a program: at most one in 16 records may contradict the files, and at
/// most 16 times as many as agree may be at addresses in no file.
const RECOGNISED: u64 = 16;

impl ProgramFit {
    /// Returns whether the files belong to another program or were loaded elsewhere.
    pub fn is_of_another_program(&self) -> bool {
        self.other > self.same
    }

    /// Returns whether the files certainly belong to the recorded program, so that the user need
    /// not name them. A few records may be damaged, and most of them may be in libraries.
    pub fn is_recognised(&self) -> bool {
        let fits = |misfits: u64| misfits.saturating_mul(RECOGNISED) <= self.same;
        self.same > 0 && fits(self.other) && self.nowhere <= self.same.saturating_mul(RECOGNISED)
    }

    /// Returns whether every record agrees.
    pub fn is_perfect(&self) -> bool {
        self.same > 0 && self.other == 0 && self.nowhere == 0
    }
}

/// Reason why only the records of a trace are shown: nothing is known between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MissingProgram {
    /// No file of the program is known.
    #[error("no file of the program is known, so only the recorded branches are shown")]
    Unknown,
    /// The files are of another program, or were loaded elsewhere.
    #[error(
        "the program's files are of another program or were loaded elsewhere ({} of {} records do not fit), \
         so only the recorded branches are shown",
        .0.other,
        .0.other + .0.same
    )]
    Another(ProgramFit),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_recognised_where_hardly_any_record_contradicts_it() {
        let is_recognised = |same, other, nowhere| {
            ProgramFit {
                same,
                other,
                nowhere,
            }
            .is_recognised()
        };
        assert!(is_recognised(1, 0, 0) && is_recognised(100, 6, 0) && is_recognised(10, 0, 160));
        assert!(!is_recognised(0, 0, 0) && !is_recognised(100, 7, 0) && !is_recognised(10, 0, 161));
        assert!(
            ProgramFit {
                same: 4,
                other: 5,
                nowhere: 0
            }
            .is_of_another_program()
        );
    }
}

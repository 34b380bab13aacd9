//! How well the files of a program fit what a trace records.

/// How the files of a program fit the records of a trace that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFit {
    /// Records that can be of the files.
    pub same: u64,
    /// Records that contradict the files.
    pub other: u64,
    /// Records where the files have nothing.
    pub nowhere: u64,
}

/// A file is recognised when of so many records no more than one contradicts it, or lies in other files for all but one.
const RECOGNISED: u64 = 16;

impl ProgramFit {
    /// The files are those of another program, or were loaded elsewhere.
    pub fn is_of_another_program(&self) -> bool {
        self.other > self.same
    }

    /// The files are so certainly of the recorded program that they need not be named: a few records may be damaged, and
    /// libraries may have most of them.
    pub fn is_recognised(&self) -> bool {
        let fits = |misfits: u64| misfits.saturating_mul(RECOGNISED) <= self.same;
        self.same > 0 && fits(self.other) && self.nowhere <= self.same.saturating_mul(RECOGNISED)
    }

    /// Every record fits.
    pub fn is_perfect(&self) -> bool {
        self.same > 0 && self.other == 0 && self.nowhere == 0
    }
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

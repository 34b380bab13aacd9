//! Maps between branches and record types.

use stepback_machine::RecordedBranch;

use crate::drmemtrace::marker_names::record_name;
use crate::drmemtrace::raw_record::kind;

/// Returns the effect on control of an instruction with this record type (`trace_type_t`).
#[inline(always)]
pub fn branch_of(kind: u8) -> RecordedBranch {
    match kind {
        11 => RecordedBranch::Jump,
        12 => RecordedBranch::IndirectJump,
        13 => RecordedBranch::Conditional(None),
        14 => RecordedBranch::Call,
        15 => RecordedBranch::IndirectCall,
        16 => RecordedBranch::Return,
        31 => RecordedBranch::SystemEntry,
        48 => RecordedBranch::Conditional(Some(true)),
        49 => RecordedBranch::Conditional(Some(false)),
        _ => RecordedBranch::None,
    }
}

/// Returns the name of the record type of instructions with this branch.
pub fn instruction_name(branch: RecordedBranch) -> &'static str {
    let is_meant = |kind: &u8| branch_of(*kind) == branch;
    record_name(
        (0..=u8::MAX)
            .find(|kind| is_meant(kind) && u16::from(*kind) >= kind::INSTRUCTION)
            .unwrap_or(u8::MAX),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_called_by_the_type_of_its_record() {
        for kind in [10, 11, 12, 13, 14, 15, 16, 31, 48, 49] {
            assert_eq!(instruction_name(branch_of(kind)), record_name(kind));
        }
    }
}

//! Branches, and the types of the records that tell of them.

use stepback_machine::Branch;

use crate::drmemtrace::marker_names::record_name;
use crate::drmemtrace::raw_record::kind;

/// What an instruction does to control, by the type of its record (`trace_type_t`).
#[inline(always)]
pub fn branch_of(kind: u8) -> Branch {
    match kind {
        11 => Branch::Jump,
        12 => Branch::IndirectJump,
        13 => Branch::Conditional(None),
        14 => Branch::Call,
        15 => Branch::IndirectCall,
        16 => Branch::Return,
        31 => Branch::SystemEntry,
        48 => Branch::Conditional(Some(true)),
        49 => Branch::Conditional(Some(false)),
        _ => Branch::None,
    }
}

/// The name of the type of the records of such instructions.
pub fn instruction_name(branch: Branch) -> &'static str {
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

//! Detects the Thumb instructions of an Arm trace.

use stepback_machine::{InstructionPlacement, InstructionSet};

use crate::step_store::code::Code;
use crate::step_store::record::StoredStep;

/// Returns the instruction set of an instruction, also considering the one executed before it.
pub fn set_of(record: &StoredStep, before: Option<&Code>) -> InstructionSet {
    let is_behind =
        |before: &&Code| before.pc.wrapping_add(u64::from(before.length_bytes)) == record.pc;
    let behind = before.filter(is_behind).map(|before| before.set);
    record.set.set_at(&InstructionPlacement {
        address: record.pc,
        length_bytes: record.length_bytes,
        behind,
    })
}

#[cfg(test)]
mod tests {
    use crate::step_store::record::StepStatus;
    use stepback_machine::RecordedBranch;

    use super::*;
    use crate::events::ThreadNumber;
    use crate::step_store::code::EffectShape;

    fn record(pc: u64) -> StoredStep {
        StoredStep {
            input: 0,
            thread: ThreadNumber(0),
            branch: RecordedBranch::None,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            pc,
            encoding: None,
            target: None,
            reached: StepStatus::PLAINLY,
        }
    }

    #[test]
    fn thumb_shows_in_address_length_and_what_comes_before() {
        let code = |pc, length_bytes, set| Code {
            pc,
            length_bytes,
            set,
            encoding: None,
            branch: RecordedBranch::None,
            reached: StepStatus::PLAINLY,
            shape: EffectShape::UNSET,
        };
        let check = |pc, length_bytes, before: Option<Code>, expected| {
            let record = StoredStep {
                set: InstructionSet::A32,
                length_bytes,
                ..record(pc)
            };
            assert_eq!(set_of(&record, before.as_ref()), expected, "{pc}");
        };
        use InstructionSet::{A32, T32};
        check(0x1000, 4, None, A32);
        check(0x1001, 4, None, T32);
        check(0x1000, 2, None, T32);
        check(0x1002, 4, None, T32);
        check(0x1004, 4, Some(code(0x1000, 4, T32)), T32);
        check(0x1004, 4, Some(code(0x1000, 4, A32)), A32);
        check(0x2000, 4, Some(code(0x1000, 4, T32)), A32);
    }
}

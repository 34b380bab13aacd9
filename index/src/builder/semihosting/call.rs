//! Which instruction is a semihosting call, and what memory it lets the host write.

use stepback_machine::InstructionSet;

/// A semihosting call of a segment that may let the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostCall {
    /// The slot of its step in the segment.
    pub slot: u32,
    /// The thread, as the segment counts, that brought the number of the operation from an earlier segment, if one did.
    pub carried_by: Option<u16>,
}

/// Whether an instruction is a semihosting call: `SVC`, `HLT` or `BKPT` with the immediates set aside for it.
#[inline(always)]
pub(crate) fn is_host_call(set: InstructionSet, opcode: u32, length_bytes: u8) -> bool {
    match set {
        InstructionSet::A64 => opcode == 0xd45e_0000,
        InstructionSet::A32 => matches!(opcode & 0x0fff_ffff, 0x0f12_3456 | 0x010f_0070),
        InstructionSet::T32 => length_bytes == 2 && matches!(opcode, 0xbeab | 0xdfab | 0xbabc),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::host_operation::HostOperation;

    #[test]
    fn the_calls_of_each_instruction_set_are_known() {
        use InstructionSet::{A32, A64, T32};
        let calls = [(A64, 0xd45e_0000, 4), (A32, 0xef12_3456, 4), (A32, 0xe10f_0070, 4), (T32, 0xbeab, 2)];
        for (set, opcode, length_bytes) in calls.into_iter().chain([(T32, 0xdfab, 2), (T32, 0xbabc, 2)]) {
            assert!(is_host_call(set, opcode, length_bytes), "{opcode:x}");
        }
        let others =
            [(A64, 0xd400_0001, 4), (A32, 0xef00_0000, 4), (T32, 0xbe00, 2), (T32, 0xbeab, 4), (A32, 0xbeab, 4)];
        for (set, opcode, length_bytes) in others {
            assert!(!is_host_call(set, opcode, length_bytes), "{opcode:x}");
        }
    }

    #[test]
    fn each_operation_finds_its_region_in_its_block() {
        let block = |number: u64| [0x100, 0x2000, 0x30].get(number as usize).copied();
        let regions = HostOperation::ALL.map(|operation| operation.region(0x9000, (4, u64::from(u32::MAX)), block));
        let expected = [(0x2000, 0x202f), (0x100, 0x12f), (0x100, 0x20ff), (0x100, 0x10f), (0x9000, 0x9007)];
        assert_eq!(regions, expected.map(Some));
    }

    #[test]
    fn a_region_ends_with_the_address_space_and_an_empty_or_unknown_one_is_none() {
        let read = |words: [Option<u64>; 3], highest: u64| {
            HostOperation::Read.region(0, (8, highest), |number| words.get(number as usize).copied().flatten())
        };
        assert_eq!(read([None, Some(0x1000), Some(u64::MAX)], u64::MAX), Some((0x1000, u64::MAX)));
        assert_eq!(read([None, Some(0xffff_fff0), Some(0x100)], u64::from(u32::MAX)), Some((0xffff_fff0, 0xffff_ffff)));
        assert_eq!(read([None, Some(0x1000), Some(0)], u64::MAX), None);
        assert_eq!(read([None, Some(0x1000), None], u64::MAX), None);
    }
}

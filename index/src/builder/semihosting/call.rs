//! Semihosting calls that a segment records ([`HostCall`]), and the memory that the parameter block
//! of a call lets the host write (Arm, "Semihosting for AArch32 and AArch64"). The number of
//! examined calls is limited, which bounds time and memory on any trace.

use crate::answers::step_record::HostOperation;
use crate::store::regions::host_regions::AddressRange;

/// A semihosting call of a segment that may let the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostCall {
    /// Slot of its step in the segment.
    pub slot: u32,
    /// Thread, by its number in the segment, that carried the operation number from an earlier
    /// segment, if one did.
    pub carried_by: Option<u16>,
}

/// Maximum number of semihosting calls that are examined, which bounds time and memory. It is far
/// above the number of kept regions, because calls with a region that the trace does not contain do
/// not count among those.
pub(crate) const HOST_CALLS_LIMIT: usize = 1 << 22;
/// Warning that there were more calls.
pub(crate) const HOST_CALLS_LEFT_OUT: &str = "more semihosting calls than are followed: what the host wrote into memory during the later ones is left out";

/// Memory that a call lets the host write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostWriteRegion {
    Nothing,
    Region(AddressRange),
    /// The region is not known.
    Unknown,
}

/// Parameter block of a semihosting call in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterBlock {
    /// Address of the block.
    pub address: u64,
    /// Bytes of each of its words.
    pub word_bytes: u64,
    /// Highest valid address.
    pub highest: u64,
}

impl ParameterBlock {
    /// Returns the memory that the host may write. `word` returns words of the block by number.
    ///
    /// The whole buffer of `SYS_READ` counts, not just the bytes that the host did read.
    pub fn region(
        &self,
        operation: HostOperation,
        word: impl FnMut(u64) -> Option<u64>,
    ) -> HostWriteRegion {
        let Some((first, len_bytes)) = self.first_and_length(operation, word) else {
            return HostWriteRegion::Unknown;
        };
        let Some(rest) = len_bytes.checked_sub(1) else {
            return HostWriteRegion::Nothing;
        };
        let last = first.saturating_add(rest).min(self.highest);
        if first <= last {
            HostWriteRegion::Region(AddressRange { first, last })
        } else {
            HostWriteRegion::Nothing
        }
    }

    fn first_and_length(
        &self,
        operation: HostOperation,
        mut word: impl FnMut(u64) -> Option<u64>,
    ) -> Option<(u64, u64)> {
        Some(match operation {
            HostOperation::Read => (word(1)?, word(2)?),
            // Arm's manual of the trace utilities says word 1; the semihosting specification says
            // 2.
            HostOperation::TmpNam => (word(0)?, word(2)?),
            HostOperation::GetCmdline => (word(0)?, word(1)?),
            HostOperation::HeapInfo => (word(0)?, 4 * self.word_bytes),
            HostOperation::Elapsed => (self.address, 2 * self.word_bytes),
        })
    }

    /// Returns the address of a word; none if the word would reach beyond the highest 64-bit
    /// address.
    pub fn word(&self, number: u64) -> Option<u64> {
        let address = self.address.checked_add(number * self.word_bytes)?;
        address.checked_add(self.word_bytes - 1).map(|_| address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(address: u64) -> ParameterBlock {
        ParameterBlock {
            address,
            word_bytes: 4,
            highest: u64::from(u32::MAX),
        }
    }

    #[test]
    fn each_operation_finds_its_region_in_its_block() {
        let block = |number: u64| [0x100, 0x2000, 0x30].get(number as usize).copied();
        let regions = HostOperation::ALL.map(|operation| narrow(0x9000).region(operation, block));
        let expected = [
            (0x2000, 0x202f),
            (0x100, 0x12f),
            (0x100, 0x20ff),
            (0x100, 0x10f),
            (0x9000, 0x9007),
        ];
        assert_eq!(
            regions,
            expected.map(|(first, last)| HostWriteRegion::Region(AddressRange { first, last }))
        );
    }

    #[test]
    fn a_region_ends_with_the_address_space_and_an_empty_one_is_nothing() {
        let read = |words: [Option<u64>; 3], highest: u64| {
            let block = ParameterBlock {
                address: 0,
                word_bytes: 8,
                highest,
            };
            block.region(HostOperation::Read, |number| {
                words.get(number as usize).copied().flatten()
            })
        };
        let region = |first, last| HostWriteRegion::Region(AddressRange { first, last });
        assert_eq!(
            read([None, Some(0x1000), Some(u64::MAX)], u64::MAX),
            region(0x1000, u64::MAX)
        );
        let near_end = read([None, Some(0xffff_fff0), Some(0x100)], u64::from(u32::MAX));
        assert_eq!(near_end, region(0xffff_fff0, 0xffff_ffff));
        assert_eq!(
            read([None, Some(0x1000), Some(0)], u64::MAX),
            HostWriteRegion::Nothing
        );
        assert_eq!(
            read([None, Some(0x1000), None], u64::MAX),
            HostWriteRegion::Unknown
        );
    }
}

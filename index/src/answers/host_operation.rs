//! The semihosting operations that let the host write into memory.

/// A semihosting operation that lets the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostOperation {
    /// Reads from a file into a buffer.
    Read,
    /// Makes up a name for a temporary file.
    TmpNam,
    /// Copies the command line.
    GetCmdline,
    /// Tells where heap and stack are.
    HeapInfo,
    /// Tells the ticks so far.
    Elapsed,
}

impl HostOperation {
    pub(crate) const ALL: [Self; 5] = [Self::Read, Self::TmpNam, Self::GetCmdline, Self::HeapInfo, Self::Elapsed];

    /// The operation of a number in `r0`; none for those that write no memory.
    pub(crate) fn of_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.number() == number)
    }

    /// Whether a register's lower 32 bits name an operation that writes memory.
    pub(crate) fn is_in(register: u64) -> bool {
        Self::of_number(register & u64::from(u32::MAX)).is_some()
    }

    /// Its number in `r0`.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Read => 0x06,
            Self::TmpNam => 0x0d,
            Self::GetCmdline => 0x15,
            Self::HeapInfo => 0x16,
            Self::Elapsed => 0x30,
        }
    }

    /// Its name in Arm's documentation: `SYS_READ`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "SYS_READ",
            Self::TmpNam => "SYS_TMPNAM",
            Self::GetCmdline => "SYS_GET_CMDLINE",
            Self::HeapInfo => "SYS_HEAPINFO",
            Self::Elapsed => "SYS_ELAPSED",
        }
    }

    /// The first and last address that the host may write, by the words of a parameter block.
    ///
    /// None when a word is unknown or the region empty. `word` is asked for words of the block by number.
    /// The whole buffer of `SYS_READ` counts, not just what the host turned out to read.
    pub(crate) fn region(
        self,
        block: u64,
        (word_bytes, highest): (u64, u64),
        mut word: impl FnMut(u64) -> Option<u64>,
    ) -> Option<(u64, u64)> {
        let (address, len_bytes) = match self {
            Self::Read => (word(1)?, word(2)?),
            // Arm's manual of the trace utilities says word 1; the semihosting specification says 2.
            Self::TmpNam => (word(0)?, word(2)?),
            Self::GetCmdline => (word(0)?, word(1)?),
            Self::HeapInfo => (word(0)?, 4 * word_bytes),
            Self::Elapsed => (block, 2 * word_bytes),
        };
        let rest = len_bytes.checked_sub(1)?;
        Some((address, address.saturating_add(rest).min(highest))).filter(|(first, last)| first <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

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

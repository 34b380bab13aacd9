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
    pub(crate) const ALL: [Self; 5] = [
        Self::Read,
        Self::TmpNam,
        Self::GetCmdline,
        Self::HeapInfo,
        Self::Elapsed,
    ];

    /// The operation of a number in `r0`; none for those that write no memory.
    pub(crate) fn of_number(number: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.number() == number)
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
}

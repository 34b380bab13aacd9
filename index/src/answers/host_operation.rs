//! Semihosting operations that let the host write into memory.

/// A semihosting operation that lets the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostOperation {
    /// Reads from a file into a buffer.
    Read,
    /// Generates a name for a temporary file.
    TmpNam,
    /// Copies the command line.
    GetCmdline,
    /// Returns the addresses of heap and stack.
    HeapInfo,
    /// Returns the elapsed ticks.
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

    /// Returns the operation for a number in `r0`; `None` for operations that write no memory.
    pub(crate) fn of_number(number: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.number() == number)
    }

    /// Returns true if the lower 32 bits of a register are the number of an operation that writes
    /// memory.
    pub(crate) fn is_in(register: u64) -> bool {
        Self::of_number(register & u64::from(u32::MAX)).is_some()
    }

    /// Returns the number in `r0`.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Read => 0x06,
            Self::TmpNam => 0x0d,
            Self::GetCmdline => 0x15,
            Self::HeapInfo => 0x16,
            Self::Elapsed => 0x30,
        }
    }

    /// Returns the name in Arm's documentation: `SYS_READ`.
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

//! Semihosting: calls through which a program requests services of the debugger's host.

/// Semihosting convention of an architecture (Arm, "Semihosting for AArch32 and AArch64").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemihostingCall {
    /// Name of the 32-bit register view that holds the operation number.
    pub operation: &'static str,
    /// Register with the argument of the operation, usually the address of a block of words.
    pub argument: &'static str,
}

/// Operations by number (Arm, "Semihosting for AArch32 and AArch64", 6 "Semihosting operations").
const OPERATIONS: [(u64, &str); 24] = [
    (0x01, "SYS_OPEN"),
    (0x02, "SYS_CLOSE"),
    (0x03, "SYS_WRITEC"),
    (0x04, "SYS_WRITE0"),
    (0x05, "SYS_WRITE"),
    (0x06, "SYS_READ"),
    (0x07, "SYS_READC"),
    (0x08, "SYS_ISERROR"),
    (0x09, "SYS_ISTTY"),
    (0x0a, "SYS_SEEK"),
    (0x0c, "SYS_FLEN"),
    (0x0d, "SYS_TMPNAM"),
    (0x0e, "SYS_REMOVE"),
    (0x0f, "SYS_RENAME"),
    (0x10, "SYS_CLOCK"),
    (0x11, "SYS_TIME"),
    (0x12, "SYS_SYSTEM"),
    (0x13, "SYS_ERRNO"),
    (0x15, "SYS_GET_CMDLINE"),
    (0x16, "SYS_HEAPINFO"),
    (0x18, "SYS_EXIT"),
    (0x20, "SYS_EXIT_EXTENDED"),
    (0x30, "SYS_ELAPSED"),
    (0x31, "SYS_TICKFREQ"),
];

impl SemihostingCall {
    /// Returns the name of an operation; only the lower 32 bits of the number count.
    pub fn operation_name(number: u64) -> Option<&'static str> {
        let number = number & u64::from(u32::MAX);
        OPERATIONS
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| *name)
    }
}

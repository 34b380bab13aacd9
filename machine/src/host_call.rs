//! Semihosting: calls by which a program asks the debugger's host.

/// How an architecture asks the host (Arm, "Semihosting for AArch32 and AArch64").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// The 32 bits that hold the number of the operation.
    pub operation: &'static str,
    /// The register that holds the operation's argument: mostly the address of a block of words.
    pub argument: &'static str,
}

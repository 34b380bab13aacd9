//! Names of instruction sets.

/// Names of an instruction set. Sets of one architecture may share names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureNames {
    /// Value of the architecture option; none for sets that the trace itself identifies.
    pub choice: Option<ArchitectureChoice>,
    /// Name in machine-readable output: `aarch32`.
    pub word: &'static str,
    /// Title: `AArch32`.
    pub title: &'static str,
    /// Name in running text: `32-bit x86`.
    pub spoken: &'static str,
}

/// A value of the architecture option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureChoice {
    /// Value to type: `aarch64`.
    pub name: &'static str,
    /// Description: `Arm, 64 bit`.
    pub help: &'static str,
}

/// Processor of an ELF file (System V ABI, "ELF Header").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElfMachine {
    /// `e_machine`.
    pub number: u16,
    /// Number of bytes in an address, from `EI_CLASS`.
    pub word_bytes: u16,
}

//! What an instruction set is called.

/// The names of an instruction set; those of one architecture may share some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureNames {
    /// As people choose it; none for sets that cannot be chosen: the trace itself tells them.
    pub choice: Option<ArchitectureChoice>,
    /// In machine-readable answers: `aarch32`.
    pub word: &'static str,
    /// As a title: `AArch32`.
    pub title: &'static str,
    /// In sentences: `32-bit x86`.
    pub spoken: &'static str,
}

/// A value of an option that names an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureChoice {
    /// What is typed: `aarch64`.
    pub name: &'static str,
    /// What it means: `Arm, 64 bit`.
    pub help: &'static str,
}

/// For which processor an ELF file is (System V ABI, "ELF Header").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElfMachine {
    /// `e_machine`.
    pub number: u16,
    /// Bytes of an address, by `EI_CLASS`.
    pub word_bytes: u16,
}

//! The registers of an instruction.

use crate::view::{RegisterId, RegisterView};

/// The registers that an instruction uses when it is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterUse {
    /// What it reads, addresses included; sorted, each once. No program counter.
    pub reads: Vec<RegisterView>,
    /// What it changes: a write of `eax` is one of `rax`, since it makes the upper half zero. Sorted, each once.
    /// The program counter is left out, and so are the flags of floating point that exceptions add to (`fpsr`, `mxcsr`).
    pub writes: Vec<RegisterView>,
}

impl RegisterUse {
    /// True when it reads a condition flag.
    pub fn is_flags_read(&self) -> bool {
        self.reads
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }

    /// True when it writes a condition flag.
    pub fn is_flags_written(&self) -> bool {
        self.writes
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }
}

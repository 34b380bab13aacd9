//! Registers that an instruction uses.

use crate::view::{RegisterId, RegisterView};

/// Registers that an instruction reads and writes when executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterUse {
    /// Registers read, including those in addresses, without the program counter. Sorted, no
    /// duplicates.
    pub reads: Vec<RegisterView>,
    /// Registers that change. Sorted, no duplicates. A write of `eax` counts as one of `rax`,
    /// because it zeroes the upper half. Excludes the program counter and the floating-point
    /// exception flags (`fpsr`, `mxcsr`).
    pub writes: Vec<RegisterView>,
}

impl RegisterUse {
    /// Returns true if it reads a condition flag.
    pub fn is_flags_read(&self) -> bool {
        self.reads
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }

    /// Returns true if it writes a condition flag.
    pub fn is_flags_written(&self) -> bool {
        self.writes
            .iter()
            .any(|view| view.register == RegisterId::PSR)
    }
}

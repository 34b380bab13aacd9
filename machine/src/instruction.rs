//! A decoded instruction.

use crate::{RegisterId, RegisterView};

use crate::Meaning;

/// How the text of bytes begins that cannot be decoded.
pub(super) const UNDECODABLE: &str = ".byte";

/// An instruction at its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic and operands in lower case, targets as addresses; `.byte 0x48, 0x85` when the bytes cannot be decoded.
    pub text: String,
    /// The registers that it uses; none when they are not known: it may then write any.
    pub registers: Option<RegisterUse>,
    /// What it does to registers and memory, as far as this is described.
    pub meaning: Meaning,
}

impl Instruction {
    /// True when its bytes mean something, as a whole.
    pub fn is_decoded(&self) -> bool {
        !self.text.starts_with(UNDECODABLE)
    }

    /// True when it certainly or possibly writes a byte of a view.
    pub fn may_write(&self, view: RegisterView) -> bool {
        self.registers.as_ref().is_none_or(|known| known.writes.iter().any(|write| write.overlaps(view)))
    }
}

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
        self.reads.iter().any(|view| view.register == RegisterId::PSR)
    }

    /// True when it writes a condition flag.
    pub fn is_flags_written(&self) -> bool {
        self.writes.iter().any(|view| view.register == RegisterId::PSR)
    }
}

//! Registers that instructions write but the trace never names.
//!
//! gem5 prints no writes of SP in A64; other producers print no registers at all:
//!
//! ```text
//! IT (2) 002105d8 9100001f O EL3h_s :   ADD   SP, X0, #0
//! IT (3) 002105dc 940000f8 O EL3h_s :   BL   0X2109BC
//! R X30 00000000002105e0
//! ```

use std::collections::HashMap;
use std::sync::Mutex;

use stepback_machine::{RegisterId, RegisterView};

use crate::answers::thread::ThreadId;

/// Registers of a thread that the trace leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UntracedRegisters {
    /// No register is known to be left out.
    #[default]
    Nothing,
    /// Only the stack pointer.
    StackPointer,
    /// All registers for computation.
    General,
}

impl UntracedRegisters {
    /// Returns true for a register that is left out.
    pub fn includes(self, view: RegisterView) -> bool {
        match self {
            Self::Nothing => false,
            Self::StackPointer => view.register == RegisterId::SP,
            Self::General => view.register < RegisterId::PC,
        }
    }
}

/// Cache by thread.
pub(crate) type UntracedCache = Mutex<HashMap<ThreadId, UntracedRegisters>>;

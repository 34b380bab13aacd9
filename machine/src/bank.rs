//! Banked registers: several registers share a plain name, and the processor mode selects one of
//! them.

use crate::mode::{Mode, SecurityState, ThreadStack};
use crate::view::RegisterView;

/// A banked register and the plain register that it replaces while in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankedRegister {
    /// The plain register, as wide as the bank.
    pub plain: RegisterView,
    /// Selects when this bank is in use.
    pub bank: Bank,
}

/// One of several registers that share a plain name; the [`Mode`] selects which one the name
/// denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    /// `SP_EL0` … `SP_EL3`.
    Level(u8),
    /// `r13_svc`, `sp_irq`, ….
    Mode([u8; 3]),
    /// `r14_svc`, `lr_irq`, …; `hyp` uses the `usr` register.
    Link([u8; 3]),
    /// `r8_fiq`, `r8_usr`, …: only FIQ has its own.
    Fiq([u8; 3]),
    /// `MSP`, `MSP_S`, `MSP_NS`.
    Main(SecurityState),
    /// `PSP`, `PSP_S`, `PSP_NS`.
    Process(SecurityState),
    /// A suffix that selects nothing.
    Other,
}

impl Bank {
    /// Returns false only if the mode is known to select another bank for the plain name.
    pub fn is_in_use(self, mode: Mode) -> bool {
        match (self, mode) {
            (
                Self::Level(bank),
                Mode::Level {
                    level,
                    has_own_stack,
                },
            ) => bank == if has_own_stack { level } else { 0 },
            (Self::Level(_), Mode::Banked(_) | Mode::Handler(_)) => false,
            (Self::Mode(bank), Mode::Banked(mode)) => bank == mode,
            (Self::Link(bank), Mode::Banked(mode)) => {
                bank == mode || (&bank, &mode) == (b"usr", b"hyp")
            }
            (Self::Fiq(bank), Mode::Banked(mode)) => (bank == *b"fiq") == (mode == *b"fiq"),
            // AArch64 accesses the `x8` to `x12` of the other modes (DDI 0487, D1.20.1).
            (Self::Fiq(bank), Mode::Level { .. }) => bank != *b"fiq",
            (
                Self::Mode(_) | Self::Link(_) | Self::Main(_) | Self::Process(_),
                Mode::Level { .. },
            ) => false,
            (Self::Process(_), Mode::Handler(_) | Mode::Thread(_, ThreadStack::Main)) => false,
            (Self::Main(_), Mode::Thread(_, ThreadStack::Process)) => false,
            (
                Self::Main(own) | Self::Process(own),
                Mode::Handler(security) | Mode::Thread(security, _),
            ) => own.may_be_of(security),
            _ => true,
        }
    }
}

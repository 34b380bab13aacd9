//! Banks: registers of their own that share a plain name, of which one is in use.

use crate::mode::bank_mode;
use crate::{InstructionSet, Mode, RegisterId, RegisterView, Registers};

/// One of several registers that share a plain name: which of them it means, the [`Mode`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    /// `SP_EL0` … `SP_EL3`.
    Level(u8),
    /// `r13_svc`, `lr_irq`, ….
    Mode([u8; 3]),
    /// `r8_fiq`, `r8_usr`, …: only FIQ has its own.
    Fiq([u8; 3]),
    /// `MSP`.
    Main,
    /// `PSP`.
    Process,
    /// A suffix that tells nothing.
    Other,
}

impl Bank {
    /// The plain register of a lower-case name such as `r13_svc`, `msp` or `sp_el1`, as wide as the bank is, and the bank.
    /// None for names of no bank.
    pub fn named(name: &str) -> Option<(RegisterView, Self)> {
        let (plain, suffix) = name.split_once('_').unwrap_or((name, ""));
        let mode = {
            let (word, rest) = suffix.as_bytes().split_at_checked(3).unwrap_or_default();
            bank_mode(word).filter(|_| matches!(rest.first(), None | Some(b'_')))
        };
        let level = suffix.strip_prefix("el").and_then(|level| level.parse::<u8>().ok()).filter(|level| *level < 4);
        let stack = RegisterView::new(RegisterId::SP, 0, 4);
        Some(match (plain, mode) {
            ("msp", _) => (stack, Self::Main),
            ("psp", _) => (stack, Self::Process),
            ("sp", _) if level.is_some() => (RegisterView::new(RegisterId::SP, 0, 8), Self::Level(level?)),
            ("sp" | "r13", mode) => (stack, mode.map_or(Self::Other, Self::Mode)),
            ("lr" | "r14", Some(mode)) => (RegisterView::new(RegisterId::LR, 0, 4), Self::Mode(mode)),
            ("r14", None) => (RegisterView::new(RegisterId::LR, 0, 4), Self::Other),
            (plain, Some(mode)) if plain.starts_with('r') => {
                let view = Registers::view(plain, InstructionSet::A32)?;
                (view, if view.register.0 < 8 { Self::Other } else { Self::Fiq(mode) })
            }
            _ => return None,
        })
    }

    /// True unless the mode says that the plain name means another bank.
    pub fn is_in_use(self, mode: Mode) -> bool {
        match (self, mode) {
            (Self::Level(bank), Mode::Level { level, has_own_stack }) => bank == if has_own_stack { level } else { 0 },
            (Self::Level(_), Mode::Banked(_) | Mode::Handler) => false,
            (Self::Mode(bank), Mode::Banked(mode)) => bank == mode,
            (Self::Fiq(bank), Mode::Banked(mode)) => (bank == *b"fiq") == (mode == *b"fiq"),
            (Self::Mode(_) | Self::Fiq(_) | Self::Main | Self::Process, Mode::Level { .. }) => false,
            (Self::Process, Mode::Handler) => false,
            _ => true,
        }
    }
}

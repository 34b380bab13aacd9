//! Processor mode at an instruction: decides which registers plain names denote.
//!
//! Several registers may share a plain name: banks, of which the mode selects one, or cells of
//! register windows. Their numbers and rules belong to the architecture.

use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Processor mode of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A processor with exception levels: `EL1h`, `EL0t`.
    Level {
        /// Exception level, 0 to 3.
        level: u8,
        /// True if the stack pointer is that of the level, false if it is that of level 0.
        has_own_stack: bool,
    },
    /// A processor with banks for its modes, by the word of the mode: `svc`. Modes that share all
    /// registers have one word.
    Banked([u8; 3]),
    /// A processor that distinguishes only handlers from other code, in an exception handler.
    Handler(SecurityState),
    /// A processor with register windows.
    Window {
        /// Current window, less than `count`. Its outs are the ins of the next one.
        current: u8,
        /// Number of windows: 3 to 32.
        count: u8,
        /// Current set of globals: 0 to 7.
        globals: u8,
    },
    /// Such a processor, outside exception handlers.
    Thread(SecurityState, ThreadStack),
    /// No mode word, or one without influence on registers.
    #[default]
    Other,
    /// Mode of a line whose thread's steps are elsewhere in the text: their modes apply, not the
    /// surrounding text.
    Untold,
}

/// Stack pointer in use outside exception handlers, which mode words do not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadStack {
    /// The one that handlers also use.
    Main,
    /// The one of processes.
    Process,
    /// Unknown: either one.
    Unsaid,
}

/// Security state of a processor; each has its own stack pointers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityState {
    /// The trace does not distinguish states: mode words and register names have no suffix.
    #[default]
    Undivided,
    /// `_s`.
    Secure,
    /// `_ns`.
    NonSecure,
    /// Unknown: one of the two states.
    Unsaid,
}

impl SecurityState {
    /// Returns the suffix of register names; none if the state is unknown or not distinguished.
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Secure => Some("_s"),
            Self::NonSecure => Some("_ns"),
            Self::Undivided | Self::Unsaid => None,
        }
    }
}

impl Mode {
    /// Returns true if the mode decides which register a plain name denotes.
    pub fn tells(self, plain: RegisterId) -> bool {
        match self {
            Self::Other | Self::Untold => false,
            Self::Thread(_, ThreadStack::Unsaid)
            | Self::Handler(SecurityState::Unsaid)
            | Self::Thread(SecurityState::Unsaid, _) => plain != RegisterId::SP,
            _ => true,
        }
    }

    /// Returns true for a mode with register windows.
    pub const fn has_windows(self) -> bool {
        matches!(self, Self::Window { .. })
    }

    /// Returns true if exceptions in this mode may push registers automatically.
    pub fn may_have_frames(self) -> bool {
        matches!(
            self,
            Self::Handler(_) | Self::Thread(..) | Self::Other | Self::Untold
        )
    }

    /// Returns the security state; undivided for modes without one.
    pub fn security(self) -> SecurityState {
        match self {
            Self::Handler(security) | Self::Thread(security, _) => security,
            _ => SecurityState::Undivided,
        }
    }

    /// Returns the mode with its security state replaced; unchanged for modes without one.
    #[must_use]
    pub fn in_security(self, security: SecurityState) -> Self {
        match self {
            Self::Handler(_) => Self::Handler(security),
            Self::Thread(_, stack) => Self::Thread(security, stack),
            mode => mode,
        }
    }

    /// Returns the mode outside handlers with its stack pointer replaced; other modes unchanged.
    #[must_use]
    pub fn in_stack(self, stack: ThreadStack) -> Self {
        match self {
            Self::Thread(security, _) => Self::Thread(security, stack),
            mode => mode,
        }
    }

    /// Combines the mode read from a status register with the mode known before. The register does
    /// not contain the security state, so that is kept, except across exception entry or return.
    #[must_use]
    pub fn stated_after(self, before: Self) -> Self {
        let is_same_kind = matches!(
            (self, before),
            (Self::Handler(_), Self::Handler(_)) | (Self::Thread(..), Self::Thread(..))
        );
        match before.security() {
            SecurityState::Undivided => self,
            security if is_same_kind => self.in_security(security),
            _ => self.in_security(SecurityState::Unsaid),
        }
    }
}

/// State that decides how instructions decode and what register names denote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExecutionState {
    /// Instruction set.
    pub set: InstructionSet,
    /// Mode, which selects the banks.
    pub mode: Mode,
}

impl ExecutionState {
    /// Combines the state read from a status register with the state known before; see
    /// [`Mode::stated_after`].
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let mode = before.map_or(self.mode, |before| self.mode.stated_after(before.mode));
        Self { mode, ..self }
    }

    /// Returns the state in which no bank is selected.
    #[must_use]
    pub fn without_mode(self) -> Self {
        Self {
            mode: Mode::Other,
            ..self
        }
    }
}

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
    /// The stack pointer of an exception level: `sp_el0`.
    Level(u8),
    /// The stack pointer of a mode: `r13_svc`.
    Mode([u8; 3]),
    /// The link register of a mode: `r14_svc`.
    Link([u8; 3]),
    /// A general register of a mode: `r8_fiq`.
    General([u8; 3]),
    /// The stack pointer of handlers: `msp`.
    Main(SecurityState),
    /// The stack pointer of processes: `psp`.
    Process(SecurityState),
    /// A suffix that selects nothing.
    Other,
}

/// A register of the other execution state that holds the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterAlias {
    /// The register as the other state names it.
    pub register: RegisterId,
    /// The mode in which that name denotes this register.
    pub mode: Mode,
}

/// Change of the register windows by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowChange {
    /// Moves to the next window, as `save` does.
    Save,
    /// Moves back to the previous window, as `restore` and `return` do.
    Restore,
    /// Stores all other windows in use; they are loaded from memory when control returns to them.
    Flush,
    /// Selects the window or the set of globals by a number in a register.
    Choice,
}

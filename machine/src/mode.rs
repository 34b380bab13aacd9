//! Processor mode at an instruction: decides which registers plain names denote.
//!
//! Banked registers: several registers share a plain name, and the processor mode selects one of
//! them.
//!
//! Values of the registers that select between two stack pointers.

use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Processor mode of an instruction, parsed from the mode word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// AArch64; `h` uses the stack pointer of the exception level, `t` uses `SP_EL0`.
    Level {
        /// Exception level, 0 to 3.
        level: u8,
        /// True for `h`.
        has_own_stack: bool,
    },
    /// AArch32 other than M-profile; `sys` is represented as `usr`, with which it shares all
    /// registers.
    Banked([u8; 3]),
    /// M-profile, in an exception handler.
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
    /// M-profile, outside exception handlers.
    Thread(SecurityState, ThreadStack),
    /// No mode word, or one without influence on registers.
    #[default]
    Other,
    /// Mode of a line whose thread's steps are elsewhere in the text: their modes apply, not the
    /// surrounding text.
    Untold,
}

/// Stack pointer of `thread` mode, which mode words do not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadStack {
    /// `MSP`.
    Main,
    /// `PSP`.
    Process,
    /// Unknown: either one.
    Unsaid,
}

/// Security state of M-profile; each has its own stack pointers (DDI 0553, B3.1 and B3.15).
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

    /// Returns the state from the suffix of a word such as `thread_ns` or `msp_s`, in any case.
    pub fn of(word: &[u8]) -> Self {
        let suffix = word
            .iter()
            .rposition(|byte| *byte == b'_')
            .and_then(|at| word.get(at..));
        match suffix {
            Some([_, b's' | b'S']) => Self::Secure,
            Some([_, b'n' | b'N', b's' | b'S']) => Self::NonSecure,
            _ => Self::Undivided,
        }
    }

    /// Returns true unless a bank of this state belongs to the other state than `mode`. A name
    /// without suffix, on a line that states no security state, means the Secure register, as at
    /// reset.
    pub fn may_be_of(self, mode: Self) -> bool {
        !matches!(
            (self, mode),
            (Self::Secure | Self::Undivided, Self::NonSecure) | (Self::NonSecure, Self::Secure)
        )
    }
}

impl Mode {
    /// Parses a mode word such as `EL3h_s` or `svc_s`.
    pub fn of(word: &[u8]) -> Self {
        let lower = |place: usize| word.get(place).map_or(0, u8::to_ascii_lowercase);
        match [lower(0), lower(1), lower(2), lower(3)] {
            [b'e', b'l', level @ b'0'..=b'3', stack @ (b'h' | b't')] => Self::Level {
                level: level & 3,
                has_own_stack: stack == b'h',
            },
            [first, second, third, 0 | b'_'] => {
                bank_mode(&[first, second, third]).map_or(Self::Other, Self::Banked)
            }
            [b'h', b'a', b'n', b'd'] | [b'h', b'n', b'd', b'l'] => {
                Self::Handler(SecurityState::of(word))
            }
            [b't', b'h', b'r', b'e' | b'd'] => {
                Self::Thread(SecurityState::of(word), ThreadStack::Unsaid)
            }
            _ => Self::Other,
        }
    }

    /// Returns the mode for a value of the M-profile CONTROL register, of which `lowest_byte` is
    /// none if unknown. Bit 1 (SPSEL) selects the stack pointer of `thread` mode (DDI 0553,
    /// CONTROL). Handlers always use the main one.
    pub fn with_control(self, lowest_byte: Option<u8>) -> Self {
        match self {
            Self::Thread(security, _) => {
                let stack = match lowest_byte.map(|byte| byte >> 1 & 1) {
                    Some(0) => ThreadStack::Main,
                    Some(_) => ThreadStack::Process,
                    None => ThreadStack::Unsaid,
                };
                Self::Thread(security, stack)
            }
            mode => mode,
        }
    }

    /// Returns true if exceptions in this mode may push registers automatically, as on M-profile.
    pub fn may_have_frames(self) -> bool {
        matches!(
            self,
            Self::Handler(_) | Self::Thread(..) | Self::Other | Self::Untold
        )
    }

    /// Returns the M-profile security state; undivided for all other modes.
    pub fn security(self) -> SecurityState {
        match self {
            Self::Handler(security) | Self::Thread(security, _) => security,
            _ => SecurityState::Undivided,
        }
    }

    /// Returns the M-profile mode with its security state replaced.
    #[must_use]
    pub fn in_security(self, security: SecurityState) -> Self {
        match self {
            Self::Handler(_) => Self::Handler(security),
            Self::Thread(_, stack) => Self::Thread(security, stack),
            mode => mode,
        }
    }

    /// Combines the mode read from a status register with the mode known before. The register does
    /// not contain the security state (DDI 0553, XPSR), so that is kept, except across exception
    /// entry or return.
    #[must_use]
    pub fn told_after(self, before: Self) -> Self {
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
    /// [`Mode::told_after`].
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let mode = before.map_or(self.mode, |before| self.mode.told_after(before.mode));
        Self { mode, ..self }
    }
}

/// Returns the AArch32 mode of a mode word, for modes with banked registers.
pub fn bank_mode(word: &[u8]) -> Option<[u8; 3]> {
    let mode = <[u8; 3]>::try_from(word).ok()?;
    match &mode {
        b"sys" => Some(*b"usr"),
        b"usr" | b"svc" | b"irq" | b"fiq" | b"abt" | b"und" | b"mon" | b"hyp" => Some(mode),
        _ => None,
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

/// A register that selects a stack pointer: `control`, `control_s`, `control_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackChoice {
    /// Register number in the trace.
    pub register: RegisterId,
    /// Security state that it applies to.
    pub security: SecurityState,
}

/// The latest value of each such register; there may be one per security state.
///
/// ```
/// use stepback_machine::{Mode, RegisterId, SecurityState, StackChoice, StackChoices, ThreadStack};
/// let choice = |register, security| StackChoice { register: RegisterId(register), security };
/// let mut choices = StackChoices::default();
/// choices.note(choice(200, SecurityState::Secure), Some(2));
/// choices.note(choice(201, SecurityState::NonSecure), Some(0));
/// let chosen = |word: &[u8]| choices.chosen(Mode::of(word));
/// assert_eq!(chosen(b"thread_s"), Mode::Thread(SecurityState::Secure, ThreadStack::Process));
/// assert_eq!(chosen(b"thread_ns"), Mode::Thread(SecurityState::NonSecure, ThreadStack::Main));
/// // Without a security state, either register could apply.
/// assert_eq!(chosen(b"thread"), Mode::Thread(SecurityState::Undivided, ThreadStack::Unsaid));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackChoices(Vec<(StackChoice, Option<u8>)>);

impl StackChoices {
    /// Records the lowest byte of a register's new value; none if the trace does not state it.
    pub fn note(&mut self, choice: StackChoice, lowest_byte: Option<u8>) {
        self.0
            .retain(|(known, _)| known.register != choice.register);
        self.0.push((choice, lowest_byte));
    }

    /// Returns an M-profile mode with the stack pointer that the registers select.
    pub fn chosen(&self, mode: Mode) -> Mode {
        mode.with_control(self.lowest_byte(mode.security()))
    }

    /// Returns the value that applies in a security state; none unless all candidates agree.
    fn lowest_byte(&self, security: SecurityState) -> Option<u8> {
        let is_own = |known: &StackChoice| known.security == security;
        let has_own = self.0.iter().any(|(known, _)| is_own(known));
        let is_meant = |known: &StackChoice| match security {
            SecurityState::Secure | SecurityState::NonSecure if has_own => is_own(known),
            _ => known.security.may_be_of(security),
        };
        let mut bytes = self
            .0
            .iter()
            .filter(|(known, _)| is_meant(known))
            .map(|(_, byte)| *byte);
        let first = bytes.next()?;
        let choice = |byte: Option<u8>| byte.map(|byte| byte >> 1 & 1);
        bytes
            .all(|byte| choice(byte) == choice(first))
            .then_some(first)?
    }
}

//! The mode of the processor at an instruction, as far as it decides which registers plain names mean.

use crate::set::InstructionSet;

/// The mode of an instruction, by its mode word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// AArch64; `h` uses the stack pointer of the level, `t` that of EL0.
    Level {
        /// 0 to 3.
        level: u8,
        /// True for `h`.
        has_own_stack: bool,
    },
    /// AArch32 other than M-profile; `sys` counts as `usr`, whose registers it uses.
    Banked([u8; 3]),
    /// M-profile, in an exception handler.
    Handler(SecurityState),
    /// A processor with register windows.
    Window {
        /// The window in use; less than `count`. Its outs are the ins of the next.
        current: u8,
        /// How many there are: 3 to 32.
        count: u8,
        /// The set of globals in use: 0 to 7.
        globals: u8,
    },
    /// M-profile, outside of exception handlers.
    Thread(SecurityState, ThreadStack),
    /// No word, or one that decides nothing.
    #[default]
    Other,
    /// That of a line whose thread's steps stand elsewhere: their modes decide, not the text around.
    Untold,
}

/// The stack pointer of `thread` mode, which no mode word tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadStack {
    /// `MSP`.
    Main,
    /// `PSP`.
    Process,
    /// Either.
    Unsaid,
}

/// The security state of M-profile, each with its own stack pointers (DDI 0553, B3.1 and B3.15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityState {
    /// The trace makes no difference: mode words and register names have no suffix.
    #[default]
    Undivided,
    /// `_s`.
    Secure,
    /// `_ns`.
    NonSecure,
    /// One of the two, and nothing says which.
    Unsaid,
}

impl SecurityState {
    /// The suffix of register names; none where the state is not known.
    pub fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Secure => Some("_s"),
            Self::NonSecure => Some("_ns"),
            Self::Undivided | Self::Unsaid => None,
        }
    }

    /// The state that a word ends with: `thread_ns`, `msp_s`. Letters in either case.
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

    /// Returns true unless a bank of this state belongs to the other state than `mode`.
    /// A register without a suffix that a line outside of both states named is the Secure one, as at reset.
    pub fn may_be_of(self, mode: Self) -> bool {
        !matches!(
            (self, mode),
            (Self::Secure | Self::Undivided, Self::NonSecure) | (Self::NonSecure, Self::Secure)
        )
    }
}

impl Mode {
    /// The mode that a word such as `EL3h_s` or `svc_s` names.
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

    /// The same where CONTROL of M-profile holds a value, or nobody knows which: bit 1 (SPSEL) chooses the stack pointer
    /// of `thread` mode (DDI 0553, CONTROL). That of a handler is always the main one.
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

    /// Whether exceptions may store registers by themselves in this mode: those of M-profile do.
    pub fn may_have_frames(self) -> bool {
        matches!(
            self,
            Self::Handler(_) | Self::Thread(..) | Self::Other | Self::Untold
        )
    }

    /// The security state of M-profile; undivided for all other modes.
    pub fn security(self) -> SecurityState {
        match self {
            Self::Handler(security) | Self::Thread(security, _) => security,
            _ => SecurityState::Undivided,
        }
    }

    /// The same mode of M-profile in a security state.
    #[must_use]
    pub fn in_security(self, security: SecurityState) -> Self {
        match self {
            Self::Handler(_) => Self::Handler(security),
            Self::Thread(_, stack) => Self::Thread(security, stack),
            mode => mode,
        }
    }

    /// The mode that a status register tells, after a mode that a mode word or status told before.
    /// The register does not hold the security state (DDI 0553, XPSR): it stays, unless an exception begins or ends.
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

/// What decides what register names mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExecutionState {
    /// How instructions decode.
    pub set: InstructionSet,
    /// Which banks are in use.
    pub mode: Mode,
}

impl ExecutionState {
    /// The state that a status register tells, after the one that was known before; see [`Mode::told_after`].
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let mode = before.map_or(self.mode, |before| self.mode.told_after(before.mode));
        Self { mode, ..self }
    }
}

/// A mode of AArch32 that has registers of its own.
pub fn bank_mode(word: &[u8]) -> Option<[u8; 3]> {
    let mode = <[u8; 3]>::try_from(word).ok()?;
    match &mode {
        b"sys" => Some(*b"usr"),
        b"usr" | b"svc" | b"irq" | b"fiq" | b"abt" | b"und" | b"mon" | b"hyp" => Some(mode),
        _ => None,
    }
}

//! The mode of the processor at an instruction, as far as it decides which registers plain names mean.

use crate::set::InstructionSet;

/// The mode of an instruction, by its mode word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    Handler,
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
    Thread(ThreadStack),
    /// No word, or one that decides nothing.
    #[default]
    Other,
    /// That of a line whose thread's steps stand elsewhere: their modes decide, not the text around.
    Untold,
}

/// The stack pointer of `thread` mode, which no mode word tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadStack {
    /// `MSP`.
    Main,
    /// `PSP`.
    Process,
    /// Either.
    Unsaid,
}

impl Mode {
    /// The mode that a word such as `EL3h_s` or `svc_s` names.
    pub fn of(word: &[u8]) -> Self {
        let lower = |place: usize| word.get(place).map_or(0, u8::to_ascii_lowercase);
        match [lower(0), lower(1), lower(2), lower(3)] {
            [b'e', b'l', level @ b'0'..=b'3', stack @ (b'h' | b't')] => {
                Self::Level { level: level & 3, has_own_stack: stack == b'h' }
            }
            [first, second, third, 0 | b'_'] => bank_mode(&[first, second, third]).map_or(Self::Other, Self::Banked),
            [b'h', b'a', b'n', b'd'] => Self::Handler,
            [b't', b'h', b'r', b'e'] => Self::Thread(ThreadStack::Unsaid),
            _ => Self::Other,
        }
    }

    /// The same where CONTROL of M-profile holds a value, or nobody knows which: bit 1 (SPSEL) chooses the stack pointer
    /// of `thread` mode (DDI 0553, CONTROL). That of a handler is always the main one.
    pub fn with_control(self, lowest_byte: Option<u8>) -> Self {
        match self {
            Self::Thread(_) => Self::Thread(match lowest_byte.map(|byte| byte >> 1 & 1) {
                Some(0) => ThreadStack::Main,
                Some(_) => ThreadStack::Process,
                None => ThreadStack::Unsaid,
            }),
            mode => mode,
        }
    }
}

/// What decides what register names mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// How instructions decode.
    pub set: InstructionSet,
    /// Which banks are in use.
    pub mode: Mode,
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

//! Fields of the Arm program status registers.
//!
//! Sources: Arm Architecture Reference Manual (DDI 0487, "SPSR_EL1"; DDI 0406, "The Current Program
//! Status Register"), (DDI 0553, "XPSR, Combined Program Status Registers").

use std::fmt;

use crate::mode::{ExecutionState, Mode, SecurityState, ThreadStack};
use crate::set::InstructionSet;
use crate::status::{PartialBits, StatusFlag, StatusRegister};

/// Fields of a program status register (`cpsr`, `psr`, `xpsr`, `pstate`, any `spsr_…`). A field is
/// none if the trace does not state it or the processor's profile does not have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Psr {
    /// N.
    pub negative: Option<bool>,
    /// Z.
    pub zero: Option<bool>,
    /// C.
    pub carry: Option<bool>,
    /// V.
    pub overflow: Option<bool>,
    /// Q of AArch32: saturation occurred.
    pub saturation: Option<bool>,
    /// GE of AArch32: one bit per lane.
    pub greater_equal: Option<u8>,
    /// IT of AArch32: the state of a Thumb if-then block, 0 outside.
    pub if_then: Option<u8>,
    /// T of AArch32.
    pub is_thumb: Option<bool>,
    /// E of AArch32: data accesses are big-endian.
    pub is_big_endian: Option<bool>,
    /// D of AArch64: debug exceptions are masked.
    pub masks_debug: Option<bool>,
    /// A: asynchronous aborts are masked.
    pub masks_abort: Option<bool>,
    /// I.
    pub masks_irq: Option<bool>,
    /// F.
    pub masks_fiq: Option<bool>,
    /// `EL1h`, `svc`; in M-profile `thread` or `handler`.
    pub mode: Option<&'static str>,
    /// Exception level: 0 to 3 in AArch64; in AArch32 0 in `usr`, 2 in `hyp`.
    pub exception_level: Option<u8>,
    /// Number of the exception that an M-profile handler serves; 0 in thread mode.
    pub exception: Option<u16>,
}

impl Psr {
    /// Decodes a value, least significant byte first; `None` is an unknown byte. `set` is the
    /// instruction set of the thread. Bit 24 (the T bit of xPSR) identifies M-profile.
    pub fn decode(bytes: &[Option<u8>], set: InstructionSet) -> Self {
        let bits = PartialBits(bytes);
        let flags = Self {
            negative: bits.flag(31),
            zero: bits.flag(30),
            carry: bits.flag(29),
            overflow: bits.flag(28),
            ..Self::default()
        };
        match set {
            InstructionSet::A64 if bits.flag(4) != Some(true) => flags.with_level(bits),
            InstructionSet::T32 if bits.flag(24) == Some(true) => flags.with_exception(bits),
            _ => flags.with_mode(bits),
        }
    }

    /// Decodes a value of `nzcv`: only the flags, in the lowest four bits if the value is that
    /// narrow, else at their positions in the full register.
    pub fn decode_nzcv(bytes: &[Option<u8>]) -> Self {
        let bits = PartialBits(bytes);
        let top = if bytes.len() < 4 { 3 } else { 31 };
        let flag = |place: u32| bits.flag(top - place);
        Self {
            negative: flag(0),
            zero: flag(1),
            carry: flag(2),
            overflow: flag(3),
            ..Self::default()
        }
    }

    /// Returns the condition flags by letter, in register order.
    pub fn flags(&self) -> [(char, Option<bool>); 4] {
        [
            ('n', self.negative),
            ('z', self.zero),
            ('c', self.carry),
            ('v', self.overflow),
        ]
    }

    /// Returns the exception masks by letter.
    pub fn masks(&self) -> [(char, Option<bool>); 4] {
        [
            ('d', self.masks_debug),
            ('a', self.masks_abort),
            ('i', self.masks_irq),
            ('f', self.masks_fiq),
        ]
    }

    fn with_level(self, bits: PartialBits<'_>) -> Self {
        const MODES: [Option<&str>; 16] = {
            let mut modes = [None; 16];
            modes[0] = Some("EL0t");
            modes[4] = Some("EL1t");
            modes[5] = Some("EL1h");
            modes[8] = Some("EL2t");
            modes[9] = Some("EL2h");
            modes[12] = Some("EL3t");
            modes[13] = Some("EL3h");
            modes
        };
        let mode = bits
            .field(0, 4)
            .and_then(|mode| *MODES.get(usize::from(mode))?);
        Self {
            masks_debug: bits.flag(9),
            masks_abort: bits.flag(8),
            masks_irq: bits.flag(7),
            masks_fiq: bits.flag(6),
            mode,
            exception_level: mode.and_then(|_| bits.field(2, 2)),
            ..self
        }
    }

    fn with_mode(self, bits: PartialBits<'_>) -> Self {
        let mode = bits.field(0, 5).and_then(|mode| {
            Some(match mode {
                0x10 => ("usr", Some(0)),
                0x11 => ("fiq", None),
                0x12 => ("irq", None),
                0x13 => ("svc", None),
                0x16 => ("mon", None),
                0x17 => ("abt", None),
                0x1a => ("hyp", Some(2)),
                0x1b => ("und", None),
                0x1f => ("sys", None),
                _ => return None,
            })
        });
        Self {
            is_big_endian: bits.flag(9),
            masks_abort: bits.flag(8),
            masks_irq: bits.flag(7),
            masks_fiq: bits.flag(6),
            is_thumb: bits.flag(5),
            mode: mode.map(|(name, _)| name),
            exception_level: mode.and_then(|(_, level)| level),
            ..self.with_thumb_fields(bits)
        }
    }

    fn with_exception(self, bits: PartialBits<'_>) -> Self {
        let exception = bits
            .field(0, 8)
            .zip(bits.flag(8))
            .map(|(low, high)| u16::from(low) | u16::from(high) << 8);
        Self {
            is_thumb: bits.flag(24),
            exception,
            mode: exception.map(|number| if number == 0 { "thread" } else { "handler" }),
            ..self.with_thumb_fields(bits)
        }
    }

    fn with_thumb_fields(self, bits: PartialBits<'_>) -> Self {
        let if_then = bits
            .field(10, 6)
            .zip(bits.field(25, 2))
            .map(|(high, low)| high << 2 | low);
        Self {
            saturation: bits.flag(27),
            greater_equal: bits.field(16, 4),
            if_then,
            ..self
        }
    }
}

/// Returns the state in a status value, for a thread whose last step used the given set.
///
/// Bit 4 distinguishes the execution states. Only an exception leaves AArch32, and no exception is
/// taken to EL0.
#[inline]
pub fn state_of(status: u32, set: InstructionSet) -> Option<ExecutionState> {
    if set == InstructionSet::T32 && status >> 24 & 1 == 1 {
        let is_thread = status & 0x1ff == 0;
        let security = SecurityState::Undivided;
        let mode = if is_thread {
            Mode::Thread(security, ThreadStack::Unsaid)
        } else {
            Mode::Handler(security)
        };
        return Some(ExecutionState { set, mode });
    }
    if status >> 4 & 1 == 0 {
        let (level, has_own_stack) = ((status >> 2 & 3) as u8, status & 1 == 1);
        let is_level =
            status & 2 == 0 && (level > 0 || !has_own_stack && set == InstructionSet::A64);
        return is_level.then_some(ExecutionState {
            set: InstructionSet::A64,
            mode: Mode::Level {
                level,
                has_own_stack,
            },
        });
    }
    let mode = match status & 0x1f {
        0x10 | 0x1f => *b"usr",
        0x11 => *b"fiq",
        0x12 => *b"irq",
        0x13 => *b"svc",
        0x16 => *b"mon",
        0x17 => *b"abt",
        0x1a => *b"hyp",
        0x1b => *b"und",
        _ => return None,
    };
    let set = if status >> 5 & 1 == 1 {
        InstructionSet::T32
    } else {
        InstructionSet::A32
    };
    Some(ExecutionState {
        set,
        mode: Mode::Banked(mode),
    })
}

/// Converts the register to its displayed form.
impl From<&Psr> for StatusRegister {
    fn from(psr: &Psr) -> Self {
        let word = |letter| match letter {
            'n' => "negative",
            'z' => "zero",
            'c' => "carry",
            _ => "overflow",
        };
        let flag = |(letter, is_set)| StatusFlag {
            letter,
            word: word(letter),
            is_set,
        };
        // Q exists only in AArch32.
        let saturation = psr.saturation.map(|is_set| StatusFlag {
            letter: 'q',
            word: "saturated",
            is_set: Some(is_set),
        });
        Self {
            flags: psr
                .flags()
                .into_iter()
                .map(flag)
                .chain(saturation)
                .collect(),
            flag_sets: &[],
            masks: psr
                .masks()
                .into_iter()
                .map(|(letter, is_set)| StatusFlag {
                    letter,
                    word: "",
                    is_set,
                })
                .collect(),
            mode: mode_words(psr),
            lines: status_lines(psr),
        }
    }
}

/// Returns the mode and any unusual state: `EL3h`, `svc, Thumb`, `handler 11`.
fn mode_words(psr: &Psr) -> Option<String> {
    let mode = match (psr.mode, psr.exception) {
        (Some(mode), Some(0)) => format!("{mode} mode"),
        (Some(mode), Some(number)) => format!("{mode} {number}"),
        (mode, _) => mode?.to_owned(),
    };
    // M-profile executes only Thumb.
    let is_thumb = psr.is_thumb == Some(true) && psr.exception.is_none();
    let unusual = [
        (is_thumb, "Thumb"),
        (psr.is_big_endian == Some(true), "big-endian"),
        (psr.if_then.is_some_and(|state| state != 0), "in IT block"),
    ];
    let words = unusual
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, word)| word);
    Some(
        std::iter::once(mode.as_str())
            .chain(words)
            .collect::<Vec<_>>()
            .join(", "),
    )
}

/// Returns all fields of the register, one line each.
fn status_lines(psr: &Psr) -> Vec<String> {
    let bits = [
        ("N, negative", psr.negative),
        ("Z, zero", psr.zero),
        ("C, carry", psr.carry),
        ("V, overflow", psr.overflow),
        ("Q, saturated", psr.saturation),
        ("T, Thumb", psr.is_thumb),
        ("E, big-endian data", psr.is_big_endian),
        ("D, debug exceptions masked", psr.masks_debug),
        ("A, asynchronous aborts masked", psr.masks_abort),
        ("I, interrupts masked", psr.masks_irq),
        ("F, fast interrupts masked", psr.masks_fiq),
    ];
    let bits = bits
        .into_iter()
        .filter_map(|(name, bit)| Some(format!("{name}: {}", u8::from(bit?))));
    let mode = psr.mode.map(|mode| format!("mode {mode}"));
    let level = psr
        .exception_level
        .map(|level| format!("exception level {level}"));
    let exception = psr.exception.map(|number| format!("exception {number}"));
    let lanes = psr
        .greater_equal
        .map(|lanes| format!("GE, greater or equal by lane: {lanes:04b}"));
    let block = psr
        .if_then
        .map(|state| format!("IT, state of the if-then block: {state:08b}"));
    mode.into_iter()
        .chain(level)
        .chain(exception)
        .chain(bits)
        .chain(lanes)
        .chain(block)
        .collect()
}

/// Formats the flags, the mode, and the other bits that are set: `nZCv svc Thumb AIF`.
impl fmt::Display for Psr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, is_set) in self.flags() {
            let shown = match is_set {
                Some(true) => letter.to_ascii_uppercase(),
                Some(false) => letter,
                None => '?',
            };
            write!(f, "{shown}")?;
        }
        if self.saturation == Some(true) {
            write!(f, " Q")?;
        }
        if let Some(mode) = self.mode {
            write!(f, " {mode}")?;
        }
        if let Some(number) = self.exception.filter(|number| *number > 0) {
            write!(f, " {number}")?;
        }
        if self.is_thumb == Some(true) && self.exception.is_none() {
            write!(f, " Thumb")?;
        }
        if self.is_big_endian == Some(true) {
            write!(f, " BE")?;
        }
        let masks: String = self
            .masks()
            .iter()
            .filter(|(_, is_set)| *is_set == Some(true))
            .map(|(letter, _)| letter.to_ascii_uppercase())
            .collect();
        if masks.is_empty() {
            Ok(())
        } else {
            write!(f, " {masks}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: u32, set: InstructionSet, expected: &str) {
        let psr = Psr::decode(&value.to_le_bytes().map(Some), set);
        assert_eq!(psr.to_string(), expected, "{value:08x}");
    }

    #[test]
    fn flags_and_mode_of_each_profile() {
        use InstructionSet::{A32, A64, T32};
        check(0x6000_03cd, A64, "nZCv EL3h DAIF");
        check(0x9000_0000, A64, "NzcV EL0t");
        check(0x0000_0005, A64, "nzcv EL1h");
        check(0x0000_0007, A64, "nzcv");
        check(0x2000_01d3, A32, "nzCv svc AIF");
        check(0x0800_0230, T32, "nzcv Q usr Thumb BE");
        check(0x0000_0010, A64, "nzcv usr");
        check(0x4100_0000, T32, "nZcv thread");
        check(0x0100_000f, T32, "nzcv handler 15");
        check(0x0100_0133, T32, "nzcv handler 307");
        check(0x0000_001a, A32, "nzcv hyp");
    }

    #[test]
    fn the_state_is_that_of_the_words_for_the_mode() {
        use InstructionSet::{A32, A64, T32};
        for set in [A64, A32, T32] {
            let of_m_profile = (0..0x400)
                .map(|low| 0x0100_0000 | low)
                .filter(|_| set == T32);
            for status in (0..0x400u32).chain(of_m_profile) {
                let state = state_of(status, set);
                let stated = state.map_or(set, |state| state.set);
                let word = Psr::decode(&status.to_le_bytes().map(Some), stated).mode;
                let of_word = word.map(|word| Mode::of(word.as_bytes()));
                assert!(
                    state.is_none() || state.map(|state| state.mode) == of_word,
                    "{status:x} {set:?}"
                );
            }
        }
        let state = |status, set| state_of(status, set).map(|state| (state.set, state.mode));
        assert_eq!(state(0x1d2, A32), Some((A32, Mode::Banked(*b"irq"))));
        assert_eq!(state(0x6000_01f3, A32), Some((T32, Mode::Banked(*b"svc"))));
        assert_eq!(
            state(0x3c5, A32),
            Some((
                A64,
                Mode::Level {
                    level: 1,
                    has_own_stack: true
                }
            ))
        );
        assert_eq!(state(0x10, A64), Some((A32, Mode::Banked(*b"usr"))));
        assert_eq!(
            state(0x6000_0000, A64),
            Some((
                A64,
                Mode::Level {
                    level: 0,
                    has_own_stack: false
                }
            ))
        );
        assert_eq!(state(0x6000_0000, A32), None);
        assert_eq!(
            (state(0x0100_000f, T32), state(0x0100_0000, T32)),
            (
                Some((T32, Mode::of(b"handler"))),
                Some((T32, Mode::of(b"thread")))
            )
        );
    }

    #[test]
    fn fields_that_are_spread_are_put_together() {
        let psr = Psr::decode(&0x060a_fc30u32.to_le_bytes().map(Some), InstructionSet::T32);
        assert_eq!((psr.if_then, psr.greater_equal), (Some(0xff), Some(0xa)));
        assert_eq!((psr.exception_level, psr.is_thumb), (Some(0), Some(true)));
    }

    #[test]
    fn an_unknown_byte_costs_its_fields_alone() {
        let psr = Psr::decode(&[None, None, None, Some(0x60)], InstructionSet::A64);
        assert_eq!(psr.to_string(), "nZCv");
        assert_eq!((psr.mode, psr.exception_level), (None, None));
        assert_eq!(Psr::decode(&[], InstructionSet::A32).to_string(), "????");
        assert_eq!(
            Psr::decode(&[Some(0xcd)], InstructionSet::A64).to_string(),
            "???? EL3h IF"
        );
    }

    #[test]
    fn the_flags_alone_are_a_register_too() {
        assert_eq!(Psr::decode_nzcv(&[Some(6)]).to_string(), "nZCv");
        assert_eq!(
            Psr::decode_nzcv(&0x8000_0000u64.to_le_bytes().map(Some)).to_string(),
            "Nzcv"
        );
    }

    fn status(value: u32, set: InstructionSet) -> StatusRegister {
        StatusRegister::from(&Psr::decode(&value.to_le_bytes().map(Some), set))
    }

    #[test]
    fn flags_and_mode_are_spelled_out() {
        let el3 = status(0x6000_03cd, InstructionSet::A64);
        assert_eq!(
            (el3.set_words().collect::<Vec<_>>(), el3.mode.as_deref()),
            (vec!["zero", "carry"], Some("EL3h"))
        );
        assert_eq!(
            status(0x33, InstructionSet::T32).mode.as_deref(),
            Some("svc, Thumb")
        );
        assert_eq!(
            status(0x213, InstructionSet::A32).mode.as_deref(),
            Some("svc, big-endian")
        );
        assert_eq!(
            status(0x0100_000b, InstructionSet::T32).mode.as_deref(),
            Some("handler 11")
        );
        assert_eq!(
            StatusRegister::from(&Psr::decode(&[None; 4], InstructionSet::A64)).mode,
            None
        );
    }

    #[test]
    fn a_field_that_the_profile_does_not_have_has_no_line() {
        let lines = status(0x6000_03cd, InstructionSet::A64).lines.join("\n");
        assert!(
            lines.contains("C, carry: 1") && lines.contains("exception level 3"),
            "{lines}"
        );
        assert!(!lines.contains("Thumb") && !lines.contains("GE"), "{lines}");
        let lines = status(0x000f_0033, InstructionSet::T32).lines.join("\n");
        assert!(
            lines.contains("T, Thumb: 1") && lines.contains("GE, greater or equal by lane: 1111"),
            "{lines}"
        );
    }
}

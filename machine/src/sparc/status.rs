//! The status register: condition codes and current window, decoded for display ([`status`]; The
//! SPARC Architecture Manual, Version 9, 5.2.5 and 5.2.11), and the condition codes that a
//! condition tests ([`of_condition`]; 5.2.1 and 6.3.4).

use crate::mode::Mode;
use crate::sparc::windows::of_window_status;
use crate::status::{PartialBits, StatusFlag, StatusRegister};

/// First bit of the condition codes: `icc`, then `xcc`.
const CONDITIONS: u32 = 32;

const LETTERS: [(char, &str, &str); 4] = [
    ('n', "negative", "xcc negative"),
    ('z', "zero", "xcc zero"),
    ('v', "overflow", "xcc overflow"),
    ('c', "carry", "xcc carry"),
];

/// Decodes the status register: `icc` before `xcc`.
pub fn status(bytes: &[Option<u8>]) -> StatusRegister {
    let bits = PartialBits(bytes);
    let codes = |first: u32, is_wide: bool| {
        (0u32..)
            .zip(LETTERS)
            .map(move |(place, (letter, word, wide_word))| StatusFlag {
                letter,
                word: if is_wide { wide_word } else { word },
                is_set: bits.flag(CONDITIONS + first + 3 - place),
            })
    };
    let mode = window_words(bytes);
    let lines = codes(0, false).chain(codes(4, true)).filter_map(|flag| {
        let set = if flag.word.starts_with("xcc") {
            "xcc"
        } else {
            "icc"
        };
        let word = flag.word.trim_start_matches("xcc ");
        Some(format!(
            "{set}.{}, {word}: {}",
            flag.letter,
            u8::from(flag.is_set?)
        ))
    });
    StatusRegister {
        flags: codes(0, false).chain(codes(4, true)).collect(),
        flag_sets: &["icc", "xcc"],
        masks: Vec::new(),
        lines: mode.iter().cloned().chain(lines).collect(),
        mode,
    }
}

/// Formats `window 3 of 8`, with the set of globals if it is not the first.
fn window_words(bytes: &[Option<u8>]) -> Option<String> {
    let [a, b, c, d] = *bytes.first_chunk()?;
    let Mode::Window {
        current,
        count,
        globals,
    } = of_window_status(u32::from_le_bytes([a?, b?, c?, d?]))?
    else {
        return None;
    };
    let globals = if globals > 0 {
        format!(", globals {globals}")
    } else {
        String::new()
    };
    Some(format!("window {current} of {count}{globals}"))
}

/// The set of condition codes that a condition tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionCodeSet {
    /// `%icc`, for 32 bits.
    Narrow,
    /// `%xcc`, for 64 bits.
    Wide,
}

impl ConditionCodeSet {
    /// Returns the set that an encoding bit selects.
    pub fn of(is_wide: u32) -> Self {
        if is_wide == 0 {
            Self::Narrow
        } else {
            Self::Wide
        }
    }

    /// Returns the position of the codes in the status register.
    const fn place(self) -> u32 {
        match self {
            Self::Narrow => 32,
            Self::Wide => 36,
        }
    }
}

/// 32-bit carry, an input of ADDC and SUBC.
pub const CARRY: u64 = 1 << ConditionCodeSet::Narrow.place();
/// 32-bit negative and overflow, inputs of MULScc.
pub const SIGN: u64 = 0b1010 << ConditionCodeSet::Narrow.place();

/// Returns the codes that a condition tests, from its four-bit code; the highest bit only inverts
/// it.
pub fn of_condition(code: u32, codes: ConditionCodeSet) -> u64 {
    const C: u64 = 1;
    const V: u64 = 2;
    const Z: u64 = 4;
    const N: u64 = 8;
    let looked_at = match code & 7 {
        1 => Z,
        2 => Z | N | V,
        3 => N | V,
        4 => C | Z,
        5 => C,
        6 => N,
        7 => V,
        _ => 0,
    };
    looked_at << codes.place()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_window_are_spelled_out() {
        let stated = status(&[3, 8, 1, 0, 0x49].map(Some));
        assert_eq!(stated.mode.as_deref(), Some("window 3 of 8, globals 1"));
        assert_eq!(
            stated.set_words().collect::<Vec<_>>(),
            ["negative", "carry", "xcc zero"]
        );
        assert_eq!(stated.lines.len(), 9);
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let stated = status(&[None, None, None, None, Some(4)]);
        assert_eq!((stated.mode, stated.flags.len()), (None, 8));
        let stated = status(&[Some(1), Some(8), Some(0), Some(0), None]);
        assert_eq!(stated.mode.as_deref(), Some("window 1 of 8"));
        assert!(stated.flags.iter().all(|flag| flag.is_set.is_none()));
        assert_eq!(status(&[]).mode, None);
    }
}

//! Condition codes and current window (The SPARC Architecture Manual, Version 9, 5.2.5 and 5.2.11).

use crate::mode::Mode;
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
    } = Mode::of_window_status(u32::from_le_bytes([a?, b?, c?, d?]))?
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_window_are_spelled_out() {
        let told = status(&[3, 8, 1, 0, 0x49].map(Some));
        assert_eq!(told.mode.as_deref(), Some("window 3 of 8, globals 1"));
        assert_eq!(
            told.set_words().collect::<Vec<_>>(),
            ["negative", "carry", "xcc zero"]
        );
        assert_eq!(told.lines.len(), 9);
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let told = status(&[None, None, None, None, Some(4)]);
        assert_eq!((told.mode, told.flags.len()), (None, 8));
        let told = status(&[Some(1), Some(8), Some(0), Some(0), None]);
        assert_eq!(told.mode.as_deref(), Some("window 1 of 8"));
        assert!(told.flags.iter().all(|flag| flag.is_set.is_none()));
        assert_eq!(status(&[]).mode, None);
    }
}

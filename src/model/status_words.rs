//! What the program status register says, in words.

use stepback_machine::Psr;

/// The names of the condition flags that are set: `carry`, `negative, overflow`.
pub fn flag_words(psr: &Psr) -> String {
    let flags = [
        (psr.negative, "negative"),
        (psr.zero, "zero"),
        (psr.carry, "carry"),
        (psr.overflow, "overflow"),
        (psr.saturation, "saturated"),
    ];
    let set = flags.into_iter().filter(|(is_set, _)| *is_set == Some(true)).map(|(_, word)| word);
    set.collect::<Vec<_>>().join(", ")
}

/// The mode, and what makes the state unusual: `EL3h`, `svc, Thumb`, `handler 11`.
pub fn mode_words(psr: &Psr) -> Option<String> {
    let mode = match (psr.mode, psr.exception) {
        (Some(mode), Some(0)) => format!("{mode} mode"),
        (Some(mode), Some(number)) => format!("{mode} {number}"),
        (mode, _) => mode?.to_owned(),
    };
    // M-profile knows nothing but Thumb.
    let is_thumb = psr.is_thumb == Some(true) && psr.exception.is_none();
    let unusual = [
        (is_thumb, "Thumb"),
        (psr.is_big_endian == Some(true), "big-endian"),
        (psr.if_then.is_some_and(|state| state != 0), "in IT block"),
    ];
    let words = unusual.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word);
    Some(std::iter::once(mode.as_str()).chain(words).collect::<Vec<_>>().join(", "))
}

/// Every field that the register has, a line each.
pub fn status_lines(psr: &Psr) -> Vec<String> {
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
    let bits = bits.into_iter().filter_map(|(name, bit)| Some(format!("{name}: {}", u8::from(bit?))));
    let mode = psr.mode.map(|mode| format!("mode {mode}"));
    let level = psr.exception_level.map(|level| format!("exception level {level}"));
    let exception = psr.exception.map(|number| format!("exception {number}"));
    let lanes = psr.greater_equal.map(|lanes| format!("GE, greater or equal by lane: {lanes:04b}"));
    let block = psr.if_then.map(|state| format!("IT, state of the if-then block: {state:08b}"));
    mode.into_iter().chain(level).chain(exception).chain(bits).chain(lanes).chain(block).collect()
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;

    fn psr(value: u32, set: InstructionSet) -> Psr {
        Psr::decode(&value.to_le_bytes().map(Some), set)
    }

    #[test]
    fn flags_and_mode_are_spelled_out() {
        let el3 = psr(0x6000_03cd, InstructionSet::A64);
        assert_eq!((flag_words(&el3), mode_words(&el3).as_deref()), ("zero, carry".to_owned(), Some("EL3h")));
        assert_eq!(mode_words(&psr(0x33, InstructionSet::T32)).as_deref(), Some("svc, Thumb"));
        assert_eq!(mode_words(&psr(0x213, InstructionSet::A32)).as_deref(), Some("svc, big-endian"));
        assert_eq!(mode_words(&psr(0x0100_000b, InstructionSet::T32)).as_deref(), Some("handler 11"));
        assert_eq!(mode_words(&Psr::decode(&[None; 4], InstructionSet::A64)), None);
    }

    #[test]
    fn a_field_that_the_profile_does_not_have_has_no_line() {
        let lines = status_lines(&psr(0x6000_03cd, InstructionSet::A64)).join("\n");
        assert!(lines.contains("C, carry: 1") && lines.contains("exception level 3"), "{lines}");
        assert!(!lines.contains("Thumb") && !lines.contains("GE"), "{lines}");
        let lines = status_lines(&psr(0x000f_0033, InstructionSet::T32)).join("\n");
        assert!(lines.contains("T, Thumb: 1") && lines.contains("GE, greater or equal by lane: 1111"), "{lines}");
    }
}

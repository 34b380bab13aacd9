//! Branch targets, by the disassembly.

use stepback_machine::{Address, InstructionSet};

/// Returns the target of a branch that names an address; none for branches through registers and
/// for other instructions.
///
/// `pc` is the address of the instruction: `{pc}+8` counts from there in all instruction sets.
pub fn branch_target(text: &str, pc: Address, set: InstructionSet) -> Option<Address> {
    set.text_flow(text)?;
    let (mnemonic, _) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text, ""));
    if takes_register_list(mnemonic) {
        return None;
    }
    if let Some(found) = text.find("{pc}").and_then(|start| text.get(start..)) {
        return relative(found, pc).map(|relative| relative.target);
    }
    let operands = text.split(';').next()?;
    let last = operands.rsplit(|character: char| character == ',' || character.is_whitespace());
    last.map(str::trim)
        .find(|word| !word.is_empty() && !word.starts_with('<'))
        .and_then(absolute)
}

/// Returns true if braces after the mnemonic enclose registers: `pop {pc}` names the pc itself,
/// while `b {pc}` stands for its value.
pub fn takes_register_list(mnemonic: &str) -> bool {
    let starts_with = |name: &&str| {
        mnemonic
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    ["pop", "push", "ldm", "stm"].iter().any(starts_with)
}

/// `{pc}+0x88c ; 0x80000898` at the start of a text.
pub struct RelativeTarget {
    pub target: Address,
    /// Length of the text that was read.
    pub length_bytes: usize,
}

/// Reads `{pc}`, `{pc}+4` or `{pc}-0x14 ; 0x80000898`. The model computed the address after `;`
/// (`ADRP` counts from the start of a page), so it has priority.
pub fn relative(text: &str, pc: Address) -> Option<RelativeTarget> {
    let after = text.strip_prefix("{pc}")?;
    let (distance, rest) = if let Some(forwards) = after.strip_prefix('+') {
        split_number(forwards)?
    } else if let Some(backwards) = after.strip_prefix('-') {
        let (distance, rest) = split_number(backwards)?;
        (distance.wrapping_neg(), rest)
    } else {
        (0, after)
    };
    let stated = rest.trim_start().strip_prefix(';').and_then(|comment| {
        let (word, rest) = split_word(comment.trim_start());
        absolute(word).map(|target| (target, rest))
    });
    let (target, rest) = stated.unwrap_or((Address(pc.0.wrapping_add(distance)), rest));
    Some(RelativeTarget {
        target,
        length_bytes: text.len() - rest.len(),
    })
}

/// Reads a hexadecimal address with `0x`.
pub fn absolute(word: &str) -> Option<Address> {
    let digits = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal
        .then(|| u64::from_str_radix(digits, 16).ok().map(Address))
        .flatten()
}

fn split_number(text: &str) -> Option<(u64, &str)> {
    let (word, rest) = split_word(text);
    let value = absolute(word)
        .map(|address| address.0)
        .or_else(|| word.parse().ok())?;
    Some((value, rest))
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(
            branch_target(text, Address(0x8000), InstructionSet::A64),
            expected.map(Address),
            "{text}"
        );
    }

    #[test]
    fn the_address_that_the_model_worked_out_counts() {
        check("BL       {pc}+0x88c ; 0x80000898", Some(0x8000_0898));
        check("B.GT     {pc}-0x8 ; 0x7ff8", Some(0x7ff8));
        check("TBNZ     w0,#3,{pc}+0x10 ; 0x8010", Some(0x8010));
        check("BEQ      {pc}+4;0x8004", Some(0x8004));
    }

    #[test]
    fn a_distance_counts_from_the_instruction() {
        check("BL {pc}+0x10", Some(0x8010));
        check("B {pc}-16", Some(0x7ff0));
        check("B {pc}", Some(0x8000));
        check("B {pc}+4 ; soon", Some(0x8004));
        check("B {pc}-0x8001", Some(u64::MAX));
    }

    #[test]
    fn gem5_names_the_address_itself() {
        check("b.eq   0x80000548", Some(0x8000_0548));
        check("bl 0x80000548 <main>", Some(0x8000_0548));
        check("cbz x0, 0x80000548 ; then", Some(0x8000_0548));
    }

    #[test]
    fn what_goes_through_a_register_or_nowhere_has_no_target() {
        for text in [
            "BLR x2",
            "RET",
            "BX lr",
            "POP {pc}",
            "pop.w {pc}",
            "LDM r0,{pc}",
            "ADRP x0,{pc}+0x1000 ; 0x9000",
            "MOV x0, 0x80",
            "",
            "B",
            "B foo",
            "B {pc}+",
        ] {
            check(text, None);
        }
        check("B {pc}+0x", None);
        check("B 0x10000000000000000", None);
        check("B {pc}+é", None);
    }
}

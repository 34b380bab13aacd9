//! Text of an instruction ([`text_of`], by its format), and of the instructions that the other
//! files of this folder leave out: branches, `sethi`, `call`, and accesses of state registers.

use crate::sparc::control::{branch_target, call_target};
use crate::sparc::text::arithmetic::arithmetic;
use crate::sparc::text::memory::memory;
use crate::sparc::text::names::{
    BRANCH_REGISTER_CONDITIONS, CONDITIONS, FLOAT_CONDITIONS, STATE, general, hyperprivileged,
    number, privileged, second, written_state,
};
use crate::sparc::word::SparcWord;

/// Formats a call.
pub fn call(word: SparcWord, pc: u64) -> String {
    format!("call {:#x}", call_target(word, pc))
}

/// Formats a format 2 instruction; none for reserved encodings.
pub fn branch(word: SparcWord, pc: u64) -> Option<String> {
    let target = || branch_target(word, pc).map(|target| format!("{target:#x}"));
    let annul = if word.flag(29) { ",a" } else { "" };
    // Predicted taken is the default and has no suffix.
    let unlikely = if word.flag(19) { "" } else { ",pn" };
    let condition = |names: &[&'static str; 16]| {
        names
            .get(word.place(25, 4))
            .map(|name| name.trim_end_matches('a'))
    };
    Some(match word.branch_kind() {
        0 if word.destination() == 0 => {
            format!("illtrap {:#x}", word.field(0, 22)).replace("0x0", "0")
        }
        1 if word.field(19, 11) == 0xd => format!("iprefetch {}", target()?),
        1 if !word.flag(20) => {
            let codes = if word.flag(21) { "%xcc" } else { "%icc" };
            format!(
                "b{}{annul}{unlikely} {codes}, {}",
                condition(&CONDITIONS)?,
                target()?
            )
        }
        2 => format!("b{}{annul} {}", condition(&CONDITIONS)?, target()?),
        3 if word.flag(28) => return compare_and_branch(word, &target()?),
        3 => {
            let condition = BRANCH_REGISTER_CONDITIONS
                .get(word.place(25, 3))
                .copied()
                .flatten()?;
            format!(
                "br{condition}{annul}{unlikely} {}, {}",
                general(word.first()),
                target()?
            )
        }
        4 if word.field(0, 30) == 0x0100_0000 => "nop".to_owned(),
        4 => {
            let high = u64::from(word.field(0, 22)) << 10;
            let high = if high == 0 {
                "0".to_owned()
            } else {
                format!("{high:#x}")
            };
            format!("sethi %hi({high}), {}", general(word.destination()))
        }
        5 => {
            let condition = condition(&FLOAT_CONDITIONS)?;
            format!(
                "fb{condition}{annul}{unlikely} %fcc{}, {}",
                word.field(20, 2),
                target()?
            )
        }
        6 => format!("fb{}{annul} {}", condition(&FLOAT_CONDITIONS)?, target()?),
        _ => return None,
    })
}

/// Formats a compare-and-branch instruction of the Oracle SPARC Architecture 2011, which has no
/// delay slot.
fn compare_and_branch(word: SparcWord, target: &str) -> Option<String> {
    let condition = word.place(25, 3) + if word.flag(29) { 8 } else { 0 };
    let condition = CONDITIONS
        .get(condition)
        .filter(|condition| !matches!(**condition, "a" | "n"))?;
    let width = if word.flag(21) { 'x' } else { 'w' };
    let other = if word.has_number() {
        number(word.signed(0, 5))
    } else {
        general(word.second()).to_owned()
    };
    Some(format!(
        "c{width}b{condition} {}, {other}, {target}",
        general(word.first())
    ))
}

/// Formats an instruction that accesses a state register; none for others.
pub fn state(word: SparcWord) -> Option<String> {
    let (first, destination) = (word.first(), word.destination());
    let is_empty = word.field(0, 14) == 0;
    let to = general(destination);
    match word.kind() {
        0x28 if destination == 0 && first == 15 && is_empty => Some("stbar".to_owned()),
        0x28 if destination == 0 && first == 15 && word.field(7, 7) == 0x40 => {
            Some(format!("membar {}", mask(word)))
        }
        0x28 if is_empty => Some(format!("rd %{}, {to}", STATE.get(usize::from(first))?)),
        0x29 if is_empty => Some(format!("rdhpr %{}, {to}", hyperprivileged(first.into())?)),
        0x2a if is_empty => Some(format!("rdpr %{}, {to}", privileged(first.into())?)),
        0x2b if word.field(0, 19) == 0 && destination == 0 => Some("flushw".to_owned()),
        0x30 if word.is_plain() => write_state(word),
        0x31 if word.field(0, 19) == 0 => {
            let names = [
                "saved", "restored", "allclean", "otherw", "normalw", "invalw",
            ];
            names
                .get(usize::from(destination))
                .map(|name| (*name).to_owned())
        }
        0x32 if word.is_plain() => Some(format!(
            "wrpr {}, %{}",
            short(word),
            privileged(destination.into())?
        )),
        0x33 if word.is_plain() && destination != 6 => Some(format!(
            "wrhpr {}, %{}",
            short(word),
            hyperprivileged(destination.into())?
        )),
        _ => None,
    }
}

fn write_state(word: SparcWord) -> Option<String> {
    let name = written_state(word.destination().into())?;
    let is_number_alone = word.has_number() && word.first() == 0;
    Some(match name {
        "asr15" if is_number_alone => format!("sir {}", second(word)),
        "pause" | "mwait" if is_number_alone => format!("{name} {}", second(word)),
        name if name == "y" || name.starts_with("asr") => {
            match (word.first(), word.is_second_zero()) {
                (first, true) => format!("wr {}, %{name}", general(first)),
                (0, false) => format!("wr {}, %{name}", second(word)),
                _ => format!("wr {}, {}, %{name}", general(word.first()), second(word)),
            }
        }
        name => format!("wr {}, {}, %{name}", general(word.first()), second(word)),
    })
}

/// Formats the sources, omitting one that is 0.
fn short(word: SparcWord) -> String {
    match (word.has_number(), word.first(), word.second()) {
        (true, 0, _) => second(word),
        (false, _, 0) => general(word.first()).to_owned(),
        _ => format!("{}, {}", general(word.first()), second(word)),
    }
}

/// Formats the accesses that a memory barrier orders.
fn mask(word: SparcWord) -> String {
    const NAMES: [&str; 7] = [
        "#Sync",
        "#MemIssue",
        "#Lookaside",
        "#StoreStore",
        "#LoadStore",
        "#StoreLoad",
        "#LoadLoad",
    ];
    let names: Vec<_> = (0..7)
        .rev()
        .zip(NAMES)
        .filter(|(place, _)| word.flag(*place))
        .map(|(_, name)| name)
        .collect();
    if names.is_empty() {
        "0".to_owned()
    } else {
        names.join("|")
    }
}

/// Formats a word at an address; none if it is not an instruction.
pub fn text_of(word: SparcWord, pc: u64) -> Option<String> {
    match word.format() {
        0 => branch(word, pc),
        1 => Some(call(word, pc)),
        2 => arithmetic(word),
        _ => memory(word),
    }
}

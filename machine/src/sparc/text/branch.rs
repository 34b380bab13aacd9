//! Text of branches, `sethi` and `call`.

use crate::sparc::target::{branch_target, call_target};
use crate::sparc::text::names::{
    CONDITIONS, FLOAT_CONDITIONS, REGISTER_CONDITIONS, general, number,
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
            let condition = match REGISTER_CONDITIONS
                .get(word.place(25, 3))
                .copied()
                .flatten()?
            {
                "e" => "z",
                "ne" => "nz",
                condition => condition,
            };
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

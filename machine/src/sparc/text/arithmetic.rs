//! Text of arithmetic instructions, and of control transfers with operands.

use crate::sparc::text::branch::state;
use crate::sparc::text::forms::form_text;
use crate::sparc::text::names::{
    CONDITIONS, FLOAT_CONDITIONS, REGISTER_CONDITIONS, address, general, number, second, single,
    sum, wide,
};
use crate::sparc::word::SparcWord;

/// Names of two-source computations by kind.
const COMPUTATIONS: [Option<&str>; 36] = {
    let mut names = [None; 36];
    let plain = [
        "add", "and", "or", "xor", "sub", "andn", "orn", "xnor", "addc", "mulx", "umul", "smul",
        "subc", "udivx", "udiv", "sdiv",
    ];
    let with_codes = [
        "addcc", "andcc", "orcc", "xorcc", "subcc", "andncc", "orncc", "xnorcc", "addccc", "",
        "umulcc", "smulcc", "subccc", "", "udivcc", "sdivcc",
    ];
    let tagged = ["taddcc", "tsubcc", "taddcctv", "tsubcctv"];
    let mut place = 0;
    while place < 16 {
        names[place] = Some(plain[place]);
        if place != 9 && place != 13 {
            names[16 + place] = Some(with_codes[place]);
        }
        place += 1;
    }
    place = 0;
    while place < 4 {
        names[32 + place] = Some(tagged[place]);
        place += 1;
    }
    names
};

/// Formats an instruction with operands and no memory access; none for reserved encodings.
pub fn arithmetic(word: SparcWord) -> Option<String> {
    match word.kind() {
        0x19 => form_text(word),
        kind @ 0..0x24 => {
            let name = COMPUTATIONS.get(kind as usize).copied().flatten()?;
            word.is_plain()
                .then(|| synthetic(word).unwrap_or_else(|| plain(name, word)))
        }
        0x24 => word.is_plain().then(|| plain("mulscc", word)),
        0x25..0x28 => shift(word),
        0x28..0x2c | 0x30..0x34 => state(word),
        0x2c => conditional_move(word),
        0x2d => word.is_plain().then(|| plain("sdivx", word)),
        0x2e if word.first() == 0 => word
            .is_plain()
            .then(|| format!("popc {}, {}", second(word), general(word.destination()))),
        0x2f => register_move(word),
        0x35 => float_compare_or_move(word),
        0x34 | 0x36 | 0x37 => form_text(word),
        0x38..0x3f if word.is_plain() || word.kind() == 0x3a => control(word),
        _ => None,
    }
}

fn plain(name: &str, word: SparcWord) -> String {
    format!(
        "{name} {}, {}, {}",
        general(word.first()),
        second(word),
        general(word.destination())
    )
}

/// Returns the synthetic instruction that is preferred for some operands (V9, appendix G.3).
fn synthetic(word: SparcWord) -> Option<String> {
    let (first, destination) = (word.first(), word.destination());
    let is_step = word.has_number() && word.number() == 1 && first == destination;
    let to = general(destination);
    let is_zero = word.is_second_zero();
    Some(match word.kind() {
        0x00 if is_step => format!("inc {to}"),
        0x10 if is_step => format!("inccc {to}"),
        0x04 if is_step => format!("dec {to}"),
        0x14 if destination == 0 => format!("cmp {}, {}", general(first), second(word)),
        0x14 if is_step => format!("deccc {to}"),
        0x04 if first == 0 && !word.has_number() && word.second() == destination => {
            format!("neg {to}")
        }
        0x04 if first == 0 && !word.has_number() => format!("neg {}, {to}", second(word)),
        0x02 if first == 0 && is_zero && (word.has_number() || destination == 0) => {
            format!("clr {to}")
        }
        0x02 if is_zero => format!("mov {}, {to}", general(first)),
        0x02 if first == 0 => format!("mov {}, {to}", second(word)),
        0x11 if destination == 0 && word.has_number() => {
            format!("btst {}, {}", second(word), general(first))
        }
        0x11 if destination == 0 => format!("btst {}, {}", general(first), second(word)),
        0x12 if destination == 0 && is_zero => format!("tst {}", general(first)),
        0x12 if destination == 0 && first == 0 && !word.has_number() => {
            format!("tst {}", second(word))
        }
        _ => return None,
    })
}

fn shift(word: SparcWord) -> Option<String> {
    let name = ["sll", "srl", "sra"].get((word.kind() - 0x25) as usize)?;
    let (suffix, width) = if word.flag(12) { ("x", 6) } else { ("", 5) };
    let unused = if word.has_number() {
        word.field(width, 12 - width)
    } else {
        word.field(5, 7)
    };
    if unused != 0 {
        return None;
    }
    let (from, to) = (general(word.first()), general(word.destination()));
    let is_extension =
        !word.flag(12) && !word.has_number() && word.second() == 0 && word.kind() != 0x25;
    if is_extension {
        let name = if word.kind() == 0x26 {
            "clruw"
        } else {
            "signx"
        };
        return Some(if from == to {
            format!("{name} {to}")
        } else {
            format!("{name} {from}, {to}")
        });
    }
    let places = if word.has_number() {
        number(word.field(0, width).into())
    } else {
        general(word.second()).to_owned()
    };
    Some(format!("{name}{suffix} {from}, {places}, {to}"))
}

/// Returns the condition codes that a three-bit field selects, with the names of their conditions.
fn codes_of(codes: u32) -> Option<(&'static [&'static str; 16], String)> {
    match codes {
        0..4 => Some((&FLOAT_CONDITIONS, format!("%fcc{codes}"))),
        4 => Some((&CONDITIONS, "%icc".to_owned())),
        6 => Some((&CONDITIONS, "%xcc".to_owned())),
        _ => None,
    }
}

fn conditional_move(word: SparcWord) -> Option<String> {
    let (conditions, codes) = codes_of(word.field(18, 1) << 2 | word.field(11, 2))?;
    let source = if word.has_number() {
        number(word.signed(0, 11))
    } else if word.field(5, 6) == 0 {
        general(word.second()).to_owned()
    } else {
        return None;
    };
    Some(format!(
        "mov{} {codes}, {source}, {}",
        conditions.get(word.place(14, 4))?,
        general(word.destination())
    ))
}

fn register_move(word: SparcWord) -> Option<String> {
    let condition = REGISTER_CONDITIONS
        .get(word.place(10, 3))
        .copied()
        .flatten()?;
    let source = if word.has_number() {
        number(word.signed(0, 10))
    } else if word.field(5, 5) == 0 {
        general(word.second()).to_owned()
    } else {
        return None;
    };
    Some(format!(
        "movr{condition} {}, {source}, {}",
        general(word.first()),
        general(word.destination())
    ))
}

/// Formats FPop2: compares and conditional moves.
fn float_compare_or_move(word: SparcWord) -> Option<String> {
    let letter = ['s', 'd', 'q'].get(word.place(5, 2).checked_sub(1)?)?;
    let register = |number| {
        if *letter == 's' {
            single(number)
        } else {
            wide(number)
        }
    };
    let (from, to) = (register(word.second()), register(word.destination()));
    match word.operation() {
        operation @ (0x51..=0x53 | 0x55..=0x57) if word.destination() < 4 => {
            let signal = if operation > 0x54 { "e" } else { "" };
            // `%fcc0`, the only codes of older processors, is implied.
            let codes = if word.destination() == 0 {
                String::new()
            } else {
                format!("%fcc{}, ", word.destination())
            };
            Some(format!(
                "fcmp{signal}{letter} {codes}{}, {from}",
                register(word.first())
            ))
        }
        operation if matches!(operation & 0x1f, 5..8) && !word.flag(13) => {
            let condition = REGISTER_CONDITIONS
                .get(word.place(10, 3))
                .copied()
                .flatten()?;
            Some(format!(
                "fmovr{letter}{condition} {}, {from}, {to}",
                general(word.first())
            ))
        }
        operation if matches!(operation & 0x3f, 1..4) && !word.flag(18) => {
            let (conditions, codes) = codes_of(word.field(11, 3))?;
            Some(format!(
                "fmov{letter}{} {codes}, {from}, {to}",
                conditions.get(word.place(14, 4))?
            ))
        }
        _ => None,
    }
}

/// Formats jumps, traps and window changes.
fn control(word: SparcWord) -> Option<String> {
    let destination = word.destination();
    let is_return = |from: u16| word.first() == from && word.has_number() && word.number() == 8;
    Some(match word.kind() {
        0x38 if destination == 0 && is_return(31) => "ret".to_owned(),
        0x38 if destination == 0 && is_return(15) => "retl".to_owned(),
        0x38 if destination == 0 => format!("jmp {}", sum(word)),
        0x38 if destination == 15 => format!("call {}", sum(word)),
        0x38 => format!("jmpl {}, {}", sum(word), general(destination)),
        0x39 if destination == 0 => format!("return {}", sum(word)),
        0x3a => return trap(word),
        0x3b if destination == 0 => format!("flush {}", address(word)),
        0x3c if word.0 & 0x3e07_ffff == 0 => "save".to_owned(),
        0x3c => plain("save", word),
        0x3d if destination == 0 && word.first() == 0 && word.is_second_zero() => {
            "restore".to_owned()
        }
        0x3d => plain("restore", word),
        0x3e if word.field(0, 19) == 0 => match destination {
            0 => "done".to_owned(),
            1 => "retry".to_owned(),
            _ => return None,
        },
        _ => return None,
    })
}

/// Formats Tcc. The trap number has 7 bits, or 8 on newer processors (UltraSPARC Architecture 2007,
/// "Tcc").
fn trap(word: SparcWord) -> Option<String> {
    let codes = match word.field(11, 2) {
        0 => "",
        2 => "%xcc, ",
        _ => return None,
    };
    let unused = if word.has_number() {
        word.field(8, 3)
    } else {
        word.field(5, 6)
    };
    if unused != 0 || word.flag(29) {
        return None;
    }
    let condition = CONDITIONS.get(word.place(25, 4))?;
    let first = general(word.first());
    let trap = match (word.has_number(), word.first(), word.second()) {
        (true, 0, _) => number(word.field(0, 8).into()),
        (true, ..) => format!("{first} + {}", number(word.field(0, 8).into())),
        (false, _, 0) => first.to_owned(),
        (false, ..) => format!("{first} + {}", general(word.second())),
    };
    Some(format!("t{condition} {codes}{trap}"))
}

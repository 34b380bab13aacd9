//! Registers of SPARC (The SPARC Architecture Manual, Version 9, chapter 5; UltraSPARC Architecture
//! 2007, chapter 5).
//!
//! `%o0` is a register of the current window, `w3.l2` one of a window given by number, `gl1.g3` a
//! global of a set;
//! `w+1.o6` is the register that `save` writes, `w-1.l0` one of the window after `restore`.
//! Stored registers have the least significant byte first, so `%f0`, the upper half of `%d0`, comes
//! last.

use crate::dwarf_registers::DwarfRegisterRun;
use crate::register_group::RegisterGroup;
use crate::sparc::windows::{
    AFTER_CELLS, after_restore, after_save, cell, general, global, number_of, numbered_out,
};
use crate::view::{RegisterId, RegisterView};

/// Status: the current window, followed by the condition codes.
pub const STATUS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 5);
/// Current window, the low bytes of the status ([`crate::mode::Mode::window_status`]).
pub const WINDOW: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);
/// `%ccr`: `icc` in the lower half, `xcc` in the upper one.
pub const CONDITIONS: RegisterView = RegisterView::new(RegisterId::PSR, 4, 1);
/// `%fsr`.
pub const FLOAT_STATUS: RegisterView = RegisterView::new(RegisterId::FPSCR, 0, 8);
/// Returns the byte of `%fsr` with `%fcc0`, or that with `%fcc1` to `%fcc3` (The SPARC Architecture
/// Manual V9, 5.1.7, figure 17).
pub const fn float_codes(number: u32) -> RegisterView {
    RegisterView::new(RegisterId::FPSCR, if number == 0 { 1 } else { 4 }, 1)
}

/// Numbers in DWARF, which are those of the compiler (GCC, `gcc/config/sparc/sparc.h`, "Register
/// usage"). Upper floating-point registers are pairs.
pub const DWARF: [DwarfRegisterRun; 7] = [
    DwarfRegisterRun::zero(0),
    DwarfRegisterRun::from(1, "g", 1, 7),
    DwarfRegisterRun::of(8, "o", 8),
    DwarfRegisterRun::of(16, "l", 8),
    DwarfRegisterRun::of(24, "i", 8),
    DwarfRegisterRun::of(32, "f", 32),
    DwarfRegisterRun::from(64, "f", 32, 32).even(),
];

/// Byte of `%fsr` with the current exceptions and most of the accrued ones.
pub const FLOAT_EXCEPTIONS: RegisterView = RegisterView::new(RegisterId::FPSCR, 0, 1);
/// `%gsr`.
pub const GRAPHICS_STATUS: RegisterView = RegisterView::new(RegisterId::FPCR, 0, 8);

/// A register with an individual name, and its width.
struct SparcSpecialRegister {
    name: &'static str,
    size_bytes: u16,
}

const fn special(name: &'static str, size_bytes: u16) -> SparcSpecialRegister {
    SparcSpecialRegister { name, size_bytes }
}

/// Registers that are neither general nor floating-point, in display order; the index gives the
/// register number.
const SPECIAL: [SparcSpecialRegister; 40] = [
    special("npc", 8),
    special("y", 4),
    special("asi", 1),
    special("cwp", 1),
    special("cansave", 1),
    special("canrestore", 1),
    special("cleanwin", 1),
    special("otherwin", 1),
    special("wstate", 1),
    special("gl", 1),
    special("tl", 1),
    special("pil", 1),
    special("pstate", 2),
    special("tba", 8),
    special("tick", 8),
    special("stick", 8),
    special("ver", 8),
    special("fprs", 1),
    special("hpstate", 2),
    special("htba", 8),
    special("hintp", 1),
    special("hver", 8),
    special("softint", 4),
    special("tick_cmpr", 8),
    special("stick_cmpr", 8),
    special("hstick_cmpr", 8),
    special("pcr", 8),
    special("pic", 8),
    special("dcr", 8),
    special("fq", 8),
    special("cfr", 8),
    special("cps", 8),
    special("pause", 8),
    special("mwait", 8),
    // Names without a trap level, as instructions use them.
    special("tpc", 8),
    special("tnpc", 8),
    special("tstate", 8),
    special("tt", 2),
    special("htstate", 2),
    special("asr", 8),
];

/// Registers of each trap level.
const OF_LEVEL: [SparcSpecialRegister; 5] = [
    special("tpc", 8),
    special("tnpc", 8),
    special("tstate", 8),
    special("tt", 2),
    special("htstate", 2),
];
/// Maximum trap level.
const LEVELS: u16 = 7;

const FIRST_SPECIAL: u16 = AFTER_CELLS;
const FIRST_OF_LEVELS: u16 = FIRST_SPECIAL + SPECIAL.len() as u16;

/// Number of special registers that are displayed: all but the aliases of others.
const SHOWN_SPECIAL: usize = SPECIAL.len() - 6;

/// Returns the view of a lower-case name, with or without its sigil.
pub fn view(name: &str) -> Option<RegisterView> {
    let name = name.strip_prefix('%').unwrap_or(name);
    let numbered = || plain_number(name).map(|number| RegisterView::new(general(number), 0, 8));
    numbered()
        .or_else(|| fixed(name))
        .or_else(|| float(name))
        .or_else(|| of_level(name))
        .or_else(|| absolute(name))
}

/// Returns a register that instructions name individually.
pub fn named(name: &str) -> Option<RegisterView> {
    fixed(name)
}

/// Parses a register of the current window: `g0`, `o6`, `sp`, `r14`.
fn plain_number(name: &str) -> Option<u16> {
    match name {
        "sp" => return Some(14),
        "fp" => return Some(30),
        _ => {}
    }
    let (family, digits) = name.split_at_checked(1)?;
    let (first, count) = match family {
        "g" => (0, 8),
        "o" => (8, 8),
        "l" => (16, 8),
        "i" => (24, 8),
        "r" => (0, 32),
        _ => return None,
    };
    number(digits, count).map(|number| first + number)
}

/// Parses a number below a limit, without leading zeros.
fn number(digits: &str, limit: u16) -> Option<u16> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    digits
        .parse()
        .ok()
        .filter(|number| is_plain && *number < limit)
}

fn fixed(name: &str) -> Option<RegisterView> {
    Some(match name {
        "pc" => RegisterView::new(RegisterId::PC, 0, 8),
        "psr" => STATUS,
        "window" => WINDOW,
        "ccr" | "icc" | "xcc" => CONDITIONS,
        "fsr" => FLOAT_STATUS,
        "gsr" => GRAPHICS_STATUS,
        "sys_tick" => return fixed("stick"),
        "sys_tick_cmpr" => return fixed("stick_cmpr"),
        _ => {
            let place = SPECIAL.iter().position(|special| special.name == name)?;
            let special = SPECIAL.get(place)?;
            RegisterView::new(
                RegisterId(FIRST_SPECIAL + u16::try_from(place).ok()?),
                0,
                special.size_bytes,
            )
        }
    })
}

/// Returns a floating-point register as wide as `count` 4-byte registers; the lowest number is the
/// upper half.
pub const fn float_view(number: u16, count: u16) -> RegisterView {
    let offset = 4 * (4 - number % 4 - count);
    RegisterView::new(
        RegisterId(RegisterId::V0.0 + number / 4 % 16),
        offset,
        4 * count,
    )
}

fn float(name: &str) -> Option<RegisterView> {
    let (family, digits) = name.split_at_checked(1)?;
    let number = number(digits, 64)?;
    match family {
        "f" if number < 32 => Some(float_view(number, 1)),
        // Disassemblers also use `f` for registers that only pairs can reach.
        "f" | "d" if number.is_multiple_of(2) => Some(float_view(number, 2)),
        "q" if number.is_multiple_of(4) => Some(float_view(number, 4)),
        _ => None,
    }
}

/// Parses `tpc1`, `htstate2`.
fn of_level(name: &str) -> Option<RegisterView> {
    let digits = name.trim_start_matches(|character: char| character.is_ascii_alphabetic());
    let level = number(digits, LEVELS + 1).filter(|level| *level > 0)?;
    let place = OF_LEVEL
        .iter()
        .position(|special| Some(special.name) == name.strip_suffix(digits))?;
    let register =
        FIRST_OF_LEVELS + (level - 1) * OF_LEVEL.len() as u16 + u16::try_from(place).ok()?;
    Some(RegisterView::new(
        RegisterId(register),
        0,
        OF_LEVEL.get(place)?.size_bytes,
    ))
}

/// Parses `w3.l2`, `w3.o1`, `gl1.g3`, `w+1.o6`, `w-1.l0`.
fn absolute(name: &str) -> Option<RegisterView> {
    let (bank, plain) = name.split_once('.')?;
    let place = plain_number(plain)?;
    let window = |digits| number(digits, 32);
    let register = match (bank, place) {
        ("w+1", 8..24) => after_save(place),
        ("w-1", 16..32) => after_restore(place),
        (bank, 1..8) => global(number(bank.strip_prefix("gl")?, 8)?, place),
        (bank, 8..16) => numbered_out(window(bank.strip_prefix('w')?)?, place - 8),
        (bank, 16..32) => cell(window(bank.strip_prefix('w')?)?, place - 16),
        _ => return None,
    };
    Some(RegisterView::new(register, 0, 8))
}

fn general_names() -> impl Iterator<Item = String> {
    let family = |family: char| (0..8).map(move |number| format!("{family}{number}"));
    let usual = |name: String| match name.as_str() {
        "o6" => "sp".to_owned(),
        "i6" => "fp".to_owned(),
        _ => name,
    };
    // Skips the first global, which is always 0.
    ['g', 'o', 'l', 'i']
        .into_iter()
        .flat_map(family)
        .skip(1)
        .map(usual)
}

fn system_names() -> impl Iterator<Item = String> {
    let levels = (1..=LEVELS).flat_map(|level| {
        OF_LEVEL
            .iter()
            .map(move |special| format!("{}{level}", special.name))
    });
    SPECIAL
        .iter()
        .take(SHOWN_SPECIAL)
        .map(|special| special.name.to_owned())
        .chain(levels)
}

fn double_names() -> impl Iterator<Item = String> {
    (0..64).step_by(2).map(|number| format!("d{number}"))
}

fn float_status() -> impl Iterator<Item = String> {
    ["fsr", "gsr"].map(str::to_owned).into_iter()
}

/// Returns the displayed registers.
pub fn shown() -> Vec<String> {
    let head = ["pc", "psr"].map(str::to_owned);
    general_names()
        .chain(head)
        .chain(double_names())
        .chain(float_status())
        .chain(system_names())
        .collect()
}

/// Returns all other names.
pub fn other_names() -> Vec<String> {
    let windows = (0..32).flat_map(|window| {
        let cells = ["l", "i", "o"]
            .into_iter()
            .flat_map(|family| (0..8).map(move |number| format!("{family}{number}")));
        cells.map(move |name| format!("w{window}.{name}"))
    });
    let globals = (0..8).flat_map(|set| (1..8).map(move |number| format!("gl{set}.g{number}")));
    let neighbours = (0..8).flat_map(|number| {
        [("w+1", 'o'), ("w+1", 'l'), ("w-1", 'l'), ("w-1", 'i')]
            .map(|(bank, family)| format!("{bank}.{family}{number}"))
    });
    let floats = (0..32)
        .map(|number| format!("f{number}"))
        .chain((0..64).step_by(4).map(|number| format!("q{number}")));
    let hidden = SPECIAL
        .iter()
        .skip(SHOWN_SPECIAL)
        .map(|special| special.name.to_owned());
    let first = ["g0", "ccr", "window"].map(str::to_owned).into_iter();
    first
        .chain(hidden)
        .chain(floats)
        .chain(neighbours)
        .chain(windows)
        .chain(globals)
        .collect()
}

/// Returns the registers of a group.
pub fn group(group: RegisterGroup) -> Vec<String> {
    match group {
        RegisterGroup::Core => general_names()
            .chain(["pc", "psr"].map(str::to_owned))
            .collect(),
        RegisterGroup::Single => (0..32)
            .map(|number| format!("f{number}"))
            .chain(float_status())
            .collect(),
        RegisterGroup::Double => double_names().chain(float_status()).collect(),
        RegisterGroup::System => system_names().collect(),
        RegisterGroup::Vector | RegisterGroup::Scalable => Vec::new(),
    }
}

/// Returns the encoding number of a general register.
pub fn encoded_number(register: RegisterId) -> Option<u16> {
    number_of(register)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(u16, u16, u16)>) {
        let found = view(&name.to_ascii_lowercase())
            .map(|view| (view.register.0, view.offset, view.size_bytes));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn registers_have_their_names() {
        check("%g0", Some((0, 0, 8)));
        check("o0", Some((8, 0, 8)));
        check("%SP", Some((31, 0, 8)));
        check("r14", Some((31, 0, 8)));
        check("%o7", Some((32, 0, 8)));
        check("fp", Some((30, 0, 8)));
        check("%i7", Some((14, 0, 8)));
        check("pc", Some((33, 0, 8)));
        check("ccr", Some((34, 4, 1)));
        check("window", Some((34, 0, 4)));
        check("w0.l0", Some((128, 0, 8)));
        check("w3.i1", Some((185, 0, 8)));
        check("gl1.g3", Some((651, 0, 8)));
        for name in [
            "g8", "o07", "x0", "f32x", "d1", "f33", "q2", "%", "", "w32.l0", "gl8.g1", "gl1.g0",
            "w1.g1", "tpc8", "tpc0", "é",
        ] {
            check(name, None);
        }
    }

    #[test]
    fn doubles_and_quads_have_their_halves_from_the_highest_on() {
        check("q0", Some((40, 0, 16)));
        check("d0", Some((40, 8, 8)));
        check("d2", Some((40, 0, 8)));
        check("f0", Some((40, 12, 4)));
        check("f1", Some((40, 8, 4)));
        check("f3", Some((40, 0, 4)));
        check("f31", Some((47, 0, 4)));
        check("d62", Some((55, 0, 8)));
        check("f62", Some((55, 0, 8)));
        check("q60", Some((55, 0, 16)));
    }

    #[test]
    fn no_two_registers_share_a_number() {
        let mut known: Vec<_> = shown()
            .into_iter()
            .chain(other_names())
            .filter(|name| !name.starts_with(['f', 'q']))
            .collect();
        known.retain(|name| !matches!(name.as_str(), "ccr" | "window") && !name.starts_with('d'));
        let count = known.len();
        let mut numbers: Vec<_> = known
            .iter()
            .map(|name| view(name).unwrap_or_else(|| panic!("{name}")).register)
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
        assert!(
            numbers
                .iter()
                .all(|register| *register < RegisterId::FIRST_NAMED)
        );
    }
}

//! Maps the register numbers of value records to registers. State registers have the numbers of
//! `rdpr` and `rd` (The SPARC Architecture Manual, Version 9, A.40 and A.43); those of each trap
//! level have further ones.

use stepback_machine::{InstructionSet, RegisterView, Registers};

use crate::rst::records::{RegisterKind, RegisterSlot};

/// Names by the numbers of `rdpr`.
const PRIVILEGED: [&str; 32] = [
    "tpc",
    "tnpc",
    "tstate",
    "tt",
    "tick",
    "tba",
    "pstate",
    "tl",
    "pil",
    "cwp",
    "cansave",
    "canrestore",
    "cleanwin",
    "otherwin",
    "wstate",
    "fq",
    "gl",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "ver",
];
/// Names by the numbers of `rd`.
const ANCILLARY: [&str; 9] = ["y", "", "ccr", "asi", "tick", "pc", "fprs", "", "fsr"];
/// Registers of each trap level: eight numbers for each, from 64 on.
const OF_LEVEL: [&str; 4] = ["tpc", "tnpc", "tstate", "tt"];

/// Registers by number, looked up by name once.
#[derive(Debug)]
pub struct RegisterNumberMap {
    integer: Vec<Option<RegisterView>>,
    windowed: Vec<Option<RegisterView>>,
    float: Vec<Option<RegisterView>>,
    privileged: Vec<Option<RegisterView>>,
    ancillary: Vec<Option<RegisterView>>,
    conditions: Option<RegisterView>,
}

impl RegisterNumberMap {
    /// Looks up all registers.
    pub fn new() -> Self {
        let numbers =
            |name: &dyn Fn(usize) -> String| (0..=255).map(|number| view(&name(number))).collect();
        Self {
            integer: numbers(&integer_name),
            windowed: numbers(&windowed_name),
            float: numbers(&float_name),
            privileged: numbers(&privileged_name),
            ancillary: numbers(&|number| {
                ANCILLARY
                    .get(number)
                    .copied()
                    .unwrap_or_default()
                    .to_owned()
            }),
            conditions: view("ccr"),
        }
    }

    /// Returns the register of a slot. Returns none if the slot is empty or no register has the
    /// number.
    pub fn of(&self, slot: &RegisterSlot) -> Option<RegisterView> {
        let table = match slot.kind {
            RegisterKind::Integer => &self.integer,
            RegisterKind::Window => &self.windowed,
            RegisterKind::Float => &self.float,
            RegisterKind::Privileged => &self.privileged,
            RegisterKind::Other => &self.ancillary,
            RegisterKind::ConditionCodes => return self.conditions,
            RegisterKind::Unused
            | RegisterKind::FloatConditionCodes
            | RegisterKind::Mmu
            | RegisterKind::Unknown(_) => {
                return None;
            }
        };
        *table.get(usize::from(slot.id))?
    }
}

/// Returns a register by its name.
pub fn view(name: &str) -> Option<RegisterView> {
    Registers::view(name, InstructionSet::Sparc64)
}

fn integer_name(number: usize) -> String {
    format!("r{number}")
}

/// Returns the name for `window << 5 | number`. For a global, the window is its set.
fn windowed_name(number: usize) -> String {
    let (window, number) = (number >> 5, number & 31);
    let (family, place) = (["g", "o", "l", "i"][number / 8], number % 8);
    match (family, place) {
        ("g", 0) => "g0".to_owned(),
        ("g", place) => format!("gl{window}.g{place}"),
        (family, place) => format!("w{window}.{family}{place}"),
    }
}

/// 0 to 31 single; 32 to 63 double, by half their number; 64 to 95 quad, by a quarter of their
/// number.
fn float_name(number: usize) -> String {
    match number {
        0..32 => format!("f{number}"),
        32..64 => format!("d{}", (number - 32) * 2),
        64..80 => format!("q{}", (number - 64) * 4),
        _ => String::new(),
    }
}

fn privileged_name(number: usize) -> String {
    let level = || {
        Some(format!(
            "{}{}",
            OF_LEVEL.get(number.checked_sub(64)? / 8)?,
            number % 8
        ))
    };
    PRIVILEGED
        .get(number)
        .map(|name| (*name).to_owned())
        .or_else(level)
        .unwrap_or_default()
}

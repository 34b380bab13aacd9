//! Virtual registers of the synthetic instruction set (DynamoRIO,
//! `core/ir/isa_regdeps/encoding_common.c`).
//!
//! Each represents a register of the traced processor with all its parts. The format does not
//! record which one it is or its width.

use crate::view::{RegisterId, RegisterView};

/// All arithmetic flags as one: the format does not distinguish them.
pub const FLAGS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 1);
/// Bit that represents all flags.
pub const FLAG: u64 = 1;

/// Number of virtual registers: `rv0` to `rv252`.
const COUNT: u16 = 253;
/// Code of a missing register.
const NULL: u8 = 0;
/// Codes that stand for no register.
const INVALID: [u8; 2] = [1, 187];
/// All registers are shown as wide as an address.
const WIDTH_BYTES: u16 = 8;

/// Returns the number of the register with a code; none for codes without a register.
fn number_of(code: u8) -> Option<u16> {
    let [first, second] = INVALID;
    match code {
        NULL => None,
        _ if INVALID.contains(&code) => None,
        _ if code < second => Some(u16::from(code - first) - 1),
        _ => Some(u16::from(code - first) - 2),
    }
}

/// Returns the view of the register with this code.
pub fn view_of(code: u8) -> Option<RegisterView> {
    number_of(code).map(view_of_number)
}

/// Returns the name of a code without its sigil.
pub fn name_of(code: u8) -> String {
    match number_of(code) {
        Some(number) => format!("rv{number}"),
        None if code == NULL => "rv_null".to_owned(),
        None => "rv_invalid".to_owned(),
    }
}

/// Returns the view for a lower-case name, with or without its sigil.
pub fn view(name: &str) -> Option<RegisterView> {
    let name = name.strip_prefix('%').unwrap_or(name);
    match name {
        "pc" => Some(RegisterView::new(RegisterId::PC, 0, 8)),
        "flags" | "psr" => Some(FLAGS),
        _ => name
            .strip_prefix("rv")
            .and_then(plain_number)
            .map(view_of_number),
    }
}

/// Returns the names of all virtual registers.
pub fn names() -> impl Iterator<Item = String> {
    (0..COUNT).map(|number| format!("rv{number}"))
}

/// Returns the view of a register number. No virtual register is the stack pointer or has another
/// known role: the format does not record that.
fn view_of_number(number: u16) -> RegisterView {
    RegisterView::new(
        RegisterId(RegisterId::FIRST_BANK.0 + number),
        0,
        WIDTH_BYTES,
    )
}

fn plain_number(digits: &str) -> Option<u16> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    digits
        .parse()
        .ok()
        .filter(|number| is_plain && *number < COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `d_r_reg_virtual_names` has a second `rv_invalid` in place 187, between `rv184` and `rv185`.
    #[test]
    fn codes_have_the_names_of_the_decoder() {
        for (code, name) in [
            (0, "rv_null"),
            (1, "rv_invalid"),
            (2, "rv0"),
            (38, "rv36"),
            (186, "rv184"),
        ] {
            assert_eq!(name_of(code), name);
        }
        for (code, name) in [(187, "rv_invalid"), (188, "rv185"), (255, "rv252")] {
            assert_eq!(name_of(code), name);
        }
        for code in 0..=255 {
            assert_eq!(view_of(code), view(&name_of(code)), "{code}");
        }
    }

    #[test]
    fn names_outside_the_table_are_not_guessed() {
        for name in ["rv253", "rv", "rv00", "rv_null", "rax", "%"] {
            assert_eq!(view(name), None, "{name}");
        }
        assert_eq!(view("%rv7"), view("rv7"));
    }
}

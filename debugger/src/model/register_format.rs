//! Formats values of general registers in the chosen way.

use stepback_index::answer::Value;
use stepback_machine::display::{LaneFormat, LaneKind};

use super::registers::RegisterCell;
use super::text::leading_zeros;
use crate::action::RegisterFormat;
use crate::messages::say;

/// Size in bytes of the lower half of a 64-bit register.
const HALF: usize = 4;

/// Format of general registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterStyle {
    pub format: RegisterFormat,
    /// Shows only the lower half of 64-bit registers: `w0`, `eax`.
    pub is_half: bool,
}

impl RegisterStyle {
    /// Returns the name of a register, or of its lower half if only that is shown.
    pub fn name(self, cell: &RegisterCell) -> &str {
        cell.half_name
            .as_deref()
            .filter(|_| self.is_half)
            .unwrap_or(&cell.name)
    }

    /// Formats the value of a register.
    pub fn text(self, cell: &RegisterCell) -> String {
        self.value_text(&self.part(cell))
    }

    /// Returns the number of insignificant leading digits; 0 unless the format is hexadecimal.
    pub fn zeros(self, text: &str) -> usize {
        if self.format == RegisterFormat::Hex {
            leading_zeros(text)
        } else {
            0
        }
    }

    /// Returns the maximum length of the value in characters, so that columns keep their width
    /// while stepping.
    pub fn characters(self, cell: &RegisterCell) -> usize {
        let bytes = if self.is_half && cell.half_name.is_some() {
            HALF
        } else {
            cell.value.0.len()
        };
        match self.format {
            RegisterFormat::Hex => 2 * bytes,
            RegisterFormat::Text => bytes,
            RegisterFormat::Unsigned | RegisterFormat::Signed if bytes > HALF => 20,
            RegisterFormat::Unsigned | RegisterFormat::Signed => 11,
            RegisterFormat::Float if bytes > HALF => 24,
            RegisterFormat::Float => 14,
        }
    }

    fn part(self, cell: &RegisterCell) -> Value {
        match self.is_half && cell.half_name.is_some() {
            true => Value(cell.value.0.iter().take(HALF).copied().collect()),
            false => cell.value.clone(),
        }
    }

    fn value_text(self, value: &Value) -> String {
        let size = u8::try_from(value.0.len()).unwrap_or(u8::MAX);
        let lane = |kind| LaneFormat::new(kind, size).lanes(&value.0).concat();
        match self.format {
            RegisterFormat::Unsigned if size <= 16 => lane(LaneKind::Unsigned),
            RegisterFormat::Signed if size <= 16 => lane(LaneKind::Signed),
            RegisterFormat::Float if matches!(size, 2 | 4 | 8) => lane(LaneKind::Float),
            RegisterFormat::Text => value.0.iter().map(character).collect(),
            _ => value.hex(),
        }
    }
}

/// Format of a group of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterReading {
    /// Format of lanes, in groups that have some.
    pub lanes: Option<LaneFormat>,
    /// Format of all other values.
    pub shown_as: RegisterStyle,
}

impl RegisterReading {
    /// Returns the format of the lanes of a vector register. Predicates, status and control
    /// registers have no lanes, nor do registers of one lane.
    pub fn lanes_of(self, cell: &RegisterCell) -> Option<LaneFormat> {
        let digits = cell.name.get(1..).unwrap_or_default();
        let is_numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_vector = is_numbered && cell.name.starts_with(['v', 'q', 'z']);
        self.lanes
            .filter(|format| is_vector && lane_count(cell, *format) > 1)
    }

    /// Returns the format of a register of one lane.
    pub fn single_lane(self, cell: &RegisterCell) -> Option<LaneFormat> {
        self.lanes
            .filter(|format| usize::from(format.size_bytes) == cell.value.0.len())
    }
}

/// Returns the number of lanes of a register.
pub fn lane_count(cell: &RegisterCell, format: LaneFormat) -> u16 {
    u16::try_from(cell.value.0.len() / usize::from(format.size_bytes.max(1))).unwrap_or(u16::MAX)
}

/// Returns the name of a lane format for menus: `float 32`.
pub fn lane_format_name(format: LaneFormat) -> String {
    let bits = format.bits();
    match format.kind {
        LaneKind::Hex => say!("registers-lanes-hex", bits = bits),
        LaneKind::Unsigned => say!("registers-lanes-unsigned", bits = bits),
        LaneKind::Signed => say!("registers-lanes-signed", bits = bits),
        LaneKind::Float => say!("registers-lanes-float", bits = bits),
    }
}

/// Returns the name of a format for menus.
pub fn format_name(format: RegisterFormat) -> &'static str {
    match format {
        RegisterFormat::Hex => say!("registers-as-hex"),
        RegisterFormat::Unsigned => say!("registers-as-unsigned"),
        RegisterFormat::Signed => say!("registers-as-signed"),
        RegisterFormat::Float => say!("registers-as-float"),
        RegisterFormat::Text => say!("registers-as-text"),
    }
}

/// Formats a value in all formats except hexadecimal, one per line: `unsigned 10`.
pub fn readings(value: &Value) -> Vec<String> {
    if value.to_u64().is_none() {
        return Vec::new();
    }
    let reading = |format| {
        let text = RegisterStyle {
            format,
            is_half: false,
        }
        .value_text(value);
        format!("{} {text}", format_name(format))
    };
    RegisterFormat::ALL
        .into_iter()
        .skip(1)
        .map(reading)
        .collect()
}

fn character(byte: &Option<u8>) -> char {
    match byte {
        Some(byte) if (0x20..0x7f).contains(byte) => char::from(*byte),
        Some(_) => '.',
        None => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: RegisterFormat, number: u64, expected: &str) {
        let value = Value(number.to_le_bytes().map(Some).to_vec());
        assert_eq!(
            RegisterStyle {
                format,
                is_half: false
            }
            .value_text(&value),
            expected
        );
    }

    #[test]
    fn a_value_is_written_in_several_ways() {
        check(RegisterFormat::Hex, 0x10, "0000000000000010");
        check(RegisterFormat::Unsigned, u64::MAX, "18446744073709551615");
        check(RegisterFormat::Signed, u64::MAX, "-1");
        check(RegisterFormat::Float, 1.5f64.to_bits(), "1.5");
        check(RegisterFormat::Text, 0x0064_6c6f_6700_4142, "BA.gold.");
    }

    #[test]
    fn the_lower_half_has_a_name_of_its_own() {
        let value = Value(0x1122_3344_ffff_ffff_u64.to_le_bytes().map(Some).to_vec());
        let cell = RegisterCell {
            name: "x0".to_owned(),
            half_name: Some("w0".to_owned()),
            hex: value.hex(),
            value,
            ..RegisterCell::default()
        };
        let half = RegisterStyle {
            format: RegisterFormat::Signed,
            is_half: true,
        };
        assert_eq!((half.name(&cell), half.text(&cell).as_str()), ("w0", "-1"));
        let whole = RegisterStyle::default();
        assert_eq!(
            (whole.name(&cell), whole.text(&cell).as_str()),
            ("x0", "11223344ffffffff")
        );
        assert_eq!(whole.zeros("0010"), 2);
        assert_eq!(readings(&cell.value).len(), 4);
    }
}

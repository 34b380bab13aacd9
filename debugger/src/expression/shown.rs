//! Numbers and memory ranges typed as listings display them: hexadecimal digits without `0x`, and
//! `ADDR[:LEN]`.
//!
//! Bare digits are ambiguous. [`BareNumber`] has the rule that every field and option follows.

use std::borrow::Cow;
use std::fmt;

use crate::expression::lookup::NameLookup;
use crate::expression::operation::Operation;
use crate::expression::token::NameKind;
use crate::expression::typed_number::TypedNumber;
use crate::expression::value_path::{ValuePath, VariableAspect};
use crate::messages::say;
use crate::number::number;

/// Minimum number of digits of a number that is hexadecimal unless its decimal reading fits the
/// trace better.
pub const LONG_HEX: usize = 5;

/// Parses hexadecimal digits with or without `0x`; `None` for anything else.
///
/// ```
/// use stepback_debugger::expression::shown_address;
///
/// assert_eq!(shown_address("80020340"), Some(0x80020340));
/// assert_eq!(shown_address("0x8ffff5e0"), Some(0x8ffff5e0));
/// assert_eq!(shown_address("sp + 8"), None);
/// ```
pub fn shown_address(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .strip_prefix("0x")
        .or(text.strip_prefix("0X"))
        .unwrap_or(text);
    let is_hex = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// Returns the value of hexadecimal digits without `0x`, up to 64 bits; `None` for anything else.
pub fn bare_hex(text: &str) -> Option<u64> {
    let is_hex = text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    shown_address(text).filter(|_| is_hex)
}

/// A number without a prefix whose digits have a hexadecimal reading that differs from the one in C
/// syntax.
///
/// Listings print addresses without `0x`, and C reads `80020340` as a decimal number. One rule
/// decides in every field and option:
///
/// - Digits that C cannot read (`8ffff5e0`) are hexadecimal.
/// - In an expression that names a variable of the program, all others are as in C.
/// - If exactly one reading is an address in memory that the trace uses, it is chosen.
/// - Otherwise five or more digits are hexadecimal outside arithmetic, and everything else is as in
///   C.
///
/// A shorter number inside a sum (`sp+16`) is always as in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareNumber {
    /// The digits as typed.
    pub digits: String,
    /// Value in C syntax, decimal or octal; `None` if C has no such number.
    pub in_c: Option<u64>,
    /// Hexadecimal value.
    pub hexadecimal: u64,
    pub surroundings: Surroundings,
}

/// Part of an expression that surrounds a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surroundings {
    /// It is an operand of an arithmetic operator.
    #[default]
    Arithmetic,
    /// It is no such operand: `[80020340]`, `pc == 80020340`.
    Alone,
    /// The expression names a variable of the program.
    Variable,
}

impl BareNumber {
    /// Parses digits; `None` if their reading in C is unambiguous or they are no hexadecimal
    /// number.
    pub fn of(digits: &str) -> Option<Self> {
        let (hexadecimal, in_c) = (bare_hex(digits)?, number(digits).ok());
        let is_binary = in_c.is_some()
            && digits
                .get(1..2)
                .is_some_and(|letter| letter.eq_ignore_ascii_case("b"));
        let is_bare = in_c != Some(hexadecimal) && !is_binary;
        is_bare.then(|| Self {
            digits: digits.to_owned(),
            in_c,
            hexadecimal,
            surroundings: Surroundings::default(),
        })
    }

    /// Returns the number as an operand of an expression.
    pub(super) fn within(
        &self,
        operations: &[(usize, Operation)],
        context: &dyn NameLookup,
    ) -> Cow<'_, Self> {
        let is_variable = |operation: &Operation| match operation {
            Operation::Name(NameKind::Any, name) => {
                let path = ValuePath::of_name(name);
                context.variable(&path, VariableAspect::Value).is_some()
            }
            Operation::Path(_) => true,
            _ => false,
        };
        let mut others = operations.iter().map(|(_, operation)| operation);
        match others.any(is_variable) {
            true => Cow::Owned(Self {
                surroundings: Surroundings::Variable,
                ..self.clone()
            }),
            false => Cow::Borrowed(self),
        }
    }

    /// Chooses a reading.
    pub fn read(&self, context: &dyn NameLookup) -> ChosenReading {
        let Some(in_c) = self.in_c else {
            return self.taken_as(self.hexadecimal, None);
        };
        let is_long = self.digits.len() >= LONG_HEX;
        let is_alone = match self.surroundings {
            Surroundings::Alone => true,
            Surroundings::Arithmetic if is_long => false,
            Surroundings::Arithmetic | Surroundings::Variable => return self.taken_as(in_c, None),
        };
        match (context.is_used(self.hexadecimal), context.is_used(in_c)) {
            (true, false) => self.taken_as(self.hexadecimal, Some(in_c)),
            (false, true) => self.taken_as(in_c, None),
            _ if is_alone && is_long => self.taken_as(self.hexadecimal, Some(in_c)),
            _ => self.taken_as(in_c, Some(self.hexadecimal)),
        }
    }

    /// Returns the number of the chosen reading.
    pub(super) fn number(&self, context: &dyn NameLookup) -> TypedNumber {
        match self.read(context) {
            reading if reading.is_hexadecimal => TypedNumber::digits(reading.taken),
            reading => TypedNumber::in_c(&self.digits, reading.taken),
        }
    }

    fn taken_as(&self, taken: u64, other: Option<u64>) -> ChosenReading {
        ChosenReading {
            text: self.digits.clone(),
            taken,
            other,
            is_hexadecimal: taken == self.hexadecimal,
        }
    }
}

/// Another reading of a typed address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherReading {
    /// The value in C syntax of digits that were read as a hexadecimal address.
    Decimal(u64),
    /// The hexadecimal address of digits or of a name.
    Address(u64),
}

impl OtherReading {
    /// Returns the reading of a text that was not chosen; `None` if only one makes sense.
    pub fn of(text: &str, taken: u64) -> Option<Self> {
        let text = text.trim();
        let address = bare_hex(text).map(Self::Address);
        let in_c = BareNumber::of(text)
            .and_then(|bare| bare.in_c)
            .map(Self::Decimal);
        address
            .into_iter()
            .chain(in_c)
            .find(|reading| reading.value() != taken)
    }

    /// Returns the address of the reading.
    pub fn value(self) -> u64 {
        match self {
            Self::Decimal(value) | Self::Address(value) => value,
        }
    }
}

/// The reading chosen for a text that has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenReading {
    /// The digits or the name as typed.
    pub text: String,
    /// Value of the chosen reading.
    pub taken: u64,
    /// Value of the other reading, if it makes sense.
    pub other: Option<u64>,
    /// True if the text was read as a hexadecimal number.
    pub is_hexadecimal: bool,
}

impl fmt::Display for ChosenReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, taken) = (self.text.as_str(), format!("{:#x}", self.taken));
        let is_number = text.starts_with(|first: char| first.is_ascii_digit());
        f.write_str(&match (
            self.other.map(|other| format!("{other:#x}")),
            self.is_hexadecimal,
            is_number,
        ) {
            (None, _, _) => say!("reading-hexadecimal-alone", text = text, taken = taken),
            (Some(other), true, _) => say!(
                "reading-hexadecimal",
                text = text,
                taken = taken,
                other = other
            ),
            (Some(other), false, true) => {
                say!("reading-decimal", text = text, taken = taken, other = other)
            }
            (Some(other), false, false) => {
                say!("reading-name", text = text, taken = taken, other = other)
            }
        })
    }
}

/// Returns the hexadecimal address that an undefined name means, as listings show it (`ffff8000`).
///
/// A short word must name memory that the trace uses: it is more likely a mistake.
pub fn address_of_name(name: &str, context: &dyn NameLookup) -> Option<u64> {
    let address = bare_hex(name)?;
    let is_long = name.len() >= LONG_HEX && name.bytes().any(|byte| byte.is_ascii_digit());
    (is_long || context.is_used(address)).then_some(address)
}

/// Returns the decimal value of digits without `0x`.
pub fn decimal(text: &str) -> Option<u64> {
    let text = text.trim();
    text.parse()
        .ok()
        .filter(|_| text.bytes().all(|digit| digit.is_ascii_digit()))
}
/// Address space of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Addresses of the program.
    Virtual,
    /// Addresses of physical memory, known from translations that the trace records.
    Physical,
}

/// Prefixes of a physical address.
const PHYSICAL: [&str; 2] = ["phys::", "pa::"];

/// Splits off the prefix of a physical address: `phys::0x1f000:8`.
pub fn split_space(text: &str) -> (AddressSpace, &str) {
    let rest = PHYSICAL
        .iter()
        .find_map(|prefix| text.trim_start().strip_prefix(prefix));
    rest.map_or((AddressSpace::Virtual, text), |rest| {
        (AddressSpace::Physical, rest)
    })
}

/// Splits `ADDR[:LEN]`, as the command line and the palette accept it. The colons of `reg::x0`
/// belong to the address, and so do those inside backticks and brackets.
pub fn split_range(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((address, len)) if !address.ends_with(':') && !len.contains(['`', ']']) => {
            (address, Some(len))
        }
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ValueLookup, Width};
    use super::*;

    /// Memory is used from 0x80020000 to 0x8002ffff and from 4096 to 8191.
    struct Used;

    impl NameLookup for Used {
        fn register(&self, _: &str) -> Option<ValueLookup> {
            None
        }

        fn symbols(&self, _: &str) -> Vec<u64> {
            Vec::new()
        }

        fn memory(&self, _: u64, _: Width) -> ValueLookup {
            ValueLookup::Unknown
        }

        fn is_used(&self, address: u64) -> bool {
            (0x8002_0000..0x8003_0000).contains(&address) || (4096..8192).contains(&address)
        }
    }

    #[track_caller]
    fn check(text: &str, expected: u64) {
        assert_eq!(super::super::evaluate(text, &Used), Ok(expected), "{text}");
    }

    #[test]
    fn an_address_is_read_as_it_is_shown() {
        check("80020340", 0x8002_0340);
        check("80020340+8", 0x8002_0348);
        check("8002034c", 0x8002_034c);
        check("0002034c", 0x2034c);
        check("1000", 0x1000);
        check("ffff8000", 0xffff_8000);
        // Neither reading is used memory: listings print such a long number as an address.
        check("90000000", 0x9000_0000);
    }

    #[test]
    fn a_number_in_c_syntax_stays_one_where_it_fits() {
        check("4096", 4096);
        check("0x4096", 0x4096);
        check("2147615552", 0x8002_0340);
        check("16", 16);
        check("020", 16);
        check("0b10000", 16);
        check("4096+16", 4112);
        check("4096+80020", 84_116);
        check("1<<12", 4096);
        check("80020340u", 80_020_340);
    }

    #[test]
    fn both_readings_are_reported() {
        let readings = |text: &str| -> Vec<String> {
            let readings = super::super::parse(text).unwrap().readings(&Used);
            readings.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            readings("80020340 + 8"),
            ["80020340 is read as hexadecimal 0x80020340; as decimal it would be 0x4c50374"]
        );
        assert_eq!(
            readings("9000"),
            ["9000 is read as a decimal number, 0x2328; for hexadecimal write 0x9000"]
        );
        assert_eq!(
            readings("8002034c"),
            ["8002034c is read as hexadecimal 0x8002034c"]
        );
        assert_eq!(readings("0x80020340 + 16"), [""; 0]);
        for text in ["8", "4096", "-16"] {
            assert_eq!(readings(text), [""; 0]);
        }
    }

    #[test]
    fn the_other_reading_of_what_was_typed_is_known() {
        let other = |text: &str, taken| OtherReading::of(text, taken);
        assert_eq!(
            other("80020340", 0x8002_0340),
            Some(OtherReading::Decimal(80_020_340))
        );
        assert_eq!(
            other("80020340", 80_020_340),
            Some(OtherReading::Address(0x8002_0340))
        );
        assert_eq!(other("8", 8), None);
        assert_eq!(other("0x80020340", 0x8002_0340), None);
        assert_eq!(other("fa0", 0x1234), Some(OtherReading::Address(0xfa0)));
        assert_eq!(other("sp", 0), None);
        assert_eq!(other("12345678901234567", 0), None);
    }

    #[test]
    fn a_short_word_is_an_address_only_where_the_trace_uses_it() {
        assert_eq!(address_of_name("fffe8", &Used), Some(0xf_ffe8));
        assert_eq!(address_of_name("face", &Used), None);
        assert_eq!(address_of_name("nosuch", &Used), None);
    }
}

#[cfg(test)]
mod range_tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, address: &str, len: Option<&str>) {
        assert_eq!(split_range(text), (address, len), "{text}");
    }

    #[test]
    fn a_physical_address_says_so() {
        assert_eq!(
            split_space(" phys::0x1f000:8"),
            (AddressSpace::Physical, "0x1f000:8")
        );
        assert_eq!(split_space("pa::sp"), (AddressSpace::Physical, "sp"));
        // A symbol and a length.
        assert_eq!(split_space("phys:8"), (AddressSpace::Virtual, "phys:8"));
    }

    #[test]
    fn the_last_colon_begins_the_length() {
        check("0x1000", "0x1000", None);
        check("sp+8:16", "sp+8", Some("16"));
        check("reg::x0", "reg::x0", None);
        check("reg::x0:4", "reg::x0", Some("4"));
        check("sym::`a::b(int)`", "sym::`a::b(int)`", None);
        check("u32[sp+8]:16", "u32[sp+8]", Some("16"));
        check("[reg::sp]", "[reg::sp]", None);
        check("sym::`a::b(int)`:2", "sym::`a::b(int)`", Some("2"));
    }
}

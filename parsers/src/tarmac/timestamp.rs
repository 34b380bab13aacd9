//! Timestamp at the beginning of a line, with its unit.

use crate::tarmac::fault::{FaultKind, LineFault};
use crate::tarmac::header::{begins_record, is_record_type};
use crate::text::digits;
use crate::text::lexer::{Lexer, Token};

/// Timestamp of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Timestamp<'a> {
    /// `None` if the line has none, or one that does not fit in 64 bits.
    pub time: Option<u64>,
    pub unit: Option<&'a [u8]>,
    /// Problem in a timestamp, though the line can be read.
    pub doubt: Option<LineFault>,
}

const UNITS: [&[u8]; 10] = [
    b"clk", b"ns", b"cs", b"cyc", b"tic", b"ps", b"us", b"ms", b"s", b"fs",
];
/// The units with the micro sign and with the Greek letter.
const MICRO: [&[u8]; 2] = ["µs".as_bytes(), "μs".as_bytes()];
/// Maximum length of a unit.
const UNIT_LIMIT: usize = 12;

impl<'a> Timestamp<'a> {
    /// Reads the timestamp and its unit, if the line begins with one.
    pub fn take(fields: &mut Lexer<'a>) -> Result<Self, LineFault> {
        let column = fields.at();
        let Token::Word(word) = fields.peek() else {
            return Ok(Self::default());
        };
        let length = word
            .iter()
            .position(|&byte| !byte.is_ascii_digit() && byte != b'.')
            .unwrap_or(word.len());
        let (number, glued) = word.split_at(length);
        if number.is_empty() {
            return Ok(Self::default());
        }
        let mut after = *fields;
        after.next();
        let is_unit = glued.is_empty() || UNITS.contains(&glued) || is_new_unit(glued, after);
        if !is_unit {
            return Ok(Self::default());
        }
        let time = if number.contains(&b'.') {
            millionths(number)
        } else {
            digits::decimal(number)
        };
        let is_number = number.iter().any(u8::is_ascii_digit)
            && number.iter().filter(|byte| **byte == b'.').count() < 2;
        if !is_number {
            return Err(FaultKind::NotTarmac.at(column));
        }
        *fields = after;
        let unit_at = if glued.is_empty() {
            fields.at()
        } else {
            column + number.len()
        };
        let unit = if glued.is_empty() {
            take_unit(fields)
        } else {
            Some(glued)
        };
        let is_unknown = unit.is_some_and(|unit| !UNITS.contains(&unit) && !MICRO.contains(&unit));
        let doubt = match time {
            None => Some(FaultKind::TooLarge("timestamp").at(column)),
            Some(_) => is_unknown.then(|| FaultKind::UnknownUnit.at(unit_at)),
        };
        Ok(Self { time, unit, doubt })
    }
}

fn take_unit<'a>(fields: &mut Lexer<'a>) -> Option<&'a [u8]> {
    if let Some(micro) = MICRO.iter().find(|micro| fields.rest().starts_with(micro)) {
        fields.skip(micro.len());
        return Some(micro);
    }
    let Token::Word(unit) = fields.peek() else {
        return None;
    };
    let mut after = *fields;
    after.next();
    let is_unit = UNITS.contains(&unit) || is_new_unit(unit, after);
    is_unit.then(|| {
        *fields = after;
        unit
    })
}

/// Returns true for an unknown word between a number and certainly a record. Otherwise a trace in
/// an unknown unit would have no instructions.
fn is_new_unit(word: &[u8], after: Lexer<'_>) -> bool {
    let is_word =
        word.iter().all(u8::is_ascii_alphabetic) && (1..=UNIT_LIMIT).contains(&word.len());
    // A row of a diagram is a number and a word of hexadecimal digits.
    is_word && !digits::is_hex(word) && !is_record_type(Token::Word(word)) && begins_record(after)
}

/// Parses a number with a decimal point, times a million, rounded. The unit has no effect: `1.5 us`
/// and `1.5 ns` are the same.
fn millionths(number: &[u8]) -> Option<u64> {
    let point = number.iter().position(|&byte| byte == b'.')?;
    let (whole, fraction) = (number.get(..point)?, number.get(point + 1..)?);
    if whole.is_empty() && fraction.is_empty() || fraction.contains(&b'.') {
        return None;
    }
    let mut value = if whole.is_empty() {
        0
    } else {
        digits::decimal(whole)?
    };
    for place in 0..6 {
        let digit = fraction.get(place).map_or(0, |byte| byte & 15);
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    let is_rounded_up = fraction.get(6).is_some_and(|byte| *byte >= b'5');
    value.checked_add(u64::from(is_rounded_up))
}

//! Header of a line: `[time [unit]] [cpu] type` ([`LineHeader`]). Producers differ in units, CPU
//! names and type words, so unknown ones are accepted where the rest of the line shows that it is a
//! record. [`LineHead`] is the beginning of a line for callers that need more than its events.

use stepback_machine::AccessKind;

use crate::problem::{LineFault, TarmacFault};
use crate::text::digits;
use crate::text::lexer::{Lexer, Token};
use crate::text::window::without_return;

/// Beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineHeader<'a> {
    /// Timestamp on the line.
    pub time: Option<u64>,
    /// Unit after the timestamp.
    pub unit: Option<&'a [u8]>,
    /// Word that names the CPU, such as `cpu0`.
    pub cpu: Option<&'a [u8]>,
    /// Kind of the line.
    pub kind: LineKind,
    /// Type word.
    pub word: &'a [u8],
    /// Offset of the type word in the line.
    pub word_at: usize,
    /// Tokens after the type word.
    pub fields: Lexer<'a>,
    /// Problem in a header that could be read nevertheless.
    pub doubt: Option<LineFault>,
}

/// Kind of a line, by its type word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// `IT`, `IS`, `IF`, `ES`.
    Instruction,
    /// `R`.
    Register,
    /// `MR4`, `W02`, …
    Memory,
    /// `LD` and `ST`.
    Diagram(AccessKind),
    /// `E`.
    Event,
    /// `EXC`.
    Exception,
    /// Title line at the top of a file of the ES style.
    Title,
    /// Known type without an effect on registers and memory.
    Note,
    /// Word that may be an event type of an unknown producer.
    Unknown,
}

/// Types without an effect on registers and memory. Among them are those of the Fast Models
/// reference (100964) for program flow (`FD`, `FI`, `FR`) and translation (`TTW`, `TLB`,
/// `WALKCACHE`).
const NOTES: [&[u8]; 11] = [
    b"CADI",
    b"P",
    b"CACHE",
    b"TTW",
    b"TLB",
    b"WALKCACHE",
    b"BR",
    b"FD",
    b"FI",
    b"FR",
    b"SIGNAL",
];

/// Maximum length of a type word.
const TYPE_LIMIT: usize = 32;

impl<'a> LineHeader<'a> {
    /// Reads the beginning of a line; `None` for a blank line.
    pub fn read(line: &'a [u8]) -> Result<Option<Self>, LineFault> {
        let mut fields = Lexer::new(line);
        let has_hole = line.first() == Some(&0);
        if fields.peek() == Token::End {
            return if has_hole {
                Err(TarmacFault::NotTarmac.at(0))
            } else {
                Ok(None)
            };
        }
        let Timestamp { time, unit, doubt } = Timestamp::take(&mut fields)?;
        let cpu = take_cpu(&mut fields).or_else(|| unit.and_then(|_| take_cpu_number(&mut fields)));
        let word_at = fields.at();
        let is_bare = time.is_none() && doubt.is_none() && cpu.is_none();
        let expected = if is_bare {
            TarmacFault::NotTarmac
        } else {
            TarmacFault::Expected("an event type")
        };
        let word = fields.word().ok_or(expected.at(word_at))?;
        let unknown = (unit.is_some() && is_type_of_somebody(word)).then_some(LineKind::Unknown);
        let kind = line_kind(word)
            .or(unknown)
            .ok_or(TarmacFault::NotTarmac.at(word_at))?;
        let doubt = doubt.or(has_hole.then(|| TarmacFault::Hole.at(0)));
        Ok(Some(Self {
            time,
            unit,
            cpu,
            kind,
            word,
            word_at,
            fields,
            doubt,
        }))
    }
}

/// Reads the word that names the CPU. It begins with `cpu`, or resembles a CPU name and is followed
/// by a record (`CPU1`, `core0`, `cluster0.cpu1`).
fn take_cpu<'a>(fields: &mut Lexer<'a>) -> Option<&'a [u8]> {
    let Token::Word(word) = fields.peek() else {
        return None;
    };
    let mut after = *fields;
    after.next();
    after.mark(b':');
    let is_cpu = word.starts_with(b"cpu") || looks_like_cpu(word) && is_record_type(after.peek());
    is_cpu.then(|| {
        *fields = after;
        word
    })
}

/// Reads a CPU that is a number, as test generators write it: `1 clk 0 IT …`.
fn take_cpu_number<'a>(fields: &mut Lexer<'a>) -> Option<&'a [u8]> {
    let Token::Word(word) = fields.peek() else {
        return None;
    };
    let mut after = *fields;
    after.next();
    let is_number = (1..=CPU_DIGITS).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
    (is_number && is_record_type(after.peek())).then(|| {
        *fields = after;
        word
    })
}

/// Maximum number of digits of a CPU number.
const CPU_DIGITS: usize = 4;

/// Returns true for `CPU1`, `core0`, `cluster0.cpu1`, `PE3`.
fn looks_like_cpu(word: &[u8]) -> bool {
    const NAMES: [&[u8]; 7] = [
        b"cpu", b"core", b"pe", b"hart", b"cluster", b"proc", b"thread",
    ];
    let is_name = |part: &[u8]| {
        let letters = part
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let (letters, number) = part.split_at(letters);
        NAMES.iter().any(|name| letters.eq_ignore_ascii_case(name))
            && number
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'_')
    };
    word.len() <= CPU_LIMIT && word.split(|byte| *byte == b'.').any(is_name)
}

/// Maximum length of a CPU name that does not begin with `cpu`.
const CPU_LIMIT: usize = 64;

/// Returns true if a record of a known type follows, with or without a CPU.
pub(super) fn begins_record(mut fields: Lexer<'_>) -> bool {
    take_cpu(&mut fields);
    is_record_type(fields.peek())
}

/// Returns true for a word that is a known type.
pub(super) fn is_record_type(token: Token<'_>) -> bool {
    let Token::Word(word) = token else {
        return false;
    };
    match line_kind(word) {
        Some(LineKind::Note) => NOTES.contains(&word) || is_access_word(word, b'B'),
        None | Some(LineKind::Unknown | LineKind::Title) => false,
        Some(_) => true,
    }
}

fn line_kind(word: &[u8]) -> Option<LineKind> {
    let kind = match word {
        b"IT" | b"IS" | b"IF" | b"ES" => LineKind::Instruction,
        b"R" => LineKind::Register,
        b"LD" => LineKind::Diagram(AccessKind::Read),
        b"ST" => LineKind::Diagram(AccessKind::Write),
        b"E" => LineKind::Event,
        b"EXC" => LineKind::Exception,
        b"Tarmac" => LineKind::Title,
        _ if is_memory_word(word) => LineKind::Memory,
        // The bus repeats accesses of the caches, with physical addresses.
        _ if is_access_word(word, b'B') => LineKind::Note,
        _ if NOTES.contains(&word) || word.starts_with(b"INFO_") => LineKind::Note,
        _ if word.starts_with(b"M") && is_plausible(word) => LineKind::Note,
        _ if is_plausible(word) => LineKind::Unknown,
        _ => return None,
    };
    Some(kind)
}

fn is_plausible(word: &[u8]) -> bool {
    let is_made_of = |word: &[u8]| {
        word.iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    word.len() <= TYPE_LIMIT
        && is_made_of(word)
        && word.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Returns true for an unusual type word such as `foo.bar`. It is accepted only on a line with a
/// unit, which is not prose.
fn is_type_of_somebody(word: &[u8]) -> bool {
    word.len() <= TYPE_LIMIT
        && word.first().is_some_and(u8::is_ascii_alphabetic)
        && !word.contains(&b'#')
}

/// Returns true for `R01` to `W08`, and for words of accesses with `M`: `MR4`, `MW4X`, `MNR4O__D`.
/// Others (`MMU`, `MARKER`) only look similar.
fn is_memory_word(word: &[u8]) -> bool {
    matches!(word, [b'R' | b'W', b'0', b'1' | b'2' | b'4' | b'8']) || is_access_word(word, b'M')
}

/// Returns true for words with this first letter, a direction and a size: `MR4`, `BNR4___I`,
/// `BW4DX_S`.
fn is_access_word(word: &[u8], first: u8) -> bool {
    let direction = word.iter().position(|byte| matches!(byte, b'R' | b'W'));
    let size = word.iter().position(u8::is_ascii_digit);
    let is_near = direction
        .zip(size)
        .is_some_and(|(direction, size)| (direction + 1..=direction + 2).contains(&size));
    word.first() == Some(&first)
        && is_near
        && word
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

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
            return Err(TarmacFault::NotTarmac.at(column));
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
            None => Some(TarmacFault::TooLarge("timestamp").at(column)),
            Some(_) => is_unknown.then(|| TarmacFault::UnknownUnit.at(unit_at)),
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

/// Beginning of a line.
///
/// ```
/// use stepback_parsers::tarmac::{LineHead, LineShape};
/// let head = LineHead::read(b"53 clk MR8 000ffb80 00000000_000ffbb8").unwrap();
/// assert_eq!((head.time, head.shape), (Some(53), LineShape::Contiguous));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHead {
    /// Timestamp on the line, as written.
    pub time: Option<u64>,
    /// Shape of the line.
    pub shape: LineShape,
}

/// Shape of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineShape {
    /// `MR8 address value`: the value is a number.
    Contiguous,
    /// `LD address words…`: the value is a diagram of memory.
    Diagram,
    /// Anything else, including the further rows of a diagram, which have no distinct form.
    Other,
}

impl LineHead {
    /// Reads the beginning of a line; `None` if it has no known form.
    pub fn read(line: &[u8]) -> Option<Self> {
        let header = LineHeader::read(without_return(line)).ok().flatten()?;
        let shape = match header.kind {
            LineKind::Memory => LineShape::Contiguous,
            LineKind::Diagram(_) => LineShape::Diagram,
            _ => LineShape::Other,
        };
        Some(Self {
            time: header.time,
            shape,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Option<u64>, LineShape)>) {
        let head = LineHead::read(line.as_bytes()).map(|head| (head.time, head.shape));
        assert_eq!(head, expected, "{line}");
    }

    #[test]
    fn a_line_tells_its_time_and_its_shape() {
        check(
            "5 clk MW4 00001000 00000001\r",
            Some((Some(5), LineShape::Contiguous)),
        );
        check(
            "1.5 us LD 00001000 ........ ........ ........ 00000001",
            Some((Some(1_500_000), LineShape::Diagram)),
        );
        check(
            "      ST 00001000 ........ ........ ........ 00000001",
            Some((None, LineShape::Diagram)),
        );
        check(
            "7clk cpu1 R X0 0000000000000000",
            Some((Some(7), LineShape::Other)),
        );
        check("", None);
        check("@", None);
    }
}

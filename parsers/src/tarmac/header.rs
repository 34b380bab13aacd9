//! What all lines begin with: `[time [unit]] [cpu] type`.

use super::digits;
use super::fault::{Fault, FaultKind};
use super::lexer::{Lexer, Token};
use crate::AccessKind;

/// The beginning of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    /// The line's own timestamp.
    pub time: Option<u64>,
    /// The unit behind it.
    pub unit: Option<&'a [u8]>,
    /// The word that names the CPU, such as `cpu0`.
    pub cpu: Option<&'a [u8]>,
    /// What the line tells.
    pub kind: LineKind,
    /// The type word.
    pub word: &'a [u8],
    /// Offset of the type word in the line.
    pub word_at: usize,
    /// The tokens after the type word.
    pub fields: Lexer<'a>,
}

/// What a line tells, by its type word.
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
    /// The line at the top of a file of the ES style.
    Title,
    /// Known, and of no effect on registers and memory.
    Note,
    /// A word that may be an event type of a producer that we have not met.
    Unknown,
}

const UNITS: [&[u8]; 10] = [b"clk", b"ns", b"cs", b"cyc", b"tic", b"ps", b"us", b"ms", b"s", b"fs"];
const NOTES: [&[u8]; 7] = [b"CADI", b"P", b"CACHE", b"TTW", b"BR", b"INFO_EXCEPTION_REASON", b"SIGNAL"];

/// Longer type words are no type words.
const TYPE_LIMIT: usize = 32;

impl<'a> Header<'a> {
    /// Reads the beginning of a line; none for a blank line.
    pub fn read(line: &'a [u8]) -> Result<Option<Self>, Fault> {
        let mut fields = Lexer::new(line);
        if fields.peek() == Token::End {
            return Ok(None);
        }
        let (time, unit) = timestamp(&mut fields)?;
        let cpu = match fields.peek() {
            Token::Word(word) if word.starts_with(b"cpu") => fields.word(),
            _ => None,
        };
        let word_at = fields.at();
        let is_bare = time.is_none() && cpu.is_none();
        let expected = if is_bare { FaultKind::NotTarmac } else { FaultKind::Expected("an event type") };
        let word = fields.word().ok_or(expected.at(word_at))?;
        let kind = line_kind(word).ok_or(FaultKind::NotTarmac.at(word_at))?;
        Ok(Some(Self { time, unit, cpu, kind, word, word_at, fields }))
    }
}

/// Takes the timestamp and its unit.
fn timestamp<'a>(fields: &mut Lexer<'a>) -> Result<(Option<u64>, Option<&'a [u8]>), Fault> {
    let Token::Word(word) = fields.peek() else { return Ok((None, None)) };
    let length = word.iter().position(|&byte| !byte.is_ascii_digit() && byte != b'.').unwrap_or(word.len());
    let (number, glued) = word.split_at(length);
    if number.is_empty() || !(glued.is_empty() || UNITS.contains(&glued)) {
        return Ok((None, None));
    }
    let time = if number.contains(&b'.') { millionths(number) } else { digits::decimal(number) };
    let is_number = number.iter().any(u8::is_ascii_digit) && number.iter().filter(|byte| **byte == b'.').count() < 2;
    let kind = if is_number { FaultKind::TooLarge("timestamp") } else { FaultKind::NotTarmac };
    let time = time.ok_or(kind.at(fields.at()))?;
    fields.next();
    let unit = match fields.peek() {
        _ if !glued.is_empty() => Some(glued),
        Token::Word(unit) if UNITS.contains(&unit) => fields.word(),
        _ => None,
    };
    Ok((Some(time), unit))
}

/// A number with a point, times a million, rounded. The unit has no say: `1.5 us` and `1.5 ns` are the same.
fn millionths(number: &[u8]) -> Option<u64> {
    let point = number.iter().position(|&byte| byte == b'.')?;
    let (whole, fraction) = (number.get(..point)?, number.get(point + 1..)?);
    if whole.is_empty() && fraction.is_empty() || fraction.contains(&b'.') {
        return None;
    }
    let mut value = if whole.is_empty() { 0 } else { digits::decimal(whole)? };
    for place in 0..6 {
        let digit = fraction.get(place).map_or(0, |byte| byte & 15);
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    let is_rounded_up = fraction.get(6).is_some_and(|byte| *byte >= b'5');
    value.checked_add(u64::from(is_rounded_up))
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
        _ if NOTES.contains(&word) || word.starts_with(b"M") && is_plausible(word) => LineKind::Note,
        _ if is_plausible(word) => LineKind::Unknown,
        _ => return None,
    };
    Some(kind)
}

fn is_plausible(word: &[u8]) -> bool {
    let is_made_of = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    word.len() <= TYPE_LIMIT && is_made_of(word) && word.first().is_some_and(u8::is_ascii_alphabetic)
}

/// `R01` to `W08`, and words with `M`, a direction and a size: `MR4`, `MW4X`, `MNR4O__D`.
/// Others (`MMU`, `MARKER`) only look alike.
fn is_memory_word(word: &[u8]) -> bool {
    if let [b'R' | b'W', b'0', b'1' | b'2' | b'4' | b'8'] = word {
        return true;
    }
    let direction = word.iter().position(|byte| matches!(byte, b'R' | b'W'));
    let size = word.iter().position(u8::is_ascii_digit);
    let is_near = direction.zip(size).is_some_and(|(direction, size)| (direction + 1..=direction + 2).contains(&size));
    word.starts_with(b"M")
        && is_near
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

//! Header of a line: `[time [unit]] [cpu] type`.

use stepback_machine::AccessKind;

use crate::tarmac::fault::{FaultKind, LineFault};
use crate::tarmac::timestamp::Timestamp;
use crate::text::lexer::{Lexer, Token};

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
                Err(FaultKind::NotTarmac.at(0))
            } else {
                Ok(None)
            };
        }
        let Timestamp { time, unit, doubt } = Timestamp::take(&mut fields)?;
        let cpu = take_cpu(&mut fields).or_else(|| unit.and_then(|_| take_cpu_number(&mut fields)));
        let word_at = fields.at();
        let is_bare = time.is_none() && doubt.is_none() && cpu.is_none();
        let expected = if is_bare {
            FaultKind::NotTarmac
        } else {
            FaultKind::Expected("an event type")
        };
        let word = fields.word().ok_or(expected.at(word_at))?;
        let unknown = (unit.is_some() && is_type_of_somebody(word)).then_some(LineKind::Unknown);
        let kind = line_kind(word)
            .or(unknown)
            .ok_or(FaultKind::NotTarmac.at(word_at))?;
        let doubt = doubt.or(has_hole.then(|| FaultKind::Hole.at(0)));
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

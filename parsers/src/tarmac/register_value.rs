//! Contents of a register as written on a register line.

use crate::problem::{LineFault, TarmacFault};
use crate::tarmac::register_name::ValueKind;
use crate::text::digits;
use crate::text::digits::DigitRows;
use crate::text::lexer::{Lexer, Token};

/// Width in bytes of the widest register.
const WIDEST: usize = 256;

/// State of one byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteState {
    /// `--`: the byte keeps its contents.
    Kept,
    /// `xx`: the byte was written with an unknown value.
    Unknown,
    /// Two digits: the value is known.
    Known,
}

/// A value, least significant byte first.
#[derive(Clone, Debug)]
pub(super) struct RegisterValue {
    bytes: [u8; WIDEST],
    states: [ByteState; WIDEST],
    size_bytes: usize,
    /// Number of digits on the line.
    digits: usize,
    /// True if they are not written in rows.
    is_scattered: bool,
    /// Problem with the number of digits of a value that could be read nevertheless.
    doubt: Option<LineFault>,
}

/// Format of a value that is expected before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueFormat {
    pub kind: ValueKind,
    /// Width; `None` for registers outside the table, which are as wide as written.
    pub size_bytes: Option<usize>,
}

impl ValueFormat {
    /// Returns a value without known bytes, for a text that cannot be read: the register has a new
    /// value, which is unknown. Returns the fault for registers of unknown width.
    fn unreadable(self, why: LineFault) -> Result<RegisterValue, LineFault> {
        let size_bytes = self
            .size_bytes
            .filter(|_| self.kind != ValueKind::Scalable)
            .ok_or(why)?;
        let size_bytes = match self.kind {
            ValueKind::Extended => 8,
            ValueKind::Scalar => 16,
            _ => size_bytes,
        };
        let (bytes, states) = ([0; WIDEST], [ByteState::Unknown; WIDEST]);
        Ok(RegisterValue {
            bytes,
            states,
            size_bytes,
            digits: 0,
            is_scattered: false,
            doubt: Some(why),
        })
    }
}

impl RegisterValue {
    /// Reads the words of the value and stops after them.
    pub fn read(fields: &mut Lexer<'_>, expected: ValueFormat) -> Result<Self, LineFault> {
        let column = fields.at();
        let digits = match ValueDigits::read(fields, expected) {
            Ok(digits) => digits,
            Err(fault) => return expected.unreadable(fault),
        };
        let nothing = TarmacFault::Expected("register contents").at(column);
        if digits.length == 0 && (expected.size_bytes.is_none() || !digits.is_last) {
            return expected.unreadable(nothing);
        }
        let mut value = match digits.value(expected, column) {
            Ok(value) => value,
            Err(fault) => Self {
                digits: digits.length,
                ..expected.unreadable(fault)?
            },
        };
        value.is_scattered = digits.are_scattered();
        value.doubt = value
            .doubt
            .or(digits.doubt(expected).map(|kind| kind.at(column)));
        Ok(value)
    }

    /// Returns a value without known bytes, of at least `size_bytes` and at least the length of
    /// this one.
    pub fn unknown(&self, size_bytes: usize, why: LineFault) -> Self {
        let size_bytes = size_bytes.max(self.size_bytes).min(WIDEST);
        let (bytes, states) = ([0; WIDEST], [ByteState::Unknown; WIDEST]);
        let is_short = |fault: &LineFault| matches!(fault.kind, TarmacFault::ValueTooShort(_));
        let doubt = self.doubt.filter(|fault| !is_short(fault)).or(Some(why));
        Self {
            bytes,
            states,
            size_bytes,
            digits: self.digits,
            is_scattered: false,
            doubt,
        }
    }

    /// Returns the number of digits on the line.
    pub fn digits(&self) -> usize {
        self.digits
    }

    /// Returns whether the known digits are not written in rows.
    pub fn is_scattered(&self) -> bool {
        self.is_scattered
    }

    /// Returns the problem with the number of digits, if any.
    pub fn doubt(&self) -> Option<LineFault> {
        self.doubt
    }

    /// Returns the width in bytes.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Returns the runs of bytes that were written: offset, bytes and state.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &[u8], ByteState)> {
        let states = self.states.get(..self.size_bytes).unwrap_or_default();
        states
            .chunk_by(|one, other| one == other)
            .scan(0, |at, run| {
                let start = *at;
                *at += run.len();
                Some((start, self.bytes.get(start..*at)?, *run.first()?))
            })
            .filter(|(_, _, state)| *state != ByteState::Kept)
    }
}

const UNKNOWN: u8 = 16;
const KEPT: u8 = 17;

/// Digits, the most significant first: 0 to 15, [`UNKNOWN`] or [`KEPT`].
#[derive(Clone, Debug)]
struct ValueDigits {
    digits: [u8; 2 * WIDEST],
    length: usize,
    /// True for a single word that ends the line: it may be a number without leading zeros.
    is_alone: bool,
    /// True if the line ends after it.
    is_last: bool,
    rows: DigitRows,
}

impl ValueDigits {
    fn read(fields: &mut Lexer<'_>, expected: ValueFormat) -> Result<Self, LineFault> {
        let mut digits = Self {
            digits: [0; 2 * WIDEST],
            length: 0,
            is_alone: false,
            is_last: false,
            rows: DigitRows::NONE,
        };
        let mut last_length = 0;
        loop {
            let column = fields.at();
            let is_joined = last_length > 0 && fields.mark(b':');
            let Token::Word(word) = fields.peek() else {
                break;
            };
            let is_wanted = is_joined || digits.wants(word, last_length, expected);
            if !is_wanted {
                break;
            }
            let is_last = {
                let mut after = *fields;
                after.next();
                after.peek() == Token::End
            };
            digits.is_alone = last_length == 0 && is_last;
            let number = digits.without_prefix(word, expected);
            if !digits
                .push(number)
                .ok_or(TarmacFault::ValueTooLong(WIDEST).at(column))?
            {
                return Err(TarmacFault::Expected("register contents").at(fields.at()));
            }
            last_length = word.len();
            fields.next();
        }
        digits.is_last = fields.peek() == Token::End;
        Ok(digits)
    }

    /// Returns true if the next word is part of the value and not of its interpretation.
    fn wants(&self, word: &[u8], last_length: usize, expected: ValueFormat) -> bool {
        match (expected.kind, expected.size_bytes) {
            _ if last_length == 0 => true,
            (ValueKind::Status, Some(size)) => {
                self.length <= 2 * size
                    && word.len() >= 4
                    && word.len().is_multiple_of(4)
                    && digits::is_hex(word)
            }
            (ValueKind::Scalable, _) | (_, None) => {
                word.len() == last_length && word.len() >= 8 && is_contents(word)
            }
            (_, Some(size)) => self.length < 2 * size,
        }
    }

    /// Returns the word without `0x`, unless its `x` is an unknown digit: then the word is as long
    /// as the register.
    fn without_prefix<'w>(&self, word: &'w [u8], expected: ValueFormat) -> &'w [u8] {
        let [b'0', b'x' | b'X', rest @ ..] = word else {
            return word;
        };
        let count = rest.iter().filter(|byte| **byte != b'_').count();
        let is_number = rest
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || *byte == b'_');
        let wanted = expected.size_bytes.map_or(1, |size| 2 * size);
        let is_short = self.is_alone && count > 0 && count + 2 != wanted;
        if is_number && (count >= wanted || is_short) {
            rest
        } else {
            word
        }
    }

    /// Appends the digits of a word; returns false if it is not a value, and `None` if there is no
    /// room.
    fn push(&mut self, word: &[u8]) -> Option<bool> {
        if !is_contents(word) {
            return Some(false);
        }
        self.rows.break_after(self.length);
        for &byte in word {
            if byte == b'_' {
                self.rows.break_after(self.length);
                continue;
            }
            *self.digits.get_mut(self.length)? = match byte {
                b'-' => KEPT,
                _ => digits::nibble(byte).unwrap_or(UNKNOWN),
            };
            self.length += 1;
        }
        Some(true)
    }

    /// Returns whether the known digits are not written in rows.
    fn are_scattered(&self) -> bool {
        let is_partly_known = || {
            self.digits
                .iter()
                .take(self.length)
                .any(|digit| *digit >= UNKNOWN)
        };
        !self.rows.are_whole(self.length) || !self.rows.is_unbroken() && is_partly_known()
    }

    /// Returns whether this may be a number without leading zeros, or one that was cut off. A
    /// number with leading zeros was certainly cut off, and a short one for a long register is only
    /// a part of it.
    fn is_short_number(&self, size_bytes: usize) -> bool {
        let written = self.digits.get(..self.length).unwrap_or_default();
        let is_number = written.iter().all(|digit| *digit < UNKNOWN)
            && written.first().is_some_and(|digit| *digit > 0);
        self.is_alone && is_number && size_bytes <= 8 && self.length < 2 * size_bytes
    }

    /// Returns the problem with the number of digits of a value that was read.
    fn doubt(&self, expected: ValueFormat) -> Option<TarmacFault> {
        let size_bytes = expected.size_bytes.filter(|_| !has_any_length(expected))?;
        let is_taken_short = match expected.kind {
            ValueKind::Pointer => self.length != size_bytes,
            _ => true,
        };
        // Some producers write all registers with the width of the widest.
        let is_usual = self.is_last && matches!(self.length, 16 | 32);
        match () {
            () if is_taken_short && self.is_short_number(size_bytes) => {
                Some(TarmacFault::ValueTooShort(size_bytes))
            }
            () if self.length > 2 * size_bytes && !is_usual => {
                Some(TarmacFault::SurplusDigits(size_bytes))
            }
            () => None,
        }
    }

    fn value(&self, expected: ValueFormat, column: usize) -> Result<RegisterValue, LineFault> {
        let written = self.digits.get(..self.length).unwrap_or_default();
        let size_bytes = match (expected.kind, expected.size_bytes) {
            (ValueKind::Scalable, Some(size))
                if !written.is_empty() && written.len() <= 2 * size =>
            {
                written.len().div_ceil(2)
            }
            (_, size) => size.unwrap_or(written.len().div_ceil(2)),
        };
        let (surplus, written) = written.split_at(written.len().saturating_sub(2 * size_bytes));
        let is_dropped = match expected.kind {
            ValueKind::Status => true,
            ValueKind::Core | ValueKind::Extended | ValueKind::Pointer => {
                surplus.iter().all(|digit| *digit == 0)
            }
            ValueKind::Vector | ValueKind::Scalar | ValueKind::Scalable => surplus.is_empty(),
        };
        if !is_dropped {
            return Err(TarmacFault::ValueTooLong(size_bytes).at(column));
        }
        // The present digits are those of the low bytes; nothing is known about the others.
        let short = self
            .is_short_number(size_bytes)
            .then_some(ByteState::Unknown);
        let padding = padding(written, size_bytes, expected)
            .or(short)
            .ok_or(TarmacFault::Expected("register contents").at(column))?;
        let mut value = RegisterValue {
            bytes: [0; WIDEST],
            states: [padding; WIDEST],
            size_bytes,
            digits: self.length,
            is_scattered: false,
            doubt: None,
        };
        value
            .fill(written)
            .ok_or(TarmacFault::HalfByte.at(column))?;
        match expected.kind {
            ValueKind::Extended if size_bytes == 4 => value.extend(8),
            ValueKind::Scalar => value.extend(16),
            _ => {}
        }
        Ok(value)
    }
}

/// Returns the state of the bytes whose digits are missing on the left; `None` if none may be
/// missing.
fn padding(written: &[u8], size_bytes: usize, expected: ValueFormat) -> Option<ByteState> {
    let is_all = |wanted: u8| written.iter().all(|digit| *digit == wanted);
    let is_complete = written.len() == 2 * size_bytes;
    let may_be_short = match expected.kind {
        ValueKind::Status => true,
        ValueKind::Pointer => written.len() == size_bytes,
        _ => expected.size_bytes.is_none(),
    };
    match () {
        () if is_complete || may_be_short || is_all(0) => Some(ByteState::Known),
        () if is_all(KEPT) => Some(ByteState::Kept),
        () if is_all(UNKNOWN) => Some(ByteState::Unknown),
        () => None,
    }
}

/// Returns true for words that consist of digits, dashes and separators.
fn is_contents(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'-' | b'x' | b'X' | b'#'))
}

/// Returns true for registers whose values may have any number of digits.
fn has_any_length(expected: ValueFormat) -> bool {
    matches!(expected.kind, ValueKind::Status | ValueKind::Scalable)
}

impl RegisterValue {
    /// Sets the low bytes from digits; `None` if half a byte is left out.
    fn fill(&mut self, written: &[u8]) -> Option<()> {
        for (place, pair) in written.rchunks(2).enumerate() {
            let (high, low) = match pair {
                [high, low] => (*high, *low),
                // In a value that lacks digits, half a byte leaves the other half unknown.
                [low] if self.states.get(place) == Some(&ByteState::Unknown) => (UNKNOWN, *low),
                [low] => (0, *low),
                _ => return None,
            };
            let state = match (high, low) {
                (KEPT, KEPT) => ByteState::Kept,
                (KEPT, _) | (_, KEPT) => return None,
                (UNKNOWN, _) | (_, UNKNOWN) => ByteState::Unknown,
                _ => ByteState::Known,
            };
            *self.states.get_mut(place)? = state;
            *self.bytes.get_mut(place)? = if state == ByteState::Known {
                high << 4 | low
            } else {
                0
            };
        }
        Some(())
    }

    /// Extends the register with zeros to `size_bytes`, unless some of the low bytes keep their
    /// contents.
    fn extend(&mut self, size_bytes: usize) {
        let low = self.states.get(..self.size_bytes).unwrap_or_default();
        if low.contains(&ByteState::Kept) {
            return;
        }
        for state in self
            .states
            .iter_mut()
            .take(size_bytes)
            .skip(self.size_bytes)
        {
            *state = ByteState::Known;
        }
        self.size_bytes = self.size_bytes.max(size_bytes);
    }
}

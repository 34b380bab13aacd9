//! Contiguous memory lines: `MR8 000ffb80:0000000ffb80 00000000_000ffbb8`, `R04 00001000 11223344`.

use stepback_machine::{AccessKind, Endian};

use crate::problem::{LineFault, TarmacFault};
use crate::tarmac::address::{hex_digits, take_address, take_physical};
use crate::tarmac::header::LineHeader;
use crate::text::digits;
use crate::text::digits::{DigitRows, ROW_DIGITS};
use crate::text::lexer::{Lexer, Token};

/// Maximum length of an access in bytes.
pub(super) const LONGEST: usize = 64;

/// Content of the type word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessTypeWord {
    kind: AccessKind,
    size_bytes: u64,
    /// True if the data is in memory order and not a number.
    is_memory_order: bool,
    /// True for fetches and peripheral accesses, which do not describe data in memory.
    is_note: bool,
}

/// An access as written on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLine<'a> {
    pub kind: AccessKind,
    pub place: AccessPlace<'a>,
    pub size_bytes: u8,
    /// Data in memory order.
    data: AccessData,
    /// True if the digits of the data are not written in rows.
    pub is_scattered: bool,
    /// Problem with the data of an access that is otherwise certain.
    pub doubt: Option<LineFault>,
}

/// Bytes, some of which may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessData {
    bytes: [u8; LONGEST],
    is_known: [bool; LONGEST],
    /// Number of digits on the line.
    digits: usize,
    rows: DigitRows,
}

/// Address of an access, as written on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessPlace<'a> {
    pub address: u64,
    /// Address as written.
    pub word: &'a [u8],
    pub physical: Option<&'a [u8]>,
    /// True if marked by a separate `X`.
    pub is_exclusive: bool,
}

/// Instruction that a memory line names in brackets, by its address and number:
/// `(00000024:00000004)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedInstruction([u64; 2]);

impl NamedInstruction {
    fn read(fields: &mut Lexer<'_>) -> Option<Self> {
        let first = digits::hex(hex_digits(fields.word()?)?)?;
        let second = if fields.mark(b':') {
            digits::hex(hex_digits(fields.word()?)?)?
        } else {
            return None;
        };
        fields.mark(b')').then_some(Self([first, second]))
    }

    /// Returns true for the instruction at `pc` with these numbers in brackets. Both orders occur.
    pub fn is(self, pc: u64, numbers: [Option<u64>; 2]) -> bool {
        let Self([one, other]) = self;
        let is_at = |address: u64| address & !1 == pc;
        match numbers {
            [Some(first), Some(second)] => {
                [one, other] == [first, second] || [other, one] == [first, second]
            }
            [Some(number), None] => is_at(one) && other == number || is_at(other) && one == number,
            [None, _] => is_at(one),
        }
    }
}

impl<'a> MemoryLine<'a> {
    /// Returns the direction of the access and the instruction that the line names; `None` if the
    /// type word has no direction.
    pub fn origin(header: &LineHeader<'_>) -> Option<(AccessKind, Option<NamedInstruction>)> {
        let mut fields = header.fields;
        if fields.peek() == Token::Word(b"X") {
            fields.next();
        }
        let named = fields
            .mark(b'(')
            .then(|| NamedInstruction::read(&mut fields))
            .flatten();
        Some((memory_word(header)?.kind, named))
    }

    /// Reads the fields; `None` for lines that describe no access to memory that can be shown.
    pub fn read(header: &LineHeader<'a>, endian: Endian) -> Result<Option<Self>, LineFault> {
        let word =
            memory_word(header).ok_or(TarmacFault::TooLarge("access size").at(header.word_at))?;
        let mut fields = header.fields;
        if word.is_note || header.word.contains(&b'C') && is_transfer(fields) {
            return Ok(None);
        }
        let Some(place) = AccessPlace::read(&mut fields)? else {
            return Ok(None);
        };
        let size_bytes = u8::try_from(word.size_bytes)
            .ok()
            .filter(|size| (1..=LONGEST).contains(&usize::from(*size)));
        let size_bytes =
            size_bytes.ok_or(TarmacFault::AccessSize(word.size_bytes).at(header.word_at))?;
        let column = fields.at();
        let (mut data, doubt) = AccessData::read(&mut fields, usize::from(size_bytes), &place)?;
        let is_backward = endian == Endian::Little && word.is_memory_order && size_bytes > 1;
        let is_scattered = is_backward || data.are_scattered(usize::from(size_bytes));
        if endian == Endian::Little && !word.is_memory_order {
            data.reverse(usize::from(size_bytes));
        }
        match place.address.checked_add(u64::from(size_bytes) - 1) {
            Some(_) => Ok(Some(Self {
                kind: word.kind,
                place,
                size_bytes,
                data,
                is_scattered,
                doubt,
            })),
            None => Err(TarmacFault::AddressOverflow.at(column)),
        }
    }

    /// Returns true if the data has exactly as many digits as the access.
    pub fn is_whole(&self) -> bool {
        self.data.digits == 2 * usize::from(self.size_bytes)
    }

    /// Returns true if no digit can be missing when the trace ends with this line.
    pub fn is_surely_whole(&self) -> bool {
        self.data.digits >= 2 * usize::from(self.size_bytes)
    }

    /// Marks all of the data as unknown.
    pub fn forget_data(&mut self, why: LineFault) {
        self.data = AccessData {
            digits: self.data.digits,
            ..AccessData::NONE
        };
        self.doubt.get_or_insert(why);
    }

    /// Splits the access into parts; known ones are at most eight bytes long.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u8, Option<[u8; 8]>)> {
        let known = self
            .data
            .is_known
            .get(..usize::from(self.size_bytes))
            .unwrap_or_default();
        let runs = known
            .chunk_by(|one, other| one == other)
            .scan(0, |at, run| {
                let start = *at;
                *at += run.len();
                Some((start, run.len(), *run.first()?))
            });
        runs.flat_map(|(start, length, is_known)| {
            let part_size = if is_known { 8 } else { LONGEST };
            (0..length)
                .step_by(part_size)
                .map(move |at| (start + at, (length - at).min(part_size), is_known))
        })
        .map(|(start, size, is_known)| {
            let byte = |place: usize| {
                self.data
                    .bytes
                    .get(start + place)
                    .copied()
                    .filter(|_| place < size)
                    .unwrap_or(0)
            };
            let bytes = is_known.then(|| std::array::from_fn(byte));
            (
                self.place.address.wrapping_add(start as u64),
                u8::try_from(size).unwrap_or(0),
                bytes,
            )
        })
    }
}

/// Returns true for a transfer from or to a coprocessor.
fn is_transfer(mut fields: Lexer<'_>) -> bool {
    loop {
        match fields.next() {
            Token::Word(b"TRANSFER") => return true,
            Token::End | Token::Other(_) => return false,
            Token::Word(_) | Token::Mark(_) => {}
        }
    }
}

fn memory_word(header: &LineHeader<'_>) -> Option<AccessTypeWord> {
    let word = header.word;
    let is_read = *word.iter().find(|byte| matches!(byte, b'R' | b'W'))? == b'R';
    let number = word
        .split(|byte| !byte.is_ascii_digit())
        .find(|digits| !digits.is_empty())?;
    let is_long = word.len() == 8;
    let attributes = word.rsplit(u8::is_ascii_digit).next().unwrap_or_default();
    Some(AccessTypeWord {
        kind: if is_read {
            AccessKind::Read
        } else {
            AccessKind::Write
        },
        size_bytes: digits::decimal(number)?,
        is_memory_order: is_long && word.ends_with(b"D"),
        is_note: is_long && (word.ends_with(b"I") || word.ends_with(b"A")) || is_fetch(attributes),
    })
}

/// Returns true for an opcode fetch, by the letters after the size: `_I` of Cortex-M0+, `O___`
/// without a bus letter of ARMulator (ARM DUI 0058D, section 2.1).
fn is_fetch(attributes: &[u8]) -> bool {
    attributes == b"_I" || attributes.starts_with(b"O") && !attributes.ends_with(b"D")
}

impl<'a> AccessPlace<'a> {
    /// Returns true if the address has the prefix `0x`.
    fn is_prefixed(&self) -> bool {
        hex_digits(self.word).is_some_and(|digits| digits.len() < self.word.len())
    }

    /// Reads everything up to the data; `None` if the access was aborted.
    fn read(fields: &mut Lexer<'a>) -> Result<Option<Self>, LineFault> {
        let is_exclusive = fields.peek() == Token::Word(b"X");
        if is_exclusive {
            fields.next();
        }
        if fields.mark(b'(') {
            while !fields.mark(b')') {
                if let Token::End | Token::Other(_) = fields.next() {
                    return Err(TarmacFault::Expected("\")\"").at(fields.at()));
                }
            }
        }
        let (word, address) = take_address(fields, "an address")?;
        let physical = take_physical(fields)?;
        if fields.peek() != Token::Mark(b'(') {
            return Ok(Some(Self {
                address,
                word,
                physical,
                is_exclusive,
            }));
        }
        fields.next();
        match fields.peek() {
            Token::Word(b"ABORTED" | b"abort") => Ok(None),
            _ => Err(TarmacFault::Expected("\"(ABORTED)\"").at(fields.at())),
        }
    }
}

/// Value of an unknown digit.
const UNKNOWN: u8 = 16;

impl AccessData {
    const NONE: Self = Self {
        bytes: [0; LONGEST],
        is_known: [false; LONGEST],
        digits: 0,
        rows: DigitRows::NONE,
    };

    /// Reads the data, most significant byte first, and any problem with it.
    ///
    /// If the address has no prefix and a word such as `0x12` is as long as the access, its `x` is
    /// an unknown digit.
    fn read(
        fields: &mut Lexer<'_>,
        size_bytes: usize,
        place: &AccessPlace<'_>,
    ) -> Result<(Self, Option<LineFault>), LineFault> {
        let column = fields.at();
        let mut digits = [0u8; 2 * LONGEST];
        let (mut count, mut last_length, mut rows) = (0, 0, DigitRows::NONE);
        let doubt = |kind: TarmacFault| Ok((Self::NONE, Some(kind.at(column))));
        while let Token::Word(word) = fields.peek() {
            let is_wanted = last_length == 0
                || count < 2 * size_bytes && word.len() == last_length && last_length >= 8;
            if !is_data(word) || !is_wanted {
                break;
            }
            let is_number = place.is_prefixed() || count_digits(word) != 2 * size_bytes;
            rows.break_after(count);
            for &byte in without_prefix(word).filter(|_| is_number).unwrap_or(word) {
                if byte == b'_' {
                    rows.break_after(count);
                    continue;
                }
                let Some(digit) = digits.get_mut(count) else {
                    return doubt(TarmacFault::DataTooLong(size_bytes));
                };
                *digit = digits::nibble(byte).unwrap_or(UNKNOWN);
                count += 1;
            }
            last_length = word.len();
            fields.next();
        }
        let written = digits.get(..count).unwrap_or_default();
        match fields.peek() {
            Token::Word(_) if written.is_empty() => doubt(TarmacFault::Expected("data")),
            _ if written.is_empty() => Err(TarmacFault::Expected("data").at(column)),
            _ if written.iter().all(|digit| *digit == UNKNOWN) => Ok((
                Self {
                    digits: count,
                    ..Self::NONE
                },
                None,
            )),
            // One word of a long access is half of it, and not a small number.
            _ if size_bytes > 8 && written.len() < 2 * size_bytes => {
                doubt(TarmacFault::DataTooShort(size_bytes))
            }
            _ => {
                let (data, doubt) = Self::of_digits(written, size_bytes, column);
                Ok((Self { rows, ..data }, doubt))
            }
        }
    }

    fn of_digits(written: &[u8], size_bytes: usize, column: usize) -> (Self, Option<LineFault>) {
        let (surplus, low) = written.split_at(written.len().saturating_sub(2 * size_bytes));
        // Some producers write everything that was on the bus, without the position of the access
        // on it.
        if surplus.iter().any(|digit| *digit != 0) {
            return (
                Self {
                    digits: written.len(),
                    ..Self::NONE
                },
                Some(TarmacFault::DataTooLong(size_bytes).at(column)),
            );
        }
        let mut data = Self {
            digits: written.len(),
            ..Self::NONE
        };
        data.is_known
            .iter_mut()
            .take(size_bytes)
            .for_each(|is_known| *is_known = true);
        let bytes = data
            .bytes
            .iter_mut()
            .zip(&mut data.is_known)
            .take(size_bytes);
        for ((byte, is_known), pair) in bytes.rev().zip(low.rchunks(2)) {
            *is_known = !pair.contains(&UNKNOWN);
            *byte = if *is_known {
                pair.iter().fold(0, |value, digit| value << 4 | digit)
            } else {
                0
            };
        }
        (data, None)
    }

    /// Returns whether the known digits are not written in rows. Parts of long accesses consist of
    /// whole rows.
    fn are_scattered(&self, size_bytes: usize) -> bool {
        let is_partly_known = || {
            self.is_known
                .iter()
                .take(size_bytes)
                .any(|is_known| !is_known)
        };
        let is_even = !is_partly_known() && (2 * size_bytes).is_multiple_of(ROW_DIGITS);
        !self.rows.are_whole(self.digits) || !self.rows.is_unbroken() && size_bytes > 4 && !is_even
    }

    fn reverse(&mut self, size_bytes: usize) {
        self.bytes
            .get_mut(..size_bytes)
            .unwrap_or_default()
            .reverse();
        self.is_known
            .get_mut(..size_bytes)
            .unwrap_or_default()
            .reverse();
    }
}

fn count_digits(word: &[u8]) -> usize {
    word.iter().filter(|byte| **byte != b'_').count()
}

/// Returns the digits after the prefix `0x`; `None` for other words.
fn without_prefix(word: &[u8]) -> Option<&[u8]> {
    let digits = word.strip_prefix(b"0x").or(word.strip_prefix(b"0X"))?;
    let is_number = digits
        .iter()
        .all(|byte| byte.is_ascii_hexdigit() || *byte == b'_');
    (is_number && count_digits(digits) > 0).then_some(digits)
}

fn is_data(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'-' | b'x' | b'X' | b'#'))
}

/// Returns true if the fields of a line can be read.
pub(super) fn is_plausible(header: &LineHeader<'_>) -> bool {
    MemoryLine::read(header, Endian::Little)
        .is_ok_and(|line| line.is_none_or(|line| line.doubt.is_none()))
}

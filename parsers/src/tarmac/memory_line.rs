//! Contiguous memory lines: `MR8 000ffb80:0000000ffb80 00000000_000ffbb8`, `R04 00001000 11223344`.

use super::digits;
use super::fault::{Fault, FaultKind};
use super::header::Header;
use super::lexer::{Lexer, Token};
use crate::{AccessKind, Endian};

/// The longest access in bytes.
pub(super) const LONGEST: usize = 64;

/// What the type word tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryWord {
    kind: AccessKind,
    size_bytes: u64,
    /// Written as the bytes lie in memory, not as a number.
    is_memory_order: bool,
    /// Fetches and peripheral accesses say nothing of data in memory.
    is_note: bool,
}

/// An access as a line tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryLine {
    pub kind: AccessKind,
    pub address: u64,
    pub size_bytes: u8,
    /// In memory order; none when the trace does not say.
    pub bytes: Option<[u8; LONGEST]>,
}

impl MemoryLine {
    /// Reads the fields; none for lines that touch no memory that we could show.
    pub fn read(header: &Header<'_>, endian: Endian) -> Result<Option<Self>, Fault> {
        let word = memory_word(header).ok_or(FaultKind::TooLarge("access size").at(header.word_at))?;
        let mut fields = header.fields;
        if word.is_note || header.word.contains(&b'C') && fields.peek() == Token::Word(b"TRANSFER") {
            return Ok(None);
        }
        let Some(address) = address(&mut fields)? else { return Ok(None) };
        let size_bytes = u8::try_from(word.size_bytes).ok().filter(|size| (1..=LONGEST).contains(&usize::from(*size)));
        let size_bytes = size_bytes.ok_or(FaultKind::AccessSize(word.size_bytes).at(header.word_at))?;
        let column = fields.at();
        let mut bytes = data(&mut fields, usize::from(size_bytes))?;
        if endian == Endian::Little && !word.is_memory_order {
            bytes.iter_mut().filter_map(|bytes| bytes.get_mut(..usize::from(size_bytes))).for_each(<[u8]>::reverse);
        }
        match address.checked_add(u64::from(size_bytes) - 1) {
            Some(_) => Ok(Some(Self { kind: word.kind, address, size_bytes, bytes })),
            None => Err(FaultKind::AddressOverflow.at(column)),
        }
    }

    /// The access in parts of at most eight bytes if its bytes are known, else in one.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u8, Option<[u8; 8]>)> {
        let part_size = if self.bytes.is_some() { 8 } else { LONGEST };
        let starts = (0..usize::from(self.size_bytes)).step_by(part_size);
        starts.map(move |start| {
            let size = (usize::from(self.size_bytes) - start).min(part_size);
            let bytes = self.bytes.map(|bytes| {
                let is_inside = |place: usize| place < size;
                std::array::from_fn(|place| bytes.get(start + place).copied().filter(|_| is_inside(place)).unwrap_or(0))
            });
            (self.address.wrapping_add(start as u64), u8::try_from(size).unwrap_or(0), bytes)
        })
    }
}

fn memory_word(header: &Header<'_>) -> Option<MemoryWord> {
    let word = header.word;
    let is_read = *word.iter().find(|byte| matches!(byte, b'R' | b'W'))? == b'R';
    let number = word.split(|byte| !byte.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    let is_long = word.len() == 8;
    Some(MemoryWord {
        kind: if is_read { AccessKind::Read } else { AccessKind::Write },
        size_bytes: digits::decimal(number)?,
        is_memory_order: is_long && word.ends_with(b"D"),
        is_note: is_long && (word.ends_with(b"I") || word.ends_with(b"A")),
    })
}

/// Takes everything up to the data; none when the access was aborted.
fn address(fields: &mut Lexer<'_>) -> Result<Option<u64>, Fault> {
    if fields.peek() == Token::Word(b"X") {
        fields.next();
    }
    if fields.mark(b'(') {
        while !fields.mark(b')') {
            if let Token::End | Token::Other(_) = fields.next() {
                return Err(FaultKind::Expected("\")\"").at(fields.at()));
            }
        }
    }
    let column = fields.at();
    let word = fields.word().filter(|word| digits::is_hex(word)).ok_or(FaultKind::Expected("an address").at(column))?;
    let address = digits::hex(word).ok_or(FaultKind::TooLarge("address").at(column))?;
    if fields.mark(b':') {
        fields.word().ok_or(FaultKind::Expected("a physical address").at(fields.at()))?;
    }
    if fields.peek() != Token::Mark(b'(') {
        return Ok(Some(address));
    }
    fields.next();
    if fields.peek() == Token::Word(b"ABORTED") {
        Ok(None)
    } else {
        Err(FaultKind::Expected("\"(ABORTED)\"").at(fields.at()))
    }
}

/// The bytes as written, most significant first; none when the line says that it does not know them.
fn data(fields: &mut Lexer<'_>, size_bytes: usize) -> Result<Option<[u8; LONGEST]>, Fault> {
    let column = fields.at();
    let mut digits = [0u8; 2 * LONGEST];
    let (mut count, mut is_known, mut last_length) = (0, true, 0);
    while let Token::Word(word) = fields.peek() {
        let is_data = word.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'-' | b'x' | b'X'));
        let is_wanted = last_length == 0 || count < 2 * size_bytes && word.len() == last_length && last_length >= 8;
        if !is_data || !is_wanted {
            break;
        }
        is_known &= word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_');
        for &byte in word.iter().filter(|byte| **byte != b'_') {
            *digits.get_mut(count).ok_or(FaultKind::DataTooLong(size_bytes).at(column))? =
                digits::nibble(byte).unwrap_or(0);
            count += 1;
        }
        last_length = word.len();
        fields.next();
    }
    let written =
        digits.get(..count).filter(|written| !written.is_empty()).ok_or(FaultKind::Expected("data").at(column))?;
    if !is_known {
        return Ok(None);
    }
    let (surplus, written) = written.split_at(written.len().saturating_sub(2 * size_bytes));
    if surplus.iter().any(|digit| *digit != 0) {
        return Err(FaultKind::DataTooLong(size_bytes).at(column));
    }
    // One word of a long access is half of it, not a small number.
    if size_bytes > 8 && written.len() < 2 * size_bytes {
        return Err(FaultKind::DataTooShort(size_bytes).at(column));
    }
    let mut bytes = [0; LONGEST];
    let places = bytes.get_mut(..size_bytes).unwrap_or_default().iter_mut().rev();
    for (place, pair) in places.zip(written.rchunks(2)) {
        *place = pair.iter().fold(0, |value, digit| value << 4 | digit);
    }
    Ok(Some(bytes))
}

/// True when the fields of a line can be read.
pub(super) fn is_plausible(header: &Header<'_>) -> bool {
    MemoryLine::read(header, Endian::Little).is_ok()
}

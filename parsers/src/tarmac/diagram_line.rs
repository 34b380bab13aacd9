//! `LD` and `ST` lines: a diagram of 16 bytes of memory, the last byte on the left.
//!
//! `LD 000ffb80 ........ ..32.... ######## 000ffbb8` reads four bytes at 0xffb80, four of unknown
//! value after them, and one at 0xffb8a.

use stepback_machine::AccessKind;

use crate::problem::{LineFault, TarmacFault};
use crate::tarmac::address::{hex_digits, take_address};
use crate::tarmac::header::{LineHeader, LineKind};
use crate::text::digits;
use crate::text::lexer::{Lexer, Token, is_word_byte};

/// Number of bytes in a row.
const ROW: usize = 16;

/// A diagram that the next line may continue without a type word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenDiagram {
    /// Load or store.
    pub kind: AccessKind,
    column: usize,
}

impl OpenDiagram {
    /// Returns the diagram that a line with this header opens.
    pub fn of(header: &LineHeader<'_>) -> Option<Self> {
        let LineKind::Diagram(kind) = header.kind else {
            return None;
        };
        Self::at(header.fields, kind)
    }

    /// Returns the diagram whose address is the next token of `fields`.
    pub fn at(fields: Lexer<'_>, kind: AccessKind) -> Option<Self> {
        let Token::Word(address) = fields.peek() else {
            return None;
        };
        hex_digits(address).is_some().then(|| Self {
            kind,
            column: fields.at(),
        })
    }

    /// Returns the diagram whose address begins at `column`.
    pub fn at_column(kind: AccessKind, column: usize) -> Self {
        Self { kind, column }
    }

    /// Returns true if `line` is another row: an address in the same column, followed by a word of
    /// a diagram. After an address of fewer than eight digits the whole row must be present, since
    /// the address might be a timestamp.
    pub fn goes_on(self, line: &[u8]) -> bool {
        let mut fields = Lexer::new(line);
        let row = fields;
        let is_in_column = fields.at() == self.column;
        let Some(address) = fields
            .word()
            .filter(|word| is_in_column && hex_digits(word).is_some())
        else {
            return false;
        };
        fields.word().is_some_and(is_diagram) && (address.len() >= 8 || Diagram::read(row).is_ok())
    }
}

fn is_diagram(word: &[u8]) -> bool {
    word.len().is_multiple_of(2)
        && word
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'#' | b'x' | b'X'))
}

/// A byte of the diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiagramCell {
    Untouched,
    Unknown,
    Known(u8),
}

/// Accesses of one line, lowest address first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diagram {
    pub address: u64,
    picture: DiagramPicture,
}

/// Bytes of a row; the lowest bits are those of the lowest address.
#[derive(Clone, Copy, Debug, Default)]
struct DiagramPicture {
    bytes: u128,
    /// One bit for each accessed byte with a known value.
    known: u16,
    /// One bit for each accessed byte with an unknown value.
    unknown: u16,
}

impl DiagramPicture {
    /// Sets the byte at an index from 0 to 15.
    fn put(&mut self, place: usize, cell: DiagramCell) {
        match cell {
            DiagramCell::Untouched => {}
            DiagramCell::Unknown => self.unknown |= 1 << place,
            DiagramCell::Known(byte) => {
                self.known |= 1 << place;
                self.bytes |= u128::from(byte) << (8 * place);
            }
        }
    }

    fn touched(&self) -> u16 {
        self.known | self.unknown
    }
}

/// A range of memory and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessPiece {
    pub address: u64,
    pub size_bytes: u8,
    /// `None` if they are unknown.
    pub bytes: Option<[u8; 8]>,
}

impl Diagram {
    /// Reads a diagram from its address on; `fields` remains unchanged.
    pub fn read(fields: Lexer<'_>) -> Result<Self, LineFault> {
        let mut fields = fields;
        Self::take(&mut fields)
    }

    /// Reads a diagram from its address on and leaves `fields` after the picture.
    pub fn take(fields: &mut Lexer<'_>) -> Result<Self, LineFault> {
        let column = fields.at();
        let (_, address) = take_address(fields, "an address")?;
        let diagram = Self {
            address,
            picture: picture(fields)?,
        };
        let last = diagram.picture.touched().checked_ilog2().unwrap_or(0);
        match address.checked_add(last.into()) {
            Some(_) => Ok(diagram),
            None => Err(TarmacFault::AddressOverflow.at(column)),
        }
    }

    /// Reads a diagram of four words with eight characters, each after a space.
    #[inline(always)]
    pub fn of_words(address: u64, words: &[u8; 37]) -> Option<Self> {
        let [words @ .., end] = words;
        if is_word_byte(*end) {
            return None;
        }
        let mut picture = DiagramPicture::default();
        for (word, place) in words.chunks_exact(9).zip([12, 8, 4, 0]) {
            let [b' ', word @ ..] = word else { return None };
            let bytes = digits::load_8(word, 0);
            if bytes == DOTS {
                continue;
            }
            if let Some(value) = digits::hex_8(bytes) {
                picture.known |= 0xf << place;
                picture.bytes |= u128::from(value) << (8 * place);
                continue;
            }
            for (pair, place) in word.chunks_exact(2).zip((place..place + 4).rev()) {
                picture.put(place, cell(pair)?);
            }
        }
        address
            .checked_add(ROW as u64 - 1)
            .map(|_| Self { address, picture })
    }

    /// Returns the accesses: runs of known or unknown bytes, split between the two halves of the
    /// row.
    pub fn accesses(&self) -> impl Iterator<Item = AccessPiece> {
        let (
            Self {
                address,
                mut picture,
            },
            half,
        ) = (*self, ROW as u32 / 2);
        std::iter::from_fn(move || {
            let start = (picture.touched() != 0).then(|| picture.touched().trailing_zeros())?;
            let is_known = picture.known >> start & 1 != 0;
            let like = if is_known {
                picture.known
            } else {
                picture.unknown
            };
            let length = (like >> start).trailing_ones().min(half - start % half);
            let run = ((1 << length) - 1) << start;
            picture.known &= !run;
            picture.unknown &= !run;
            let bytes = (picture.bytes >> (8 * start)) as u64 & u64::MAX >> (64 - 8 * length);
            Some(AccessPiece {
                address: address.wrapping_add(start.into()),
                size_bytes: length as u8,
                bytes: is_known.then_some(bytes.to_le_bytes()),
            })
        })
    }
}

/// Eight ASCII dots.
const DOTS: u64 = 0x2e2e_2e2e_2e2e_2e2e;

fn picture(fields: &mut Lexer<'_>) -> Result<DiagramPicture, LineFault> {
    let mut picture = DiagramPicture::default();
    let mut left = ROW;
    while left > 0 {
        let fault = TarmacFault::Expected("16 bytes of a diagram").at(fields.at());
        let word = fields
            .word()
            .filter(|word| is_diagram(word) && word.len() / 2 <= left)
            .ok_or(fault)?;
        for pair in word.chunks(2) {
            left -= 1;
            picture.put(left, cell(pair).ok_or(fault)?);
        }
    }
    Ok(picture)
}

fn cell(pair: &[u8]) -> Option<DiagramCell> {
    match pair {
        b".." => Some(DiagramCell::Untouched),
        b"##" | b"xx" | b"XX" => Some(DiagramCell::Unknown),
        [high, low] => Some(DiagramCell::Known(
            digits::nibble(*high)? << 4 | digits::nibble(*low)?,
        )),
        _ => None,
    }
}

/// Returns true if the fields of a line can be read.
pub(super) fn is_plausible(header: &LineHeader<'_>) -> bool {
    Diagram::read(header.fields).is_ok()
}

//! Accesses as the styles write them: in rows of 16 bytes, or in powers of two.

use std::io;
use std::io::Write;

use stepback_machine::{AccessKind, Endian};

use crate::tarmac::diagram_line::AccessPiece;
use crate::text::digits;
use crate::text::lexer::Lexer;

/// Number of bytes in a row of a diagram.
const ROW: u64 = 16;
/// Page size: address translations never extend beyond a page.
const PAGE: u64 = 4096;

/// A row of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiagramRow {
    /// Address of its lowest byte.
    pub address: u64,
    /// Text of the row.
    pub picture: String,
}

/// Format of a written access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccessForm {
    pub kind: AccessKind,
    /// Number of digits of an address.
    pub width: usize,
    pub physical: Option<TranslatedAddress>,
}

/// A physical address, with the security state that the styles can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TranslatedAddress {
    /// Virtual address that it belongs to.
    of: u64,
    address: u64,
    space: PhysicalSpace,
}

/// Security state of a physical address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PhysicalSpace {
    Secure,
    NonSecure,
    Untold,
}

impl TranslatedAddress {
    /// Parses `00008ffff6c0_NS`; `None` if it is not a number.
    pub fn of_word(of: u64, word: &[u8]) -> Option<Self> {
        let (number, space) = match word {
            [number @ .., b'_', b'N', b'S'] => (number, PhysicalSpace::NonSecure),
            [number @ .., b'_', b'S'] => (number, PhysicalSpace::Secure),
            number => (number, PhysicalSpace::Untold),
        };
        digits::hex(number).map(|address| Self { of, address, space })
    }

    /// Reads `S:0008ffff6c0`, if present.
    pub fn take(of: u64, fields: &mut Lexer<'_>) -> Option<Self> {
        let mut after = *fields;
        let space = match after.word()? {
            b"S" => PhysicalSpace::Secure,
            b"NS" => PhysicalSpace::NonSecure,
            b"P" => PhysicalSpace::Untold,
            _ => return None,
        };
        let address = after
            .mark(b':')
            .then(|| after.word().and_then(digits::hex))
            .flatten()?;
        *fields = after;
        Some(Self { of, address, space })
    }

    /// Returns the physical address of another virtual address; `None` on another page.
    pub fn at(self, other: u64) -> Option<Self> {
        let is_near = self.of / PAGE == other / PAGE;
        let address = self.address.wrapping_add(other).wrapping_sub(self.of);
        is_near.then_some(Self {
            of: other,
            address,
            ..self
        })
    }
}

/// Returns the rows that the pieces touch, with their texts.
pub(super) fn rows(pieces: &[AccessPiece]) -> impl Iterator<Item = DiagramRow> {
    let first = pieces.first().map_or(0, |piece| piece.address / ROW);
    let last = pieces.last().map_or(0, |piece| {
        let length = u64::from(piece.size_bytes).max(1);
        piece.address.saturating_add(length - 1) / ROW
    });
    (first..=last).map(move |row| {
        let mut picture = String::with_capacity(36);
        for place in (0..ROW).rev() {
            let address = row * ROW + place;
            picture.push_str(&cell(pieces, address));
            if place % 4 == 0 && place > 0 {
                picture.push(' ');
            }
        }
        DiagramRow {
            address: row * ROW,
            picture,
        }
    })
}

fn cell(pieces: &[AccessPiece], address: u64) -> String {
    let inside = |piece: &&AccessPiece| {
        address
            .checked_sub(piece.address)
            .is_some_and(|place| place < u64::from(piece.size_bytes))
    };
    let Some(piece) = pieces.iter().find(inside) else {
        return "..".to_owned();
    };
    let byte = piece.bytes.and_then(|bytes| {
        bytes
            .get(usize::try_from(address - piece.address).ok()?)
            .copied()
    });
    byte.map_or_else(|| "##".to_owned(), |byte| format!("{byte:02x}"))
}

/// Splits a piece into pieces whose sizes are powers of two.
pub(super) fn powers(piece: AccessPiece) -> impl Iterator<Item = AccessPiece> {
    let AccessPiece {
        address,
        size_bytes,
        bytes,
    } = piece;
    let mut done = 0;
    std::iter::from_fn(move || {
        let left = size_bytes.checked_sub(done).filter(|left| *left > 0)?;
        let part = (1u8 << left.ilog2()).min(8);
        let place = usize::from(done);
        let moved = bytes
            .map(|bytes| std::array::from_fn(|byte| bytes.get(place + byte).copied().unwrap_or(0)));
        let address = address.wrapping_add(u64::from(done));
        done += part;
        Some(AccessPiece {
            address,
            size_bytes: part,
            bytes: moved,
        })
    })
}

/// Writes `MR4 00002004:000000002004 00000007`.
pub(super) fn write_contiguous(
    out: &mut impl Write,
    form: AccessForm,
    piece: AccessPiece,
    endian: Endian,
) -> io::Result<()> {
    let AccessForm {
        kind,
        width,
        physical,
    } = form;
    let AccessPiece {
        address,
        size_bytes: size,
        bytes,
    } = piece;
    let letter = if kind == AccessKind::Read { 'R' } else { 'W' };
    write!(out, "M{letter}{size} {address:0width$x}")?;
    if let Some(TranslatedAddress { address, space, .. }) = physical {
        let suffix = match space {
            PhysicalSpace::Secure => "_S",
            PhysicalSpace::NonSecure => "_NS",
            PhysicalSpace::Untold => "",
        };
        write!(out, ":{address:012x}{suffix}")?;
    }
    write!(out, " ")?;
    for place in 0..size {
        let place = if endian == Endian::Little {
            size - 1 - place
        } else {
            place
        };
        match bytes.and_then(|bytes| bytes.get(usize::from(place)).copied()) {
            Some(byte) => write!(out, "{byte:02x}")?,
            None => write!(out, "xx")?,
        }
    }
    writeln!(out)
}

/// Writes `LD 00002000 ........ ........ 00000007 ........    S:00000002000`.
pub(super) fn write_row(
    out: &mut impl Write,
    form: AccessForm,
    row: &DiagramRow,
) -> io::Result<()> {
    let AccessForm {
        kind,
        width,
        physical,
    } = form;
    let DiagramRow { address, picture } = row;
    let word = if kind == AccessKind::Read { "LD" } else { "ST" };
    write!(out, "{word} {address:0width$x} {picture}")?;
    if let Some(TranslatedAddress { address, space, .. }) = physical {
        let prefix = match space {
            PhysicalSpace::Secure => "S",
            PhysicalSpace::NonSecure => "NS",
            PhysicalSpace::Untold => "P",
        };
        write!(out, "    {prefix}:{address:011x}")?;
    }
    writeln!(out)
}

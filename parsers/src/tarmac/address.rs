//! Addresses as Fast Models define them: `<vaddr>{:<paddr><psecurity>}`.
//!
//! `000ffb80`, `0x9000`, `000ffb80:0000000ffb80_NS`.
//! An access or instruction that crosses a page has a physical address for each page:
//! `0000ebb48e536ffc:0081f8e97ffc_NS,0081f8e99000_NS`.

use crate::problem::{LineFault, TarmacFault};
use crate::text::digits;
use crate::text::lexer::Lexer;

/// Returns the hexadecimal digits of a word without the prefix `0x`; `None` for other words.
pub(super) fn hex_digits(word: &[u8]) -> Option<&[u8]> {
    let digits = match word {
        [b'0', b'x' | b'X', digits @ ..] => digits,
        _ => word,
    };
    digits::is_hex(digits).then_some(digits)
}

/// Reads a virtual address and returns its word and value; messages call it `name`.
pub(super) fn take_address<'a>(
    fields: &mut Lexer<'a>,
    name: &'static str,
) -> Result<(&'a [u8], u64), LineFault> {
    let column = fields.at();
    let found = fields
        .word()
        .and_then(|word| Some((word, hex_digits(word)?)));
    let (word, digits) = found.ok_or(TarmacFault::Expected(name).at(column))?;
    Ok((
        word,
        digits::hex(digits).ok_or(TarmacFault::TooLarge("address").at(column))?,
    ))
}

/// Reads the physical addresses after a virtual one and returns the first; `None` if the line has
/// none.
pub(super) fn take_physical<'a>(fields: &mut Lexer<'a>) -> Result<Option<&'a [u8]>, LineFault> {
    let mut first = None;
    while fields.mark(if first.is_none() { b':' } else { b',' }) {
        let column = fields.at();
        let word = fields
            .word()
            .ok_or(TarmacFault::Expected("a physical address").at(column))?;
        first.get_or_insert(word);
    }
    Ok(first)
}

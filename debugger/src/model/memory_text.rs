//! Formats bytes as characters and as numbers.

use stepback_machine::{Address, Endian, LaneFormat};

use super::memory::ByteCell;
use super::so_far::so_far;
use super::text::size_text;
use crate::action::MemoryText;
use crate::messages::say;
use crate::session::Session;

/// Formats a byte as two digits, or `??`.
pub fn byte_digits(byte: Option<u8>) -> String {
    byte.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"))
}

/// Describes a gap after its addresses: its size, and that no step accesses it.
pub fn gap_words(session: &Session, first: Address, last: Address) -> String {
    let size = match (last.0 - first.0).checked_add(1) {
        Some(bytes) => size_text(bytes),
        None => say!("memory-16-eib").to_owned(),
    };
    so_far(session, &say!("memory-never-accessed", size = size))
}

/// Formats a row as text, one character per byte so that rows line up.
pub fn row_text(cells: &[ByteCell], text: MemoryText) -> String {
    let mut shown = String::new();
    let mut rest = cells;
    while let Some((first, behind)) = rest.split_first() {
        let wide = if text == MemoryText::Utf8 {
            wide_character(rest)
        } else {
            None
        };
        match wide {
            Some((letter, len)) => {
                shown.push(letter);
                // The remaining bytes of the character are blank.
                shown.extend(std::iter::repeat_n(' ', len - 1));
                rest = rest.get(len..).unwrap_or_default();
            }
            None => {
                shown.push(first.character());
                rest = behind;
            }
        }
    }
    shown
}

/// Decodes a character of two to four bytes at the start of the cells, if it can be drawn.
fn wide_character(cells: &[ByteCell]) -> Option<(char, usize)> {
    let known: Vec<u8> = cells.iter().take(4).map_while(|cell| cell.value).collect();
    (2..=known.len()).find_map(|len| {
        let letter = std::str::from_utf8(known.get(..len)?)
            .ok()?
            .chars()
            .next()?;
        (letter.len_utf8() == len && is_shown(letter)).then_some((letter, len))
    })
}

/// Returns true if the code font has a letter: Latin, Greek, Cyrillic. Others would be drawn as
/// boxes.
fn is_shown(letter: char) -> bool {
    matches!(letter, '\u{a1}'..='\u{17f}' | 'Α'..='ω' | 'А'..='я') && letter.is_alphanumeric()
}

/// Formats a group as a floating-point number, with `?` if a byte is unknown.
pub fn number_text(cells: &[ByteCell], format: LaneFormat, endian: Endian) -> String {
    let mut bytes: Vec<Option<u8>> = cells.iter().map(|cell| cell.value).collect();
    if endian == Endian::Big {
        bytes.reverse();
    }
    format.lanes(&bytes).concat()
}

/// Returns the index in the row of the byte drawn at `shown`, so that each group reads as a number.
pub fn place_in_row(shown: usize, group: usize, endian: Endian) -> usize {
    let group = group.max(1);
    let (first, offset) = (shown / group * group, shown % group);
    match endian {
        Endian::Big => shown,
        Endian::Little => first + (group - 1 - offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_endian_groups_read_from_the_highest_byte() {
        let places = |group, is_big| {
            let endian = if is_big { Endian::Big } else { Endian::Little };
            (0..8)
                .map(|shown| place_in_row(shown, group, endian))
                .collect::<Vec<_>>()
        };
        assert_eq!(places(1, false), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(places(2, false), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(places(4, false), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(places(8, true), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_row_reads_as_text_with_a_letter_a_byte_or_as_utf_8() {
        let cells: Vec<ByteCell> = "a\u{e9}b"
            .bytes()
            .map(|byte| ByteCell {
                value: Some(byte),
                ..ByteCell::default()
            })
            .collect();
        assert_eq!(row_text(&cells, MemoryText::Ascii), "a..b");
        assert_eq!(row_text(&cells, MemoryText::Utf8), "a\u{e9} b");
        assert_eq!(row_text(&cells[..2], MemoryText::Utf8), "a.");
    }

    #[test]
    fn a_group_is_a_number() {
        let cells = 1.5f32.to_le_bytes().map(|byte| ByteCell {
            value: Some(byte),
            ..ByteCell::default()
        });
        let format = LaneFormat::new(stepback_machine::LaneKind::Float, 4);
        assert_eq!(number_text(&cells, format, Endian::Little), "1.5");
        assert_eq!(
            number_text(&[ByteCell::default(); 4], format, Endian::Little),
            "?"
        );
    }
}

//! Two texts cut into what is the same and what differs.

use crate::model::text::leading_zeros;

/// What two texts are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonUnit {
    /// Digits of registers: leading zeros never differ.
    Digits,
    /// Bytes of memory, which are words.
    Bytes,
}

/// Cuts two texts into pieces that are the same and pieces that differ: single digits of registers (leading zeros
/// never differ), whole words (bytes) of memory. Gives the pieces of the first text.
pub fn differing_pieces(text: &str, other: &str, by: ComparisonUnit) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    let mut push = |piece: &str, differs: bool| match pieces.last_mut() {
        Some((last, was)) if *was == differs => last.push_str(piece),
        _ => pieces.push((piece.to_owned(), differs)),
    };
    if by == ComparisonUnit::Digits {
        let zeros = leading_zeros(text);
        let mut others = other.chars();
        for (place, digit) in text.chars().enumerate() {
            let differs = others.next() != Some(digit) && place >= zeros;
            push(digit.encode_utf8(&mut [0; 4]), differs);
        }
    } else {
        let mut others = other.split(' ');
        for (place, byte) in text.split(' ').enumerate() {
            if place > 0 {
                push(" ", false);
            }
            push(byte, others.next() != Some(byte));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_digits_and_bytes_are_told_apart() {
        let pieces = |text, other, is_register| {
            let mark =
                |(text, differs): (String, bool)| if differs { format!("<{text}>") } else { text };
            let by = if is_register {
                ComparisonUnit::Digits
            } else {
                ComparisonUnit::Bytes
            };
            differing_pieces(text, other, by)
                .into_iter()
                .map(mark)
                .collect::<String>()
        };
        assert_eq!(pieces("00ff", "00ef", true), "00<f>f");
        assert_eq!(pieces("0034", "bda9", true), "00<34>");
        assert_eq!(pieces("a9 02 00", "a9 bd 01", false), "a9 <02> <00>");
        assert_eq!(pieces("??", "04", false), "<??>");
    }
}

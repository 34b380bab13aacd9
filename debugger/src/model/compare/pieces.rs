//! Splits two texts into equal and differing pieces.

use crate::model::text::leading_zeros;

/// Unit by which two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonUnit {
    /// Single digits of registers. Leading zeros never count as differences.
    Digits,
    /// Space-separated words: bytes of memory.
    Bytes,
}

/// Splits a text into pieces, each marked as differing from `other` or not. Compares single digits
/// for registers (leading zeros never differ) and whole words (bytes) for memory.
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

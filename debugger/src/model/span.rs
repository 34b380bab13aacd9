//! Formats an instruction as coloured text.
//!
//! Splits a line of a trace into tokens. Every format has numbers, names and punctuation.

use stepback_index::answer::StepRecord;

use crate::image::Images;
pub use crate::syntax::{Code, CodeKind, TextRole, TextSpan};

/// Builds the disassembly of a step, with symbols for addresses.
pub fn step_code(record: &StepRecord, images: &Images) -> Code {
    let name_of = |target| images.name_at(target);
    Code::parse(&record.text, record.pc, record.instruction_set, &name_of)
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawTokenKind {
    /// Number, decimal or hexadecimal. Digits within a name belong to the name.
    Number,
    Name,
    /// Anything between numbers and names.
    Sign,
}

/// Iterates over the tokens of a line.
pub fn runs(text: &str) -> impl Iterator<Item = (RawTokenKind, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (kind, length) = run(rest);
        let (word, after) = rest.split_at_checked(length).filter(|_| !rest.is_empty())?;
        rest = after;
        Some((kind, word))
    })
}

/// Returns the kind and length in bytes of the first token.
fn run(text: &str) -> (RawTokenKind, usize) {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let length = text.len() - text.trim_start_matches(is_of_word).len();
    if length == 0 {
        return (
            RawTokenKind::Sign,
            text.len() - text.trim_start_matches(|letter| !is_of_word(letter)).len(),
        );
    }
    let word = text.get(..length).unwrap_or_default();
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_number =
        is_hex && (digits.bytes().any(|digit| digit.is_ascii_digit()) || digits.len() >= 8);
    (
        if is_number {
            RawTokenKind::Number
        } else {
            RawTokenKind::Name
        },
        length,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_out_of_names_and_signs() {
        use RawTokenKind::{Name, Number, Sign};
        let kinds = |text: &'static str| runs(text).collect::<Vec<_>>();
        assert_eq!(
            kinds("12 clk R X0 000a"),
            [
                (Number, "12"),
                (Sign, " "),
                (Name, "clk"),
                (Sign, " "),
                (Name, "R"),
                (Sign, " "),
                (Name, "X0"),
                (Sign, " "),
                (Number, "000a")
            ]
        );
        assert_eq!(
            kinds("ADD é,#0x1f"),
            [
                (Name, "ADD"),
                (Sign, " "),
                (Name, "é"),
                (Sign, ",#"),
                (Number, "0x1f")
            ]
        );
        assert_eq!(kinds(""), []);
    }
}

//! Text with semantic roles, for instructions and for raw lines of a trace; the front ends choose
//! the colour of each [`TextRole`].
//!
//! Raw lines are split without knowledge of the format: every format has numbers, names and
//! punctuation.

use stepback_index::answer::StepRecord;
use stepback_machine::flow::TextFlow;

use crate::image::Images;
use crate::syntax::{InstructionLine, SyntaxKind};

/// Role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// Ordinary content.
    #[default]
    Plain,
    /// Secondary content.
    Second,
    /// A label; also instructions that were not executed.
    Label,
    Branch,
    Register,
    /// A number in code.
    Number,
    Symbol,
    /// Punctuation in code.
    Punctuation,
    Comment,
    /// A load.
    Read,
    /// A load of a value that was written without a record in the trace.
    External,
    /// A store.
    Write,
    /// A branch that was taken.
    Taken,
    /// A value that the trace does not state but that follows from it.
    Inferred,
    /// An unknown value.
    Unknown,
    Exception,
}

/// Piece of text with one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    pub meaning: TextRole,
    pub text: String,
}

impl TextSpan {
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self {
            meaning,
            text: text.into(),
        }
    }
}

/// Effect of an instruction on control flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeKind {
    /// Branch that is neither a call nor a return.
    Branch,
    Call,
    Return,
    /// Anything else.
    #[default]
    Other,
}

/// Instruction, split into the parts that the list aligns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    pub mnemonic: TextSpan,
    pub operands: Vec<TextSpan>,
    /// Effect on control flow.
    pub kind: CodeKind,
}

impl Code {
    /// Builds the disassembly of a step, with symbols for addresses.
    pub fn new(record: &StepRecord, images: &Images) -> Self {
        let (text, set) = (&record.text, record.instruction_set);
        let line = InstructionLine::parse(text, record.pc, set, &|target| images.name_at(target));
        let kind = match set.text_flow(text) {
            Some(TextFlow::Call) => CodeKind::Call,
            Some(TextFlow::Return) => CodeKind::Return,
            Some(TextFlow::Branch | TextFlow::Conditional) => CodeKind::Branch,
            None => CodeKind::Other,
        };
        let operands = line
            .operands
            .into_iter()
            .map(|token| TextSpan::new(meaning_of(token.kind), token.text));
        Self {
            mnemonic: TextSpan::new(meaning_of(line.mnemonic_kind), line.mnemonic),
            operands: operands.collect(),
            kind,
        }
    }

    /// Returns the whole instruction on one line.
    pub fn full_text(&self) -> String {
        let operands: String = self
            .operands
            .iter()
            .map(|span| span.text.as_str())
            .collect();
        format!("{:<6} {operands}", self.mnemonic.text)
            .trim_end()
            .to_owned()
    }

    /// Returns the length of the operands in characters.
    pub fn operand_length(&self) -> usize {
        self.operands
            .iter()
            .map(|span| span.text.chars().count())
            .sum()
    }
}

fn meaning_of(kind: SyntaxKind) -> TextRole {
    match kind {
        SyntaxKind::Mnemonic => TextRole::Plain,
        SyntaxKind::BranchMnemonic => TextRole::Branch,
        SyntaxKind::Register => TextRole::Register,
        SyntaxKind::Number => TextRole::Number,
        SyntaxKind::Symbol => TextRole::Symbol,
        SyntaxKind::Punctuation => TextRole::Punctuation,
        SyntaxKind::Comment => TextRole::Comment,
    }
}
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
        let (word, behind) = rest.split_at_checked(length).filter(|_| !rest.is_empty())?;
        rest = behind;
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

//! Formats an instruction as coloured text.

use stepback_index::StepRecord;
use stepback_machine::TextFlow;

use super::{TextRole, TextSpan};
use crate::image::Images;
use crate::syntax::{InstructionLine, SyntaxKind};

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

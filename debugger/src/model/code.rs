//! An instruction as coloured text.

use stepback_index::StepRecord;
use stepback_machine::TextFlow;

use super::{TextRole, TextSpan};
use crate::image::Images;
use crate::syntax::{InstructionLine, SyntaxKind};

/// What an instruction does to the flow of control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeKind {
    /// A branch that is neither a call nor a return.
    Branch,
    /// A call.
    Call,
    /// A return.
    Return,
    /// Anything else.
    #[default]
    Other,
}

/// An instruction, split as the list aligns it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The mnemonic.
    pub mnemonic: TextSpan,
    /// The operands.
    pub operands: Vec<TextSpan>,
    /// What it does to the flow of control.
    pub kind: CodeKind,
}

impl Code {
    /// The disassembly of a step, with symbols for addresses.
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

    /// The whole instruction in one line.
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

    /// How many characters the operands take.
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

//! An instruction as coloured text.

use stepback_machine::Address;

use super::{Meaning, Span};
use crate::image::Images;
use crate::syntax::{Flow, Kind, Line, flow};

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
    pub mnemonic: Span,
    /// The operands.
    pub operands: Vec<Span>,
    /// What it does to the flow of control.
    pub kind: CodeKind,
}

impl Code {
    /// The disassembly of an instruction at an address, with symbols for addresses.
    pub fn new(text: &str, address: Address, images: &Images) -> Self {
        let line = Line::parse(text, address, &|target| images.name_at(target));
        let kind = match flow(text) {
            Some(Flow::Call) => CodeKind::Call,
            Some(Flow::Return) => CodeKind::Return,
            Some(Flow::Branch) => CodeKind::Branch,
            None => CodeKind::Other,
        };
        let operands = line.operands.into_iter().map(|token| Span::new(meaning_of(token.kind), token.text));
        Self { mnemonic: Span::new(meaning_of(line.mnemonic_kind), line.mnemonic), operands: operands.collect(), kind }
    }

    /// The whole instruction in one line.
    pub fn full_text(&self) -> String {
        let operands: String = self.operands.iter().map(|span| span.text.as_str()).collect();
        format!("{:<6} {operands}", self.mnemonic.text).trim_end().to_owned()
    }

    /// How many characters the operands take.
    pub fn operand_length(&self) -> usize {
        self.operands.iter().map(|span| span.text.chars().count()).sum()
    }
}

fn meaning_of(kind: Kind) -> Meaning {
    match kind {
        Kind::Mnemonic => Meaning::Plain,
        Kind::BranchMnemonic => Meaning::Branch,
        Kind::Register => Meaning::Register,
        Kind::Number => Meaning::Number,
        Kind::Symbol => Meaning::Symbol,
        Kind::Punctuation => Meaning::Punctuation,
        Kind::Comment => Meaning::Comment,
    }
}

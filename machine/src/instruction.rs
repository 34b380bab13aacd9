//! A decoded instruction.

use crate::bytes::Encoding;
use crate::control::ControlFlowEffect;
use crate::description::MeaningBuilder;
use crate::meaning::{ExecutionCondition, Meaning};
use crate::register_use::RegisterUse;
use crate::view::{RegisterId, RegisterView};

/// How the text of bytes begins that cannot be decoded.
const UNDECODABLE: &str = ".byte";

/// An instruction at its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic and operands in lower case, targets as addresses; `.byte 0x48, 0x85` when the bytes cannot be decoded.
    pub text: String,
    /// The registers that it uses; none when they are not known: it may then write any.
    pub registers: Option<RegisterUse>,
    /// What it does to registers and memory, as far as this is described.
    pub meaning: Meaning,
    /// Where control goes behind it, as far as this is told.
    pub control: ControlFlowEffect,
}

impl Instruction {
    /// From its text in any case and what is known of it; control is told later.
    pub(crate) fn new(text: &str, description: Option<MeaningBuilder>) -> Self {
        let text = text.trim_end().to_ascii_lowercase();
        let (registers, meaning) = description.map(MeaningBuilder::finish).unzip();
        Self {
            text,
            registers,
            meaning: meaning.unwrap_or_default(),
            control: ControlFlowEffect::default(),
        }
    }

    /// Bytes that mean nothing.
    pub(crate) fn undecodable(encoding: &Encoding) -> Self {
        let digits: String = encoding
            .bytes()
            .iter()
            .map(|byte| format!(" {byte:02x}"))
            .collect();
        Self {
            text: format!("{UNDECODABLE}{digits}"),
            ..Self::default()
        }
    }

    /// True when its bytes mean something, as a whole.
    pub fn is_decoded(&self) -> bool {
        !self.text.starts_with(UNDECODABLE)
    }

    /// True when it is executed only when its condition holds.
    pub fn is_conditional(&self) -> bool {
        self.meaning.condition == ExecutionCondition::Conditional
    }

    /// True for a direct branch that may not be taken: what registers or flags hold decides.
    pub fn decides(&self) -> bool {
        let is_read = self
            .registers
            .as_ref()
            .is_some_and(|known| !known.reads.is_empty());
        self.is_conditional() || is_read
    }

    /// True when it makes a byte of a vector register zero because it writes the part below.
    pub fn clears(&self, byte: RegisterView) -> bool {
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&byte.register);
        let is_below = |write: &RegisterView| {
            write.register == byte.register
                && write.offset.saturating_add(write.size_bytes) <= byte.offset
        };
        let writes = self.registers.iter().flat_map(|known| &known.writes);
        self.meaning.clears_rest
            && is_vector
            && !self.may_write(byte)
            && writes.into_iter().any(is_below)
    }

    /// True when it certainly or possibly writes a byte of a view.
    pub fn may_write(&self, view: RegisterView) -> bool {
        self.registers
            .as_ref()
            .is_none_or(|known| known.writes.iter().any(|write| write.overlaps(view)))
    }
}

//! A decoded instruction.

use crate::bytes::Encoding;
use crate::control::ControlFlowEffect;
use crate::description::MeaningBuilder;
use crate::meaning::{ExecutionCondition, Meaning};
use crate::register_use::RegisterUse;
use crate::view::{RegisterId, RegisterView};

/// Text prefix for bytes that cannot be decoded.
const UNDECODABLE: &str = ".byte";

/// A decoded instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic and operands in lower case, targets as addresses; `.byte 48 85` if the bytes cannot
    /// be decoded.
    pub text: String,
    /// Registers that it uses; none if unknown, in which case it may write any register.
    pub registers: Option<RegisterUse>,
    /// Effects on registers and memory; incomplete where they are not modelled.
    pub meaning: Meaning,
    /// Control transfer after it; default until
    /// [`InstructionSet::control`](crate::InstructionSet::control) fills it in.
    pub control: ControlFlowEffect,
}

impl Instruction {
    /// Creates an instruction from its text, in any case, and its description. Control is filled in
    /// later.
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

    /// Creates an instruction for bytes that cannot be decoded.
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

    /// Returns true if the bytes were decoded as a whole.
    pub fn is_decoded(&self) -> bool {
        !self.text.starts_with(UNDECODABLE)
    }

    /// Returns true if it takes effect only when a condition holds.
    pub fn is_conditional(&self) -> bool {
        self.meaning.condition == ExecutionCondition::Conditional
    }

    /// Returns true for a direct branch whose outcome depends on registers or flags.
    pub fn decides(&self) -> bool {
        let is_read = self
            .registers
            .as_ref()
            .is_some_and(|known| !known.reads.is_empty());
        self.is_conditional() || is_read
    }

    /// Returns true if it zeroes a byte of a vector register because it writes a lower part.
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

    /// Returns true if it writes, or may write, a byte of a view.
    pub fn may_write(&self, view: RegisterView) -> bool {
        self.registers
            .as_ref()
            .is_none_or(|known| known.writes.iter().any(|write| write.overlaps(view)))
    }
}

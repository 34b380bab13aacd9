//! What is known of a trace besides its text.

use stepback_machine::{Endian, InstructionSet};

use crate::text::limits::TextLimits;

/// How instruction lines tell the instruction-set state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateField {
    /// In a field of its own.
    Written,
    /// Not at all, because the CPU knows only Thumb.
    ImplicitThumb,
}

/// How a producer orders the lines of its instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineOrder {
    /// After their instruction, or directly before it with its time.
    #[default]
    Plain,
    /// The same, but for memory lines that name their instruction.
    Named,
    /// Some results come after later instructions.
    Late,
    /// Results come before their instruction.
    Early,
}

/// How the text of a trace is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct TarmacSettings {
    /// What registers before the first instruction mean.
    pub first_set: InstructionSet,
    /// Byte order of the traced CPU's data.
    pub endian: Endian,
    /// How instruction lines tell the instruction-set state.
    pub state_field: StateField,
    /// How much is held at once.
    pub limits: TextLimits,
    /// Where the lines of an instruction are.
    pub order: LineOrder,
    /// False only in tests that compare the two ways to read a line.
    pub is_quick: bool,
}

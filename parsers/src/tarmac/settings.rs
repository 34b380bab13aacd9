//! Settings for reading a trace.

use stepback_machine::{Endian, InstructionSet};

use crate::text::window::TextLimits;

/// Form in which instruction lines give the instruction-set state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateField {
    /// The line has a field for it.
    Written,
    /// The line has no field for it, because the CPU executes only Thumb.
    ImplicitThumb,
}

/// Order in which a producer writes the lines of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineOrder {
    /// After the instruction, or directly before it with its time.
    #[default]
    Plain,
    /// As in [`Self::Plain`], but memory lines name their instruction.
    Named,
    /// Some results follow later instructions.
    Late,
    /// Results precede their instruction.
    Early,
}

/// Settings for reading the text of a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct TarmacSettings {
    /// Instruction set in which registers before the first instruction are interpreted.
    pub first_set: InstructionSet,
    /// Byte order of the traced CPU's data.
    pub endian: Endian,
    /// Form of the instruction-set state on instruction lines.
    pub state_field: StateField,
    /// Limits of the text held in memory.
    pub limits: TextLimits,
    /// Order of the lines of an instruction.
    pub order: LineOrder,
    /// False only in tests that compare the fast and the slow path.
    pub is_quick: bool,
}

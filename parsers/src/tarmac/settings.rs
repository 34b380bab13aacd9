//! What is known of a trace besides its text.

use stepback_machine::{Endian, InstructionSet};

use crate::text::limits::Limits;

/// How the text of a trace is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// What registers before the first instruction mean.
    pub first_set: InstructionSet,
    /// Byte order of the traced CPU's data.
    pub endian: Endian,
    /// Instruction lines lack the instruction-set state because the CPU knows only Thumb.
    pub is_implicit_thumb: bool,
    /// How much is held at once.
    pub limits: Limits,
    /// False only in tests that compare the two ways to read a line.
    pub is_quick: bool,
}

//! Bytes of instructions: as the trace recorded them, else from the program's files.

use stepback_machine::{Encoding, step_text};
use stepback_parsers::{KnownInstruction, StepEvent};

use crate::index::Index;

/// Returns the bytes of a step's instruction; none if neither trace nor program contain them.
pub(crate) fn encoding_of(index: &Index, step: &StepEvent<'_>) -> Option<Encoding> {
    let in_program = || {
        index
            .program()
            .instruction(step.pc, step.length_bytes, step.instruction_set)
    };
    step.encoding().or_else(in_program)
}

/// Returns the bytes of an instruction that the trace executed.
pub(crate) fn known_encoding(index: &Index, known: &KnownInstruction) -> Option<Encoding> {
    let in_program = || {
        index
            .program()
            .instruction(known.pc, known.length_bytes, known.instruction_set)
    };
    known.encoding.or_else(in_program)
}

/// Returns the text of a step whose instruction has these bytes.
pub(crate) fn text_of(step: &StepEvent<'_>, encoding: Option<Encoding>) -> String {
    step_text(
        step.text,
        encoding,
        step.pc,
        step.instruction_set,
        step.length_bytes,
    )
}

//! Bytes of instructions: as the trace recorded them, else from the program's files.
//! [`code_contradictions`] compares the two: if the files contradict an instruction that the trace executed, they are not
//! trusted for its whole page.

use std::ops::RangeInclusive;

use stepback_machine::{Address, Encoding, step_text};
use stepback_parsers::{KnownInstruction, StepEvent};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::program::Program;
use crate::index::Index;
use crate::read::touches::{TouchFilter, TouchReader};
use crate::store::codes::ExecutedCode;
use crate::store::granules::GRANULE_BITS;

/// Returns the bytes of a step's instruction; none if neither trace nor program contain them.
pub fn encoding_of(index: &Index, step: &StepEvent<'_>) -> Option<Encoding> {
    let in_program = || {
        index
            .program()
            .executed_instruction(step.pc, step.length_bytes, step.instruction_set)
    };
    step.encoding().or_else(in_program)
}

/// Returns the bytes of an instruction that the trace executed.
pub(crate) fn known_encoding(index: &Index, known: &KnownInstruction) -> Option<Encoding> {
    let in_program = || {
        index
            .program()
            .executed_instruction(known.pc, known.length_bytes, known.instruction_set)
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

/// Size in bytes of the pages that are accepted or rejected as a whole.
const PAGE_BYTES: u64 = 4096;
/// Maximum number of instructions for which earlier writes of their bytes by the trace are looked
/// up; with more, the program is a different one anyway.
const LOOKED_UP: usize = 1 << 12;

/// Returns the instructions with recorded bytes that differ from those of a program, if the
/// trace shows no earlier write of these bytes. Cost: one comparison for each distinct
/// instruction.
///
/// # Errors
/// See [`QueryError`].
pub fn code_contradictions(
    index: &Index,
    program: &Program,
    cancel: &Cancel,
) -> Result<Vec<ExecutedCode>, QueryError> {
    let mut found = Vec::new();
    if program.is_empty() {
        return Ok(found);
    }
    for code in index.codes.all() {
        cancel.check()?;
        let differing = differing_bytes(program, code);
        if !differing.is_empty()
            && (found.len() >= LOOKED_UP || !are_written(index, &differing, code)?)
        {
            found.push(*code);
        }
    }
    Ok(found)
}

/// Returns true if each of some bytes was written, or read with a value, before a step first
/// executed them.
fn are_written(index: &Index, bytes: &[u64], code: &ExecutedCode) -> Result<bool, QueryError> {
    for address in bytes {
        let (granule, place) = (address >> GRANULE_BITS, address & ((1 << GRANULE_BITS) - 1));
        let mask = 1 << place;
        let touches = TouchReader::new(index).last_touches(
            granule,
            mask,
            code.first.0,
            TouchFilter::Evidence,
        )?;
        let by_host = index
            .host_regions
            .last_of_bytes(granule, mask, code.first.0);
        let place = place as usize;
        if touches[place].is_none() && by_host[place].is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the pages of contradicting instructions from a program.
pub(crate) fn consistent_program(
    index: &Index,
    mut program: Program,
    cancel: &Cancel,
) -> Result<Program, QueryError> {
    for code in code_contradictions(index, &program, cancel)? {
        let pages = pages_of(&code);
        program.forget(Address(*pages.start()), Address(*pages.end()));
    }
    Ok(program)
}

/// Returns the addresses of an instruction's bytes that differ in a program.
fn differing_bytes(program: &Program, code: &ExecutedCode) -> Vec<u64> {
    let encoding = program.in_memory(code.set, code.encoding);
    let bytes = (0..)
        .zip(encoding.bytes())
        .map(|(offset, byte)| (code.pc.0.wrapping_add(offset), *byte));
    let differs = |(address, byte): &(u64, u8)| {
        program
            .byte(Address(*address))
            .is_some_and(|known| known != *byte)
    };
    bytes.filter(differs).map(|(address, _)| address).collect()
}

/// Returns the pages of an instruction, from their first byte to their last.
pub(crate) fn pages_of(code: &ExecutedCode) -> RangeInclusive<u64> {
    let last = code
        .pc
        .0
        .saturating_add(code.encoding.bytes().len() as u64 - 1);
    code.pc.0 & !(PAGE_BYTES - 1)..=last | (PAGE_BYTES - 1)
}

//! The values of registers.

use stepback_machine::{RegisterId, Registers};
use stepback_parsers::{Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::inference::{Inference, InferredRegister};
use crate::answers::register_file::RegisterState;
use crate::answers::thread::ThreadId;
use crate::answers::value::ValueSource;
use crate::index::Index;
use crate::inference::around::Around;
use crate::read::overtaken::DoubtReader;
use crate::read::slots::SlotReader;

/// The registers of a thread at a position as far as its steps force them, without the values that the trace may state.
pub(crate) fn infer_registers<S: Source>(
    index: &Index<S>,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<Inference, QueryError> {
    SlotReader(index).check_position(position)?;
    if DoubtReader(index).is_filtered(position, cancel)? {
        return Ok(Inference { registers: Vec::new(), contradictions: 0 });
    }
    let mut around = Around::new(index, thread, position, cancel)?;
    let mut registers = Vec::new();
    for (name, view) in Registers::shown(index.instruction_set(thread)) {
        let found = around.view(view, cancel)?.filter(|_| view.register != RegisterId::PC);
        registers.extend(found.map(|(value, reason)| InferredRegister { name, view, value, reason }));
    }
    Ok(Inference { registers, contradictions: around.contradictions() })
}

/// Fills in what follows about registers that have no value. Nothing is done in traces that state values.
pub(crate) fn fill_registers<S: Source>(
    index: &Index<S>,
    thread: ThreadId,
    position: Position,
    registers: &mut [RegisterState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    if !index.has_operands_alone() || DoubtReader(index).is_filtered(position, cancel)? {
        return Ok(());
    }
    let mut around = Around::new(index, thread, position, cancel)?;
    around.writers = Some(registers.iter().map(|register| (register.view, register.written_at)).collect());
    for register in registers.iter_mut().filter(|register| register.value.is_unknown()) {
        if let Some((value, reason)) = around.view(register.view, cancel)? {
            (register.value, register.source, register.reason) = (value, ValueSource::Inferred, Some(reason));
        }
    }
    Ok(())
}

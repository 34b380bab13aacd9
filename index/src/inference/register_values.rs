//! Inferred values of registers.

use std::ops::Range;

use stepback_machine::{RegisterId, Registers};
use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::inference::{Inference, InferredRegister};
use crate::answers::register_file::RegisterState;
use crate::answers::thread::ThreadId;
use crate::answers::value::ValueSource;
use crate::index::Index;
use crate::index::untraced::UntracedRegisters;
use crate::inference::around::{PositionInference, ThreadPosition};
use crate::inference::ending::unfinished_slots;
use crate::inference::engine::Circumstances;
use crate::inference::snapshot::circumstances;
use crate::read::overtaken::DoubtReader;
use crate::read::slots::SlotReader;
use crate::read::untraced::UntracedReader;

/// Returns the registers of a thread at a position that its steps imply, without using recorded
/// values.
pub(crate) fn infer_registers(
    index: &Index,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<Inference, QueryError> {
    SlotReader(index).check_position(position)?;
    if DoubtReader(index).is_filtered(position, cancel)? {
        return Ok(Inference {
            registers: Vec::new(),
            contradictions: 0,
        });
    }
    let hidden = Circumstances {
        are_values_taken: false,
        ..circumstances(index)
    };
    let mut around = PositionInference::new(
        index,
        ThreadPosition { thread, position },
        hidden,
        None,
        cancel,
    )?;
    let mut registers = Vec::new();
    for (name, view) in Registers::shown(index.instruction_set(thread)) {
        let found = around
            .view(view, cancel)?
            .filter(|_| view.register != RegisterId::PC);
        registers.extend(found.map(|(value, reason)| InferredRegister {
            name,
            view,
            value,
            reason,
        }));
    }
    Ok(Inference {
        registers,
        contradictions: around.contradictions(),
    })
}

/// Fills in the inferred values of registers without a recorded value. Does nothing for traces that
/// record values.
pub(crate) fn fill_registers(
    index: &Index,
    thread: ThreadId,
    position: Position,
    registers: &mut [RegisterState],
    cancel: &Cancel,
) -> Result<(), QueryError> {
    if unfinished_slots(index, thread, position)?.is_some() {
        let next = registers
            .iter_mut()
            .filter(|register| register.view.register == RegisterId::PC);
        next.for_each(|register| register.value.0.fill(None));
    }
    let untraced = UntracedReader(index).of(thread)?;
    let is_untraced =
        |register: &RegisterState| register.value.is_unknown() && untraced.includes(register.view);
    let computed = index.instruction_set(thread).computed_registers();
    let is_missing = index.has_operands_alone()
        || registers
            .iter()
            .any(|register| is_missing(register, &computed));
    let is_wanted = index.is_inferred() && is_missing || registers.iter().any(is_untraced);
    if !is_wanted || DoubtReader(index).is_filtered(position, cancel)? {
        return Ok(());
    }
    let at = ThreadPosition { thread, position };
    let known = circumstances(index);
    let circumstances = Circumstances {
        are_values_taken: known.are_values_taken || untraced != UntracedRegisters::Nothing,
        ..known
    };
    let mut around = PositionInference::new(index, at, circumstances, Some(&*registers), cancel)?;
    let is_open = |register: &RegisterState| {
        register.value.is_unknown() && (index.is_inferred() || is_untraced(register))
    };
    for register in registers.iter_mut().filter(|register| is_open(register)) {
        if let Some((value, reason)) = around.view(register.view, cancel)? {
            (register.value, register.source, register.reason) =
                (value, ValueSource::Inferred, Some(reason));
        }
    }
    Ok(())
}

/// Returns true for a computation register without a known value. Vector and state registers count
/// only if they were written: most programs never use them.
fn is_missing(register: &RegisterState, computed: &Range<u16>) -> bool {
    let number = register.view.register;
    let is_seldom =
        (RegisterId::V0..RegisterId::P0).contains(&number) || computed.contains(&number.0);
    register.value.is_unknown()
        && (number < RegisterId::PC || is_seldom && register.written_at.is_some())
}

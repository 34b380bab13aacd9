//! Registers of a thread that the trace leaves out.

use std::sync::PoisonError;

use stepback_machine::{Mode, RegisterId};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::operand_table::UntracedRegisters;
use crate::read::slots::SlotReader;
use crate::read::views::ViewReader;

/// Returns the registers of a thread that instructions write and no line names. Cost: the text
/// of the thread's first step, once.
pub fn untraced_registers(
    index: &Index,
    thread: ThreadId,
) -> Result<UntracedRegisters, QueryError> {
    let known = || {
        index
            .caches
            .untraced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    if let Some(untraced) = known().get(&thread) {
        return Ok(*untraced);
    }
    let untraced = find_untraced(index, thread)?;
    known().insert(thread, untraced);
    Ok(untraced)
}

/// Returns true if no line names a vector or floating-point register of a thread although the
/// instructions are known, so that only these show the writes. Cost: the text of the thread's first
/// step, once.
pub(crate) fn leaves_vectors_out(index: &Index, thread: ThreadId) -> Result<bool, QueryError> {
    let known = || {
        index
            .caches
            .leaves_vectors_out
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    if let Some(leaves_out) = known().get(&thread) {
        return Ok(*leaves_out);
    }
    let is_vector = |register| (RegisterId::V0..RegisterId::P0).contains(&register);
    let mut views = ViewReader(index).views_of(thread).iter();
    let leaves_out = !index.has_operands_alone()
        && !index.instruction_set(thread).has_windows()
        && views.all(|known| !is_vector(plain(index, thread, known.view.register)))
        && has_encodings(index, thread)?;
    known().insert(thread, leaves_out);
    Ok(leaves_out)
}

fn find_untraced(index: &Index, thread: ThreadId) -> Result<UntracedRegisters, QueryError> {
    let set = index.instruction_set(thread);
    if index.has_operands_alone() || set.has_windows() {
        return Ok(UntracedRegisters::Nothing);
    }
    let named = ViewReader(index)
        .views_of(thread)
        .iter()
        .map(|known| plain(index, thread, known.view.register));
    let named: Vec<RegisterId> = named
        .filter(|register| *register < RegisterId::PC)
        .collect();
    if named.contains(&RegisterId::SP) || !has_encodings(index, thread)? {
        return Ok(UntracedRegisters::Nothing);
    }
    Ok(if named.is_empty() {
        UntracedRegisters::General
    } else {
        UntracedRegisters::StackPointer
    })
}

/// Returns the plain register of a bank; any other register itself.
fn plain(index: &Index, thread: ThreadId, register: RegisterId) -> RegisterId {
    let set = index.instruction_set(thread);
    let named = index
        .banks
        .iter()
        .find(|known| known.register == register)
        .map(|known| known.plain);
    // Lines in an unknown mode write one of the banks, too.
    let is_bank = |plain: &u16| {
        let plain = RegisterId(*plain);
        Mode::Untold.home(plain) == register || set.banks(plain).any(|bank| bank == register)
    };
    named
        .or_else(|| (0..RegisterId::PC.0).find(is_bank).map(RegisterId))
        .unwrap_or(register)
}

fn has_encodings(index: &Index, thread: ThreadId) -> Result<bool, QueryError> {
    let first = index
        .contents
        .threads
        .get(usize::from(thread.0))
        .and_then(|known| known.first_step);
    let Some(slot) = first.map(|step| step.after().0) else {
        return Ok(false);
    };
    Ok(SlotReader(index)
        .step_of(slot)?
        .is_some_and(|(_, step)| step.encoding.is_some()))
}

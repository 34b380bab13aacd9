//! Recognises transfers of control that take an exception or return from one.

use stepback_machine::{Address, FlowKind};

use crate::answers::call::Evidence;
use crate::builder::calls::branches::branch_target;
use crate::builder::calls::jump::JumpContext;
use crate::builder::calls::pending::{PendingFrame, PendingKind};

/// Returns the evidence that a transfer of control takes an exception, if it does.
///
/// After an instruction that does not jump, only an exception can send control elsewhere. But a
/// trace may have gaps, so the destination must look like a vector, or the registers like those of
/// a handler. After one that jumps, the trace must also report an exception, and the target must
/// differ.
pub fn exception(jump: &JumpContext) -> Option<Evidence> {
    let is_taken = match jump.flow {
        FlowKind::Trap => true,
        FlowKind::Next => jump.last.opcode != 0 && is_handler(jump) || jump.has_words,
        _ => {
            has_exception_return(jump) && jump.age == 1
                || jump.has_words && is_handler(jump) && !is_target(jump)
        }
    };
    is_taken.then(|| entry_evidence(jump))
}

/// Returns the evidence for an exception that a transfer of control is known to take.
pub fn entry_evidence(jump: &JumpContext) -> Evidence {
    if jump.has_words {
        Evidence::Words
    } else {
        Evidence::Jump
    }
}

/// Returns true if a step returns from an exception, by its encoding and the link register.
pub fn is_exception_return(jump: &JumpContext) -> bool {
    match jump.flow {
        FlowKind::ExceptionReturn => true,
        // The M profile returns by a special value, which is already overwritten when the next
        // handler begins.
        FlowKind::Return | FlowKind::Branch => {
            has_exception_return(jump) && branch_target(&jump.last).is_none()
        }
        _ => false,
    }
}

/// Returns true if a handler ends here and the next one begins without a return in between
/// (tail-chaining, DDI 0403, B1.5.12). The link register gets `EXC_RETURN` again, and the
/// interrupted code stays interrupted.
pub fn is_tail_chained(exception: &PendingFrame, jump: &JumpContext) -> bool {
    let PendingKind::Exception { interrupted, .. } = exception.kind else {
        return false;
    };
    if !is_exception_return(jump) || !has_exception_return(jump) || exception.resumes_at(jump.pc) {
        return false;
    }
    // A handler that was interrupted at a jump through a register may resume anywhere, and its own
    // link register holds `EXC_RETURN` too.
    let control = interrupted.control();
    let is_jump =
        interrupted.is_executed && !matches!(control.flow, FlowKind::Next | FlowKind::Trap);
    let is_at_known_place = !is_jump || control.target.address().is_some();
    let is_entry = jump.has_words || jump.age == 1 && is_at_known_place;
    // An exception inside the handler returns to a handler, and has stored a frame below that of
    // the first one.
    let to_thread_mode = jump
        .lr
        .is_some_and(|lr| jump.instruction_set.is_return_to_thread_mode(lr));
    is_entry && (to_thread_mode || jump.sp.is_some() && jump.sp == exception.key.sp)
}

/// Returns true if another exception is taken right after a return inside the handler of a pending
/// one.
pub fn is_nested(exception: &PendingFrame, jump: &JumpContext) -> bool {
    let is_entry = has_exception_return(jump) && jump.age == 1 && jump.has_words;
    is_entry && !exception.resumes_at(jump.pc) && !is_tail_chained(exception, jump)
}

fn is_handler(jump: &JumpContext) -> bool {
    let expected = jump.last.next_pc();
    let is_linked = jump.lr.is_some_and(|lr| lr.abs_diff(expected) <= 8) && jump.age == 1;
    if has_exception_return(jump) {
        return jump.age == 1;
    }
    let (set, pc) = (jump.instruction_set, Address(jump.pc));
    is_linked || set.is_vector(pc, set.encoding_of(jump.opcode, jump.length_bytes).as_ref())
}

/// Returns true if the link register has one of the values that mean a return from an exception.
pub fn has_exception_return(jump: &JumpContext) -> bool {
    jump.lr
        .is_some_and(|lr| jump.instruction_set.is_exception_return_value(lr))
}

/// Returns true if control went to a target other than that of the step before, without any sign of
/// an exception.
pub fn is_diverted(jump: &JumpContext) -> bool {
    let has_target = jump.last.control().target.address().is_some();
    jump.flow == FlowKind::Next || has_target && !is_target(jump)
}

/// Returns true if the step before is known to jump to where control went.
fn is_target(jump: &JumpContext) -> bool {
    let target = jump.last.control().target.address();
    target.is_some_and(|target| (target ^ jump.pc) & !1 == 0)
}

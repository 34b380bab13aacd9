//! Which transfers of control take an exception or return from one.

use stepback_machine::{Address, Flow};

use crate::answers::call::Evidence;
use crate::builder::calls::branches::branch_target;
use crate::builder::calls::jump::Jump;

/// The evidence that a transfer of control takes an exception, if it does.
///
/// After an instruction that does not jump, only an exception can send control elsewhere. But a trace may have gaps,
/// so the destination must look like a vector, or the registers like those of a handler.
/// After one that jumps, the trace must also say so, and the jump must go elsewhere.
pub fn exception(jump: &Jump) -> Option<Evidence> {
    let evidence = if jump.has_words { Evidence::Words } else { Evidence::Jump };
    let is_taken = match jump.flow {
        Flow::Trap => true,
        Flow::Next => jump.last.opcode != 0 && is_handler(jump) || jump.has_words,
        _ => has_exception_return(jump) && jump.age == 1 || jump.has_words && is_handler(jump) && !is_target(jump),
    };
    is_taken.then_some(evidence)
}

/// Whether a step returns from an exception, as its encoding and the link register say.
pub fn is_exception_return(jump: &Jump) -> bool {
    match jump.flow {
        Flow::ExceptionReturn => true,
        // The M profile returns by a special value, which has been overwritten already when the next handler begins.
        Flow::Return | Flow::Branch => has_exception_return(jump) && branch_target(&jump.last).is_none(),
        _ => false,
    }
}

fn is_handler(jump: &Jump) -> bool {
    let expected = jump.last.next_pc();
    let is_linked = jump.lr.is_some_and(|lr| lr.abs_diff(expected) <= 8) && jump.age == 1;
    if has_exception_return(jump) {
        return jump.age == 1;
    }
    let (set, pc) = (jump.instruction_set, Address(jump.pc));
    is_linked || set.is_vector(pc, set.encoding_of(jump.opcode, jump.length_bytes).as_ref())
}

/// Whether the link register has one of the values that mean a return from an exception.
pub fn has_exception_return(jump: &Jump) -> bool {
    jump.lr.is_some_and(|lr| jump.instruction_set.is_exception_return_value(lr))
}

/// Whether control went elsewhere than the step before says, without any sign of an exception.
pub fn is_diverted(jump: &Jump) -> bool {
    let has_target = jump.last.control().target.address().is_some();
    jump.flow == Flow::Next || has_target && !is_target(jump)
}

/// Whether the step before is known to jump to where control went.
fn is_target(jump: &Jump) -> bool {
    let target = jump.last.control().target.address();
    target.is_some_and(|target| (target ^ jump.pc) & !1 == 0)
}

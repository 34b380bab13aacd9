//! Classification of a transfer of control for the call search. A [`JumpContext`] contains the
//! steps on both sides, the stack pointer and the link register. The functions find the targets of
//! jumps and calls, and recognise the entry to an exception, the return from one, and tail-chaining
//! in the M profile (DDI 0403, B1.5.12).

use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind};
use stepback_machine::{Address, InstructionSet};

use crate::answers::call::Evidence;
use crate::builder::calls::pending::{PendingFrame, PendingKind, ReturnKey};
use crate::builder::segment::transfers::LastStep;

/// Size of the vector table of AArch64 (DDI 0487, "Exception vectors"), the largest one.
const VECTOR_TABLE_BYTES: u64 = 0x800;

/// A transfer of control with its context.
#[derive(Clone, Copy, Debug)]
pub struct JumpContext {
    /// Step before the transfer.
    pub last_step: u64,
    /// Instruction and address of that step.
    pub last: LastStep,
    /// Effect of that step on control, from its encoding.
    pub control: ControlFlowEffect,
    /// Kind of that effect; none if the step was not executed.
    pub flow: FlowKind,
    /// Step at the destination.
    pub step: u64,
    /// Address of the destination.
    pub pc: u64,
    /// Encoding at the destination.
    pub opcode: u32,
    /// Length of the instruction at the destination.
    pub length_bytes: u8,
    /// Instruction set at the destination.
    pub instruction_set: InstructionSet,
    /// Stack pointer when the destination step began.
    pub sp: Option<u64>,
    /// Step that wrote the stack pointer last.
    pub sp_step: Option<u64>,
    /// True if the stack pointer got an unrelated value since the previous transfer.
    pub is_sp_set: bool,
    /// Stack pointer that the destination uses, if a step wrote it while another one was in use.
    pub other_stack: Option<StackWrite>,
    /// Link register when the destination step began.
    pub lr: Option<u64>,
    /// Steps since the link register was written, up to
    /// [`crate::builder::segment::transfers::AGE_LIMIT`].
    pub age: u8,
    /// True if the trace reports an exception here.
    pub has_words: bool,
    /// True if the step before is known to jump elsewhere, in an instruction set with silent traps.
    pub is_elsewhere: bool,
    /// True if a register is known to name the destination as a handler.
    pub is_at_base: bool,
}

/// A value of a stack pointer, and the step that wrote it.
#[derive(Clone, Copy, Debug)]
pub struct StackWrite {
    /// Writing step.
    pub step: u64,
    /// Value of the stack pointer.
    pub sp: u64,
}

impl JumpContext {
    /// Returns the stack pointer that a handler set for the interrupted code, while its own was in
    /// use.
    pub fn stack_set_since(&self, entry_step: u64) -> Option<u64> {
        self.other_stack
            .filter(|write| write.step >= entry_step)
            .map(|write| write.sp)
    }

    /// Returns true if this is a call into the other security state: the return address is on the
    /// stack of the calling state, or the called function begins with the gateway instruction.
    pub fn changes_state(&self) -> bool {
        let is_state_return = |lr| self.instruction_set.is_function_return_value(lr);
        let is_to_gateway = self.instruction_set.is_state_gateway(self.opcode);
        self.flow == FlowKind::Call
            && (is_to_gateway || self.age == 1 && self.lr.is_some_and(is_state_return))
    }

    /// Returns the destination address, with the bit that may select the instruction set.
    pub fn target(&self) -> u64 {
        self.instruction_set.marked_address(self.pc)
    }

    /// Returns the key of the call that this transfer would return from.
    pub fn key(&self) -> ReturnKey {
        ReturnKey {
            sp: self.sp,
            target: self.target(),
        }
    }
}

/// Returns the target of a jump with a fixed target that writes no return address; none for other
/// instructions.
pub fn branch_target(control: &ControlFlowEffect) -> Option<u64> {
    control
        .target
        .address()
        .filter(|_| control.flow != FlowKind::Call)
}

/// Returns the target of a call; none if it is no call or the target is unknown. `core` holds the
/// registers by their numbers in the table.
pub fn call_target(step: &LastStep, core: &[Option<u64>]) -> Option<u64> {
    let control = step.control();
    match control.target {
        _ if control.flow != FlowKind::Call => None,
        BranchTarget::Address(address) => Some(address),
        BranchTarget::Register(register) => {
            let held = *core.get(usize::from(register.0))?;
            held.map(|address| step.instruction_set.code_address(address))
        }
        BranchTarget::Unsaid => None,
    }
}

/// Returns the evidence that a transfer of control takes an exception, if it does.
///
/// After an instruction that does not jump, only an exception can send control elsewhere. But a
/// trace may have gaps, so the destination must look like a vector, or the registers like those of
/// a handler. After one that jumps, the target must differ, and the trace must also report an
/// exception, except for instruction sets with silent traps.
pub fn exception(jump: &JumpContext) -> Option<Evidence> {
    let is_taken = match jump.flow {
        FlowKind::Trap => true,
        FlowKind::Next => jump.last.opcode != 0 && is_handler(jump) || jump.has_words,
        _ => {
            has_exception_return(jump) && jump.age == 1
                || jump.has_words && is_handler(jump) && !is_target(jump)
                || jump.is_elsewhere && is_vector(jump)
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
            has_exception_return(jump) && branch_target(&jump.control).is_none()
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
    if is_taken_at_return(exception, jump) {
        return true;
    }
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

/// Returns true if a handler returned and another exception was taken before the interrupted code
/// continued. If the trace reports exceptions, control must be at the entry of the same handler, or
/// at another vector of its table: the report may mean that the return changed the mode.
fn is_taken_at_return(exception: &PendingFrame, jump: &JumpContext) -> bool {
    let distance = jump.pc.abs_diff(exception.function);
    let is_entry = distance == 0 || distance < VECTOR_TABLE_BYTES && is_handler(jump);
    let is_silent = || jump.instruction_set.has_silent_traps() && is_vector(jump);
    jump.flow == FlowKind::ExceptionReturn
        && (jump.has_words && is_entry || is_silent())
        && !exception.resumes_at(jump.pc)
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
    is_linked || is_vector(jump)
}

/// Returns true if a register names the destination as a handler, or if it looks like one.
fn is_vector(jump: &JumpContext) -> bool {
    let (set, pc) = (jump.instruction_set, Address(jump.pc));
    jump.is_at_base || set.is_vector(pc, set.encoding_of(jump.opcode, jump.length_bytes).as_ref())
}

/// Returns true if the link register has one of the values that mean a return from an exception.
pub fn has_exception_return(jump: &JumpContext) -> bool {
    jump.lr
        .is_some_and(|lr| jump.instruction_set.is_exception_return_value(lr))
}

/// Returns true if control went to a target other than that of the step before, without any sign of
/// an exception.
pub fn is_diverted(jump: &JumpContext) -> bool {
    let has_target = jump.control.target.address().is_some();
    jump.flow == FlowKind::Next || has_target && !is_target(jump)
}

/// Returns true if the step before is known to jump to where control went.
fn is_target(jump: &JumpContext) -> bool {
    let target = jump.control.target.address();
    target.is_some_and(|target| (target ^ jump.pc) & !1 == 0)
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;

    #[track_caller]
    fn check_call(opcode: u32, set: InstructionSet, expected: Option<u64>) {
        let mut core = [None; 33];
        (core[2], core[32]) = (Some(0x1235), Some(0x4000));
        let length_bytes = if opcode > 0xffff { 4 } else { 2 };
        let step = LastStep {
            slot: 1,
            pc: 0x8002,
            opcode,
            length_bytes,
            instruction_set: set,
            is_executed: true,
        };
        assert_eq!(call_target(&step, &core), expected, "{opcode:#x}");
    }

    #[test]
    fn calls_tell_where_they_go() {
        check_call(0x9400_0002, InstructionSet::A64, Some(0x800a));
        check_call(0x97ff_ffff, InstructionSet::A64, Some(0x7ffe));
        check_call(0xd63f_0040, InstructionSet::A64, Some(0x1235));
        check_call(0xd63f_0060, InstructionSet::A64, None);
        check_call(0xd61f_0040, InstructionSet::A64, None);
        check_call(0xeb00_0001, InstructionSet::A32, Some(0x800e));
        check_call(0xfbff_fffe, InstructionSet::A32, Some(0x8004));
        check_call(0xe12f_ff32, InstructionSet::A32, Some(0x1234));
        check_call(0xe12f_ff3e, InstructionSet::A32, Some(0x4000));
        check_call(0x4790, InstructionSet::T32, Some(0x1234));
        check_call(0xf000_f801, InstructionSet::T32, Some(0x8008));
        check_call(0xf7ff_fffe, InstructionSet::T32, Some(0x8002));
        check_call(0xf000_e802, InstructionSet::T32, Some(0x8008));
    }

    #[test]
    fn branches_tell_where_they_go() {
        let check = |opcode: u32, set: InstructionSet, expected: Option<u64>| {
            let length_bytes = if opcode > 0xffff { 4 } else { 2 };
            let step = LastStep {
                slot: 1,
                pc: 0x8000,
                opcode,
                length_bytes,
                instruction_set: set,
                is_executed: true,
            };
            assert_eq!(branch_target(&step.control()), expected, "{opcode:#x}");
        };
        for (opcode, expected) in [
            (0x17ff_fff0, 0x7fc0),
            (0x5400_00e0, 0x801c),
            (0x3500_00e0, 0x801c),
            (0x3707_ffe0, 0x7ffc),
        ] {
            check(opcode, InstructionSet::A64, Some(expected));
        }
        check(0x97ff_fff0, InstructionSet::A64, None);
        check(0xeaff_fffe, InstructionSet::A32, Some(0x8000));
        check(0xebff_fffe, InstructionSet::A32, None);
        // Checked against a disassembler.
        for (opcode, expected) in [
            (0xd8f9, 0x7ff6),
            (0xe71f, 0x7e42),
            (0xb11b, 0x800a),
            (0xf002_baa4, 0xa54c),
            (0xf43f_af00, 0x7e04),
        ] {
            check(opcode, InstructionSet::T32, Some(expected));
        }
        check(0x4718, InstructionSet::T32, None);
    }
}

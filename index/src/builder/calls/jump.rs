//! A transfer of control with the context that the call search needs.

use stepback_machine::{FlowKind, InstructionSet};

use crate::builder::calls::pending::ReturnKey;
use crate::builder::segment::transfers::LastStep;

/// A transfer of control with its context.
#[derive(Clone, Copy, Debug)]
pub struct JumpContext {
    /// Step before the transfer.
    pub last_step: u64,
    /// Instruction and address of that step.
    pub last: LastStep,
    /// Control flow of that step, from its encoding.
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

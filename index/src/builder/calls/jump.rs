//! A transfer of control, as the search for calls sees it.

use stepback_machine::{FlowKind, InstructionSet};

use crate::builder::calls::pending::ReturnKey;
use crate::builder::segment::transfers::LastStep;

/// A transfer of control with all that is known of it.
#[derive(Clone, Copy, Debug)]
pub struct JumpContext {
    /// The step before.
    pub last_step: u64,
    /// What it was.
    pub last: LastStep,
    /// What it did, as its encoding says.
    pub flow: FlowKind,
    /// The step that control went to.
    pub step: u64,
    /// Its address.
    pub pc: u64,
    /// Its encoding.
    pub opcode: u32,
    /// Its length.
    pub length_bytes: u8,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// Stack pointer when it began.
    pub sp: Option<u64>,
    /// The step that wrote it last.
    pub sp_step: Option<u64>,
    /// True when it was given an unrelated value since the transfer before.
    pub is_sp_set: bool,
    /// The stack pointer that it uses, if a step wrote that while another was in use.
    pub other_stack: Option<StackWrite>,
    /// Link register when it began.
    pub lr: Option<u64>,
    /// Steps since the link register was written, up to [`crate::builder::segment::transfers::AGE_LIMIT`].
    pub age: u8,
    /// True when the trace tells of an exception here.
    pub has_words: bool,
}

/// A value of a stack pointer, and the step that wrote it.
#[derive(Clone, Copy, Debug)]
pub struct StackWrite {
    /// The step.
    pub step: u64,
    /// The value.
    pub sp: u64,
}

impl JumpContext {
    /// The stack pointer that a handler set for what it returned to, while its own was in use.
    pub fn stack_set_since(&self, entry_step: u64) -> Option<u64> {
        self.other_stack
            .filter(|write| write.step >= entry_step)
            .map(|write| write.sp)
    }

    /// Whether it calls into the other security state: the return address is on the stack of the calling state, or
    /// the called function begins with the gateway instruction.
    pub fn changes_state(&self) -> bool {
        let is_state_return = |lr| self.instruction_set.is_function_return_value(lr);
        let is_to_gateway = self.instruction_set.is_state_gateway(self.opcode);
        self.flow == FlowKind::Call
            && (is_to_gateway || self.age == 1 && self.lr.is_some_and(is_state_return))
    }

    /// The address that control went to, with the bit that may tell how to decode what is there.
    pub fn target(&self) -> u64 {
        self.instruction_set.marked_address(self.pc)
    }

    /// What a call must have for this to be its return.
    pub fn key(&self) -> ReturnKey {
        ReturnKey {
            sp: self.sp,
            target: self.target(),
        }
    }
}

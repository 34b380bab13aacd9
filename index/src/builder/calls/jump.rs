//! A transfer of control, as the search for calls sees it.

use stepback_machine::{Flow, InstructionSet};

use crate::builder::calls::pending::ReturnKey;
use crate::builder::segment::transfers::LastStep;

/// A transfer of control with all that is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// The step before.
    pub last_step: u64,
    /// What it was.
    pub last: LastStep,
    /// What it did, as its encoding says.
    pub flow: Flow,
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
    /// Link register when it began.
    pub lr: Option<u64>,
    /// Steps since the link register was written, up to [`crate::builder::segment::transfers::AGE_LIMIT`].
    pub age: u8,
    /// True when the trace tells of an exception here.
    pub has_words: bool,
}

impl Jump {
    /// The address that control went to, with the bit that may tell how to decode what is there.
    pub fn target(&self) -> u64 {
        self.instruction_set.marked_address(self.pc)
    }

    /// What a call must have for this to be its return.
    pub fn key(&self) -> ReturnKey {
        ReturnKey { sp: self.sp, target: self.target() }
    }
}

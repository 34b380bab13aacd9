//! The frames of a thread that are not over yet.

use serde::{Deserialize, Serialize};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::segment::transfers::LastStep;
use crate::store::calls::frame::CallFrame;

/// Maximum size of what an exception of M-profile stores: 26 words of the basic and the floating-point frame,
/// 10 words of additional state of the Secure state, and the alignment (DDI 0553, B3.19); more with 16 further registers.
const STORED_BYTES: u64 = 256;

/// A stack pointer and a return address: what a return from a call must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReturnKey {
    /// The stack pointer; none when unknown.
    pub sp: Option<u64>,
    /// The return address, with the Thumb bit.
    pub target: u64,
}

/// A stack of a thread, by the index's number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackId {
    /// Whose.
    pub thread: u16,
    /// Which of that thread's.
    pub stack: u32,
}

/// A frame that is not over yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PendingFrame {
    /// What a return from it must match. In an exception: the stack pointer that was interrupted.
    pub key: ReturnKey,
    /// The step that called, or that was interrupted.
    pub call_step: u64,
    /// The first step inside.
    pub entry_step: u64,
    /// Address of that step.
    pub function: u64,
    /// What it is, as far as that is known.
    pub kind: PendingKind,
    /// The step that seems to have jumped out of it. Only a return to its caller would show that it did not.
    pub jumped_out: Option<u64>,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum PendingKind {
    /// It may be a call: only its return will tell.
    Maybe,
    /// A call.
    Call,
    /// A call into the other security state, which uses other stack pointers.
    StateCall {
        /// The stack pointer of the caller when it returns.
        sp: Option<u64>,
    },
    /// An exception that was taken behind a step.
    Exception {
        /// How it was found.
        evidence: Evidence,
        /// The step that was interrupted.
        interrupted: LastStep,
        /// Its number: earlier than the call step in a handler that was tail-chained to another.
        interrupted_step: u64,
        /// True when the link register then said how to return, as in the M profile.
        is_linked: bool,
    },
}

/// Whether control that left after a step, for a handler, may resume at an address.
pub fn may_resume_at(interrupted: &LastStep, pc: u64) -> bool {
    let target = interrupted.control().target.address();
    [Some(interrupted.pc), Some(interrupted.next_pc()), target]
        .into_iter()
        .flatten()
        .any(|at| (at ^ pc) & !1 == 0)
}

impl PendingFrame {
    /// The frame that it becomes when it ends; none when it may not have been a call at all.
    pub fn frame(&self, on: StackId, exit_step: Option<u64>, left: FrameExit) -> Option<CallFrame> {
        let (exit_step, left) = match self.jumped_out.filter(|_| left != FrameExit::Return) {
            Some(step) => (Some(step), FrameExit::Longjmp),
            None => (exit_step, left),
        };
        let (entered, evidence) = match self.kind {
            PendingKind::Maybe if left != FrameExit::Return => return None,
            PendingKind::Maybe => (FrameEntry::Call, Evidence::Return),
            PendingKind::Call | PendingKind::StateCall { .. } => (FrameEntry::Call, Evidence::Link),
            PendingKind::Exception { evidence, .. } => (FrameEntry::Exception, evidence),
        };
        let (call_step, entry_step) = (Some(self.call_step), Some(self.entry_step));
        Some(CallFrame {
            thread: on.thread,
            stack: on.stack,
            function: self.function,
            call_step,
            entry_step,
            exit_step,
            entered,
            left,
            evidence,
        })
    }

    /// False for an exception.
    pub fn is_call(&self) -> bool {
        !matches!(self.kind, PendingKind::Exception { .. })
    }

    /// True for a call that is certain.
    pub fn is_certain_call(&self) -> bool {
        matches!(self.kind, PendingKind::Call | PendingKind::StateCall { .. })
    }

    /// True for a frame whose callees use another stack pointer.
    pub fn has_own_stack(&self) -> bool {
        matches!(
            self.kind,
            PendingKind::StateCall { .. } | PendingKind::Exception { .. }
        )
    }

    /// Whether an exception of M-profile that was taken with this frame's stack pointer unstacks to `sp`:
    /// the stored registers lie between both. In other profiles both are the same.
    pub fn was_taken_at(&self, sp: u64) -> bool {
        self.key
            .sp
            .and_then(|taken| sp.checked_sub(taken))
            .is_some_and(|stored| stored <= STORED_BYTES)
    }

    /// Whether an exception ends when control comes to an address.
    pub fn resumes_at(&self, pc: u64) -> bool {
        let PendingKind::Exception { interrupted, .. } = self.kind else {
            return false;
        };
        may_resume_at(&interrupted, pc)
    }
}

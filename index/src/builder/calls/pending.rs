//! Unfinished frames of the call search: a [`PendingFrame`] for each call or exception that has not
//! ended, and a [`RootFrame`] for the outermost known frame of a stack.
//!
//! A trace may begin inside calls. A return that belongs to no recorded call then ends the
//! outermost known frame, and its caller becomes the outermost known frame. The function of that
//! one is known by the return address only.

use serde::{Deserialize, Serialize};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::segment::transfers::LastStep;
use crate::store::calls::encoder::CallFrame;

/// Maximum size of what an exception of the M profile stores: 26 words of the basic and the
/// floating-point frame, 10 words of additional state of the Secure state, and the alignment (DDI
/// 0553, B3.19); more with 16 further registers.
const STORED_BYTES: u64 = 256;

/// Stack pointer and return address that identify the return from a call.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ReturnKey {
    /// Stack pointer; none when unknown.
    pub sp: Option<u64>,
    /// Return address, with the Thumb bit.
    pub target: u64,
}

/// A stack of a thread, by the index's thread number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackId {
    /// Thread number.
    pub thread: u16,
    /// Stack number within the thread.
    pub stack: u32,
}

/// An unfinished frame.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PendingFrame {
    /// Key that its return must match. For an exception: the interrupted stack pointer.
    pub key: ReturnKey,
    /// Step that called, or that was interrupted.
    pub call_step: u64,
    /// First step inside.
    pub entry_step: u64,
    /// Address of that step.
    pub function: u64,
    /// Known kind of the frame.
    pub kind: PendingKind,
    /// Step that seems to have jumped out of the frame. Only a return to its caller would disprove
    /// that.
    pub jumped_out: Option<u64>,
}

/// Kind of an unfinished frame.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum PendingKind {
    /// Possibly a call: only its return will confirm it.
    Maybe,
    /// A call.
    Call,
    /// A call into the other security state, which uses other stack pointers.
    StateCall {
        /// Stack pointer of the caller after the return.
        sp: Option<u64>,
    },
    /// An exception taken after a step.
    Exception {
        /// Evidence for the exception.
        evidence: Evidence,
        /// The interrupted step.
        interrupted: LastStep,
        /// Number of the interrupted step: earlier than the call step in a handler that was
        /// tail-chained to another.
        interrupted_step: u64,
        /// True if the link register held the return value at entry, as in the M profile.
        is_linked: bool,
    },
}

/// Returns true if control that left after a step, for a handler, may resume at an address.
pub fn may_resume_at(interrupted: &LastStep, pc: u64) -> bool {
    let target = interrupted.control().target.address();
    [Some(interrupted.pc), Some(interrupted.next_pc()), target]
        .into_iter()
        .flatten()
        .any(|at| (at ^ pc) & !1 == 0)
}

impl PendingFrame {
    /// Returns the table frame when it ends; none if it may not have been a call at all.
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

    /// Returns false for an exception.
    pub fn is_call(&self) -> bool {
        !matches!(self.kind, PendingKind::Exception { .. })
    }

    /// Returns true for a call that is certain.
    pub fn is_certain_call(&self) -> bool {
        matches!(self.kind, PendingKind::Call | PendingKind::StateCall { .. })
    }

    /// Returns true for a frame whose callees use another stack pointer.
    pub fn has_own_stack(&self) -> bool {
        matches!(
            self.kind,
            PendingKind::StateCall { .. } | PendingKind::Exception { .. }
        )
    }

    /// Returns true if an M-profile exception that was taken with this frame's stack pointer
    /// unstacks to `sp`: the stored registers lie between both. In other profiles both are equal.
    pub fn was_taken_at(&self, sp: u64) -> bool {
        self.key
            .sp
            .and_then(|taken| sp.checked_sub(taken))
            .is_some_and(|stored| stored <= STORED_BYTES)
    }

    /// Returns true if the exception ends when control reaches an address.
    pub fn resumes_at(&self, pc: u64) -> bool {
        let PendingKind::Exception { interrupted, .. } = self.kind else {
            return false;
        };
        may_resume_at(&interrupted, pc)
    }
}

/// A step and its address.
#[derive(Clone, Copy, Debug)]
pub struct RootEntry {
    /// Step number.
    pub step: u64,
    /// Address of the step.
    pub pc: u64,
}

/// Outermost known frame of a stack.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RootFrame {
    entered: FrameEntry,
    evidence: Evidence,
    /// Last step before it; none where the thread begins.
    before: Option<u64>,
    entry_step: u64,
    function: u64,
    /// True if frames inside it were dropped, so that a return may be theirs.
    has_lost_frames: bool,
}

impl RootFrame {
    /// Returns the address of its first step.
    pub fn function(&self) -> u64 {
        self.function
    }

    /// Creates the first frame of a thread.
    pub fn start(entry: RootEntry) -> Self {
        Self::new(FrameEntry::Root, Evidence::Start, None, entry)
    }

    /// Creates the first frame after a stretch that the trace does not show; `before` is the last
    /// step before the stretch.
    pub fn after_gap(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Gap, Evidence::Start, Some(before), entry)
    }

    /// Creates the first frame of a stack that a step switched to.
    pub fn switched(before: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Switch, Evidence::Stack, Some(before), entry)
    }

    /// Creates the frame to which the outermost known one returned: its caller, or the code that an
    /// exception interrupted.
    pub fn caller(exit_step: u64, entry: RootEntry) -> Self {
        Self::new(FrameEntry::Root, Evidence::Caller, Some(exit_step), entry)
    }

    fn new(entered: FrameEntry, evidence: Evidence, before: Option<u64>, entry: RootEntry) -> Self {
        Self {
            entered,
            evidence,
            before,
            entry_step: entry.step,
            function: entry.pc,
            has_lost_frames: false,
        }
    }

    /// Returns true if an unmatched return may be from this frame.
    pub fn may_return(&self) -> bool {
        !self.has_lost_frames
    }

    /// Records that frames inside it were dropped.
    pub fn lose_frames(&mut self) {
        self.has_lost_frames = true;
    }

    /// Returns the frame of the table.
    pub fn frame(&self, on: StackId, exit_step: Option<u64>, left: FrameExit) -> CallFrame {
        CallFrame {
            thread: on.thread,
            stack: on.stack,
            function: self.function,
            call_step: self.before,
            entry_step: Some(self.entry_step),
            exit_step,
            entered: self.entered,
            left,
            evidence: self.evidence,
        }
    }
}

//! Frames, stacks and jumps of the search for calls, with the conditions that end frames.

use stepback_machine::Address;
use stepback_machine::naive::{NaiveCallTarget, NaiveFlow};
use stepback_parsers::Step;

use crate::answers::call::{Evidence, FrameEntry};
use crate::oracle::event::OracleStep;

/// A frame that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleFrame<'a> {
    /// Stack pointer that a return from a call must match. For an exception: the interrupted stack
    /// pointer.
    pub(super) sp: Option<u64>,
    pub(super) return_address: u64,
    pub(super) call_step: Step,
    pub(super) entry_step: Step,
    pub(super) function: Address,
    pub(super) what: OracleFrameKind<'a>,
    /// Step that apparently jumped out of the frame. It counts unless the frame returns later.
    pub(super) jumped_out: Option<Step>,
    /// Stack pointer range inside an exception.
    pub(super) range: StackPointerRange,
}

/// Lowest and highest value of the stack pointer.
pub(super) type StackPointerRange = Option<(u64, u64)>;

/// A stack of a thread.
#[derive(Debug, Default)]
pub(super) struct OracleStack<'a> {
    pub(super) pending: Vec<OracleFrame<'a>>,
    /// Stack pointer range outside of exceptions.
    pub(super) range: StackPointerRange,
    /// The outermost known frame.
    pub(super) root: Option<OracleRoot>,
    /// The exception that switched from this stack to another one.
    pub(super) turned_by: Option<OracleFrame<'a>>,
}

impl OracleStack<'_> {
    pub(super) fn range(&self) -> StackPointerRange {
        self.pending
            .iter()
            .rfind(|pending| pending.has_own_stack())
            .map_or(self.range, |pending| pending.range)
    }
}

/// The outermost known frame of a stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleRoot {
    pub(super) entered: FrameEntry,
    pub(super) evidence: Evidence,
    pub(super) before: Option<Step>,
    pub(super) entry: Step,
    pub(super) function: Address,
}

pub(super) fn is_within(range: StackPointerRange, sp: Option<u64>) -> bool {
    range
        .zip(sp)
        .is_some_and(|((low, high), sp)| low <= sp && sp <= high)
}

/// Returns true if a value is at most `distance` from the range, or without a range.
pub(super) fn is_near(range: StackPointerRange, sp: Option<u64>, distance: u64) -> bool {
    let Some(sp) = sp else { return false };
    range.is_none_or(|(low, high)| {
        low.saturating_sub(distance) <= sp && sp <= high.saturating_add(distance)
    })
}

pub(super) fn is_above(range: StackPointerRange, sp: Option<u64>) -> bool {
    range
        .zip(sp)
        .is_some_and(|((_, high), sp)| sp > high.saturating_add(4096))
}

/// Event that entered a frame, with its evidence.
pub(super) struct OracleEntry {
    pub(super) entered: FrameEntry,
    pub(super) evidence: Evidence,
}

/// The step that an exception interrupted; for chained handlers, the step that the first one
/// interrupted.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterruptedStep<'a> {
    pub(super) step: Step,
    pub(super) stated: &'a OracleStep,
}

impl InterruptedStep<'_> {
    /// Returns true if control may continue anywhere: the step jumps to an address in a register or
    /// memory.
    pub(super) fn goes_anywhere(&self) -> bool {
        let is_jump = !matches!(
            self.stated.naive().kind(),
            NaiveFlow::Other | NaiveFlow::Trap
        );
        self.stated.is_executed && is_jump && target_of(self.stated).is_none()
    }
}

/// Kind of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum OracleFrameKind<'a> {
    Maybe,
    Call,
    /// A call into the other security state, with the caller's stack pointer at the return.
    StateCall(Option<u64>),
    /// An exception: its evidence, the interrupted step, and whether the link register then
    /// contained an exception return value.
    Exception(Evidence, InterruptedStep<'a>, bool),
}

impl OracleFrame<'_> {
    pub(super) fn is_exception(&self) -> bool {
        matches!(self.what, OracleFrameKind::Exception(..))
    }

    /// Returns the step that an exception interrupted.
    pub(super) fn interrupted(&self) -> Option<InterruptedStep<'_>> {
        match self.what {
            OracleFrameKind::Exception(_, interrupted, _) => Some(interrupted),
            _ => None,
        }
    }

    /// Returns true for an exception, or a call into the other security state.
    pub(super) fn has_own_stack(&self) -> bool {
        matches!(
            self.what,
            OracleFrameKind::Exception(..) | OracleFrameKind::StateCall(_)
        )
    }

    /// Returns true for a certain call.
    pub(super) fn is_certain_call(&self) -> bool {
        matches!(
            self.what,
            OracleFrameKind::Call | OracleFrameKind::StateCall(_)
        )
    }

    /// Returns true if an exception frame fits between the stack pointer at entry and a later one.
    pub(super) fn was_taken_at(&self, sp: u64) -> bool {
        self.sp
            .is_some_and(|taken| taken <= sp && sp - taken <= 256)
    }

    pub(super) fn returns_to(&self, sp: Option<u64>, target: u64) -> bool {
        !self.is_exception() && (self.sp, self.return_address) == (sp, target)
    }

    /// Returns true if the interrupted code may resume at an address.
    pub(super) fn resumes_at(&self, pc: u64) -> bool {
        self.interrupted()
            .is_some_and(|interrupted| may_resume_at(interrupted.stated, pc))
    }
}

/// Returns true if a step that was left for a handler may resume at an address.
pub(super) fn may_resume_at(stated: &OracleStep, pc: u64) -> bool {
    let places = [Some(stated.pc.0), Some(next_pc(stated)), target_of(stated)];
    places
        .into_iter()
        .flatten()
        .any(|place| (place ^ pc) & !1 == 0)
}

/// Returns the target of a branch or call in its encoding.
fn target_of(stated: &OracleStep) -> Option<u64> {
    let call = match stated.naive().target() {
        Some(NaiveCallTarget::Address(address)) => Some(address),
        _ => None,
    };
    stated.naive().branch_target().or(call)
}

/// A transfer of control.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleJump<'a> {
    pub(super) last_step: Step,
    pub(super) last: &'a OracleStep,
    pub(super) step: Step,
    pub(super) stated: &'a OracleStep,
    pub(super) has_words: bool,
}

impl OracleJump<'_> {
    pub(super) fn kind(&self) -> NaiveFlow {
        if self.last.is_executed {
            self.last.naive().kind()
        } else {
            NaiveFlow::Other
        }
    }

    pub(super) fn target(&self) -> u64 {
        self.stated.naive().with_mark(self.stated.pc.0)
    }

    /// Returns true if control goes to the encoded target: then words about an exception may mean
    /// only that.
    pub(super) fn goes_on(&self) -> bool {
        target_of(self.last).is_some_and(|target| (target ^ self.stated.pc.0) & !1 == 0)
    }

    /// Returns true if control went elsewhere than the previous step leads.
    pub(super) fn is_diverted(&self) -> bool {
        self.kind() == NaiveFlow::Other || target_of(self.last).is_some() && !self.goes_on()
    }
}

/// Returns the address after a step.
pub(super) fn next_pc(step: &OracleStep) -> u64 {
    step.pc.0.wrapping_add(u64::from(step.length_bytes))
}

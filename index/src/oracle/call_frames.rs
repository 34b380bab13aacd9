//! Frames while calls are looked for, stacks of them, and what may end them.

use stepback_machine::Address;
use stepback_machine::naive::{NaiveCallTarget, NaiveFlow};
use stepback_parsers::Step;

use crate::answers::call::{Evidence, FrameEntry};
use crate::oracle::event::OracleStep;

/// A frame that is not over yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleFrame<'a> {
    /// What a return from a call must match. For an exception: the stack pointer that it interrupted.
    pub(super) sp: Option<u64>,
    pub(super) return_address: u64,
    pub(super) call_step: Step,
    pub(super) entry_step: Step,
    pub(super) function: Address,
    pub(super) what: OracleFrameKind<'a>,
    /// The step that seems to have jumped out of it, unless it returns after all.
    pub(super) jumped_out: Option<Step>,
    /// What the stack pointer was inside an exception.
    pub(super) range: StackPointerRange,
}

/// What the stack pointer was: the lowest and the highest value.
pub(super) type StackPointerRange = Option<(u64, u64)>;

/// A stack of a thread.
#[derive(Debug, Default)]
pub(super) struct OracleStack<'a> {
    pub(super) pending: Vec<OracleFrame<'a>>,
    /// What the stack pointer was outside of exceptions.
    pub(super) range: StackPointerRange,
    /// The outermost known frame.
    pub(super) root: Option<OracleRoot>,
    /// The exception that turned to another stack from here.
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

/// Whether a value lies at most so far from those of a range; true without a range.
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

/// How a frame was entered, and what shows it.
pub(super) struct OracleEntry {
    pub(super) entered: FrameEntry,
    pub(super) evidence: Evidence,
}

/// The step that an exception interrupted; for a chain of handlers, their first one did.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterruptedStep<'a> {
    pub(super) step: Step,
    pub(super) told: &'a OracleStep,
}

impl InterruptedStep<'_> {
    /// Whether it may go on anywhere: it jumps to where a register or memory says.
    pub(super) fn goes_anywhere(&self) -> bool {
        let is_jump = !matches!(self.told.naive().kind(), NaiveFlow::Other | NaiveFlow::Trap);
        self.told.is_executed && is_jump && target_of(self.told).is_none()
    }
}

/// What a frame is.
#[derive(Clone, Copy, Debug)]
pub(super) enum OracleFrameKind<'a> {
    Maybe,
    Call,
    /// A call into the other security state, and the stack pointer of the caller when it returns.
    StateCall(Option<u64>),
    /// How it shows, what it interrupted, and whether the link register then said how to return.
    Exception(Evidence, InterruptedStep<'a>, bool),
}

impl OracleFrame<'_> {
    pub(super) fn is_exception(&self) -> bool {
        matches!(self.what, OracleFrameKind::Exception(..))
    }

    /// What an exception interrupted.
    pub(super) fn interrupted(&self) -> Option<InterruptedStep<'_>> {
        match self.what {
            OracleFrameKind::Exception(_, interrupted, _) => Some(interrupted),
            _ => None,
        }
    }

    /// An exception, or a call into the other security state.
    pub(super) fn has_own_stack(&self) -> bool {
        matches!(
            self.what,
            OracleFrameKind::Exception(..) | OracleFrameKind::StateCall(_)
        )
    }

    /// A call that surely was one.
    pub(super) fn is_certain_call(&self) -> bool {
        matches!(
            self.what,
            OracleFrameKind::Call | OracleFrameKind::StateCall(_)
        )
    }

    /// Whether what an exception stores fits between the stack pointer that it was taken with and a later one.
    pub(super) fn was_taken_at(&self, sp: u64) -> bool {
        self.sp
            .is_some_and(|taken| taken <= sp && sp - taken <= 256)
    }

    pub(super) fn returns_to(&self, sp: Option<u64>, target: u64) -> bool {
        !self.is_exception() && (self.sp, self.return_address) == (sp, target)
    }

    /// Whether what was interrupted goes on at an address.
    pub(super) fn resumes_at(&self, pc: u64) -> bool {
        self.interrupted()
            .is_some_and(|interrupted| may_resume_at(interrupted.told, pc))
    }
}

/// Whether what left a step for a handler may go on at an address.
pub(super) fn may_resume_at(told: &OracleStep, pc: u64) -> bool {
    let places = [Some(told.pc.0), Some(next_pc(told)), target_of(told)];
    places
        .into_iter()
        .flatten()
        .any(|place| (place ^ pc) & !1 == 0)
}

/// Where a branch or a call goes by its encoding.
fn target_of(told: &OracleStep) -> Option<u64> {
    let call = match told.naive().target() {
        Some(NaiveCallTarget::Address(address)) => Some(address),
        _ => None,
    };
    told.naive().branch_target().or(call)
}

/// A transfer of control.
#[derive(Clone, Copy, Debug)]
pub(super) struct OracleJump<'a> {
    pub(super) last_step: Step,
    pub(super) last: &'a OracleStep,
    pub(super) step: Step,
    pub(super) told: &'a OracleStep,
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
        self.told.naive().with_mark(self.told.pc.0)
    }

    /// What the trace can mean by words about an exception alone.
    pub(super) fn goes_on(&self) -> bool {
        target_of(self.last).is_some_and(|target| (target ^ self.told.pc.0) & !1 == 0)
    }

    /// Whether control went elsewhere than the step before says.
    pub(super) fn is_diverted(&self) -> bool {
        self.kind() == NaiveFlow::Other || target_of(self.last).is_some() && !self.goes_on()
    }
}

/// The address behind a step.
pub(super) fn next_pc(step: &OracleStep) -> u64 {
    step.pc.0.wrapping_add(u64::from(step.length_bytes))
}

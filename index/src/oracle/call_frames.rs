//! Frames while calls are looked for, stacks of them, and what may end them.

use stepback_machine::Address;
use stepback_machine::naive::{Kind, Target};
use stepback_parsers::Step;

use crate::answers::call::{Entered, Evidence};
use crate::oracle::event::Told;

/// A frame that is not over yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending<'a> {
    /// What a return from a call must match. For an exception: the stack pointer that it interrupted.
    pub(super) sp: Option<u64>,
    pub(super) return_address: u64,
    pub(super) call_step: Step,
    pub(super) entry_step: Step,
    pub(super) function: Address,
    pub(super) what: What<'a>,
    /// The step that seems to have jumped out of it, unless it returns after all.
    pub(super) jumped_out: Option<Step>,
    /// What the stack pointer was inside an exception.
    pub(super) range: Range,
}

/// What the stack pointer was: the lowest and the highest value.
pub(super) type Range = Option<(u64, u64)>;

/// A stack of a thread.
#[derive(Debug, Default)]
pub(super) struct Stack<'a> {
    pub(super) pending: Vec<Pending<'a>>,
    /// What the stack pointer was outside of exceptions.
    pub(super) range: Range,
    /// The first frame, but for the thread's first stack.
    pub(super) head: Option<Pending<'a>>,
    /// The exception that turned to another stack from here.
    pub(super) turned_by: Option<Pending<'a>>,
}

impl Stack<'_> {
    pub(super) fn range(&self) -> Range {
        self.pending.iter().rfind(|pending| pending.is_exception()).map_or(self.range, |pending| pending.range)
    }
}

pub(super) fn is_within(range: Range, sp: Option<u64>) -> bool {
    range.zip(sp).is_some_and(|((low, high), sp)| low <= sp && sp <= high)
}

/// Whether a value lies at most so far from those of a range; true without a range.
pub(super) fn is_near(range: Range, sp: Option<u64>, distance: u64) -> bool {
    let Some(sp) = sp else { return false };
    range.is_none_or(|(low, high)| low.saturating_sub(distance) <= sp && sp <= high.saturating_add(distance))
}

pub(super) fn is_above(range: Range, sp: Option<u64>) -> bool {
    range.zip(sp).is_some_and(|((_, high), sp)| sp > high.saturating_add(4096))
}

/// How a frame was entered, and what shows it.
pub(super) struct Entry {
    pub(super) entered: Entered,
    pub(super) evidence: Evidence,
}

/// What a frame is.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Maybe,
    Call,
    /// How it shows, what it interrupted, and whether the link register then said how to return.
    Exception(Evidence, &'a Told, bool),
}

impl Pending<'_> {
    pub(super) fn is_exception(&self) -> bool {
        matches!(self.what, What::Exception(..))
    }

    pub(super) fn returns_to(&self, sp: Option<u64>, target: u64) -> bool {
        !self.is_exception() && (self.sp, self.return_address) == (sp, target)
    }

    /// Whether what was interrupted goes on at an address.
    pub(super) fn resumes_at(&self, pc: u64) -> bool {
        let What::Exception(_, told, _) = self.what else { return false };
        let call = match told.naive().target() {
            Some(Target::Address(address)) => Some(address),
            _ => None,
        };
        let places = [Some(told.pc.0), Some(next_pc(told)), told.naive().branch_target().or(call)];
        places.into_iter().flatten().any(|place| (place ^ pc) & !1 == 0)
    }
}

/// A transfer of control.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump<'a> {
    pub(super) last_step: Step,
    pub(super) last: &'a Told,
    pub(super) step: Step,
    pub(super) told: &'a Told,
    pub(super) has_words: bool,
}

impl Jump<'_> {
    pub(super) fn kind(&self) -> Kind {
        if self.last.is_executed { self.last.naive().kind() } else { Kind::Other }
    }

    pub(super) fn target(&self) -> u64 {
        self.told.naive().with_mark(self.told.pc.0)
    }

    /// What the trace can mean by words about an exception alone.
    pub(super) fn goes_on(&self) -> bool {
        let call = match self.last.naive().target() {
            Some(Target::Address(address)) => Some(address),
            _ => None,
        };
        self.last.naive().branch_target().or(call).is_some_and(|target| (target ^ self.told.pc.0) & !1 == 0)
    }
}

/// The address behind a step.
pub(super) fn next_pc(step: &Told) -> u64 {
    step.pc.0.wrapping_add(u64::from(step.length_bytes))
}

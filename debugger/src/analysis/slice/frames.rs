//! Frames in which the steps of a slice ran: the extents of their stacks, and their nesting.
//!
//! Both are cached per frame, because a slice has many rows in one frame.

use std::collections::HashMap;

use stepback_index::answer::{CallId, ThreadId};
use stepback_index::query::RegisterViewsAt;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, RegisterSource, Step};

use crate::analysis::slice::row::ReadRow;

/// Lookup of frames, with a cache of where their stacks begin. Memory: a number per frame.
pub struct Frames<'a> {
    index: &'a Index,
    entries: HashMap<CallId, Option<u64>>,
}

impl<'a> Frames<'a> {
    /// Creates an empty cache for a trace.
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            entries: HashMap::new(),
        }
    }

    /// Returns the frame of a step. A calling step belongs to the caller, a returning step to the
    /// callee.
    pub fn call_of(&self, thread: ThreadId, step: Step) -> Option<CallId> {
        self.index.calls().innermost_at(thread, step.before())
    }

    /// Returns the calling frame.
    pub fn caller_of(&self, call: CallId) -> Option<CallId> {
        self.index.calls().get(call)?.parent
    }

    /// Returns true if all accesses of a step are in its own frame's part of the stack. That part
    /// is between the stack pointer and its value at the frame's entry. If registers have no
    /// values, addressing by the stack pointer decides.
    pub fn is_on_own_stack(&mut self, row: &ReadRow, cancel: &Cancel) -> Result<bool, QueryError> {
        let (Some(sight), Some(instruction), Some(call)) =
            (&row.slice.detail, row.instruction(), row.call)
        else {
            return Ok(false);
        };
        let mut bases = instruction
            .meaning
            .memory
            .iter()
            .map(|operand| operand.base.map(|base| base.register));
        let is_by_pointer = bases.all(|base| base == Some(RegisterId::SP));
        if self.index.source().traits().registers == RegisterSource::Operands {
            return Ok(is_by_pointer);
        }
        let Some(entry) = self.entry(call, cancel)? else {
            return Ok(is_by_pointer);
        };
        let end = |access: &stepback_index::answer::SliceStepAccess| {
            access
                .address
                .0
                .saturating_add(u64::from(access.size_bytes))
        };
        if sight.accesses.is_empty() || !sight.accesses.iter().all(|access| end(access) <= entry) {
            return Ok(false);
        }
        if is_by_pointer {
            return Ok(true);
        }
        let pointer = self.stack_pointer(row.slice.thread, row.slice.step.before(), cancel)?;
        Ok(pointer.is_some_and(|pointer| {
            sight
                .accesses
                .iter()
                .all(|access| access.address.0 >= pointer)
        }))
    }

    /// Returns the stack pointer at the entry of a frame.
    fn entry(&mut self, call: CallId, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        if let Some(known) = self.entries.get(&call) {
            return Ok(*known);
        }
        let found = match self.index.calls().get(call) {
            Some(frame) => self.stack_pointer(frame.thread, frame.entered_at(), cancel)?,
            None => None,
        };
        self.entries.insert(call, found);
        Ok(found)
    }

    fn stack_pointer(
        &self,
        thread: ThreadId,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let set = self.index.instruction_set(thread);
        let whole = RegisterView::new(RegisterId::SP, 0, set.word_bytes());
        let view = NameReader(self.index).view_in("sp", set).unwrap_or(whole);
        let question = RegisterViewsAt {
            position: at,
            thread,
            views: vec![("sp".to_owned(), view)],
        };
        let states = question.run(self.index, cancel)?;
        Ok(states
            .into_iter()
            .next()
            .and_then(|state| state.value.to_u64()))
    }
}

/// Callers of the frames of the rows taken until now. Memory: a number per frame, and at most
/// [`OUTWARD`] ancestors of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    callers: HashMap<CallId, Option<CallId>>,
}

/// Maximum number of ancestors known per frame.
const OUTWARD: usize = 256;

impl Callers {
    /// Adds a frame and its ancestors.
    pub fn add(&mut self, call: Option<CallId>, frames: &Frames<'_>) {
        let mut next = call;
        for _ in 0..OUTWARD {
            let Some(call) = next.filter(|call| !self.callers.contains_key(call)) else {
                return;
            };
            next = frames.caller_of(call);
            self.callers.insert(call, next);
        }
    }

    /// Returns true if a frame equals `outer` or was called by it, directly or indirectly.
    pub fn is_inside(&self, inner: Option<CallId>, outer: Option<CallId>) -> bool {
        let outwards =
            std::iter::successors(inner, |call| self.callers.get(call).copied().flatten());
        outer.is_some() && outwards.take(OUTWARD).any(|call| Some(call) == outer)
    }
}

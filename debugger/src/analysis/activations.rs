//! Call trees as Arm's Tarmac tools build them: one tree per CPU, of the calls that returned.
//!
//! A function that ends with a tail call continues as the function that it jumps to. Both are one
//! activation, which ends at the return. Calls that never returned, were skipped or were left by a
//! jump are omitted, and so are exceptions. Their callees become children of the nearest enclosing
//! activation. Frames without a call in the trace (the first, its callers, those after a gap) are
//! activations without a call.

use std::ops::Range;

use stepback_index::{
    Call, CallId, CallTable, Cancel, FrameEntry, FrameExit, Index, NearestStepOf, Query as _,
    QueryError, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::Step;

/// A call that returned, or the whole trace of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Nesting depth; 0 for a root.
    pub depth: u32,
    /// Address of the first step, without a Thumb bit.
    pub function: Address,
    /// Step that made the call; `None` for a root and for frames that were already on the stack.
    pub call: Option<Step>,
    /// First step inside.
    pub entry: Step,
    /// Last step inside.
    pub exit: Step,
}

/// The frames of one CPU in the call table.
#[derive(Clone, Debug)]
pub struct ActivationTree {
    pub thread: ThreadId,
    /// Indices into the call table.
    pub frames: Range<u64>,
    /// Last step of the CPU.
    pub last_step: Step,
}

impl ActivationTree {
    /// Returns the trees of all CPUs that executed a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn all(index: &Index, cancel: &Cancel) -> Result<Vec<Self>, QueryError> {
        let calls = index.calls();
        // Frames that replaced a root (by a tail call, as its caller or after a gap) belong to its
        // tree.
        let is_first = |call: Call| call.entered == FrameEntry::Root && call.call_step.is_none();
        let is_root = |id: &CallId| calls.get(*id).is_some_and(is_first);
        let roots: Vec<CallId> = calls.roots().filter(is_root).collect();
        let ends = roots.iter().skip(1).map(|root| root.0).chain([calls.len()]);
        let mut trees = Vec::new();
        for (root, end) in roots.iter().zip(ends) {
            let Some(call) = calls.get(*root) else {
                continue;
            };
            let last = NearestStepOf::last(call.thread, index.end()).run(index, cancel)?;
            let Some(last_step) = last.filter(|_| call.entry_step.is_some()) else {
                continue;
            };
            trees.push(Self {
                thread: call.thread,
                frames: root.0..end,
                last_step,
            });
        }
        Ok(trees)
    }

    /// Iterates over the frames in order of entry, whether or not they are activations.
    pub fn frames<'a>(&self, calls: &'a CallTable) -> impl Iterator<Item = Call> + use<'a> {
        calls
            .in_order(self.frames.clone())
            .filter_map(|id| calls.get(id))
    }

    /// Iterates over the activations in order of entry.
    pub fn activations<'a>(
        &self,
        calls: &'a CallTable,
    ) -> impl Iterator<Item = Activation> + use<'a> {
        let last_step = self.last_step;
        let mut open: Vec<Step> = Vec::new();
        self.frames(calls).filter_map(move |frame| {
            let entry = frame.entry_step?;
            let (call, exit) = match frame.entered {
                FrameEntry::Root | FrameEntry::Gap => {
                    (None, root_exit(&frame).unwrap_or(last_step))
                }
                _ => (
                    Some(frame.call_step?),
                    returned_at(&frame, calls).filter(|exit| *exit < last_step)?,
                ),
            };
            while open.pop_if(|exit| *exit < entry).is_some() {}
            let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
            open.push(exit);
            Some(Activation {
                depth,
                function: frame.function,
                call,
                entry,
                exit,
            })
        })
    }
}

/// Returns the step at which a frame without a call ends: it returned to its caller, or a gap
/// follows.
fn root_exit(frame: &Call) -> Option<Step> {
    frame
        .exit_step
        .filter(|_| matches!(frame.left, FrameExit::Return | FrameExit::Gap))
}

/// Returns the last step of a call that returned, itself or through the target of its tail call.
/// The tools recognise a return by what follows it, so they ignore one that ends the trace. The
/// caller must exclude that case.
fn returned_at(frame: &Call, calls: &CallTable) -> Option<Step> {
    let mut part = Some(*frame).filter(|frame| frame.entered == FrameEntry::Call)?;
    while part.left == FrameExit::Tail {
        let tail = part.exit_step?;
        let next = calls.get(calls.called_by(part.thread, tail)?)?;
        // Exit steps must increase, so that a damaged table cannot cause an endless loop.
        part = Some(next)
            .filter(|next| next.entered == FrameEntry::Tail && next.exit_step > Some(tail))?;
    }
    part.exit_step.filter(|_| part.left == FrameExit::Return)
}

//! The calls as Arm's Tarmac tools see them: one tree a CPU, of the calls that returned.
//!
//! A function that ends with a tail call goes on as the function that it jumped to: both are one activation,
//! which ends with the return.
//! What never returned, was skipped or left by a jump, and exceptions are left out;
//! what they called hangs under the next activation around it.
//! Frames that nothing in the trace called (the first, its callers, those after a gap) are activations without a call.

use std::ops::Range;

use stepback_index::{
    Call, CallId, CallTable, Cancel, FrameEntry, FrameExit, Index, NearestStepOf, Query as _,
    QueryError, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::Step;

/// A call that returned, or the whole of a CPU's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// 0 for a root.
    pub depth: u32,
    /// The address of its first step, without a Thumb bit.
    pub function: Address,
    /// The step that called; none for a root and what was on the stack before.
    pub call: Option<Step>,
    /// The first step inside.
    pub entry: Step,
    /// The last step inside.
    pub exit: Step,
}

/// The frames of a CPU in the table of calls.
#[derive(Clone, Debug)]
pub struct ActivationTree {
    /// Whose.
    pub thread: ThreadId,
    /// Places in the table.
    pub frames: Range<u64>,
    /// The CPU's last step.
    pub last_step: Step,
}

impl ActivationTree {
    /// The trees of all CPUs that did a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn all(index: &Index, cancel: &Cancel) -> Result<Vec<Self>, QueryError> {
        let calls = index.calls();
        // What took a root's place, by a tail call, as its caller or after a gap, belongs to its tree.
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

    /// The frames in order of entry, whether or not they are activations.
    pub fn frames<'a>(&self, calls: &'a CallTable) -> impl Iterator<Item = Call> + use<'a> {
        calls
            .in_order(self.frames.clone())
            .filter_map(|id| calls.get(id))
    }

    /// The activations in order of entry.
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

/// Where a frame that nothing called ends within its thread: it returned to its caller, or a gap follows.
fn root_exit(frame: &Call) -> Option<Step> {
    frame
        .exit_step
        .filter(|_| matches!(frame.left, FrameExit::Return | FrameExit::Gap))
}

/// The last step of a call that returned, itself or by the function that its tail call went to.
/// The tools recognise a return by what follows it, so they ignore one that ends the trace; the caller has to leave it out.
fn returned_at(frame: &Call, calls: &CallTable) -> Option<Step> {
    let mut part = Some(*frame).filter(|frame| frame.entered == FrameEntry::Call)?;
    while part.left == FrameExit::Tail {
        let tail = part.exit_step?;
        let next = calls.get(calls.called_by(part.thread, tail)?)?;
        // Later always, so that no damage makes the way endless.
        part = Some(next)
            .filter(|next| next.entered == FrameEntry::Tail && next.exit_step > Some(tail))?;
    }
    part.exit_step.filter(|_| part.left == FrameExit::Return)
}

//! Call trees as Arm's Tarmac tools build them: one tree per CPU, of the calls that returned.
//!
//! A function that ends with a tail call continues as the function that it jumps to. Both are one
//! activation, which ends at the return. Calls that never returned, were skipped or were left by a
//! jump are omitted, and so are exceptions. Their callees become children of the nearest enclosing
//! activation. Frames without a call in the trace (the first, its callers, those after a gap) are
//! activations without a call. [`ActivationSpans`] measures activations in time, or in steps of
//! their CPU.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use stepback_index::answer::{Call, CallId, CallTable, FrameEntry, FrameExit, ThreadId};
use stepback_index::in_order::{in_parts, map_in_order};
use stepback_index::query::NearestStepOf;
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Step;

use crate::analysis::sites::Sites;

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
    let called = Some(*frame).filter(|frame| frame.entered == FrameEntry::Call)?;
    let last = calls.after_tails(called)?;
    last.exit_step.filter(|_| last.left == FrameExit::Return)
}

/// An activation with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActivationSpan {
    /// Nesting depth; 0 for a root.
    pub depth: u32,
    /// Address of the first step.
    pub function: Address,
    /// The address with bit 0 set for Thumb.
    pub pc: u64,
    pub entry: Step,
    /// Time of the first node. If steps are counted: the number of earlier steps of its thread.
    pub entry_time: u64,
    /// Time of the last node.
    pub exit_time: u64,
    /// Steps of its CPU inside it, callees included.
    pub steps: u64,
    /// True if times are counted in steps of its CPU.
    pub counts_steps: bool,
}

impl ActivationSpan {
    /// Returns the time from the first to the last moment.
    pub fn elapsed(&self) -> u64 {
        if self.counts_steps {
            self.steps
        } else {
            self.exit_time.saturating_sub(self.entry_time)
        }
    }

    /// Returns the time with the last moment included, so that a call of one step takes 1.
    pub fn duration(&self) -> u64 {
        if self.counts_steps {
            self.steps
        } else {
            self.elapsed().saturating_add(1)
        }
    }
}

/// Measurement of the activations of a CPU.
pub struct ActivationSpans<'a> {
    index: &'a Index,
    tree: &'a ActivationTree,
    cancel: &'a Cancel,
    sites: Sites<'a>,
    steps: StepCounter<'a>,
}

/// Number of activations that a thread measures at once.
const PART: usize = 256;

impl<'a> ActivationSpans<'a> {
    pub fn new(tree: &'a ActivationTree, index: &'a Index, cancel: &'a Cancel) -> Self {
        Self {
            index,
            tree,
            cancel,
            sites: Sites::new(index, cancel),
            steps: StepCounter::new(index, tree.thread),
        }
    }

    /// Passes all activations to `take`, in order of entry. They are measured on all threads.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn for_each(&self, mut take: impl FnMut(&ActivationSpan)) -> Result<(), QueryError> {
        // Function addresses with bit 0 set for Thumb, so that each is looked up once, at the first
        // activation.
        let mut marked: HashMap<Address, u64> = HashMap::new();
        let activations = self.tree.activations(self.index.calls());
        let measure = |part: Vec<Activation>| {
            self.cancel.check()?;
            let spans = part.iter().map(|activation| self.span(activation));
            spans.collect::<Result<Vec<_>, _>>()
        };
        map_in_order(in_parts(activations, PART), measure, |spans| {
            for span in spans {
                let pc = match marked.entry(span.function) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(place) => *place.insert(self.marked_pc(&span)?),
                };
                take(&ActivationSpan { pc, ..span });
            }
            Ok(())
        })
    }

    /// Returns the address of an activation's function with bit 0 set for Thumb.
    fn marked_pc(&self, span: &ActivationSpan) -> Result<u64, QueryError> {
        let (at, function) = (self.sites.border(span.entry)?.1.pc, span.function.0);
        // With an image, a function can start before the first step of its frame: the frame was
        // entered before the trace began.
        Ok(match (at ^ function) & !1 {
            0 => at,
            _ => function | at & 1,
        })
    }

    /// Measures an activation, without the mark of its address.
    fn span(&self, activation: &Activation) -> Result<ActivationSpan, QueryError> {
        let Activation {
            depth,
            function,
            entry,
            exit,
            ..
        } = *activation;
        let counts_steps = self.sites.counts_steps();
        let steps_before = self.step_count(entry.0)?;
        let steps = self
            .step_count(exit.0.saturating_add(1))?
            .saturating_sub(steps_before);
        let (entry_time, exit_time) = match counts_steps {
            true => (
                steps_before,
                steps_before.saturating_add(steps).saturating_sub(1),
            ),
            false => (self.sites.time_of(entry)?, self.sites.end_time_of(exit)?),
        };
        let exit_time = exit_time.max(entry_time);
        Ok(ActivationSpan {
            depth,
            function,
            pc: function.0,
            entry,
            entry_time,
            exit_time,
            steps,
            counts_steps,
        })
    }

    fn step_count(&self, before: u64) -> Result<u64, QueryError> {
        self.steps.count_before(Step(before).before())
    }
}

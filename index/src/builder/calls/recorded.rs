//! Finds calls in traces whose records say what branches are.
//!
//! A step that calls begins a frame with the thread's next step, unless that is the step behind it in memory
//! (which is how code asks for its own address).
//! A step that returns ends the innermost frame with its return address and, on x86, the place where that lies on the stack;
//! frames inside were skipped. Where no frame is pending, a return ends the thread's first frame, and its caller
//! is the outermost known frame (`root_frame.rs`), since threads may be traced from their middle.
//! Any other return that matches no frame changes nothing. A delay slot of a return belongs to the frame that returns.
//!
//! Frames can also be left without a return (longjmp, exceptions of C++):
//! - On x86 a call that writes its return address where that of a pending call lies, or above, shows that the pending call is over.
//!   So does a return from above.
//! - A jump through a register, or a return that matches nothing, to a place where a call returned to before,
//!   leaves what was called since. On x86 that is a suspicion until the stack shows it, for a `switch` may do the same.
//!
//! A marker that the kernel redirected control begins a frame that interrupts the step before (a signal's handler,
//! kernel code of a system call), and another one ends it and all inside. Inside, nothing outside is over,
//! unless the return addresses show that the earlier stack is in use again. The abort of a restartable sequence is no frame.
//! A marker that ends a redirection that nothing began shows that the thread was traced from inside a handler.
//!
//! Where a window or another gap begins, what is pending ends unknown, and the first step after it begins a new first frame.
//! In a trace that left out instructions no calls are looked for: what a branch leads to is not recorded.

use foldhash::HashSet;
use serde::{Deserialize, Serialize};
use stepback_parsers::{GapReason, Marker, MarkerKind};

use crate::answers::call::{Entered, Evidence, Left};
use crate::builder::calls::found::FoundSoFar;
use crate::builder::calls::pending::StackId;
use crate::builder::calls::recorded_frames::{BranchStep, RecordedFrame, RecordedFrames, RecordedKind, Redirection};
use crate::builder::calls::return_points::{ReturnPoint, ReturnPoints};
use crate::builder::calls::root_frame::{Entry, RootFrame};
use crate::builder::segment::turns::{Turn, TurnKind, TurningBranch};
use crate::store::calls::frame::Frame;

/// Return addresses that lie further apart are on different stacks.
const STACK_BYTES: u64 = 8 << 20;
/// Up to this many handlers that interrupt each other are left together.
const NESTED: usize = 64;

/// A thread whose records say what branches are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RecordedThread {
    number: u16,
    /// Its outermost known frame; none before its first step, and in a gap.
    root: Option<RootFrame>,
    /// The highest place of a return address of a call that the outermost known frame made.
    root_stack: Option<u64>,
    /// The last step before a gap that no step followed yet.
    gap_after: Option<u64>,
    /// Instructions are left out.
    lacks_steps: bool,
    /// The number of the tracing window.
    window: Option<u64>,
    last_step: Option<u64>,
    /// The last step or marker that took a turn.
    last_turn: Option<u64>,
    /// The branch whose destination is the thread's next step.
    branch: Option<BranchStep>,
    /// The redirection whose first step is the thread's next step.
    redirection: Option<Redirection>,
    /// The next redirection is the abort of a restartable sequence.
    is_abort: bool,
    /// The thread's next step is one that an exception interrupted before the trace began.
    is_resuming: bool,
    frames: RecordedFrames,
    /// From this frame on they seem to have been left by the jump of a step.
    suspicion: Option<(usize, u64)>,
    return_points: ReturnPoints,
}

/// Which frames an address on the stack shows to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    /// Those whose return address lies there or below: it was written.
    Written(u64),
    /// Those below: it was read.
    Read(u64),
}

impl RecordedThread {
    /// A thread by the index's number.
    pub fn new(number: u16) -> Self {
        Self { number, ..Self::default() }
    }

    /// Takes the next turn, with the step that its slot says.
    pub fn turn(&mut self, step: Option<u64>, turn: &Turn, found: &mut FoundSoFar) {
        match (turn.what, step) {
            (TurnKind::Marker(marker), step) => {
                self.last_step = step.or(self.last_step);
                self.marker(marker, found);
                self.last_turn = self.last_step;
            }
            (TurnKind::Arrival { pc, is_in_slot, .. }, Some(step)) => {
                if is_in_slot {
                    self.begin_root(step, pc);
                    self.branch.iter_mut().for_each(|branch| branch.last_step = step);
                } else {
                    self.arrive(step, pc, found);
                }
                self.last_step = Some(step);
            }
            (TurnKind::Recording { lacks_steps }, _) => self.lacks_steps = lacks_steps,
            (TurnKind::Branch { kind, next_pc, stack }, Some(step)) => {
                let branch = BranchStep { step, last_step: step, kind, next_pc, stack };
                self.branch = Some(branch).filter(|_| !self.lacks_steps);
                self.last_step = Some(step);
            }
            (_, None) => {}
        }
    }

    /// Notes its last step in a segment.
    pub fn end_segment(&mut self, last_step: u64) {
        self.last_step = Some(last_step);
    }

    fn arrive(&mut self, step: u64, pc: u64, found: &mut FoundSoFar) {
        let (branch, redirection) = (self.branch.take(), self.redirection.take());
        let Some(call_step) = self.last_step.filter(|_| self.root.is_some()) else {
            self.begin_root(step, pc);
            return;
        };
        if std::mem::take(&mut self.is_resuming) {
            self.resume_caller(Entry { step, pc }, call_step, found);
            return;
        }
        if let Some(to) = redirection {
            self.settle_suspicion(found);
            let kind = RecordedKind::Redirection { to, interrupted: branch, own_stack: None };
            self.frames.push(RecordedFrame { call_step, entry_step: Some(step), function: pc, kind });
            return;
        }
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.entry_step.is_none()) {
            (frame.entry_step, frame.function) = (Some(step), pc);
        }
        if let Some(branch) = branch {
            match branch.kind {
                TurningBranch::Call if pc == branch.next_pc => {}
                TurningBranch::Call => self.call(branch, step, pc, found),
                TurningBranch::Return => self.return_to(Entry { step, pc }, branch, found),
                TurningBranch::Jump => self.jump_to(pc, branch.last_step, found),
            }
            self.last_turn = Some(branch.step);
        }
    }

    /// Begins the outermost known frame, if there is none.
    fn begin_root(&mut self, step: u64, pc: u64) {
        if self.root.is_some() {
            return;
        }
        let entry = Entry { step, pc };
        self.root = Some(match self.gap_after.take() {
            Some(before) => RootFrame::after_gap(before, entry),
            None => RootFrame::start(entry),
        });
        self.root_stack = None;
    }

    /// Control goes on in what an exception interrupted before the trace began.
    fn resume_caller(&mut self, entry: Entry, last_step: u64, found: &mut FoundSoFar) {
        self.close_down_to(0, last_step, Left::Skipped, found);
        self.suspicion = None;
        let Some(root) = self.root.replace(RootFrame::caller(last_step, entry)) else { return };
        found.frames.extend([root.frame(self.stack(), Some(last_step), Left::Return)]);
        self.root_stack = None;
    }

    /// A return that matches no frame: out of the outermost known frame to its caller, if no frame is pending
    /// and the return address lies above those of the calls that it made.
    fn return_from_root(&mut self, entry: Entry, branch: BranchStep, found: &mut FoundSoFar) {
        let is_above = |(stack, own): (u64, u64)| stack > own && stack - own < STACK_BYTES;
        let is_above = branch.stack.zip(self.root_stack).is_none_or(is_above);
        let Some(root) = self.root.filter(|root| root.may_return() && is_above) else { return };
        if self.frames.len() > 0 {
            return;
        }
        let exit_step = branch.last_step;
        found.frames.extend([root.frame(self.stack(), Some(exit_step), Left::Return)]);
        self.root = Some(RootFrame::caller(exit_step, entry));
        self.root_stack = branch.stack.or(self.root_stack);
        self.suspicion = None;
    }

    /// A stretch that is not recorded begins: nothing is known of what is pending.
    fn begin_gap(&mut self, found: &mut FoundSoFar) {
        self.settle_suspicion(found);
        let Some((step, root)) = self.last_step.zip(self.root.take()) else { return };
        self.close_down_to(0, step, Left::Gap, found);
        found.frames.extend([root.frame(self.stack(), Some(step), Left::Gap)]);
        self.gap_after = Some(step);
        (self.branch, self.redirection, self.is_abort, self.is_resuming) = (None, None, false, false);
        self.return_points = ReturnPoints::default();
    }

    /// The number of a window; the first may be told after the first steps.
    fn begin_window(&mut self, number: u64, found: &mut FoundSoFar) {
        if self.window.replace(number).unwrap_or(0) != number {
            self.begin_gap(found);
        }
    }

    fn stack(&self) -> StackId {
        StackId { thread: self.number, stack: 0 }
    }

    fn call(&mut self, branch: BranchStep, entry_step: u64, function: u64, found: &mut FoundSoFar) {
        if let Some(stack) = branch.stack {
            self.lose(Below::Written(stack), branch.step, found);
        }
        if self.frames.len() == 0 {
            self.root_stack = self.root_stack.max(branch.stack);
        }
        let kind = RecordedKind::Call { return_address: branch.next_pc, stack: branch.stack };
        let entry_step = Some(entry_step);
        self.frames.push(RecordedFrame { call_step: branch.step, entry_step, function, kind });
    }

    fn return_to(&mut self, entry: Entry, branch: BranchStep, found: &mut FoundSoFar) {
        let pc = entry.pc;
        if let Some(stack) = branch.stack {
            self.leave_redirections(stack, branch.step, found);
        }
        let exit_step = branch.last_step;
        let Some(place) = self.frames.returning_to(pc, branch.stack) else {
            let is_outermost = self.frames.len() == 0 || branch.stack.is_some();
            match branch.stack {
                Some(stack) => self.lose(Below::Read(stack), branch.step, found),
                None => self.jump_to(pc, exit_step, found),
            }
            if is_outermost {
                self.return_from_root(entry, branch, found);
            }
            return;
        };
        // Retpolines put another address there: where that leads, no call returned to.
        let is_point = self.frames.get(place).is_some_and(|frame| frame.returns_to(pc));
        // A call that does return was not left by a jump, and neither was its caller.
        self.suspicion = self.suspicion.filter(|(from, _)| *from > place);
        self.close_down_to(place + 1, exit_step, Left::Skipped, found);
        self.close_down_to(place, exit_step, Left::Return, found);
        self.suspicion = None;
        if !is_point {
            return;
        }
        let point = ReturnPoint { depth: place, caller: self.caller_at(place), step: branch.step };
        self.return_points.add(pc, point);
        if self.return_points.are_doubled(self.frames.len()) {
            self.forget_useless_points();
        }
    }

    /// Forgets the points whose caller is over and cannot come again: they are never looked at.
    /// Only steps from the last one on, and those that were interrupted before they arrived, become callers.
    fn forget_useless_points(&mut self) {
        let interrupted = self.frames.iter().filter_map(|frame| match frame.kind {
            RecordedKind::Redirection { interrupted, .. } => Some(interrupted?.step),
            RecordedKind::Call { .. } => None,
        });
        let waiting: HashSet<u64> = interrupted.chain(self.branch.map(|branch| branch.step)).collect();
        let last = self.last_step;
        let may_come = |caller: u64| Some(caller) >= last || waiting.contains(&caller);
        let frames = &self.frames;
        self.return_points.retain(|point| holds(point, frames) || point.caller.is_none_or(may_come));
    }

    /// How many places it knows that calls returned to.
    pub fn return_points(&self) -> usize {
        self.return_points.len()
    }

    /// Keeps so many of the places that calls returned to last.
    pub fn keep_newest_points(&mut self, count: usize) {
        self.return_points.keep_newest(count);
    }

    /// The call step of the innermost of some frames.
    fn caller_at(&self, depth: usize) -> Option<u64> {
        caller_at(&self.frames, depth)
    }

    /// Control jumped to a computed address: perhaps to where an earlier call of a frame further out returned.
    fn jump_to(&mut self, pc: u64, step: u64, found: &mut FoundSoFar) {
        let frames = &self.frames;
        let Some(point) = self.return_points.deepest(pc, |point| holds(point, frames)) else { return };
        if point.depth >= self.frames.len() {
            return;
        }
        let will_show = self.frames.last().is_some_and(|frame| frame.stack().is_some());
        if will_show && self.frames.level_start() <= point.depth {
            let (from, step) = self.suspicion.unwrap_or((point.depth, step));
            self.suspicion = Some((from.min(point.depth), step));
        } else {
            self.close_down_to(point.depth, step, Left::Longjmp, found);
            self.suspicion = None;
        }
    }

    fn settle_suspicion(&mut self, found: &mut FoundSoFar) {
        if let Some((from, step)) = self.suspicion {
            self.close_down_to(from, step, Left::Longjmp, found);
            self.suspicion = None;
        }
    }

    /// Ends the frames that an address on the stack shows to be over.
    fn lose(&mut self, below: Below, step: u64, found: &mut FoundSoFar) {
        let (Below::Written(stack) | Below::Read(stack)) = below;
        self.leave_redirections(stack, step, found);
        let is_over = |held: u64| match below {
            Below::Written(written) => held <= written,
            Below::Read(read) => held < read,
        };
        while self.frames.len() > self.frames.level_start()
            && let Some(frame) = self.frames.last()
            && frame.stack().is_some_and(|held| is_over(held) && stack - held < STACK_BYTES)
        {
            let exit = if below == Below::Read(stack) { step } else { self.left_at(frame, step) };
            self.close_down_to(self.frames.len() - 1, exit, Left::Longjmp, found);
        }
        self.suspicion = None;
    }

    /// Ends the redirections inside of which the earlier stack is in use again, or notes where their own stack is.
    fn leave_redirections(&mut self, stack: u64, step: u64, found: &mut FoundSoFar) {
        while let Some(innermost) = self.frames.level_start().checked_sub(1) {
            // A handler that was interrupted before it used the stack is left with what interrupted it.
            let is_redirection = |place: &usize| self.frames.get(*place).is_some_and(RecordedFrame::is_redirection);
            let nested = (0..=innermost).rev().take(NESTED).take_while(is_redirection);
            let place = nested.last().unwrap_or(innermost);
            let around = place.checked_sub(1).and_then(|outer| self.frames.get(outer)).and_then(RecordedFrame::stack);
            let Some(RecordedFrame { kind: RecordedKind::Redirection { own_stack, .. }, .. }) =
                self.frames.redirection_mut()
            else {
                return;
            };
            let own = *own_stack.get_or_insert(stack);
            let is_left = around.is_some_and(|around| own < around && around - own < STACK_BYTES && stack >= around);
            if !is_left {
                return;
            }
            let exit = self.frames.get(place).map_or(step, |frame| self.left_at(frame, step));
            self.close_down_to(place, exit, Left::Longjmp, found);
        }
    }

    /// Which step left a frame that a later one shows to be over: that of the last turn between both, or else the later one.
    /// A call that was interrupted before it arrived comes before the turns of the handler.
    fn left_at(&self, frame: &RecordedFrame, step: u64) -> u64 {
        self.last_turn.filter(|turn| (frame.call_step + 1..step).contains(turn)).unwrap_or(step)
    }

    fn marker(&mut self, marker: Marker, found: &mut FoundSoFar) {
        match marker.kind {
            MarkerKind::RSEQ_ABORT => self.is_abort = true,
            MarkerKind::KERNEL_EVENT if std::mem::take(&mut self.is_abort) => self.branch = None,
            MarkerKind::KERNEL_EVENT => self.redirect(Redirection::Signal, marker.value),
            MarkerKind::KERNEL_TRANSFER => self.resume(Redirection::Signal, found),
            MarkerKind::SYSTEM_CALL_START => self.redirect(Redirection::SystemCall, 0),
            MarkerKind::SYSTEM_CALL_END => self.resume(Redirection::SystemCall, found),
            MarkerKind::CONTEXT_SWITCH_START => self.redirect(Redirection::ContextSwitch, 0),
            MarkerKind::CONTEXT_SWITCH_END => self.resume(Redirection::ContextSwitch, found),
            MarkerKind::HARDWARE_EVENT => self.redirect(Redirection::Hardware, marker.value),
            MarkerKind::HARDWARE_RETURN => self.resume(Redirection::Hardware, found),
            MarkerKind::WINDOW => self.begin_window(marker.value, found),
            MarkerKind::FILTER_ENDPOINT => {
                self.lacks_steps = false;
                self.begin_gap(found);
            }
            kind if kind == GapReason::Off.kind() => self.begin_gap(found),
            _ => {}
        }
    }

    /// Control is redirected; it would have gone to `interrupted`.
    fn redirect(&mut self, to: Redirection, interrupted: u64) {
        // A handler that is interrupted before its first step.
        if let Some((before, call_step)) = self.redirection.replace(to).zip(self.last_step) {
            let kind = RecordedKind::Redirection { to: before, interrupted: self.branch.take(), own_stack: None };
            self.frames.push(RecordedFrame { call_step, entry_step: None, function: interrupted, kind });
        }
    }

    /// What was interrupted goes on.
    fn resume(&mut self, from: Redirection, found: &mut FoundSoFar) {
        if self.redirection == Some(from) {
            // Nothing was done there.
            self.redirection = None;
            return;
        }
        let Some(place) = self.frames.redirected_to(from) else {
            self.is_resuming = self.root.is_some() && self.frames.redirection().is_none();
            return;
        };
        self.redirection = None;
        let step = self.last_step.unwrap_or(0);
        self.branch = None;
        if let Some(RecordedFrame { kind: RecordedKind::Redirection { interrupted, .. }, .. }) = self.frames.get(place)
        {
            self.branch = *interrupted;
        }
        self.close_down_to(place + 1, step, Left::Skipped, found);
        self.close_down_to(place, step, Left::Return, found);
        self.suspicion = None;
    }

    /// Ends all frames from a place on, innermost first. Those that a jump seemed to leave were left by it.
    fn close_down_to(&mut self, place: usize, step: u64, left: Left, found: &mut FoundSoFar) {
        while self.frames.len() > place {
            let suspicion = self.suspicion.filter(|(from, _)| *from < self.frames.len());
            let Some(frame) = self.frames.pop() else { return };
            let (exit, left) = suspicion.map_or((step, left), |(_, jump)| (jump, Left::Longjmp));
            found.frames.extend(self.frame(&frame, Some(exit), left));
        }
    }

    /// How many frames are not over yet.
    pub fn pending(&self) -> usize {
        self.frames.len()
    }

    /// Keeps so many of the innermost frames; those around them count as never left.
    pub fn keep_innermost(&mut self, count: usize, found: &mut FoundSoFar) {
        let gone = self.frames.len().saturating_sub(count);
        if gone == 0 {
            return;
        }
        let outermost = self.frames.take_outermost(gone);
        self.root.iter_mut().for_each(RootFrame::lose_frames);
        found.frames.extend(outermost.iter().filter_map(|frame| self.frame(frame, None, Left::Open)));
        self.suspicion = self.suspicion.map(|(from, step)| (from.saturating_sub(gone), step));
        self.return_points.drop_outermost(gone);
    }

    /// A frame of the table; none when nothing was done inside.
    fn frame(&self, frame: &RecordedFrame, exit_step: Option<u64>, left: Left) -> Option<Frame> {
        let entered = match frame.kind {
            RecordedKind::Call { .. } => Entered::Call,
            RecordedKind::Redirection { .. } => Entered::Exception,
        };
        Some(Frame {
            thread: self.number,
            stack: 0,
            function: frame.function,
            call_step: Some(frame.call_step),
            entry_step: Some(frame.entry_step?),
            exit_step,
            entered,
            left,
            evidence: Evidence::Record,
        })
    }

    /// Adds the frames that the trace ends inside of.
    pub fn end_trace(&mut self, found: &mut FoundSoFar) {
        self.settle_suspicion(found);
        let open = self.frames.iter().filter_map(|frame| self.frame(frame, None, Left::Open));
        found.frames.extend(open);
        found.frames.extend(self.root.map(|root| root.frame(self.stack(), None, Left::Open)));
    }
}

/// The call step of the innermost of some frames.
fn caller_at(frames: &RecordedFrames, depth: usize) -> Option<u64> {
    Some(frames.get(depth.checked_sub(1)?)?.call_step)
}

/// Whether the caller of a point is still pending.
fn holds(point: &ReturnPoint, frames: &RecordedFrames) -> bool {
    point.depth <= frames.len() && caller_at(frames, point.depth) == point.caller
}

//! A stack of a thread whose records classify branches: its unfinished frames, and what may end
//! them.

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use crate::answers::call::{Evidence, FrameEntry, FrameExit};
use crate::builder::calls::pending::{RootEntry, RootFrame, StackId};
use crate::builder::calls::recorded_frames::{
    ArrivalStep, BranchStep, RecordedFrame, RecordedFrames, RecordedKind, Redirection, ReturnPoint,
    ReturnPoints, is_near,
};
use crate::builder::calls::spool::CollectedCalls;
use crate::builder::calls::stacks::{RetainedCounts, ThreadStack};
use crate::builder::segment::turns::TurningBranch;
use crate::store::calls::encoder::CallFrame;

/// Return addresses that lie further apart are on different stacks.
const STACK_BYTES: u64 = 8 << 20;
/// Maximum number of nested handlers that are left together.
const NESTED: usize = 64;

/// A stack of a thread whose records classify branches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RecordedStack {
    /// Number of the stack.
    pub id: StackId,
    /// Outermost known frame; none before the first step, and in a gap.
    pub root: Option<RootFrame>,
    /// Highest stack address of a return address of a call made by the outermost known frame.
    root_stack: Option<u64>,
    /// Last step before the thread turned to this stack, while it has no step.
    pub switched_after: Option<u64>,
    /// Interruption at which control left for another stack.
    pub left: Option<Interruption>,
    /// Last step or marker that changed control.
    pub last_turn: Option<u64>,
    /// Unfinished frames.
    pub frames: RecordedFrames,
    /// Place from which frames seem to have been left by a jump, and the step of that jump.
    pub suspicion: Option<(usize, u64)>,
    return_points: ReturnPoints,
}

/// Point at which control was interrupted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Interruption {
    /// Address at which it resumes; none when unknown.
    pub address: Option<u64>,
    /// Branch whose destination was not reached yet.
    pub branch: Option<BranchStep>,
}

/// Frames that a stack address shows to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoppedFrames {
    /// Frames with a return address at or below: the address was written.
    Written(u64),
    /// Frames with a return address below: the address was read.
    Read(u64),
}

impl ThreadStack for RecordedStack {
    fn kept(&self) -> RetainedCounts {
        RetainedCounts {
            frames: self.frames.len(),
            points: self.return_points.len(),
        }
    }
}

impl RecordedStack {
    /// Sets the outermost known frame.
    pub fn begin_root(&mut self, root: RootFrame) {
        (self.root, self.root_stack) = (Some(root), None);
    }

    /// Continues in code that an exception interrupted before the trace began.
    pub fn resume_caller(&mut self, entry: RootEntry, last_step: u64, found: &mut CollectedCalls) {
        self.close_down_to(0, last_step, FrameExit::Skipped, found);
        self.suspicion = None;
        let Some(root) = self.root.replace(RootFrame::caller(last_step, entry)) else {
            return;
        };
        found
            .frames
            .extend([root.frame(self.id, Some(last_step), FrameExit::Return)]);
        self.root_stack = None;
    }

    /// Records the first step of the innermost frame, if it has none yet.
    pub fn enter_last(&mut self, arrival: &ArrivalStep) {
        let RootEntry { step, pc } = arrival.entry;
        let last = self.frames.last().copied();
        if let Some(frame) = last.filter(|frame| frame.entry_step.is_none()) {
            self.frames.replace_last(RecordedFrame {
                entry_step: Some(step),
                function: pc,
                sp: arrival.sp,
                ..frame
            });
            if !frame.is_redirection() {
                self.last_turn = Some(frame.call_step);
            }
        }
    }

    /// Returns the place of the redirection that ends, and its interruption: the innermost one of
    /// that kind that interrupted the address at which control continues, or else the innermost one
    /// of that kind.
    pub fn redirected_to(&self, end: Redirection) -> Option<(usize, Interruption)> {
        let interruptions = || {
            self.frames
                .redirections()
                .filter_map(|(place, frame)| match frame.kind {
                    RecordedKind::Redirection {
                        redirection,
                        interrupted,
                        ..
                    } if redirection.kind == end.kind => Some((
                        place,
                        Interruption {
                            address: redirection.address,
                            branch: interrupted,
                        },
                    )),
                    _ => None,
                })
        };
        let is_resumed = |interruption: &Interruption| {
            end.address.is_some() && interruption.address == end.address
        };
        interruptions()
            .find(|(_, interruption)| is_resumed(interruption))
            .or_else(|| interruptions().next())
    }

    /// Begins a stretch that is not recorded after a step: pending frames become unknown.
    pub fn begin_gap(&mut self, step: u64, found: &mut CollectedCalls) {
        self.settle_suspicion(found);
        (self.left, self.switched_after) = (None, None);
        let Some(root) = self.root.take() else { return };
        self.close_down_to(0, step, FrameExit::Gap, found);
        found
            .frames
            .extend([root.frame(self.id, Some(step), FrameExit::Gap)]);
        self.return_points = ReturnPoints::default();
    }

    /// Adds the frames that are open at the end of the trace.
    pub fn end_trace(&mut self, found: &mut CollectedCalls) {
        self.settle_suspicion(found);
        let open = self
            .frames
            .iter()
            .filter_map(|frame| self.frame(frame, None, FrameExit::Open));
        found.frames.extend(open);
        found.frames.extend(
            self.root
                .map(|root| root.frame(self.id, None, FrameExit::Open)),
        );
    }

    /// Handles a return that matches no frame. It leaves the outermost known frame for its caller,
    /// if no frame is pending and the return address lies above those of the calls that it made.
    fn return_from_root(
        &mut self,
        entry: RootEntry,
        branch: BranchStep,
        found: &mut CollectedCalls,
    ) {
        let is_above = |(stack, own): (u64, u64)| stack > own && stack - own < STACK_BYTES;
        let is_above = branch.stack.zip(self.root_stack).is_none_or(is_above);
        let Some(root) = self.root.filter(|root| root.may_return() && is_above) else {
            return;
        };
        if self.frames.len() > 0 {
            return;
        }
        let exit_step = branch.last_step;
        found
            .frames
            .extend([root.frame(self.id, Some(exit_step), FrameExit::Return)]);
        self.root = Some(RootFrame::caller(exit_step, entry));
        self.root_stack = branch.stack.or(self.root_stack);
        self.suspicion = None;
    }

    /// Handles a call whose callee the trace shows no step of.
    pub fn call_without_steps(
        &mut self,
        branch: BranchStep,
        function: u64,
        found: &mut CollectedCalls,
    ) {
        self.lose_by_call(branch, found);
        self.frames.push(RecordedFrame::called(branch, function));
    }

    /// Handles a call that arrives at a step.
    pub fn call(&mut self, arrival: &ArrivalStep, branch: BranchStep, found: &mut CollectedCalls) {
        let ArrivalStep { entry, sp, .. } = *arrival;
        self.lose_by_call(branch, found);
        self.frames.push(RecordedFrame {
            entry_step: Some(entry.step),
            sp,
            ..RecordedFrame::called(branch, entry.pc)
        });
    }

    /// Ends the frames that a call shows to be over.
    fn lose_by_call(&mut self, branch: BranchStep, found: &mut CollectedCalls) {
        if let Some(stack) = branch.stack {
            self.lose(PoppedFrames::Written(stack), branch.step, found);
        }
        if self.frames.len() == 0 {
            self.root_stack = self.root_stack.max(branch.stack);
        }
    }

    /// Handles a branch that returns to a step.
    pub fn return_to(
        &mut self,
        arrival: &ArrivalStep,
        branch: BranchStep,
        found: &mut CollectedCalls,
    ) {
        if let Some(stack) = branch.stack {
            self.leave_redirections(stack, branch.step, found);
        }
        if let Some(place) = self
            .frames
            .returning_to(arrival.entry.pc, branch.stack)
            .or_else(|| self.returning_at(arrival))
        {
            self.return_from(place, arrival, branch, found);
            return;
        }
        let exit_step = branch.last_step;
        let is_outermost = self.frames.len() == 0 || branch.stack.is_some();
        match branch.stack {
            Some(stack) => {
                self.lose(PoppedFrames::Read(stack), branch.step, found);
                self.lose_by_sp(arrival, exit_step, found);
            }
            None => self.leave_by_jump(arrival, exit_step, found),
        }
        if is_outermost {
            self.return_from_root(arrival.entry, branch, found);
        }
    }

    /// Handles a jump.
    pub fn jump_to(
        &mut self,
        arrival: &ArrivalStep,
        branch: BranchStep,
        found: &mut CollectedCalls,
    ) {
        match self.returning_at(arrival) {
            Some(place) => self.return_from(place, arrival, branch, found),
            None if branch.kind == TurningBranch::OtherJump => {
                self.lose_by_sp(arrival, branch.last_step, found)
            }
            None => self.leave_by_jump(arrival, branch.last_step, found),
        }
    }

    /// Returns the place of the call whose return address and stack pointer a step arrives with.
    fn returning_at(&self, arrival: &ArrivalStep) -> Option<usize> {
        let end = arrival.returned_end()?;
        self.frames.returning_near(arrival.entry.pc, end)
    }

    /// Handles a branch that returns from the call at a place.
    fn return_from(
        &mut self,
        place: usize,
        arrival: &ArrivalStep,
        branch: BranchStep,
        found: &mut CollectedCalls,
    ) {
        let (pc, exit_step) = (arrival.entry.pc, branch.last_step);
        // Retpolines put another address there: no call returned to its target.
        let is_point = self
            .frames
            .get(place)
            .is_some_and(|frame| frame.returns_to(pc));
        // A call that does return was not left by a jump, and neither was its caller.
        self.suspicion = self.suspicion.filter(|(from, _)| *from > place);
        self.close_down_to(place + 1, exit_step, FrameExit::Skipped, found);
        self.close_down_to(place, exit_step, FrameExit::Return, found);
        self.suspicion = None;
        if !is_point {
            return;
        }
        let point = ReturnPoint {
            depth: place,
            caller: self.caller_at(place),
            step: branch.step,
        };
        self.return_points.add(pc, point);
        if self.return_points.are_doubled(self.frames.len()) {
            self.forget_useless_points(exit_step);
        }
    }

    /// Forgets the points whose caller is over and cannot return: they are never looked up. Only
    /// steps from the last one on, and those interrupted before they arrived, become callers.
    fn forget_useless_points(&mut self, last_step: u64) {
        let interrupted = self.frames.iter().filter_map(|frame| match frame.kind {
            RecordedKind::Redirection { interrupted, .. } => Some(interrupted?.step),
            RecordedKind::Call { .. } => None,
        });
        let waiting: HashSet<u64> = interrupted.collect();
        let may_come = |caller: u64| caller >= last_step || waiting.contains(&caller);
        let frames = &self.frames;
        self.return_points
            .retain(|point| holds(point, frames) || point.caller.is_none_or(may_come));
    }

    /// Returns the call step of the innermost of the outer `depth` frames.
    fn caller_at(&self, depth: usize) -> Option<u64> {
        caller_at(&self.frames, depth)
    }

    /// Returns the depth of the return point of a pending caller at an address.
    fn point_depth(&mut self, pc: u64) -> Option<usize> {
        let frames = &self.frames;
        let point = self.return_points.deepest(pc, |point| holds(point, frames));
        point.map(|point| point.depth)
    }

    /// Handles a jump to a computed address, which may be a return point of an outer frame.
    fn leave_by_jump(&mut self, arrival: &ArrivalStep, step: u64, found: &mut CollectedCalls) {
        self.lose_by_sp(arrival, step, found);
        let Some(depth) = self.point_depth(arrival.entry.pc) else {
            return;
        };
        let Some(outermost) = self.frames.get(depth) else {
            return;
        };
        let both = arrival.returned_end().zip(outermost.entry_sp());
        if both.is_some_and(|(end, own)| !is_near(own, end)) {
            return;
        }
        let will_show = self
            .frames
            .last()
            .is_some_and(|frame| frame.stack().is_some());
        if will_show && self.frames.level_start() <= depth {
            let (from, step) = self.suspicion.unwrap_or((depth, step));
            self.suspicion = Some((from.min(depth), step));
        } else {
            self.close_down_to(depth, step, FrameExit::Longjmp, found);
            self.suspicion = None;
        }
    }

    /// Ends the frames that a jump seemed to leave.
    pub fn settle_suspicion(&mut self, found: &mut CollectedCalls) {
        if let Some((from, step)) = self.suspicion {
            self.close_down_to(from, step, FrameExit::Longjmp, found);
            self.suspicion = None;
        }
    }

    /// Ends the frames that the stack pointer after a jump shows to be over.
    fn lose_by_sp(&mut self, arrival: &ArrivalStep, step: u64, found: &mut CollectedCalls) {
        let Some(sp) = arrival.sp.filter(|_| arrival.has_risen) else {
            return;
        };
        let Some((mut over, mut outermost)) = self.frames.over_below(sp) else {
            return;
        };
        // A function that lowered the stack pointer before its calls is over, too. One that did not,
        // because it keeps its return address in another register, may be the one that continues.
        let mut has_lowered = true;
        while arrival.is_linked
            && let Some(outer) = outermost.checked_sub(1)
            && self.frames.get(outer).and_then(RecordedFrame::entry_sp) == Some(sp)
            && (has_lowered || !self.may_continue(outer, arrival.entry.pc))
        {
            (over, outermost, has_lowered) = (Some(outer), outer, false);
        }
        if let Some(place) = over {
            self.close_down_to(place, step, FrameExit::Longjmp, found);
            self.suspicion = self.suspicion.filter(|(from, _)| *from < place);
        }
    }

    /// Returns true if an address may be inside the function of a call: after its start, with no
    /// known address of its caller between both.
    fn may_continue(&mut self, place: usize, pc: u64) -> bool {
        if self.point_depth(pc).is_some_and(|depth| depth <= place) {
            return false;
        }
        let Some(frame) = self.frames.get(place) else {
            return false;
        };
        let around = match place.checked_sub(1) {
            Some(outer) => self.frames.get(outer).map(|frame| frame.function),
            None => self.root.map(|root| root.function()),
        };
        let mut around = around.into_iter().chain(frame.return_address());
        frame.function <= pc && !around.any(|other| (frame.function + 1..=pc).contains(&other))
    }

    /// Ends the frames that a stack address shows to be over.
    fn lose(&mut self, below: PoppedFrames, step: u64, found: &mut CollectedCalls) {
        let (PoppedFrames::Written(stack) | PoppedFrames::Read(stack)) = below;
        self.leave_redirections(stack, step, found);
        let end = match below {
            PoppedFrames::Written(written) => written.saturating_add(1),
            PoppedFrames::Read(read) => read,
        };
        if let Some((Some(place), _)) = self.frames.over_below(end)
            && let Some(innermost) = self.frames.last()
        {
            let exit = match below {
                PoppedFrames::Read(_) => step,
                PoppedFrames::Written(_) => self.left_at(innermost, step),
            };
            self.close_down_to(place, exit, FrameExit::Longjmp, found);
        }
        self.suspicion = None;
    }

    /// Ends the redirections inside which the earlier stack is in use again, or records the stack
    /// address inside the innermost one.
    fn leave_redirections(&mut self, stack: u64, step: u64, found: &mut CollectedCalls) {
        while let Some(innermost) = self.frames.level_start().checked_sub(1) {
            // A handler that was interrupted before it used the stack is left together with the one
            // that interrupted it.
            let is_redirection = |place: &usize| {
                self.frames
                    .get(*place)
                    .is_some_and(RecordedFrame::is_redirection)
            };
            let nested = (0..=innermost)
                .rev()
                .take(NESTED)
                .take_while(is_redirection);
            let place = nested.last().unwrap_or(innermost);
            let around = place
                .checked_sub(1)
                .and_then(|outer| self.frames.get(outer))
                .and_then(RecordedFrame::stack);
            let Some(RecordedFrame {
                kind: RecordedKind::Redirection { own_stack, .. },
                ..
            }) = self.frames.redirection_mut()
            else {
                return;
            };
            let own = *own_stack.get_or_insert(stack);
            let is_left = around.is_some_and(|around| {
                own < around && around - own < STACK_BYTES && stack >= around
            });
            if !is_left {
                return;
            }
            let exit = self
                .frames
                .get(place)
                .map_or(step, |frame| self.left_at(frame, step));
            self.close_down_to(place, exit, FrameExit::Longjmp, found);
        }
    }

    /// Returns the step that left a frame, given a later step that shows it to be over: that of the
    /// last turn between both, or else the later step. A call that was interrupted before it
    /// arrived comes before the turns of the handler.
    fn left_at(&self, frame: &RecordedFrame, step: u64) -> u64 {
        self.last_turn
            .filter(|turn| (frame.call_step + 1..step).contains(turn))
            .unwrap_or(step)
    }

    /// Ends all frames from a place on, innermost first. Frames under suspicion end at the
    /// suspected jump.
    pub fn close_down_to(
        &mut self,
        place: usize,
        step: u64,
        left: FrameExit,
        found: &mut CollectedCalls,
    ) {
        while self.frames.len() > place {
            let suspicion = self.suspicion.filter(|(from, _)| *from < self.frames.len());
            let Some(frame) = self.frames.pop() else {
                return;
            };
            let (exit, left) =
                suspicion.map_or((step, left), |(_, jump)| (jump, FrameExit::Longjmp));
            found.frames.extend(self.frame(&frame, Some(exit), left));
        }
    }

    /// Keeps `count` of the most recent return points.
    pub fn keep_newest_points(&mut self, count: usize) {
        self.return_points.keep_newest(count);
    }

    /// Keeps `count` of the innermost frames; the frames around them count as never left.
    pub fn keep_innermost(&mut self, count: usize, found: &mut CollectedCalls) {
        let gone = self.frames.len().saturating_sub(count);
        if gone == 0 {
            return;
        }
        let outermost = self.frames.take_outermost(gone);
        self.root.iter_mut().for_each(RootFrame::lose_frames);
        found.frames.extend(
            outermost
                .iter()
                .filter_map(|frame| self.frame(frame, None, FrameExit::Open)),
        );
        self.suspicion = self
            .suspicion
            .map(|(from, step)| (from.saturating_sub(gone), step));
        self.return_points.drop_outermost(gone);
    }

    /// Returns a frame of the table; none for a redirection without steps, or a call that ends
    /// where it was made.
    fn frame(
        &self,
        frame: &RecordedFrame,
        exit_step: Option<u64>,
        left: FrameExit,
    ) -> Option<CallFrame> {
        let is_over = exit_step.is_some_and(|exit| exit <= frame.call_step);
        let entered = match frame.kind {
            _ if frame.entry_step.is_none() && (is_over || frame.is_redirection()) => return None,
            RecordedKind::Call { .. } => FrameEntry::Call,
            RecordedKind::Redirection { .. } => FrameEntry::Exception,
        };
        Some(CallFrame {
            thread: self.id.thread,
            stack: self.id.stack,
            function: frame.function,
            call_step: Some(frame.call_step),
            entry_step: frame.entry_step,
            exit_step,
            entered,
            left,
            evidence: Evidence::Record,
        })
    }
}

/// Returns the call step of the innermost of the outer `depth` frames.
fn caller_at(frames: &RecordedFrames, depth: usize) -> Option<u64> {
    Some(frames.get(depth.checked_sub(1)?)?.call_step)
}

/// Returns true if the caller of a point is still pending.
fn holds(point: &ReturnPoint, frames: &RecordedFrames) -> bool {
    point.depth <= frames.len() && caller_at(frames, point.depth) == point.caller
}

//! Finds calls in traces whose records classify branches.
//!
//! A step that calls begins a frame with the thread's next step, unless that is the step after it
//! in memory (which is how code reads its own address). A step that returns ends the innermost
//! frame with its return address and, on x86, the stack address of that return address. Frames
//! inside were skipped. If no frame is pending, a return ends the thread's first frame, and its
//! caller is the outermost known frame (`pending.rs`), since a trace may begin in the middle of
//! a thread. Any other return that matches no frame changes nothing. The delay slot of a return
//! belongs to the frame that returns.
//!
//! A jump to the return address of a pending call returns from it, too, if the stack pointer is at
//! least that of the call's first step; on x86, above it. Many logs do not classify `pop {pc}`.
//!
//! Frames can also be left without a return (longjmp, exceptions of C++):
//! - On x86 a call that writes its return address at or above that of a pending call shows that the
//!   pending call is over. So does a return from above.
//! - A jump, or a return that matches nothing, after which the stack pointer lies above that of the
//!   first step of a call shows that this call is over. A call that began with the same stack
//!   pointer is over, too, if it lowered the stack pointer before it made the next one, as all do
//!   that keep their return address on the stack. Otherwise the destination must lie outside its
//!   function, judged by addresses.
//! - A jump through a register, or a return that matches nothing, to a return point leaves what was
//!   called since. On x86 that is a suspicion until the stack shows it, for a `switch` may do the
//!   same.
//!
//! In all three cases the outermost of these calls began near the address that shows it, since the
//! function that continues made it. Calls that began further below are not over: they are on the
//! stack of a coroutine or task, or around a handler that runs on a stack inside of theirs.
//!
//! A stack pointer from before a gap is unknown after it.
//!
//! A marker that the kernel redirected control begins a frame that interrupts the step before (a
//! signal's handler, kernel code of a system call), and another one ends it and all inside. Inside,
//! nothing outside is over, unless the return addresses show that the earlier stack is in use
//! again. The abort of a restartable sequence is no frame. A marker that ends a redirection that
//! nothing began shows that the trace of the thread began inside a handler.
//!
//! An interrupt may return to another task, with frames on another stack of the thread: to where an
//! earlier interrupt left one, or far from all that was interrupted.
//!
//! A call that no step follows, at a fault or at the end, is a frame without steps.
//!
//! At the start of a window or another gap, pending frames end as unknown. The first step after it
//! begins a new first frame. In a trace that omits instructions no calls are searched for, because
//! branch targets are not recorded.

use serde::{Deserialize, Serialize};
use stepback_machine::convention::ReturnAddress;
use stepback_parsers::{Gap, GapReason, Marker, MarkerKind};

use crate::answers::call::FrameExit;
use crate::builder::calls::pending::{RootEntry, RootFrame, StackId};
use crate::builder::calls::recorded_frames::{
    ArrivalStep, BranchStep, RecordedFrame, RecordedKind, Redirection, RedirectionKind,
};
use crate::builder::calls::recorded_stack::RecordedStack;
use crate::builder::calls::spool::CollectedCalls;
use crate::builder::calls::stacks::{NextStack, RetainedCounts, SKIPPED, StackSet};
use crate::builder::segment::turns::{ControlTurn, TurnEnd, TurnKind, TurningBranch};
use crate::store::calls::stacks::StackSwitch;

/// State of a thread whose records classify branches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RecordedThread {
    number: u16,
    stacks: StackSet<RecordedStack>,
    /// Last step before a gap, until a step follows.
    gap_after: Option<u64>,
    /// True if instructions are left out.
    lacks_steps: bool,
    /// Number of the tracing window.
    window: Option<u64>,
    last_step: Option<u64>,
    /// Stack pointer at the end of the segments taken; none when unknown.
    sp: Option<u64>,
    /// Stack pointer at the last arrival after a branch; none when unknown, and after an exception.
    arrival_sp: Option<u64>,
    /// True if the stack pointer was written since the last arrival after a branch or marker.
    is_sp_written: bool,
    /// True if a marker follows the last step.
    is_marked: bool,
    /// Branch with the thread's next step as its destination.
    branch: Option<BranchStep>,
    /// Redirection with the thread's next step as its first step.
    redirection: Option<Redirection>,
    /// True if the next redirection is the abort of a restartable sequence.
    is_abort: bool,
    /// True if the thread's next step resumes code that an exception interrupted before the trace
    /// began.
    is_resuming: bool,
}

impl RecordedThread {
    /// Creates a thread with the index's number.
    pub fn new(number: u16) -> Self {
        let mut thread = Self {
            number,
            ..Self::default()
        };
        thread.stacks.in_use_mut().id.thread = number;
        thread
    }

    /// Returns true if the state can be resumed: a file may hold anything.
    pub fn is_consistent(&self) -> bool {
        self.stacks.is_consistent()
    }

    /// Takes the next control turn, with the step of its slot.
    pub fn turn(&mut self, step: Option<u64>, turn: &ControlTurn, found: &mut CollectedCalls) {
        match (turn.what, step) {
            (TurnKind::ExceptionText, _) => self.arrival_sp = None,
            (TurnKind::Marker(marker), step) => {
                self.last_step = step.or(self.last_step);
                (self.arrival_sp, self.is_marked) = (None, true);
                self.branch
                    .iter_mut()
                    .for_each(|branch| branch.is_interrupted = true);
                self.marker(marker, found);
                let is_of_recording =
                    [MarkerKind::WINDOW, MarkerKind::FILTER_ENDPOINT].contains(&marker.kind);
                if !is_of_recording && Gap::of(marker).is_none() {
                    self.stacks.in_use_mut().last_turn = self.last_step;
                }
            }
            (
                TurnKind::Arrival {
                    pc,
                    instruction_set,
                    sp,
                    sp_writes,
                    is_in_slot,
                },
                Some(step),
            ) => {
                self.is_sp_written = sp_writes.is_present().unwrap_or(self.is_sp_written);
                let entry = RootEntry { step, pc };
                if is_in_slot {
                    self.begin_root(entry);
                    self.branch
                        .iter_mut()
                        .for_each(|branch| branch.last_step = step);
                } else {
                    let sp = sp.resolve(self.sp);
                    let arrival = ArrivalStep {
                        entry,
                        sp,
                        has_risen: false,
                        is_linked: instruction_set.abi().return_address != ReturnAddress::Stack,
                    };
                    self.arrive(arrival, found);
                }
                self.last_step = Some(step);
            }
            (TurnKind::Recording { lacks_steps }, _) => self.lacks_steps = lacks_steps,
            (
                TurnKind::Branch {
                    kind,
                    site,
                    stack,
                    target,
                },
                Some(step),
            ) => {
                let branch = BranchStep {
                    step,
                    last_step: step,
                    kind,
                    site,
                    stack,
                    target,
                    is_interrupted: false,
                };
                self.branch = Some(branch).filter(|_| !self.lacks_steps);
                self.last_step = Some(step);
            }
            (_, None) => {}
        }
    }

    /// Records the thread's last step in a segment, if it has one there, and its state after the
    /// segment.
    pub fn end_segment(&mut self, last_step: Option<u64>, end: &TurnEnd) {
        self.last_step = last_step.or(self.last_step);
        self.sp = end.sp.resolve(self.sp);
        self.is_sp_written = end.sp_writes.is_present().unwrap_or(self.is_sp_written);
    }

    fn arrive(&mut self, mut arrival: ArrivalStep, found: &mut CollectedCalls) {
        let ArrivalStep { entry, sp, .. } = arrival;
        let RootEntry { step, pc } = entry;
        let (branch, redirection) = (self.branch.take(), self.redirection.take());
        // The result must not depend on the boundaries of segments, so a jump that only some
        // segments record counts only if the stack pointer was written.
        let branch = branch.filter(|branch| {
            branch.kind != TurningBranch::OtherJump || branch.is_interrupted || self.is_sp_written
        });
        let has_turned = std::mem::take(&mut self.is_marked) || branch.is_some();
        self.is_sp_written &= !has_turned;
        let stack = self.stacks.in_use_mut();
        let Some(call_step) = self.last_step.filter(|_| stack.root.is_some()) else {
            self.begin_root(entry);
            return;
        };
        if std::mem::take(&mut self.is_resuming) {
            stack.resume_caller(entry, call_step, found);
            return;
        }
        if let Some(redirection) = redirection {
            stack.settle_suspicion(found);
            let kind = RecordedKind::Redirection {
                redirection,
                interrupted: branch,
                own_stack: None,
            };
            stack.frames.push(RecordedFrame {
                call_step,
                entry_step: Some(step),
                function: pc,
                sp,
                kind,
            });
            return;
        }
        stack.enter_last(&arrival);
        if let Some(branch) = branch {
            let both = self.arrival_sp.zip(sp);
            arrival.has_risen = both.is_some_and(|(before, sp)| sp > before);
            self.arrival_sp = sp;
            match branch.kind {
                TurningBranch::Call if pc == branch.site.next_pc => {}
                TurningBranch::Call => stack.call(&arrival, branch, found),
                TurningBranch::Return => stack.return_to(&arrival, branch, found),
                TurningBranch::Jump | TurningBranch::OtherJump => {
                    stack.jump_to(&arrival, branch, found)
                }
            }
            // The branch may have left a handler that interrupted a call before its first step.
            stack.enter_last(&arrival);
            stack.last_turn = Some(branch.step);
        }
    }

    /// Begins the outermost known frame of the stack in use, if there is none.
    fn begin_root(&mut self, entry: RootEntry) {
        let stack = self.stacks.in_use_mut();
        if stack.root.is_some() {
            return;
        }
        let root = match (self.gap_after.take(), stack.switched_after.take()) {
            (Some(before), _) => RootFrame::after_gap(before, entry),
            (None, Some(before)) => RootFrame::switched(before, entry),
            (None, None) => RootFrame::start(entry),
        };
        stack.begin_root(root);
    }

    /// Begins a stretch that is not recorded: pending frames on all stacks become unknown.
    fn begin_gap(&mut self, found: &mut CollectedCalls) {
        let Some(step) = self
            .last_step
            .filter(|_| self.stacks.iter().any(|(_, stack)| stack.root.is_some()))
        else {
            return;
        };
        self.stacks
            .change_each(|_, stack| stack.begin_gap(step, found));
        self.gap_after = Some(step);
        (
            self.branch,
            self.redirection,
            self.is_abort,
            self.is_resuming,
        ) = (None, None, false, false);
    }

    /// Takes a window number; the marker of the first window may come after the first steps.
    fn begin_window(&mut self, number: u64, found: &mut CollectedCalls) {
        if self.window.replace(number).unwrap_or(0) != number {
            self.begin_gap(found);
        }
    }

    fn marker(&mut self, marker: Marker, found: &mut CollectedCalls) {
        use RedirectionKind::{ContextSwitch, Hardware, Signal, SystemCall};
        let to = |kind, address| Redirection {
            kind,
            address: Some(address).filter(|address| *address != 0),
        };
        match marker.kind {
            MarkerKind::RSEQ_ABORT => self.is_abort = true,
            MarkerKind::KERNEL_EVENT if std::mem::take(&mut self.is_abort) => self.branch = None,
            MarkerKind::KERNEL_EVENT => self.redirect(to(Signal, marker.value), found),
            MarkerKind::KERNEL_TRANSFER => self.resume(to(Signal, 0), found),
            MarkerKind::SYSTEM_CALL_START => self.redirect(to(SystemCall, 0), found),
            MarkerKind::SYSTEM_CALL_END => self.resume(to(SystemCall, 0), found),
            MarkerKind::CONTEXT_SWITCH_START => self.redirect(to(ContextSwitch, 0), found),
            MarkerKind::CONTEXT_SWITCH_END => self.resume(to(ContextSwitch, 0), found),
            MarkerKind::HARDWARE_EVENT => self.redirect(to(Hardware, marker.value), found),
            MarkerKind::HARDWARE_RETURN => self.resume(to(Hardware, marker.value), found),
            MarkerKind::WINDOW => self.begin_window(marker.value, found),
            MarkerKind::FILTER_ENDPOINT => {
                self.lacks_steps = false;
                self.begin_gap(found);
            }
            _ => match Gap::of(marker) {
                // Only the instruction in the delay slot of a branch is missing.
                Some(Gap {
                    reason: GapReason::Lost,
                    instructions: Some(1),
                }) if self.branch.is_some() => {}
                Some(Gap {
                    reason: GapReason::Off | GapReason::Lost,
                    ..
                }) => self.begin_gap(found),
                Some(Gap {
                    reason: GapReason::Unmapped | GapReason::Contradiction,
                    ..
                })
                | None => {}
            },
        }
    }

    /// Begins a redirection of control.
    fn redirect(&mut self, to: Redirection, found: &mut CollectedCalls) {
        // A handler that is interrupted before its first step. Nothing is known around the handlers
        // in which a recorded stretch begins.
        let before = self.redirection.replace(to);
        if self.stacks.in_use().root.is_some()
            && let Some((before, call_step)) = before.zip(self.last_step)
        {
            let kind = RecordedKind::Redirection {
                redirection: before,
                interrupted: self.branch.take(),
                own_stack: None,
            };
            let function = to.address.unwrap_or(0);
            self.stacks.in_use_mut().frames.push(RecordedFrame {
                call_step,
                entry_step: None,
                function,
                sp: None,
                kind,
            });
        }
        let stack = self.stacks.in_use_mut();
        let called = self
            .branch
            .zip(to.address)
            .filter(|(branch, address)| branch.has_called(*address));
        if let Some((branch, function)) = called.filter(|_| stack.root.is_some()) {
            self.branch = None;
            stack.call_without_steps(branch, function, found);
        }
    }

    /// Ends a handler. `to` is the kind of redirection that ends, and the address at which control
    /// continues.
    fn resume(&mut self, to: Redirection, found: &mut CollectedCalls) {
        if self
            .redirection
            .is_some_and(|redirection| redirection.kind == to.kind)
        {
            // No step ran in the handler.
            self.redirection = None;
            return;
        }
        let stack = self.stacks.in_use_mut();
        let Some((place, left)) = stack.redirected_to(to) else {
            self.is_resuming = stack.root.is_some() && stack.frames.redirection().is_none();
            return;
        };
        self.redirection = None;
        let step = self.last_step.unwrap_or(0);
        stack.close_down_to(place + 1, step, FrameExit::Skipped, found);
        stack.close_down_to(place, step, FrameExit::Return, found);
        stack.suspicion = None;
        self.branch = left.branch;
        let turn = left
            .address
            .zip(to.address)
            .and_then(|(from, address)| self.turned_by_return(from, address));
        if let Some(turn) = turn {
            self.stacks.in_use_mut().left = Some(left);
            self.switch(turn, step, found);
        }
    }

    /// Returns the stack to which a handler turns when it returns to an address, given the
    /// interrupted address.
    ///
    /// Stacks are identified by the address at which control left them. A handler may return to
    /// another address to step over instructions; in a delay slot, to the branch target; and in a
    /// nested handler, to repair what the outer one did.
    fn turned_by_return(&self, interrupted: u64, address: u64) -> Option<NextStack> {
        if interrupted == address {
            return None;
        }
        let is_left_there =
            |stack: &RecordedStack| stack.left.is_some_and(|left| left.address == Some(address));
        if let Some((number, _)) = self.stacks.others().find(|(_, stack)| is_left_there(stack)) {
            return Some(NextStack::To(number));
        }
        let is_in_slot = self
            .branch
            .is_some_and(|branch| branch.site.slot_pc == Some(interrupted));
        let is_own = is_in_slot || interrupted.abs_diff(address) <= SKIPPED;
        let is_nested = self.stacks.in_use().frames.redirection().is_some();
        (!is_own && !is_nested && self.stacks.has_room()).then_some(NextStack::New)
    }

    fn switch(&mut self, turn: NextStack, after: u64, found: &mut CollectedCalls) {
        self.stacks.turn(turn);
        let id = StackId {
            thread: self.number,
            stack: self.stacks.current(),
        };
        found.switches.push(StackSwitch {
            thread: id.thread,
            after,
            stack: id.stack,
        });
        let stack = self.stacks.in_use_mut();
        stack.id = id;
        if turn == NextStack::New {
            stack.switched_after = Some(after);
        }
        self.branch = stack.left.take().and_then(|left| left.branch);
    }

    /// Returns the number of frames and return points on all its stacks. O(1).
    pub fn kept(&self) -> RetainedCounts {
        self.stacks.kept()
    }

    /// Keeps `count` of the most recent return points, divided among its stacks.
    pub fn keep_newest_points(&mut self, count: usize) {
        let each = count / self.stacks.iter().count();
        self.stacks
            .change_each(|_, stack| stack.keep_newest_points(each));
    }

    /// Keeps `count` of the innermost frames, divided among its stacks; the outer ones count as
    /// never left.
    pub fn keep_innermost(&mut self, count: usize, found: &mut CollectedCalls) {
        let each = count / self.stacks.iter().count();
        self.stacks
            .change_each(|_, stack| stack.keep_innermost(each, found));
    }

    /// Adds the frames that are open at the end of the trace.
    pub fn end_trace(&mut self, found: &mut CollectedCalls) {
        let called = self
            .branch
            .take()
            .and_then(|branch| Some((branch, branch.target?)));
        let stack = self.stacks.in_use_mut();
        if let Some((branch, function)) =
            called.filter(|(branch, target)| branch.has_called(*target))
        {
            stack.call_without_steps(branch, function, found);
        }
        self.stacks.change_each(|_, stack| stack.end_trace(found));
    }
}

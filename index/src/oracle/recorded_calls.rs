//! Calls of threads with recorded branch kinds: the rules at the head of
//! `builder/calls/recorded.rs`, applied to one list of frames.

use std::collections::HashMap;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, RegisterId};
use stepback_parsers::{Gap, GapReason, Marker, MarkerKind, Step, TextKind, WrittenName};

use crate::answers::call::{Call, Evidence, FrameEntry, FrameExit};
use crate::answers::cell::ThreadId;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;

/// Minimum distance in bytes of return addresses on different stacks.
const STACK_BYTES: u64 = 8 << 20;
const NESTED: usize = 64;
/// Maximum distance in bytes of a stack pointer above the calls that it shows to be over; those of
/// another stack are further below.
const OTHER_STACK: u64 = 4096;

impl Oracle {
    /// Returns the frames of a thread in any order, without depths, and its switches to other
    /// stacks; `None` if its records do not state branch kinds.
    pub(super) fn recorded_calls(&self, thread: ThreadId) -> Option<FoundCalls> {
        let is_said = self
            .steps
            .iter()
            .any(|step| step.thread == thread && step.branch != RecordedBranch::Unsaid);
        is_said.then(|| {
            let mut walk = RecordedCallWalk::new(thread);
            let events: Vec<_> = self
                .events
                .iter()
                .filter(|event| event.thread == thread)
                .collect();
            for (place, event) in events.iter().enumerate() {
                let later = events.get(place + 1..).unwrap_or_default();
                match (&event.kind, event.owner) {
                    (OracleEventKind::Step, Some(step)) => {
                        walk.extend(self.step(step).map(|stated| (step, stated, later)))
                    }
                    (OracleEventKind::Marker(marker), _) => walk.marker(*marker),
                    (
                        OracleEventKind::Text {
                            kind: TextKind::Exception,
                            ..
                        },
                        _,
                    ) => walk.sp_before = None,
                    (OracleEventKind::Register(written), _)
                        if written.name != WrittenName::BankCopy =>
                    {
                        walk.write(written)
                    }
                    _ => {}
                }
            }
            walk.finished()
        })
    }
}

/// Frames with the numbers of their stacks, and the switches of the thread to its stacks.
pub(super) type FoundCalls = (Vec<(usize, Call)>, Vec<(ThreadId, Step, usize)>);

/// An open frame.
#[derive(Clone, Debug)]
struct RecordedOpenFrame {
    call_step: Step,
    entry: Option<Step>,
    function: Address,
    /// Stack pointer at the first step.
    sp: Option<u64>,
    what: RecordedFrameKind,
}

#[derive(Clone, Debug)]
enum RecordedFrameKind {
    Call {
        back: Address,
        at: Option<u64>,
    },
    /// A diversion by the kernel or an interrupt: the marker that ends it, the interrupted address
    /// and branch, and the location of its own stack.
    Redirection {
        ended_by: MarkerKind,
        from: Option<Address>,
        interrupted: Option<UnfinishedBranch>,
        own: Option<u64>,
    },
}

impl RecordedOpenFrame {
    fn at(&self) -> Option<u64> {
        if let RecordedFrameKind::Call { at, .. } = self.what {
            at
        } else {
            None
        }
    }

    /// Returns the stack pointer at the first step of a call.
    fn entry_sp(&self) -> Option<u64> {
        match self.what {
            RecordedFrameKind::Call { at, .. } => at.or(self.sp),
            RecordedFrameKind::Redirection { .. } => None,
        }
    }

    fn is_redirection(&self) -> bool {
        matches!(self.what, RecordedFrameKind::Redirection { .. })
    }
}

/// A branch whose target step is still to come.
#[derive(Clone, Debug)]
struct UnfinishedBranch {
    step: Step,
    branch: RecordedBranch,
    pc: Address,
    next: Address,
    at: Option<u64>,
    target: Option<Address>,
    /// True if calls write their return address into a register.
    is_linked: bool,
    /// True if a marker follows it.
    is_interrupted: bool,
}

impl UnfinishedBranch {
    /// Returns true for a call if control is at `address` after it.
    fn has_called(&self, address: Address) -> bool {
        matches!(
            self.branch,
            RecordedBranch::Call | RecordedBranch::IndirectCall
        ) && address != self.pc
            && address != self.next
    }
}

/// The outermost known frame.
#[derive(Clone, Copy, Debug)]
struct RecordedRoot {
    entered: FrameEntry,
    evidence: Evidence,
    before: Option<Step>,
    entry: Step,
    function: Address,
    /// Highest address of a return address of its own calls.
    stack: Option<u64>,
}

/// State of a stack of the thread.
#[derive(Debug, Default)]
struct RecordedTask {
    open: Vec<RecordedOpenFrame>,
    root: Option<RecordedRoot>,
    turn: Option<Step>,
    /// Calls that a jump apparently left: index of the first one, and the jump.
    suspicion: Option<(usize, Step)>,
    /// Return points of calls: the number of open frames, and the calling step of the innermost
    /// one.
    points: HashMap<Address, Vec<(usize, Option<Step>)>>,
    /// Address at which an interrupt left it for another stack, and the pending branch.
    left: Option<(Option<Address>, Option<UnfinishedBranch>)>,
    /// Last step before it, until it has a step itself.
    switched_after: Option<Step>,
}

struct RecordedCallWalk {
    thread: ThreadId,
    calls: Vec<(usize, Call)>,
    turns: Vec<(ThreadId, Step, usize)>,
    /// The current stack, and its number.
    task: RecordedTask,
    number: usize,
    /// All stacks; the current one is moved to `task` meanwhile.
    tasks: Vec<RecordedTask>,
    /// Last step before a gap.
    gap_after: Option<Step>,
    window: u64,
    /// True if the next step was interrupted by an exception before the trace began.
    is_resuming: bool,
    last: Option<Step>,
    /// Stack pointer now.
    sp: Option<u64>,
    /// Stack pointer after the last branch, unless an exception followed.
    sp_before: Option<u64>,
    /// True if the stack pointer rose between the last two branches.
    has_risen: bool,
    /// True if the stack pointer was written since the last branch or marker.
    is_sp_written: bool,
    /// True if a marker follows the last step.
    is_marked: bool,
    pending: Option<UnfinishedBranch>,
    /// Marker that ends the redirection without steps, and the interrupted address.
    redirected: Option<(MarkerKind, Option<Address>)>,
    is_abort: bool,
}

impl<'a> Extend<(Step, &'a OracleStep, &'a [&'a OracleEvent])> for RecordedCallWalk {
    fn extend<T: IntoIterator<Item = (Step, &'a OracleStep, &'a [&'a OracleEvent])>>(
        &mut self,
        steps: T,
    ) {
        steps
            .into_iter()
            .for_each(|(step, stated, later)| self.step(step, stated, later));
    }
}

impl RecordedCallWalk {
    fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            calls: Vec::new(),
            turns: Vec::new(),
            task: RecordedTask::default(),
            number: 0,
            tasks: vec![RecordedTask::default()],
            gap_after: None,
            window: 0,
            is_resuming: false,
            last: None,
            sp: None,
            sp_before: None,
            has_risen: false,
            is_sp_written: false,
            is_marked: false,
            pending: None,
            redirected: None,
            is_abort: false,
        }
    }

    fn write(&mut self, written: &OracleWrite) {
        if written.view.register == RegisterId::SP {
            self.is_sp_written = true;
            let is_whole = |bytes: &&Vec<u8>| written.view.offset == 0 && bytes.len() >= 4;
            self.sp = written.bytes.as_ref().filter(is_whole).map(|bytes| {
                let low = bytes.iter().take(8).rev();
                low.fold(0, |sum, byte| sum << 8 | u64::from(*byte))
            });
        }
    }

    fn step(&mut self, step: Step, stated: &OracleStep, later: &[&OracleEvent]) {
        let (pending, redirected) = (self.pending.take(), self.redirected.take());
        // A jump in a function whose stack pointer stays the same leaves no function.
        let is_written = self.is_sp_written;
        let pending = pending
            .filter(|by| by.branch != RecordedBranch::Jump || by.is_interrupted || is_written);
        if std::mem::take(&mut self.is_marked) || pending.is_some() {
            self.is_sp_written = false;
        }
        let is_resuming = std::mem::take(&mut self.is_resuming);
        match (self.task.root, self.last, redirected) {
            (Some(root), Some(last), _) if is_resuming => {
                self.close(0, last, FrameExit::Skipped);
                self.tell_root(root, Some(last), FrameExit::Return);
                let (entered, evidence, before) = (FrameEntry::Root, Evidence::Caller, Some(last));
                self.task.root = Some(RecordedRoot {
                    entered,
                    evidence,
                    before,
                    entry: step,
                    function: stated.pc,
                    stack: None,
                });
                self.task.suspicion = None;
            }
            (Some(_), Some(call_step), Some((ended_by, from))) => {
                self.believe();
                let what = RecordedFrameKind::Redirection {
                    ended_by,
                    from,
                    interrupted: pending,
                    own: None,
                };
                self.task.open.push(RecordedOpenFrame {
                    call_step,
                    entry: Some(step),
                    function: stated.pc,
                    sp: self.sp,
                    what,
                });
            }
            (Some(_), _, _) => {
                self.enter(step, stated.pc);
                if let Some(pending) = pending {
                    let both = self.sp_before.zip(self.sp);
                    self.has_risen = both.is_some_and(|(before, sp)| sp > before);
                    self.sp_before = self.sp;
                    self.turn_to(step, stated.pc, &pending);
                    // It may have left a handler.
                    self.enter(step, stated.pc);
                    self.task.turn = Some(pending.step);
                }
            }
            (None, _, _) => {
                let (gap, switch) = (self.gap_after.take(), self.task.switched_after.take());
                let (entered, evidence, before) = match (gap, switch) {
                    (Some(_), _) => (FrameEntry::Gap, Evidence::Start, gap),
                    (None, Some(_)) => (FrameEntry::Switch, Evidence::Stack, switch),
                    (None, None) => (FrameEntry::Root, Evidence::Start, None),
                };
                self.task.root = Some(RecordedRoot {
                    entered,
                    evidence,
                    before,
                    entry: step,
                    function: stated.pc,
                    stack: None,
                });
            }
        }
        self.last = Some(step);
        let turns = [
            RecordedBranch::Call,
            RecordedBranch::IndirectCall,
            RecordedBranch::Return,
            RecordedBranch::IndirectJump,
            RecordedBranch::Jump,
        ];
        if turns.contains(&stated.branch) {
            let wanted = match stated.branch {
                _ if !stated.naive().pushes_return_address() => None,
                RecordedBranch::Call | RecordedBranch::IndirectCall => Some(AccessKind::Write),
                RecordedBranch::Return => Some(AccessKind::Read),
                _ => None,
            };
            let own = later
                .iter()
                .take_while(|event| !matches!(event.kind, OracleEventKind::Step));
            let at = own.filter_map(|event| match &event.kind {
                OracleEventKind::Access(access) if Some(access.kind) == wanted => {
                    Some(access.address.0)
                }
                _ => None,
            });
            let next = Address(stated.pc.0.wrapping_add(u64::from(stated.length_bytes)));
            let is_linked = !stated.naive().pushes_return_address();
            let (branch, pc, target) = (
                stated.branch,
                stated.pc,
                stated.naive().call_target(stated.encoding).map(Address),
            );
            self.pending = Some(UnfinishedBranch {
                step,
                branch,
                pc,
                next,
                at: at.take(1).next(),
                target,
                is_linked,
                is_interrupted: false,
            });
        }
    }

    /// Records the first step of a call that was interrupted before it.
    fn enter(&mut self, step: Step, pc: Address) {
        let last = self.task.open.last_mut();
        if let Some(open) = last.filter(|open| open.entry.is_none()) {
            (open.entry, open.function, open.sp) = (Some(step), pc, self.sp);
            if !open.is_redirection() {
                self.task.turn = Some(open.call_step);
            }
        }
    }

    /// Returns the index of the first frame inside the innermost redirection.
    fn inside(&self) -> usize {
        self.task
            .open
            .iter()
            .rposition(RecordedOpenFrame::is_redirection)
            .map_or(0, |place| place + 1)
    }

    fn turn_to(&mut self, step: Step, pc: Address, by: &UnfinishedBranch) {
        match by.branch {
            RecordedBranch::Return => self.return_to(step, pc, by),
            RecordedBranch::IndirectJump | RecordedBranch::Jump => match self.returned(pc, by) {
                Some(place) => self.leave(place, pc, by),
                None if by.branch == RecordedBranch::Jump => self.lose_by_sp(pc, by),
                None => self.jump_to(pc, by),
            },
            _ if pc == by.next => {}
            _ => self.call(by, Some(step), pc),
        }
    }

    fn call(&mut self, by: &UnfinishedBranch, entry: Option<Step>, function: Address) {
        if let Some(at) = by.at {
            self.leave_redirections(at, by.step);
            let exit = self
                .task
                .open
                .last()
                .map(|open| self.left_at(open, by.step));
            self.lose(
                |held| held <= at && at - held < OTHER_STACK,
                |held| held <= at,
                exit,
            );
        }
        if let Some(root) = self
            .task
            .root
            .as_mut()
            .filter(|_| self.task.open.is_empty())
        {
            root.stack = root.stack.max(by.at);
        }
        let what = RecordedFrameKind::Call {
            back: by.next,
            at: by.at,
        };
        self.task.open.push(RecordedOpenFrame {
            call_step: by.step,
            entry,
            function,
            sp: entry.and(self.sp),
            what,
        });
    }

    fn return_to(&mut self, step: Step, pc: Address, by: &UnfinishedBranch) {
        if let Some(at) = by.at {
            self.leave_redirections(at, by.step);
        }
        let inside = self.inside();
        let find = |is_slot: &dyn Fn(Option<u64>) -> bool| {
            let is_it = |open: &RecordedOpenFrame| matches!(open.what, RecordedFrameKind::Call { back, at } if back == pc && is_slot(at));
            let inner = self.task.open.iter().skip(inside);
            inner.rposition_of(is_it).map(|place| place + inside)
        };
        let last = self.task.open.last().and_then(RecordedOpenFrame::at);
        let found = match by.at {
            Some(_) if last == by.at => Some(self.task.open.len() - 1),
            Some(_) => find(&|at| at == by.at).or_else(|| find(&|at| at.is_none())),
            // Any slot may have been read.
            None => find(&|_| true),
        };
        let Some(place) = found.or_else(|| self.returned(pc, by)) else {
            let was_empty = self.task.open.is_empty();
            match by.at {
                Some(at) => {
                    self.leave_redirections(at, by.step);
                    self.lose(
                        |held| held < at && at - held <= OTHER_STACK,
                        |held| held < at,
                        Some(by.step),
                    );
                    self.lose_by_sp(pc, by);
                    self.return_from_root(step, pc, by);
                }
                None => {
                    self.jump_to(pc, by);
                    if was_empty {
                        self.return_from_root(step, pc, by);
                    }
                }
            }
            return;
        };
        self.leave(place, pc, by);
    }

    /// Returns the index of the outermost call on this stack that returns to an address with the
    /// stack pointer that it left for its callee, or that its callee raised.
    fn returned(&self, pc: Address, by: &UnfinishedBranch) -> Option<usize> {
        let sp = self.sp?;
        let is_over = |held: u64| held < sp || by.is_linked && held == sp;
        let is_here =
            |held: u64| sp - held < OTHER_STACK || sp - held == OTHER_STACK && !by.is_linked;
        let returns = |open: &RecordedOpenFrame| matches!(open.what, RecordedFrameKind::Call { back, .. } if back == pc);
        let over = self.trailing(is_over);
        let inner = self.task.open.iter().enumerate().skip(over);
        let mut near =
            inner.filter(|(_, open)| open.entry_sp().is_some_and(is_here) && returns(open));
        near.next().map(|(place, _)| place)
    }

    /// Returns the index from which a condition holds for the stack pointers of all calls inside
    /// the innermost redirection.
    fn trailing(&self, holds: impl Fn(u64) -> bool) -> usize {
        let is_other = |open: &RecordedOpenFrame| !open.entry_sp().is_some_and(&holds);
        let open = self.task.open.iter();
        open.rposition_of(is_other).map_or(0, |place| place + 1)
    }

    /// Ends the call at an index, which returns.
    fn leave(&mut self, place: usize, pc: Address, by: &UnfinishedBranch) {
        let is_point = matches!(self.task.open[place].what, RecordedFrameKind::Call { back, .. } if back == pc);
        self.task.suspicion = self.task.suspicion.filter(|(from, _)| *from > place);
        self.close(place + 1, by.step, FrameExit::Skipped);
        self.close(place, by.step, FrameExit::Return);
        self.task.suspicion = None;
        if is_point {
            let caller = self.caller(place);
            let points = self.task.points.entry(pc).or_default();
            points.retain(|(depth, _)| *depth < place);
            points.push((place, caller));
        }
    }

    /// Handles a return out of the outermost known frame: its return address is above those of its
    /// own calls.
    fn return_from_root(&mut self, step: Step, pc: Address, by: &UnfinishedBranch) {
        let Some(root) = self.task.root.filter(|_| self.task.open.is_empty()) else {
            return;
        };
        match (by.at, root.stack) {
            (Some(at), Some(own)) if at <= own || at >= own + STACK_BYTES => return,
            _ => {}
        }
        self.tell_root(root, Some(by.step), FrameExit::Return);
        let stack = by.at.or(root.stack);
        let (entered, evidence, before) = (FrameEntry::Root, Evidence::Caller, Some(by.step));
        self.task.root = Some(RecordedRoot {
            entered,
            evidence,
            before,
            entry: step,
            function: pc,
            stack,
        });
        self.task.suspicion = None;
    }

    fn gap(&mut self) {
        let in_use = self.number;
        let mut is_inside = false;
        for number in 0..self.tasks.len() {
            self.take(number);
            self.believe();
            (self.task.left, self.task.switched_after) = (None, None);
            let Some((last, root)) = self.last.zip(self.task.root.take()) else {
                continue;
            };
            self.close(0, last, FrameExit::Gap);
            self.tell_root(root, Some(last), FrameExit::Gap);
            self.gap_after = Some(last);
            self.task.points.clear();
            is_inside = true;
        }
        self.take(in_use);
        if is_inside {
            (
                self.pending,
                self.redirected,
                self.is_abort,
                self.is_resuming,
            ) = (None, None, false, false);
        }
    }

    /// Switches to another stack.
    fn take(&mut self, number: usize) {
        std::mem::swap(&mut self.task, &mut self.tasks[self.number]);
        std::mem::swap(&mut self.task, &mut self.tasks[number]);
        self.number = number;
    }

    fn tell_root(&mut self, root: RecordedRoot, exit_step: Option<Step>, left: FrameExit) {
        let call = Call {
            thread: self.thread,
            function: root.function,
            call_step: root.before,
            entry_step: Some(root.entry),
            exit_step,
            entered: root.entered,
            left,
            evidence: root.evidence,
            depth: 0,
            parent: None,
        };
        self.calls.push((self.number, call));
    }

    fn caller(&self, depth: usize) -> Option<Step> {
        self.task
            .open
            .get(depth.checked_sub(1)?)
            .map(|open| open.call_step)
    }

    /// Ends the calls that began below the stack pointer after a jump, if that is near.
    fn lose_by_sp(&mut self, pc: Address, by: &UnfinishedBranch) {
        let (Some(sp), true) = (self.sp, self.has_risen) else {
            return;
        };
        let mut outer = self.trailing(|held| held < sp);
        if outer == self.task.open.len() {
            return;
        }
        let is_near =
            |open: &RecordedOpenFrame| open.entry_sp().is_some_and(|held| sp - held <= OTHER_STACK);
        let inner = self.task.open.iter().enumerate().skip(outer);
        let mut over = inner
            .filter(|(_, open)| is_near(open))
            .map(|(place, _)| place)
            .next();
        // The function that made these calls had a lower stack pointer. Those around it that began
        // with the same one may run now.
        let made = outer;
        while by.is_linked
            && outer > self.inside()
            && self.task.open[outer - 1].entry_sp() == Some(sp)
            && (outer == made || !self.runs_at(outer - 1, pc))
        {
            outer -= 1;
            over = Some(outer);
        }
        let Some(place) = over else { return };
        self.close(place, by.step, FrameExit::Longjmp);
        self.task.suspicion = self.task.suspicion.filter(|(from, _)| *from < place);
    }

    /// Returns true if a call may be at an address: it is above the start of its function, and the
    /// known addresses of the caller are not between them.
    fn runs_at(&self, place: usize, pc: Address) -> bool {
        if self
            .points_at(pc)
            .last()
            .is_some_and(|(depth, _)| *depth <= place)
        {
            return false;
        }
        let open = &self.task.open[place];
        let RecordedFrameKind::Call { back, .. } = open.what else {
            return false;
        };
        let caller = match place {
            0 => self.task.root.map(|root| root.function),
            _ => Some(self.task.open[place - 1].function),
        };
        let is_between = |address: Address| address > open.function && address <= pc;
        open.function <= pc && !is_between(back) && !caller.is_some_and(is_between)
    }

    /// Returns the points at an address whose callers are pending.
    fn points_at(&self, pc: Address) -> Vec<(usize, Option<Step>)> {
        let mut points = self.task.points.get(&pc).cloned().unwrap_or_default();
        points.retain(|(depth, caller)| {
            *depth <= self.task.open.len() && self.caller(*depth) == *caller
        });
        points
    }

    fn jump_to(&mut self, pc: Address, by: &UnfinishedBranch) {
        self.lose_by_sp(pc, by);
        let step = by.step;
        let Some((depth, _)) = self.points_at(pc).last().copied() else {
            return;
        };
        let Some(outermost) = self.task.open.get(depth) else {
            return;
        };
        match (self.sp, outermost.entry_sp()) {
            (Some(sp), Some(own)) if sp < own || sp == own && !by.is_linked => return,
            (Some(sp), Some(own)) if sp - own > OTHER_STACK - u64::from(by.is_linked) => return,
            _ => {}
        }
        let shows = self
            .task
            .open
            .last()
            .is_some_and(|open| open.at().is_some());
        if shows && self.inside() <= depth {
            self.task.suspicion = match self.task.suspicion {
                Some((from, step)) => Some((from.min(depth), step)),
                None => Some((depth, step)),
            };
        } else {
            self.close(depth, step, FrameExit::Longjmp);
            self.task.suspicion = None;
        }
    }

    fn believe(&mut self) {
        if let Some((from, step)) = self.task.suspicion.take() {
            self.close(from, step, FrameExit::Longjmp);
        }
    }

    fn left_at(&self, open: &RecordedOpenFrame, step: Step) -> Step {
        self.task
            .turn
            .filter(|turn| *turn > open.call_step && *turn < step)
            .unwrap_or(step)
    }

    /// Ends the calls for whose stack addresses `is_over` holds, if `is_here` holds for one of them.
    fn lose(
        &mut self,
        is_here: impl Fn(u64) -> bool,
        is_over: impl Fn(u64) -> bool,
        exit: Option<Step>,
    ) {
        let over = self.trailing(is_over);
        let inner = self.task.open.iter().enumerate().skip(over);
        let mut here = inner.filter(|(_, open)| open.entry_sp().is_some_and(&is_here));
        if let Some((place, step)) = here.next().map(|(place, _)| place).zip(exit) {
            self.close(place, step, FrameExit::Longjmp);
        }
        self.task.suspicion = None;
    }

    fn leave_redirections(&mut self, at: u64, step: Step) {
        while let Some(innermost) = self.inside().checked_sub(1) {
            let is_redirection = |place: &usize| {
                matches!(
                    self.task.open[*place].what,
                    RecordedFrameKind::Redirection { .. }
                )
            };
            let nested = (0..=innermost)
                .rev()
                .take(NESTED)
                .take_while(is_redirection);
            let place = nested.last().unwrap_or(innermost);
            let around = place
                .checked_sub(1)
                .and_then(|place| self.task.open[place].at());
            let RecordedFrameKind::Redirection { own, .. } = &mut self.task.open[innermost].what
            else {
                return;
            };
            let own = *own.get_or_insert(at);
            match around {
                Some(around) if own < around && around - own < STACK_BYTES && at >= around => {
                    let exit = self.left_at(&self.task.open[place], step);
                    self.close(place, exit, FrameExit::Longjmp);
                }
                _ => return,
            }
        }
    }

    fn marker(&mut self, marker: Marker) {
        let (begins, ends) = (
            [
                (MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER),
                (MarkerKind::SYSTEM_CALL_START, MarkerKind::SYSTEM_CALL_END),
                (
                    MarkerKind::CONTEXT_SWITCH_START,
                    MarkerKind::CONTEXT_SWITCH_END,
                ),
                (MarkerKind::HARDWARE_EVENT, MarkerKind::HARDWARE_RETURN),
            ],
            marker.kind,
        );
        let is_turn = begins
            .iter()
            .any(|(begin, end)| [*begin, *end].contains(&marker.kind));
        let is_other_window = marker.kind == MarkerKind::WINDOW && marker.value != self.window;
        if marker.kind == MarkerKind::WINDOW {
            self.window = marker.value;
        }
        let is_gap = |gap: Gap| match gap.reason {
            GapReason::Off => true,
            // One lost instruction after a branch is its delay slot.
            GapReason::Lost => gap.instructions != Some(1) || self.pending.is_none(),
            GapReason::Unmapped | GapReason::Contradiction => false,
        };
        let is_off = Gap::of(marker).is_some_and(is_gap);
        let is_of_recording = [
            MarkerKind::WINDOW,
            MarkerKind::FILTER_ENDPOINT,
            MarkerKind::RSEQ_ABORT,
        ];
        let is_unrecorded = Gap::of(marker)
            .is_some_and(|gap| matches!(gap.reason, GapReason::Off | GapReason::Lost));
        if is_turn || is_unrecorded || is_of_recording.contains(&marker.kind) {
            (self.sp_before, self.is_marked) = (None, true);
            self.pending
                .iter_mut()
                .for_each(|by| by.is_interrupted = true);
        }
        if is_unrecorded {
            self.sp = None;
        }
        let is_addressed = [
            MarkerKind::KERNEL_EVENT,
            MarkerKind::HARDWARE_EVENT,
            MarkerKind::HARDWARE_RETURN,
        ];
        let address = Some(Address(marker.value))
            .filter(|to| to.0 != 0 && is_addressed.contains(&marker.kind));
        if is_other_window || is_off || marker.kind == MarkerKind::FILTER_ENDPOINT {
            self.gap();
        } else if marker.kind == MarkerKind::RSEQ_ABORT {
            self.is_abort = true;
        } else if marker.kind == MarkerKind::KERNEL_EVENT && self.is_abort {
            (self.is_abort, self.pending) = (false, None);
        } else if let Some((_, end)) = begins.iter().find(|(begin, _)| *begin == marker.kind) {
            let before = self.redirected.replace((*end, address));
            // Nothing is known around the handlers in which a recorded stretch begins.
            if self.task.root.is_some()
                && let Some(((ended_by, from), call_step)) = before.zip(self.last)
            {
                let what = RecordedFrameKind::Redirection {
                    ended_by,
                    from,
                    interrupted: self.pending.take(),
                    own: None,
                };
                let function = Address(marker.value);
                self.task.open.push(RecordedOpenFrame {
                    call_step,
                    entry: None,
                    function,
                    sp: None,
                    what,
                });
            }
            let is_call =
                |by: &UnfinishedBranch| address.is_some_and(|address| by.has_called(address));
            if self.task.root.is_some()
                && self.pending.as_ref().is_some_and(is_call)
                && let Some((by, function)) = self.pending.take().zip(address)
            {
                self.call(&by, None, function);
            }
        } else if begins.iter().any(|(_, end)| *end == ends) {
            self.resume(ends, address);
        }
        if is_turn || marker.kind == MarkerKind::RSEQ_ABORT {
            self.task.turn = self.last;
        }
    }

    fn resume(&mut self, end: MarkerKind, to: Option<Address>) {
        if self.redirected.is_some_and(|(ended_by, _)| ended_by == end) {
            self.redirected = None;
            return;
        }
        let is_it = |open: &RecordedOpenFrame| matches!(open.what, RecordedFrameKind::Redirection { ended_by, .. } if ended_by == end);
        let is_resumed = |open: &RecordedOpenFrame| {
            is_it(open)
                && matches!(open.what, RecordedFrameKind::Redirection { from, .. } if from == to && to.is_some())
        };
        let places = || self.task.open.iter();
        let Some(place) = places()
            .rposition_of(is_resumed)
            .or_else(|| places().rposition_of(is_it))
        else {
            self.is_resuming = self.task.root.is_some()
                && !self.task.open.iter().any(RecordedOpenFrame::is_redirection);
            return;
        };
        let Some(step) = self.last else { return };
        let mut came_from = None;
        if let RecordedFrameKind::Redirection {
            interrupted, from, ..
        } = &self.task.open[place].what
        {
            (self.pending, came_from) = (interrupted.clone(), *from);
        }
        self.redirected = None;
        self.close(place + 1, step, FrameExit::Skipped);
        self.close(place, step, FrameExit::Return);
        self.task.suspicion = None;
        if let Some((from, to)) = came_from.zip(to).filter(|(from, to)| from != to) {
            self.return_elsewhere(from, to, step);
        }
    }

    /// Handles an interrupt that returns to another address than the interrupted one: perhaps to
    /// another task.
    fn return_elsewhere(&mut self, from: Address, to: Address, step: Step) {
        let is_there = |task: &RecordedTask| {
            task.left
                .as_ref()
                .is_some_and(|(address, _)| *address == Some(to))
        };
        let others = self
            .tasks
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != self.number);
        let known = others
            .filter(|(_, task)| is_there(task))
            .map(|(number, _)| number)
            .next();
        let is_own = from.0.abs_diff(to.0) <= 64
            || self.task.open.iter().any(RecordedOpenFrame::is_redirection);
        let is_new = known.is_none() && !is_own && self.tasks.len() < 256;
        if is_new {
            self.tasks.push(RecordedTask {
                switched_after: Some(step),
                ..RecordedTask::default()
            });
        }
        let Some(number) = known.or_else(|| is_new.then(|| self.tasks.len() - 1)) else {
            return;
        };
        self.task.left = Some((Some(from), self.pending.take()));
        self.take(number);
        self.turns.push((self.thread, step, number));
        self.pending = self.task.left.take().and_then(|(_, pending)| pending);
    }

    fn close(&mut self, place: usize, step: Step, left: FrameExit) {
        while self.task.open.len() > place {
            let number = self.task.open.len() - 1;
            let Some(open) = self.task.open.pop() else {
                return;
            };
            let (exit, left) = match self.task.suspicion {
                Some((from, jump)) if number >= from => (jump, FrameExit::Longjmp),
                _ => (step, left),
            };
            self.tell(&open, Some(exit), left);
        }
    }

    fn tell(&mut self, open: &RecordedOpenFrame, exit_step: Option<Step>, left: FrameExit) {
        let is_over = exit_step.is_some_and(|exit| exit <= open.call_step);
        if open.entry.is_none() && (open.is_redirection() || is_over) {
            return;
        }
        let entered = if open.is_redirection() {
            FrameEntry::Exception
        } else {
            FrameEntry::Call
        };
        let call = Call {
            thread: self.thread,
            function: open.function,
            call_step: Some(open.call_step),
            entry_step: open.entry,
            exit_step,
            entered,
            left,
            evidence: Evidence::Record,
            depth: 0,
            parent: None,
        };
        self.calls.push((self.number, call));
    }

    fn finished(mut self) -> FoundCalls {
        let called = self.pending.take().and_then(|by| Some((by.target?, by)));
        if let Some((function, by)) = called.filter(|(function, by)| by.has_called(*function)) {
            self.call(&by, None, function);
        }
        for number in 0..self.tasks.len() {
            self.take(number);
            self.believe();
            for open in std::mem::take(&mut self.task.open) {
                self.tell(&open, None, FrameExit::Open);
            }
            if let Some(root) = self.task.root {
                self.tell_root(root, None, FrameExit::Open);
            }
        }
        (self.calls, self.turns)
    }
}

/// Finds the index of the last item that satisfies a predicate.
trait LastPlace: Iterator + Sized {
    fn rposition_of(self, is_it: impl Fn(Self::Item) -> bool) -> Option<usize> {
        self.enumerate()
            .filter_map(|(place, item)| is_it(item).then_some(place))
            .last()
    }
}

impl<T: Iterator> LastPlace for T {}

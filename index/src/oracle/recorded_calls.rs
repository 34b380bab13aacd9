//! Calls of threads whose records say what branches are: the rules at the head of `calls/recorded.rs`, over one list of frames.

use std::collections::HashMap;

use stepback_machine::{AccessKind, Address, Branch};
use stepback_parsers::{Gap, GapReason, Marker, MarkerKind, Step};

use crate::answers::call::{Call, Entered, Evidence, Left};
use crate::answers::thread::ThreadId;
use crate::oracle::event::{Event, EventKind, Told};
use crate::oracle::record::Oracle;

/// Return addresses that lie further apart are on different stacks.
const STACK_BYTES: u64 = 8 << 20;
const NESTED: usize = 64;

impl Oracle {
    /// The frames of a thread in any order, without depths; none when its records do not say what branches are.
    pub(super) fn recorded_calls(&self, thread: ThreadId) -> Option<Vec<Call>> {
        let is_said = self.steps.iter().any(|step| step.thread == thread && step.branch != Branch::Unsaid);
        is_said.then(|| {
            let mut walk = Walk::new(thread);
            let events: Vec<_> = self.events.iter().filter(|event| event.thread == thread).collect();
            for (place, event) in events.iter().enumerate() {
                let later = events.get(place + 1..).unwrap_or_default();
                match (&event.kind, event.owner) {
                    (EventKind::Step, Some(step)) => walk.extend(self.step(step).map(|told| (step, told, later))),
                    (EventKind::Marker(marker), _) => walk.marker(*marker),
                    _ => {}
                }
            }
            walk.finished()
        })
    }
}

/// A frame that is not over.
#[derive(Clone, Debug)]
struct Open {
    call_step: Step,
    entry: Option<(Step, Address)>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Call {
        back: Address,
        at: Option<u64>,
    },
    /// The marker that ends it, the branch that it interrupted, and where its own stack is.
    Redirection {
        ended_by: MarkerKind,
        interrupted: Option<Pending>,
        own: Option<u64>,
    },
}

impl Open {
    fn at(&self) -> Option<u64> {
        if let What::Call { at, .. } = self.what { at } else { None }
    }

    fn is_redirection(&self) -> bool {
        matches!(self.what, What::Redirection { .. })
    }
}

/// A branch on the way.
#[derive(Clone, Debug)]
struct Pending {
    step: Step,
    branch: Branch,
    next: Address,
    at: Option<u64>,
}

/// The outermost known frame.
#[derive(Clone, Copy, Debug)]
struct Root {
    entered: Entered,
    evidence: Evidence,
    before: Option<Step>,
    entry: Step,
    function: Address,
    /// The highest place of a return address of its own calls.
    stack: Option<u64>,
}

struct Walk {
    thread: ThreadId,
    calls: Vec<Call>,
    open: Vec<Open>,
    root: Option<Root>,
    /// The last step before a gap.
    gap_after: Option<Step>,
    window: u64,
    /// The next step is one that an exception interrupted before the trace began.
    is_resuming: bool,
    last: Option<Step>,
    turn: Option<Step>,
    pending: Option<Pending>,
    /// The marker that ends the redirection that has no step yet.
    redirected: Option<MarkerKind>,
    is_abort: bool,
    /// The calls that a jump seemed to leave: from which on, and the jump.
    suspicion: Option<(usize, Step)>,
    /// Where calls returned to: how many frames were open, and by which step the innermost was called.
    points: HashMap<Address, Vec<(usize, Option<Step>)>>,
}

impl<'a> Extend<(Step, &'a Told, &'a [&'a Event])> for Walk {
    fn extend<T: IntoIterator<Item = (Step, &'a Told, &'a [&'a Event])>>(&mut self, steps: T) {
        steps.into_iter().for_each(|(step, told, later)| self.step(step, told, later));
    }
}

impl Walk {
    fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            calls: Vec::new(),
            open: Vec::new(),
            root: None,
            gap_after: None,
            window: 0,
            is_resuming: false,
            last: None,
            turn: None,
            pending: None,
            redirected: None,
            is_abort: false,
            suspicion: None,
            points: HashMap::new(),
        }
    }

    fn step(&mut self, step: Step, told: &Told, later: &[&Event]) {
        let (pending, redirected) = (self.pending.take(), self.redirected.take());
        let is_resuming = std::mem::take(&mut self.is_resuming);
        match (self.root, self.last, redirected) {
            (Some(root), Some(last), _) if is_resuming => {
                self.close(0, last, Left::Skipped);
                self.tell_root(root, Some(last), Left::Return);
                let (entered, evidence, before) = (Entered::Root, Evidence::Caller, Some(last));
                self.root = Some(Root { entered, evidence, before, entry: step, function: told.pc, stack: None });
                self.suspicion = None;
            }
            (Some(_), Some(call_step), Some(ended_by)) => {
                self.believe();
                let what = What::Redirection { ended_by, interrupted: pending, own: None };
                self.open.push(Open { call_step, entry: Some((step, told.pc)), what });
            }
            (Some(_), _, _) => {
                if let Some(open) = self.open.last_mut().filter(|open| open.entry.is_none()) {
                    open.entry = Some((step, told.pc));
                }
                if let Some(pending) = pending {
                    self.turn_to(step, told.pc, &pending);
                    self.turn = Some(pending.step);
                }
            }
            (None, _, _) => {
                let before = self.gap_after.take();
                let entered = if before.is_some() { Entered::Gap } else { Entered::Root };
                let evidence = Evidence::Start;
                self.root = Some(Root { entered, evidence, before, entry: step, function: told.pc, stack: None });
            }
        }
        self.last = Some(step);
        let turns = [Branch::Call, Branch::IndirectCall, Branch::Return, Branch::IndirectJump];
        if turns.contains(&told.branch) {
            let wanted = match told.branch {
                _ if !told.naive().pushes_return_address() => None,
                Branch::Call | Branch::IndirectCall => Some(AccessKind::Write),
                Branch::Return => Some(AccessKind::Read),
                _ => None,
            };
            let own = later.iter().take_while(|event| !matches!(event.kind, EventKind::Step));
            let at = own.filter_map(|event| match &event.kind {
                EventKind::Access(access) if Some(access.kind) == wanted => Some(access.address.0),
                _ => None,
            });
            let next = Address(told.pc.0.wrapping_add(u64::from(told.length_bytes)));
            self.pending = Some(Pending { step, branch: told.branch, next, at: at.take(1).next() });
        }
    }

    /// The first frame inside the innermost redirection.
    fn inside(&self) -> usize {
        self.open.iter().rposition(Open::is_redirection).map_or(0, |place| place + 1)
    }

    fn turn_to(&mut self, step: Step, pc: Address, by: &Pending) {
        match by.branch {
            Branch::Return => self.return_to(step, pc, by),
            Branch::IndirectJump => self.jump_to(pc, by.step),
            _ if pc == by.next => {}
            _ => {
                if let Some(at) = by.at {
                    self.leave_redirections(at, by.step);
                    self.lose(|held| held <= at && at - held < STACK_BYTES, |walk, open| walk.left_at(open, by.step));
                }
                if let Some(root) = self.root.as_mut().filter(|_| self.open.is_empty()) {
                    root.stack = root.stack.max(by.at);
                }
                let what = What::Call { back: by.next, at: by.at };
                self.open.push(Open { call_step: by.step, entry: Some((step, pc)), what });
            }
        }
    }

    fn return_to(&mut self, step: Step, pc: Address, by: &Pending) {
        if let Some(at) = by.at {
            self.leave_redirections(at, by.step);
        }
        let inside = self.inside();
        let with = |wanted: Option<u64>| {
            let is_it = move |open: &Open| matches!(open.what, What::Call { back, at } if back == pc && at == wanted);
            self.open.iter().skip(inside).rposition_of(is_it).map(|place| place + inside)
        };
        let last = self.open.len().checked_sub(1).filter(|last| *last >= inside);
        let is_last = by.at.is_some() && self.open.last().and_then(Open::at) == by.at;
        let Some(place) = last.filter(|_| is_last).or_else(|| with(by.at)).or_else(|| with(None)) else {
            let was_empty = self.open.is_empty();
            match by.at {
                Some(at) => {
                    self.leave_redirections(at, by.step);
                    self.lose(|held| held < at && at - held < STACK_BYTES, |_, _| by.step);
                    self.return_from_root(step, pc, by);
                }
                None => {
                    self.jump_to(pc, by.step);
                    if was_empty {
                        self.return_from_root(step, pc, by);
                    }
                }
            }
            return;
        };
        let is_point = matches!(self.open[place].what, What::Call { back, .. } if back == pc);
        self.suspicion = self.suspicion.filter(|(from, _)| *from > place);
        self.close(place + 1, by.step, Left::Skipped);
        self.close(place, by.step, Left::Return);
        self.suspicion = None;
        if is_point {
            let caller = self.caller(place);
            let points = self.points.entry(pc).or_default();
            points.retain(|(depth, _)| *depth < place);
            points.push((place, caller));
        }
    }

    /// A return out of the outermost known frame, by an address above those of its own calls.
    fn return_from_root(&mut self, step: Step, pc: Address, by: &Pending) {
        let Some(root) = self.root.filter(|_| self.open.is_empty()) else { return };
        match (by.at, root.stack) {
            (Some(at), Some(own)) if at <= own || at >= own + STACK_BYTES => return,
            _ => {}
        }
        self.tell_root(root, Some(by.step), Left::Return);
        let stack = by.at.or(root.stack);
        let (entered, evidence, before) = (Entered::Root, Evidence::Caller, Some(by.step));
        self.root = Some(Root { entered, evidence, before, entry: step, function: pc, stack });
        self.suspicion = None;
    }

    fn gap(&mut self) {
        self.believe();
        let Some((last, root)) = self.last.zip(self.root.take()) else { return };
        self.close(0, last, Left::Gap);
        self.tell_root(root, Some(last), Left::Gap);
        self.gap_after = Some(last);
        (self.pending, self.redirected, self.is_abort, self.is_resuming) = (None, None, false, false);
        self.points.clear();
    }

    fn tell_root(&mut self, root: Root, exit_step: Option<Step>, left: Left) {
        self.calls.push(Call {
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
        });
    }

    fn caller(&self, depth: usize) -> Option<Step> {
        self.open.get(depth.checked_sub(1)?).map(|open| open.call_step)
    }

    fn jump_to(&mut self, pc: Address, step: Step) {
        let mut points = self.points.get(&pc).cloned().unwrap_or_default();
        points.retain(|(depth, caller)| *depth <= self.open.len() && self.caller(*depth) == *caller);
        let Some((depth, _)) = points.last().copied() else { return };
        if depth == self.open.len() {
            return;
        }
        let shows = self.open.last().is_some_and(|open| open.at().is_some());
        if shows && self.inside() <= depth {
            self.suspicion = match self.suspicion {
                Some((from, step)) => Some((from.min(depth), step)),
                None => Some((depth, step)),
            };
        } else {
            self.close(depth, step, Left::Longjmp);
            self.suspicion = None;
        }
    }

    fn believe(&mut self) {
        if let Some((from, step)) = self.suspicion.take() {
            self.close(from, step, Left::Longjmp);
        }
    }

    fn left_at(&self, open: &Open, step: Step) -> Step {
        self.turn.filter(|turn| *turn > open.call_step && *turn < step).unwrap_or(step)
    }

    fn lose(&mut self, is_over: impl Fn(u64) -> bool, exit: impl Fn(&Self, &Open) -> Step) {
        while let Some(open) = self.open.last().filter(|open| open.at().is_some_and(&is_over)) {
            let exit = exit(self, open);
            self.close(self.open.len() - 1, exit, Left::Longjmp);
        }
        self.suspicion = None;
    }

    fn leave_redirections(&mut self, at: u64, step: Step) {
        while let Some(innermost) = self.inside().checked_sub(1) {
            let is_redirection = |place: &usize| matches!(self.open[*place].what, What::Redirection { .. });
            let nested = (0..=innermost).rev().take(NESTED).take_while(is_redirection);
            let place = nested.last().unwrap_or(innermost);
            let around = place.checked_sub(1).and_then(|place| self.open[place].at());
            let What::Redirection { own, .. } = &mut self.open[innermost].what else { return };
            let own = *own.get_or_insert(at);
            match around {
                Some(around) if own < around && around - own < STACK_BYTES && at >= around => {
                    let exit = self.left_at(&self.open[place], step);
                    self.close(place, exit, Left::Longjmp);
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
                (MarkerKind::CONTEXT_SWITCH_START, MarkerKind::CONTEXT_SWITCH_END),
                (MarkerKind::HARDWARE_EVENT, MarkerKind::HARDWARE_RETURN),
            ],
            marker.kind,
        );
        let is_turn = begins.iter().any(|(begin, end)| [*begin, *end].contains(&marker.kind));
        let is_other_window = marker.kind == MarkerKind::WINDOW && marker.value != self.window;
        if marker.kind == MarkerKind::WINDOW {
            self.window = marker.value;
        }
        let is_off = Gap::of(marker).is_some_and(|gap| gap.reason == GapReason::Off);
        if is_other_window || is_off || marker.kind == MarkerKind::FILTER_ENDPOINT {
            self.gap();
        } else if marker.kind == MarkerKind::RSEQ_ABORT {
            self.is_abort = true;
        } else if marker.kind == MarkerKind::KERNEL_EVENT && self.is_abort {
            (self.is_abort, self.pending) = (false, None);
        } else if let Some((_, end)) = begins.iter().find(|(begin, _)| *begin == marker.kind) {
            let before = self.redirected.replace(*end);
            if let Some((ended_by, call_step)) = before.zip(self.last) {
                let what = What::Redirection { ended_by, interrupted: self.pending.take(), own: None };
                self.open.push(Open { call_step, entry: None, what });
            }
        } else if begins.iter().any(|(_, end)| *end == ends) {
            self.resume(ends);
        }
        if is_turn || marker.kind == MarkerKind::RSEQ_ABORT {
            self.turn = self.last;
        }
    }

    fn resume(&mut self, end: MarkerKind) {
        if self.redirected == Some(end) {
            self.redirected = None;
            return;
        }
        let is_it = |open: &Open| matches!(open.what, What::Redirection { ended_by, .. } if ended_by == end);
        let Some(place) = self.open.iter().rposition_of(is_it) else {
            self.is_resuming = self.root.is_some() && !self.open.iter().any(Open::is_redirection);
            return;
        };
        let Some(step) = self.last else { return };
        if let What::Redirection { interrupted, .. } = &self.open[place].what {
            self.pending = interrupted.clone();
        }
        self.redirected = None;
        self.close(place + 1, step, Left::Skipped);
        self.close(place, step, Left::Return);
        self.suspicion = None;
    }

    fn close(&mut self, place: usize, step: Step, left: Left) {
        while self.open.len() > place {
            let number = self.open.len() - 1;
            let Some(open) = self.open.pop() else { return };
            let (exit, left) = match self.suspicion {
                Some((from, jump)) if number >= from => (jump, Left::Longjmp),
                _ => (step, left),
            };
            self.tell(&open, Some(exit), left);
        }
    }

    fn tell(&mut self, open: &Open, exit_step: Option<Step>, left: Left) {
        let Some((entry_step, function)) = open.entry else { return };
        let entered = if open.is_redirection() { Entered::Exception } else { Entered::Call };
        self.calls.push(Call {
            thread: self.thread,
            function,
            call_step: Some(open.call_step),
            entry_step: Some(entry_step),
            exit_step,
            entered,
            left,
            evidence: Evidence::Record,
            depth: 0,
            parent: None,
        });
    }

    fn finished(mut self) -> Vec<Call> {
        self.believe();
        for open in std::mem::take(&mut self.open) {
            self.tell(&open, None, Left::Open);
        }
        if let Some(root) = self.root {
            self.tell_root(root, None, Left::Open);
        }
        self.calls
    }
}

/// The place of the last item of which something is true.
trait LastPlace: Iterator + Sized {
    fn rposition_of(self, is_it: impl Fn(Self::Item) -> bool) -> Option<usize> {
        self.enumerate().filter_map(|(place, item)| is_it(item).then_some(place)).last()
    }
}

impl<T: Iterator> LastPlace for T {}

//! Calls: the heuristic of the index over the events in order, one thread after another.

use std::cmp::Reverse;
use std::collections::HashMap;

use stepback_parsers::{Address, InstructionSet, RegisterId, Step};

use super::Oracle;
use super::branches::{Target, returns, target};
use super::event::{EventKind, Told, Written};
use crate::{Call, CallId, Entered, Evidence, Left, ThreadId};

/// Steps after a write of the link register within which a transfer of control can be a call, and one more.
const AGE_LIMIT: u8 = 8;
/// How far from the address behind a call the link register may point.
const RETURN_DISTANCE: u64 = 64;
const LR_A64: RegisterId = RegisterId(30);

impl Oracle {
    /// All frames, sorted by thread and call, parents before children.
    pub fn calls(&self) -> Vec<Call> {
        let threads = (0..self.thread_names.len()).filter_map(|number| u16::try_from(number).ok());
        let mut all = Vec::new();
        for thread in threads.map(ThreadId) {
            let calls = Walk { oracle: self, thread, ..Walk::new(self) }.calls();
            let base = all.len() as u64;
            all.extend(as_tree(calls, base));
        }
        all
    }
}

/// Fills in depth and parent: the last call before that has not ended when this one is made.
fn as_tree(mut calls: Vec<Call>, base: u64) -> Vec<Call> {
    calls.sort_by_key(|call| {
        let exit = call.exit_step.map_or(u64::MAX, |exit| exit.0);
        (call.call_step.map_or(0, |step| step.0 + 1), Reverse(exit), call.function)
    });
    for number in 0..calls.len() {
        let (before, rest) = calls.split_at_mut(number);
        let Some(call) = rest.first_mut() else { break };
        let is_open = |parent: &Call| parent.exit_step.is_none_or(|exit| Some(exit) > call.call_step);
        if let Some(place) = before.iter().rposition(is_open).filter(|_| call.call_step.is_some()) {
            call.parent = Some(CallId(base + place as u64));
            call.depth = before.get(place).map_or(0, |parent| parent.depth + 1);
        }
    }
    calls
}

/// A call that did not return yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    sp: Option<u64>,
    return_address: u64,
    call_step: Step,
    /// None when the trace ends with the call.
    entry_step: Option<Step>,
    function: Address,
    is_certain: bool,
    /// The step that seems to have jumped out of it, unless it returns after all.
    jumped_out: Option<Step>,
}

/// A walk over the events of a thread.
struct Walk<'a> {
    oracle: &'a Oracle,
    thread: ThreadId,
    calls: Vec<Call>,
    pending: Vec<Pending>,
    last: Option<(Step, &'a Told)>,
    /// Values of registers, as far as they are known.
    values: HashMap<RegisterId, u64>,
    /// The highest stack pointer since the last transfer of control.
    sp_high: Option<u64>,
    /// Steps since a link register was written, or [`AGE_LIMIT`] after a transfer of control.
    lr_age: u8,
    has_many_stacks: bool,
    /// Where calls returned to with which stack pointer, and how many calls were pending then.
    return_points: HashMap<(Option<u64>, u64), usize>,
}

impl<'a> Walk<'a> {
    fn new(oracle: &'a Oracle) -> Self {
        Self {
            oracle,
            thread: ThreadId(0),
            calls: Vec::new(),
            pending: Vec::new(),
            last: None,
            values: HashMap::new(),
            sp_high: None,
            lr_age: 0,
            has_many_stacks: false,
            return_points: HashMap::new(),
        }
    }

    fn calls(mut self) -> Vec<Call> {
        let (oracle, thread) = (self.oracle, self.thread);
        for event in oracle.events.iter().filter(|event| event.thread == thread) {
            match &event.kind {
                EventKind::Step => {
                    if let Some((step, told)) = event.owner.and_then(|step| Some((step, self.oracle.step(step)?))) {
                        self.step(step, told);
                    }
                }
                EventKind::Register(written) if !written.is_bank_copy => self.register(written),
                _ => {}
            }
        }
        self.end();
        self.calls
    }

    fn register(&mut self, written: &Written) {
        let is_low = written.view.offset == 0 && written.view.size_bytes >= 4;
        let number =
            |bytes: &Vec<u8>| bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let value = written.bytes.as_ref().filter(|_| is_low).map(number);
        let register = written.view.register;
        match value {
            Some(value) => _ = self.values.insert(register, value),
            None => _ = self.values.remove(&register),
        }
        if register == RegisterId::SP {
            self.sp_high = self.sp_high.max(value);
        }
        if register == RegisterId::LR || register == LR_A64 {
            self.lr_age = 0;
        }
    }

    fn sp(&self) -> Option<u64> {
        self.values.get(&RegisterId::SP).copied()
    }

    fn link(&self, set: InstructionSet) -> Option<u64> {
        self.values.get(if set == InstructionSet::A64 { &LR_A64 } else { &RegisterId::LR }).copied()
    }

    fn step(&mut self, step: Step, told: &'a Told) {
        self.lr_age = (self.lr_age + 1).min(AGE_LIMIT);
        match self.last {
            None => {
                self.sp_high = None;
                self.calls.push(self.root(step, told));
            }
            Some((last_step, last)) if (next_pc(last) ^ told.pc.0) & !1 != 0 => {
                self.transfer((last_step, last), (step, told));
                self.lr_age = AGE_LIMIT;
            }
            Some(_) => {}
        }
        self.last = Some((step, told));
    }

    fn transfer(&mut self, (last_step, last): (Step, &Told), (step, told): (Step, &Told)) {
        let lost = self.lose_below();
        let is_returned = self.return_to(Some(with_thumb_bit(told.pc.0, told.instruction_set)), last_step);
        let left = if is_returned { Left::Skipped } else { Left::Longjmp };
        lost.iter().for_each(|pending| self.close(pending, Some(last_step), left));
        if is_returned {
            return;
        }
        self.suspect(with_thumb_bit(told.pc.0, told.instruction_set), &lost, last_step);
        let expected = with_thumb_bit(next_pc(last), last.instruction_set);
        let is_near = |link: &u64| link.abs_diff(expected) < RETURN_DISTANCE;
        let link = self.link(told.instruction_set);
        if let Some(link) = link.filter(is_near).filter(|_| self.lr_age < AGE_LIMIT) {
            let is_certain = link == expected && self.lr_age == 1;
            let (sp, function, entry_step) = (self.sp(), told.pc, Some(step));
            self.call(Pending {
                sp,
                return_address: link,
                call_step: last_step,
                entry_step,
                function,
                is_certain,
                jumped_out: None,
            });
        }
    }

    fn call(&mut self, call: Pending) {
        let is_same = |pending: &Pending| (pending.sp, pending.return_address) == (call.sp, call.return_address);
        if let Some(place) = self.pending.iter().rposition(is_same) {
            if !call.is_certain {
                return;
            }
            let over = self.pending.split_off(place);
            over.iter().for_each(|pending| self.close(pending, Some(call.call_step), Left::Longjmp));
        }
        self.has_many_stacks |= self.pending.last().is_some_and(|top| both_known_and_above(call.sp, top.sp));
        self.pending.push(call);
    }

    /// A jump that left calls, or that goes where a call returned to before, ends at the frame that has the stack pointer
    /// of now: what it called is over.
    fn suspect(&mut self, target: u64, lost: &[Pending], jump: Step) {
        let sp = self.sp();
        let first = match self.return_points.get(&(sp, target)) {
            _ if lost.iter().any(|pending| pending.is_certain) => 0,
            Some(first) => *first,
            None => return,
        };
        for place in (first..self.pending.len()).rev() {
            match self.pending.get_mut(place) {
                Some(pending) if pending.sp == sp && pending.jumped_out.is_none() => pending.jumped_out = Some(jump),
                _ => break,
            }
        }
    }

    /// Takes away the pending calls above which the stack pointer rose: the innermost, with several stacks any.
    fn lose_below(&mut self) -> Vec<Pending> {
        let high = self.sp_high.take();
        let is_lost = |pending: &Pending| pending.sp.is_some() && pending.sp < high;
        let mut lost = Vec::new();
        for place in (0..self.pending.len()).rev() {
            match self.pending.get(place) {
                Some(pending) if is_lost(pending) => lost.push(self.pending.remove(place)),
                _ if self.has_many_stacks => {}
                _ => break,
            }
        }
        self.has_many_stacks &= !self.pending.is_empty();
        lost
    }

    /// Closes the innermost pending call that returns to a target (none: anywhere) with the stack pointer of now,
    /// or else with none known, and the calls that it made.
    fn return_to(&mut self, target: Option<u64>, exit: Step) -> bool {
        let place_with = |sp: Option<u64>| {
            let is_meant =
                |pending: &Pending| pending.sp == sp && target.is_none_or(|target| pending.return_address == target);
            self.pending.iter().rposition(is_meant)
        };
        let Some(place) = place_with(self.sp()).or_else(|| place_with(None)) else { return false };
        let mut above = self.pending.split_off(place);
        let call = above.remove(0);
        self.return_points.insert((call.sp, call.return_address), place);
        self.close(&call, Some(exit), Left::Return);
        for pending in above {
            if self.has_many_stacks && both_known_and_above(pending.sp, call.sp) {
                self.pending.push(pending);
            } else {
                self.close(&pending, Some(exit), Left::Skipped);
            }
        }
        true
    }

    fn end(&mut self) {
        let Some((step, last)) = self.last.filter(|(_, last)| last.is_executed) else { return self.leave_open() };
        if returns(last) {
            let lost = self.lose_below();
            let link = self.link(last.instruction_set);
            if link.is_none() || !self.return_to(link, step) {
                self.return_to(None, step);
            }
            lost.iter().for_each(|pending| self.close(pending, Some(step), Left::Skipped));
        }
        self.leave_open();
        let return_address = with_thumb_bit(next_pc(last), last.instruction_set);
        let function = match target(last) {
            Some(Target::Address(address)) => Some(address),
            Some(Target::Register(register)) if last.instruction_set == InstructionSet::A64 => {
                self.values.get(&register).copied()
            }
            Some(Target::Register(register)) => self.values.get(&register).map(|address| address & !1),
            None => None,
        };
        let is_done = self.lr_age == 0 && self.link(last.instruction_set) == Some(return_address);
        if let Some(function) = function.map(Address).filter(|_| is_done) {
            let (sp, call_step, entry_step) = (self.sp(), step, None);
            let call =
                Pending { sp, return_address, call_step, entry_step, function, is_certain: true, jumped_out: None };
            self.close(&call, None, Left::Open);
        }
    }

    fn leave_open(&mut self) {
        let open = std::mem::take(&mut self.pending);
        open.iter().for_each(|pending| self.close(pending, None, Left::Open));
    }

    /// Keeps a call that is over, if it was one for certain.
    fn close(&mut self, pending: &Pending, exit_step: Option<Step>, left: Left) {
        let (exit_step, left) = match pending.jumped_out {
            Some(jump) if left != Left::Return => (Some(jump), Left::Longjmp),
            _ => (exit_step, left),
        };
        let call = Call {
            thread: self.thread,
            function: pending.function,
            call_step: Some(pending.call_step),
            entry_step: pending.entry_step,
            exit_step,
            entered: Entered::Call,
            left,
            evidence: if pending.is_certain { Evidence::Link } else { Evidence::Return },
            depth: 0,
            parent: None,
        };
        self.calls.extend((pending.is_certain || left == Left::Return).then_some(call));
    }

    fn root(&self, step: Step, told: &Told) -> Call {
        Call {
            thread: self.thread,
            function: told.pc,
            call_step: None,
            entry_step: Some(step),
            exit_step: None,
            entered: Entered::Root,
            left: Left::Open,
            evidence: Evidence::Start,
            depth: 0,
            parent: None,
        }
    }
}

/// The address behind a step.
fn next_pc(step: &Told) -> u64 {
    step.pc.0.wrapping_add(u64::from(step.length_bytes))
}

fn with_thumb_bit(address: u64, set: InstructionSet) -> u64 {
    address | u64::from(set == InstructionSet::T32)
}

fn both_known_and_above(one: Option<u64>, other: Option<u64>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one > other)
}

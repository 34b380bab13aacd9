//! Calls: the heuristic of the index over the events in order, one thread after another.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use stepback_parsers::{Address, InstructionSet, RegisterId, Step, TextKind};

use super::Oracle;
use super::branches::{Kind, Target, branch_target, kind, target};
use super::event::{Event, EventKind, Told, Written};
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

/// A frame that is not over yet.
#[derive(Clone, Copy, Debug)]
struct Pending<'a> {
    /// What a return from a call must match. For an exception: the stack pointer that it interrupted.
    sp: Option<u64>,
    return_address: u64,
    call_step: Step,
    entry_step: Step,
    function: Address,
    what: What<'a>,
    /// The step that seems to have jumped out of it, unless it returns after all.
    jumped_out: Option<Step>,
}

/// What a frame is.
#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Maybe,
    Call,
    Exception(Evidence, &'a Told),
}

impl Pending<'_> {
    fn is_exception(&self) -> bool {
        matches!(self.what, What::Exception(..))
    }

    fn returns_to(&self, sp: Option<u64>, target: u64) -> bool {
        !self.is_exception() && (self.sp, self.return_address) == (sp, target)
    }

    /// Whether what was interrupted goes on at an address.
    fn resumes_at(&self, pc: u64) -> bool {
        let What::Exception(_, told) = self.what else { return false };
        let places = [Some(told.pc.0), Some(next_pc(told)), branch_target(told)];
        places.into_iter().flatten().any(|place| (place ^ pc) & !1 == 0)
    }
}

/// A transfer of control.
#[derive(Clone, Copy, Debug)]
struct Jump<'a> {
    last_step: Step,
    last: &'a Told,
    step: Step,
    told: &'a Told,
    has_words: bool,
}

impl Jump<'_> {
    fn kind(&self) -> Kind {
        if self.last.is_executed { kind(self.last) } else { Kind::Other }
    }

    fn target(&self) -> u64 {
        with_thumb_bit(self.told.pc.0, self.told.instruction_set)
    }

    /// What the trace can mean by words about an exception alone.
    fn goes_on(&self) -> bool {
        let call = match target(self.last) {
            Some(Target::Address(address)) => Some(address),
            _ => None,
        };
        branch_target(self.last).or(call).is_some_and(|target| (target ^ self.told.pc.0) & !1 == 0)
    }
}

/// A walk over the events of a thread.
struct Walk<'a> {
    oracle: &'a Oracle,
    thread: ThreadId,
    calls: Vec<Call>,
    pending: Vec<Pending<'a>>,
    last: Option<(Step, &'a Told)>,
    /// Values of registers, as far as they are known.
    values: HashMap<RegisterId, u64>,
    /// The stack pointer that is in use again since an exception ended, until it is written.
    sp_again: Option<Option<u64>>,
    /// The highest stack pointer since the last transfer of control.
    sp_high: Option<u64>,
    /// Steps since a link register was written, or [`AGE_LIMIT`] after a transfer of control.
    lr_age: u8,
    /// The steps behind which the trace tells of an exception: anywhere (true), or before any other step (false).
    words: HashSet<(Step, bool)>,
    /// Where calls returned to with which stack pointer, and how many frames were pending then.
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
            sp_again: None,
            sp_high: None,
            lr_age: 0,
            words: oracle.events.iter().filter_map(exception_words).flatten().collect(),
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
            self.sp_again = None;
        }
        if register == RegisterId::LR || register == LR_A64 {
            self.lr_age = 0;
        }
    }

    fn sp(&self) -> Option<u64> {
        self.sp_again.unwrap_or_else(|| self.values.get(&RegisterId::SP).copied())
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
                let has_words = self.words.contains(&(last_step, true)) || self.words.contains(&(step, false));
                self.transfer(Jump { last_step, last, step, told, has_words });
                self.lr_age = AGE_LIMIT;
            }
            Some(_) => {}
        }
        self.last = Some((step, told));
    }

    fn transfer(&mut self, jump: Jump<'a>) {
        let high = self.sp_high.take();
        if let Some(place) = self.exception_left_by(&jump) {
            return self.leave_exception(place, jump);
        }
        if let Some(evidence) = self.exception(&jump) {
            let exception = self.pending(jump, What::Exception(evidence, jump.last));
            return self.pending.push(Pending { sp: self.sp(), ..exception });
        }
        let lost = self.lose_below(high);
        let is_returned = self.return_to(self.sp(), Some(jump.target()), jump.last_step);
        let left = if is_returned { Left::Skipped } else { Left::Longjmp };
        lost.iter().for_each(|pending| self.close(pending, Some(jump.last_step), left));
        if is_returned {
            return;
        }
        self.suspect(jump.target(), &lost, jump.last_step);
        let expected = with_thumb_bit(next_pc(jump.last), jump.last.instruction_set);
        let is_near = |link: &u64| link.abs_diff(expected) < RETURN_DISTANCE;
        let link = self.link(jump.told.instruction_set);
        if let Some(return_address) = link.filter(is_near).filter(|_| self.lr_age < AGE_LIMIT) {
            let is_certain = return_address == expected && self.lr_age == 1;
            let what = if is_certain { What::Call } else { What::Maybe };
            self.call(Pending { sp: self.sp(), return_address, ..self.pending(jump, what) });
        }
    }

    fn pending(&self, jump: Jump<'_>, what: What<'a>) -> Pending<'a> {
        let Jump { last_step: call_step, step: entry_step, told, .. } = jump;
        Pending { sp: None, return_address: 0, call_step, entry_step, function: told.pc, what, jumped_out: None }
    }

    /// How it shows that an exception was taken, if it was.
    fn exception(&self, jump: &Jump<'_>) -> Option<Evidence> {
        let is_taken = match jump.kind() {
            Kind::Trap => true,
            Kind::Other => jump.has_words || jump.last.opcode != 0 && self.is_handler(jump),
            _ if self.place_of(self.sp(), jump.target()).is_some() => false,
            _ => {
                let is_told = jump.has_words && self.is_handler(jump) && !jump.goes_on();
                is_told || self.has_exception_return(jump) && self.lr_age == 1
            }
        };
        is_taken.then_some(if jump.has_words { Evidence::Words } else { Evidence::Jump })
    }

    fn is_handler(&self, jump: &Jump<'_>) -> bool {
        let (set, pc) = (jump.told.instruction_set, jump.told.pc.0);
        let is_near = |link: u64| link.abs_diff(next_pc(jump.last)) <= 8;
        let is_linked = self.lr_age == 1 && self.link(set).is_some_and(is_near);
        if set == InstructionSet::A64 {
            return is_linked || pc & 0x7f == 0;
        }
        if self.has_exception_return(jump) {
            return self.lr_age == 1;
        }
        is_linked || (set == InstructionSet::A32 && pc & 0x1f != 0 && kind(jump.told) == Kind::Branch)
    }

    /// Whether the link register holds what makes the M profile return from an exception.
    fn has_exception_return(&self, jump: &Jump<'_>) -> bool {
        let set = jump.told.instruction_set;
        set == InstructionSet::T32 && self.link(set).is_some_and(|link| link & 0xffff_ff80 == 0xffff_ff80)
    }

    fn exception_left_by(&self, jump: &Jump<'_>) -> Option<usize> {
        let pc = jump.told.pc.0;
        let innermost = self.pending.iter().rposition(Pending::is_exception)?;
        let is_return = match jump.kind() {
            Kind::ExceptionReturn => true,
            Kind::Return | Kind::Branch => self.has_exception_return(jump) && branch_target(jump.last).is_none(),
            _ => false,
        };
        if is_return {
            return self.pending.iter().rposition(|pending| pending.resumes_at(pc)).or(Some(innermost));
        }
        let is_other = jump.kind() == Kind::Call || self.place_of(self.sp(), jump.target()).is_some();
        Some(innermost).filter(|place| !is_other && self.pending.get(*place).is_some_and(|top| top.resumes_at(pc)))
    }

    fn leave_exception(&mut self, place: usize, jump: Jump<'a>) {
        let mut inside = self.pending.split_off(place);
        let exception = inside.remove(0);
        inside.iter().for_each(|pending| self.close(pending, Some(jump.last_step), Left::Skipped));
        self.close(&exception, Some(jump.last_step), Left::Return);
        // What the returning step itself wrote is what counts.
        let is_written = self.oracle.events.iter().any(|event| match &event.kind {
            EventKind::Register(written) => {
                let is_sp = written.view.register == RegisterId::SP && !written.is_bank_copy;
                is_sp && event.thread == self.thread && event.owner == Some(jump.last_step)
            }
            _ => false,
        });
        if !is_written {
            self.sp_again = Some(exception.sp);
        }
        let What::Exception(_, interrupted) = exception.what else { return };
        let is_at = |place: u64| (place ^ jump.told.pc.0) & !1 == 0;
        if is_at(interrupted.pc.0) || is_at(next_pc(interrupted)) {
            return;
        }
        let return_address = with_thumb_bit(next_pc(interrupted), interrupted.instruction_set);
        if kind(interrupted) == Kind::Call && self.link(jump.told.instruction_set) == Some(return_address) {
            let call = self.pending(jump, What::Call);
            self.call(Pending { sp: exception.sp, return_address, call_step: exception.call_step, ..call });
        } else {
            self.return_to(exception.sp, Some(jump.target()), exception.call_step);
        }
    }

    /// Where the frames inside the innermost exception begin.
    fn inside(&self) -> usize {
        self.pending.iter().rposition(Pending::is_exception).map_or(0, |place| place + 1)
    }

    fn call(&mut self, call: Pending<'a>) {
        let (inside, key) = (self.inside(), (call.sp, call.return_address));
        let found = self.pending.iter().rposition(|pending| pending.returns_to(key.0, key.1));
        if let Some(place) = found.filter(|place| *place >= inside) {
            if matches!(call.what, What::Maybe) {
                return;
            }
            let over = self.pending.split_off(place);
            over.iter().for_each(|pending| self.close(pending, Some(call.call_step), Left::Longjmp));
        }
        self.pending.push(call);
    }

    /// A jump that left calls, or that goes where a call returned to before, ends at the frame that has the stack pointer
    /// of now: what it called is over.
    fn suspect(&mut self, target: u64, lost: &[Pending<'_>], jump: Step) {
        let sp = self.sp();
        let first = match self.return_points.get(&(sp, target)) {
            _ if lost.iter().any(|pending| matches!(pending.what, What::Call)) => 0,
            Some(first) => *first,
            None => return,
        };
        for place in (first.max(self.inside())..self.pending.len()).rev() {
            match self.pending.get_mut(place) {
                Some(pending) if pending.sp == sp && pending.jumped_out.is_none() => pending.jumped_out = Some(jump),
                _ => break,
            }
        }
    }

    /// Takes away the innermost calls above which the stack pointer rose.
    fn lose_below(&mut self, high: Option<u64>) -> Vec<Pending<'a>> {
        let is_lost = |pending: &mut Pending<'_>| !pending.is_exception() && pending.sp.is_some() && pending.sp < high;
        std::iter::from_fn(|| self.pending.pop_if(is_lost)).collect()
    }

    /// The innermost call that returns to a target with a stack pointer, or else with none known.
    fn place_of(&self, sp: Option<u64>, target: u64) -> Option<usize> {
        let find = |sp| self.pending.iter().rposition(|pending| pending.returns_to(sp, target));
        find(sp).or_else(|| find(None))
    }

    /// Closes the innermost pending call that returns to a target (none: anywhere) with a stack pointer,
    /// or else with none known, and the calls that it made.
    fn return_to(&mut self, sp: Option<u64>, target: Option<u64>, exit: Step) -> bool {
        let with = |sp| self.pending.iter().rposition(|pending| !pending.is_exception() && pending.sp == sp);
        let place = match target {
            Some(target) => self.place_of(sp, target),
            None => with(sp).or_else(|| with(None)),
        };
        let Some(place) = place else { return false };
        let mut above = self.pending.split_off(place);
        let call = above.remove(0);
        self.return_points.insert((call.sp, call.return_address), place);
        self.close(&call, Some(exit), Left::Return);
        above.iter().for_each(|pending| self.close(pending, Some(exit), Left::Skipped));
        true
    }

    fn end(&mut self) {
        let Some((step, last)) = self.last.filter(|(_, last)| last.is_executed) else { return self.leave_open() };
        match kind(last) {
            Kind::Return => {
                let high = self.sp_high.take();
                let lost = self.lose_below(high);
                let link = self.link(last.instruction_set);
                if link.is_none() || !self.return_to(self.sp(), link, step) {
                    self.return_to(self.sp(), None, step);
                }
                lost.iter().for_each(|pending| self.close(pending, Some(step), Left::Skipped));
            }
            Kind::ExceptionReturn => {
                let resumed = self.pending.iter().rposition(|pending| pending.resumes_at(next_pc(last)));
                let innermost = || self.pending.iter().rposition(Pending::is_exception);
                if let Some(place) = resumed.or_else(innermost) {
                    let mut inside = self.pending.split_off(place);
                    let exception = inside.remove(0);
                    self.close(&exception, Some(step), Left::Return);
                    inside.iter().for_each(|pending| self.close(pending, Some(step), Left::Skipped));
                }
            }
            _ => {}
        }
        self.leave_open();
        let return_address = with_thumb_bit(next_pc(last), last.instruction_set);
        let function = match target(last) {
            Some(Target::Address(address)) => Some(address),
            Some(Target::Register(register)) if last.instruction_set == InstructionSet::A64 => self.value(register),
            Some(Target::Register(register)) => self.value(register).map(|address| address & !1),
            None => None,
        };
        let is_done = self.lr_age == 0 && self.link(last.instruction_set) == Some(return_address);
        if let Some(function) = function.map(Address).filter(|_| is_done) {
            let call = Call {
                thread: self.thread,
                function,
                call_step: Some(step),
                entry_step: None,
                exit_step: None,
                entered: Entered::Call,
                left: Left::Open,
                evidence: Evidence::Link,
                depth: 0,
                parent: None,
            };
            self.calls.push(call);
        }
    }

    fn value(&self, register: RegisterId) -> Option<u64> {
        if register == RegisterId::SP { self.sp() } else { self.values.get(&register).copied() }
    }

    fn leave_open(&mut self) {
        let open = std::mem::take(&mut self.pending);
        open.iter().for_each(|pending| self.close(pending, None, Left::Open));
    }

    /// Keeps a frame that is over, if it was one for certain.
    fn close(&mut self, pending: &Pending<'_>, exit_step: Option<Step>, left: Left) {
        let (exit_step, left) = match pending.jumped_out {
            Some(jump) if left != Left::Return => (Some(jump), Left::Longjmp),
            _ => (exit_step, left),
        };
        let (entered, evidence) = match pending.what {
            What::Maybe if left != Left::Return => return,
            What::Maybe => (Entered::Call, Evidence::Return),
            What::Call => (Entered::Call, Evidence::Link),
            What::Exception(evidence, _) => (Entered::Exception, evidence),
        };
        self.calls.push(Call {
            thread: self.thread,
            function: pending.function,
            call_step: Some(pending.call_step),
            entry_step: Some(pending.entry_step),
            exit_step,
            entered,
            left,
            evidence,
            depth: 0,
            parent: None,
        });
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

/// The step that words about an exception belong to, if an event is such.
fn exception_words(event: &Event) -> Option<Vec<(Step, bool)>> {
    let EventKind::Text { kind: TextKind::Exception, text } = &event.kind else { return None };
    let text = text.to_ascii_lowercase();
    let others = ["mode", "halt", "debug", "semihost", "return", "eret", "reset"];
    let owner = event.owner.filter(|_| !others.iter().any(|other| text.contains(other)))?;
    let is_at_once = event.slot == owner.0 + 1;
    Some([(owner, true)].into_iter().chain(is_at_once.then_some((owner, false))).collect())
}

/// The address behind a step.
fn next_pc(step: &Told) -> u64 {
    step.pc.0.wrapping_add(u64::from(step.length_bytes))
}

fn with_thumb_bit(address: u64, set: InstructionSet) -> u64 {
    address | u64::from(set == InstructionSet::T32)
}

//! The heuristic that finds calls and returns without decoding.
//!
//! After a transfer of control to `a`: if a call is pending with the same stack pointer and `a` as its return address, it returned.
//! Otherwise, if the link register was written at most 7 steps ago with an address close behind the step before, a call is pending.
//! A stack pointer that rises above that of a pending call shows that the call is over.
//! An exception is a frame too (`exceptions.rs` says how it shows), and has a stack of its own:
//! inside it no call outside is over, and when it ends the stack pointer is again what it was.
//! A thread may use several stacks in turn (`stacks.rs` says how that shows): the frames of each are found by themselves.
//! This is the heuristic of the Tarmac tools, except that
//! a call made before the stack pointer was ever seen is matched by its return address alone,
//! a later call with the same stack pointer and return address replaces one that never returned,
//! a jump out of several frames, or to a place that was returned to before with the same stack pointer,
//! ends the calls made with that stack pointer too (their caller is where it goes), unless they return after all,
//! a return that is a thread's last step is decoded,
//! and calls for certain (the step itself wrote the address behind it into the link register) that never return are kept.

use std::path::Path;

use serde::{Deserialize, Serialize};
use stepback_machine::{Flow, InstructionSet, flow};

use crate::answers::call::{Entered, Evidence, Left};
use crate::builder::calls::branches::call_target;
use crate::builder::calls::exceptions::{exception, has_exception_return, is_exception_return};
use crate::builder::calls::pending::{Pending, PendingKind, ReturnKey};
use crate::builder::calls::recorded::RecordedThread;
use crate::builder::calls::spool::FrameSpool;
use crate::builder::calls::stacks::{Stacks, Turn};
use crate::builder::segment::builder::SealedSegment;
use crate::builder::segment::transfers::{AGE_LIMIT, CORE, LastStep, SP, SpSet, ThreadEnd, Transfer, link_register};
use crate::store::calls::frame::Frame;
use crate::store::calls::layout::StackSwitch;

/// Finds the calls of all threads, segment by segment.
#[derive(Clone, Debug, Default)]
pub struct CallFinder {
    threads: Vec<ThreadFinder>,
    /// Those whose records say what branches are; by the same numbers.
    recorded: Vec<RecordedThread>,
    found: FoundSoFar,
}

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct FoundSoFar {
    /// Frames.
    pub frames: FrameSpool,
    /// Where threads turn to other stacks.
    pub switches: Vec<StackSwitch>,
    /// How many of the switches were there when a mark was set.
    marked: usize,
}

impl FoundSoFar {
    /// What was found before.
    pub fn new(found: impl IntoIterator<Item = Frame>, switches: Vec<StackSwitch>, folder: &Path) -> Self {
        let mut frames = FrameSpool::default();
        frames.use_folder(folder);
        frames.extend(found);
        Self { frames, marked: switches.len(), switches }
    }

    /// What was found after a mark was set.
    pub fn since_mark(&self) -> Found {
        Found {
            frames: self.frames.since_mark().to_vec(),
            switches: self.switches.get(self.marked..).unwrap_or_default().to_vec(),
        }
    }
}

/// What was found in a part of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Frames, in the order of their ends.
    pub frames: Vec<Frame>,
    /// Where threads turn to other stacks.
    pub switches: Vec<StackSwitch>,
}

/// What is known of the threads at the end of the segments so far, but for what was found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FinderState {
    threads: Vec<ThreadFinder>,
    recorded: Vec<RecordedThread>,
}

impl FinderState {
    /// Whether it can be gone on with: what was read from a file may say anything.
    pub fn is_consistent(&self) -> bool {
        self.threads.iter().all(|thread| thread.lr_age <= AGE_LIMIT && thread.stacks.is_consistent())
    }
}

impl CallFinder {
    /// Takes the next segment, and the index's number of each of its threads.
    pub fn follow(&mut self, step_base: u64, threads: &[u16], segment: &SealedSegment) {
        let SealedSegment { transfers, thread_ends: ends, .. } = segment;
        self.follow_turns(step_base, threads, segment);
        for transfer in transfers {
            if let Some(number) = threads.get(usize::from(transfer.thread)) {
                let (thread, found) = self.thread(*number);
                thread.transfer(step_base, transfer, found);
            }
        }
        for (number, end) in threads.iter().zip(ends) {
            self.thread(*number).0.end_segment(step_base, end);
        }
    }

    fn follow_turns(&mut self, step_base: u64, threads: &[u16], segment: &SealedSegment) {
        let step = |slot: u32| (slot > 0).then(|| step_of(step_base, slot));
        for turn in &segment.turns {
            if let Some(number) = threads.get(usize::from(turn.thread)) {
                let thread = recorded_thread(&mut self.recorded, *number);
                thread.turn(step(turn.slot), turn, &mut self.found);
            }
        }
        for (number, last) in threads.iter().zip(&segment.last_slots) {
            if let Some(last) = step(*last) {
                recorded_thread(&mut self.recorded, *number).end_segment(last);
            }
        }
    }

    /// What a thread's `r0` was at the end of the segments so far; none when unknown.
    pub fn first_register(&self, number: u16) -> Option<u64> {
        self.threads.get(usize::from(number))?.core.first().copied().flatten()
    }

    fn thread(&mut self, number: u16) -> (&mut ThreadFinder, &mut FoundSoFar) {
        while self.threads.len() <= usize::from(number) {
            self.threads.push(ThreadFinder::new(self.threads.len() as u16));
        }
        (&mut self.threads[usize::from(number)], &mut self.found)
    }

    /// A finder that goes on where another was.
    pub fn resume(state: FinderState, found: FoundSoFar) -> Self {
        Self { threads: state.threads, recorded: state.recorded, found }
    }

    /// What it takes to go on from here, besides what was found.
    pub fn state(&self) -> FinderState {
        FinderState { threads: self.threads.clone(), recorded: self.recorded.clone() }
    }

    /// From now on frames that wait for the end of the trace do so in a file in this folder.
    pub fn use_folder(&mut self, folder: &Path) {
        self.found.frames.use_folder(folder);
    }

    /// Notes what is found from here on.
    pub fn mark(&mut self) {
        self.found.frames.mark();
        self.found.marked = self.found.switches.len();
    }

    /// The frames of the whole trace, and where threads turn to other stacks.
    pub fn finish(mut self) -> FoundSoFar {
        for thread in &mut self.threads {
            thread.end_trace(&mut self.found);
        }
        for thread in &mut self.recorded {
            thread.end_trace(&mut self.found);
        }
        self.found
    }
}

fn recorded_thread(threads: &mut Vec<RecordedThread>, number: u16) -> &mut RecordedThread {
    while threads.len() <= usize::from(number) {
        threads.push(RecordedThread::new(threads.len() as u16));
    }
    &mut threads[usize::from(number)]
}

/// A transfer of control with all that is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// The step before.
    pub last_step: u64,
    /// What it was.
    pub last: LastStep,
    /// What it did, as its encoding says.
    pub flow: Flow,
    /// The step that control went to.
    pub step: u64,
    /// Its address.
    pub pc: u64,
    /// Its encoding.
    pub opcode: u32,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// Stack pointer when it began.
    pub sp: Option<u64>,
    /// The step that wrote it last.
    pub sp_step: Option<u64>,
    /// True when it was given an unrelated value since the transfer before.
    pub is_sp_set: bool,
    /// Link register when it began.
    pub lr: Option<u64>,
    /// Steps since the link register was written, up to [`AGE_LIMIT`].
    pub age: u8,
    /// True when the trace tells of an exception here.
    pub has_words: bool,
}

impl Jump {
    /// The address that control went to, with the Thumb bit.
    fn target(&self) -> u64 {
        self.pc | u64::from(self.instruction_set == InstructionSet::T32)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ThreadFinder {
    number: u16,
    last: Option<(u64, LastStep)>,
    #[serde(with = "core_registers")]
    core: [Option<u64>; CORE],
    /// The step that wrote the stack pointer last.
    sp_step: Option<u64>,
    /// The stack pointer that is in use again since a step that returned from an exception, until it is written.
    sp_again: Option<(u64, Option<u64>)>,
    sp_high: Option<u64>,
    is_sp_set: bool,
    lr_age: u8,
    has_words: bool,
    root: Option<(u64, u64)>,
    stacks: Stacks,
}

/// Arrays of more than 32 values are written as lists.
mod core_registers {
    use serde::de::{Deserialize, Deserializer, Error as _};
    use serde::ser::{Serialize as _, Serializer};

    use crate::builder::segment::transfers::CORE;

    pub fn serialize<S: Serializer>(core: &[Option<u64>; CORE], serializer: S) -> Result<S::Ok, S::Error> {
        core.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[Option<u64>; CORE], D::Error> {
        let core = Vec::<Option<u64>>::deserialize(deserializer)?;
        core.try_into().map_err(|core: Vec<_>| D::Error::invalid_length(core.len(), &"as many as there are registers"))
    }
}

/// How far from the address behind a call the link register may point: a delay slot, a literal, a long call sequence.
const RETURN_DISTANCE: u64 = 64;

/// The step of a slot, which is at least 1.
fn step_of(base: u64, slot: u32) -> u64 {
    (base + u64::from(slot)).saturating_sub(1)
}

impl ThreadFinder {
    fn new(number: u16) -> Self {
        Self {
            number,
            last: None,
            core: [None; CORE],
            sp_step: None,
            sp_again: None,
            sp_high: None,
            is_sp_set: false,
            lr_age: 0,
            has_words: false,
            root: None,
            stacks: Stacks::default(),
        }
    }

    fn transfer(&mut self, base: u64, transfer: &Transfer, found: &mut FoundSoFar) {
        let step = step_of(base, transfer.slot);
        let age = transfer.lr_age + if transfer.is_age_carried { self.lr_age } else { 0 };
        let mut has_words = transfer.has_words;
        if transfer.is_first {
            self.lr_age = age.min(AGE_LIMIT);
            has_words |= std::mem::take(&mut self.has_words);
        }
        let before = transfer.before.map(|last| (step_of(base, last.slot), last));
        let Some((last_step, last)) = before.or(self.last) else {
            self.root = Some((step, transfer.pc));
            return;
        };
        self.sp_high = self.sp_high.max(transfer.sp_high);
        self.note_set(transfer.sp_set);
        if transfer.is_first && (last.next_pc() ^ transfer.pc) & !1 == 0 {
            return;
        }
        if transfer.is_first {
            self.lr_age = AGE_LIMIT;
        }
        let sp_step = self.sp_step_of(base, transfer.sp_slot);
        let jump = Jump {
            last_step,
            last,
            flow: if last.is_executed { flow(last.opcode, last.instruction_set) } else { Flow::Next },
            step,
            pc: transfer.pc,
            opcode: transfer.opcode,
            instruction_set: transfer.instruction_set,
            sp: self.sp_in_use(transfer.sp.resolve(self.core[SP]), sp_step),
            sp_step,
            is_sp_set: std::mem::take(&mut self.is_sp_set),
            lr: transfer.lr.resolve(self.core[link_register(transfer.instruction_set)]),
            age,
            has_words,
        };
        self.jump(&jump, found);
        let sp = self.sp_in_use(jump.sp, sp_step);
        self.stacks.pending().note_sp(sp, sp_step);
    }

    fn note_set(&mut self, set: SpSet) {
        let by_last = || self.last.is_some_and(|(_, last)| !last.is_sp_relative());
        self.is_sp_set |= set.is_set || set.is_early && by_last();
    }

    /// The step that wrote the stack pointer last, given the slot that a segment has noted.
    fn sp_step_of(&self, base: u64, slot: Option<u32>) -> Option<u64> {
        match slot {
            None => self.sp_step,
            // Behind the last step of an earlier segment.
            Some(0) => self.last.map(|(step, _)| step),
            Some(slot) => Some(step_of(base, slot)),
        }
    }

    /// The stack pointer, which an exception's end gives back unless it was written since.
    fn sp_in_use(&self, sp: Option<u64>, written: Option<u64>) -> Option<u64> {
        match self.sp_again {
            Some((since, again)) if written.is_none_or(|written| written < since) => again,
            _ => sp,
        }
    }

    fn jump(&mut self, jump: &Jump, found: &mut FoundSoFar) {
        let key = (jump.sp, jump.target());
        let risen = self.sp_high.take();
        if let Some(place) = self.exception_left_by(jump) {
            self.leave_exception(place, jump, found);
            return;
        }
        let is_jump = !matches!(jump.flow, Flow::Next | Flow::Trap);
        let evidence = exception(jump);
        if let Some(evidence) = evidence.filter(|_| !is_jump || self.stacks.pending().returning_to(key).is_none()) {
            let is_linked = has_exception_return(jump);
            let kind = PendingKind::Exception { evidence, interrupted: jump.last, is_linked };
            self.stacks.pending().push(Pending { key, ..pending(jump, kind) });
            return;
        }
        if let Some(turn) = self.stacks.turned_by_set(jump, key) {
            self.turn(turn, jump, found);
            self.close_returned(key, jump.last_step, found);
            return;
        }
        let is_elsewhere = jump.is_sp_set && self.stacks.pending().range().is_far_below(jump.sp);
        let lost = self.stacks.pending().lose_below(risen.filter(|_| !is_elsewhere));
        let returned = self.close_returned(key, jump.last_step, found);
        let left = if returned { Left::Skipped } else { Left::Longjmp };
        self.close(&lost, jump.last_step, left, found);
        if returned {
            return;
        }
        self.stacks.pending().suspect_jump(key, &lost, jump.last_step);
        let expected = jump.last.return_address();
        if let Some(lr) = jump.lr
            && jump.age < AGE_LIMIT
            && lr.abs_diff(expected) < RETURN_DISTANCE
        {
            let kind = if lr == expected && jump.age == 1 { PendingKind::Call } else { PendingKind::Maybe };
            self.call(Pending { key: (jump.sp, lr), ..pending(jump, kind) }, found);
        }
    }

    fn call(&mut self, call: Pending, found: &mut FoundSoFar) {
        if let Some(place) = self.stacks.pending().repeated(call.key) {
            if matches!(call.kind, PendingKind::Maybe) {
                return;
            }
            let over = self.stacks.pending().take_from(place);
            self.close(&over, call.call_step, Left::Longjmp, found);
        }
        self.stacks.pending().push(call);
    }

    fn exception_left_by(&mut self, jump: &Jump) -> Option<usize> {
        let pending = self.stacks.pending();
        if is_exception_return(jump) {
            return pending.left_to(jump.pc);
        }
        let linked = pending.linked().filter(|_| jump.flow == Flow::Return).and_then(|_| pending.left_to(jump.pc));
        let is_other = || jump.flow == Flow::Call || pending.returning_to((jump.sp, jump.target())).is_some();
        linked.or_else(|| pending.resumed_at(jump.pc)).filter(|_| !is_other())
    }

    fn leave_exception(&mut self, place: usize, jump: &Jump, found: &mut FoundSoFar) {
        let Some(exception) = self.stacks.pending().iter().nth(place).copied() else { return };
        let turn = self.stacks.turned_by_return(place, &exception, jump);
        let is_handlers = self.stacks.pending().range().contains(jump.sp);
        let over = self.stacks.pending().take_from(place);
        self.close(over.get(1..).unwrap_or_default(), jump.last_step, Left::Skipped, found);
        self.close(&[exception], jump.last_step, Left::Return, found);
        let sp = exception.key.0;
        if let Some(turn) = turn {
            self.stacks.in_use().turned_away_by = Some(exception);
            self.turn(turn, jump, found);
            let resumed = self.stacks.in_use().turned_away_by.take();
            // The stack pointer that is known may be the handler's own.
            self.sp_again = match resumed {
                Some(resumed) => Some((jump.last_step, resumed.key.0)),
                None if is_handlers => Some((jump.last_step, None)),
                None => self.sp_again,
            };
            self.close_returned((self.sp_in_use(jump.sp, jump.sp_step), jump.target()), jump.last_step, found);
            return;
        }
        self.sp_again = Some((jump.last_step, sp));
        let PendingKind::Exception { interrupted, .. } = exception.kind else { return };
        if (interrupted.next_pc() ^ jump.pc) & !1 == 0 || (interrupted.pc ^ jump.pc) & !1 == 0 {
            return;
        }
        // What was interrupted was a jump that now goes on.
        let lr = interrupted.return_address();
        if flow(interrupted.opcode, interrupted.instruction_set) == Flow::Call && jump.lr == Some(lr) {
            let call = Pending { key: (sp, lr), call_step: exception.call_step, ..pending(jump, PendingKind::Call) };
            self.call(call, found);
        } else {
            self.close_returned((sp, jump.target()), exception.call_step, found);
        }
    }

    fn turn(&mut self, turn: Turn, jump: &Jump, found: &mut FoundSoFar) {
        self.stacks.turn(turn);
        let (thread, after, stack) = (self.number, jump.last_step, self.stacks.current());
        found.switches.push(StackSwitch { thread, after, stack });
        if turn == Turn::New {
            self.stacks.in_use().head = Some(pending(jump, PendingKind::Maybe));
        }
    }

    /// Closes the pending call that returns so, and those made inside it.
    fn close_returned(&mut self, key: ReturnKey, exit_step: u64, found: &mut FoundSoFar) -> bool {
        let place = self.stacks.pending().returning_to(key);
        self.close_at(place, exit_step, found)
    }

    fn close_at(&mut self, place: Option<usize>, exit_step: u64, found: &mut FoundSoFar) -> bool {
        let Some(place) = place else { return false };
        let over = self.stacks.pending().take_from(place);
        let Some((call, inside)) = over.split_first() else { return false };
        self.stacks.pending().note_return(call.key, place);
        self.close(&[*call], exit_step, Left::Return, found);
        self.close(inside, exit_step, Left::Skipped, found);
        true
    }

    fn close(&self, over: &[Pending], exit_step: u64, left: Left, found: &mut FoundSoFar) {
        let place = (self.number, self.stacks.current());
        found.frames.extend(over.iter().filter_map(|pending| pending.frame(place, Some(exit_step), left)));
    }

    fn end_segment(&mut self, base: u64, end: &ThreadEnd) {
        self.core.iter_mut().zip(end.core).for_each(|(value, later)| *value = later.resolve(*value));
        self.sp_step = self.sp_step_of(base, end.sp_slot);
        self.sp_high = self.sp_high.max(end.sp_high);
        self.note_set(end.sp_set);
        let carried = if end.is_age_carried { self.lr_age } else { 0 };
        self.lr_age = (carried + end.lr_age).min(AGE_LIMIT);
        if let Some(last) = end.last {
            self.last = Some((step_of(base, last.slot), last));
            self.has_words = false;
        }
        self.has_words |= end.has_words;
    }

    fn end_trace(&mut self, found: &mut FoundSoFar) {
        let Some((last_step, last)) = self.last else { return };
        self.core[SP] = self.sp_in_use(self.core[SP], self.sp_step);
        match flow(last.opcode, last.instruction_set) {
            _ if !last.is_executed => {}
            Flow::Return => self.end_with_return(last_step, last, found),
            Flow::ExceptionReturn => {
                let innermost = self.stacks.pending().left_to(last.next_pc());
                let over = innermost.map(|place| self.stacks.pending().take_from(place)).unwrap_or_default();
                if let Some((left, inside)) = over.split_first() {
                    self.close(&[*left], last_step, Left::Return, found);
                    self.close(inside, last_step, Left::Skipped, found);
                }
            }
            _ => {}
        }
        for (stack, frames) in self.stacks.iter() {
            let place = (self.number, stack);
            found.frames.extend(frames.pending.iter().filter_map(|pending| pending.frame(place, None, Left::Open)));
            found.frames.extend(frames.head.map(|head| Frame {
                call_step: Some(head.call_step),
                ..self.open(stack, head.function, Some(head.entry_step), (Entered::Switch, Evidence::Stack))
            }));
        }
        if let Some((entry_step, function)) = self.root {
            found.frames.extend([self.open(0, function, Some(entry_step), (Entered::Root, Evidence::Start))]);
        }
        if let Some(function) = self.last_call(last) {
            let call = self.open(self.stacks.current(), function, None, (Entered::Call, Evidence::Link));
            found.frames.extend([Frame { call_step: Some(last_step), ..call }]);
        }
    }

    /// A frame that no step of the trace called or left.
    fn open(&self, stack: u32, function: u64, entry_step: Option<u64>, how: (Entered, Evidence)) -> Frame {
        let (thread, (entered, evidence)) = (self.number, how);
        let (call_step, exit_step, left) = (None, None, Left::Open);
        Frame { thread, stack, function, call_step, entry_step, exit_step, entered, left, evidence }
    }

    fn end_with_return(&mut self, last_step: u64, last: LastStep, found: &mut FoundSoFar) {
        let risen = self.sp_high.take();
        let lost = self.stacks.pending().lose_below(risen);
        let (sp, link) = (self.core[SP], self.core[link_register(last.instruction_set)]);
        let pending = self.stacks.pending();
        let by_link = link.and_then(|link| pending.returning_to((sp, link)));
        // It may return by a value from the stack.
        let place = by_link.or_else(|| pending.made_with(sp));
        self.close_at(place, last_step, found);
        self.close(&lost, last_step, Left::Skipped, found);
    }

    /// Where the last step called to, when it is a call that was done: it wrote the link register.
    fn last_call(&self, last: LastStep) -> Option<u64> {
        let is_done = last.is_executed && self.lr_age == 0;
        let link = self.core[link_register(last.instruction_set)];
        call_target(&last, &self.core).filter(|_| is_done && link == Some(last.return_address()))
    }
}

/// A frame that a transfer of control begins.
fn pending(jump: &Jump, kind: PendingKind) -> Pending {
    let Jump { last_step: call_step, step: entry_step, pc: function, .. } = *jump;
    Pending { key: (None, 0), call_step, entry_step, function, kind, jumped_out: None }
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::fmt::Write as _;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use crate::answers::call::{CallId, Entered};
    use crate::builder::options::BuildOptions;

    /// An A64 step: address, encoding (0 where it does not matter), and the registers that it writes.
    type Written<'a> = (u64, u32, &'a [(&'a str, u64)]);

    const RET: u32 = 0xd65f_03c0;

    fn trace(steps: &[Written<'_>]) -> String {
        let mut text = String::new();
        for ((pc, opcode, registers), time) in steps.iter().zip(1..) {
            writeln!(text, "{time} clk IT ({time}) {pc:016x} {opcode:08x} O EL3h_s : NOP").unwrap();
            for (name, value) in *registers {
                writeln!(text, "{time} clk R {name} {value:016x}").unwrap();
            }
        }
        text
    }

    /// Checks the frames but for the root, as `function call..entry..exit left`, for several sizes of segments.
    #[track_caller]
    fn check(steps: &[Written<'_>], expected: &[&str]) {
        let text = trace(steps);
        for segment_bytes in [1, 100, 1 << 20] {
            let tarmac = Arc::new(Tarmac::open(Box::new(text.clone().into_bytes()), Default::default()).unwrap());
            let index = index_in_memory(tarmac, &BuildOptions { segment_bytes, threads: 1 }).unwrap();
            let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
            let frames = frames.filter(|frame| frame.entered == Entered::Call).map(|frame| {
                let number = |step: Option<stepback_parsers::Step>| step.map_or("-".into(), |step| step.0.to_string());
                let (call, entry, exit) = (number(frame.call_step), number(frame.entry_step), number(frame.exit_step));
                format!("{:x} {call}..{entry}..{exit} {:?}", frame.function.0, frame.left)
            });
            assert_eq!(frames.collect::<Vec<_>>(), expected, "segments of {segment_bytes} bytes");
        }
    }

    #[test]
    fn a_call_that_returns_is_found() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x2004, RET, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..3 Return"],
        );
    }

    #[test]
    fn a_jump_without_a_fresh_link_register_is_no_call() {
        check(&[(0x1000, 0, &[("SP_EL3", 0x8000)]), (0x2000, 0, &[]), (0x1004, 0, &[])], &[]);
        // The link register points too far from the step that jumped.
        check(&[(0x1000, 0, &[("SP_EL3", 0x8000), ("X30", 0x1044)]), (0x2000, 0, &[]), (0x1044, 0, &[])], &[]);
    }

    #[test]
    fn a_link_register_written_seven_steps_ago_makes_a_call_and_eight_do_not() {
        for (between, expected) in [(6, &["2000 6..7..8 Return"][..]), (7, &[])] {
            let mut steps: Vec<Written<'_>> = vec![(0x1000, 0, &[("SP_EL3", 0x8000), ("X30", 0x1020)])];
            steps.extend((1..=between).map(|number| (0x1000 + 4 * number, 0, &[][..])));
            steps.extend([(0x2000, 0, &[][..]), (0x2004, RET, &[]), (0x1020, 0, &[])]);
            check(&steps, expected);
        }
    }

    #[test]
    fn a_call_made_while_the_stack_pointer_is_unknown_returns_by_its_address_alone() {
        check(
            &[
                (0x1000, 0, &[("X30", 0x1004)]),
                (0x2000, 0, &[("SP_EL3", 0x8000)]),
                (0x2004, RET, &[]),
                (0x1004, 0, &[]),
            ],
            &["2000 0..1..2 Return"],
        );
    }

    #[test]
    fn a_long_jump_to_the_caller_leaves_the_call_made_with_its_stack_pointer_too() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x1100, 0, &[("X30", 0x1104)]),
                (0x3000, 0, &[]),
            ],
            &["2000 1..2..4 Longjmp", "3000 3..4..4 Longjmp", "3000 5..6..- Open"],
        );
    }

    #[test]
    fn a_jump_to_where_a_call_returned_before_leaves_what_was_called_since() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, RET, &[]),
                (0x1008, 0, &[("X30", 0x100c)]),
                (0x3000, 0, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..2 Return", "3000 3..4..4 Longjmp"],
        );
    }

    #[test]
    fn a_call_that_a_jump_seemed_to_leave_may_return_after_all() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x2100, RET, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..5 Return", "3000 3..4..4 Longjmp"],
        );
    }

    #[test]
    fn a_call_inside_one_that_returned_was_skipped() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[("SP_EL3", 0x7fe0)]),
                (0x2004, 0, &[("X30", 0x2008)]),
                (0x3000, 0, &[("SP_EL3", 0x8000)]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..4 Return", "3000 3..4..4 Skipped"],
        );
    }

    #[test]
    fn a_call_repeated_from_the_same_place_ends_the_one_that_never_returned() {
        check(
            &[
                (0x1000, 0, &[("SP_EL3", 0x8000)]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x1004, 0, &[("X30", 0x1008)]),
                (0x2000, 0, &[]),
                (0x1008, 0, &[]),
            ],
            &["2000 1..2..3 Longjmp", "2000 3..4..4 Return"],
        );
    }

    #[test]
    fn a_return_that_is_the_last_step_is_decoded() {
        let steps: [Written<'_>; 4] =
            [(0x1000, 0, &[("SP_EL3", 0x8000)]), (0x1004, 0, &[("X30", 0x1008)]), (0x2000, 0, &[]), (0x2004, RET, &[])];
        check(&steps, &["2000 1..2..3 Return"]);
        check(&steps[..3], &["2000 1..2..- Open"]);
    }

    #[test]
    fn a_call_that_is_the_last_step_is_decoded() {
        let bl = 0x9400_0400;
        check(&[(0x1000, 0, &[]), (0x1004, bl, &[("X30", 0x1008)])], &["2004 1..-..- Open"]);
        // It did not write the link register: it was not done.
        check(&[(0x1000, 0, &[]), (0x1004, bl, &[])], &[]);
    }

    #[test]
    fn recursion_returns_level_by_level() {
        let depth = 300;
        let stacks: Vec<_> = (0..=depth).map(|level| [("SP_EL3", 0x8000 - 16 * level)]).collect();
        let mut steps: Vec<Written<'_>> = vec![(0x1000, 0, &stacks[0])];
        for stack in &stacks[1..] {
            // Each level begins with a jump to the place behind its call, as loops do that test first.
            steps.extend([(0x1ffc, 0, &[("X30", 0x2000)][..]), (0x1f00, 0, stack), (0x2000, 0, &[])]);
        }
        for stack in stacks.iter().rev().skip(1) {
            steps.extend([(0x2004, RET, &stack[..]), (0x2000, 0, &[])]);
        }
        let exit = |level: u64| 3 * depth + 1 + 2 * (depth - level);
        let expected: Vec<_> = (1..=depth)
            .map(|level| format!("1f00 {}..{}..{} Return", 3 * level - 2, 3 * level - 1, exit(level)))
            .collect();
        check(&steps, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

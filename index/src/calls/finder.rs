//! The heuristic that finds calls and returns without decoding.
//!
//! After a transfer of control to `a`: if a call is pending with the same stack pointer and `a` as its return address, it returned.
//! Otherwise, if the link register was written at most 7 steps ago with an address close behind the step before, a call is pending.
//! A stack pointer that rises above that of a pending call shows that the call is over.
//! This is the heuristic of the Tarmac tools, except that
//! a call made before the stack pointer was ever seen is matched by its return address alone,
//! a later call with the same stack pointer and return address replaces one that never returned,
//! a jump out of several frames, or to a place that was returned to before with the same stack pointer,
//! ends the calls made with that stack pointer too (their caller is where it goes), unless they return after all,
//! a return that is a thread's last step is decoded,
//! and calls for certain (the step itself wrote the address behind it into the link register) that never return are kept.

use std::collections::HashMap;

use stepback_parsers::InstructionSet;

use super::branches::{call_target, is_return};
use super::table::{Entered, Evidence, Left};
use crate::segment::{AGE_LIMIT, CORE, LastStep, SP, ThreadEnd, Transfer, link_register};

/// A frame as found; its place in the tree follows from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Whose: the index's number.
    pub thread: u16,
    /// Address of the first instruction.
    pub function: u64,
    /// The step that called; none for a root.
    pub call_step: Option<u64>,
    /// The first step inside; none when the trace ends with the call.
    pub entry_step: Option<u64>,
    /// The last step inside; none when open.
    pub exit_step: Option<u64>,
    /// How it was entered.
    pub entered: Entered,
    /// How it was left.
    pub left: Left,
    /// How it was found.
    pub evidence: Evidence,
}

/// Finds the calls of all threads, segment by segment.
#[derive(Debug, Default)]
pub struct CallFinder {
    threads: Vec<ThreadFinder>,
    frames: Vec<Frame>,
}

impl CallFinder {
    /// Takes the next segment: its transfers, its threads at its end, and the index's number of each of its threads.
    pub fn follow(&mut self, step_base: u64, threads: &[u16], transfers: &[Transfer], ends: &[ThreadEnd]) {
        for transfer in transfers {
            if let Some(number) = threads.get(usize::from(transfer.thread)) {
                let (thread, frames) = self.thread(*number);
                thread.transfer(step_base, transfer, frames);
            }
        }
        for (number, end) in threads.iter().zip(ends) {
            self.thread(*number).0.end_segment(step_base, end);
        }
    }

    fn thread(&mut self, number: u16) -> (&mut ThreadFinder, &mut Vec<Frame>) {
        while self.threads.len() <= usize::from(number) {
            self.threads.push(ThreadFinder::new(self.threads.len() as u16));
        }
        (&mut self.threads[usize::from(number)], &mut self.frames)
    }

    /// The frames of the whole trace, in no order.
    pub fn finish(mut self) -> Vec<Frame> {
        for thread in &mut self.threads {
            thread.end_trace(&mut self.frames);
        }
        self.frames
    }
}

/// A call that has not returned yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    sp: Option<u64>,
    return_address: u64,
    call_step: u64,
    entry_step: u64,
    function: u64,
    is_certain: bool,
    /// The step that seems to have jumped out of it. Only a return to its caller would show that it did not.
    jumped_out: Option<u64>,
}

/// A stack pointer and a return address.
type ReturnKey = (Option<u64>, u64);

impl Pending {
    /// What a return from it must match.
    fn key(&self) -> ReturnKey {
        (self.sp, self.return_address)
    }
}

#[derive(Debug)]
struct ThreadFinder {
    number: u16,
    last: Option<(u64, LastStep)>,
    core: [Option<u64>; CORE],
    sp_high: Option<u64>,
    lr_age: u8,
    root: Option<(u64, u64)>,
    pending: Vec<Pending>,
    /// How many pending calls have each key: a search through deep recursion is made only when it will succeed.
    returns: HashMap<ReturnKey, u32>,
    /// Where calls returned to, and how many were pending then: a jump there is a longjmp to the place of a setjmp.
    return_points: HashMap<ReturnKey, usize>,
    /// How many pending calls were made while the stack pointer was unknown.
    unknown_stacks: u32,
    /// True when a call was made at a higher stack pointer than the one pending before: there are several stacks.
    has_many_stacks: bool,
}

/// How far from the address behind a call the link register may point: a delay slot, a literal, a long call sequence.
const RETURN_DISTANCE: u64 = 64;

/// The step of a slot, which is at least 1.
fn step_of(base: u64, slot: u32) -> u64 {
    (base + u64::from(slot)).saturating_sub(1)
}

/// Whether a stack pointer lies above another; unknown ones lie nowhere.
fn is_above(one: Option<u64>, other: Option<u64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one > other)
}

impl ThreadFinder {
    fn new(number: u16) -> Self {
        Self {
            number,
            last: None,
            core: [None; CORE],
            sp_high: None,
            lr_age: 0,
            root: None,
            pending: Vec::new(),
            returns: HashMap::new(),
            return_points: HashMap::new(),
            unknown_stacks: 0,
            has_many_stacks: false,
        }
    }

    fn transfer(&mut self, base: u64, transfer: &Transfer, frames: &mut Vec<Frame>) {
        let step = step_of(base, transfer.slot);
        let age = transfer.lr_age + if transfer.is_age_carried { self.lr_age } else { 0 };
        if transfer.is_first {
            self.lr_age = age.min(AGE_LIMIT);
        }
        let before = transfer.before.map(|last| (step_of(base, last.slot), last));
        let Some((last_step, last)) = before.or(self.last) else {
            self.root = Some((step, transfer.pc));
            return;
        };
        self.sp_high = self.sp_high.max(transfer.sp_high);
        if transfer.is_first && (last.next_pc() ^ transfer.pc) & !1 == 0 {
            return;
        }
        let sp = transfer.sp.resolve(self.core[SP]);
        let lr = transfer.lr.resolve(self.core[link_register(transfer.instruction_set)]);
        if transfer.is_first {
            self.lr_age = AGE_LIMIT;
        }
        let target = transfer.pc | u64::from(transfer.instruction_set == InstructionSet::T32);
        let risen = self.sp_high.take();
        let lost = self.lose_below(risen);
        let returned = self.close_returned(sp, Some(target), last_step, frames);
        let left = if returned { Left::Skipped } else { Left::Longjmp };
        frames.extend(lost.iter().filter_map(|pending| self.frame(pending, Some(last_step), left)));
        if returned {
            return;
        }
        self.suspect_jump((sp, target), &lost, last_step);
        let expected = last.return_address();
        if let Some(lr) = lr
            && age < AGE_LIMIT
            && lr.abs_diff(expected) < RETURN_DISTANCE
        {
            let is_certain = lr == expected && age == 1;
            let call = Pending {
                sp,
                return_address: lr,
                call_step: last_step,
                entry_step: step,
                function: transfer.pc,
                is_certain,
                jumped_out: None,
            };
            self.call(call, frames);
        }
    }

    fn call(&mut self, call: Pending, frames: &mut Vec<Frame>) {
        if self.returns.contains_key(&call.key()) {
            if !call.is_certain {
                return;
            }
            let place = self.place_of(call.key()).unwrap_or(self.pending.len());
            let over: Vec<_> = self.pending.drain(place..).collect();
            over.iter().for_each(|pending| self.forget_return(pending));
            frames.extend(over.iter().filter_map(|pending| self.frame(pending, Some(call.call_step), Left::Longjmp)));
        }
        self.has_many_stacks |= self.pending.last().is_some_and(|top| is_above(call.sp, top.sp));
        *self.returns.entry(call.key()).or_default() += 1;
        self.unknown_stacks += u32::from(call.sp.is_none());
        self.pending.push(call);
    }

    /// The innermost pending call with a key.
    fn place_of(&self, key: ReturnKey) -> Option<usize> {
        self.pending.iter().rposition(|pending| pending.key() == key)
    }

    /// Takes away the pending calls whose stack is gone, innermost first.
    fn lose_below(&mut self, risen: Option<u64>) -> Vec<Pending> {
        let is_lost = |pending: &Pending| pending.sp.is_some_and(|sp| Some(sp) < risen);
        let mut lost = Vec::new();
        while let Some(top) = self.pending.pop_if(|top| is_lost(top)) {
            lost.push(top);
        }
        if self.has_many_stacks && risen.is_some() {
            lost.extend(self.pending.extract_if(.., |pending| is_lost(pending)));
        }
        if self.pending.is_empty() {
            self.has_many_stacks = false;
        }
        lost.iter().for_each(|pending| self.forget_return(pending));
        lost
    }

    /// Marks the pending calls that a jump may have left although the stack pointer did not rise above theirs:
    /// it is that of their caller. Either calls inside them were left, or their caller was returned to at that place before.
    fn suspect_jump(&mut self, to: ReturnKey, lost: &[Pending], step: u64) {
        let is_far = lost.iter().any(|pending| pending.is_certain);
        let Some(kept) = is_far.then_some(0).or_else(|| self.return_points.get(&to).copied()) else { return };
        let callees = self.pending.iter_mut().skip(kept).rev();
        for pending in callees.take_while(|pending| pending.sp == to.0 && pending.jumped_out.is_none()) {
            pending.jumped_out = Some(step);
        }
    }

    /// Closes the pending call with this stack pointer that returns to `target` (none: anywhere), and those made inside it.
    fn close_returned(
        &mut self,
        sp: Option<u64>,
        target: Option<u64>,
        exit_step: u64,
        frames: &mut Vec<Frame>,
    ) -> bool {
        let place = match target {
            Some(target) => {
                let is_pending = |key: &ReturnKey| self.returns.contains_key(key);
                let by_address = (self.unknown_stacks > 0).then_some((None, target));
                let key = Some((sp, target)).filter(is_pending).or(by_address.filter(is_pending));
                key.and_then(|key| self.place_of(key))
            }
            None => [sp, None].into_iter().find_map(|sp| self.pending.iter().rposition(|pending| pending.sp == sp)),
        };
        let Some(place) = place else { return false };
        let call_sp = self.pending[place].sp;
        self.return_points.insert(self.pending[place].key(), place);
        let above: Vec<_> = self.pending.drain(place..).collect();
        for (number, pending) in above.iter().enumerate() {
            if number > 0 && self.has_many_stacks && is_above(pending.sp, call_sp) {
                // It lives on another stack: a task that was switched away from.
                self.pending.push(*pending);
                continue;
            }
            self.forget_return(pending);
            let left = if number == 0 { Left::Return } else { Left::Skipped };
            frames.extend(self.frame(pending, Some(exit_step), left));
        }
        true
    }

    fn forget_return(&mut self, pending: &Pending) {
        self.unknown_stacks -= u32::from(pending.sp.is_none());
        if let std::collections::hash_map::Entry::Occupied(mut count) = self.returns.entry(pending.key()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    /// The frame of a call; none when it may not have been a call at all.
    fn frame(&self, pending: &Pending, exit_step: Option<u64>, left: Left) -> Option<Frame> {
        let (exit_step, left) = match pending.jumped_out.filter(|_| left != Left::Return) {
            Some(step) => (Some(step), Left::Longjmp),
            None => (exit_step, left),
        };
        (pending.is_certain || left == Left::Return).then_some(Frame {
            thread: self.number,
            function: pending.function,
            call_step: Some(pending.call_step),
            entry_step: Some(pending.entry_step),
            exit_step,
            entered: Entered::Call,
            left,
            evidence: if pending.is_certain { Evidence::Link } else { Evidence::Return },
        })
    }

    fn end_segment(&mut self, base: u64, end: &ThreadEnd) {
        self.core.iter_mut().zip(end.core).for_each(|(value, later)| *value = later.resolve(*value));
        self.sp_high = self.sp_high.max(end.sp_high);
        let carried = if end.is_age_carried { self.lr_age } else { 0 };
        self.lr_age = (carried + end.lr_age).min(AGE_LIMIT);
        if let Some(last) = end.last {
            self.last = Some((step_of(base, last.slot), last));
        }
    }

    fn end_trace(&mut self, frames: &mut Vec<Frame>) {
        let Some((last_step, last)) = self.last else { return };
        if last.is_executed && is_return(last.opcode, last.instruction_set) {
            self.end_with_return(last_step, last, frames);
        }
        frames.extend(self.pending.iter().filter_map(|pending| self.frame(pending, None, Left::Open)));
        let (thread, exit_step, left) = (self.number, None, Left::Open);
        if let Some((entry_step, function)) = self.root {
            let (call_step, entry_step, entered) = (None, Some(entry_step), Entered::Root);
            let evidence = Evidence::Start;
            frames.push(Frame { thread, function, call_step, entry_step, exit_step, entered, left, evidence });
        }
        if let Some(function) = self.last_call(last) {
            let (call_step, entry_step, entered) = (Some(last_step), None, Entered::Call);
            let evidence = Evidence::Link;
            frames.push(Frame { thread, function, call_step, entry_step, exit_step, entered, left, evidence });
        }
    }

    fn end_with_return(&mut self, last_step: u64, last: LastStep, frames: &mut Vec<Frame>) {
        let risen = self.sp_high.take();
        let lost = self.lose_below(risen);
        let (sp, link) = (self.core[SP], self.core[link_register(last.instruction_set)]);
        if link.is_none() || !self.close_returned(sp, link, last_step, frames) {
            // It may return by a value from the stack.
            self.close_returned(sp, None, last_step, frames);
        }
        frames.extend(lost.iter().filter_map(|pending| self.frame(pending, Some(last_step), Left::Skipped)));
    }

    /// Where the last step called to, when it is a call that was done: it wrote the link register.
    fn last_call(&self, last: LastStep) -> Option<u64> {
        let is_done = last.is_executed && self.lr_age == 0;
        let link = self.core[link_register(last.instruction_set)];
        call_target(&last, &self.core).filter(|_| is_done && link == Some(last.return_address()))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use crate::{BuildOptions, CallId, Entered, Index};

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
            let index = Index::in_memory(tarmac, &BuildOptions { segment_bytes, threads: 1 }).unwrap();
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

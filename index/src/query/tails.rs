//! Tail calls: jumps from one function to the start of another, which then returns in its place.
//!
//! The trace does not say where functions begin, so this is done when an index is opened with a program, and is not kept.
//! Each visit of a function's start that is no call's entry is looked at through the lists of visits;
//! of the trace's text only one step is read for each place that jumps there.

use std::collections::HashSet;
use std::path::Path;

use stepback_machine::{Address, Branch, Flow};
use stepback_parsers::{Source, Step};

use crate::answers::call::{Call, CallId, Entered, Evidence, Left};
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::entry_steps::EntrySteps;
use crate::query::tails_kept::{Tail, TailsKept};
use crate::read::functions::Functions;
use crate::read::slots::{EventKind, SlotReader};
use crate::read::visits::VisitReader;
use crate::store::calls::beside::Beside;
use crate::store::calls::frame::Frame;
use crate::store::calls::table::CallTable;

/// Places from which control reaches a function's start, but never by a tail call, such as the ends of loops.
type Others = HashSet<Address>;

/// Beyond this many such places, finding out whether the jump came from one of them costs more than reading the step.
const OTHERS: usize = 16;

/// In traces with more calls than these, tail calls are not looked for: which steps were calls would take more than 128 MiB.
const CALLS: u64 = 1 << 25;

/// The calls with the frames split that were left by tail calls; none when there is no such frame.
/// The program must say where functions begin.
///
/// Cost: the lists of the visits of each function's start.
/// Memory: 2 to 4 bytes a call and [`TAILS`](crate::query::tails_kept::TAILS), 232 MiB at most;
/// where there are tail calls, a file of 56 bytes a frame beside the index (in memory where none can be made),
/// and the frames that are open at once.
/// What is left out [`CallTable::tails_left_out`] says.
///
/// # Errors
/// See [`QueryError`].
pub fn tail_calls<S: Source>(index: &Index<S>, cancel: &Cancel) -> Result<Option<CallTable>, QueryError> {
    let calls = index.plain_calls();
    if calls.len() > CALLS {
        return Ok(Some(calls.clone().without_tails_from(Some(Step(0)))));
    }
    tails_within(index, TailsKept::default(), cancel)
}

fn tails_within<S: Source>(
    index: &Index<S>,
    mut kept: TailsKept,
    cancel: &Cancel,
) -> Result<Option<CallTable>, QueryError> {
    let functions = &Functions::new(index.program().functions());
    TailFinder { index, functions }.find(&mut kept, cancel)?;
    let (tails, left_out_from) = kept.sorted();
    if tails.is_empty() {
        return Ok(None);
    }
    let split = Split { calls: index.plain_calls(), tails: &tails, order: order(index.plain_calls(), &tails) };
    let folder = index.path().and_then(Path::parent);
    let (data, layout) = Beside { folder }.table(|| split.frames(), &split.calls.layout().switches);
    let table = 0..data.len();
    Ok(Some(CallTable::new(data.into(), table, layout, index.step_count()).without_tails_from(left_out_from)))
}

/// The places of tail calls in the order of their frames in the table: by thread and stack, then by time.
/// Frames lie by thread and stack, and so do tail calls that are sorted by them.
fn order(calls: &CallTable, tails: &[Tail]) -> Vec<u32> {
    let jump = |place: &u32| tails.get(*place as usize).map(|tail| tail.jump);
    let mut order: Vec<u32> = (0..).take(tails.len()).collect();
    let mut rest = order.as_mut_slice();
    let mut from = 0;
    while let Some(first) = tails.get(from) {
        let end = calls.stack_end(first.frame);
        let count = tails.partition_point(|tail| tail.frame < end).saturating_sub(from).max(1);
        let (part, later) = rest.split_at_mut(count.min(rest.len()));
        part.sort_unstable_by_key(jump);
        (rest, from) = (later, from + count);
    }
    order
}

/// A table of calls, and the tail calls that split its frames.
struct Split<'a> {
    calls: &'a CallTable,
    /// By frame, then by time.
    tails: &'a [Tail],
    /// Their places by the order of the frames that they begin.
    order: Vec<u32>,
}

impl Split<'_> {
    /// All frames in the order of the table.
    fn frames(&self) -> impl Iterator<Item = Frame> {
        let whole = (0..self.calls.len()).map(CallId).filter_map(|id| Some((id, self.calls.get(id)?)));
        let first = whole.map(|(id, call)| self.first_part(id, &call));
        let later = self.order.iter().filter_map(|place| self.later_part(*place as usize));
        Merged { first: first.peekable(), later: later.peekable() }
    }

    /// What is left of a frame before its first tail call.
    fn first_part(&self, id: CallId, call: &Call) -> Frame {
        let place = self.tails.partition_point(|tail| tail.frame < id);
        let whole = Frame::of(call, self.calls.stack_of(id));
        match self.tails.get(place).filter(|tail| tail.frame == id) {
            Some(tail) => Frame { exit_step: Some(tail.jump.0), left: Left::Tail, ..whole },
            None => whole,
        }
    }

    /// The frame that a tail call begins in the place of another.
    fn later_part(&self, place: usize) -> Option<Frame> {
        let tail = self.tails.get(place)?;
        let whole = self.calls.get(tail.frame)?;
        let next = self.tails.get(place + 1).filter(|next| next.frame == tail.frame);
        Some(Frame {
            thread: whole.thread.0,
            stack: self.calls.stack_of(tail.frame),
            function: tail.function.0,
            call_step: Some(tail.jump.0),
            entry_step: Some(tail.entry.0),
            exit_step: next.map(|next| next.jump).or(whole.exit_step).map(|step| step.0),
            entered: Entered::Tail,
            left: if next.is_some() { Left::Tail } else { whole.left },
            evidence: Evidence::Branch,
        })
    }
}

/// Looks for tail calls.
struct TailFinder<'a, S> {
    index: &'a Index<S>,
    functions: &'a Functions,
}

impl<S: Source> TailFinder<'_, S> {
    fn find(&self, kept: &mut TailsKept, cancel: &Cancel) -> Result<(), QueryError> {
        let calls = self.index.plain_calls();
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let entries: EntrySteps = frames.filter_map(|call| call.entry_step).collect();
        for start in self.functions.starts() {
            let mut others = Others::new();
            cancel.check()?;
            VisitReader(self.index).for_each_visit(Address(*start), cancel, |entry| {
                // The jump came before.
                if kept.is_wanted(entry) && !entries.contains(entry) {
                    self.tail(Address(*start), entry, &mut others)?.into_iter().for_each(|tail| kept.push(tail));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The tail call by which a function was entered with a step, if it was one.
    fn tail(&self, function: Address, entry: Step, others: &mut Others) -> Result<Option<Tail>, QueryError> {
        let thread = SlotReader(self.index).thread_at(entry.after())?;
        let Some(jump) = SlotReader(self.index).owner(thread, entry.before().0)? else { return Ok(None) };
        if !self.is_tail_jump(function, jump, others)? {
            return Ok(None);
        }
        let calls = self.index.plain_calls();
        let frame = calls.innermost_at(thread, jump.before());
        // A jump that leaves the frame for good is a longjmp or a return, and one that makes a frame is a call.
        let is_inside = |id: &CallId| calls.get(*id).is_some_and(|call| call.exit_step != Some(jump));
        let frame = frame.filter(is_inside).filter(|_| calls.called_by(thread, jump).is_none());
        Ok(frame.map(|frame| Tail { frame, jump, entry, function }))
    }

    fn is_tail_jump(&self, function: Address, jump: Step, others: &mut Others) -> Result<bool, QueryError> {
        if others.len() <= OTHERS {
            for pc in others.iter() {
                if VisitReader(self.index).is_visit(*pc, jump)? {
                    return Ok(false);
                }
            }
        }
        let slot = jump.after().0;
        let events = SlotReader(self.index).events(slot..slot + 1)?;
        let step = events.into_iter().find_map(|event| match event.kind {
            EventKind::Step(step) => Some(step),
            _ => None,
        });
        let Some(step) = step else { return Err(QueryError::TraceChanged) };
        let control = step.control();
        // One that leaves a return address goes somewhere else.
        let target = control.target.address().filter(|_| control.flow != Flow::Call);
        let jumps = match step.branch {
            Branch::Unsaid => control.flow == Flow::Branch,
            Branch::Jump | Branch::IndirectJump | Branch::Conditional(_) => true,
            _ => false,
        };
        let can_be = jumps
            && step.next_pc() != function
            && self.functions.start_of(step.pc.0) != Some(function.0)
            // A jump that goes elsewhere was interrupted.
            && target.is_none_or(|target| target == function.0);
        if !can_be && others.len() <= OTHERS {
            others.insert(step.pc);
        }
        // A jump whose condition failed is no tail call this time, but may be one another time.
        Ok(can_be && step.is_executed)
    }
}

/// Two runs of frames in the order of the table, as one.
struct Merged<A: Iterator<Item = Frame>, B: Iterator<Item = Frame>> {
    first: std::iter::Peekable<A>,
    later: std::iter::Peekable<B>,
}

impl<A: Iterator<Item = Frame>, B: Iterator<Item = Frame>> Iterator for Merged<A, B> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        match (self.first.peek(), self.later.peek()) {
            (Some(first), Some(later)) if later.place() < first.place() => self.later.next(),
            (None, _) => self.later.next(),
            _ => self.first.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (first, later) = (self.first.size_hint().1, self.later.size_hint().1);
        (first.unwrap_or(0).saturating_add(later.unwrap_or(0)), None)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::answers::program::Program;
    use crate::builder::in_memory::index_in_memory;
    use crate::builder::options::BuildOptions;
    use crate::builder::semihosting::images::with_images;

    /// Two functions that go on in each other: `0x2000` jumps to `0x3000` and that to the first.
    fn mutual(jumps: u64) -> Index<Tarmac> {
        let mut text = String::from("0 clk IT (0) 00001000 94000400 O EL1h_s : BL\n0 clk R X30 0000000000001004\n");
        for time in 1..=jumps + 1 {
            let (pc, opcode) = if time % 2 == 1 { (0x2000, 0x1400_0400) } else { (0x3000, 0x17ff_fc00_u32) };
            writeln!(text, "{time} clk IT ({time}) {pc:08x} {opcode:08x} O EL1h_s : B").unwrap();
        }
        let tarmac = Arc::new(Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap());
        let mut program = Program::default();
        [0x1000..0x1100, 0x2000..0x2100, 0x3000..0x3100].into_iter().for_each(|part| program.add_function(part));
        let index = index_in_memory(tarmac, &BuildOptions { segment_bytes: 1 << 20, threads: 1 }).unwrap();
        with_images(index, program, &Cancel::default())
    }

    /// How many frames were entered by tail calls, their last step that calls, and from where on there are none.
    fn told(index: &Index<Tarmac>, limit: usize) -> (usize, Option<Step>, Option<Step>) {
        let calls = tails_within(index, TailsKept::with_limit(limit), &Cancel::default()).unwrap().unwrap();
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let tails: Vec<_> = frames.filter(|call| call.entered == Entered::Tail).collect();
        (tails.len(), tails.iter().filter_map(|call| call.call_step).max(), calls.tails_left_out())
    }

    #[test]
    fn a_mutual_tail_recursion_beyond_the_limit_says_from_where_on_it_is_not_told() {
        let index = mutual(1000);
        assert_eq!(told(&index, 1000), (1000, Some(Step(1000)), None));
        assert_eq!(told(&index, 10), (10, Some(Step(10)), Some(Step(11))));
    }
}

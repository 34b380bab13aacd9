//! Tail calls: jumps from one function to the start of another, which then returns in its place.
//!
//! The trace does not state function starts, so this is done when an index is opened with a
//! program, and is not stored. For the same reason, callers outside the trace's beginning get the
//! starts of their functions here. Each visit of a function's start that is no call's entry is
//! examined through the lists of visits; of the trace's text only one step is read for each jump
//! address.

use std::collections::HashSet;

use stepback_machine::flow::{FlowKind, RecordedBranch};
use stepback_machine::{Address, CodeSite};
use stepback_parsers::Step;

use crate::answers::call::{Call, CallId, Evidence, FrameEntry, FrameExit};
use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::read::functions::Functions;
use crate::read::slots::SlotReader;
use crate::read::visits::VisitReader;
use crate::store::calls::encoder::{CallFrame, encode_sorted};
use crate::store::calls::table::CallTable;
use crate::store::data::IndexData;

/// A jump out of a frame to the start of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TailJump {
    frame: CallId,
    jump: Step,
    entry: Step,
    function: Address,
}

/// Addresses from which control reaches a function's start, but never by a tail call, such as the
/// ends of loops.
type OrdinaryEntries = HashSet<Address>;

/// Number of such addresses beyond which reading the step is cheaper than a look-up in their
/// visits.
const OTHERS: usize = 16;

/// Returns the calls with frames split at tail calls, and with the functions of callers from before
/// the trace; none when there is no such frame. The program must know the starts of functions.
/// Cost: the lists of the visits of each function's start; with tail calls, 56 bytes of memory a
/// frame.
///
/// # Errors
/// See [`QueryError`].
pub fn tail_calls(index: &Index, cancel: &Cancel) -> Result<Option<CallTable>, QueryError> {
    let functions = &Functions::new(index.program().functions());
    let mut tails = tails(index, functions, cancel)?;
    let calls = index.plain_calls();
    let whole = || {
        (0..calls.len())
            .map(CallId)
            .filter_map(|id| Some((id, calls.get(id)?)))
    };
    if tails.is_empty() && !whole().any(|(_, call)| call.evidence == Evidence::Caller) {
        return Ok(None);
    }
    tails.sort_unstable();
    let mut later = Vec::new();
    for group in tails.chunk_by(|one, other| one.frame == other.frame) {
        let Some(id) = group.first().map(|tail| tail.frame) else {
            continue;
        };
        later.extend(
            calls
                .get(id)
                .iter()
                .flat_map(|call| successors(call, calls.stack_of(id), group)),
        );
    }
    later.sort_unstable_by_key(CallFrame::place);
    let cut_at = |id: CallId| {
        let place = tails.partition_point(|tail| tail.frame < id);
        tails
            .get(place)
            .filter(|tail| tail.frame == id)
            .map(|tail| tail.jump)
    };
    let named = |(id, call): (CallId, Call)| {
        (
            id,
            Call {
                function: entry_of(functions, &call),
                ..call
            },
        )
    };
    let first = whole().map(named).map(|(id, call)| match cut_at(id) {
        Some(jump) => CallFrame {
            exit_step: Some(jump.0),
            left: FrameExit::Tail,
            ..CallFrame::of(&call, calls.stack_of(id))
        },
        None => CallFrame::of(&call, calls.stack_of(id)),
    });
    let merged = MergedFrames {
        first: first.peekable(),
        later: later.into_iter().peekable(),
    };
    let (bytes, layout) = encode_sorted(merged, calls.layout().switches.clone());
    let len = bytes.len();
    Ok(Some(calls.with_frames(
        IndexData::Memory(bytes),
        len,
        layout,
    )))
}

/// Returns the start of a frame's function, if known: for a caller only an address inside is
/// recorded.
fn entry_of(functions: &Functions, call: &Call) -> Address {
    let start = functions
        .start_of(call.function.0)
        .filter(|_| call.evidence == Evidence::Caller);
    start.map_or(call.function, Address)
}

/// Returns all tail calls.
fn tails(
    index: &Index,
    functions: &Functions,
    cancel: &Cancel,
) -> Result<Vec<TailJump>, QueryError> {
    let calls = index.plain_calls();
    let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
    let mut entries: Vec<Step> = frames.filter_map(|call| call.entry_step).collect();
    entries.sort_unstable();
    let mut tails = Vec::new();
    for start in functions.starts() {
        let mut others = OrdinaryEntries::new();
        cancel.check()?;
        VisitReader(index).for_each_visit(Address(*start), cancel, |entry| {
            if entries.binary_search(&entry).is_err() {
                tails.extend(tail(index, functions, Address(*start), entry, &mut others)?);
            }
            Ok(())
        })?;
    }
    Ok(tails)
}

/// Returns the tail call by which a step entered a function, if it was one.
fn tail(
    index: &Index,
    functions: &Functions,
    function: Address,
    entry: Step,
    others: &mut OrdinaryEntries,
) -> Result<Option<TailJump>, QueryError> {
    let thread = SlotReader(index).thread_at(entry.after())?;
    let Some(jump) = SlotReader(index).owner(thread, entry.before().0)? else {
        return Ok(None);
    };
    if !is_tail_jump(index, functions, function, jump, others)? {
        return Ok(None);
    }
    let calls = index.plain_calls();
    let frame = calls.innermost_at(thread, jump.before());
    // A jump that leaves the frame for good is a longjmp or a return, and one that creates a
    // frame is a call.
    let is_inside = |id: &CallId| {
        calls
            .get(*id)
            .is_some_and(|call| call.exit_step != Some(jump))
    };
    let frame = frame
        .filter(is_inside)
        .filter(|_| calls.called_by(thread, jump).is_none());
    Ok(frame.map(|frame| TailJump {
        frame,
        jump,
        entry,
        function,
    }))
}

fn is_tail_jump(
    index: &Index,
    functions: &Functions,
    function: Address,
    jump: Step,
    others: &mut OrdinaryEntries,
) -> Result<bool, QueryError> {
    if others.len() <= OTHERS {
        for pc in others.iter() {
            if VisitReader(index).is_visit(*pc, jump)? {
                return Ok(false);
            }
        }
    }
    let (_, step) = SlotReader(index)
        .step_of(jump.after().0)?
        .ok_or(QueryError::TraceChanged)?;
    let known = step.encoding.map(|encoding| CodeSite {
        pc: step.pc,
        encoding,
    });
    // Some traces have no bytes. They take the distance to the next step for the length, and a short
    // jump for another instruction; the program may know better.
    let (control, next_pc) = match &known {
        Some(site) => {
            let next_pc = site.pc.0.wrapping_add(site.encoding.bytes().len() as u64);
            (step.instruction_set.control(site), Address(next_pc))
        }
        None => (step.control(), step.next_pc()),
    };
    // An instruction that writes a return address is no tail call.
    let target = control
        .target
        .address()
        .filter(|_| control.flow != FlowKind::Call);
    let jumps = match step.branch {
        RecordedBranch::Unsaid => control.flow == FlowKind::Branch,
        RecordedBranch::Jump | RecordedBranch::IndirectJump | RecordedBranch::Conditional(_) => {
            true
        }
        RecordedBranch::None => known.is_some() && control.flow == FlowKind::Branch,
        _ => false,
    };
    let can_be = jumps
        && next_pc != function
        && functions.start_of(step.pc.0) != Some(function.0)
        // A jump with another target was interrupted.
        && target.is_none_or(|target| target == function.0);
    if !can_be {
        others.insert(step.pc);
    }
    // A jump whose condition failed is no tail call this time, but may be one another time.
    Ok(can_be && step.is_executed)
}

/// Returns the frames that replaced a frame one after another.
fn successors<'a>(
    call: &'a Call,
    stack: u32,
    tails: &'a [TailJump],
) -> impl Iterator<Item = CallFrame> + 'a {
    let ThreadId(thread) = call.thread;
    tails.iter().enumerate().map(move |(number, tail)| {
        let next = tails.get(number + 1);
        CallFrame {
            thread,
            stack,
            function: tail.function.0,
            call_step: Some(tail.jump.0),
            entry_step: Some(tail.entry.0),
            exit_step: next
                .map(|next| next.jump)
                .or(call.exit_step)
                .map(|step| step.0),
            entered: FrameEntry::Tail,
            left: if next.is_some() {
                FrameExit::Tail
            } else {
                call.left
            },
            evidence: Evidence::Branch,
        }
    })
}

/// Merges two sorted runs of frames.
struct MergedFrames<A: Iterator<Item = CallFrame>, B: Iterator<Item = CallFrame>> {
    first: std::iter::Peekable<A>,
    later: std::iter::Peekable<B>,
}

impl<A: Iterator<Item = CallFrame>, B: Iterator<Item = CallFrame>> Iterator for MergedFrames<A, B> {
    type Item = CallFrame;

    fn next(&mut self) -> Option<CallFrame> {
        match (self.first.peek(), self.later.peek()) {
            (Some(first), Some(later)) if later.place() < first.place() => self.later.next(),
            (None, _) => self.later.next(),
            _ => self.first.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (
            self.first
                .size_hint()
                .1
                .unwrap_or(0)
                .saturating_add(self.later.size_hint().0),
            None,
        )
    }
}

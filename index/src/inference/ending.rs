//! The last steps of a thread: no later step shows that they were completed.
//!
//! A record after the last step may state that the next instruction was started and abandoned, or
//! that a signal came. If instructions are recorded by basic block, one of the last block may have
//! faulted without a record:
//!
//! ```text
//! 1000    jmp 1010
//! 1010    mov eax, 1      completed: nothing before it may fault
//! 1015    mov rcx, [rdi]  may have faulted: rcx is not known
//! 1018    mov edx, 2      may never have run: rdx is not known
//! ```

use std::ops::Range;

use stepback_machine::flow::FlowKind;
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{AccessKind, Address, Encoding, RegisterId, decode};
use stepback_parsers::{GapReason, Marker, MarkerKind, Position};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::register_file::ValueDerivation;
use crate::index::Index;
use crate::inference::engine::Engine;
use crate::inference::run::{RunAccess, RunStep, ThreadRun, run_alone};
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::read::slots::SlotReader;

/// Steps to follow before the end, to determine which of them were completed.
const BEFORE_END: StepRadius = StepRadius {
    before: 256,
    after: 0,
};
/// Size of the smallest page in bytes: an access shows that its page is mapped.
const PAGE_BYTES: u64 = 4096;
/// Number of encoding bytes in a marker of an uncompleted instruction.
const MARKED_BYTES: usize = 8;
/// Markers after which the registers no longer hold the results of the last step.
const CHANGING: [MarkerKind; 7] = [
    MarkerKind::KERNEL_TRANSFER,
    MarkerKind::SYSTEM_CALL_START,
    MarkerKind::SYSTEM_CALL_END,
    MarkerKind::CONTEXT_SWITCH_START,
    MarkerKind::CONTEXT_SWITCH_END,
    MarkerKind::HARDWARE_RETURN,
    GapReason::Contradiction.kind(),
];
/// Markers after which all recorded steps of a thread were completed, except the one that a signal
/// interrupted.
const COMPLETING: [MarkerKind; 3] = [
    MarkerKind::SYSTEM_CALL,
    MarkerKind::KERNEL_EVENT,
    MarkerKind::UNCOMPLETED,
];

impl Engine<'_> {
    /// Processes a record after the last step of a thread, after which control would have gone
    /// elsewhere.
    pub fn end_at(&mut self, step: &RunStep, Marker { kind, value }: Marker) {
        if CHANGING.contains(&kind) {
            return self.clear();
        }
        if kind == MarkerKind::UNCOMPLETED {
            return self.give_up(step, value);
        }
        if kind == MarkerKind::KERNEL_EVENT && value == step.pc.0 {
            self.forget_results(step);
        }
    }

    /// Discards the values that an instruction may have changed that was started and not completed.
    fn give_up(&mut self, step: &RunStep, marked: u64) {
        let mut bytes = [0; Encoding::LIMIT];
        bytes
            .iter_mut()
            .zip(marked.to_le_bytes())
            .take(MARKED_BYTES)
            .for_each(|(byte, known)| *byte = known);
        // No proper prefix of an instruction is an instruction itself.
        let encodings = (1..=bytes.len()).filter_map(|length| Encoding::new(bytes.get(..length)?));
        let mut begun = encodings.map(|encoding| decode(encoding, Address(0), step.set));
        let Some(begun) = begun.find(|begun| begun.registers.is_some()) else {
            return self.clear();
        };
        let Some(uses) = &begun.registers else { return };
        for view in &uses.writes {
            self.registers.forget(
                *view,
                ValueDerivation::Computed(step.step()),
                &mut self.symbols,
            );
        }
    }

    /// Discards the results of steps that may not have been completed.
    pub fn forget_unfinished(&mut self) {
        let run = self.run;
        if let Some(first) = unfinished_from(run) {
            run.steps
                .iter()
                .skip(first)
                .for_each(|step| self.forget_results(step));
        }
    }

    fn forget_results(&mut self, step: &RunStep) {
        let instruction = self.run.decoded(step).map(|decoded| &*decoded.instruction);
        let Some(uses) = instruction.and_then(|instruction| instruction.registers.as_ref()) else {
            return self.registers.clear();
        };
        for view in &uses.writes {
            self.registers.forget(
                *view,
                ValueDerivation::Computed(step.step()),
                &mut self.symbols,
            );
        }
    }
}

/// Returns the slots of the last steps of a thread before a position that may not have been
/// completed. `None` if the thread has later steps, and for formats that record only completed
/// instructions.
pub(crate) fn unfinished_slots(
    index: &Index,
    thread: ThreadId,
    at: Position,
) -> Result<Option<Range<u64>>, QueryError> {
    let reader = SlotReader(index);
    if !index.source().is_recorded_by_block() || reader.next_step_of(thread, at)?.is_some() {
        return Ok(None);
    }
    let Some(last) = reader.owner(thread, at.0)?.map(|step| step.after().0) else {
        return Ok(None);
    };
    let slots = RunSlots::around(index, thread, last..last, BEFORE_END)?;
    let run = run_alone(index, thread, &slots)?;
    let first = unfinished_from(&run).and_then(|place| run.steps.get(place));
    Ok(first.map(|first| first.slot..last.saturating_add(1)))
}

/// Returns the index of the first step that may not have been completed, in a run that reaches the
/// end of its thread.
fn unfinished_from(run: &ThreadRun<'_>) -> Option<usize> {
    let last = run.steps.last()?;
    if !run.reaches_end
        || run
            .markers(last)
            .iter()
            .any(|known| COMPLETING.contains(&known.marker.kind))
    {
        return None;
    }
    let is_left = |step: &RunStep| step.encoding.is_none() || step.control().flow != FlowKind::Next;
    let before = run.steps.len().saturating_sub(1);
    let block = run
        .steps
        .get(..before)?
        .iter()
        .rposition(is_left)
        .map_or(0, |place| place + 1);
    (block..run.steps.len()).find(|place| may_fault(run, *place))
}

/// Returns true for a step that may end in an exception: it accesses a page that no previous step
/// accessed, or raises an exception itself.
fn may_fault(run: &ThreadRun<'_>, place: usize) -> bool {
    let Some(step) = run.steps.get(place) else {
        return false;
    };
    if step
        .encoding
        .is_none_or(|encoding| step.set.may_raise(&encoding))
    {
        return true;
    }
    let operands = operands_of(run, step);
    let accesses = run.accesses(step);
    if accesses.is_empty() {
        return !operands.is_empty();
    }
    // An address within the program itself is mapped.
    let is_static = |operand: &MemoryOperand| {
        let is_fixed = operand
            .base
            .is_none_or(|base| base.register == RegisterId::PC);
        is_fixed && operand.index.is_none() && operand.segment.is_none()
    };
    if !operands.is_empty() && operands.iter().all(is_static) {
        return false;
    }
    // A stack may end at a page that was not accessed, but only if other pages of it were.
    let before = run.steps.get(..place).unwrap_or_default();
    if is_on_stack(run, step) && !before.iter().any(|step| is_on_stack(run, step)) {
        return false;
    }
    accesses
        .iter()
        .any(|access| !is_mapped(run, place, *access))
}

fn operands_of<'r>(run: &'r ThreadRun<'_>, step: &RunStep) -> &'r [MemoryOperand] {
    run.decoded(step)
        .map_or(&[], |decoded| &decoded.instruction.meaning.memory)
}

fn is_on_stack(run: &ThreadRun<'_>, step: &RunStep) -> bool {
    let is_stack = |operand: &MemoryOperand| {
        operand
            .base
            .is_some_and(|base| step.set.is_stack_pointer(base.register))
            && operand.index.is_none()
    };
    let operands = operands_of(run, step);
    !operands.is_empty() && operands.iter().all(is_stack)
}

/// Returns true if steps before `place`, since the last system call, accessed each page of an
/// access in the same way.
fn is_mapped(run: &ThreadRun<'_>, place: usize, access: RunAccess) -> bool {
    let before = run.steps.get(..place).unwrap_or_default();
    let since = before
        .iter()
        .rposition(RunStep::is_trap)
        .map_or(0, |place| place + 1);
    let known = before
        .get(since..)
        .unwrap_or_default()
        .iter()
        .flat_map(|step| run.accesses(step));
    let pages = |access: RunAccess| {
        let last = access
            .address
            .saturating_add(u64::from(access.size_bytes).saturating_sub(1));
        access.address / PAGE_BYTES..=last / PAGE_BYTES
    };
    let shows = |known: &RunAccess, page: u64| {
        (known.kind == AccessKind::Write || access.kind == AccessKind::Read)
            && pages(*known).contains(&page)
    };
    pages(access).all(|page| known.clone().any(|known| shows(known, page)))
}

//! The instruction sets whose register names the threads of a trace use.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::{Index, QueryError, SlotReader, ThreadId};
use stepback_machine::InstructionSet;
use stepback_parsers::{EventSink, Flow, ParseScratch, Position, StepEvent, ThreadNumber};

use super::register_state::RegisterState;

/// Returns the instruction sets that each thread uses between two positions, in order of first use.
/// Of sets with the same names only the first is listed. A thread without a step there has the set
/// of its state.
///
/// Cost: a pass over the text between, if a processor of the trace can change its names. `done`
/// receives the offset reached.
///
/// # Errors
/// See [`QueryError`].
pub fn used_sets(
    index: &Index,
    start: &[RegisterState],
    range: Range<Position>,
    done: &AtomicU64,
) -> Result<Vec<Vec<InstructionSet>>, QueryError> {
    let mut used = UsedSets {
        index,
        threads: Vec::new(),
        sets: vec![Vec::new(); index.threads().len()],
        done,
    };
    if used
        .all_threads()
        .any(|thread| index.instruction_set(thread).has_states())
    {
        let text = SlotReader(index).text_between(range.start, range.end)?;
        index
            .source()
            .parse(text, &mut ParseScratch::default(), &mut used)?;
    }
    for ((thread, sets), registers) in (0..).map(ThreadId).zip(&mut used.sets).zip(start) {
        if sets.is_empty() {
            sets.push(
                registers
                    .set()
                    .unwrap_or_else(|| index.instruction_set(thread)),
            );
        }
    }
    Ok(used.sets)
}

/// Returns true if two sets have the same registers under the same names.
pub fn share_names(one: InstructionSet, other: InstructionSet) -> bool {
    one.signals() == other.signals()
}

/// Event sink that collects the sets in use.
struct UsedSets<'a> {
    index: &'a Index,
    threads: Vec<ThreadId>,
    sets: Vec<Vec<InstructionSet>>,
    done: &'a AtomicU64,
}

impl UsedSets<'_> {
    fn all_threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..).map(ThreadId).take(self.sets.len())
    }
}

impl EventSink for UsedSets<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self
            .threads
            .get(usize::from(step.thread.0))
            .copied()
            .unwrap_or_default();
        let Some(sets) = self.sets.get_mut(usize::from(thread.0)) else {
            return;
        };
        if !sets
            .iter()
            .any(|known| share_names(*known, step.instruction_set))
        {
            sets.push(step.instruction_set);
        }
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.done.store(offset, Ordering::Relaxed);
        Flow::Continue
    }
}

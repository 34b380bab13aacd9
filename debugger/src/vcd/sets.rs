//! Which sets of register names the threads of a trace use.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::{Index, QueryError, SlotReader, ThreadId};
use stepback_machine::InstructionSet;
use stepback_parsers::{EventSink, Flow, ParseScratch, Position, StepEvent, ThreadNumber};

use super::register_state::RegisterState;

/// The sets that each thread uses between two positions, those with the same names once, in order of use. One of a thread that
/// takes no step there: that of its state. Cost: the text between, if a processor of the trace may change its names;
/// `done` shows how far it was read.
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

/// True when two sets have the same registers under the same names.
pub fn share_names(one: InstructionSet, other: InstructionSet) -> bool {
    one.signals() == other.signals()
}

/// Takes note of the sets that go by.
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

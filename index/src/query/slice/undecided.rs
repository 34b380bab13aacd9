//! Steps without a known controlling step, grouped by reason, because all steps may be such.

use foldhash::HashMap;
use stepback_machine::{RegisterId, RegisterView, Registers};

use crate::answers::slice::{SliceCell, SliceEnd, SliceEndKind, SliceUse};
use crate::answers::thread::ThreadId;
use crate::index::Index;

/// Number of steps in one end: every step may be undecided, and memory must not hold a list of all.
const TOGETHER: usize = 1 << 12;

/// Steps of threads, by the reason why their controlling step, or their control region, is unknown.
#[derive(Debug, Default)]
pub(super) struct UndecidedSteps {
    steps: HashMap<(ThreadId, SliceEndKind), Vec<SliceUse>>,
}

impl UndecidedSteps {
    /// Adds a step; returns an end when the batch is full.
    pub fn add(
        &mut self,
        index: &Index,
        thread: ThreadId,
        end: SliceEndKind,
        wanted_by: SliceUse,
    ) -> Option<SliceEnd> {
        let steps = self.steps.entry((thread, end)).or_default();
        steps.push(wanted_by);
        (steps.len() >= TOGETHER).then(|| end_of(index, thread, end, std::mem::take(steps)))
    }

    /// Takes the ends, the one with the newest step first.
    pub fn take(&mut self, index: &Index) -> Vec<SliceEnd> {
        let steps = std::mem::take(&mut self.steps)
            .into_iter()
            .filter(|(_, steps)| !steps.is_empty());
        let mut ends: Vec<SliceEnd> = steps
            .map(|((thread, end), steps)| end_of(index, thread, end, steps))
            .collect();
        ends.sort_by_key(|end| (std::cmp::Reverse(end.wanted_by.last().copied()), end.cell));
        ends
    }
}

fn end_of(
    index: &Index,
    thread: ThreadId,
    end: SliceEndKind,
    mut wanted_by: Vec<SliceUse>,
) -> SliceEnd {
    wanted_by.sort_unstable();
    wanted_by.dedup();
    SliceEnd {
        end,
        cell: control_of(index, thread),
        wanted_by,
        doubt: None,
    }
}

/// Returns the cell that represents a thread's control: the program counter.
pub(super) fn control_of(index: &Index, thread: ThreadId) -> SliceCell {
    let whole = RegisterView::new(RegisterId::PC, 0, 8);
    let view = Registers::view("pc", index.instruction_set(thread)).unwrap_or(whole);
    SliceCell::Register { thread, view }
}

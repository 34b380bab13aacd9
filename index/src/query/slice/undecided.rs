//! What no step decided about: told of once for each reason, as it may be all that ran.

use foldhash::HashMap;
use stepback_machine::{RegisterId, RegisterView, Registers};
use stepback_parsers::Source;

use crate::answers::slice::{End, SliceCell, SliceEnd, WantedBy};
use crate::answers::thread::ThreadId;
use crate::index::Index;

/// Steps of threads, by why it is not known what decided about them, or what they decided.
#[derive(Debug, Default)]
pub(super) struct Undecided {
    steps: HashMap<(ThreadId, End), Vec<WantedBy>>,
}

impl Undecided {
    pub fn add(&mut self, thread: ThreadId, end: End, wanted_by: WantedBy) {
        self.steps.entry((thread, end)).or_default().push(wanted_by);
    }

    /// The ends, that with the newest step first; none are left.
    pub fn take<S: Source>(&mut self, index: &Index<S>) -> Vec<SliceEnd> {
        let steps = std::mem::take(&mut self.steps).into_iter();
        let mut ends: Vec<SliceEnd> = steps
            .map(|((thread, end), mut wanted_by)| {
                wanted_by.sort_unstable();
                wanted_by.dedup();
                SliceEnd { end, cell: control_of(index, thread), wanted_by }
            })
            .collect();
        ends.sort_by_key(|end| (std::cmp::Reverse(end.wanted_by.last().copied()), end.cell));
        ends
    }
}

/// Where control is in a thread: the program counter stands for it.
pub(super) fn control_of<S: Source>(index: &Index<S>, thread: ThreadId) -> SliceCell {
    let whole = RegisterView::new(RegisterId::PC, 0, 8);
    let view = Registers::view("pc", index.instruction_set(thread)).unwrap_or(whole);
    SliceCell::Register { thread, view }
}

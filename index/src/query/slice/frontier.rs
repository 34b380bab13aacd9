//! What is still to be gone into: the steps that wrote what is wanted, newest first.

use std::collections::BTreeMap;

use stepback_parsers::Step;

use crate::answers::hit::Doubt;
use crate::answers::slice::SliceUse;
use crate::answers::thread::ThreadId;
use crate::query::slice::pieces::StatePiece;

/// Something that is wanted of a step.
#[derive(Clone, Debug)]
pub(super) struct TracedDefinition {
    /// Whose registers.
    pub thread: ThreadId,
    pub piece: StatePiece,
    /// The slot in which the step wrote it.
    pub slot: u64,
    pub wanted_by: Vec<SliceUse>,
    pub doubt: Option<Doubt>,
}

/// All that is wanted, by the step that wrote it. Memory: the cells between the steps shown and those still to come.
#[derive(Debug, Default)]
pub(super) struct SliceWorklist {
    steps: BTreeMap<Step, Vec<TracedDefinition>>,
}

impl SliceWorklist {
    /// Adds what a step wrote; who wants the same of it already is joined.
    pub fn add(&mut self, step: Step, want: TracedDefinition) {
        let wants = self.steps.entry(step).or_default();
        let same = |known: &&mut TracedDefinition| {
            known.slot == want.slot
                && known.thread == want.thread
                && known.piece.is_same(&want.piece)
        };
        match wants.iter_mut().find(same) {
            Some(known) => {
                let new = want
                    .wanted_by
                    .into_iter()
                    .filter(|one| known.wanted_by.last() != Some(one));
                known.wanted_by.extend(new.collect::<Vec<_>>());
                known.doubt = known.doubt.or(want.doubt);
            }
            None => wants.push(want),
        }
    }

    /// Takes what is wanted of the newest step.
    pub fn take_newest(&mut self) -> Option<(Step, Vec<TracedDefinition>)> {
        self.steps.pop_last()
    }

    /// Takes what is wanted of a step, if anything is.
    pub fn take(&mut self, step: Step) -> Option<Vec<TracedDefinition>> {
        self.steps.remove(&step)
    }
}

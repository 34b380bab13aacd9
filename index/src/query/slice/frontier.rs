//! Worklist of a backward slice: the steps that wrote traced values, newest first.

use std::collections::BTreeMap;

use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::slice::SliceUse;
use crate::answers::step_record::Doubt;
use crate::query::slice::pieces::StatePiece;

/// A definition by a step that is being traced.
#[derive(Clone, Debug)]
pub(super) struct TracedDefinition {
    /// Thread of the registers.
    pub thread: ThreadId,
    pub piece: StatePiece,
    /// Slot in which the step wrote it.
    pub slot: u64,
    pub wanted_by: Vec<SliceUse>,
    pub doubt: Option<Doubt>,
}

/// Traced definitions by their steps. Memory: the cells between the steps handed out and those
/// still to come.
#[derive(Debug, Default)]
pub(super) struct SliceWorklist {
    steps: BTreeMap<Step, Vec<TracedDefinition>>,
}

impl SliceWorklist {
    /// Adds a definition by a step; equal ones are merged, with all their uses.
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

    /// Takes the definitions of the newest step.
    pub fn take_newest(&mut self) -> Option<(Step, Vec<TracedDefinition>)> {
        self.steps.pop_last()
    }

    /// Takes the definitions of a step, if there are any.
    pub fn take(&mut self, step: Step) -> Option<Vec<TracedDefinition>> {
        self.steps.remove(&step)
    }
}

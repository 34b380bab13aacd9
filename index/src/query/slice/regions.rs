//! What ran because steps that a value went to decided so.

use std::collections::BTreeMap;

use stepback_parsers::Step;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::{Edge, SliceEnd, SliceEndKind, SliceUse, UnknownInput};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::slice::control::{ControlDependenceReader, ControllingStep, DependentStep};
use crate::query::slice::region::{ControlRegion, ControlledRegion, RegionRelation};
use crate::query::slice::undecided::{UndecidedSteps, control_of};
use crate::read::slots::SlotReader;

/// The regions that threads are in. Memory: for each thread one region, and one for each interrupt, or other task, within it.
pub(super) struct ControlRegions<'a> {
    control: ControlDependenceReader<'a>,
    /// By the slot of the next step of the thread.
    within: BTreeMap<u64, ThreadRegions>,
    undecided: UndecidedSteps,
}

/// A thread that is in some regions.
#[derive(Debug)]
struct ThreadRegions {
    thread: ThreadId,
    /// With the step that decided it: the inner ones, which interrupts are in, last.
    regions: Vec<(Step, ControlRegion)>,
}

impl<'a> ControlRegions<'a> {
    pub fn new(index: &'a Index) -> Self {
        Self {
            control: ControlDependenceReader::new(index),
            within: BTreeMap::new(),
            undecided: UndecidedSteps::default(),
        }
    }

    /// The slot of the next step that is in one.
    pub fn next_slot(&self) -> Option<u64> {
        self.within.keys().next().copied()
    }

    /// What decided that a step ran, if something that is followed did. The thread of it waits for its next step then.
    pub fn decider_of(
        &mut self,
        ran: DependentStep<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Step>, QueryError> {
        let DependentStep { thread, step, .. } = ran;
        let Some(ThreadRegions { regions, .. }) = self.within.remove(&step.after().0) else {
            return Ok(None);
        };
        let mut by = None;
        let mut open = Vec::new();
        for (decider, region) in regions {
            let place = self.control.place_of(ran, region)?;
            if place == RegionRelation::Inside {
                by = Some(decider);
            }
            if place != RegionRelation::Behind {
                open.push((decider, region));
            }
        }
        self.wait(thread, step, open)?;
        let Some(by) = by else { return Ok(None) };
        // A branch further in may have decided it: that was decided itself. What is decided by an earlier one stands in the slot
        // behind the branch.
        Ok(match self.control.decider_of(ran, cancel)? {
            ControllingStep::Step(decider) => Some(decider).filter(|decider| *decider >= by),
            ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::DeciderNotFound)) => {
                Some(by)
            }
            ControllingStep::Nothing(_) => None,
        })
    }

    /// Notes what a step decided that was not decided itself: what such a one decides lies in the same region.
    /// An end where many are such that it is not known what they decided.
    pub fn add(
        &mut self,
        thread: ThreadId,
        step: Step,
        cancel: &Cancel,
    ) -> Result<Option<SliceEnd>, QueryError> {
        match self.control.decided_by(thread, step, cancel)? {
            ControlledRegion::Nothing => {}
            ControlledRegion::Region(region) => {
                let next = SlotReader(self.control.index).next_step_of(thread, step.after())?;
                let known = next.and_then(|next| self.within.remove(&next.after().0));
                let mut regions = known.map_or_else(Vec::new, |within| within.regions);
                regions.push((step, region));
                self.wait(thread, step, regions)?;
            }
            ControlledRegion::Unknown(end) => {
                let wanted_by = SliceUse {
                    step: Some(step),
                    edge: Edge::Control,
                };
                return Ok(self
                    .undecided
                    .add(self.control.index, thread, end, wanted_by));
            }
        }
        Ok(None)
    }

    /// What is not known of what steps decided.
    pub fn take_unknown(&mut self) -> Vec<SliceEnd> {
        self.undecided.take(self.control.index)
    }

    /// What is still to run of the regions, as the ends of its chains.
    pub fn what_is_left(&mut self) -> Vec<SliceEnd> {
        let within = std::mem::take(&mut self.within).into_values();
        let end = |ThreadRegions { thread, regions }: ThreadRegions| {
            let wanted_by = |(step, _): &(Step, ControlRegion)| SliceUse {
                step: Some(*step),
                edge: Edge::Control,
            };
            let cell = control_of(self.control.index, thread);
            SliceEnd {
                end: SliceEndKind::Limit,
                cell,
                wanted_by: regions.iter().map(wanted_by).collect(),
                doubt: None,
            }
        };
        within.map(end).collect()
    }

    fn wait(
        &mut self,
        thread: ThreadId,
        step: Step,
        regions: Vec<(Step, ControlRegion)>,
    ) -> Result<(), QueryError> {
        let next = SlotReader(self.control.index).next_step_of(thread, step.after())?;
        if let Some(next) = next.filter(|_| !regions.is_empty()) {
            self.within
                .insert(next.after().0, ThreadRegions { thread, regions });
        }
        Ok(())
    }
}

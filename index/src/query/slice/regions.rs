//! Regions decided by steps that used the traced value.

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

/// Regions that threads are in. Memory: for each thread one region, and one for each interrupt, or
/// other task, within it.
pub(super) struct ControlRegions<'a> {
    control: ControlDependenceReader<'a>,
    /// Threads by the slot of their next step.
    within: BTreeMap<u64, ThreadRegions>,
    undecided: UndecidedSteps,
}

/// A thread that is in some regions.
#[derive(Debug)]
struct ThreadRegions {
    thread: ThreadId,
    /// Regions with the steps that decided them: the inner ones, of interrupts, last.
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

    /// Returns the slot of the next step that is in a region.
    pub fn next_slot(&self) -> Option<u64> {
        self.within.keys().next().copied()
    }

    /// Returns the controlling step of a step, if its region depends on the traced value. The
    /// thread then waits for its next step.
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
        // An inner branch may have decided it, which was itself decided. A controlling step before
        // the region's branch does not count.
        Ok(match self.control.decider_of(ran, cancel)? {
            ControllingStep::Step(decider) => Some(decider).filter(|decider| *decider >= by),
            ControllingStep::Nothing(SliceEndKind::Unknown(UnknownInput::DeciderNotFound)) => {
                Some(by)
            }
            ControllingStep::Nothing(_) => None,
        })
    }

    /// Adds the region of a step that is not itself in one: the region of an inner step is part of
    /// the outer one. Returns an end when a batch of unknown regions is full.
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

    /// Takes the ends for unknown regions.
    pub fn take_unknown(&mut self) -> Vec<SliceEnd> {
        self.undecided.take(self.control.index)
    }

    /// Takes the open regions, as the ends of their chains.
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

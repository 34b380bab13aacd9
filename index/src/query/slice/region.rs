//! Control regions: the steps from the successor of a branch or a call to the join point
//! ([`ControlRegion`]). A forward slice follows the regions that were decided by steps that used
//! the traced value ([`ControlRegions`]).
//!
//! Branches inside a region decide about parts of it, and were decided themselves, so tracing them
//! adds nothing. [`UndecidedSteps`] groups steps without a known controlling step by reason,
//! because every step may be such.

use std::collections::BTreeMap;

use foldhash::HashMap;
use stepback_machine::{Address, RegisterId, RegisterView, Registers};
use stepback_parsers::Step;

use crate::answers::call::{CallId, FrameEntry};
use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{Edge, SliceCell, SliceEnd, SliceEndKind, SliceUse, UnknownInput};
use crate::index::Index;
use crate::query::slice::control::{ControlDependenceReader, ControllingStep, DependentStep};
use crate::query::slice::graph::JoinPoint;
use crate::read::slots::SlotReader;

/// Maximum number of cached pairs of frames.
const FRAMES: usize = 1 << 16;

/// A frame and a frame around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NestedFrames {
    inner: CallId,
    outer: CallId,
}

/// Region that a step decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ControlRegion {
    /// Frame of the region, with all its callees.
    call: CallId,
    /// Join point, if the region ends before the frame.
    join: Option<Address>,
}

/// Result of the search for the region of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlledRegion {
    Nothing,
    Region(ControlRegion),
    /// The step decided a region that is not known.
    Unknown(SliceEndKind),
}

/// Relation of a step to an earlier region of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegionRelation {
    Inside,
    /// In an interrupt, or another task, that came in between.
    Aside,
    After,
}

impl ControlDependenceReader<'_> {
    /// Returns the region that a step decided.
    pub fn decided_by(
        &mut self,
        thread: ThreadId,
        step: Step,
        cancel: &Cancel,
    ) -> Result<ControlledRegion, QueryError> {
        let calls = self.index.calls();
        if let Some(call) = calls.called_by(thread, step)
            && self.is_called(call)?
        {
            return Ok(ControlledRegion::Region(ControlRegion { call, join: None }));
        }
        let unknown =
            ControlledRegion::Unknown(SliceEndKind::Unknown(UnknownInput::DeciderNotFound));
        let Some(id) = calls.innermost_at(thread, step.before()) else {
            return Ok(unknown);
        };
        let Some((call, text)) = calls.get(id).zip(self.text_of(step)?) else {
            return Ok(unknown);
        };
        let deciders = self.deciders(call.function, text.instruction_set, cancel)?;
        Ok(match deciders.join_point(text.pc) {
            None => unknown,
            Some(JoinPoint::Nothing) => ControlledRegion::Nothing,
            Some(JoinPoint::At(join)) => ControlledRegion::Region(ControlRegion {
                call: id,
                join: Some(join),
            }),
            Some(JoinPoint::End) => ControlledRegion::Region(ControlRegion {
                call: id,
                join: None,
            }),
        })
    }

    /// Returns the relation of a later step of the same thread to a region.
    pub fn place_of(
        &mut self,
        ran: DependentStep<'_>,
        region: ControlRegion,
    ) -> Result<RegionRelation, QueryError> {
        let DependentStep { thread, step, text } = ran;
        let calls = self.index.calls();
        let is_open = calls.contains(region.call, step.before());
        let Some(inner) = calls
            .innermost_at(thread, step.before())
            .filter(|_| is_open)
        else {
            return Ok(RegionRelation::After);
        };
        if inner == region.call {
            let is_join = region.join.is_some() && text.map(|text| text.pc) == region.join;
            return Ok(if is_join {
                RegionRelation::After
            } else {
                RegionRelation::Inside
            });
        }
        Ok(if self.is_interrupted(inner, region.call)? {
            RegionRelation::Aside
        } else {
            RegionRelation::Inside
        })
    }

    /// Returns true if the step before a frame decided it, by a call, a jump or a system call.
    fn is_called(&self, call: CallId) -> Result<bool, QueryError> {
        let Some(call) = self.index.calls().get(call) else {
            return Ok(false);
        };
        Ok(match call.entered {
            FrameEntry::Call | FrameEntry::Tail => true,
            FrameEntry::Exception => self.is_requested(&call)?,
            FrameEntry::Root | FrameEntry::Switch | FrameEntry::Gap => false,
        })
    }

    /// Returns true if an unrequested exception, or another stack, is between a frame and one
    /// around it. Frames are cached: another step costs one lookup, another call costs one more.
    fn is_interrupted(&mut self, inner: CallId, outer: CallId) -> Result<bool, QueryError> {
        if self.interrupted.len() > FRAMES {
            self.interrupted.clear();
        }
        let (mut new, mut next, mut is_so) = (Vec::new(), Some(inner), false);
        while next != Some(outer) {
            // Another task's frames are on a separate stack: they end without reaching the outer
            // frame.
            let Some((frame, call)) =
                next.and_then(|frame| Some((frame, self.index.calls().get(frame)?)))
            else {
                is_so = true;
                break;
            };
            if let Some(known) = self.interrupted.get(&NestedFrames {
                inner: frame,
                outer,
            }) {
                is_so = *known;
                break;
            }
            new.push(NestedFrames {
                inner: frame,
                outer,
            });
            if call.entered == FrameEntry::Exception && !self.is_requested(&call)? {
                is_so = true;
                break;
            }
            next = call.parent;
        }
        self.interrupted
            .extend(new.into_iter().map(|frames| (frames, is_so)));
        Ok(is_so)
    }
}

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
            if place != RegionRelation::After {
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

//! Control region of a branch or a call: from its successor to the join point.
//!
//! Branches inside decide about parts of it, and were decided themselves: tracing them adds
//! nothing.

use stepback_machine::Address;
use stepback_parsers::Step;

use crate::answers::call::{CallId, FrameEntry};
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::slice::{SliceEndKind, UnknownInput};
use crate::answers::thread::ThreadId;
use crate::query::slice::control::{ControlDependenceReader, DependentStep};
use crate::query::slice::graph::JoinPoint;

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
    Behind,
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
            return Ok(RegionRelation::Behind);
        };
        if inner == region.call {
            let is_join = region.join.is_some() && text.map(|text| text.pc) == region.join;
            return Ok(if is_join {
                RegionRelation::Behind
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

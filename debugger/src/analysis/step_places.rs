//! Targets of stepping from visit to visit and from source line to source line.
//!
//! [`LineWalk`] uses the call table to skip calls as a whole, so that stepping over a line does not
//! read the steps of its callees.

use std::sync::Arc;

use stepback_index::answer::{StepRecord, ThreadId};
use stepback_index::query::{NearestVisit, Steps};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{Position, Step};

use crate::action::Direction;
use crate::image::Images;

/// Treatment of called functions when stepping by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callees {
    /// Step over their lines.
    Over,
    /// Stop at their lines too.
    Into,
    /// Stop at their lines too, but step over callees without lines: after some steps without a
    /// line, the rest of the callee and all that it calls is skipped.
    IntoLines,
}

/// Number of steps without a line after which [`Callees::IntoLines`] skips a callee. Stubs that
/// lead to a function with lines are shorter.
const STEPS_WITHOUT_LINE: u32 = 64;

/// Returns the position after the next or last other step at the address of the last step.
///
/// # Errors
/// See [`QueryError`].
pub fn next_visit(
    index: &Index,
    from: Position,
    direction: Direction,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let Some(step) = from.last_step() else {
        return Ok(None);
    };
    let pc = SlotReader(index).point_of(step)?.pc;
    let hit = match direction {
        Direction::Forward => NearestVisit::next(pc, from).run(index, cancel)?,
        Direction::Back => NearestVisit::last(pc, step.before()).run(index, cancel)?,
    };
    Ok(hit.map(|hit| hit.position))
}

/// A source file and line.
type SourcePlace = (Arc<str>, u32);

/// Stepping by source lines.
pub struct LineWalk<'a> {
    pub index: &'a Index,
    /// Images with the line tables.
    pub images: &'a Images,
    /// Thread to step.
    pub thread: ThreadId,
    /// Treatment of called functions.
    pub callees: Callees,
    /// Cancels the search.
    pub cancel: &'a Cancel,
}

impl LineWalk<'_> {
    /// Returns the position after the first step of the next or last line that the thread executes.
    /// It differs from the line of the last step. Code without lines is skipped.
    ///
    /// Cost: the steps on the way, except those of skipped calls.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_line(
        &self,
        from: Position,
        direction: Direction,
    ) -> Result<Option<Position>, QueryError> {
        let done = from.last_step();
        let here = done.map(|step| self.line_of(step)).transpose()?.flatten();
        let deepest = match (self.callees, done) {
            (Callees::Over, Some(done)) => self.depth_of(done).unwrap_or(u32::MAX),
            (Callees::Over, None) | (Callees::Into | Callees::IntoLines, _) => u32::MAX,
        };
        let start_depth = done.and_then(|done| self.depth_of(done)).unwrap_or(0);
        let (mut at, mut limit, mut without_line) = (done, deepest, 0_u32);
        while let Some(step) = self.next_step(at, direction, limit)? {
            let line = self.line_of(step)?;
            if line.is_some() && line != here {
                return match direction {
                    Direction::Forward => Ok(Some(step.after())),
                    Direction::Back => self.beginning(step, &line, deepest).map(Some),
                };
            }
            at = Some(step);
            without_line = match line {
                Some(_) => 0,
                None => without_line.saturating_add(1),
            };
            let depth = self.depth_of(step).unwrap_or(0);
            let is_skipped = self.callees == Callees::IntoLines
                && without_line >= STEPS_WITHOUT_LINE
                && depth > start_depth;
            limit = if is_skipped { depth - 1 } else { deepest };
        }
        Ok(None)
    }

    /// Returns the position after the first of the consecutive steps in one line that end with a
    /// step; none if the step has no line.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn beginning_of(&self, last: Step) -> Result<Option<Position>, QueryError> {
        let line = self.line_of(last)?;
        let deepest = self.depth_of(last).unwrap_or(u32::MAX);
        match line {
            Some(_) => self.beginning(last, &line, deepest).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the position after the first step of a run of steps in one line.
    fn beginning(
        &self,
        last: Step,
        line: &Option<SourcePlace>,
        deepest: u32,
    ) -> Result<Position, QueryError> {
        let mut first = last;
        while let Some(step) = self.next_step(Some(first), Direction::Back, deepest)?
            && self.line_of(step)? == *line
        {
            first = step;
        }
        Ok(first.after())
    }

    /// Returns the next or last step of the thread that is not too deep in calls.
    fn next_step(
        &self,
        at: Option<Step>,
        direction: Direction,
        deepest: u32,
    ) -> Result<Option<Step>, QueryError> {
        let end = self.index.step_count();
        let neighbour = |step: Option<Step>| match (direction, step) {
            (Direction::Forward, None) => Some(Step(0)),
            (Direction::Forward, Some(step)) => Some(Step(step.0 + 1)),
            (Direction::Back, step) => step?.0.checked_sub(1).map(Step),
        };
        let mut next = neighbour(at);
        while let Some(step) = next.filter(|step| step.0 < end) {
            self.cancel.check()?;
            if SlotReader(self.index).thread_at(step.after())? != self.thread {
                next = neighbour(Some(step));
                continue;
            }
            if self.depth_of(step).is_none_or(|depth| depth <= deepest) {
                return Ok(Some(step));
            }
            next = self.outside(step, direction);
        }
        Ok(None)
    }

    /// Returns the step just outside the frame around a step.
    fn outside(&self, step: Step, direction: Direction) -> Option<Step> {
        let calls = self.index.calls();
        let frame = calls.get(calls.innermost_at(self.thread, step.before())?)?;
        let to = match direction {
            Direction::Forward => Step(frame.exit_step?.0 + 1),
            Direction::Back => frame.call_step?,
        };
        // A frame that does not contain the step leads nowhere.
        let is_onward = match direction {
            Direction::Forward => to > step,
            Direction::Back => to < step,
        };
        if is_onward { Some(to) } else { None }
    }

    /// Returns the call depth of a step; a calling step belongs to the caller.
    fn depth_of(&self, step: Step) -> Option<u32> {
        let calls = self.index.calls();
        calls
            .innermost_at(self.thread, step.before())
            .and_then(|frame| calls.get(frame))
            .map(|frame| frame.depth)
    }

    fn line_of(&self, step: Step) -> Result<Option<SourcePlace>, QueryError> {
        let pc = SlotReader(self.index).point_of(step)?.pc;
        Ok(self
            .images
            .source_at(pc)
            .map(|line| (Arc::clone(&line.file), line.line)))
    }
}

/// Returns a step with its effects; `None` beyond the end.
///
/// # Errors
/// See [`QueryError`].
pub fn step_record(
    step: Step,
    index: &Index,
    cancel: &Cancel,
) -> Result<Option<StepRecord>, QueryError> {
    Ok(Steps {
        first: step,
        count: 1,
    }
    .run(index, cancel)?
    .into_iter()
    .next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow_with_image;

    fn lines(from: u64, course: Direction, callees: Callees) -> Vec<(u64, u32)> {
        let (session, cancel) = (overflow_with_image(), Cancel::default());
        let (index, images, thread) = (&session.index, &session.images, ThreadId(0));
        let walk = LineWalk {
            index,
            images,
            thread,
            callees,
            cancel: &cancel,
        };
        let (mut found, mut at) = (Vec::new(), Position(from));
        while found.len() < 4
            && let Some(next) = walk.next_line(at, course).unwrap()
        {
            let step = next.last_step().unwrap();
            found.push((next.0, walk.line_of(step).unwrap().unwrap().1));
            at = next;
        }
        found
    }

    #[test]
    fn lines_follow_each_other_and_calls_are_passed_over() {
        let over = lines(1222, Direction::Forward, Callees::Over);
        let into = lines(1222, Direction::Forward, Callees::Into);
        // Steps 1,230 to 1,236 are those of hexval, which step 1,229 calls.
        assert!(
            over.iter().all(|(at, _)| !(1231..=1237).contains(at)),
            "{over:?}"
        );
        assert!(
            into.iter().any(|(at, _)| (1231..=1237).contains(at)),
            "{into:?}"
        );
        for pair in over.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1, "{over:?}");
        }
        let back = lines(over[3].0, Direction::Back, Callees::Over);
        assert_eq!(back[..2], [over[2], over[1]], "{back:?} {over:?}");
    }

    #[test]
    fn visits_are_those_of_the_step_just_done() {
        let session = overflow_with_image();
        let visit = |from: u64, direction| {
            next_visit(
                &session.index,
                Position(from),
                direction,
                &Cancel::default(),
            )
            .unwrap()
            .map(|at| at.0)
        };
        let next = visit(1250, Direction::Forward);
        assert_eq!(
            next.and_then(|next| visit(next, Direction::Back)),
            Some(1250)
        );
        assert_eq!(
            (visit(0, Direction::Forward), visit(1, Direction::Back)),
            (None, None)
        );
    }
}

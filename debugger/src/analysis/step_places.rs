//! Targets of stepping from visit to visit and from source line to source line.
//!
//! [`LineWalk`] uses the call table to skip calls as a whole, so that stepping over a line does not
//! read the steps of its callees.

use stepback_index::answer::{CallId, StepRecord, ThreadId};
use stepback_index::query::{NearestVisit, Steps};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::action::Direction;
use crate::analysis::line_step::{Callees, LineStep, is_entry};
use crate::analysis::step_frame::{FrameCode, StepFrame};
use crate::image::Images;

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

/// Stepping by source lines.
pub struct LineWalk<'a> {
    pub index: &'a Index,
    /// Images with the line tables.
    pub images: &'a Images,
    /// Thread to step.
    pub thread: ThreadId,
    /// Treatment of called functions.
    pub callees: Callees,
    /// Treatment of callers without lines.
    pub lineless_callers: LinelessCallers,
    /// Number of innermost inlined functions that begin with the first step and are not entered yet.
    pub hidden: usize,
    /// Cancels the search.
    pub cancel: &'a Cancel,
}

/// Treatment of a caller without lines when a step leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinelessCallers {
    /// Go on to the next line.
    Skip,
    /// Stop in the caller, as gdb does.
    Stop,
}

/// End of a step by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStop {
    /// Position after the first step of the line.
    pub position: Position,
    /// Number of innermost inlined functions that begin with this step and are not entered yet.
    pub hidden: usize,
}

impl<'a> LineWalk<'a> {
    /// Returns the first step of the next or last line that the thread executes. It differs from
    /// the line of the last step, but a step back in the middle of a line first leads to the
    /// beginning of that line, and one from the first line of a function to its call. Code without
    /// lines is skipped, and inlined functions if callees are.
    ///
    /// Cost: the steps on the way, except those of skipped calls.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_line(
        &self,
        from: Position,
        direction: Direction,
    ) -> Result<Option<LineStop>, QueryError> {
        let Some(done) = from.last_step() else {
            return self.walk(None, self.begin(StepFrame::default(), direction));
        };
        let code = self.code_of(done)?;
        let frame = code.as_ref().map(|code| code.frame(self.hidden));
        let frame = frame.unwrap_or_else(|| StepFrame::of_call(self.call_of(done)));
        let mut begun = self.begin(frame, direction);
        if let Some(code) = code {
            begun.place = code.call_of(self.hidden).or(Some(code.place()));
            begun.row = self.images.row_at(code.pc);
        }
        let found = self.walk(Some(done), begun)?;
        match (found, self.callees, direction) {
            (Some(stop), Callees::Over, Direction::Back) => self.beginning(stop).map(Some),
            (found, ..) => Ok(found),
        }
    }

    /// Returns the first step of the line that ends with the last step of a thread.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn last_line(&self, last: Step) -> Result<Option<LineStop>, QueryError> {
        let frame = StepFrame::of_call(self.call_of(last));
        let end = Step(last.0.saturating_add(1));
        let found = self.walk(Some(end), self.begin(frame, Direction::Back))?;
        found.map(|stop| self.beginning(stop)).transpose()
    }

    /// Returns the first step outside the inlined function around a step at which a debugger stops.
    /// None if there is no such function.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn outside_inlined(
        &self,
        from: Step,
        direction: Direction,
    ) -> Result<Option<LineStop>, QueryError> {
        let code = self.code_of(from)?;
        match code.and_then(|code| code.frame(self.hidden).caller()) {
            Some(caller) => self.walk(Some(from), self.begin(caller, direction)),
            None => Ok(None),
        }
    }

    /// Returns the number of innermost inlined functions that begin with a step; none if the step
    /// has no line.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn begun_at(&self, step: Step) -> Result<Option<usize>, QueryError> {
        let code = self.code_of(step)?;
        Ok(code.map(|code| code.begun(self.images)))
    }

    /// Begins a step that stops at the next line of a frame.
    fn begin(&self, frame: StepFrame, direction: Direction) -> LineStep<'a> {
        LineStep {
            index: self.index,
            images: self.images,
            callees: self.callees,
            direction,
            frame,
            place: None,
            row: Address(0)..Address(0),
            is_first_row: true,
        }
    }

    /// Walks from a step to the end of a step by lines.
    fn walk(
        &self,
        done: Option<Step>,
        mut line: LineStep<'_>,
    ) -> Result<Option<LineStop>, QueryError> {
        let direction = line.direction;
        let start_depth = done.and_then(|done| self.depth_of(done)).unwrap_or(0);
        let mut deepest = match (self.callees, done) {
            (Callees::Over, Some(_)) => self.depth(line.frame.call()).unwrap_or(u32::MAX),
            (Callees::Over, None) | (Callees::Into | Callees::IntoLines, _) => u32::MAX,
        };
        let (mut at, mut limit, mut without_line) = (done, deepest, 0_u32);
        // The trace may begin in the middle of a line.
        let mut first = None;
        while let Some(step) = self.next_step(at, direction, limit)? {
            let code = self.code_of(step)?;
            let position = step.after();
            if code.is_none() && self.is_in_stopping_caller(step, &line.frame) {
                let hidden = 0;
                return Ok(Some(LineStop { position, hidden }));
            }
            if let Some(code) = &code {
                if let Some(hidden) = line.pass(code) {
                    return Ok(Some(LineStop { position, hidden }));
                }
                if self.callees == Callees::Over {
                    deepest = self.depth(code.call).unwrap_or(u32::MAX);
                }
                let hidden = code.begun(self.images);
                first = Some(LineStop { position, hidden });
            }
            at = Some(step);
            without_line = match code {
                Some(_) => 0,
                None => without_line.saturating_add(1),
            };
            let depth = self.depth_of(step).unwrap_or(0);
            let is_skipped = self.callees == Callees::IntoLines
                && without_line >= STEPS_WITHOUT_LINE
                && depth > start_depth;
            limit = if is_skipped { depth - 1 } else { deepest };
        }
        Ok(first.filter(|_| direction == Direction::Back))
    }

    /// Returns true if a step without a line is in a caller of a frame, and stops there.
    fn is_in_stopping_caller(&self, step: Step, frame: &StepFrame) -> bool {
        let depth = || self.depth_of(step);
        self.lineless_callers == LinelessCallers::Stop && depth() < self.depth(frame.call())
    }

    /// Returns the first stop of the consecutive rows of one line that end with a stop of a step back,
    /// but not the entry of the function. Rows that begin no statement belong to the line around them.
    fn beginning(&self, mut stop: LineStop) -> Result<LineStop, QueryError> {
        let mut at = stop.position.last_step();
        let last = at.map(|step| self.code_of(step)).transpose()?.flatten();
        let Some(last) = last else {
            return Ok(stop);
        };
        let frame = last.frame(stop.hidden);
        let line = frame.place_of(&last);
        let deepest = self.depth(last.call).unwrap_or(u32::MAX);
        loop {
            at = self.next_step(at, Direction::Back, deepest)?;
            let code = at.map(|step| self.code_of(step)).transpose()?.flatten();
            let (Some(step), Some(code)) = (at, code) else {
                return Ok(stop);
            };
            let Some(seen) = frame.place_of(&code) else {
                return Ok(stop);
            };
            let row = self.images.row_at(code.pc);
            let inner = frame.inner_of(&code);
            let is_stop = match inner {
                0 => code.line.is_statement,
                inner => code.begun(self.images) >= inner,
            };
            let is_in_line = Some(&seen) == line.as_ref();
            let is_other = !is_in_line && (is_stop || inner > 0);
            if is_other || (inner == 0 && is_entry(self.images, row.start)) {
                return Ok(stop);
            }
            if is_in_line && is_stop && (inner > 0 || row.start == code.pc) {
                stop = LineStop {
                    position: step.after(),
                    hidden: inner,
                };
            }
        }
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
        self.depth(self.call_of(step))
    }

    fn depth(&self, call: Option<CallId>) -> Option<u32> {
        self.index.calls().get(call?).map(|call| call.depth)
    }

    /// Returns the frame of a step.
    fn call_of(&self, step: Step) -> Option<CallId> {
        self.index.calls().innermost_at(self.thread, step.before())
    }

    /// Returns the instruction of a step; none if it has no line.
    fn code_of(&self, step: Step) -> Result<Option<FrameCode>, QueryError> {
        let pc = SlotReader(self.index).point_of(step)?.pc;
        let call = self.call_of(step);
        let line = self.images.shown_source_at(pc);
        Ok(line.map(|line| FrameCode { call, pc, line }))
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
            lineless_callers: LinelessCallers::Skip,
            hidden: 0,
            cancel: &cancel,
        };
        let (mut found, mut at) = (Vec::new(), Position(from));
        while found.len() < 4
            && let Some(next) = walk.next_line(at, course).unwrap()
        {
            let step = next.position.last_step().unwrap();
            let line = walk.code_of(step).unwrap().unwrap().line.line;
            found.push((next.position.0, line));
            at = next.position;
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

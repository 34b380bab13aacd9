//! Targets of stepping from visit to visit and from source line to source line.
//!
//! [`LineWalk`] uses the call table to skip calls as a whole, so that stepping over a line does not
//! read the steps of its callees.

use stepback_index::answer::{CallId, StepRecord, ThreadId};
use stepback_index::query::{NearestVisit, Steps};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{Position, Step};

use crate::action::Direction;
use crate::analysis::step_frame::{FrameCode, SeenCode, SourcePlace, StepFrame};
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

/// Stepping by source lines.
pub struct LineWalk<'a> {
    pub index: &'a Index,
    /// Images with the line tables.
    pub images: &'a Images,
    /// Thread to step.
    pub thread: ThreadId,
    /// Treatment of called functions.
    pub callees: Callees,
    /// Number of innermost inlined functions that begin with the first step and are not entered yet.
    pub hidden: usize,
    /// Cancels the search.
    pub cancel: &'a Cancel,
}

/// Beginning of a step by lines.
struct StepOrigin {
    frame: StepFrame,
    /// Line that the step leaves; none for code without one.
    place: Option<SourcePlace>,
}

/// End of a step by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStop {
    /// Position after the first step of the line.
    pub position: Position,
    /// Number of innermost inlined functions that begin with this step and are not entered yet.
    pub hidden: usize,
}

impl LineWalk<'_> {
    /// Returns the first step of the next or last line that the thread executes. It differs from
    /// the line of the last step, but a step back in the middle of a line first leads to the
    /// beginning of that line. Code without lines is skipped, as are instructions that begin no
    /// statement, and inlined functions if callees are.
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
        let done = from.last_step();
        let code = done.map(|step| self.code_of(step)).transpose()?.flatten();
        let frame = code.as_ref().map(|code| code.frame(self.hidden));
        let mut origin = StepOrigin {
            frame: frame.unwrap_or_default(),
            place: None,
        };
        origin.place = code.map(|code| origin.frame.sees(&code, self.images).place);
        let begun = match (direction, done) {
            (Direction::Back, Some(done)) => self.beginning_before(done, &origin.frame)?,
            (Direction::Back, None) | (Direction::Forward, _) => None,
        };
        if self.callees == Callees::Over && begun.is_some() {
            return Ok(begun);
        }
        let found = self.other_line(done, direction, origin)?;
        // A function that the line called may end after its beginning.
        Ok(found
            .into_iter()
            .chain(begun)
            .max_by_key(|stop| stop.position))
    }

    /// Returns the beginning of the line around a step, if that is another step.
    fn beginning_before(
        &self,
        step: Step,
        frame: &StepFrame,
    ) -> Result<Option<LineStop>, QueryError> {
        let deepest = self.depth_of(step).unwrap_or(u32::MAX);
        let begun = self.beginning(step, frame, deepest)?;
        Ok(Some(begun).filter(|begun| begun.position < step.after()))
    }

    /// Returns the first step of the next or last line other than that of the origin.
    fn other_line(
        &self,
        done: Option<Step>,
        direction: Direction,
        mut origin: StepOrigin,
    ) -> Result<Option<LineStop>, QueryError> {
        let mut deepest = match (self.callees, done) {
            (Callees::Over, Some(done)) => self.depth_of(done).unwrap_or(u32::MAX),
            (Callees::Over, None) | (Callees::Into | Callees::IntoLines, _) => u32::MAX,
        };
        let start_depth = done.and_then(|done| self.depth_of(done)).unwrap_or(0);
        let (mut at, mut limit, mut without_line) = (done, deepest, 0_u32);
        while let Some(step) = self.next_step(at, direction, limit)? {
            let code = self.code_of(step)?;
            if let Some(code) = &code {
                match (self.stop_at(code, &origin, direction), direction) {
                    // The step goes on from another frame, up to its next line. As in gdb, a return
                    // into the middle of a line does not reach that line.
                    (None, _) if !origin.frame.is_of(code) => {
                        let frame = code.frame(0);
                        origin.place = match direction {
                            Direction::Forward if self.enters(code, &origin) => None,
                            Direction::Forward => origin.place,
                            Direction::Back => Some(frame.sees(code, self.images).place),
                        };
                        origin.frame = frame;
                        if self.callees == Callees::Over {
                            deepest = self.depth_of(step).unwrap_or(u32::MAX);
                        }
                    }
                    (None, _) => {}
                    (Some(hidden), Direction::Forward) => {
                        let position = step.after();
                        return Ok(Some(LineStop { position, hidden }));
                    }
                    (Some(hidden), Direction::Back) => {
                        return self.beginning(step, &code.frame(hidden), deepest).map(Some);
                    }
                }
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
        Ok(None)
    }

    /// Returns true if an instruction is in a function that the frame of the origin called.
    fn enters(&self, code: &FrameCode, origin: &StepOrigin) -> bool {
        let depth = |call: Option<CallId>| Some(self.index.calls().get(call?)?.depth);
        depth(code.call) > depth(origin.frame.call())
    }

    /// Returns the number of inlined functions around an instruction, counted from the innermost one,
    /// that a step which stops there does not enter. Backwards it stops where the line of the
    /// instruction begins. None if it does not stop.
    fn stop_at(
        &self,
        code: &FrameCode,
        origin: &StepOrigin,
        direction: Direction,
    ) -> Option<usize> {
        let seen = origin.frame.sees(code, self.images);
        let is_elsewhere = |place: &SourcePlace| origin.place.as_ref() != Some(place);
        // The statement of a call begins before it.
        let is_caller = direction == Direction::Back && !origin.frame.is_of(code);
        // A line that control reaches in its middle is not stopped at.
        let begins = |seen: &SeenCode| seen.inner > 0 || self.images.begins_row(code.pc);
        match (self.callees, direction) {
            (Callees::Over, Direction::Forward) => {
                let is_stop = is_elsewhere(&seen.place) && seen.is_stop && begins(&seen);
                is_stop.then_some(seen.inner)
            }
            (Callees::Over, Direction::Back) => {
                let is_stop = seen.is_stop || seen.inner > 0 || is_caller;
                (is_elsewhere(&seen.place) && is_stop).then_some(seen.inner)
            }
            (Callees::Into | Callees::IntoLines, Direction::Back) => {
                let is_stop = code.line.is_statement || is_caller;
                (is_elsewhere(&code.place()) && is_stop).then_some(0)
            }
            (Callees::Into | Callees::IntoLines, Direction::Forward) => match seen.inner {
                0 => {
                    let is_other = is_elsewhere(&seen.place) || self.enters(code, origin);
                    (is_other && seen.is_stop && begins(&seen)).then_some(0)
                }
                _ if !seen.is_stop => code.line.is_statement.then_some(0),
                // The call is in the line that the step leaves, or in another one.
                inner if is_elsewhere(&seen.place) => Some(inner),
                inner => Some(inner - 1),
            },
        }
    }

    /// Returns the first of the consecutive steps in one line that end with a step; none if the
    /// step has no line.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn beginning_of(&self, last: Step) -> Result<Option<LineStop>, QueryError> {
        let deepest = self.depth_of(last).unwrap_or(u32::MAX);
        match self.code_of(last)? {
            Some(code) => self.beginning(last, &code.frame(0), deepest).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the first step at which a debugger stops in a run of steps in one line of a frame; the
    /// first one if it stops nowhere.
    fn beginning(
        &self,
        last: Step,
        frame: &StepFrame,
        deepest: u32,
    ) -> Result<LineStop, QueryError> {
        let mut line = None;
        let (mut first, mut at) = (None, Some(last));
        // First step of those in the line without others between them.
        let (mut unbroken, mut is_broken) = (last, false);
        while let Some(step) = at {
            let seen = self
                .code_of(step)?
                .map(|code| frame.sees(&code, self.images));
            let Some(seen) = seen else { break };
            let line = line.get_or_insert_with(|| seen.place.clone());
            // Instructions that begin no statement belong to the line around them.
            if seen.place != *line && (seen.is_stop || seen.inner > 0) {
                break;
            }
            let is_in_line = seen.place == *line;
            if is_in_line && seen.is_stop {
                first = Some((step, seen.begun));
            }
            is_broken |= !is_in_line;
            if !is_broken {
                unbroken = step;
            }
            at = self.next_step(at, Direction::Back, deepest)?;
        }
        let (step, hidden) = first.unwrap_or((unbroken, 0));
        let position = step.after();
        Ok(LineStop { position, hidden })
    }

    /// Returns the first step outside the inlined function around a step at which a debugger stops,
    /// backwards the first one in the function. None if there is no such function.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn outside_inlined(
        &self,
        from: Step,
        direction: Direction,
    ) -> Result<Option<LineStop>, QueryError> {
        let frame = self.code_of(from)?.map(|code| code.frame(self.hidden));
        let Some((frame, caller)) = frame.and_then(|frame| Some((frame.clone(), frame.caller()?)))
        else {
            return Ok(None);
        };
        let stop = |step: Step, code: Option<&FrameCode>| LineStop {
            position: step.after(),
            hidden: code.map_or(0, |code| caller.sees(code, self.images).begun),
        };
        let deepest = self.depth_of(from).unwrap_or(u32::MAX);
        let mut inside = from;
        while let Some(step) = self.next_step(Some(inside), direction, deepest)? {
            let code = self.code_of(step)?;
            // An instruction without a line is still in the function.
            let outside = code.as_ref().filter(|code| !frame.contains(code));
            match (outside, direction) {
                (Some(code), Direction::Forward) if caller.sees(code, self.images).is_stop => {
                    return Ok(Some(stop(step, Some(code))));
                }
                (Some(_), Direction::Back) => break,
                (Some(_) | None, Direction::Forward | Direction::Back) => inside = step,
            }
        }
        match direction {
            Direction::Forward => Ok(None),
            Direction::Back => Ok(Some(stop(inside, self.code_of(inside)?.as_ref()))),
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
        let calls = self.index.calls();
        calls
            .innermost_at(self.thread, step.before())
            .and_then(|frame| calls.get(frame))
            .map(|frame| frame.depth)
    }

    /// Returns the instruction of a step; none if it has no line.
    fn code_of(&self, step: Step) -> Result<Option<FrameCode>, QueryError> {
        let pc = SlotReader(self.index).point_of(step)?.pc;
        let call = self.index.calls().innermost_at(self.thread, step.before());
        let line = self.images.source_at(pc);
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

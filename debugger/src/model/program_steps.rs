//! Steps of a thread by source line or by instruction, in both directions.
//!
//! At position n a thread is about to execute its next step from n on. A step leads to such a
//! position before a step of the thread.

use stepback_index::answer::ThreadId;
use stepback_index::query::{NearestStepOf, NearestVisit};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_parsers::{Position, Step};

use crate::action::Direction;
use crate::analysis::line_step::Callees;
use crate::analysis::step_places::{LineStop, LineWalk, LinelessCallers};
use crate::model::MoveContext;
use crate::session::Session;

/// Unit of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUnit {
    Line,
    Instruction,
}

/// Treatment of calls by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Over,
    Into,
    /// To the caller.
    Out,
}

/// Steps of a thread.
pub struct ThreadSteps<'a> {
    pub session: &'a Session,
    pub thread: ThreadId,
    /// Number of innermost inlined functions that begin at the position and are not entered yet.
    pub hidden: usize,
    pub cancel: &'a Cancel,
}

/// End of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepTarget {
    pub position: Position,
    /// Number of innermost inlined functions that begin at the position and are not entered yet.
    pub hidden: usize,
}

impl StepTarget {
    fn new(position: Position) -> Self {
        let hidden = 0;
        Self { position, hidden }
    }

    /// Returns the position before the step of a line.
    fn before(stop: LineStop) -> Option<Self> {
        let LineStop { position, hidden } = stop;
        let position = position.last_step()?.before();
        Some(Self { position, hidden })
    }
}

impl<'a> ThreadSteps<'a> {
    /// Returns the position to which a step leads; none if the trace ends before. A step into an
    /// inlined function that begins at the position stays there.
    ///
    /// Cost: index queries, and the steps of the line without those of skipped calls.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn target(
        &self,
        kind: StepKind,
        unit: StepUnit,
        direction: Direction,
        from: Position,
    ) -> Result<Option<StepTarget>, QueryError> {
        let unit = match self.session.images.has_lines() {
            Ok(true) => unit,
            // Without lines there is nothing else to show.
            Ok(false) | Err(_) => StepUnit::Instruction,
        };
        let plain = |found: Option<Position>| found.map(StepTarget::new);
        match (kind, unit) {
            (StepKind::Out, _) => self.out(direction, from),
            (StepKind::Over, StepUnit::Line) => self.line(Callees::Over, direction, from),
            (StepKind::Into, StepUnit::Line) => self.enter_line(direction, from),
            (StepKind::Over, StepUnit::Instruction) => self.over(direction, from).map(plain),
            (StepKind::Into, StepUnit::Instruction) => self.single(direction, from).map(plain),
        }
    }

    fn enter_line(
        &self,
        direction: Direction,
        from: Position,
    ) -> Result<Option<StepTarget>, QueryError> {
        if let (Some(hidden), Direction::Forward) = (self.hidden.checked_sub(1), direction) {
            let position = from;
            return Ok(Some(StepTarget { position, hidden }));
        }
        let found = self.line(Callees::IntoLines, direction, from)?;
        match (found, direction) {
            (Some(found), Direction::Forward) if found.hidden == 0 => {
                let body = self.after_prologue(found.position)?;
                Ok(Some(StepTarget::new(body)))
            }
            (found, _) => Ok(found),
        }
    }

    /// Returns the number of innermost inlined functions that begin at a position.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn begun_at(&self, position: Position) -> Result<usize, QueryError> {
        let next = self.next(position)?;
        let begun = next.map(|next| self.walk(Callees::Over).begun_at(next));
        Ok(begun.transpose()?.flatten().unwrap_or(0))
    }

    /// Returns the thread's next step from a position on.
    pub fn next(&self, from: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::next(self.thread, from).run(&self.session.index, self.cancel)
    }

    fn last(&self, before: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::last(self.thread, before).run(&self.session.index, self.cancel)
    }

    /// Returns the position before the thread's next step; the position itself if none follows.
    fn before_next(&self, at: Position) -> Result<Position, QueryError> {
        Ok(self.next(at)?.map_or(at, Step::before))
    }

    /// Steps by line. The walk works with the step before a position, here the next one counts.
    fn line(
        &self,
        callees: Callees,
        direction: Direction,
        from: Position,
    ) -> Result<Option<StepTarget>, QueryError> {
        let walk = self.walk(callees);
        let found = match (self.next(from)?, direction) {
            (Some(step), _) => walk.next_line(step.after(), direction)?,
            (None, Direction::Forward) => None,
            // At the end of the thread, its last line comes first.
            (None, Direction::Back) => match self.last(from)? {
                Some(last) => walk.last_line(last)?,
                None => None,
            },
        };
        Ok(found.and_then(StepTarget::before))
    }

    fn walk(&self, callees: Callees) -> LineWalk<'a> {
        LineWalk {
            index: &self.session.index,
            images: &self.session.images,
            thread: self.thread,
            callees,
            lineless_callers: LinelessCallers::Stop,
            hidden: self.hidden,
            cancel: self.cancel,
        }
    }

    /// Returns the position after the prologue if the thread is about to enter a function; else the
    /// position itself.
    fn after_prologue(&self, at: Position) -> Result<Position, QueryError> {
        let index = &self.session.index;
        let Some(step) = self.next(at)? else {
            return Ok(at);
        };
        let pc = SlotReader(index).point_of(step)?.pc;
        let Some(body) = self.session.images.body_of(pc) else {
            return Ok(at);
        };
        let visit = NearestVisit {
            pc: body,
            thread: Some(self.thread),
            at: step.after(),
            direction: Direction::Forward,
        };
        let reached = visit.run(index, self.cancel)?;
        let reached = reached.map_or(at, |hit| hit.record.step.before());
        let call_at = |position| index.calls().innermost_at(self.thread, position);
        Ok(if call_at(reached) == call_at(at) {
            reached
        } else {
            at
        })
    }

    fn single(&self, direction: Direction, from: Position) -> Result<Option<Position>, QueryError> {
        match direction {
            Direction::Forward => match self.next(from)? {
                Some(step) => self.before_next(step.after()).map(Some),
                None => Ok(None),
            },
            Direction::Back => Ok(self.last(from)?.map(Step::before)),
        }
    }

    fn over(&self, direction: Direction, from: Position) -> Result<Option<Position>, QueryError> {
        let context = self.context(from)?;
        match direction {
            Direction::Forward => {
                let Some(step) = self.next(from)? else {
                    return Ok(None);
                };
                let called = context.calls.called_by(self.thread, step);
                let after = called
                    .and_then(|call| context.after(call))
                    .unwrap_or(step.after());
                self.before_next(after).map(Some)
            }
            Direction::Back => {
                let Some(last) = self.last(from)? else {
                    return Ok(None);
                };
                let call_step = context
                    .left_by(last)
                    .and_then(|call| context.calls.get(call)?.call_step);
                Ok(Some(call_step.unwrap_or(last).before()))
            }
        }
    }

    /// Steps out of the function, which may be inlined: forwards to the step after the call,
    /// backwards to the call.
    fn out(&self, direction: Direction, from: Position) -> Result<Option<StepTarget>, QueryError> {
        let walk = self.walk(Callees::Over);
        let inlined = match self.next(from)? {
            Some(step) => walk.outside_inlined(step, direction)?,
            None => None,
        };
        if let Some(stop) = inlined {
            return Ok(StepTarget::before(stop));
        }
        let context = self.context(from)?;
        let at = self.before_next(from)?;
        let call = context.calls.innermost_at(self.thread, at);
        let Some(call) = call.and_then(|call| context.calls.get(call)) else {
            return Ok(None);
        };
        let found = match direction {
            Direction::Forward => match context.calls.return_step(call) {
                Some(exit) => Some(self.before_next(exit.after())?),
                None => None,
            },
            Direction::Back => call.call_step.map(Step::before),
        };
        let Some(position) = found else {
            return Ok(None);
        };
        let hidden = match direction {
            Direction::Forward => self.begun_at(position)?,
            Direction::Back => 0,
        };
        Ok(Some(StepTarget { position, hidden }))
    }

    fn context(&self, at: Position) -> Result<MoveContext<'a>, QueryError> {
        Ok(MoveContext {
            thread_before: self.thread,
            thread_after: self.thread,
            ..MoveContext::at(&self.session.index, at)?
        })
    }
}

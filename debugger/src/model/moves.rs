//! Moves of a trace window, through all threads or within one.
//!
//! Moves read the trace, so a worker makes them on a copy of the window. [`MoveContext`] has the
//! calls as seen from one position; [`ThreadWalk`] skips the steps of other threads.

use stepback_index::answer::{CallId, CallTable, ThreadId};
use stepback_index::query::NearestStepOf;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{Position, Step};

use crate::action::{Direction, FoldAction};
use crate::analysis::exceptions::window_trap_frames;
use crate::model::TraceWindow;

/// Change of the position of a window or of its folds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowMove {
    /// By steps: through all threads, or within the thread that the window is restricted to.
    Step(Stride, Direction),
    /// To the next or last step of the window's thread, or of the thread at the position.
    StepOfThread(Direction),
    /// Restricts the window to a thread. Without a thread: to that of the position, or to none if
    /// the window was restricted.
    StayInThread(Option<ThreadId>),
    Travel(Position),
    /// To the first or the last position.
    Edge(Direction),
    /// To a position visited before, or gone back from.
    History(Direction),
    Fold(FoldAction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveOutcome {
    /// The move was made, even if it changed nothing.
    Made,
    /// No target: no call, no return, no step of the thread.
    Nowhere,
    /// Nothing can be folded while only hits are shown.
    Unfoldable,
}

impl WindowMove {
    /// Makes the move. Runs on a worker.
    ///
    /// # Errors
    /// The index cannot be read, or the move was cancelled.
    pub fn make(
        &self,
        index: &Index,
        window: &mut TraceWindow,
        cancel: &Cancel,
    ) -> Result<MoveOutcome, QueryError> {
        let walk = |thread| ThreadWalk {
            index,
            thread,
            cancel,
        };
        let ground = |at: Position| MoveContext::at(index, at);
        let here = window.position;
        match self {
            // Move through the visible rows, independent of their threads.
            Self::Step(stride @ (Stride::Row | Stride::Page(_)), direction)
                if window.only_hits.is_on =>
            {
                return Ok(step(window, *stride, *direction, &ground(here)?));
            }
            Self::Step(stride, direction) => match window.thread {
                Some(thread) => return step_of(walk(thread), window, *stride, *direction),
                None => return Ok(step(window, *stride, *direction, &ground(here)?)),
            },
            Self::StepOfThread(direction) => {
                let thread = match window.thread {
                    Some(thread) => thread,
                    None => SlotReader(index).thread_at(here)?,
                };
                return step_of(walk(thread), window, Stride::Into, *direction);
            }
            Self::StayInThread(thread) => {
                window.thread = match (*thread, window.thread) {
                    (Some(thread), _) => Some(thread),
                    (None, Some(_)) => None,
                    (None, None) => Some(SlotReader(index).thread_at(here)?),
                }
            }
            Self::Travel(to) => window.travel(*to, &ground((*to).min(index.end()))?),
            Self::Edge(direction) => window.edge(*direction, &ground(here)?),
            Self::History(direction) => _ = window.history(*direction, &ground(here)?),
            Self::Fold(_) if window.only_hits.is_on => return Ok(MoveOutcome::Unfoldable),
            Self::Fold(FoldAction::WindowTraps) => {
                let frames = window_trap_frames(index, cancel)?;
                if frames.is_empty() {
                    return Ok(MoveOutcome::Nowhere);
                }
                window.fold_frames(&frames, &ground(here)?);
            }
            Self::Fold(what) => window.fold(*what, &ground(here)?),
        }
        Ok(MoveOutcome::Made)
    }
}

fn step(
    window: &mut TraceWindow,
    stride: Stride,
    direction: Direction,
    ground: &MoveContext<'_>,
) -> MoveOutcome {
    match stride {
        Stride::Row => window.step_row(direction, ground),
        Stride::Into => window.step_into(direction, ground),
        Stride::Over => window.step_over(direction, ground),
        Stride::Page(rows) => window.page(direction, rows, ground),
        Stride::Out if window.step_out(direction, ground) => {}
        Stride::Out => return MoveOutcome::Nowhere,
    }
    MoveOutcome::Made
}

fn step_of(
    walk: ThreadWalk<'_>,
    window: &mut TraceWindow,
    stride: Stride,
    direction: Direction,
) -> Result<MoveOutcome, QueryError> {
    let target = walk.target(stride, direction, window.position)?;
    let Some(to) = target else {
        return Ok(MoveOutcome::Nowhere);
    };
    let ground = MoveContext::at(walk.index, window.position)?;
    match stride {
        Stride::Out => window.travel(to, &ground),
        Stride::Row | Stride::Into | Stride::Over | Stride::Page(_) => window.walk(to, &ground),
    }
    Ok(MoveOutcome::Made)
}

/// Kind of a move by steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// One step, or a folded call.
    Row,
    /// One step.
    Into,
    /// One step, or a whole call.
    Over,
    /// To the caller: a jump, recorded in the history as such.
    Out,
    /// Number of rows.
    Page(u64),
}

/// Moves within one thread.
struct ThreadWalk<'a> {
    index: &'a Index,
    thread: ThreadId,
    cancel: &'a Cancel,
}

impl<'a> ThreadWalk<'a> {
    /// Returns the target of a move: always just after a step of the thread, or before its first
    /// one. Returns none if the thread has no step in that direction.
    ///
    /// # Errors
    /// See [`QueryError`].
    fn target(
        &self,
        stride: Stride,
        direction: Direction,
        from: Position,
    ) -> Result<Option<Position>, QueryError> {
        match (stride, direction) {
            (Stride::Row | Stride::Into, direction) => self.neighbour(direction, from),
            (Stride::Over, Direction::Forward) => self.over(from),
            (Stride::Over, Direction::Back) => self.back_over(from),
            (Stride::Out, direction) => self.out(direction, from),
            (Stride::Page(rows), direction) => {
                let mut to = None;
                for _ in 0..rows {
                    match self.neighbour(direction, to.unwrap_or(from))? {
                        Some(next) => to = Some(next),
                        None => break,
                    }
                }
                Ok(to)
            }
        }
    }

    fn neighbour(
        &self,
        direction: Direction,
        from: Position,
    ) -> Result<Option<Position>, QueryError> {
        match direction {
            Direction::Forward => Ok(self.next(from)?.map(Step::after)),
            Direction::Back => match self.last(from)? {
                Some(step) => Ok(Some(self.after_last(step.before())?)),
                None => Ok(None),
            },
        }
    }

    fn over(&self, from: Position) -> Result<Option<Position>, QueryError> {
        let Some(next) = self.next(from)? else {
            return Ok(None);
        };
        let ground = self.ground(from)?;
        let called = ground.calls.called_by(self.thread, next);
        Ok(called
            .and_then(|call| ground.after(call))
            .or(Some(next.after())))
    }

    fn back_over(&self, from: Position) -> Result<Option<Position>, QueryError> {
        let Some(last) = self.last(from)? else {
            return Ok(None);
        };
        let ground = self.ground(from)?;
        let left = ground
            .left_by(last)
            .and_then(|call| ground.calls.get(call)?.call_step);
        self.after_last(left.unwrap_or(last).before()).map(Some)
    }

    fn out(&self, direction: Direction, from: Position) -> Result<Option<Position>, QueryError> {
        let ground = self.ground(from)?;
        let Some(call) = ground
            .frame_at(from)
            .and_then(|frame| ground.calls.get(frame))
        else {
            return Ok(None);
        };
        match direction {
            Direction::Forward => Ok(ground.calls.return_step(call).map(Step::after)),
            Direction::Back => call
                .call_step
                .map(|step| self.after_last(step.before()))
                .transpose(),
        }
    }

    /// Returns the position after the thread's last step before a position; the position itself if
    /// there is no such step.
    fn after_last(&self, before: Position) -> Result<Position, QueryError> {
        Ok(self.last(before)?.map_or(before, Step::after))
    }

    fn ground(&self, at: Position) -> Result<MoveContext<'a>, QueryError> {
        Ok(MoveContext {
            thread_before: self.thread,
            thread_after: self.thread,
            ..MoveContext::at(self.index, at)?
        })
    }

    fn next(&self, from: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::next(self.thread, from).run(self.index, self.cancel)
    }

    fn last(&self, before: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::last(self.thread, before).run(self.index, self.cancel)
    }
}

/// Calls of a trace as seen from one position. Built for each move.
#[derive(Clone, Copy, Debug)]
pub struct MoveContext<'a> {
    /// All calls of the trace.
    pub calls: &'a CallTable,
    /// Last position.
    pub end: Position,
    /// Thread of the step just before the position.
    pub thread_before: ThreadId,
    /// Thread of the step just after the position.
    pub thread_after: ThreadId,
}

impl<'a> MoveContext<'a> {
    /// Reads the context of a position.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn at(index: &'a Index, position: Position) -> Result<Self, QueryError> {
        let end = index.end();
        let thread_before = SlotReader(index).thread_at(position.min(end))?;
        let thread_after = if position < end {
            SlotReader(index).thread_at(position.next_step().after())?
        } else {
            thread_before
        };
        Ok(Self {
            calls: index.calls(),
            end,
            thread_before,
            thread_after,
        })
    }

    /// Returns the frame that a position is in: after a call the new frame, after a return the
    /// caller's.
    pub fn frame_at(&self, position: Position) -> Option<CallId> {
        self.calls.innermost_at(self.thread_before, position)
    }

    /// Returns the outermost frame that ends with a step of the thread before the position.
    pub fn left_by(&self, step: Step) -> Option<CallId> {
        let mut frame = frame_of_step(self.calls, self.thread_before, step)?;
        let ends_here = |id| {
            self.calls
                .get(id)
                .is_some_and(|call| call.exit_step == Some(step))
        };
        if !ends_here(frame) {
            return None;
        }
        while let Some(parent) = self
            .calls
            .get(frame)
            .and_then(|call| call.parent)
            .filter(|parent| ends_here(*parent))
        {
            frame = parent;
        }
        Some(frame)
    }

    /// Returns the position just after a frame; the end of its thread's steps if the frame is still
    /// open.
    pub fn after(&self, frame: CallId) -> Option<Position> {
        let call = self.calls.get(frame)?;
        let last = self
            .calls
            .return_step(call)
            .or_else(|| self.calls.steps_inside(frame).map(|(_, last)| last));
        // A call without recorded steps inside ends with the step that made it.
        last.or(call.call_step).map(Step::after)
    }
}

/// Returns the frame that contains a step of a thread; a call instruction belongs to the caller.
/// O(log n + depth).
pub fn frame_of_step(calls: &CallTable, thread: ThreadId, step: Step) -> Option<CallId> {
    calls.innermost_at(thread, step.before())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_index::build::{BuildOptions, index_in_memory};
    use stepback_parsers::Tarmac;

    use super::*;

    /// Two CPUs take turns. The first calls a function with its third step (4); the function has
    /// one step (6).
    const TRACE: &str = "\
0 clk cpu0 R r13_svc 00009000
1 clk cpu0 IT (1) 00001000 e1a00000 A svc : NOP
2 clk cpu1 IT (1) 00002000 e1a00000 A svc : NOP
3 clk cpu0 IT (2) 00001004 e1a00000 A svc : NOP
4 clk cpu1 IT (2) 00002004 e1a00000 A svc : NOP
5 clk cpu0 IT (3) 00001008 eb000bfc A svc : BL 0x4000
5 clk cpu0 R r14_svc 0000100c
6 clk cpu1 IT (3) 00002008 e1a00000 A svc : NOP
7 clk cpu0 IT (4) 00004000 e12fff1e A svc : BX lr
8 clk cpu1 IT (4) 0000200c e1a00000 A svc : NOP
9 clk cpu0 IT (5) 0000100c e1a00000 A svc : NOP
";

    #[track_caller]
    fn check(stride: Stride, direction: Direction, from: u64, expected: Option<u64>) {
        let tarmac =
            Tarmac::open(Box::new(TRACE.as_bytes().to_vec()), Default::default()).expect("a trace");
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).expect("an index");
        let walk = ThreadWalk {
            index: &index,
            thread: ThreadId(0),
            cancel: &Cancel::default(),
        };
        let target = walk
            .target(stride, direction, Position(from))
            .expect("a move");
        assert_eq!(target.map(|position| position.0), expected);
    }

    #[test]
    fn steps_of_other_threads_are_passed_over() {
        check(Stride::Into, Direction::Forward, 1, Some(3));
        check(Stride::Into, Direction::Forward, 2, Some(3));
        check(Stride::Into, Direction::Back, 5, Some(3));
        check(Stride::Into, Direction::Back, 4, Some(1));
        check(Stride::Into, Direction::Back, 1, Some(0));
    }

    #[test]
    fn a_thread_has_a_first_and_a_last_step() {
        check(Stride::Into, Direction::Back, 0, None);
        check(Stride::Into, Direction::Forward, 9, None);
        check(Stride::Page(2), Direction::Forward, 1, Some(5));
        check(Stride::Page(100), Direction::Forward, 1, Some(9));
        check(Stride::Page(100), Direction::Back, 8, Some(0));
    }

    #[test]
    fn calls_are_passed_over_and_left_in_the_thread() {
        check(Stride::Over, Direction::Forward, 3, Some(7));
        check(Stride::Over, Direction::Back, 7, Some(3));
        check(Stride::Out, Direction::Forward, 5, Some(7));
        check(Stride::Out, Direction::Back, 5, Some(3));
    }
}

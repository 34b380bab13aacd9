//! Moves of a trace window. They read the trace, so a worker makes them on a copy of the window.

use stepback_index::{Cancel, Index, QueryError, SlotReader, ThreadId};
use stepback_parsers::Position;

use super::{MoveContext, Stride, ThreadWalk, TraceWindow};
use crate::action::{Direction, FoldAction};
use crate::analysis::traps::window_trap_frames;

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

/// Outcome of a move.
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
    /// The index cannot be read.
    pub fn make(&self, index: &Index, window: &mut TraceWindow) -> Result<MoveOutcome, QueryError> {
        let ground = |at: Position| MoveContext::at(index, at);
        let here = window.position;
        match self {
            // Move through the visible rows, independent of their threads.
            Self::Step(stride @ (Stride::Row | Stride::Page(_)), way) if window.only_hits.is_on => {
                return Ok(step(window, *stride, *way, &ground(here)?));
            }
            Self::Step(stride, way) => match window.thread {
                Some(thread) => return step_of(index, window, thread, *stride, *way),
                None => return Ok(step(window, *stride, *way, &ground(here)?)),
            },
            Self::StepOfThread(way) => {
                let thread = match window.thread {
                    Some(thread) => thread,
                    None => SlotReader(index).thread_at(here)?,
                };
                return step_of(index, window, thread, Stride::Into, *way);
            }
            Self::StayInThread(thread) => {
                window.thread = match (*thread, window.thread) {
                    (Some(thread), _) => Some(thread),
                    (None, Some(_)) => None,
                    (None, None) => Some(SlotReader(index).thread_at(here)?),
                }
            }
            Self::Travel(to) => window.travel(*to, &ground((*to).min(index.end()))?),
            Self::Edge(way) => window.edge(*way, &ground(here)?),
            Self::History(way) => _ = window.history(*way, &ground(here)?),
            Self::Fold(_) if window.only_hits.is_on => return Ok(MoveOutcome::Unfoldable),
            Self::Fold(FoldAction::WindowTraps) => {
                let frames = window_trap_frames(index, &Cancel::default())?;
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
    way: Direction,
    ground: &MoveContext<'_>,
) -> MoveOutcome {
    match stride {
        Stride::Row => window.step_row(way, ground),
        Stride::Into => window.step_into(way, ground),
        Stride::Over => window.step_over(way, ground),
        Stride::Page(rows) => window.page(way, rows, ground),
        Stride::Out if window.step_out(way, ground) => {}
        Stride::Out => return MoveOutcome::Nowhere,
    }
    MoveOutcome::Made
}

fn step_of(
    index: &Index,
    window: &mut TraceWindow,
    thread: ThreadId,
    stride: Stride,
    way: Direction,
) -> Result<MoveOutcome, QueryError> {
    let target = ThreadWalk::new(index, thread).target(stride, way, window.position)?;
    let Some(to) = target else {
        return Ok(MoveOutcome::Nowhere);
    };
    let ground = MoveContext::at(index, window.position)?;
    match stride {
        Stride::Out => window.travel(to, &ground),
        Stride::Row | Stride::Into | Stride::Over | Stride::Page(_) => window.walk(to, &ground),
    }
    Ok(MoveOutcome::Made)
}

//! The whole trace as a strip: call stacks as boxes, and the ticks and the end of the axis.
//!
//! The call stack is sampled once per pixel column, so the cost does not depend on the length of
//! the trace.

use stepback_index::answer::{Call, CallId, CallTable, ThreadId};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::action::StepRange;
use crate::messages::say;
use crate::model::call_rows::{CallRow, CallStepMeter, CallTreeNode, children_of};
use crate::model::call_stack::{SourceLineMode, stack_frames};
use crate::model::names::{frame_name, function_name};
use crate::model::so_far::IndexedPart;
use crate::session::Session;

/// Part of the trace to draw, and its resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRequest {
    /// Thread whose calls are drawn.
    pub thread: ThreadId,
    /// First position.
    pub first: Position,
    /// Last position.
    pub last: Position,
    /// Number of pixel columns.
    pub columns: u32,
    /// First depth; 0 is the outermost.
    pub top: u32,
    /// Number of depths from there on.
    pub lanes: u32,
}

/// Frames as boxes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameLanes {
    /// Boxes, in no particular order.
    pub boxes: Vec<FrameBox>,
    /// Maximum number of frames in this part of the trace, as sampled.
    pub depths: u32,
}

/// Frame, or several frames of one function that are too short to separate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameBox {
    /// Call depth.
    pub depth: u32,
    /// First column.
    pub first: u32,
    /// Column after the last.
    pub end: u32,
    /// First of its frames.
    pub call: CallId,
    /// Last of its frames.
    pub last_call: CallId,
    /// Position at which the first frame was entered.
    pub entered: Position,
    /// Position at which the last frame was left; the end of the index while it is open.
    pub left: Position,
    /// Function name.
    pub name: String,
}

/// Samples the call stack once per column. Runs on a worker. O(columns · (log n + log² depth +
/// lanes)).
///
/// # Errors
/// [`QueryError::Cancelled`].
pub fn lanes(
    session: &Session,
    request: &LaneRequest,
    cancel: &Cancel,
) -> Result<FrameLanes, QueryError> {
    let calls = session.index.calls();
    let mut sampler = Sampler {
        calls,
        top: request.top,
        open: Vec::new(),
        done: Vec::new(),
    };
    let (depths, mut deepest) = (request.top..request.top.saturating_add(request.lanes), 0);
    for column in 0..request.columns {
        if column % 64 == 0 {
            cancel.check()?;
        }
        let innermost = calls.innermost_at(request.thread, sample(request, column));
        let depth = innermost
            .and_then(|id| calls.get(id))
            .map_or(0, |call| call.depth.saturating_add(1));
        deepest = deepest.max(depth);
        let path = innermost.map(|innermost| calls.part_of_path(innermost, depths.clone()));
        sampler.add(column, &path.unwrap_or_default());
    }
    sampler.close_from(0);
    let named = |open: OpenBox| -> Result<FrameBox, QueryError> {
        let (call, last) = (calls.get(open.call), calls.get(open.last_call));
        Ok(FrameBox {
            name: match &call {
                Some(call) => frame_name(session, call, cancel)?,
                None => function_name(&session.images, open.function),
            },
            entered: call.map_or(Position(0), |call| call.entered_at()),
            left: last.map_or(session.index.end(), |last| left_at(session, &last)),
            depth: open.depth,
            first: open.first,
            end: open.end,
            call: open.call,
            last_call: open.last_call,
        })
    };
    let boxes: Result<_, QueryError> = sampler.done.into_iter().map(named).collect();
    Ok(FrameLanes {
        boxes: boxes?,
        depths: deepest,
    })
}

/// Call stack at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackSummary {
    pub thread: ThreadId,
    /// Number of frames.
    pub depth: u32,
    /// Ranges of the innermost frames from entry to end, innermost first.
    pub around: Vec<StepRange>,
}

/// Maximum number of frames whose ranges are returned.
const AROUND: u32 = 64;

/// Reads the call stack at a position. O(log n + log² depth).
///
/// # Errors
/// See [`QueryError`].
pub fn here(session: &Session, position: Position) -> Result<StackSummary, QueryError> {
    let calls = session.index.calls();
    let thread = SlotReader(&session.index).thread_at(position)?;
    let Some((innermost, call)) = calls
        .innermost_at(thread, position)
        .and_then(|id| Some((id, calls.get(id)?)))
    else {
        return Ok(StackSummary {
            thread,
            ..StackSummary::default()
        });
    };
    let depth = call.depth.saturating_add(1);
    let inwards = calls.part_of_path(innermost, depth.saturating_sub(AROUND)..depth);
    let around = inwards.into_iter().rev().filter_map(|id| calls.get(id));
    let around = around.map(|call| steps_of(session, &call));
    Ok(StackSummary {
        thread,
        depth,
        around: around.collect(),
    })
}

/// Returns the steps from a call's entry to its end, or to that of the trace.
pub fn steps_of(session: &Session, call: &Call) -> StepRange {
    StepRange {
        first: call.entered_at(),
        last: left_at(session, call),
    }
}

fn left_at(session: &Session, call: &Call) -> Position {
    call.exit_step.map_or(session.index.end(), Step::after)
}

/// Describes a frame of the strip for its tooltip. Runs on a worker.
///
/// Cost: its arguments' last writes, and a look at the calls that it made, at most
/// [`CALLS_COUNTED`].
///
/// # Errors
/// See [`QueryError`].
pub fn frame_hint(session: &Session, id: CallId, cancel: &Cancel) -> Result<String, QueryError> {
    let Some(call) = session.index.calls().get(id) else {
        return Ok(String::new());
    };
    let row = CallRow::new(&mut CallStepMeter::new(session), id, &call)?;
    let mut lines = Vec::new();
    for frame in stack_frames(session, &[id], SourceLineMode::LeftOut, cancel)? {
        lines.extend([frame.signature(4), frame.call_text()]);
    }
    let inside = children_of(session, CallTreeNode::Call(id), CALLS_COUNTED, cancel)?;
    let of_calls: u64 = inside.rows.iter().map(|row| row.steps).sum();
    let steps = row.steps_text(session);
    lines.push(match inside.next {
        Some(_) => steps,
        None => say!(
            "timeline-own",
            steps = steps,
            own = row.steps.saturating_sub(of_calls)
        ),
    });
    Ok(lines.join("\n"))
}

/// Maximum number of calls of a frame for which its own steps are computed.
pub const CALLS_COUNTED: usize = 2000;

/// Returns the position in the middle of a column.
fn sample(request: &LaneRequest, column: u32) -> Position {
    let length = u128::from(request.last.0.saturating_sub(request.first.0));
    let offset = length * (2 * u128::from(column) + 1) / (2 * u128::from(request.columns.max(1)));
    Position(
        request
            .first
            .0
            .saturating_add(u64::try_from(offset).unwrap_or(u64::MAX)),
    )
}

struct Sampler<'a> {
    calls: &'a CallTable,
    top: u32,
    /// Open boxes by depth, from `top` on.
    open: Vec<OpenBox>,
    done: Vec<OpenBox>,
}

struct OpenBox {
    depth: u32,
    first: u32,
    end: u32,
    call: CallId,
    last_call: CallId,
    function: Address,
}

impl Sampler<'_> {
    fn add(&mut self, column: u32, path: &[CallId]) {
        for (lane, call) in path.iter().enumerate() {
            let function = self
                .calls
                .get(*call)
                .map(|call| call.function)
                .unwrap_or_default();
            if let Some(open) = self
                .open
                .get_mut(lane)
                .filter(|open| open.goes_on(*call, function, column))
            {
                open.last_call = *call;
                open.end = column + 1;
                continue;
            }
            self.close_from(lane);
            let depth = u32::try_from(lane)
                .unwrap_or(u32::MAX)
                .saturating_add(self.top);
            let (first, end) = (column, column + 1);
            self.open.push(OpenBox {
                depth,
                first,
                end,
                call: *call,
                last_call: *call,
                function,
            });
        }
        self.close_from(path.len());
    }

    fn close_from(&mut self, lane: usize) {
        self.done
            .extend(self.open.drain(lane.min(self.open.len())..));
    }
}

impl OpenBox {
    /// Returns true if a box continues with a call: the same frame, or another one of the same
    /// function after a box of a single column. A separate box would only flicker.
    fn goes_on(&self, call: CallId, function: Address, column: u32) -> bool {
        let is_short = self.call != self.last_call || column - self.first <= 1;
        self.last_call == call || (function == self.function && is_short)
    }
}

/// Returns the distance between ticks: 1, 2 or 5 times a power of ten, at least `spacing` pixels.
pub fn tick_step(length: u64, width: f32, spacing: f32) -> u64 {
    let per_pixel = length as f64 / f64::from(width.max(1.0));
    let least = per_pixel * f64::from(spacing);
    let mut power = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if step as f64 >= least || step == u64::MAX {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Iterates over the ticks between two positions.
pub fn ticks(first: Position, last: Position, step: u64) -> impl Iterator<Item = Position> {
    let step = step.max(1);
    let start = first.0.div_ceil(step).checked_mul(step);
    std::iter::successors(start, move |tick| tick.checked_add(step))
        .take_while(move |tick| *tick <= last.0)
        .map(Position)
}

/// The trace counts as fully indexed if the estimated rest is at most one part in this many.
const CAUGHT_UP: u64 = 50;

/// End of the axis. While a trace is being indexed it stays at the expected end, so that the
/// drawing does not move.
#[derive(Clone, Copy, Debug, Default)]
pub struct AxisEnd {
    held: Option<u64>,
}

impl AxisEnd {
    /// Returns the end for a trace with `steps` indexed steps. `part` is the indexed share, or none
    /// for a whole trace.
    pub fn look(&mut self, steps: u64, part: Option<&IndexedPart>) -> u64 {
        let expected = part.map_or(steps, |part| {
            let whole = u128::from(steps) * u128::from(part.total) / u128::from(part.bytes.max(1));
            u64::try_from(whole).unwrap_or(u64::MAX)
        });
        if expected <= steps.saturating_add(steps / CAUGHT_UP) {
            // A live trace that grows while it is followed has no expected end.
            self.held = None;
            return steps;
        }
        let held = self.held.filter(|held| *held >= steps);
        *self.held.insert(held.unwrap_or(expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn ticks_are_round_and_apart() {
        assert_eq!(tick_step(1763, 1500.0, 75.0), 100);
        assert_eq!(tick_step(1763, 1180.0, 75.0), 200);
        assert_eq!(tick_step(10, 1500.0, 75.0), 1);
        assert_eq!(tick_step(u64::MAX, 1000.0, 75.0), 2_000_000_000_000_000_000);
        let shown: Vec<u64> = ticks(Position(130), Position(460), 100)
            .map(|tick| tick.0)
            .collect();
        assert_eq!(shown, [200, 300, 400]);
    }

    #[test]
    fn samples_are_in_the_middle_of_their_columns() {
        let request = LaneRequest {
            thread: ThreadId(0),
            first: Position(0),
            last: Position(100),
            columns: 10,
            top: 0,
            lanes: 5,
        };
        assert_eq!(
            (sample(&request, 0), sample(&request, 9)),
            (Position(5), Position(95))
        );
        let whole = LaneRequest {
            last: Position(u64::MAX),
            ..request
        };
        assert!(sample(&whole, 9) > Position(u64::MAX / 2));
    }

    #[test]
    fn the_stack_is_sampled_once_a_column() {
        let request = LaneRequest {
            thread: ThreadId(0),
            first: Position(0),
            last: Position(1763),
            columns: 100,
            top: 0,
            lanes: 3,
        };
        let session = overflow();
        let deeper = lanes(
            &session,
            &LaneRequest { top: 2, ..request },
            &Cancel::default(),
        )
        .unwrap();
        let lanes = lanes(&session, &request, &Cancel::default()).unwrap();
        let of_third =
            |lanes: &FrameLanes| lanes.boxes.iter().filter(|frame| frame.depth == 2).count();
        assert_eq!(of_third(&deeper), of_third(&lanes));
        assert!(
            deeper.boxes.iter().all(|frame| frame.depth >= 2)
                && deeper.depths == lanes.depths
                && lanes.depths > 3
        );
        let of_depth = |depth| {
            let boxes = lanes.boxes.iter().filter(move |frame| frame.depth == depth);
            let mut columns: Vec<(u32, u32)> =
                boxes.map(|frame| (frame.first, frame.end)).collect();
            columns.sort_unstable();
            columns
        };
        assert_eq!((of_depth(0), of_depth(1)), (vec![(0, 100)], vec![(0, 100)]));
        assert!(of_depth(2).contains(&(5, 90)), "{:?}", of_depth(2));
        assert!(of_depth(3).is_empty());
    }
}

#[cfg(test)]
mod axis_end_tests {
    use super::*;

    #[test]
    fn the_axis_stays_while_a_trace_is_indexed_and_ends_where_the_trace_does() {
        let part = |steps, bytes| IndexedPart {
            steps,
            bytes,
            total: 1000,
        };
        let mut axis = AxisEnd::default();
        assert_eq!(axis.look(100, Some(&part(100, 200))), 500);
        // The next part leads to another estimate.
        assert_eq!(axis.look(300, Some(&part(300, 500))), 500);
        assert_eq!(axis.look(510, Some(&part(510, 900))), 566);
        assert_eq!(axis.look(580, Some(&part(580, 1000))), 580);
        assert_eq!(axis.look(600, None), 600);
    }
}

//! State of the timeline between frames: its queries, the part of the trace and the call depths in
//! view, and the drag under way.

use std::sync::Arc;

use stepback_debugger::action::{CellName, TimelineFit, TimelineLanes};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::analysis::schedule::{BoundedList, LaneMark};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::model::lane_view::{LaneId, lane_ids};
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::model::threads::Threads;
use stepback_debugger::model::timeline::{
    AxisEnd, FrameBox, FrameLanes, LaneRequest, StackSummary,
};
use stepback_debugger::model::timeline_rows::{AccessDensities, TimelineRows, TimelineRowsRequest};
use stepback_debugger::model::wave::{Wave, WaveRequest};
use stepback_debugger::worker::Slot;
use stepback_index::answer::{CallId, Cell};
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::timeline::view::VisibleRange;

/// Heights of the timeline for its content, in points.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContentHeights {
    /// Shows all rows and a usual number of lanes.
    pub usual: f32,
    /// Shows all rows and all lanes.
    pub whole: f32,
}

/// State of the timeline between frames.
#[derive(Debug, Default)]
pub struct TimelineState {
    session: SessionWatch,
    /// One slot for each thread that is shown.
    pub(super) lanes: Vec<Slot<LaneRequest, FrameLanes>>,
    /// Frames around the position.
    pub(super) here: Slot<Position, StackSummary>,
    /// Tooltip of the frame under the pointer.
    pub(super) hint: Slot<CallId, String>,
    /// Selected cell.
    pub(super) cell: Slot<CellNameQuery, Option<Cell>>,
    /// Ticks of the rows below the lanes.
    pub(super) rows: Slot<TimelineRowsRequest, TimelineRows>,
    /// End of the axis.
    axis: AxisEnd,
    pub(super) end: u64,
    /// Heights for the content. They never shrink, so that the panels below stay where they are.
    heights: ContentHeights,
    /// Densities of memory accesses.
    pub(super) densities: Slot<TimelineRowsRequest, AccessDensities>,
    /// One slot for each value that is drawn along the trace.
    pub(super) waves: Vec<Slot<WaveRequest, Wave>>,
    /// Row of values under the pointer, and the row on which the context menu was opened.
    pub(super) wave_under: Option<usize>,
    pub(super) menu_wave: Option<usize>,
    /// Entries of exception handlers.
    pub(super) exceptions: Slot<(), Arc<BoundedList<LaneMark>>>,
    /// Contents that the user chose.
    chosen: Option<TimelineLanes>,
    /// First lane of threads or cores in view.
    pub(super) top: usize,
    /// Lane that was last brought into view.
    pub(super) revealed: Option<usize>,
    /// Cached lanes of a kind, valid for one set of threads.
    ids: Option<LaneIdCache>,
    /// Call depths in view.
    pub(super) depths: DepthScroll,
    /// Lanes by which the mouse scrolled in the chart since they were last drawn.
    pub(super) lanes_to_scroll: isize,
    /// Fraction of a lane that the mouse scrolled beyond the whole lanes.
    rest: f32,
    /// Part of the trace in view; none: all of it.
    pub(super) view: Option<VisibleRange>,
    /// Part of the trace that a command requested to see.
    wish: Option<TimelineFit>,
    /// The active window and its position in the last frame. When it moves, the view follows.
    followed: Option<FollowedPosition>,
    /// Current drag of the primary button.
    pub(super) held: Option<DragState>,
    /// Selected part of the trace.
    pub(super) selection: Option<StepRange>,
    /// Frame on which the context menu was opened.
    pub(super) menu_frame: Option<FrameBox>,
}

/// The active window and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FollowedPosition {
    window: WindowId,
    position: Position,
}

/// Cached lanes of a kind, with their inputs. There are as many as threads, so they are not listed
/// in every frame.
#[derive(Debug)]
struct LaneIdCache {
    threads: Arc<Threads>,
    kind: TimelineLanes,
    ids: Arc<[LaneId]>,
}

impl TimelineState {
    /// Returns the lanes of a kind, from top to bottom.
    pub(super) fn ids(&mut self, threads: &Arc<Threads>, kind: TimelineLanes) -> Arc<[LaneId]> {
        let known = self
            .ids
            .take()
            .filter(|known| Arc::ptr_eq(&known.threads, threads) && known.kind == kind);
        let known = known.unwrap_or_else(|| {
            let ids = lane_ids(&threads.schedule, kind).into();
            LaneIdCache {
                threads: Arc::clone(threads),
                kind,
                ids,
            }
        });
        let ids = Arc::clone(&known.ids);
        self.ids = Some(known);
        ids
    }

    /// Converts points that the contents moved down to whole lanes to scroll by. Wheels move smoothly
    /// over several frames, so the rest is kept for the next one.
    pub(super) fn lanes_scrolled(&mut self, points: f32, height: f32) -> isize {
        self.rest -= points / height;
        let whole = self.rest.trunc();
        self.rest -= whole;
        whole as isize
    }

    /// Shows lanes of a kind.
    pub fn choose(&mut self, lanes: TimelineLanes) {
        (self.chosen, self.top, self.revealed) = (Some(lanes), 0, None);
    }

    /// Shows a part of the trace as soon as its location is known.
    pub fn fit(&mut self, fit: TimelineFit) {
        self.wish = Some(fit);
    }

    /// Selects a part of the trace.
    pub fn select(&mut self, range: Option<StepRange>) {
        self.selection = range.filter(|range| range.first < range.last);
    }

    /// Returns the selected part of the trace.
    pub fn selection(&self) -> Option<StepRange> {
        self.selection
    }

    /// Returns the part of the trace in view; none: all of it.
    pub fn view(&self) -> Option<StepRange> {
        self.view.map(|VisibleRange { first, last }| StepRange {
            first: Position(first),
            last: Position(last),
        })
    }

    /// Shows a part of a trace that ends at `end`.
    pub(super) fn show(&mut self, view: VisibleRange, end: u64) {
        self.view = Some(view).filter(|view| *view != VisibleRange::whole(end));
    }

    /// Returns the lanes that are shown: the chosen ones, otherwise a default. The default is
    /// threads if only times order their steps, and calls in all other traces.
    pub fn shown(&self, threads: Option<&Threads>) -> TimelineLanes {
        let is_by_time = threads.is_some_and(|threads| threads.schedule.is_order_by_time);
        self.chosen.unwrap_or(if is_by_time {
            TimelineLanes::Threads
        } else {
            TimelineLanes::Calls
        })
    }

    /// Notes the heights for the content in view.
    pub(super) fn want(&mut self, heights: ContentHeights) {
        self.heights = ContentHeights {
            usual: self.heights.usual.max(heights.usual),
            whole: self.heights.whole.max(heights.whole),
        };
    }

    /// Returns the heights for the content.
    pub fn heights(&self) -> ContentHeights {
        self.heights
    }

    /// Updates the view for a frame: fits the part that a command requested, and follows a position
    /// that left the view. Another trace resets the state.
    pub(super) fn look(&mut self, cx: &PanelContext<'_>) {
        if self.session.is_new(&cx.desk.session) {
            let (session, chosen) = (std::mem::take(&mut self.session), self.chosen);
            *self = Self {
                session,
                chosen,
                ..Self::default()
            };
        }
        let part = IndexedPart::of(&cx.desk.session);
        let end = self
            .axis
            .look(cx.desk.session.index.step_count(), part.as_ref());
        self.end = end;
        let window = cx.desk.windows.active();
        let now = FollowedPosition {
            window: window.id,
            position: window.position,
        };
        let has_moved = self
            .followed
            .replace(now)
            .is_some_and(|before| before != now);
        let view = self.view.unwrap_or(VisibleRange::whole(end)).within(end);
        if has_moved && self.held.is_none() && !view.contains(now.position.0) {
            self.show(view.around(now.position.0, end), end);
        }
        let known = self
            .here
            .peek()
            .filter(|(at, _)| **at == now.position)
            .map(|(_, here)| here);
        let fitted = match self.wish {
            Some(TimelineFit::Whole) => Some(VisibleRange::whole(end)),
            Some(TimelineFit::Position) => Some(view.around(now.position.0, end)),
            Some(TimelineFit::Selection) => self.selection.map(|range| {
                VisibleRange {
                    first: range.first.0,
                    last: range.last.0,
                }
                .fitting(end)
            }),
            // The answer is still being computed.
            Some(TimelineFit::Call) if known.is_none() => return,
            Some(TimelineFit::Call) => known.and_then(|here| next_call(here, view, end)),
            None => None,
        };
        self.wish = None;
        if let Some(fitted) = fitted {
            self.show(fitted, end);
        }
    }
}

/// Returns the innermost frame, or the frame around the one in view. After the outermost one it
/// returns the innermost again.
fn next_call(here: &StackSummary, view: VisibleRange, end: u64) -> Option<VisibleRange> {
    let fit = |range: &StepRange| {
        VisibleRange {
            first: range.first.0,
            last: range.last.0,
        }
        .fitting(end)
    };
    let fitted: Vec<VisibleRange> = here.around.iter().map(fit).collect();
    let place = fitted.iter().rposition(|fitted| *fitted == view);
    let next = place.map_or(0, |place| place + 1);
    fitted.get(next).or(fitted.first()).copied()
}

/// The drag of the primary button while it is down.
#[derive(Clone, Copy, Debug)]
pub enum DragState {
    /// A window's handle; `origin` is its position at the start of the drag.
    Handle { window: WindowId, origin: Position },
    /// A selection; `from` is its other end.
    Selection { from: u64 },
}

/// A cell name, and the position at which it is resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct CellNameQuery {
    pub name: CellName,
    pub at: Position,
}
/// The call depths in view.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthScroll {
    /// First depth in view.
    pub top: u32,
    /// Number of depths in the part of the trace in view.
    pub count: u32,
    /// Depth of the position when its frame was last brought into view.
    revealed: u32,
}

/// The depths in view, and the number of all depths.
#[derive(Clone, Copy, Debug)]
pub struct ShownDepths {
    pub first: u32,
    pub shown: u32,
    pub count: u32,
}

impl DepthScroll {
    /// Brings the frame at the position into view once per depth: the user may scroll away
    /// afterwards.
    pub fn reveal(&mut self, depth: u32, room: u32) {
        // A timeline that became taller shows what was above.
        let most = self.count.max(depth).saturating_sub(room);
        self.top = self.top.min(most);
        if depth == self.revealed {
            return;
        }
        self.revealed = depth;
        let innermost = depth.saturating_sub(1);
        if innermost < self.top {
            // One caller in view gives the context.
            self.top = innermost.saturating_sub(1);
        } else if innermost >= self.top.saturating_add(room) {
            self.top = (innermost + 1).saturating_sub(room);
        }
    }

    /// Scrolls by a number of depths.
    pub fn scroll(&mut self, by: isize, room: u32) {
        let most = self.count.max(self.revealed).saturating_sub(room);
        let by = i32::try_from(by).unwrap_or(0);
        if by != 0 {
            self.top = self.top.saturating_add_signed(by).min(most);
        }
    }

    /// Returns the depths in view if `room` of them fit.
    pub fn shown(self, room: u32) -> ShownDepths {
        ShownDepths {
            first: self.top,
            shown: room,
            count: self.count.max(self.revealed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notch_scrolls_equally_far_in_one_frame_and_in_many() {
        for frames in [1u8, 7, 40] {
            let mut state = TimelineState::default();
            // A notch upwards shows what is above.
            let scrolled: isize = (0..frames)
                .map(|_| state.lanes_scrolled(39.5 / f32::from(frames), 13.0))
                .sum();
            assert_eq!(scrolled, -3, "{frames} frames");
        }
    }

    #[test]
    fn the_innermost_frame_comes_into_view_and_can_be_scrolled_away_from() {
        let mut depths = DepthScroll {
            count: 30,
            ..DepthScroll::default()
        };
        depths.reveal(5, 7);
        assert_eq!(depths.top, 0);
        depths.reveal(20, 7);
        assert_eq!(depths.top, 13);
        depths.scroll(-10, 7);
        depths.reveal(20, 7);
        assert_eq!(depths.top, 3);
        depths.reveal(2, 7);
        assert_eq!(depths.top, 0);
        depths.scroll(99, 7);
        assert_eq!(depths.top, 23);
    }
}

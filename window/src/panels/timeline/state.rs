//! What the timeline remembers from frame to frame.

use std::sync::Arc;

use stepback_index::{CallId, Cell};
use stepback_parsers::Position;

use super::depths::DepthScroll;
use super::view::VisibleRange;
use crate::panels::PanelContext;
use stepback_debugger::action::{CellName, StepRange, TimelineFit, TimelineLanes, WindowId};
use stepback_debugger::analysis::schedule::{BoundedList, LaneMark};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::model::axis_end::AxisEnd;
use stepback_debugger::model::lane_view::{LaneId, lane_ids};
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::model::threads::Threads;
use stepback_debugger::model::timeline::{FrameBox, FrameLanes, LaneRequest, StackSummary};
use stepback_debugger::model::timeline_density::AccessDensities;
use stepback_debugger::model::timeline_rows::{TimelineRows, TimelineRowsRequest};
use stepback_debugger::model::wave::{Wave, WaveRequest};
use stepback_debugger::worker::Slot;

/// What the timeline remembers from frame to frame.
#[derive(Debug, Default)]
pub struct TimelineState {
    session: SessionWatch,
    /// One a thread that is shown.
    pub(super) lanes: Vec<Slot<LaneRequest, FrameLanes>>,
    /// Whose frames are around the position.
    pub(super) here: Slot<Position, StackSummary>,
    /// What is said of the frame under the pointer.
    pub(super) hint: Slot<CallId, String>,
    /// The selected cell.
    pub(super) cell: Slot<CellNameQuery, Option<Cell>>,
    /// What the rows below the lanes show.
    pub(super) rows: Slot<TimelineRowsRequest, TimelineRows>,
    /// Where the axis ends.
    axis: AxisEnd,
    pub(super) end: u64,
    /// How densely memory is accessed.
    pub(super) densities: Slot<TimelineRowsRequest, AccessDensities>,
    /// One a value that is drawn along the trace.
    pub(super) waves: Vec<Slot<WaveRequest, Wave>>,
    /// The row of values under the pointer, and the one that the context menu was opened on.
    pub(super) wave_under: Option<usize>,
    pub(super) menu_wave: Option<usize>,
    /// Where handlers are entered.
    pub(super) exceptions: Slot<(), Arc<BoundedList<LaneMark>>>,
    /// What is shown, where the user chose it.
    chosen: Option<TimelineLanes>,
    /// The first lane of threads or cores in view.
    pub(super) top: usize,
    /// The lane that was last brought into view.
    pub(super) revealed: Option<usize>,
    /// The lanes of a kind, as long as the threads are the same.
    ids: Option<LaneIdCache>,
    /// Which depths of the calls are in view.
    pub(super) depths: DepthScroll,
    /// Depths that the mouse asked to scroll by.
    pub(super) depths_to_scroll: isize,
    /// Less than a lane that the middle button dragged.
    pub(super) rest: f32,
    /// Which part of the trace is in view; none: all of it.
    pub(super) view: Option<VisibleRange>,
    /// What a command asked to be in view.
    wish: Option<TimelineFit>,
    /// The position that was in view last: where it goes, the view follows.
    followed: Option<FollowedPosition>,
    /// What the mouse holds.
    pub(super) held: Option<DragState>,
    /// The part of the trace that is selected.
    pub(super) selection: Option<StepRange>,
    /// The frame that the context menu was opened on.
    pub(super) menu_frame: Option<FrameBox>,
}

/// The position of the active window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FollowedPosition {
    window: WindowId,
    position: Position,
}

/// The lanes of a kind and what they were made from: as many as the trace has threads, so no frame lists them anew.
#[derive(Debug)]
struct LaneIdCache {
    threads: Arc<Threads>,
    kind: TimelineLanes,
    ids: Arc<[LaneId]>,
}

impl TimelineState {
    /// The lanes of a kind, from top to bottom.
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

    /// Shows lanes of a kind.
    pub fn choose(&mut self, lanes: TimelineLanes) {
        (self.chosen, self.top, self.revealed) = (Some(lanes), 0, None);
    }

    /// Shows a part of the trace as soon as it is known where it lies.
    pub fn fit(&mut self, fit: TimelineFit) {
        self.wish = Some(fit);
    }

    /// Selects a part of the trace.
    pub fn select(&mut self, range: Option<StepRange>) {
        self.selection = range.filter(|range| range.first < range.last);
    }

    /// The part of the trace that is selected.
    pub fn selection(&self) -> Option<StepRange> {
        self.selection
    }

    /// Which part of the trace is in view; none: all of it.
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

    /// What is shown: threads where their steps are known by times alone, calls in all other traces.
    pub fn shown(&self, threads: Option<&Threads>) -> TimelineLanes {
        let is_by_time = threads.is_some_and(|threads| threads.schedule.is_order_by_time);
        self.chosen.unwrap_or(if is_by_time {
            TimelineLanes::Threads
        } else {
            TimelineLanes::Calls
        })
    }

    /// What a command asked for comes into view, and the position where it went out of it. Another trace starts afresh.
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
            // The answer is on its way.
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

/// The innermost frame, or the one around that which is in view; around the outermost one, the innermost again.
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

/// What the primary button holds while it is down.
#[derive(Clone, Copy, Debug)]
pub enum DragState {
    /// The position of a window, which was somewhere when it was taken.
    Handle { window: WindowId, origin: Position },
    /// The other end of the selection.
    Selection { from: u64 },
}

/// A cell, and where its name is to be understood.
#[derive(Clone, Debug, PartialEq)]
pub struct CellNameQuery {
    pub name: CellName,
    pub at: Position,
}

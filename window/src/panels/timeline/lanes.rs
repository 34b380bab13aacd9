//! Lanes of threads and cores: the core of each thread, or the thread on each core, over time.

use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::TimelineLanes;
use stepback_debugger::analysis::schedule::{
    BoundedList, LaneMark, LaneMarkKind, LanePeer, Schedule, boxes,
};
use stepback_debugger::model::lane_view::{
    LaneId, lane_hint, lane_name, scrolled, short_peer_name, stretch_boxes,
};
use stepback_debugger::model::threads::Threads;

use super::paint::{AXIS, TimelineStrip, lane_height, tip_ui};
use super::state::TimelineState;
use crate::panels::PanelContext;
use crate::panels::pen::{INSET, Pen};
use crate::theme::{semi, ui as ui_font};

/// Gap above the first lane and below the last.
const PADDING: f32 = 4.0;
/// Maximum distance, in columns, of a click from the mark that it selects.
const GRIP: u32 = 3;

/// Pen and panel context of the timeline.
pub struct TimelineCanvas<'a> {
    pub pen: &'a Pen<'a>,
    pub cx: &'a PanelContext<'a>,
}

/// Schedule and kind of the lanes.
pub struct LaneSource<'a> {
    pub threads: &'a Arc<Threads>,
    pub kind: TimelineLanes,
}

/// A lane, and whether it contains the thread at the position.
pub struct LaneLabel {
    pub id: LaneId,
    pub is_current: bool,
}

/// Draws the lanes of a kind. Returns the position of the mark under the pointer.
pub fn lanes_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    LaneSource { threads, kind }: LaneSource<'_>,
    state: &mut TimelineState,
) -> Option<u64> {
    let (schedule, ids) = (&threads.schedule, state.ids(threads, kind));
    let top = strip.rect.top() + AXIS + PADDING;
    let height = lane_height(ui.ctx().content_rect().height());
    let room = (((strip.floor - PADDING - top) / height).floor() as usize).max(1);
    let here = current_lane(cx, schedule, kind);
    let place = here.and_then(|here| ids.binary_search(&here).ok());
    let wanted = place.filter(|_| state.revealed != place);
    state.revealed = place.or(state.revealed);
    // Above calls, their lanes were scrolled.
    let dragged = std::mem::take(&mut state.lanes_to_scroll);
    let scrolled_by = wheel_over_labels(ui, strip, state) + dragged;
    state.top = scrolled(
        state.top.saturating_add_signed(scrolled_by),
        ids.len(),
        room,
        wanted,
    );
    let lanes = LanePainter {
        pen,
        cx,
        strip,
        schedule,
        height,
    };
    let mut mark = None;
    for (row, id) in (0u16..).zip(ids.iter().skip(state.top).take(room)) {
        let top = top + f32::from(row) * height;
        lanes.label(
            LaneLabel {
                id: *id,
                is_current: here == Some(*id),
            },
            top,
        );
        mark = mark.or(lanes.lane_ui(ui, *id, top));
    }
    lanes.position_in_list(state.top, ids.len(), room, top);
    mark
}

/// Returns the lane of the thread at the position.
fn current_lane(cx: &PanelContext<'_>, schedule: &Schedule, kind: TimelineLanes) -> Option<LaneId> {
    let position = cx.desk.windows.active().position;
    let thread = usize::from(cx.desk.threads.here()?.0);
    if kind == TimelineLanes::Threads {
        return Some(LaneId::Thread(thread));
    }
    match schedule
        .threads
        .get(thread)?
        .stretches
        .last_at(position.0.saturating_sub(1))?
        .who
    {
        LanePeer::One(core) => Some(LaneId::Core(core)),
        LanePeer::Unknown | LanePeer::Several => None,
    }
}

/// Takes the wheel over the labels. Returns the number of lanes to scroll by.
pub fn wheel_over_labels(ui: &Ui, strip: &TimelineStrip, state: &mut TimelineState) -> isize {
    let labels = Rect::from_min_max(strip.rect.min, pos2(strip.chart.left(), strip.floor));
    if !ui.rect_contains_pointer(labels) {
        return 0;
    }
    let moved = ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.y));
    state.lanes_scrolled(moved, lane_height(ui.ctx().content_rect().height()))
}

/// Painter of the lanes, for one frame.
struct LanePainter<'a> {
    pen: &'a Pen<'a>,
    cx: &'a PanelContext<'a>,
    strip: &'a TimelineStrip,
    schedule: &'a Schedule,
    height: f32,
}

impl LanePainter<'_> {
    fn label(&self, LaneLabel { id, is_current }: LaneLabel, top: f32) {
        let (pen, strip) = (self.pen, self.strip);
        if !strip.has_room_for_label(top) {
            return;
        }
        let name = lane_name(id, self.cx.desk.session.index.threads());
        let (font, color) = if is_current {
            (semi(11.0), pen.tok.t1)
        } else {
            (ui_font(11.0), pen.tok.t3)
        };
        let (x, right) = (strip.rect.left() + INSET, strip.chart.left() - 8.0);
        pen.cut_text(pos2(x, top + self.height / 2.0), &name, font, color, right);
    }

    /// Draws a lane. Returns the position of the mark under the pointer.
    fn lane_ui(&self, ui: &Ui, id: LaneId, top: f32) -> Option<u64> {
        let (tok, chart) = (self.pen.tok, self.strip.chart);
        let pen = Pen {
            painter: self.pen.painter.with_clip_rect(chart),
            tok,
        };
        let columns = chart.width().max(1.0) as u32;
        let view = (self.strip.first, self.strip.last);
        let whole = Rect::from_min_size(
            pos2(chart.left(), top),
            vec2(chart.width(), self.height - 1.0),
        );
        pen.line_across(chart.left(), chart.right(), whole.center().y, tok.line);
        let lane = match id {
            LaneId::Thread(number) => self
                .schedule
                .threads
                .get(number)
                .map(|lane| &lane.stretches),
            LaneId::Core(core) => self.schedule.cores.get(&core),
        };
        for (columns, who) in lane
            .map(|lane| stretch_boxes(lane, view.0..view.1, columns))
            .unwrap_or_default()
        {
            let rect = column_rect(whole, columns.start, columns.end);
            pen.fill(
                rect,
                if let LanePeer::One(peer) = who {
                    tok.lane(peer)
                } else {
                    tok.bg4
                },
            );
            let name = short_peer_name(id, who, self.cx.desk.session.index.threads())
                .filter(|_| rect.width() > 44.0);
            let Some(name) = name else { continue };
            if pen.width(&name, ui_font(10.5)) + 8.0 <= rect.width() {
                let color = if who == LanePeer::Several {
                    tok.t2
                } else {
                    tok.flame_text
                };
                pen.text(
                    rect.left() + 4.0,
                    rect.center().y,
                    &name,
                    ui_font(10.5),
                    color,
                );
            }
        }
        let marks = match id {
            LaneId::Thread(number) => self.schedule.threads.get(number).map(|lane| &lane.marks),
            LaneId::Core(_) => None,
        };
        let under = marks.and_then(|marks| self.marks_ui(ui, &pen, marks, whole));
        self.hover_ui(ui, id, whole, under);
        under.map(|(mark, _)| mark.first)
    }

    /// Draws the marks of a thread. Returns the mark under the pointer, and the number of marks
    /// that share its place.
    fn marks_ui(
        &self,
        ui: &Ui,
        pen: &Pen<'_>,
        marks: &BoundedList<LaneMark>,
        whole: Rect,
    ) -> Option<(LaneMark, u64)> {
        let tok = pen.tok;
        let columns = whole.width().max(1.0) as u32;
        let pointer = ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| whole.contains(*at));
        let pointed = pointer.map(|at| (at.x - whole.left()).max(0.0) as u32);
        let mut under = None;
        for drawn in boxes(marks, self.strip.first..self.strip.last, columns) {
            let Some(pieces) = marks.list().get(drawn.place..drawn.place + drawn.count) else {
                continue;
            };
            let Some((first, kind)) = pieces
                .first()
                .zip(pieces.iter().map(|mark| mark.kind).max())
            else {
                continue;
            };
            let rect = column_rect(whole, drawn.left, drawn.right);
            match kind {
                LaneMarkKind::SystemCall => {
                    let left = rect.left();
                    pen.fill(
                        Rect::from_min_max(
                            pos2(left, whole.bottom() - 4.0),
                            pos2(left + 2.0, whole.bottom()),
                        ),
                        tok.call,
                    );
                }
                LaneMarkKind::Kernel => {
                    let wide = rect.width().max(2.0);
                    pen.fill(Rect::from_min_size(rect.min, vec2(wide, 3.0)), tok.warn);
                }
                LaneMarkKind::Signal => pen.fill(
                    Rect::from_min_size(rect.min, vec2(2.0, whole.height())),
                    tok.err,
                ),
            }
            if pointed.is_some_and(|at| at + GRIP >= drawn.left && at <= drawn.right + GRIP) {
                let count = pieces.iter().map(|mark| mark.count).sum::<u64>().max(1);
                under = Some((LaneMark { kind, ..*first }, count));
            }
        }
        under
    }

    fn hover_ui(&self, ui: &Ui, id: LaneId, whole: Rect, under: Option<(LaneMark, u64)>) {
        let pointer = ui.input(|input| input.pointer.hover_pos());
        let Some(pointer) =
            pointer.filter(|at| whole.contains(*at) && ui.rect_contains_pointer(whole))
        else {
            return;
        };
        let position = under.map_or_else(
            || self.strip.position_at(pointer.x).0,
            |(mark, _)| mark.first,
        );
        let marks = under.map(|(mark, count)| (mark.kind, count));
        let threads = self.cx.desk.session.index.threads();
        tip_ui(ui, lane_hint(self.schedule, threads, id, position, marks));
    }

    /// Draws the lanes in view as a scroll bar without a grip, next to the labels.
    fn position_in_list(&self, first: usize, lanes: usize, room: usize, top: f32) {
        if lanes <= room {
            return;
        }
        let (tok, x) = (self.pen.tok, self.strip.chart.left() - 5.0);
        let height = room as f32 * self.height;
        let part = |count: usize| height * count as f32 / lanes as f32;
        self.pen.fill(
            Rect::from_min_size(pos2(x, top), vec2(3.0, height)),
            tok.bg3,
        );
        self.pen.fill(
            Rect::from_min_size(pos2(x, top + part(first)), vec2(3.0, part(room).max(6.0))),
            tok.ctl,
        );
    }
}

fn column_rect(whole: Rect, left: u32, right: u32) -> Rect {
    let x = |column: u32| whole.left() + column as f32;
    Rect::from_min_max(pos2(x(left), whole.top()), pos2(x(right), whole.bottom()))
}

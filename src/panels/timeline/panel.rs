//! The strip along the top with the whole trace: calls as a flame chart, positions as handles.

use std::sync::Arc;

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_index::{Cancel, SlotReader};
use stepback_parsers::Position;

use super::lanes::{LaneSource, Scene};
use super::paint::{LanePlace, Strip};
use super::{lanes, paint};
use crate::action::{Action, TimelineLanes, Way, WindowId};
use crate::model::lane_view::{LaneId, lane_ids};
use crate::model::step_rows::{PathPart, call_path};
use crate::model::threads::Threads;
use crate::model::timeline::{LaneRequest, Lanes, lanes};
use crate::panels::ViewCx;
use crate::panels::cursor_list::take_rect;
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::panels::watch::SessionWatch;
use crate::theme::{icon, icons, ui as ui_font};
use crate::worker::Slot;

/// The column of labels.
const LABELS: f32 = 84.0;
/// The axis.
pub(super) const AXIS: f32 = 20.0;
/// Between the chart and the right edge of the window.
const RIGHT: f32 = 16.0;
/// Above and below the lanes.
pub(super) const PADDING: f32 = 5.0;

/// What the timeline remembers from frame to frame.
#[derive(Debug, Default)]
pub struct TimelineState {
    session: SessionWatch,
    /// One a thread that is shown.
    lanes: Vec<Slot<LaneRequest, Lanes>>,
    path: Slot<Position, (u16, Vec<PathPart>)>,
    /// What is shown, where the user chose it.
    chosen: Option<TimelineLanes>,
    /// The first lane of threads or cores in view.
    pub(super) top: usize,
    /// The lane that was last brought into view.
    pub(super) revealed: Option<usize>,
    /// The lanes of a kind, as long as the threads are the same.
    ids: Option<KnownIds>,
    /// What is in view; none: the whole trace.
    range: Option<(u64, u64)>,
    /// The handle that is being dragged, and where it was.
    dragged: Option<(WindowId, Position)>,
}

/// The lanes of a kind and what they were made from: as many as the trace has threads, so no frame lists them anew.
#[derive(Debug)]
struct KnownIds {
    threads: Arc<Threads>,
    kind: TimelineLanes,
    ids: Arc<[LaneId]>,
}

/// What was done to the strip, and the mark under the pointer.
pub struct Touch<'a> {
    pub response: &'a egui::Response,
    pub mark: Option<u64>,
    pub strip: &'a Strip,
}

impl TimelineState {
    /// The lanes of a kind, from top to bottom.
    pub(super) fn ids(&mut self, threads: &Arc<Threads>, kind: TimelineLanes) -> Arc<[LaneId]> {
        let known = self.ids.take().filter(|known| Arc::ptr_eq(&known.threads, threads) && known.kind == kind);
        let known = known.unwrap_or_else(|| {
            let ids = lane_ids(&threads.schedule, kind).into();
            KnownIds { threads: Arc::clone(threads), kind, ids }
        });
        let ids = Arc::clone(&known.ids);
        self.ids = Some(known);
        ids
    }

    /// Shows lanes of a kind.
    pub fn choose(&mut self, lanes: TimelineLanes) {
        (self.chosen, self.top, self.revealed) = (Some(lanes), 0, None);
    }

    /// What is shown: threads where their steps are known by times alone, calls in all other traces.
    fn shown(&self, threads: Option<&Threads>) -> TimelineLanes {
        let is_by_time = threads.is_some_and(|threads| threads.schedule.is_order_by_time);
        self.chosen.unwrap_or(if is_by_time { TimelineLanes::Threads } else { TimelineLanes::Calls })
    }
}

/// Draws the timeline into all space that `ui` has.
pub fn timeline_ui(ui: &mut Ui, cx: &ViewCx<'_>, state: &mut TimelineState, out: &mut Vec<Action>) {
    if state.session.is_new(cx.session) {
        let (session, chosen) = (std::mem::take(&mut state.session), state.chosen);
        *state = TimelineState { session, chosen, ..TimelineState::default() };
    }
    let rect = take_rect(ui);
    let end = cx.session.index.step_count();
    let (first, last) = state.range.map_or((0, end), |(first, last)| (first.min(end), last.min(end)));
    let chart = Rect::from_min_max(pos2(rect.left() + LABELS, rect.top()), pos2(rect.right() - RIGHT, rect.bottom()));
    let strip = Strip { rect, chart, first, last: last.max(first + 1) };
    let pen = Pen::new(ui, rect, cx.tok);
    let response = ui.interact(chart, ui.unique_id().with("timeline"), Sense::CLICK | Sense::DRAG);
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, "timeline"));
    zoom(ui, &strip, &response, state, end);
    strip.axis_ui(&pen, cx);
    let threads = cx.threads.all().any();
    let shown = state.shown(threads.map(|threads| &**threads));
    let mark = match (shown, threads) {
        (TimelineLanes::Calls, _) | (_, None) => {
            draw_calls(ui, &strip, &pen, cx, state);
            None
        }
        (kind, Some(threads)) => {
            lanes::lanes_ui(ui, &strip, Scene { pen: &pen, cx }, LaneSource { threads, kind }, state)
        }
    };
    chooser_ui(ui, &strip, &pen, shown, out);
    strip.handles_ui(&pen, cx);
    travel(ui, Touch { response: &response, mark, strip: &strip }, state, cx, out);
}

/// The button above the names that chooses what the timeline shows.
fn chooser_ui(ui: &Ui, strip: &Strip, pen: &Pen<'_>, shown: TimelineLanes, out: &mut Vec<Action>) {
    const KINDS: [(TimelineLanes, &str); 3] =
        [(TimelineLanes::Calls, "Calls"), (TimelineLanes::Threads, "Threads"), (TimelineLanes::Cores, "Cores")];
    let tok = pen.tok;
    let name = KINDS.iter().find(|(kind, _)| *kind == shown).map_or("", |(_, name)| name);
    let rect = Rect::from_min_size(strip.rect.min + vec2(6.0, 1.0), vec2(LABELS - 10.0, AXIS - 3.0));
    let response = button_response(ui, rect, "timeline lanes", &format!("timeline shows {name}"));
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 3.0, tok.bg3);
    }
    let end = pen.text(rect.left() + 6.0, rect.center().y, name, ui_font(11.0), tok.t2);
    pen.text(end + 4.0, rect.center().y, icons::CARET_DOWN, icon(9.0), tok.t3);
    egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        for (kind, name) in KINDS {
            if ui.add(egui::Button::selectable(kind == shown, name)).clicked() {
                out.push(Action::Timeline(kind));
            }
        }
    });
    response.on_hover_text("What the timeline shows: calls, or which thread ran on which core when");
}

fn draw_calls(ui: &Ui, strip: &Strip, pen: &Pen<'_>, cx: &ViewCx<'_>, state: &mut TimelineState) {
    let active = cx.windows.active();
    let session = Arc::clone(cx.session);
    let path = state.path.poll(&active.position, cx.worker, |position| {
        let position = *position;
        move |_: &Cancel| Ok((SlotReader(&session.index).thread_at(position)?.0, call_path(&session, position)?))
    });
    let Some((thread, path)) = path.any() else { return };
    let lane = paint::lane_height(ui.ctx().content_rect().height());
    let lanes_in_view = ((strip.rect.height() - AXIS - 2.0 * PADDING) / lane).floor().max(1.0) as u32;
    let threads = cx.session.index.threads();
    let shown = threads_in_view(threads.len(), usize::from(*thread), lanes_in_view as usize);
    let lanes_each = (lanes_in_view / u32::try_from(shown.len()).unwrap_or(1).max(1)).max(1);
    strip.labels(pen, threads, &shown, usize::from(*thread), lane * lanes_each as f32);
    state.lanes.resize_with(shown.len(), Slot::default);
    for (place, (of_thread, slot)) in (0u8..).zip(shown.iter().zip(&mut state.lanes)) {
        let request = LaneRequest {
            thread: stepback_index::ThreadId(u16::try_from(*of_thread).unwrap_or(u16::MAX)),
            first: Position(strip.first),
            last: Position(strip.last),
            columns: strip.chart.width().max(1.0) as u32,
            lanes: lanes_each,
        };
        let session = Arc::clone(cx.session);
        let answer = slot.poll(&request, cx.worker, |request| {
            let request = *request;
            move |cancel: &Cancel| Ok(lanes(&session, &request, cancel)?)
        });
        let Some(lanes) = answer.any() else { continue };
        let place = LanePlace { top: strip.top_of_lanes() + f32::from(place) * lane * lanes_each as f32, lane };
        let is_current = *of_thread == usize::from(*thread);
        strip.lanes_ui(pen, lanes, place, if is_current { path } else { &[] }, active.id);
        let above = if place.top > strip.top_of_lanes() { place.top } else { strip.rect.top() + AXIS };
        let is_last = Some(of_thread) == shown.last();
        let below = if is_last { strip.rect.bottom() } else { place.top + lane * lanes_each as f32 };
        strip.hover_ui(ui, lanes, place, above..below);
    }
}

/// The threads whose calls are shown: the first ones as far as each gets two lanes, the one at the position always.
fn threads_in_view(count: usize, current: usize, lanes_in_view: usize) -> Vec<usize> {
    let room = (lanes_in_view / 2).clamp(1, count.max(1));
    let mut shown: Vec<usize> = (0..room).collect();
    if let Some(last) = shown.last_mut().filter(|last| **last < current) {
        *last = current;
    }
    shown
}

/// The wheel zooms around the pointer, sideways it moves; a double click shows everything.
fn zoom(ui: &Ui, strip: &Strip, response: &egui::Response, state: &mut TimelineState, end: u64) {
    if response.double_clicked() {
        state.range = None;
        return;
    }
    let Some(pointer) = response.hover_pos() else { return };
    let (delta, pinch) = ui.input_mut(|input| (std::mem::take(&mut input.smooth_scroll_delta), input.zoom_delta()));
    let length = (strip.last - strip.first) as f64;
    let factor = f64::from(pinch) * (f64::from(delta.y) * 0.004).exp();
    let moved = -f64::from(delta.x) / f64::from(strip.chart.width()) * length;
    if factor == 1.0 && moved == 0.0 {
        return;
    }
    let share = f64::from((pointer.x - strip.chart.left()) / strip.chart.width()).clamp(0.0, 1.0);
    let center = strip.first as f64 + share * length;
    // Never finer than 16 steps.
    let new_length = (length / factor).clamp(16.0_f64.min(end as f64), end as f64);
    let first = (center - share * new_length + moved).clamp(0.0, end as f64 - new_length);
    let range = (first as u64, (first + new_length).ceil() as u64);
    state.range = (range.0 > 0 || range.1 < end).then_some(range);
}

/// A click travels there, a handle can be dragged. A drag is one visit in the history, however far it goes.
fn travel(
    ui: &Ui,
    Touch { response, mark, strip }: Touch<'_>,
    state: &mut TimelineState,
    cx: &ViewCx<'_>,
    out: &mut Vec<Action>,
) {
    let Some(pointer) = response.interact_pointer_pos() else {
        state.dragged = None;
        return;
    };
    if ui.input(|input| input.pointer.primary_pressed()) {
        let handle = strip.handle_at(pointer, cx);
        let window = cx.windows.followed(handle.unwrap_or(cx.windows.active));
        state.dragged = Some((window.id, window.position));
        if window.id != cx.windows.active {
            out.push(Action::Activate(window.id));
        }
        if handle.is_some() {
            return;
        }
    }
    let is_down = ui.input(|input| input.pointer.primary_down());
    let Some((window, origin)) = state.dragged.filter(|_| is_down) else { return };
    // A press goes to the mark that is meant, a drag to where the pointer is.
    let is_pressed = ui.input(|input| input.pointer.primary_pressed());
    let to = mark.filter(|_| is_pressed).map_or_else(|| strip.position_at(pointer.x), Position);
    let now = cx.windows.followed(window).position;
    if now == to || (!is_pressed && ui.input(|input| input.pointer.delta() == egui::Vec2::ZERO)) {
        return;
    }
    if now != origin {
        out.push(Action::History(Way::Back));
    }
    if to != origin {
        out.push(Action::Travel(window, to.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_at_the_position_is_always_shown() {
        assert_eq!(threads_in_view(1, 0, 7), [0]);
        assert_eq!(threads_in_view(2, 1, 7), [0, 1]);
        assert_eq!(threads_in_view(8, 1, 7), [0, 1, 2]);
        assert_eq!(threads_in_view(8, 5, 7), [0, 1, 5]);
        assert_eq!(threads_in_view(2, 1, 1), [1]);
    }
}

//! Lanes of calls: the frames of one or more threads, outermost on top.

use std::sync::Arc;

use egui::Ui;
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::timeline::{
    FrameBox, FrameLanes, LaneRequest, StackSummary, frame_hint, here, lanes,
};
use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use super::lanes::{TimelineCanvas, wheel_over_labels};
use super::paint::{AXIS, LanePlace, PADDING, TimelineStrip, lane_height, tip_ui};
use super::state::TimelineState;
use crate::panels::PanelContext;
use crate::panels::pen::Pen;

/// Draws the calls. Returns the frame under the pointer.
pub fn calls_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    state: &mut TimelineState,
) -> Option<FrameBox> {
    let session = Arc::clone(&cx.desk.session);
    let answer = state.here.poll(
        &cx.desk.windows.active().position,
        &cx.desk.worker,
        |position| {
            let position = *position;
            move |_: &Cancel| Ok(here(&session, position)?)
        },
    );
    let here = answer.any()?.clone();
    let height = lane_height(ui.ctx().content_rect().height());
    let room = ((strip.floor - strip.rect.top() - AXIS - 2.0 * PADDING) / height)
        .floor()
        .max(1.0) as u32;
    let threads = cx.desk.session.index.threads();
    let current = usize::from(here.thread.0);
    let shown = threads_in_view(threads.len(), current, room as usize);
    let each = (room / u32::try_from(shown.len()).unwrap_or(1).max(1)).max(1);
    strip.labels(pen, threads, &shown, current, height * each as f32);
    state.depths.reveal(here.depth, each);
    let wheel = wheel_over_labels(ui, strip, state);
    let dragged = std::mem::take(&mut state.lanes_to_scroll);
    state.depths.scroll(wheel + dragged, each);
    state.lanes.resize_with(shown.len(), Default::default);
    let mut under = None;
    for (place, of_thread) in (0u16..).zip(&shown) {
        let is_current = *of_thread == current;
        let request = LaneRequest {
            thread: ThreadId(u16::try_from(*of_thread).unwrap_or(u16::MAX)),
            first: Position(strip.first),
            last: strip.last_known(),
            columns: strip.known_columns(),
            top: if is_current { state.depths.top } else { 0 },
            lanes: each,
        };
        let Some(slot) = state.lanes.get_mut(usize::from(place)) else {
            continue;
        };
        let session = Arc::clone(&cx.desk.session);
        let answer = slot.poll(&request, &cx.desk.worker, |request| {
            let request = *request;
            move |cancel: &Cancel| Ok(lanes(&session, &request, cancel)?)
        });
        let Some(lanes) = answer.any() else { continue };
        let top = strip.top_of_lanes() + f32::from(place) * height * each as f32;
        let place = LanePlace {
            top,
            lane: height,
            depth: request.top,
        };
        if is_current {
            state.depths.count = lanes.depths;
        }
        strip.lanes_ui(pen, lanes, place);
        if is_current {
            strip.path_ui(pen, lanes, place, cx, &here);
            strip.depths_ui(pen, place, state.depths.shown(each));
        }
        under = under.or_else(|| strip.frame_at(ui, lanes, place).cloned());
    }
    hover_ui(ui, strip, cx, state, under.as_ref());
    under
}

/// Shows a tooltip for the frame under the pointer.
fn hover_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    cx: &PanelContext<'_>,
    state: &mut TimelineState,
    under: Option<&FrameBox>,
) {
    let Some(pointer) = strip.pointer(ui).filter(|pointer| pointer.y < strip.floor) else {
        return;
    };
    if strip.is_unknown(pointer.x) {
        return tip_ui(ui, say!("timeline-not-indexed-yet").to_owned());
    }
    let position = say!(
        "timeline-position",
        position = strip.position_at(pointer.x).0
    );
    let Some(frame) = under else {
        return tip_ui(ui, position);
    };
    if frame.call != frame.last_call {
        let length = thousands(frame.left.0.saturating_sub(frame.entered.0));
        return tip_ui(
            ui,
            say!(
                "timeline-several",
                name = &*frame.name,
                length = length,
                position = position
            ),
        );
    }
    let session = Arc::clone(&cx.desk.session);
    let hint = state.hint.poll(&frame.call, &cx.desk.worker, |call| {
        let call = *call;
        move |cancel: &Cancel| Ok(frame_hint(&session, call, cancel)?)
    });
    let is_of_frame = matches!(hint, stepback_debugger::worker::Answer::Fresh(_));
    let words = hint
        .any()
        .filter(|_| is_of_frame)
        .cloned()
        .unwrap_or_else(|| frame.name.clone());
    tip_ui(ui, format!("{words}\n{position}"));
}

/// Returns the threads whose calls are shown, with at least two lanes each. They are the first
/// ones, and always the thread at the position.
fn threads_in_view(count: usize, current: usize, lanes_in_view: usize) -> Vec<usize> {
    let room = (lanes_in_view / 2).clamp(1, count.max(1));
    let mut shown: Vec<usize> = (0..room).collect();
    if let Some(last) = shown.last_mut().filter(|last| **last < current) {
        *last = current;
    }
    shown
}

/// The frames around the position are framed, the innermost one with a thicker line.
impl TimelineStrip {
    fn path_ui(
        &self,
        pen: &Pen<'_>,
        lanes: &FrameLanes,
        place: LanePlace,
        cx: &PanelContext<'_>,
        here: &StackSummary,
    ) {
        let window = cx.desk.windows.active();
        let column = (self.x_of(window.position) - self.chart.left()).max(0.0) as u32;
        let pen = Pen {
            painter: pen.painter.with_clip_rect(self.chart),
            tok: pen.tok,
        };
        for frame in &lanes.boxes {
            let is_around = (frame.first..=frame.end).contains(&column)
                && (frame.entered..=frame.left).contains(&window.position)
                && frame.depth < here.depth;
            if is_around {
                let thickness = if frame.depth + 1 == here.depth {
                    2.0
                } else {
                    1.0
                };
                self.outline(&pen, frame, place, thickness, pen.tok.position(window.id.0));
            }
        }
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

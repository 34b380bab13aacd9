//! Mouse input of the timeline: zoom, pan, travel, selection.

use egui::{PointerButton, Ui};
use stepback_parsers::Position;

use super::paint::{HandleTag, TimelineStrip};
use super::state::{DragState, TimelineState};
use super::view::{VisibleRange, ZoomPan};
use crate::panels::PanelContext;
use stepback_debugger::action::{
    Action, Direction, PanelAction, StepRange, TravelAction, WindowId,
};
use stepback_debugger::model::timeline::FrameBox;

/// Mouse input on the strip, and the items under the pointer.
pub struct TimelineInput<'a> {
    pub response: &'a egui::Response,
    /// Position of the mark under the pointer.
    pub mark: Option<u64>,
    /// Frame under the pointer.
    pub frame: Option<&'a FrameBox>,
    pub strip: &'a TimelineStrip,
    /// Tags of the handles.
    pub tags: &'a [HandleTag],
}

/// Zooms around the pointer with the wheel and pans with the horizontal wheel; with Alt the wheel
/// scrolls the depths.
/// The middle button drags the view.
pub fn turn(
    ui: &Ui,
    strip: &TimelineStrip,
    response: &egui::Response,
    state: &mut TimelineState,
    end: u64,
) {
    let view = VisibleRange {
        first: strip.first,
        last: strip.last,
    };
    if response.dragged_by(PointerButton::Middle) {
        let delta = response.drag_delta();
        state.rest += delta.y / super::paint::lane_height(ui.ctx().content_rect().height());
        let whole = state.rest.trunc();
        state.rest -= whole;
        state.depths_to_scroll -= whole as isize;
        let moved = -f64::from(delta.x) / f64::from(strip.chart.width());
        state.show(
            view.turned(
                ZoomPan {
                    center: 0.0,
                    factor: 1.0,
                    moved,
                },
                end,
            ),
            end,
        );
    }
    let Some(pointer) = response.hover_pos() else {
        return;
    };
    let (delta, pinch) = ui.input_mut(|input| {
        (
            std::mem::take(&mut input.smooth_scroll_delta),
            input.zoom_delta(),
        )
    });
    if ui.input(|input| input.modifiers.alt) {
        state.depths_to_scroll -= if delta.y == 0.0 {
            0
        } else {
            delta.y.signum() as isize
        };
        return;
    }
    let factor = f64::from(pinch) * (f64::from(delta.y) * 0.004).exp();
    let moved = -f64::from(delta.x) / f64::from(strip.chart.width());
    if factor == 1.0 && moved == 0.0 {
        return;
    }
    let center = f64::from((pointer.x - strip.chart.left()) / strip.chart.width()).clamp(0.0, 1.0);
    state.show(
        view.turned(
            ZoomPan {
                center,
                factor,
                moved,
            },
            end,
        ),
        end,
    );
}

/// Handles the primary button.
///
/// A click travels, however short it is. A handle can be dragged; with Shift a part of the trace is
/// selected.
/// A drag is one visit in the history, at any length.
/// A double click fits the frame under the pointer, or shows everything.
pub fn touch(
    ui: &Ui,
    TimelineInput {
        response,
        mark,
        frame,
        strip,
        tags,
    }: TimelineInput<'_>,
    state: &mut TimelineState,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) {
    let end = state.end;
    if response.double_clicked() {
        state.held = None;
        let fitted = frame.map_or(VisibleRange::whole(end), |frame| {
            VisibleRange {
                first: frame.entered.0,
                last: frame.left.0,
            }
            .fitting(end)
        });
        return state.show(fitted, end);
    }
    let Some(pointer) = response.interact_pointer_pos() else {
        state.held = None;
        return;
    };
    let is_pressed = ui.input(|input| input.pointer.button_pressed(PointerButton::Primary));
    let is_down = ui.input(|input| input.pointer.button_down(PointerButton::Primary));
    let is_released = ui.input(|input| input.pointer.button_released(PointerButton::Primary));
    let has_moved = ui.input(|input| input.pointer.delta() != egui::Vec2::ZERO);
    if is_pressed {
        state.held = Some(take(
            ui,
            PressTarget {
                strip,
                tags,
                pointer,
            },
            cx,
            out,
        ));
    }
    // A short click is pressed and released within one frame; a drag ends where the button is
    // released.
    let Some(held) = state.held.filter(|_| is_pressed || is_down || is_released) else {
        return;
    };
    match held {
        DragState::Selection { from } => {
            let to = strip.position_at(pointer.x).0;
            let range = StepRange {
                first: Position(from.min(to)),
                last: Position(from.max(to)),
            };
            state.selection = Some(range).filter(|range| range.first < range.last);
        }
        DragState::Handle { window, origin } => {
            let is_of_handle = is_pressed && strip.handle_at(pointer, cx, tags).is_some();
            if !is_of_handle && (is_pressed || has_moved) {
                // A press goes to the mark under the pointer, a drag to the pointer.
                let to = mark
                    .filter(|_| is_pressed)
                    .map_or_else(|| strip.position_at(pointer.x), Position);
                go(window, HandleMove { origin, to }, cx, out);
            }
        }
    }
    if is_released {
        state.held = None;
    }
}

/// Location of a press.
struct PressTarget<'a> {
    strip: &'a TimelineStrip,
    tags: &'a [HandleTag],
    pointer: egui::Pos2,
}

/// Starts a drag at a press: of a handle, or with Shift of a selection.
fn take(
    ui: &Ui,
    PressTarget {
        strip,
        tags,
        pointer,
    }: PressTarget<'_>,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> DragState {
    if ui.input(|input| input.modifiers.shift) {
        return DragState::Selection {
            from: strip.position_at(pointer.x).0,
        };
    }
    let handle = strip.handle_at(pointer, cx, tags);
    let window = cx
        .desk
        .windows
        .followed(handle.unwrap_or(cx.desk.windows.active));
    if window.id != cx.desk.windows.active {
        out.push(Action::Panel(PanelAction::Activate(window.id)));
    }
    DragState::Handle {
        window: window.id,
        origin: window.position,
    }
}

/// Position of a handle at the start of a drag, and its new position.
struct HandleMove {
    origin: Position,
    to: Position,
}

fn go(
    window: WindowId,
    HandleMove { origin, to }: HandleMove,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) {
    let now = cx.desk.windows.followed(window).position;
    if now == to {
        return;
    }
    if now != origin {
        out.push(Action::Travel(TravelAction::History(Direction::Back)));
    }
    if to != origin {
        out.push(Action::travel(window, to));
    }
}

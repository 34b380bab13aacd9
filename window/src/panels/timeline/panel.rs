//! The strip along the top with the whole trace: calls as a flame chart, positions as handles, and
//! mouse input on both.

use egui::{PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::{
    Action, CellName, Direction, PanelAction, TimelineLanes, TravelAction, ViewAction,
};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::timeline::FrameBox;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::menu::context_menu;
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::panels::timeline::calls::calls_ui;
use crate::panels::timeline::lanes::{LaneSource, TimelineCanvas, lanes_ui};
use crate::panels::timeline::menu::menu_ui;
use crate::panels::timeline::paint::{AXIS, HandleTag, PADDING, TimelineStrip, lane_height};
use crate::panels::timeline::rows;
use crate::panels::timeline::rows::rows_ui;
use crate::panels::timeline::state::{ContentHeights, DragState, TimelineState};
use crate::panels::timeline::view::{VisibleRange, ZoomPan};
use crate::theme::{icon, icons, semi, ui as ui_font};

/// Width of the column of labels.
const LABELS: f32 = 84.0;
/// Height of the lower edge, by which the timeline is resized.
const EDGE: f32 = 5.0;
/// Maximum number of call depths or threads for which the automatic height has room.
const LANES: usize = 8;
/// Width of the letter of the trace.
const LETTER: f32 = 12.0;
/// Gap between the chart and the right edge of the window.
const RIGHT: f32 = 16.0;

/// Draws the timeline into all space of `ui`. `cell` is the selected cell.
pub fn timeline_ui(
    ui: &mut Ui,
    cx: &PanelContext<'_>,
    cell: Option<&CellName>,
    state: &mut TimelineState,
    out: &mut Vec<Action>,
) {
    state.look(cx);
    let whole = take_rect(ui);
    Pen::new(ui, whole, cx.tok).fill(whole, cx.tok.bg1);
    let rect = whole.with_max_y(whole.bottom() - EDGE);
    let end = state.end;
    let VisibleRange { first, last } = state.view.unwrap_or(VisibleRange::whole(end)).within(end);
    let chart = Rect::from_min_max(
        pos2(rect.left() + LABELS, rect.top()),
        pos2(rect.right() - RIGHT, rect.bottom()),
    );
    let heights = rows::heights(state, rect.height(), cell, cx);
    let floor = rect.bottom() - heights.all;
    let known = cx.desk.session.index.step_count();
    let strip = TimelineStrip {
        rect,
        chart,
        first,
        last: last.max(first + 1),
        floor,
        densities: heights.densities,
        waves: heights.waves,
        known,
    };
    let pen = Pen::new(ui, rect, cx.tok);
    let response = ui.interact(
        chart,
        ui.unique_id().with("timeline"),
        Sense::CLICK | Sense::DRAG,
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, say!("timeline-timeline")));
    turn(ui, &strip, &response, state, end);
    let tags = strip.tags(&pen, cx);
    strip.axis_ui(&pen, &tags);
    let threads = cx.desk.threads.all().any();
    let shown = state.shown(threads.map(|threads| &**threads));
    let scene = || TimelineCanvas { pen: &pen, cx };
    let lanes = shown.lanes().zip(threads);
    let height = lane_height(ui.ctx().content_rect().height());
    let rows = rows::wanted_height(state, cx);
    let parts = u8::from(shown.has_calls() || lanes.is_none()) + u8::from(lanes.is_some());
    let all = lane_count(state, cx.desk.session.index.threads().len());
    let of_lanes = |count: usize| {
        AXIS + 2.0 * PADDING + height * (usize::from(parts) * count) as f32 + rows + EDGE
    };
    state.want(ContentHeights {
        usual: of_lanes(all.min(LANES)),
        whole: of_lanes(all),
    });
    let (upper, lower) = if shown.has_calls() && lanes.is_some() {
        strip.halves()
    } else {
        (strip, strip)
    };
    let frame = if shown.has_calls() || lanes.is_none() {
        calls_ui(ui, &upper, scene(), state)
    } else {
        None
    };
    let mark = lanes.and_then(|(kind, threads)| {
        lanes_ui(ui, &lower, scene(), LaneSource { threads, kind }, state)
    });
    let mark = mark.or(rows_ui(ui, &strip, scene(), cell, state));
    strip.hatch_ui(&pen);
    if let Some(range) = state.selection {
        strip.selection_ui(&pen, range);
    }
    chooser_ui(ui, &strip, &pen, shown, out);
    trace_letter_ui(ui, &strip, TimelineCanvas { pen: &pen, cx });
    strip.handles_ui(&pen, cx, &tags);
    touch(
        ui,
        TimelineInput {
            response: &response,
            mark,
            frame: frame.as_ref(),
            strip: &strip,
            tags: &tags,
        },
        state,
        cx,
        out,
    );
    if response.secondary_clicked() {
        state.menu_frame = frame;
        state.menu_wave = state.wave_under;
    }
    context_menu(&response, |ui| menu_ui(ui, cx, state, out));
}

/// Returns the number of lanes that show the calls of all threads, or the threads themselves.
fn lane_count(state: &TimelineState, threads: usize) -> usize {
    let depths = state.depths.count.max(3) as usize;
    match threads {
        0 | 1 => depths,
        _ => depths.saturating_mul(threads).max(LANES),
    }
}

/// Draws the button above the labels that chooses the contents of the timeline.
fn chooser_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    pen: &Pen<'_>,
    shown: TimelineLanes,
    out: &mut Vec<Action>,
) {
    const KINDS: [(TimelineLanes, &str); 5] = [
        (TimelineLanes::Calls, "timeline-calls"),
        (TimelineLanes::Threads, "timeline-threads"),
        (TimelineLanes::Cores, "timeline-cores"),
        (TimelineLanes::CallsAndThreads, "timeline-calls-threads"),
        (TimelineLanes::CallsAndCores, "timeline-calls-cores"),
    ];
    let tok = pen.tok;
    let name = KINDS
        .iter()
        .find(|(kind, _)| *kind == shown)
        .map_or("", |(_, name)| spoken(name));
    let rect = Rect::from_min_size(
        strip.rect.min + vec2(6.0, 1.0),
        vec2(LABELS - 10.0 - LETTER, AXIS - 3.0),
    );
    let response = button_response(
        ui,
        rect,
        "timeline lanes",
        &say!("timeline-shows", lanes = name),
    );
    if response.hovered() || response.has_focus() {
        pen.painter.rect_filled(rect, 3.0, tok.bg3);
    }
    let end = pen.cut_text(
        rect.left_center() + vec2(6.0, 0.0),
        name,
        ui_font(11.0),
        tok.t2,
        rect.right() - 12.0,
    );
    pen.text(
        end + 4.0,
        rect.center().y,
        icons::CARET_DOWN,
        icon(9.0),
        tok.t3,
    );
    egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        for (kind, name) in KINDS {
            if ui
                .add(egui::Button::selectable(kind == shown, spoken(name)))
                .clicked()
            {
                out.push(Action::View(ViewAction::Timeline(kind)));
            }
        }
    });
    response.on_hover_ui(|ui| {
        ui.label(say!("timeline-what-is-shown"));
        for (gesture, meaning) in stepback_debugger::keymap::TIMELINE_GESTURES {
            ui.label(say!(
                "page-key-said",
                command = spoken(meaning),
                keys = spoken(gesture)
            ));
        }
    });
}

/// Draws an A above the labels while two traces are compared: the timeline is that of the first.
fn trace_letter_ui(ui: &Ui, strip: &TimelineStrip, TimelineCanvas { pen, cx }: TimelineCanvas<'_>) {
    let Some(other) = cx.desk.comparison.path() else {
        return;
    };
    let other = other.file_name().unwrap_or(other.as_os_str());
    let hint = say!(
        "timeline-of-a",
        a = cx.desk.name(),
        b = other.to_string_lossy()
    );
    let rect = Rect::from_min_max(
        pos2(strip.chart.left() - 4.0 - LETTER, strip.rect.top() + 1.0),
        pos2(strip.chart.left() - 4.0, strip.rect.top() + AXIS - 2.0),
    );
    pen.text_centered(rect.center(), "A", semi(11.0), pen.tok.t1);
    let response = ui.interact(rect, ui.unique_id().with("timeline trace"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &hint));
    response.on_hover_text(hint);
}

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
/// scrolls the lanes.
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
    let height = lane_height(ui.ctx().content_rect().height());
    if response.dragged_by(PointerButton::Middle) {
        let delta = response.drag_delta();
        state.lanes_to_scroll += state.lanes_scrolled(delta.y, height);
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
        state.lanes_to_scroll += state.lanes_scrolled(delta.y, height);
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

//! The strip along the top with the whole trace: calls as a flame chart, positions as handles.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::calls::calls_ui;
use super::gestures::{TimelineInput, touch, turn};
use super::lanes::{LaneSource, TimelineCanvas, lanes_ui};
use super::menu::menu_ui;
use super::paint::{AXIS, TimelineStrip};
use super::rows::{self, rows_ui};
use super::state::TimelineState;
use super::view::VisibleRange;
use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::pen::Pen;
use crate::panels::row::button_response;
use crate::theme::{icon, icons, ui as ui_font};
use stepback_debugger::action::{Action, CellName, TimelineLanes, ViewAction};
use stepback_debugger::messages::{say, spoken};

/// Width of the column of labels.
const LABELS: f32 = 84.0;
/// Height of the lower edge, by which the timeline is resized.
const EDGE: f32 = 5.0;
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
    response.context_menu(|ui| menu_ui(ui, cx, state, out));
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
        vec2(LABELS - 10.0, AXIS - 3.0),
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

//! The context menu of the timeline.

use egui::Ui;
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{
    Action, AppAction, EffectsOf, FileAction, FunctionsOf, MarkAction, PanelAction, PanelKind,
    TimelineFit, ViewAction,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::timeline::FrameBox;
use stepback_debugger::notes::{BookmarkPlace, WatchChange, WatchType};

use super::state::TimelineState;
use super::view::VisibleRange;
use crate::panels::PanelContext;
use crate::panels::bookmarks::add_items;
use crate::panels::menu::{MenuItem, effects_items, menu_head_ui, menu_line_ui};
use crate::theme::icons;

/// Draws the items of the frame on which the menu was opened, of the selection, and the general
/// ones.
pub fn menu_ui(
    ui: &mut Ui,
    cx: &PanelContext<'_>,
    state: &mut TimelineState,
    out: &mut Vec<Action>,
) {
    let tok = cx.tok;
    if let Some(frame) = state.menu_frame.clone() {
        frame_ui(ui, cx, &frame, state, out);
    }
    if let Some(range) = state.selection {
        range_ui(ui, cx, range, out);
    }
    wave_ui(ui, cx, state, out);
    if MenuItem::new(say!("timeline-show-the-call-at-the"))
        .icon(icons::CALLS)
        .key("Z")
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::FitTimeline(TimelineFit::Call)));
    }
    if MenuItem::new(say!("timeline-show-the-position"))
        .icon(icons::GO_TO)
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::FitTimeline(TimelineFit::Position)));
    }
    if MenuItem::new(say!("timeline-show-the-whole-trace"))
        .key("Shift+Z")
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::FitTimeline(TimelineFit::Whole)));
    }
}

fn frame_ui(
    ui: &mut Ui,
    cx: &PanelContext<'_>,
    frame: &FrameBox,
    state: &mut TimelineState,
    out: &mut Vec<Action>,
) {
    let (tok, window) = (cx.tok, cx.desk.windows.active);
    let end = state.end;
    menu_head_ui(
        ui,
        tok,
        &frame.name,
        &say!(
            "timeline-steps",
            count = frame.left.0.saturating_sub(frame.entered.0)
        ),
    );
    let range = StepRange {
        first: frame.entered,
        last: frame.left,
    };
    if MenuItem::new(say!("timeline-zoom-to-it"))
        .key("double click")
        .ui(ui, tok)
    {
        state.show(
            VisibleRange {
                first: range.first.0,
                last: range.last.0,
            }
            .fitting(end),
            end,
        );
    }
    if MenuItem::new(say!("timeline-travel-to-its-entry"))
        .icon(icons::GO_TO)
        .ui(ui, tok)
    {
        out.push(Action::travel(window, range.first));
    }
    if MenuItem::new(say!("timeline-travel-to-its-end")).ui(ui, tok) {
        out.push(Action::travel(window, range.last));
    }
    if MenuItem::new(say!("timeline-select-it")).ui(ui, tok) {
        out.push(Action::View(ViewAction::SelectRange(Some(range))));
    }
    if MenuItem::new(say!("timeline-compare-before-and-after-it"))
        .icon(icons::COMPARE)
        .ui(ui, tok)
    {
        out.push(Action::Panel(PanelAction::CompareEnds(range)));
    }
    effects_items(ui, tok, frame.entered, out);
    menu_line_ui(ui, tok);
}

/// Draws the items of the row of values on which the menu was opened.
fn wave_ui(ui: &mut Ui, cx: &PanelContext<'_>, state: &TimelineState, out: &mut Vec<Action>) {
    let Some(place) = state.menu_wave else { return };
    let Some(watch) = cx.desk.waves.list().get(place) else {
        return;
    };
    menu_head_ui(ui, cx.tok, &watch.expression, say!("timeline-waveform"));
    ui.menu_button(say!("timeline-read-as"), |ui| {
        for kind in WatchType::ALL {
            if ui
                .add(egui::Button::selectable(kind == watch.kind, kind.name()))
                .clicked()
            {
                out.push(Action::Mark(MarkAction::Wave(WatchChange::Read(
                    place, kind,
                ))));
            }
        }
    });
    if MenuItem::new(say!("timeline-move-it-up")).ui(ui, cx.tok) {
        out.push(Action::Mark(MarkAction::Wave(WatchChange::MoveUp(place))));
    }
    if MenuItem::new(say!("timeline-watch-it"))
        .icon(icons::WATCH)
        .ui(ui, cx.tok)
    {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::Add(
            watch.text(),
        ))));
    }
    if MenuItem::new(say!("timeline-take-the-waveform-away"))
        .icon(icons::CLOSE)
        .ui(ui, cx.tok)
    {
        out.push(Action::Mark(MarkAction::Wave(WatchChange::Remove(place))));
    }
    menu_line_ui(ui, cx.tok);
}

fn range_ui(ui: &mut Ui, cx: &PanelContext<'_>, range: StepRange, out: &mut Vec<Action>) {
    let tok = cx.tok;
    let words = format!("{} – {}", thousands(range.first.0), thousands(range.last.0));
    menu_head_ui(ui, tok, say!("timeline-selection"), &words);
    if MenuItem::new(say!("timeline-zoom-to-the-selection")).ui(ui, tok) {
        out.push(Action::View(ViewAction::FitTimeline(
            TimelineFit::Selection,
        )));
    }
    if MenuItem::new(say!("timeline-compare-its-ends"))
        .icon(icons::COMPARE)
        .ui(ui, tok)
    {
        out.push(Action::Panel(PanelAction::CompareEnds(range)));
    }
    if MenuItem::new(say!("effects-what-these-steps"))
        .icon(icons::SWAP)
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ShowEffects(EffectsOf::Range(
            range,
        ))));
    }
    add_items(
        ui,
        BookmarkPlace::Range {
            first: range.first.0,
            last: range.last.0,
        },
        cx,
        out,
    );
    let of_range = |kind| {
        [
            Action::View(ViewAction::TellFunctions(FunctionsOf::Selection)),
            Action::Panel(PanelAction::ShowPanel(kind)),
        ]
    };
    if MenuItem::new(say!("timeline-functions-of-this-range"))
        .icon(icons::CALLS)
        .ui(ui, tok)
    {
        out.extend(of_range(PanelKind::Functions));
    }
    if MenuItem::new(say!("timeline-flame-graph-of-this-range"))
        .icon(icons::FLAME)
        .ui(ui, tok)
    {
        out.extend(of_range(PanelKind::FlameGraph));
    }
    if MenuItem::new(say!("timeline-calls-of-this-range"))
        .icon(icons::LIST)
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ListCalls(Some(range))));
    }
    if MenuItem::new(say!("timeline-save-it-as-a-trace"))
        .icon(icons::FILE)
        .ui(ui, tok)
    {
        out.push(Action::File(FileAction::SavePart(Some(range), None)));
    }
    if MenuItem::new(say!("timeline-copy-its-positions"))
        .icon(icons::COPY)
        .ui(ui, tok)
    {
        out.push(Action::App(AppAction::Copy(format!(
            "{}..{}",
            range.first.0, range.last.0
        ))));
    }
    if MenuItem::new(say!("timeline-select-nothing")).ui(ui, tok) {
        out.push(Action::View(ViewAction::SelectRange(None)));
    }
    menu_line_ui(ui, tok);
}

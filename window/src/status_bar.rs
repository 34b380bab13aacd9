//! Status bar: position of the active window, and warnings of the parser.

use std::sync::Arc;

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align, Align2, Layout, Rect, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::{
    Action, AppAction, CommandName, FileAction, PanelAction, PanelKind, TravelAction,
};
use stepback_debugger::desk::words::count;
use stepback_debugger::desk::{Opening, position_label, status_at};
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::say;
use stepback_debugger::model::lane_view;
use stepback_debugger::model::so_far::{IndexedPart, so_far};
use stepback_index::Cancel;

use super::app::App;
use super::widgets::{badge, paint_flat, text_button, width};
use crate::theme::{ThemeColors, icon, icons, mono, mono_bold, ui as ui_font};

/// Maximum number of letters of the condition.
const CONDITION: usize = 36;

pub fn status_bar_ui(ui: &mut Ui, app: &mut App, out: &mut Vec<Action>) {
    let tok = ThemeColors::current(ui);
    let rect = ui.max_rect();
    ui.spacing_mut().item_spacing.x = 6.0;
    ui.scope_builder(
        egui::UiBuilder::new()
            .max_rect(rect.shrink2(vec2(12.0, 0.0)))
            .layout(Layout::right_to_left(Align::Center)),
        |ui| {
            warnings_ui(ui, app, tok, out);
            externals_ui(ui, app, tok, out);
            indexing_ui(ui, app, tok, out);
            lookup_ui(ui, app, tok, out);
            order_ui(ui, app, tok);
            stay_ui(ui, app, tok, out);
            condition_ui(ui, app, tok, out);
            symbols_ui(ui, app, tok);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                match app.workspace {
                    Some(_) => position_ui(ui, app, tok, out),
                    None => drop(
                        ui.label(
                            egui::RichText::new(say!("status-no-trace-open"))
                                .font(ui_font(11.5))
                                .color(tok.t2),
                        ),
                    ),
                }
                if app.workspace.is_none() {
                    message_ui(ui, app, tok, out);
                }
            });
        },
    );
}

/// Draws the latest message that is no card, with its actions.
fn message_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(message) = app.toasts.line() else {
        return;
    };
    let (bar, _) = ui.allocate_exact_size(vec2(2.0, 14.0), Sense::hover());
    ui.painter().rect_filled(bar, 1.0, tok.accent);
    let words = message.words();
    let links: f32 = message
        .actions
        .iter()
        .map(|(word, _)| width(ui, word, &ui_font(11.5)) + 14.0)
        .sum();
    let mut job = LayoutJob::simple_singleline(words.clone(), ui_font(11.5), tok.t1);
    job.wrap = TextWrapping::truncate_at_width((ui.available_width() - links).max(40.0));
    let response = ui.label(job).on_hover_text(&words);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Status, true, &words));
    for (word, action) in &message.actions {
        if text_button(ui, word, ui_font(11.5), tok.accent).clicked() {
            out.push(action.clone());
            out.push(Action::App(AppAction::DismissToast(message.id)));
        }
    }
    ui.add_space(8.0);
}

fn position_ui(ui: &mut Ui, app: &mut App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(desk) = app.program.desk.as_ref() else {
        return;
    };
    let window = desk.windows.active();
    let (position, number) = (window.position, window.id.0);
    let (_, at) = ui.allocate_space(vec2(16.0, 24.0));
    badge(ui.painter(), at.left_center(), number, tok);
    let end = desk.session.index.step_count();
    let place = so_far(
        &desk.session,
        &say!("status-of", position = count(position.0), end = count(end)),
    );
    let after = position_label(position);
    part_ui(ui, &after, &place, mono_bold(11.5), tok);
    let (Some(workspace), Some(desk)) = (app.workspace.as_mut(), app.program.desk.as_mut()) else {
        return;
    };
    let session = desk.session.clone();
    let answer = workspace
        .status
        .poll(&position, &app.program.worker, |position| {
            let position = *position;
            move |cancel: &Cancel| status_at(&session, position, cancel)
        });
    if let Some(status) = answer.any() {
        // A message needs room at the right of the parts, so that these do not move.
        let message = app.toasts.line().map_or(0.0, |message| {
            width(ui, &message.words(), &ui_font(11.5)) + 30.0
        });
        let room = (ui.available_width() - message).max(0.0);
        let layout = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(vec2(room, 24.0), layout, |ui| {
            for (name, value) in status.parts() {
                part_ui(ui, name, &value, mono(11.5), tok);
            }
        });
    }
    message_ui(ui, app, tok, out);
}

/// Draws a name and a value, or nothing if they do not fit.
fn part_ui(ui: &mut Ui, name: &str, value: &str, value_font: egui::FontId, tok: &ThemeColors) {
    let (name_width, value_width) = (
        width(ui, name, &ui_font(11.5)),
        width(ui, value, &value_font),
    );
    let wide = name_width + 6.0 + value_width + 14.0;
    if ui.available_width() < wide {
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 24.0), Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} {value}")));
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        name,
        ui_font(11.5),
        tok.t3,
    );
    let left = rect.left_center() + vec2(name_width + 6.0, 0.0);
    ui.painter()
        .text(left, Align2::LEFT_CENTER, value, value_font, tok.t1);
}

fn warnings_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(desk) = app.program.desk.as_ref() else {
        let version = format!("Stepback {}", env!("CARGO_PKG_VERSION"));
        ui.label(
            egui::RichText::new(version)
                .font(ui_font(11.5))
                .color(tok.t2),
        );
        return;
    };
    let warnings = desk.session.index.info().warning_count;
    if warnings == 0 {
        return;
    }
    let text = so_far(&desk.session, &say!("status-warnings", count = warnings));
    let wide = width(ui, &text, &ui_font(11.5)) + 20.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    paint_flat(ui.painter(), rect.expand2(vec2(4.0, 0.0)), &response, tok);
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        icons::WARNING,
        icon(14.0),
        tok.warn,
    );
    ui.painter().text(
        rect.left_center() + vec2(20.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.warn,
    );
    if response
        .on_hover_text(say!("status-lines-that-could-not-be"))
        .clicked()
    {
        out.push(Action::Panel(PanelAction::ShowPanel(PanelKind::Warnings)));
    }
}

/// Draws the number of memory changes that the trace does not show.
fn externals_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(desk) = app.program.desk.as_ref() else {
        return;
    };
    let changes = desk.session.index.info().external_changes;
    if changes == 0 {
        return;
    }
    let text = so_far(&desk.session, &say!("status-externals", count = changes));
    let wide = width(ui, &text, &ui_font(11.5)) + 14.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    paint_flat(ui.painter(), rect.expand2(vec2(4.0, 0.0)), &response, tok);
    let mark = Rect::from_min_size(rect.left_center() - vec2(0.0, 4.0), vec2(8.0, 8.0));
    ui.painter().rect_filled(mark, 2.0, tok.external_bg);
    ui.painter().rect_filled(
        Rect::from_min_size(mark.min, vec2(3.0, 3.0)),
        0.0,
        tok.external,
    );
    ui.painter().text(
        rect.left_center() + vec2(14.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t2,
    );
    let hint = say!("status-reads-that-differ-from-the");
    if response.on_hover_text(hint).clicked() {
        out.push(Action::Panel(PanelAction::ShowPanel(PanelKind::Externals)));
    }
}

/// Draws the notice that the order of steps across threads is known only from timestamps, with the
/// threads to which that applies here.
fn order_ui(ui: &mut Ui, app: &mut App, tok: &ThemeColors) {
    let (Some(workspace), Some(desk)) = (app.workspace.as_mut(), app.program.desk.as_mut()) else {
        return;
    };
    let Some(threads) = desk
        .threads
        .all()
        .any()
        .filter(|threads| threads.schedule.is_order_by_time)
    else {
        return;
    };
    let position = desk.windows.active().position;
    let requested = desk.threads.here().map(|here| (position, here));
    let others = requested.and_then(|requested| {
        let answer = workspace
            .order
            .poll(&requested, &app.program.worker, |(position, here)| {
                let (position, here) = (*position, *here);
                let (session, threads) = (Arc::clone(&desk.session), Arc::clone(threads));
                move |_: &Cancel| {
                    let others = threads
                        .schedule
                        .unordered_with(here, position.0.saturating_sub(1));
                    Ok(lane_view::others_text(&others, session.index.threads()))
                }
            });
        answer.any().cloned().flatten()
    });
    let whole = say!("status-order-between-threads-is-known");
    let text = if ui.available_width() > 1000.0 {
        whole
    } else {
        say!("status-order-by-timestamps")
    };
    let wide = width(ui, text, &ui_font(11.5)) + 20.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::hover());
    let said = match &others {
        Some(others) => say!("status-order-here", whole = whole, others = others),
        None => whole.to_owned(),
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &said));
    let color = if others.is_some() { tok.warn } else { tok.t3 };
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        icons::INFO,
        icon(14.0),
        color,
    );
    ui.painter().text(
        rect.left_center() + vec2(18.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t2,
    );
    response.on_hover_text(lane_view::explained(others.as_deref()));
}

/// Draws the thread to which stepping is restricted; a click lifts the restriction.
fn stay_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(desk) = app.program.desk.as_ref() else {
        return;
    };
    let Some(thread) = desk.windows.active().thread else {
        return;
    };
    let name = desk
        .session
        .index
        .threads()
        .get(usize::from(thread.0))
        .map_or("", |thread| &thread.name);
    let text = say!("status-stays-in", thread = name);
    let wide = width(ui, &text, &ui_font(11.5)) + 28.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    paint_flat(ui.painter(), rect, &response, tok);
    ui.painter().text(
        rect.left_center() + vec2(4.0, 0.0),
        Align2::LEFT_CENTER,
        icons::PIN,
        icon(13.0),
        tok.accent,
    );
    ui.painter().text(
        rect.left_center() + vec2(22.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t1,
    );
    if response
        .on_hover_text(say!("status-steps-of-other-threads-are"))
        .clicked()
    {
        out.push(Action::Travel(TravelAction::StayInThread(None)));
    }
}

/// Draws the condition that F8 repeats; a click prompts for another one.
fn condition_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let desk = app.program.desk.as_ref();
    let Some(condition) = desk.and_then(|desk| desk.condition.as_ref()) else {
        return;
    };
    if stop_ui(ui, tok, say!("status-forget-condition"))
        .on_hover_text(say!("status-forget-condition"))
        .clicked()
    {
        out.push(Action::Travel(TravelAction::ForgetCondition));
    }
    let text = say!("status-where", condition = condition.as_str());
    let shown: String = text.chars().take(CONDITION).collect();
    let shown = if shown == text { shown } else { shown + "…" };
    if text_button(ui, &shown, ui_font(11.5), tok.t2)
        .on_hover_text(say!("status-where-tip", condition = condition.as_str()))
        .clicked()
    {
        let name = CommandId::NextWhereNew.command().name.to_owned();
        out.push(Action::App(AppAction::AskFor(CommandName(name))));
    }
}

/// Draws the source of symbols: the image's name, or the advice to add one.
fn symbols_ui(ui: &mut Ui, app: &App, tok: &ThemeColors) {
    let Some(desk) = app
        .program
        .desk
        .as_ref()
        .filter(|_| ui.available_width() > 900.0)
    else {
        return;
    };
    let images = desk.session.images.infos();
    let name = |path: &std::path::Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let (text, hint) = match images {
        [] => (
            say!("status-no-symbols").to_owned(),
            say!("status-functions-have-no-names").to_owned(),
        ),
        [first, others @ ..] => {
            let more = if others.is_empty() {
                String::new()
            } else {
                format!(" +{}", others.len())
            };
            let paths: Vec<String> = images
                .iter()
                .map(|info| info.spec.path.display().to_string())
                .collect();
            (
                say!(
                    "status-symbols",
                    name = name(&first.spec.path).unwrap_or_default(),
                    more = more
                ),
                say!("status-symbols-come-from", paths = paths.join("\n")),
            )
        }
    };
    let (rect, response) = ui.allocate_exact_size(
        vec2(width(ui, &text, &ui_font(11.5)) + 8.0, 20.0),
        Sense::hover(),
    );
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        &text,
        ui_font(11.5),
        tok.t3,
    );
    response.on_hover_text(hint);
}

/// Draws the text of a long search for a travel target, and a button that stops it.
fn lookup_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let Some(lookup) = app
        .program
        .desk
        .as_ref()
        .and_then(|desk| desk.lookup.as_ref())
    else {
        return;
    };
    ui.ctx()
        .request_repaint_after(std::time::Duration::from_millis(100));
    let Some(text) = lookup.words() else { return };
    if stop_ui(ui, tok, say!("command-cancel-search"))
        .on_hover_text(say!("lookup-stop"))
        .clicked()
    {
        out.push(Action::Travel(TravelAction::StopLookup));
    }
    words_ui(ui, tok, &text);
}

/// Draws the progress of indexing until the index is complete, and the possible actions.
fn indexing_ui(ui: &mut Ui, app: &App, tok: &ThemeColors, out: &mut Vec<Action>) {
    let part = app
        .program
        .desk
        .as_ref()
        .and_then(|desk| IndexedPart::of(&desk.session));
    match (&app.program.opening, part) {
        (Some(opening), Some(part)) if opening.is_following() && opening.is_shown => {
            follow_ui(ui, part, tok, out)
        }
        (Some(opening), Some(_)) if opening.is_shown => progress_ui(ui, opening, tok, out),
        // A trace shown as a whole is already indexed; only tail calls are still being found.
        (Some(opening), None) if opening.is_shown && !opening.follows() => finding_ui(ui, tok, out),
        (Some(opening), _) if opening.is_long() && !opening.is_shown => {
            progress_ui(ui, opening, tok, out)
        }
        (None, Some(part)) => stopped_ui(ui, part, tok, out),
        _ => {}
    }
}

/// Draws the state of a followed trace; a click stops following.
fn follow_ui(ui: &mut Ui, part: IndexedPart, tok: &ThemeColors, out: &mut Vec<Action>) {
    let text = part.following();
    let wide = width(ui, &text, &ui_font(11.5)) + 28.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
    paint_flat(ui.painter(), rect, &response, tok);
    ui.painter()
        .circle_filled(rect.left_center() + vec2(10.0, 0.0), 3.5, tok.accent);
    ui.painter().text(
        rect.left_center() + vec2(20.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t1,
    );
    if response
        .on_hover_text(say!("status-the-trace-is-read-as"))
        .clicked()
    {
        out.push(Action::File(FileAction::FollowTrace));
    }
}

/// Draws the state of stopped indexing, with a button to continue.
fn stopped_ui(ui: &mut Ui, part: IndexedPart, tok: &ThemeColors, out: &mut Vec<Action>) {
    let hint = say!("status-answers-are-so-far-the");
    if text_button(ui, say!("status-go-on"), ui_font(11.5), tok.accent)
        .on_hover_text(say!("status-index-the-rest-of-the"))
        .clicked()
    {
        out.push(Action::File(FileAction::ContinueIndexing));
    }
    let text = part.stopped();
    words_ui(ui, tok, &text).on_hover_text(hint);
}

/// Draws a button that stops something.
fn stop_ui(ui: &mut Ui, tok: &ThemeColors, name: &'static str) -> egui::Response {
    let (rect, response) = ui.allocate_exact_size(vec2(20.0, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, name));
    paint_flat(ui.painter(), rect, &response, tok);
    ui.painter().text(
        rect.center(),
        Align2::CENTER_CENTER,
        icons::CLOSE,
        icon(12.0),
        tok.t2,
    );
    response
}

/// Draws a progress text.
fn words_ui(ui: &mut Ui, tok: &ThemeColors, text: &str) -> egui::Response {
    let wide = width(ui, text, &ui_font(11.5)) + 4.0;
    let (rect, response) = ui.allocate_exact_size(vec2(wide, 20.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, text));
    ui.painter().text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        text,
        ui_font(11.5),
        tok.t2,
    );
    response
}

/// Draws the search for tail calls in a trace that is shown as a whole, and a button that stops it.
fn finding_ui(ui: &mut Ui, tok: &ThemeColors, out: &mut Vec<Action>) {
    if stop_ui(ui, tok, say!("status-stop-finding-tail-calls"))
        .on_hover_text(say!("status-do-without-calls-stay-as"))
        .clicked()
    {
        out.push(Action::File(FileAction::CancelIndexing));
    }
    let text = say!("status-finding-tail-calls");
    words_ui(ui, tok, text).on_hover_text(say!("status-the-call-tree-gains-calls"));
}

/// Draws the progress of indexing: a bar of 120 x 4 that opens the card again, and a button that
/// stops indexing.
fn progress_ui(ui: &mut Ui, opening: &Opening, tok: &ThemeColors, out: &mut Vec<Action>) {
    let figures = opening.figures();
    let (share, text) = (figures.share, format!("{} %", figures.per_cent()));
    if stop_ui(ui, tok, say!("status-stop-indexing"))
        .on_hover_text(say!("status-cancel-indexing-what-is-indexed"))
        .clicked()
    {
        out.push(Action::File(FileAction::CancelIndexing));
    }
    let (rect, response) = ui.allocate_exact_size(vec2(240.0, 20.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, say!("status-indexing")));
    paint_flat(ui.painter(), rect, &response, tok);
    let painter = ui.painter();
    painter.text(
        rect.left_center() + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        say!("status-indexing"),
        ui_font(11.5),
        tok.t2,
    );
    let bar = Rect::from_min_size(
        pos2(rect.left() + 66.0, rect.center().y - 2.0),
        vec2(120.0, 4.0),
    );
    painter.rect_filled(bar, 2.0, tok.bg4);
    painter.rect_filled(
        Rect::from_min_size(bar.min, vec2(120.0 * share, 4.0)),
        2.0,
        tok.accent,
    );
    painter.text(
        rect.right_center() - vec2(6.0, 0.0),
        Align2::RIGHT_CENTER,
        text,
        mono(11.5),
        tok.t1,
    );
    if response
        .on_hover_text(say!("status-show-the-indexing-card"))
        .clicked()
    {
        out.push(Action::File(FileAction::ToggleIndexingCard));
    }
}

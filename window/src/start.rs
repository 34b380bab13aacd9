//! Start screen: open a trace, the demo or a recent trace.

use std::path::Path;

use egui::text::LayoutJob;
use egui::{
    Align, Align2, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2,
    WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::desk::recent::{RecentState, RecentTrace};
use stepback_debugger::desk::words::count;
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::say;
use stepback_debugger::worker::{Slot, Worker};
use stepback_parsers::Format;

use super::path_box::PathBox;
use super::settings::Settings;
use super::widgets::{LargeButton, first_key, label, paint_flat, text_button};
use crate::theme::{ThemeColors, icon, icons, medium, mono, semi, ui as ui_font};
use crate::widgets;

const WIDTH: f32 = 760.0;
const ROW: f32 = 46.0;
/// Margin in the area for dropped files, and the gap between its texts.
const DROP_INSET: Vec2 = vec2(16.0, 13.0);
const DROP_GAP: f32 = 5.0;

#[derive(Default)]
pub struct StartScreen {
    /// Field for a path.
    pub path_box: PathBox,
    /// States of the files in the recent list, by path.
    states: Slot<Vec<RecentTrace>, Vec<RecentState>>,
    /// True once the field was focused on this screen.
    has_begun: bool,
}

impl StartScreen {
    /// Checks the files of the recent list again.
    pub fn refresh(&mut self) {
        self.states.clear();
        self.has_begun = false;
    }

    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings, worker: &Worker, out: &mut Vec<Action>) {
        let whole = ui.max_rect();
        let tall = 390.0 + ROW * count_rows(settings);
        let wide = WIDTH.min(whole.width() - 48.0);
        let top = ((whole.height() - tall) * 0.42).max(24.0);
        egui::ScrollArea::vertical()
            .auto_shrink([false, false])
            .show(ui, |ui| {
                let left = whole.left() + (whole.width() - wide) / 2.0;
                let column = Rect::from_min_size(
                    pos2(left.round(), ui.min_rect().top() + top.round()),
                    Vec2::new(wide, tall),
                );
                let builder = UiBuilder::new()
                    .max_rect(column)
                    .layout(Layout::top_down(Align::Min));
                ui.scope_builder(builder, |ui| self.column_ui(ui, settings, worker, out));
            });
    }

    fn column_ui(
        &mut self,
        ui: &mut Ui,
        settings: &Settings,
        worker: &Worker,
        out: &mut Vec<Action>,
    ) {
        let tok = ThemeColors::current(ui);
        ui.spacing_mut().item_spacing = vec2(10.0, 0.0);
        title_ui(ui, tok);
        ui.add_space(32.0);
        if !std::mem::replace(&mut self.has_begun, true) {
            self.path_box.take_keyboard();
        }
        buttons_ui(ui, out);
        ui.add_space(14.0);
        self.path_box.ui(ui, worker, out);
        if !settings.recent.is_empty() {
            ui.add_space(22.0);
            self.recent_ui(ui, settings, worker, out);
        }
        ui.add_space(18.0);
        drop_ui(ui, tok);
    }

    fn recent_ui(
        &mut self,
        ui: &mut Ui,
        settings: &Settings,
        worker: &Worker,
        out: &mut Vec<Action>,
    ) {
        let tok = ThemeColors::current(ui);
        ui.horizontal(|ui| {
            ui.label(
                RichText::new(say!("start-recent-traces"))
                    .font(semi(13.0))
                    .color(tok.t1),
            );
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if text_button(ui, say!("start-clear-list"), ui_font(12.5), tok.t2).clicked() {
                    out.push(Action::File(FileAction::ClearRecent));
                }
            });
        });
        ui.add_space(7.0);
        let states = self.states.poll_long(&settings.recent, worker, |recent| {
            let recent = recent.clone();
            move |_: &stepback_index::Cancel| Ok(recent.iter().map(RecentTrace::look).collect())
        });
        let states = states.any().cloned().unwrap_or_default();
        for (place, trace) in settings.recent.iter().enumerate() {
            let state = states.get(place).copied().unwrap_or(RecentState::Good);
            recent_row_ui(ui, trace, state, tok, out);
        }
    }
}

fn count_rows(settings: &Settings) -> f32 {
    settings.recent.iter().map(|_| 1.0).sum()
}

fn title_ui(ui: &mut Ui, tok: &ThemeColors) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 44.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Heading, true, "Stepback"));
    let square = Rect::from_min_size(rect.min, Vec2::splat(44.0));
    widgets::paint_mark(ui.painter(), square, tok);
    let left = rect.left() + 60.0;
    ui.painter().text(
        pos2(left, rect.top() + 14.0),
        Align2::LEFT_CENTER,
        "Stepback",
        semi(22.0),
        tok.t1,
    );
    let line = say!("start-look-up-any-moment-of");
    ui.painter().text(
        pos2(left, rect.top() + 36.0),
        Align2::LEFT_CENTER,
        line,
        ui_font(13.0),
        tok.t2,
    );
}

fn buttons_ui(ui: &mut Ui, out: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let open = LargeButton {
            text: label(CommandId::Open),
            icon: icons::OPEN,
            key: first_key(CommandId::Open),
            is_primary: true,
        };
        if open.ui(ui, 156.0).clicked() {
            out.push(Action::File(FileAction::OpenDialog));
        }
        let demo = LargeButton {
            text: label(CommandId::OpenTheDemo),
            icon: icons::PLAY,
            key: None,
            is_primary: false,
        };
        let directory = LargeButton {
            text: label(CommandId::OpenDirectory),
            icon: icons::OPEN,
            key: None,
            is_primary: false,
        };
        if directory
            .ui(ui, 176.0)
            .on_hover_text(say!("start-a-trace-that-consists-of"))
            .clicked()
        {
            out.push(Action::File(FileAction::OpenDirectoryDialog));
        }
        if demo.ui(ui, 168.0).clicked() {
            out.push(Action::File(FileAction::OpenDemo));
        }
        let session = LargeButton {
            text: label(CommandId::OpenSession),
            icon: icons::BOOKMARK,
            key: None,
            is_primary: false,
        };
        let hint = say!("start-what-was-marked-named-and");
        if session.ui(ui, 164.0).on_hover_text(hint).clicked() {
            out.push(Action::File(FileAction::OpenSession(None)));
        }
    });
}

fn recent_row_ui(
    ui: &mut Ui,
    trace: &RecentTrace,
    state: RecentState,
    tok: &ThemeColors,
    out: &mut Vec<Action>,
) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let path = trace.path.clone();
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Button,
            true,
            say!("start-open", name = trace.name()),
        )
    });
    let row = rect.shrink2(vec2(0.0, 1.0));
    let is_lit = response.contains_pointer() || response.has_focus();
    if is_lit {
        let edge = if response.has_focus() {
            Stroke::new(2.0, tok.focus)
        } else {
            Stroke::new(1.0, tok.line2)
        };
        ui.painter()
            .rect(row, 4.0, tok.hover, edge, StrokeKind::Inside);
    } else {
        let y = rect.bottom().round() - 1.0;
        let line = Rect::from_min_max(
            pos2(rect.left() + 12.0, y),
            pos2(rect.right() - 12.0, y + 1.0),
        );
        ui.painter().rect_filled(line, 0.0, tok.line);
    }
    let end = rect.right() - if is_lit { 40.0 } else { 12.0 };
    paint_recent(ui, rect, trace, state, end);
    if is_lit && forget_ui(ui, rect, &trace.path, tok) {
        out.push(Action::File(FileAction::ForgetRecent(path)));
    } else if response.clicked() {
        out.push(trace.action());
    }
}

fn paint_recent(ui: &Ui, rect: Rect, trace: &RecentTrace, state: RecentState, end: f32) {
    let tok = ThemeColors::current(ui);
    let painter = ui.painter();
    let at = |x: f32, y: f32| pos2(rect.left() + x, rect.top() + y);
    let name_color = if state == RecentState::Missing {
        tok.t3
    } else {
        tok.t1
    };
    painter.text(
        at(21.0, 23.0),
        Align2::CENTER_CENTER,
        icons::FILE,
        icon(17.0),
        tok.t2,
    );
    let narrow = rect.width() < 620.0;
    let names = painter.with_clip_rect(Rect::from_min_max(
        at(42.0, 0.0),
        at(if narrow { 330.0 } else { 294.0 }, ROW),
    ));
    names.text(
        at(42.0, 15.0),
        Align2::LEFT_CENTER,
        trace.name(),
        medium(13.0),
        name_color,
    );
    names.text(
        at(42.0, 32.0),
        Align2::LEFT_CENTER,
        trace.folder(),
        ui_font(11.5),
        tok.t3,
    );
    if !narrow {
        painter.text(
            at(304.0, 23.0),
            Align2::LEFT_CENTER,
            &trace.kind,
            ui_font(12.0),
            tok.t2,
        );
        let steps = if state == RecentState::Missing {
            "–".to_owned()
        } else {
            count(trace.steps)
        };
        painter.text(
            at(532.0, 23.0),
            Align2::RIGHT_CENTER,
            steps,
            mono(12.0),
            tok.t2,
        );
        if state != RecentState::Missing {
            painter.text(
                at(538.0, 23.0),
                Align2::LEFT_CENTER,
                say!("start-steps"),
                ui_font(12.0),
                tok.t3,
            );
        }
    }
    let (text, color) = match state {
        RecentState::Good => (trace.when(), tok.t3),
        RecentState::Changed => (say!("start-changed-since").to_owned(), tok.warn),
        RecentState::Missing => (say!("start-file-not-found").to_owned(), tok.err),
    };
    let right = pos2(end, rect.center().y);
    let said = painter.text(right, Align2::RIGHT_CENTER, text, ui_font(12.0), color);
    if state != RecentState::Good {
        let left = said.left_center() - vec2(6.0, 0.0);
        painter.text(
            left,
            Align2::RIGHT_CENTER,
            icons::WARNING,
            icon(14.0),
            color,
        );
    }
}

/// Draws the cross that removes an entry, while the pointer is on the entry.
fn forget_ui(ui: &Ui, rect: Rect, path: &Path, tok: &ThemeColors) -> bool {
    let button = Rect::from_center_size(rect.right_center() - vec2(22.0, 0.0), Vec2::splat(22.0));
    let response = ui.interact(
        button,
        ui.unique_id().with(("forget", path)),
        Sense::click(),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Button, true, say!("start-forget-this-trace"))
    });
    paint_flat(ui.painter(), button, &response, tok);
    ui.painter().text(
        button.center(),
        Align2::CENTER_CENTER,
        icons::CLOSE,
        icon(14.0),
        tok.t2,
    );
    response
        .on_hover_text(say!("start-forget-this-trace"))
        .clicked()
}

/// Draws the area for files that are dropped, with the names of the formats.
fn drop_ui(ui: &mut Ui, tok: &ThemeColors) {
    let width = ui.available_width();
    let lines = |text: &str, size: f32, color| {
        let room = (width - 2.0 * DROP_INSET.x).max(0.0);
        let mut job = LayoutJob::simple(text.to_owned(), ui_font(size), color, room);
        job.halign = Align::Center;
        ui.painter().layout_job(job)
    };
    let titles: Vec<_> = Format::detected().map(Format::title).collect();
    let formats = say!("start-formats", formats = titles.join(" · "));
    let parts = [
        lines(say!("start-drop-a-trace-here-a"), 13.0, tok.t2),
        lines(&formats, 12.0, tok.t3),
    ];
    let text_height = parts[0].size().y + DROP_GAP + parts[1].size().y;
    let size = vec2(width, text_height + 2.0 * DROP_INSET.y);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let is_over = ui.input(|input| !input.raw.hovered_files.is_empty());
    if is_over {
        ui.painter().rect(
            rect,
            4.0,
            tok.sel,
            Stroke::new(2.0, tok.accent),
            StrokeKind::Inside,
        );
    } else {
        widgets::dashed_edge(ui.painter(), rect, Stroke::new(1.0, tok.ctl));
    }
    let mut top = rect.top() + DROP_INSET.y;
    for part in parts {
        let height = part.size().y;
        ui.painter()
            .galley(pos2(rect.center().x.round(), top.round()), part, tok.t3);
        top += height + DROP_GAP;
    }
}

//! The panel of violations found in the trace, by rule, and the progress of the check.

use egui::{Color32, Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::finding_rows::{
    FindingRow, RuleFoldState, place_words, rule_words, title_text,
};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{FindingsView, PanelView, RowGesture, RowListing, ViewStatus};
use stepback_parsers::check::Severity;

use crate::panels::PanelContext;
use crate::panels::cursor_list::{
    CursorList, ListExtent, PanelKey, RowInput, take_keys, take_rect,
};
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{
    EmptyMessage, RowState, empty_ui, error_ui, row_background, row_response,
};
use crate::theme::{ThemeColors, icon, icons, medium, mono, ui as ui_font};

/// Height of the bar with the count.
const BAR: f32 = 30.0;
/// Interval at which the progress is refreshed.
const REFRESH: std::time::Duration = std::time::Duration::from_millis(200);

/// The list of violations.
#[derive(Default, Serialize, Deserialize)]
pub struct FindingsPanel {
    #[serde(skip)]
    view: Box<FindingsView>,
    #[serde(skip)]
    list: CursorList,
}

impl FindingsPanel {
    /// Draws the progress of the check and a button that cancels it.
    fn progress_ui(&mut self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect) {
        ui.ctx().request_repaint_after(REFRESH);
        let (center, tok) = (rect.center(), pen.tok);
        let title = say!("findings-checking-the-trace");
        pen.text_centered(
            center - vec2(0.0, 22.0),
            title,
            crate::theme::medium(13.0),
            tok.t1,
        );
        let bar = Rect::from_center_size(
            center,
            vec2(220.0f32.min(rect.width() - 32.0).max(0.0), 4.0),
        );
        let done = Rect::from_min_size(bar.min, vec2(bar.width() * self.view.share(), 4.0));
        pen.painter.rect_filled(bar, 2.0, tok.bg3);
        pen.painter.rect_filled(done, 2.0, tok.accent);
        let button = Rect::from_center_size(center + vec2(0.0, 26.0), vec2(72.0, 26.0));
        if ui
            .put(button, egui::Button::new(say!("findings-cancel")))
            .clicked()
        {
            self.view.stop();
        }
    }

    /// Draws a button that checks the trace again after a cancelled check.
    fn resume_ui(&mut self, ui: &mut Ui, rect: Rect, cx: &PanelContext<'_>) {
        let button = Rect::from_center_size(rect.center() + vec2(0.0, 48.0), vec2(72.0, 26.0));
        let is_clicked = ui
            .put(button, egui::Button::new(say!("findings-check")))
            .clicked();
        if take_keys(ui, cx).contains(&PanelKey::Enter) || is_clicked {
            self.view.resume();
        }
    }

    fn list_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        rows: &RowListing,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let pen = Pen::new(ui, rect, cx.tok);
        let pen = if self.view.is_late() {
            pen.faded()
        } else {
            pen
        };
        let (bar, list) = rect.split_top_bottom_at_y(rect.top() + BAR);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let at = pos2(bar.left() + INSET, bar.center().y);
        pen.cut_text(
            at,
            &rows.summary,
            ui_font(12.0),
            cx.tok.t2,
            bar.right() - 8.0,
        );
        self.list.keys(
            ui,
            &mut *self.view,
            ListExtent {
                rows: rows.count,
                list,
            },
            cx,
            out,
        );
        let area = self.list.area(ui, list, rows.count, cx.tok);
        let pen = Pen {
            painter: pen.painter.with_clip_rect(area.body),
            tok: cx.tok,
        };
        let rows = self.view.rows();
        let in_view = area.places().filter_map(|(place, _)| rows.get(place));
        let longest = in_view.filter_map(|row| match row {
            FindingRow::Place(_, found) => Some(pen.width(&place_words(found), mono(12.0))),
            FindingRow::Rule(..) | FindingRow::More(..) => None,
        });
        let message = INDENT + longest.fold(0.0, f32::max) + INSET;
        let shown = FindingRows {
            pen,
            cx,
            cursor: self.list.cursor,
            message,
        };
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            if let Some(row) = rows.get(place) {
                shown.row_ui(ui, rect, FindingEntry { place, row }, &mut touched, out);
            }
        }
        touched.apply(&mut *self.view, &mut self.list, cx.desk, out);
    }
}

impl Panel for FindingsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        say!("findings-findings").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        match self.view.poll(cx.desk) {
            ViewStatus::Rows(rows) => self.list_ui(ui, rect, &rows, cx, out),
            ViewStatus::Loading(_) => self.progress_ui(ui, &pen, rect),
            ViewStatus::Failed(error) => error_ui(ui, &pen, rect, &error, out),
            ViewStatus::Empty { title, advice } => {
                empty_ui(ui, &pen, rect, icons::CHECK, EmptyMessage(&title, &advice));
                if self.view.is_stopped() {
                    self.resume_ui(ui, rect, cx);
                }
            }
        }
    }
}

/// Left edge of the places of a rule.
const INDENT: f32 = 44.0;

/// Painter of the rows.
pub struct FindingRows<'a> {
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub cursor: usize,
    /// Distance of the messages from the left edge: after the longest place in view.
    pub message: f32,
}

/// A row and its index in the list.
pub struct FindingEntry<'a> {
    pub place: usize,
    pub row: &'a FindingRow<'a>,
}

impl FindingRows<'_> {
    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        FindingEntry { place, row }: FindingEntry<'_>,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        let (pen, cx) = (&self.pen, self.cx);
        let response = row_response(ui, rect, ("finding", place), || row.line());
        let is_cursor = self.cursor == place;
        row_background(
            pen,
            rect,
            &response,
            RowState {
                is_selected: false,
                is_cursor,
                has_focus: cx.has_focus,
            },
        );
        self.paint(rect, row);
        let mut hover = rule_words(row.rule());
        if let FindingRow::Place(_, found) = row {
            hover = format!("{}\n\n{hover}", found.message);
        }
        let response = response.on_hover_text(hover);
        context_menu(&response, |ui| {
            menu_head_ui(ui, cx.tok, row.rule().id, "");
            let is_place = row.position().is_some();
            if is_place
                && MenuItem::new(say!("findings-travel-to-it"))
                    .icon(icons::GO_TO)
                    .key("Enter")
                    .ui(ui, cx.tok)
            {
                touched.gesture(place, RowGesture::Go);
            }
            if MenuItem::new(say!("findings-copy"))
                .icon(icons::COPY)
                .key("Ctrl+C")
                .ui(ui, cx.tok)
            {
                out.push(Action::App(AppAction::Copy(row.line())));
            }
        });
        if response.clicked() {
            touched.cursor = Some(place);
            touched.gesture(place, RowGesture::Go);
        }
    }

    fn paint(&self, rect: Rect, row: &FindingRow<'_>) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let (left, y, right) = (rect.left(), rect.center().y, rect.right() - 8.0);
        match row {
            FindingRow::Rule(broken, branch) => {
                let caret = if *branch == RuleFoldState::Open {
                    icons::CARET_DOWN
                } else {
                    icons::CARET_RIGHT
                };
                pen.text(left + 8.0, y, caret, icon(11.0), tok.t3);
                let (shape, color) = severity_icon(broken.rule.severity, tok);
                pen.text(left + 24.0, y, shape, icon(13.0), color);
                let end = pen.text(left + INDENT, y, broken.rule.id, mono(12.0), tok.t1);
                let count = format!("×{}", thousands(broken.count));
                let right = pen.text_left_of(right, y, count, mono(11.5), tok.t3);
                pen.cut_text(
                    pos2(end + INSET, y),
                    &title_text(broken.rule),
                    medium(12.5),
                    tok.t1,
                    right - 8.0,
                );
            }
            FindingRow::Place(_, found) => {
                let place = place_words(found);
                let color = if row.position().is_some() {
                    tok.accent
                } else {
                    tok.t3
                };
                pen.text(left + INDENT, y, place, mono(12.0), color);
                pen.cut_text(
                    pos2(left + self.message, y),
                    &found.message,
                    ui_font(12.5),
                    tok.t2,
                    right,
                );
            }
            FindingRow::More(..) => {
                pen.text(left + INDENT, y, row.line(), ui_font(12.0), tok.t3);
            }
        }
    }
}

fn severity_icon(severity: Severity, tok: &ThemeColors) -> (char, Color32) {
    match severity {
        Severity::Error => (icons::ERROR, tok.err),
        Severity::Warning => (icons::WARNING, tok.warn),
        Severity::Info => (icons::INFO, tok.t3),
    }
}

//! Violations found in the trace, by rule.

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};

use super::rows::{FindingEntry, FindingRows};
use crate::panels::PanelContext;
use crate::panels::asked::RowInput;
use crate::panels::cursor_list::{CursorList, ListExtent, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyMessage, empty_ui, error_ui};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{Action, PanelKind, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::views::{FindingsView, PanelView, RowListing, ViewStatus};

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
        let shown = FindingRows {
            pen,
            cx,
            cursor: self.list.cursor,
        };
        let mut touched = RowInput::default();
        let rows = self.view.rows();
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

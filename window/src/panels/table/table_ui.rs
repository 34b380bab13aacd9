//! Painter of a list: bar, heads and rows, or the reason why there are none.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use egui::{Rect, Ui, pos2};

use super::export::{ListExport, ListTools};
use super::kind::icon_of;
use super::list::{ListPlace, RowList};
use crate::panels::PanelContext;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{
    EmptyMessage, button_response, empty_ui, error_ui, loading_ui, watch_for_late,
};
use crate::theme::ui as ui_font;
use stepback_debugger::action::Action;
use stepback_debugger::views::{PanelView, TableSource, TableView, TableWork, ViewStatus};

/// Interval at which a growing list is refreshed.
const FOUND_AFTER: Duration = Duration::from_millis(120);
/// Height of the bar with the summary.
const BAR: f32 = 30.0;

/// Painter of a list.
pub struct TableUi<'a, S> {
    pub view: &'a mut TableView<S>,
    /// Cursor and scroll state of the list.
    pub list: &'a mut RowList,
    pub pen: &'a Pen<'a>,
    /// Area of the list.
    pub rect: Rect,
    /// Advice before the first query; none: the advice of the view.
    pub how_to_ask: Option<&'static str>,
}

impl<S: TableSource> TableUi<'_, S> {
    /// Paints the list and applies keys and clicks.
    pub fn ui(mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let Self { pen, rect, .. } = self;
        let status = self.view.poll(cx.desk);
        let work = self.view.source().work();
        match work {
            TableWork::Done => {}
            TableWork::Waiting | TableWork::Late => watch_for_late(ui),
            TableWork::Growing => ui.ctx().request_repaint_after(FOUND_AFTER),
        }
        let (title, advice) = match status {
            ViewStatus::Failed(error) => return error_ui(ui, pen, rect, &error, out),
            ViewStatus::Loading(_) => return loading_ui(pen, rect),
            ViewStatus::Empty { title, advice } => (title, advice),
            ViewStatus::Rows(_) => Default::default(),
        };
        if !self.view.is_answered() {
            let words = EmptyMessage(&title, self.how_to_ask.unwrap_or(&advice));
            return empty_ui(ui, pen, rect, icon_of(self.view.kind()), words);
        }
        let pen = if work == TableWork::Late {
            pen.clone().faded()
        } else {
            pen.clone()
        };
        let bar = if self.has_bar(cx) { BAR } else { 0.0 };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + bar);
        if bar.height() > 0.0 {
            self.bar_ui(ui, &pen, bar, cx, out);
        }
        let place = ListPlace {
            pen: &pen,
            nothing: EmptyMessage(&title, &advice),
            rect: rest,
        };
        self.list.ui(ui, &place, self.view, cx, out);
    }

    /// Returns true if the list has a bar. An empty list with a message has nothing to summarise or
    /// filter.
    fn has_bar(&self, cx: &PanelContext<'_>) -> bool {
        let source = self.view.source();
        let is_empty = self.view.table().rows.is_empty() && self.view.shown().filter.is_empty();
        !is_empty || source.nothing(cx.desk).is_none() || source.button(cx.desk).is_some()
    }

    /// Draws the summary of the list, its button, filter and export.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let (table, name) = (
            Arc::clone(self.view.table()),
            self.view.source().tab_title().to_lowercase(),
        );
        let export = ListExport {
            pen,
            rows: &|| Cow::Borrowed(&*table),
            name: &name,
        };
        let tools = ListTools { export, bar }.ui(ui, self.view.filter_mut(), out);
        if tools.is_changed {
            self.list.rewind();
        }
        let mut right = tools.left;
        if let Some(label) = self.view.source().button(cx.desk) {
            let (middle, width) = (bar.center().y, pen.width(label, ui_font(12.0)) + 12.0);
            let button = Rect::from_min_max(
                pos2(right - width, middle - 10.0),
                pos2(right, middle + 10.0),
            );
            let response = button_response(ui, button, "button", label);
            if response.hovered() {
                pen.painter.rect_filled(button, 4.0, pen.tok.bg3);
            }
            pen.text(
                button.left() + 6.0,
                middle,
                label,
                ui_font(12.0),
                pen.tok.accent,
            );
            if response.clicked() && self.view.source_mut().press(cx.desk, out) {
                self.list.rewind();
            }
            right = button.left() - 8.0;
        }
        let start = pos2(bar.left() + INSET, bar.center().y);
        pen.cut_text(start, &table.summary, ui_font(12.0), pen.tok.t2, right);
    }
}

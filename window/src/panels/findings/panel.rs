//! What is wrong with the trace, by rule.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::{BuildProgress, Cancel};

use super::rows::{FindingRows, Touched, travel};
use crate::panels::ViewCx;
use crate::panels::cursor_list::{CursorList, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, empty_ui, error_ui};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{Action, PanelKind, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::finding_rows::{Branch, FindingList, FindingRow, finding_list, finding_rows};
use stepback_debugger::worker::{Answer, Slot};

/// The bar with the count.
const BAR: f32 = 30.0;
/// How often the share that is done is shown anew.
const REFRESH: std::time::Duration = std::time::Duration::from_millis(200);

/// The list of what breaks rules.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct FindingsPanel {
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<FindingsState>,
}

#[derive(Debug, Default)]
struct FindingsState {
    answer: Slot<(), FindingList>,
    /// How far the check is.
    progress: Arc<BuildProgress>,
    /// It was cancelled.
    is_stopped: bool,
    list: CursorList,
    /// Rules whose places do not show.
    closed: BTreeSet<&'static str>,
}

impl FindingsPanel {
    /// The list of all rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// How far the check is, and a button that ends it. Returns whether that was pressed.
    fn progress_ui(&self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect) -> bool {
        ui.ctx().request_repaint_after(REFRESH);
        let progress = &self.state.progress;
        let done = progress.bytes_done.load(Ordering::Relaxed) as f32;
        let total = progress.bytes_total.load(Ordering::Relaxed) as f32;
        let share = if total > 0.0 { (done / total).clamp(0.0, 1.0) } else { 0.0 };
        let (center, tok) = (rect.center(), pen.tok);
        pen.text_centered(
            center - vec2(0.0, 22.0),
            say!("findings-checking-the-trace"),
            crate::theme::medium(13.0),
            tok.t1,
        );
        let bar = Rect::from_center_size(center, vec2(220.0f32.min(rect.width() - 32.0).max(0.0), 4.0));
        pen.painter.rect_filled(bar, 2.0, tok.bg3);
        pen.painter.rect_filled(Rect::from_min_size(bar.min, vec2(bar.width() * share, 4.0)), 2.0, tok.accent);
        let button = Rect::from_center_size(center + vec2(0.0, 26.0), vec2(72.0, 26.0));
        ui.put(button, egui::Button::new(say!("findings-cancel"))).clicked()
    }

    /// What to do after the check was cancelled. Returns whether it is to be done again.
    fn stopped_ui(&self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, cx: &ViewCx<'_>) -> bool {
        let words = EmptyWords(say!("findings-the-trace-is-not-checked"), say!("findings-enter-goes-through-all-of"));
        empty_ui(ui, pen, rect, icons::CHECK, words);
        let button = Rect::from_center_size(rect.center() + vec2(0.0, 48.0), vec2(72.0, 26.0));
        let is_clicked = ui.put(button, egui::Button::new(say!("findings-check"))).clicked();
        take_keys(ui, cx).contains(&PanelKey::Enter) || is_clicked
    }

    fn list_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        FindingsView { pen, found }: FindingsView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        if found.rules.is_empty() {
            let words = EmptyWords(say!("findings-no-findings"), say!("findings-the-trace-keeps-the-rules"));
            return empty_ui(ui, pen, rect, icons::CHECK, words);
        }
        let (bar, list) = rect.split_top_bottom_at_y(rect.top() + BAR);
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
        let at = pos2(bar.left() + INSET, bar.center().y);
        pen.cut_text(at, &found.summary, ui_font(12.0), cx.tok.t2, bar.right() - 8.0);
        let rows = finding_rows(found, &self.state.closed);
        self.keys(ui, Listed { rows: &rows, list }, cx, out);
        let area = self.state.list.area(ui, list, rows.len(), cx.tok);
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let shown = FindingRows { pen, cx, cursor: self.state.list.cursor };
        for (place, rect) in area.places() {
            let Some(row) = rows.get(place) else { continue };
            match shown.row_ui(ui, rect, place, row, out) {
                Touched::Nothing => {}
                Touched::Cursor => self.state.list.cursor = place,
                Touched::Branch => {
                    self.state.list.cursor = place;
                    self.toggle(row);
                }
            }
        }
    }

    fn keys(&mut self, ui: &Ui, shown: Listed<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let Listed { rows, list } = shown;
        for key in take_keys(ui, cx) {
            let Some(row) = rows.get(self.state.list.press(key, rows.len(), list)) else { continue };
            match (key, row) {
                (PanelKey::Enter, FindingRow::Rule(..))
                | (PanelKey::Left, FindingRow::Rule(_, Branch::Open))
                | (PanelKey::Right, FindingRow::Rule(_, Branch::Closed)) => self.toggle(row),
                (PanelKey::Enter, row) => out.extend(travel(row, cx)),
                (PanelKey::Copy, row) => out.push(Action::Copy(row.line())),
                _ => {}
            }
        }
    }

    /// Opens or closes the places of a rule.
    fn toggle(&mut self, row: &FindingRow<'_>) {
        let name = row.rule().id;
        if !self.state.closed.remove(name) {
            self.state.closed.insert(name);
        }
    }
}

/// What is listed, and with what it is drawn.
struct FindingsView<'a> {
    pen: &'a Pen<'a>,
    found: &'a FindingList,
}

/// The rows of the list, and where it is.
struct Listed<'a> {
    rows: &'a [FindingRow<'a>],
    list: Rect,
}

impl Panel for FindingsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Findings
    }

    fn title(&self) -> String {
        say!("findings-findings").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = FindingsState::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if self.state.is_stopped {
            self.state.is_stopped = !self.stopped_ui(ui, &pen, rect, cx);
            return;
        }
        let mut slot = std::mem::take(&mut self.state.answer);
        let progress = &mut self.state.progress;
        let answer = slot.poll_long(&(), &cx.desk.worker, |()| {
            *progress = Arc::default();
            let (session, progress) = (Arc::clone(&cx.desk.session), Arc::clone(progress));
            move |cancel: &Cancel| finding_list(&session, &progress, cancel)
        });
        match answer {
            Answer::Fresh(found) | Answer::Stale(found) => {
                self.list_ui(ui, rect, FindingsView { pen: &pen, found }, cx, out);
            }
            Answer::Late(found) => {
                self.list_ui(ui, rect, FindingsView { pen: &pen.clone().faded(), found }, cx, out);
            }
            Answer::Loading => self.state.is_stopped = self.progress_ui(ui, &pen, rect),
            Answer::Failed(error) => error_ui(ui, &pen, rect, error, out),
        }
        // Forgetting the question cancels it.
        if !self.state.is_stopped {
            self.state.answer = slot;
        }
    }
}

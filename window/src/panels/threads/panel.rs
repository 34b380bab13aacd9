//! The threads of the trace: how busy, when, where, and how they ended.

use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};

use super::rows::{Columns, HeadLook, ThreadRows, head_ui, to_first};
use super::sorted::SortedThreads;
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, CursorList, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::button_response;
use crate::panels::table::{Export, text_table};
use crate::theme::ui as ui_font;
use stepback_debugger::action::{Action, AppAction, PanelKind, TravelAction, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::threads::{Sorting, ThreadRow, Threads};

/// The bar with the count.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;

/// A row a thread.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ThreadsPanel {
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: ThreadsState,
}

#[derive(Debug, Default)]
struct ThreadsState {
    list: CursorList,
    sorting: Sorting,
    sorted: Option<SortedThreads>,
}

/// The threads that are shown.
pub struct ThreadsView<'a> {
    pub pen: &'a Pen<'a>,
    pub threads: &'a Arc<Threads>,
}

/// The threads, and how many are no stand-ins.
pub struct BarView<'a> {
    pub pen: &'a Pen<'a>,
    pub threads: &'a Threads,
    pub count: u64,
}

impl ThreadsPanel {
    /// The list in order of appearance.
    pub fn new() -> Self {
        Self::default()
    }

    fn threads_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        ThreadsView { pen, threads }: ThreadsView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let known = self.state.sorted.take().filter(|known| known.is_of(threads, self.state.sorting));
        let sorted = known.unwrap_or_else(|| SortedThreads::new(threads, self.state.sorting));
        let rows = &sorted.rows;
        let copy =
            Rect::from_min_max(pos2(bar.right() - 32.0, bar.center().y - 11.0), bar.right_bottom() - vec2(8.0, 4.0));
        let heads = ["thread", "process", "steps", "first", "last", "time", "cores", "ending"];
        let texts = || text_table(&heads, rows.iter().map(ThreadRow::texts));
        Export { pen, rows: &texts, name: "threads" }.ui(ui, copy, out);
        bar_ui(ui, bar.with_max_x(copy.left()), BarView { pen, threads, count: sorted.count }, cx, out);
        let (head, list) = rest.split_top_bottom_at_y(rest.top() + HEAD);
        self.keys(ui, rows, list, cx, out);
        let area = self.state.list.area(ui, list, rows.len(), cx.tok);
        let columns = Columns::new(area.body, &sorted.widths);
        self.heads_ui(ui, pen, head, &columns, cx);
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let (here, busiest) = (cx.desk.threads.here(), sorted.busiest);
        let shown = ThreadRows { pen, cx, columns, cursor: self.state.list.cursor, here, busiest };
        for (place, rect) in area.places() {
            let Some(row) = rows.get(place) else { continue };
            if shown.row_ui(ui, rect, place, row, out) {
                self.state.list.cursor = place;
            }
        }
        self.state.sorted = Some(sorted);
    }

    /// A click on a head sorts by its column, another one the other way round.
    fn heads_ui(&mut self, ui: &Ui, pen: &Pen<'_>, head: Rect, columns: &Columns, cx: &ViewCx<'_>) {
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, cx.tok.line);
        for (order, name, rect) in columns.heads(head) {
            let Sorting { order: chosen, is_reversed } = self.state.sorting;
            let is_chosen = chosen == order;
            let response = button_response(ui, rect, name, &say!("threads-sort-by", name = name));
            head_ui(pen, rect, HeadLook { name, is_chosen, is_reversed, is_hovered: response.hovered() });
            if response.clicked() {
                self.state.sorting = Sorting { order, is_reversed: is_chosen && !is_reversed };
            }
        }
    }

    fn keys(&mut self, ui: &Ui, rows: &[ThreadRow], list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            match (key, rows.get(self.state.list.press(key, rows.len(), list))) {
                (PanelKey::Enter, Some(row)) => out.extend(to_first(row, cx)),
                (PanelKey::Copy, Some(row)) => out.push(Action::App(AppAction::Copy(row.line()))),
                _ => {}
            }
        }
    }
}

impl Panel for ThreadsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Threads
    }

    fn title(&self) -> String {
        say!("threads-threads").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            self.state = ThreadsState::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &cx.desk.threads.all(), out, |ui, pen, threads, out| {
            self.threads_ui(ui, rect, ThreadsView { pen, threads }, cx, out)
        });
    }
}

/// How many threads there are, and a way out of the one that the window stays in.
fn bar_ui(ui: &Ui, bar: Rect, BarView { pen, threads, count }: BarView<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
    let (tok, y) = (cx.tok, bar.center().y);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
    let mut words = so_far(&cx.desk.session, &say!("threads-count", count = count));
    let cores = threads.schedule.cores.len() as u64;
    if cores > 0 {
        words = say!("threads-on-cores", threads = words, count = cores);
    }
    if count < 2 {
        pen.cut_text(pos2(bar.left() + INSET, y), &words, ui_font(12.0), tok.t2, bar.right() - 8.0);
        return;
    }
    let held = cx.desk.windows.active().thread;
    let label = match held {
        Some(_) => say!("threads-step-through-all-threads"),
        None => say!("threads-stay-in-the-thread-of"),
    };
    let width = pen.width(label, ui_font(12.0)) + 12.0;
    let button = Rect::from_min_max(pos2(bar.right() - 8.0 - width, y - 10.0), pos2(bar.right() - 8.0, y + 10.0));
    pen.cut_text(pos2(bar.left() + INSET, y), &words, ui_font(12.0), tok.t2, button.left() - 8.0);
    let response = button_response(ui, button, "stay", label);
    if response.hovered() {
        pen.painter.rect_filled(button, 4.0, tok.bg3);
    }
    pen.text(button.left() + 6.0, y, label, ui_font(12.0), tok.accent);
    if response.clicked() {
        out.push(Action::Travel(TravelAction::StayInThread(None)));
    }
}

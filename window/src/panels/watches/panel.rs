//! The panel of watches.

use std::sync::Arc;

use egui::{Key, Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, AppAction, CellName, Follow, MarkAction, PanelKind, ViewAction,
};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::messages::say;
use stepback_debugger::model::register_detail::write_columns;
use stepback_debugger::model::watch_state::WatchState;
use stepback_debugger::notes::{Watch, WatchChange};
use stepback_debugger::views::{CursorDirection, RowGesture, ViewStatus, WatchStates};
use stepback_debugger::worker::Slot;
use stepback_index::Cancel;
use stepback_index::answer::Cell;

use super::rows::{WatchEntry, WatchRows, WriteStrip};
use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, PanelKey, take_keys, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, Field, empty_ui, error_ui, watch_for_late};
use crate::theme::icons;

/// Height of the bar with the field.
const BAR: f32 = 30.0;
/// Rows of the list that a watch takes.
const LINES: usize = 2;
const HINT: &str = "watches-hint";

/// The watches at a moment.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchesPanel {
    /// Window or moment whose state is shown.
    follow: Follow,
    #[serde(skip)]
    state: Box<WatchesState>,
}

#[derive(Debug, Default)]
struct WatchesState {
    list: CursorList,
    /// Text of the field.
    text: String,
    /// Watch that is edited in the field; none: the text is a new watch.
    editing: Option<usize>,
    is_focus_wanted: bool,
    /// A command opened the panel.
    is_opened: bool,
    states: WatchStates,
    strips: Slot<WriteStripQuery, Vec<WriteStrip>>,
}

#[derive(Clone, Debug, PartialEq)]
struct WriteStripQuery {
    cells: Vec<Vec<Cell>>,
    columns: u32,
}

impl WatchesPanel {
    fn field_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        bar: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let rect = Rect::from_min_max(
            pos2(bar.left() + 8.0, bar.top() + 4.0),
            pos2(bar.right() - 8.0, bar.bottom() - 4.0),
        );
        let response = Field {
            hint: &ExampleRegisters::of_index(&cx.desk.session.index).spoken(HINT),
            icon: icons::WATCH,
        }
        .ui(ui, pen, rect, &mut self.state.text);
        let is_needed =
            std::mem::take(&mut self.state.is_opened) && cx.desk.watches.list().is_empty();
        if std::mem::take(&mut self.state.is_focus_wanted) || is_needed {
            response.request_focus();
        }
        if !response.lost_focus() {
            return;
        }
        if ui.input(|input| input.key_pressed(Key::Enter)) && !self.state.text.trim().is_empty() {
            let text = std::mem::take(&mut self.state.text);
            let change = match self.state.editing.take() {
                Some(place) => WatchChange::Edit(place, text),
                None => {
                    // Users often add several.
                    response.request_focus();
                    WatchChange::Add(text)
                }
            };
            out.push(Action::Mark(MarkAction::Watch(change)));
        } else if self.state.editing.take().is_some() {
            self.state.text.clear();
        }
    }

    /// Returns the watches in view, and the index of the first of them.
    fn in_view<'a>(&self, rect: Rect, cx: &'a PanelContext<'_>) -> (usize, &'a [Watch]) {
        let all = cx.desk.watches.list();
        let first = (self.state.list.top() / LINES).min(all.len());
        let count = (rect.height() / (crate::panels::pen::ROW * LINES as f32)) as usize + 2;
        (
            first,
            all.get(first..(first + count).min(all.len()))
                .unwrap_or_default(),
        )
    }

    fn ask_strips(&mut self, columns: u32, cx: &PanelContext<'_>) {
        let Some((_, states)) = self.state.states.answer() else {
            return;
        };
        let cells: Vec<Vec<Cell>> = states.iter().map(|state| state.cells.clone()).collect();
        self.state.strips.poll_long(
            &WriteStripQuery { cells, columns },
            &cx.desk.worker,
            |requested| {
                let (requested, session) = (requested.clone(), Arc::clone(&cx.desk.session));
                move |cancel: &Cancel| {
                    let strip = |cells: &Vec<Cell>| {
                        let written = write_columns(&session, cells, requested.columns, cancel)?;
                        Ok(WriteStrip {
                            cells: cells.clone(),
                            columns: requested.columns,
                            written,
                        })
                    };
                    requested.cells.iter().map(strip).collect()
                }
            },
        );
    }

    fn strip(&self, state: Option<&WatchState>) -> Option<&WriteStrip> {
        let (_, strips) = self.state.strips.peek()?;
        strips
            .iter()
            .find(|strip| state.is_some_and(|state| strip.cells == state.cells))
    }

    fn cursor(&self) -> usize {
        self.state.list.cursor / LINES
    }

    fn keys(&mut self, ui: &Ui, list: Rect, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rows = cx.desk.watches.list().len() * LINES;
        for key in take_keys(ui, cx) {
            let place = self.cursor();
            if key.is_move() {
                // Both lines of a watch are one row.
                let to = key.moved(place, cx.desk.watches.list().len().saturating_sub(1), 5);
                self.state.list.go_to(to * LINES + 1, rows, list);
                self.state.list.go_to(to * LINES, rows, list);
                continue;
            }
            let Some(watch) = cx.desk.watches.list().get(place) else {
                continue;
            };
            let shown = self.state.states.of(place, watch);
            let gesture = match key {
                PanelKey::Enter => RowGesture::Go,
                PanelKey::ShiftEnter => RowGesture::GoOn,
                PanelKey::Move(CursorDirection::Left) => RowGesture::Close,
                PanelKey::Move(CursorDirection::Right) => RowGesture::Open,
                PanelKey::Remove => RowGesture::Remove,
                PanelKey::ShowMemory => {
                    let address = shown.state.and_then(|state| state.address);
                    out.extend(
                        address.map(|at| Action::View(ViewAction::ShowMemory(at.to_string()))),
                    );
                    continue;
                }
                PanelKey::Copy => {
                    out.extend(
                        shown
                            .state
                            .and_then(|state| state.value.clone())
                            .map(|it| Action::App(AppAction::Copy(it))),
                    );
                    continue;
                }
                PanelKey::Rename => {
                    self.edit(place, watch);
                    continue;
                }
                _ => continue,
            };
            shown.act(gesture, self.follow, cx.desk, out);
        }
    }

    fn edit(&mut self, place: usize, watch: &Watch) {
        (
            self.state.editing,
            self.state.text,
            self.state.is_focus_wanted,
        ) = (Some(place), watch.text(), true);
    }
}

impl Panel for WatchesPanel {
    fn focus_field(&mut self) {
        self.state.is_opened = true;
    }

    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Watches
    }

    fn title(&self) -> String {
        say!("watches-watches").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    /// Returns the cell of the watch under the cursor.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        let place = self.cursor();
        self.state
            .states
            .of(place, cx.desk.watches.list().get(place)?)
            .cell()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let (bar, list) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.field_ui(ui, &pen, bar, cx, out);
        let all = cx.desk.watches.list();
        if all.is_empty() {
            let words = EmptyMessage(
                say!("watches-nothing-is-watched"),
                say!("watches-type-a-register-address-or"),
            );
            return empty_ui(ui, &pen, list, icons::WATCH, words);
        }
        self.keys(ui, list, cx, out);
        let area = self.state.list.area(ui, list, all.len() * LINES, cx.tok);
        let (_, shown) = self.in_view(list, cx);
        let shown = shown.to_vec();
        let at = cx.desk.windows.position_of(self.follow);
        if let Err(ViewStatus::Failed(error)) = self.state.states.poll(&shown, at, cx.desk) {
            return error_ui(ui, &pen, list, &error, out);
        }
        let rows = WatchRows {
            pen: Pen {
                painter: pen.painter.with_clip_rect(area.body),
                tok: cx.tok,
            },
            cx,
            follow: self.follow,
        };
        self.ask_strips(rows.columns(area.body), cx);
        let (mut clicked, mut edited) = (None, None);
        for (line, rect) in area.places() {
            // Second line of a watch whose first line is above the list.
            let is_cut = line % LINES == 1 && line == self.state.list.top();
            if line % LINES == 1 && !is_cut {
                continue;
            }
            let place = line / LINES;
            let Some(watch) = all.get(place) else {
                continue;
            };
            let top = if is_cut {
                rect.top() - rect.height()
            } else {
                rect.top()
            };
            let whole = Rect::from_min_max(
                pos2(rect.left(), top),
                pos2(rect.right(), top + 2.0 * rect.height()),
            );
            let shown = self.state.states.of(place, watch);
            let strip = self.strip(shown.state);
            let touched = rows.row_ui(
                ui,
                whole,
                &WatchEntry {
                    shown,
                    strip,
                    is_cursor: self.cursor() == place,
                },
                out,
            );
            clicked = clicked.or(touched.is_clicked.then_some(place));
            edited = edited.or(touched.is_edited.then_some(place));
        }
        if let Some(place) = clicked {
            self.state.list.cursor = place * LINES;
        }
        if let Some((place, watch)) = edited.and_then(|place| Some((place, all.get(place)?))) {
            self.edit(place, watch);
        }
        if self.state.states.is_waiting() {
            watch_for_late(ui);
        }
    }
}

//! The comparison of two positions.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Access, Action, CellName, Direction, PanelKind, TravelAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::compare::CompareRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{
    CompareRoom, CompareSide, CompareView, CursorDirection, PanelView, ViewStatus, WindowPair,
};
use stepback_parsers::Position;

use super::rows::{CompareColumns, CompareEntry, CompareInput, CompareRows};
use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, PanelKey, take_keys, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, head_font};
use crate::panels::row::{
    EmptyMessage, Field, button_response, empty_ui, error_ui, loading_ui, watch_for_late,
};
use crate::theme::{icon, icons, ui as ui_font};

/// Height of the bar with both windows.
const BAR: f32 = 30.0;
/// Height of the column heads.
const HEAD: f32 = 24.0;
/// Minimum width that has room for more columns.
pub(super) const WIDE: f32 = 800.0;
/// Minimum width at which a row shows sixteen single bytes.
const ROOMY: f32 = 1900.0;

/// The difference of two positions as a table.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ComparePanel {
    view: CompareView,
    #[serde(skip)]
    list: CursorList,
    /// Cell under the cursor. It stays selected while rows around it come and go.
    #[serde(skip)]
    cursor: Option<CellName>,
}

/// A filter of cells by access, and its label.
struct AccessFilterChoice {
    access: Option<Access>,
    words: &'static str,
}

/// The chooser of one of the two windows.
struct SideChooser<'a> {
    side: CompareSide,
    window: &'a TraceWindow,
    pair: WindowPair<'a>,
}

/// Inputs of the column heads.
struct CompareHead<'a> {
    pen: &'a Pen<'a>,
    pair: WindowPair<'a>,
    columns: &'a CompareColumns,
}

impl ComparePanel {
    /// Compares the first two windows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares two windows.
    pub fn choose(&mut self, before: WindowId, after: WindowId) {
        self.view.choose(before, after);
    }

    /// Draws the bar. Returns the room that is left in it for the summary.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        bar: Rect,
        pen: &Pen<'_>,
        pair: WindowPair<'_>,
        cx: &PanelContext<'_>,
    ) -> Rect {
        let tok = cx.tok;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let y = bar.center().y;
        let mut x = bar.left() + INSET;
        for (side, window) in [
            (CompareSide::Left, pair.left),
            (CompareSide::Right, pair.right),
        ] {
            if side == CompareSide::Right {
                pen.text(x + 8.0, y, icons::FORWARD, icon(12.0), tok.t3);
                x += 28.0;
            }
            let start = x;
            x = pen.badge(x, y, window.id.0) + 6.0;
            x = pen.code(x, y, thousands(window.position.0), tok.t1);
            let touch = Rect::from_min_max(pos2(start, bar.top()), pos2(x, bar.bottom()));
            self.choose_ui(ui, touch, SideChooser { side, window, pair }, cx);
        }
        let swap = Rect::from_center_size(pos2(x + 20.0, y), vec2(22.0, 22.0));
        let response = button_response(ui, swap, "swap", say!("compare-swap-sides"))
            .on_hover_text(say!("compare-swap-sides"));
        if response.hovered() {
            pen.painter.rect_filled(swap, 4.0, tok.bg3);
        }
        pen.text_centered(swap.center(), icons::SWAP, icon(14.0), tok.t2);
        if response.clicked() {
            self.view.choose(pair.right.id, pair.left.id);
        }
        let mut right = bar.right() - 8.0;
        let choices = [
            (None, say!("compare-all")),
            (Some(Access::Write), say!("compare-written")),
            (Some(Access::Read), say!("compare-read")),
        ];
        if bar.width() >= WIDE {
            for (access, words) in choices.into_iter().rev() {
                let width = pen.width(words, ui_font(11.5)) + 16.0;
                let segment =
                    Rect::from_min_max(pos2(right - width, y - 10.0), pos2(right, y + 10.0));
                self.accessed_ui(ui, pen, segment, AccessFilterChoice { access, words });
                right = segment.left() - 2.0;
            }
            right -= 6.0;
            let field = Rect::from_min_size(pos2(right - 200.0, y - 11.0), vec2(200.0, 22.0));
            let filter = Field {
                hint: say!("compare-filter-cells"),
                icon: icons::FILTER,
            };
            filter.ui(ui, pen, field, self.view.filter_mut());
            right = field.left() - 12.0;
        }
        Rect::from_min_max(pos2(x + 42.0, bar.top()), pos2(right, bar.bottom()))
    }

    /// Draws the button of one access filter.
    fn accessed_ui(
        &mut self,
        ui: &Ui,
        pen: &Pen<'_>,
        rect: Rect,
        AccessFilterChoice { access, words }: AccessFilterChoice,
    ) {
        let tok = pen.tok;
        let name = match access {
            Some(Access::Write) => say!("compare-cells-that-were-written-between"),
            Some(Access::Read) => say!("compare-cells-that-were-read-between"),
            None => say!("compare-all-cells-small"),
        };
        let response = button_response(ui, rect, ("accessed", words), name);
        let is_chosen = self.view.accessed() == access;
        if is_chosen || response.hovered() {
            pen.painter
                .rect_filled(rect, 3.0, if is_chosen { tok.bg4 } else { tok.bg3 });
        }
        pen.text_centered(
            rect.center(),
            words,
            ui_font(11.5),
            if is_chosen { tok.t1 } else { tok.t2 },
        );
        if response.clicked() {
            self.view.choose_accessed(access);
        }
        response.on_hover_text(match access {
            None => say!("compare-all-cells-that-differ"),
            Some(Access::Write) => say!("compare-cells-that-differ-and-that"),
            Some(Access::Read) => say!("compare-cells-that-differ-and-that-a"),
        });
    }

    /// Draws the menu of the other windows for one side.
    fn choose_ui(
        &mut self,
        ui: &mut Ui,
        touch: Rect,
        chooser: SideChooser<'_>,
        cx: &PanelContext<'_>,
    ) {
        let SideChooser { side, window, pair } = chooser;
        let ([left, right], place) = (pair.titles(), side as u8);
        let title = if side == CompareSide::Left {
            left
        } else {
            right
        };
        let response = button_response(
            ui,
            touch,
            ("side", place),
            &say!("compare-side", side = title, number = window.id.0),
        );
        egui::Popup::menu(&response).show(|ui| {
            for other in &cx.desk.windows.list {
                let words = say!(
                    "compare-window-at",
                    number = other.id.0,
                    position = other.position.0
                );
                if ui
                    .add(egui::Button::selectable(other.id == window.id, words))
                    .clicked()
                {
                    let (before, after) = (pair.left.id, pair.right.id);
                    // Choosing the window of the other side swaps the sides.
                    match side {
                        CompareSide::Left => {
                            self.choose(other.id, if other.id == after { before } else { after })
                        }
                        CompareSide::Right => {
                            self.choose(if other.id == before { after } else { before }, other.id)
                        }
                    }
                }
            }
        });
    }

    fn table_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        pair: WindowPair<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let Some(between) = self.view.between() else {
            return;
        };
        let pen = Pen::new(ui, rect, cx.tok);
        let pen = if self.view.is_late() {
            pen.faded()
        } else {
            pen
        };
        let columns = CompareColumns::new(rect, self.view.widths());
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        head_ui(
            ui,
            head,
            CompareHead {
                pen: &pen,
                pair,
                columns: &columns,
            },
            cx,
        );
        self.keys(ui, list, cx, out);
        let area = self.list.area(ui, list, self.view.rows().len(), cx.tok);
        let mut seen = area.places().map(|(place, _)| place);
        if let Some(first) = seen.next() {
            let seen = first..seen.last().unwrap_or(first) + 1;
            self.view.fetch(seen.clone(), cx.desk);
            self.view.fetch_writes(seen, cx.desk);
        }
        let pen = Pen {
            painter: pen.painter.with_clip_rect(area.body),
            tok: pen.tok,
        };
        let (view, cursor) = (&self.view, self.cursor.as_ref());
        let table = CompareRows {
            pen: &pen,
            cx,
            columns,
            between,
            view,
            cursor,
        };
        let mut touch = CompareInput::default();
        for (place, rect) in area.places() {
            if let Some(row) = view.rows().get(place) {
                table.row_ui(ui, rect, CompareEntry { place, row }, &mut touch, out);
            }
        }
        let CompareInput { touched, side } = touch;
        if let Some(place) = touched.cursor {
            self.cursor = view.cell(place, cx.desk);
        }
        touched.apply(&mut self.view, &mut self.list, cx.desk, out);
        self.view.choose_side(side.unwrap_or(self.view.side()));
    }

    fn keys(&mut self, ui: &Ui, list: Rect, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let rows = self.view.rows();
            let is_cell = |row: &CompareRow| row.cell().is_some();
            let is_cursor = |row: &CompareRow| is_cell(row) && row.cell() == self.cursor.as_ref();
            let place = rows.iter().position(is_cursor);
            let (up, down) = (place.unwrap_or(0), place.map_or(0, |place| place + 1));
            let to = match key {
                PanelKey::Move(CursorDirection::Up) => rows
                    .get(..up)
                    .and_then(|above| above.iter().rposition(is_cell)),
                PanelKey::Move(CursorDirection::Down) => {
                    (down..rows.len()).find(|row| rows.get(*row).is_some_and(is_cell))
                }
                PanelKey::Move(CursorDirection::First) => rows.iter().position(is_cell),
                PanelKey::Move(CursorDirection::Last) => rows.iter().rposition(is_cell),
                _ => None,
            };
            if let Some(to) = to {
                self.list.reveal(to, rows.len(), list);
                self.cursor = self.view.cell(to, cx.desk);
            }
            let direction = match key {
                PanelKey::Move(CursorDirection::Left) => {
                    self.view.choose_side(CompareSide::Left);
                    continue;
                }
                PanelKey::Move(CursorDirection::Right) => {
                    self.view.choose_side(CompareSide::Right);
                    continue;
                }
                PanelKey::Enter => Direction::Back,
                PanelKey::ShiftEnter => Direction::Forward,
                _ => continue,
            };
            out.extend(self.cursor.clone().map(|cell| {
                Action::Travel(TravelAction::GoToAccess(cell, Access::Write, direction))
            }));
        }
    }
}

impl Panel for ComparePanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        say!("compare-compare").to_owned()
    }

    /// Returns the cell under the cursor.
    fn selection(&self, _: &PanelContext<'_>) -> Option<CellName> {
        self.cursor.clone()
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.view.cell_at(0, cx.desk)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let Some(pair) = self.view.pair(cx.desk) else {
            let words = EmptyMessage(
                say!("compare-nothing-to-compare-yet"),
                say!("compare-open-a-second-trace-window"),
            );
            return empty_ui(ui, &pen, rect, icons::COMPARE, words);
        };
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let room = self.bar_ui(ui, bar, &pen, pair, cx);
        self.view.fit(match rect.width() {
            width if width >= ROOMY => CompareRoom::Roomy,
            width if width >= WIDE => CompareRoom::Wide,
            _ => CompareRoom::Narrow,
        });
        let status = self.view.poll(cx.desk);
        let comparison = self.view.comparison();
        if let Some(comparison) = comparison {
            let place = pos2(room.left(), room.center().y);
            pen.cut_text(
                place,
                &comparison.summary(),
                ui_font(12.0),
                cx.tok.t2,
                room.right(),
            );
        }
        let differs = comparison.is_some_and(|comparison| !comparison.is_empty());
        match status {
            ViewStatus::Failed(error) => error_ui(ui, &pen, rest, &error, out),
            ViewStatus::Loading(_) if comparison.is_none() => loading_ui(&pen, rest),
            ViewStatus::Loading(_) => watch_for_late(ui),
            ViewStatus::Empty { title, advice } if !differs => {
                let pen = if self.view.is_late() {
                    pen.faded()
                } else {
                    pen
                };
                empty_ui(
                    ui,
                    &pen,
                    rest,
                    icons::COMPARE,
                    EmptyMessage(&title, &advice),
                );
            }
            ViewStatus::Empty { .. } | ViewStatus::Rows(_) => {
                self.table_ui(ui, rest, pair, cx, out)
            }
        }
        if self.view.is_waiting() {
            watch_for_late(ui);
        }
    }
}

fn head_ui(
    ui: &Ui,
    head: Rect,
    CompareHead { pen, pair, columns }: CompareHead<'_>,
    cx: &PanelContext<'_>,
) {
    let (tok, y) = (cx.tok, head.center().y);
    pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
    pen.text(columns.cell, y, say!("compare-cell"), head_font(), tok.t2);
    let [left, right] = pair.titles();
    for (x, window, word) in [
        (columns.before, pair.left, left),
        (columns.after, pair.right, right),
    ] {
        let end = pen.badge(x, y, window.id.0);
        pen.text(end + 6.0, y, word, head_font(), tok.t2);
    }
    pen.text(
        columns.writer,
        y,
        say!("compare-last-written-by"),
        head_font(),
        tok.t2,
    );
    let titles = [
        (columns.meaning, say!("compare-means")),
        (columns.instruction, say!("compare-instruction")),
        (columns.source, say!("compare-source")),
    ];
    for (x, title) in titles
        .into_iter()
        .filter_map(|(x, title)| Some((x?, title)))
    {
        pen.text(x, y, title, head_font(), tok.t2);
    }
    if let Some(x) = columns.writes {
        pen.text_left_of(x, y, say!("compare-writes-between"), head_font(), tok.t2);
    }
    let response = ui.interact(head, ui.unique_id().with("head"), Sense::hover());
    let words = say!(
        "compare-head",
        first = pair.left.id.0,
        left = left,
        second = pair.right.id.0,
        right = right
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
}

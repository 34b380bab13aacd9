//! The panel of calls: the call tree, or the list of calls that were found, and its columns.

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::{Action, Follow, PanelKind};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::desk::Blocks;
use stepback_debugger::messages::say;
use stepback_debugger::model::call_rows::{CallRow, CallWords};
use stepback_debugger::model::call_tree::{Indents, names_around};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{
    CallColumn, CallsView, PanelView, RowGesture, RowListing as ViewRows, ViewStatus,
};

use crate::panels::PanelContext;
use crate::panels::calls::rows::{CallTreeEntry, CallTreeRows};
use crate::panels::cursor_list::{CursorList, ListExtent, RowInput, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::{Pen, ROW, head_font};
use crate::panels::row::{EmptyMessage, Field, button_response, empty_ui, error_ui};
use crate::theme::{icon, icons, mono, ui as ui_font};

/// Height of the search field.
const HEAD: f32 = 36.0;
/// Mean width of a character in a row.
const CHARACTER: f32 = 7.1;
/// Maximum number of calls around the topmost row that are named while they are out of view.
const AROUND: usize = 3;

/// The calls as a tree, or the found calls as a list.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallsPanel {
    view: CallsView,
    #[serde(skip)]
    list: CursorList,
}

impl CallsPanel {
    /// Creates the tree, with the position of a window marked.
    pub fn new(follow: Follow) -> Self {
        Self {
            view: CallsView::new(follow),
            list: CursorList::default(),
        }
    }

    /// Lists the calls that are entered in a part of the trace; none: shows the tree.
    pub fn list_range(&mut self, range: Option<StepRange>) {
        self.view.list_range(range);
        self.list = CursorList::default();
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        list: Rect,
        shown: ViewRows,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let list = if self.view.is_search() {
            self.summary_ui(ui, list, cx)
        } else {
            list
        };
        let (head, list) = list.split_top_bottom_at_y(list.top() + ROW);
        let place = ListExtent {
            rows: shown.count,
            list,
        };
        self.list.follow(shown.marked, self.view.margin(), place);
        self.list.keys(ui, &mut self.view, place, cx, out);
        let area = self.list.area(ui, list, shown.count, cx.tok);
        let mut seen = area.places().map(|(place, _)| place);
        let first = seen.next();
        if let Some(first) = first {
            self.view
                .fetch(first..seen.last().unwrap_or(first) + 1, cx.desk);
        }
        // Next to the position of the call, a list of calls has room only for the first column.
        let count = if self.view.is_search() { 1 } else { usize::MAX };
        let wide = (area.body.width() / CHARACTER) as usize;
        let numbers: Vec<_> = self.view.columns(cx.desk, wide).take(count).collect();
        let listing = if self.view.is_search() {
            CallListing::Found(self.view.words())
        } else {
            CallListing::Tree
        };
        let columns = CallListColumns {
            listing,
            left: area.body.left(),
            right: area.body.right(),
            numbers: &numbers,
        };
        let rows = self.view.rows();
        let depths = area
            .places()
            .filter_map(|(place, _)| Some(rows.get(place)?.depth()));
        let indents = Indents::of(depths, columns.room_for_indents());
        let first = first.filter(|_| indents.hidden().is_some());
        let around = first.map(|place| {
            say!(
                "calls-in",
                names = names_around(rows, place, AROUND).join(" › ")
            )
        });
        columns.head_ui(&Pen::new(ui, head, cx.tok), head, around.as_deref());
        let window = cx
            .desk
            .windows
            .travelling(self.view.follow().unwrap_or_default());
        let window = cx.desk.windows.followed(window);
        let cursor = self.list.cursor;
        let shown = CallTreeRows {
            pen: Pen::new(ui, area.body, cx.tok),
            cx,
            window,
            cursor,
            columns,
            indents,
        };
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            if let Some(row) = rows.get(place) {
                shown.row_ui(ui, rect, CallTreeEntry { place, row }, &mut touched, out);
            }
        }
        touched.apply(&mut self.view, &mut self.list, cx.desk, out);
    }

    /// Draws the number of listed calls and their part of the trace, with a button that leaves that
    /// part.
    fn summary_ui(&mut self, ui: &Ui, list: Rect, cx: &PanelContext<'_>) -> Rect {
        let summary = self.view.summary(cx.desk);
        let (head, rest) = list.split_top_bottom_at_y(list.top() + ROW);
        let pen = Pen::new(ui, head, cx.tok);
        let mut right = head.right() - 8.0;
        if self.view.range().is_some() {
            let button =
                Rect::from_min_max(pos2(right - 20.0, head.top()), pos2(right, head.bottom()));
            let response = button_response(
                ui,
                button,
                "leave range",
                say!("calls-list-calls-of-the-whole"),
            );
            pen.text_centered(button.center(), icons::CLOSE, icon(12.0), cx.tok.t2);
            right = button.left() - 4.0;
            if response.clicked() {
                self.list_range(None);
            }
            response.on_hover_text(say!("calls-back-to-the-calls-of"));
        }
        pen.cut_text(
            pos2(head.left() + 12.0, head.center().y),
            &summary,
            ui_font(11.5),
            cx.tok.t3,
            right,
        );
        rest
    }
}

impl Panel for CallsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        say!("calls-calls").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        self.view.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.view.bind(follow);
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let field = Rect::from_min_size(rect.min + vec2(8.0, 6.0), vec2(rect.width() - 16.0, 22.0));
        let finder = Field {
            hint: say!("calls-find-a-function"),
            icon: icons::SEARCH,
        };
        let field = finder.ui(ui, &pen, field, self.view.text_mut());
        if field.changed() {
            // Another list begins at its top; the tree comes back with the call of the position in
            // view.
            self.list = CursorList::default();
        }
        let is_entered =
            field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let list = Rect::from_min_max(pos2(rect.left(), rect.top() + HEAD), rect.max);
        match self.view.poll(cx.desk) {
            ViewStatus::Failed(error) => error_ui(ui, &pen, list, &error, out),
            ViewStatus::Loading(_) => {}
            ViewStatus::Empty { title, advice } => {
                // A range without calls can be left.
                let is_range = self.view.range().is_some();
                let list = if is_range {
                    self.summary_ui(ui, list, cx)
                } else {
                    list
                };
                empty_ui(ui, &pen, list, icons::CALLS, EmptyMessage(&title, &advice));
            }
            ViewStatus::Rows(rows) => {
                if is_entered {
                    self.view.act(0, RowGesture::Go, cx.desk, out);
                }
                // The rows have the numbers of another part of the trace: they are shown, but do
                // not react.
                match self.view.is_renumbering() {
                    false => self.rows_ui(ui, list, rows, cx, out),
                    true => self.rows_ui(
                        ui,
                        list,
                        rows,
                        &PanelContext {
                            has_focus: false,
                            ..*cx
                        },
                        &mut Vec::new(),
                    ),
                }
            }
        }
    }
}

/// Width of a column of numbers.
const STEPS: f32 = 78.0;
/// Width of the column of entry positions in search results.
const ENTERED: f32 = 82.0;
/// Minimum width of the list that has a caller column.
const WITH_CALLER: f32 = 400.0;
/// Share of the remaining width for the caller.
const CALLER: f32 = 0.35;
/// Minimum width of names at any depth.
const LEAST_NAME: f32 = 112.0;

/// Contents of the rows.
#[derive(Clone, Copy)]
pub enum CallListing<'a> {
    Tree,
    /// Calls found by a search, with the words about each.
    Found(&'a Blocks<CallWords>),
}

/// Column positions.
#[derive(Clone, Copy)]
pub struct CallListColumns<'a> {
    pub listing: CallListing<'a>,
    /// Edges of the list.
    pub left: f32,
    pub right: f32,
    /// Number columns, from the right.
    pub numbers: &'a [&'static CallColumn],
}

impl CallListColumns<'_> {
    fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Returns the width that is available for indentation.
    pub fn room_for_indents(&self) -> f32 {
        let more = self.numbers.iter().skip(1).map(|_| STEPS).sum::<f32>();
        (self.width() - LEAST_NAME - 58.0 - more).max(0.0)
    }

    /// Draws the heads. `around` names the calls around the topmost row that are out of view.
    pub fn head_ui(&self, pen: &Pen<'_>, head: Rect, around: Option<&str>) {
        let (tok, y) = (pen.tok, head.center().y);
        pen.fill(head, tok.bg2);
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
        let (mut edge, mut right) = (self.right - 10.0, self.right);
        for column in self.numbers {
            right = pen.text_left_of(edge, y, column.head(), head_font(), tok.t2) - 8.0;
            edge -= STEPS;
        }
        match (self.listing, around) {
            (CallListing::Found(_), _) => {
                pen.text_left_of(
                    self.left + ENTERED - 10.0,
                    y,
                    say!("calls-position"),
                    head_font(),
                    tok.t2,
                );
                pen.cut_text(
                    pos2(self.left + ENTERED, y),
                    say!("calls-call"),
                    head_font(),
                    tok.t2,
                    right,
                );
                if let Some(left) = self.caller_left() {
                    pen.text(left, y, say!("calls-caller"), head_font(), tok.t2);
                }
            }
            (CallListing::Tree, Some(around)) => {
                pen.cut_text(
                    pos2(self.left + 12.0, y),
                    around,
                    ui_font(11.5),
                    tok.t3,
                    right,
                );
            }
            (CallListing::Tree, None) => {
                pen.cut_text(
                    pos2(self.left + 12.0, y),
                    say!("calls-call"),
                    head_font(),
                    tok.t2,
                    right,
                );
            }
        }
    }

    /// Draws the numbers of a row at its right. Returns their left edge.
    pub fn numbers_ui(&self, pen: &Pen<'_>, rect: Rect, row: &CallRow) -> f32 {
        let (y, mut edge, mut left) = (rect.center().y, self.right - 10.0, self.right);
        for (place, column) in self.numbers.iter().enumerate() {
            let color = if place == 0 { pen.tok.t3 } else { pen.tok.t4 };
            left = pen.text_left_of(edge, y, column.text(row), mono(11.5), color);
            edge -= STEPS;
        }
        left
    }

    /// Draws the position, caller and numbers of a found call. Returns the left edge and the right
    /// limit of its name.
    pub fn found_ui(
        &self,
        pen: &Pen<'_>,
        rect: Rect,
        row: &CallRow,
        words: Option<&CallWords>,
    ) -> (f32, f32) {
        let (y, tok) = (rect.center().y, pen.tok);
        pen.text_left_of(
            self.left + ENTERED - 10.0,
            y,
            thousands(row.entered_at.0),
            mono(11.5),
            tok.accent,
        );
        let steps = self.numbers_ui(pen, rect, row);
        let Some(left) = self.caller_left() else {
            return (self.left + ENTERED, steps - 8.0);
        };
        if let Some(words) = words {
            pen.cut_text(
                pos2(left, y),
                &words.caller,
                mono(12.0),
                tok.t2,
                steps - 8.0,
            );
        }
        (self.left + ENTERED, left - 10.0)
    }

    fn caller_left(&self) -> Option<f32> {
        let room = self.width() - ENTERED - STEPS;
        (self.width() >= WITH_CALLER).then_some(self.right - STEPS - room * CALLER)
    }
}

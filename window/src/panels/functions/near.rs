//! The callers and callees of a function.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use stepback_debugger::action::{Action, AppAction, CallMeasure, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::functions::{
    CallRelation, FunctionProfile, RelatedFunctionRow, near_rows, share_text,
};
use stepback_debugger::model::text::thousands;
use stepback_parsers::Position;

use crate::panels::PanelContext;
use crate::panels::cursor_list::CursorList;
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{INSET, Pen, head_font};
use crate::panels::row::{RowState, row_background, row_response};
use crate::theme::{icons, mono};

/// Narrower lists have no column of shares.
const NARROW: f32 = 300.0;
/// Widths of the columns, from the right: share of the function's cost, cost, calls.
const SHARE: f32 = 58.0;
const TAKEN: f32 = 78.0;
const CALLS: f32 = 60.0;

/// One of the profiled functions; `place` is its index.
#[derive(Clone, Copy)]
pub struct ProfiledFunction<'a> {
    pub functions: &'a Arc<FunctionProfile>,
    pub place: u32,
}

/// The list, cached for one function.
#[derive(Debug, Default)]
pub struct CallGraphList {
    known: Option<CallGraphCache>,
    list: CursorList,
    /// First call of the row that was clicked. It is kept because the list changes before the
    /// second click of a double click.
    clicked: Option<Position>,
}

/// Cached lines, so that they are not computed in every frame.
#[derive(Debug)]
struct CallGraphCache {
    functions: Arc<FunctionProfile>,
    place: u32,
    measure: CallMeasure,
    lines: Vec<CallGraphLine>,
}

#[derive(Clone, Copy, Debug)]
enum CallGraphLine {
    Head(CallRelation, usize),
    Row(RelatedFunctionRow),
}

impl CallGraphList {
    /// Draws the list.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        of: ProfiledFunction<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let measure = of.functions.measure(cx.desk.functions.measure());
        let is_known = |known: &CallGraphCache| {
            Arc::ptr_eq(&known.functions, of.functions)
                && known.place == of.place
                && known.measure == measure
        };
        if !self.known.as_ref().is_some_and(is_known) {
            self.known = Some(CallGraphCache::of(of, measure));
            self.list = CursorList::default();
        }
        let Some(known) = &self.known else { return };
        let area = self.list.area(ui, rect, known.lines.len(), cx.tok);
        let scene = CallGraphPainter {
            pen: Pen::new(ui, area.body, cx.tok),
            known,
            cx,
        };
        let mut clicked = self.clicked;
        for (place, rect) in area.places() {
            match known.lines.get(place) {
                Some(CallGraphLine::Head(side, count)) => scene.head_ui(rect, *side, *count),
                Some(CallGraphLine::Row(row)) => {
                    clicked = scene.row_ui(
                        ui,
                        rect,
                        CallGraphEntry {
                            place,
                            row,
                            clicked,
                        },
                        out,
                    )
                }
                None => {}
            }
        }
        self.clicked = clicked;
    }
}

impl CallGraphCache {
    fn of(
        ProfiledFunction { functions, place }: ProfiledFunction<'_>,
        measure: CallMeasure,
    ) -> Self {
        let of_side = |side| {
            let rows = near_rows(functions, place, side, measure);
            std::iter::once(CallGraphLine::Head(side, rows.len()))
                .chain(rows.into_iter().map(CallGraphLine::Row))
        };
        let lines = of_side(CallRelation::Callers)
            .chain(of_side(CallRelation::Callees))
            .collect();
        Self {
            functions: Arc::clone(functions),
            place,
            measure,
            lines,
        }
    }

    /// Returns the cost of a row, in steps or time.
    fn taken(&self, row: &RelatedFunctionRow) -> u64 {
        match self.measure {
            CallMeasure::Steps => row.totals.steps,
            CallMeasure::Time => row.totals.time,
        }
    }

    /// Returns the cost of all calls of the function.
    fn whole(&self) -> u64 {
        let totals = self
            .functions
            .function(self.place)
            .map(|function| function.totals)
            .unwrap_or_default();
        match self.measure {
            CallMeasure::Steps => totals.steps,
            CallMeasure::Time => totals.time,
        }
    }
}

/// Painter of the lines.
struct CallGraphPainter<'a> {
    pen: Pen<'a>,
    known: &'a CallGraphCache,
    cx: &'a PanelContext<'a>,
}

impl CallGraphPainter<'_> {
    fn head_ui(&self, rect: Rect, side: CallRelation, count: usize) {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        pen.fill(rect, tok.bg2);
        let words = match (side, count) {
            (CallRelation::Callers, 0) => say!("functions-nobody-called-it"),
            (CallRelation::Callers, _) => say!("functions-callers"),
            (CallRelation::Callees, 0) => say!("functions-it-called-nobody"),
            (CallRelation::Callees, _) => say!("functions-callees"),
        };
        let right = rect.right() - 8.0;
        let share = share_column(rect);
        let room = if count == 0 {
            right
        } else {
            right - share - TAKEN - CALLS
        };
        pen.cut_text(
            pos2(rect.left() + INSET, y),
            words,
            head_font(),
            tok.t2,
            room,
        );
        if count == 0 {
            return;
        }
        let taken = match self.known.measure {
            CallMeasure::Steps => say!("functions-steps"),
            CallMeasure::Time => say!("functions-time"),
        };
        if share > 0.0 {
            pen.text_left_of(right, y, say!("functions-share"), head_font(), tok.t2);
        }
        pen.text_left_of(right - share, y, taken, head_font(), tok.t2);
        pen.text_left_of(
            right - share - TAKEN,
            y,
            say!("functions-calls"),
            head_font(),
            tok.t2,
        );
    }

    /// Draws a row. Returns the first call of the row that was clicked last.
    fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        CallGraphEntry {
            place,
            row,
            clicked,
        }: CallGraphEntry<'_>,
        out: &mut Vec<Action>,
    ) -> Option<Position> {
        let (pen, tok, y, known) = (&self.pen, self.cx.tok, rect.center().y, self.known);
        let name = known.functions.name(row.function);
        let response = row_response(ui, rect, ("near", place), || {
            say!("functions-near", name = &*name)
        });
        row_background(pen, rect, &response, RowState::default());
        let right = rect.right() - 8.0;
        let taken = known.taken(row);
        let share = share_column(rect);
        if share > 0.0 {
            pen.text_left_of(
                right,
                y,
                share_text(taken, known.whole()),
                mono(12.0),
                tok.t2,
            );
        }
        pen.text_left_of(right - share, y, thousands(taken), mono(12.0), tok.number);
        let calls = thousands(row.totals.calls);
        let end = pen.text_left_of(right - share - TAKEN, y, calls, mono(12.0), tok.number);
        pen.middle_cut_text(
            pos2(rect.left() + INSET, y),
            name,
            mono(12.5),
            tok.symbol,
            end - 8.0,
        );
        let address = known
            .functions
            .function(row.function)
            .map(|function| function.address);
        if response.double_clicked() {
            out.push(Action::travel(
                self.cx.desk.windows.active,
                clicked.unwrap_or(row.first),
            ));
        } else if response.clicked() {
            out.push(Action::View(ViewAction::SelectFunction(address)));
        }
        let was_clicked = response.clicked() && !response.double_clicked();
        context_menu(&response, |ui| {
            menu_head_ui(ui, tok, name, "");
            if MenuItem::new(say!("functions-choose-this-function")).ui(ui, tok) {
                out.push(Action::View(ViewAction::SelectFunction(address)));
            }
            if MenuItem::new(say!("functions-travel-to-the-first-such"))
                .icon(icons::GO_TO)
                .key("double click")
                .ui(ui, tok)
            {
                out.push(Action::travel(self.cx.desk.windows.active, row.first));
            }
            menu_line_ui(ui, tok);
            if MenuItem::new(say!("functions-copy-name"))
                .icon(icons::COPY)
                .ui(ui, tok)
            {
                out.push(Action::App(AppAction::Copy(name.to_owned())));
            }
        });
        response.on_hover_text(say!("functions-a-click-chooses-it-a"));
        if was_clicked {
            Some(row.first)
        } else {
            clicked
        }
    }
}

/// Returns the width of the column of shares, 0 in narrow lists.
fn share_column(rect: Rect) -> f32 {
    if rect.width() < NARROW { 0.0 } else { SHARE }
}

/// A row, its index in the list, and the first call of the row that was clicked before.
struct CallGraphEntry<'a> {
    place: usize,
    row: &'a RelatedFunctionRow,
    clicked: Option<Position>,
}

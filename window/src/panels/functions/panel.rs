//! The functions as a list, with the callers and callees of the function under the cursor.

use std::borrow::Cow;
use std::sync::Arc;

use egui::Ui;
use serde::{Deserialize, Serialize};
use stepback_debugger::action::{Action, PanelKind, ViewAction};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::functions::FunctionProfile;
use stepback_debugger::model::table::Table;
use stepback_debugger::views::{FunctionTable, TableView};
use stepback_machine::Address;

use super::bar::{BAR, FunctionsBar};
use super::near::{CallGraphList, ProfiledFunction};
use crate::panels::PanelContext;
use crate::panels::cursor_list::take_rect;
use crate::panels::panel::Panel;
use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, error_ui};
use crate::panels::table::{ListExport, ListPlace, ListTools, RowList};

/// Minimum width that shows callers and callees at the right.
const WIDE: f32 = 620.0;
/// Minimum height that shows them below the list.
const HIGH: f32 = 260.0;
/// Share of the width or height that they take.
const SHARE: f32 = 0.36;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionsPanel {
    /// The list; the desk holds its rows.
    view: TableView<FunctionTable>,
    #[serde(skip)]
    state: Box<FunctionsPanelState>,
}

#[derive(Debug, Default)]
struct FunctionsPanelState {
    list: RowList,
    near: CallGraphList,
    /// Function that the cursor was moved to last.
    placed: Option<CursorPlacement>,
}

/// A function that the cursor was moved to, and the list in which that happened.
#[derive(Debug)]
struct CursorPlacement {
    function: Option<Address>,
    table: Arc<Table>,
    /// Function of the row under the cursor, selected or not.
    shown: Option<Address>,
    part: Option<StepRange>,
}

impl FunctionsPanel {
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        free: &FunctionsBar<'_>,
        table: &Table,
        out: &mut Vec<Action>,
    ) {
        let FunctionsBar { pen, rect: bar, .. } = *free;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let export = ListExport {
            pen,
            rows: &|| Cow::Borrowed(table),
            name: "functions",
        };
        let tools = ListTools { export, bar }.ui(ui, self.view.filter_mut(), out);
        if tools.is_changed {
            self.state.list.rewind();
        }
        free.up_to(tools.left).part_ui(ui, &table.summary, out);
    }

    /// Draws the list, and the callers and callees at its right or below it.
    fn lists_ui(
        &mut self,
        ui: &mut Ui,
        shown: &ListPlace<'_>,
        seen: &VisibleFunctions<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let rect = shown.rect;
        let (main, near) = match () {
            () if rect.width() >= WIDE => {
                let (main, near) = rect.split_left_right_at_fraction(1.0 - SHARE);
                (main, Some(near))
            }
            () if rect.height() >= HIGH => {
                let (main, near) = rect.split_top_bottom_at_fraction(1.0 - SHARE);
                (main, Some(near))
            }
            () => (rect, None),
        };
        let shown = ListPlace {
            rect: main,
            ..*shown
        };
        self.place(&shown, seen, cx);
        let pen = Pen {
            painter: shown.pen.painter.with_clip_rect(main),
            tok: shown.pen.tok,
        };
        self.state.list.ui(
            ui,
            &ListPlace { pen: &pen, ..shown },
            &mut self.view,
            cx,
            out,
        );
        let address = seen
            .table
            .rows
            .get(self.state.list.cursor())
            .and_then(|row| row.address);
        if self.state.list.take_touch() && address != cx.desk.functions.selected() {
            out.push(Action::View(ViewAction::SelectFunction(address)));
            let (table, part) = (Arc::clone(seen.table), seen.functions.part);
            self.state.placed = Some(CursorPlacement {
                function: address,
                table,
                shown: address,
                part,
            });
        }
        let chosen = address
            .or(cx.desk.functions.selected())
            .and_then(|address| seen.functions.place_of(address));
        if let (Some(near), Some(place)) = (near, chosen) {
            let edge = if near.left() > rect.left() {
                near.left()
            } else {
                near.top()
            };
            match near.left() > rect.left() {
                true => shown
                    .pen
                    .line_down(edge, near.top(), near.bottom(), cx.tok.line),
                false => shown
                    .pen
                    .line_across(near.left(), near.right(), edge, cx.tok.line),
            }
            let of = ProfiledFunction {
                functions: seen.functions,
                place,
            };
            // Both lists have a scroll bar.
            let near = near.with_min_x(near.left() + 1.0);
            let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("near").max_rect(near));
            self.state.near.ui(&mut ui, near, of, cx, out);
        }
    }

    /// Moves the cursor to the function that was selected elsewhere.
    fn place(&mut self, shown: &ListPlace<'_>, seen: &VisibleFunctions<'_>, cx: &PanelContext<'_>) {
        let function = cx.desk.functions.selected();
        let is_placed = |placed: &CursorPlacement| {
            placed.function == function && Arc::ptr_eq(&placed.table, seen.table)
        };
        if self.state.placed.as_ref().is_some_and(is_placed) {
            return;
        }
        let part = seen.functions.part;
        // In another part of the trace the row of the cursor may contain another function.
        let before = self
            .state
            .placed
            .as_ref()
            .filter(|placed| placed.part != part)
            .and_then(|placed| placed.shown);
        let wanted = function.or(before);
        let row = seen
            .table
            .rows
            .iter()
            .position(|row| row.address.is_some() && row.address == wanted);
        match row {
            Some(row) => self.state.list.go_to(row, seen.table.rows.len(), shown),
            None if wanted.is_some() => self.state.list.leave(),
            None => {}
        }
        let shown = seen
            .table
            .rows
            .get(self.state.list.cursor())
            .and_then(|row| row.address)
            .or(wanted);
        self.state.placed = Some(CursorPlacement {
            function,
            table: Arc::clone(seen.table),
            shown,
            part,
        });
    }
}

/// The functions and their filtered and sorted table.
struct VisibleFunctions<'a> {
    functions: &'a Arc<FunctionProfile>,
    table: &'a Arc<Table>,
}

impl Panel for FunctionsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Functions
    }

    fn title(&self) -> String {
        say!("table-functions").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let Some(functions) = cx.desk.functions.stated() else {
            return FunctionsBar {
                pen: &pen,
                rect: bar,
                cx,
            }
            .untold_ui(ui, rest, out);
        };
        self.view.show(Arc::clone(&functions.table));
        let table = Arc::clone(self.view.table());
        self.bar_ui(
            ui,
            &FunctionsBar {
                pen: &pen,
                rect: bar,
                cx,
            },
            &table,
            out,
        );
        if let Some(error) = cx.desk.functions.error() {
            return error_ui(ui, &pen, rest, error, out);
        }
        // Until the new answer arrives, the rows may be those of another part.
        let pen = if functions.part == cx.desk.functions.part() {
            pen
        } else {
            pen.faded()
        };
        let nothing = EmptyMessage(
            say!("functions-no-function-was-called"),
            say!("table-the-trace-has-no-calls"),
        );
        let shown = ListPlace {
            pen: &pen,
            nothing,
            rect: rest,
        };
        self.lists_ui(
            ui,
            &shown,
            &VisibleFunctions {
                functions,
                table: &table,
            },
            cx,
            out,
        );
    }
}

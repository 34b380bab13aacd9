//! The rows of the call tree.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::{Action, PanelAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::call_rows::{CallRow, CallWords};
use stepback_debugger::model::call_stack::{FrameMark, entered_at};
use stepback_debugger::model::call_tree::{Indents, TreeRow};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::RowGesture;

use super::menu::{CallMenuContext, call_menu};
use crate::panels::calls::panel::{CallListColumns, CallListing};
use crate::panels::cursor_list::{PanelOutput, RowInput};
use crate::panels::menu::context_menu;
use crate::panels::panel::register_of;
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::{RowState, button_response, row_background, row_response};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icon, icons, mono, mono_bold, ui as ui_font};

/// Middle of the outermost caret.
const CARET: f32 = 14.0;

/// Minimum room for arguments or a thread after the name of a call.
const LEAST_MORE: f32 = 32.0;

/// Painter of the rows, for one frame.
pub struct CallTreeRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    /// Window whose position is marked.
    pub window: &'a TraceWindow,
    pub cursor: usize,
    /// Column positions.
    pub columns: CallListColumns<'a>,
    /// Indentation of each depth.
    pub indents: Indents,
}

/// A row and its index in the list.
pub struct CallTreeEntry<'a> {
    pub place: usize,
    pub row: &'a TreeRow,
}

/// A row of calls, its index in the list, and its state.
pub struct CallEntry<'a> {
    pub place: usize,
    pub row: &'a CallRow,
    pub look: CallRowState,
}

/// Row for calls that are not shown; `hidden` is their number, if known.
pub struct HiddenCalls {
    pub place: usize,
    pub depth: u32,
    pub hidden: Option<u64>,
}

impl CallTreeRows<'_> {
    /// Draws a row.
    pub fn row_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        CallTreeEntry { place, row }: CallTreeEntry<'_>,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        match row {
            TreeRow::Calls {
                depth,
                row,
                is_open,
                is_on_path,
                is_current,
            } => {
                let look = CallRowState {
                    depth: *depth,
                    is_open: *is_open,
                    is_on_path: *is_on_path,
                    is_current: *is_current,
                };
                self.calls_ui(ui, rect, CallEntry { place, row, look }, touched, out);
            }
            TreeRow::More { depth, hidden, .. } => self.more_ui(
                ui,
                rect,
                HiddenCalls {
                    place,
                    depth: *depth,
                    hidden: *hidden,
                },
                touched,
            ),
            TreeRow::Loading { depth } => {
                let bar = Rect::from_min_size(
                    pos2(self.name_left(rect, *depth), rect.center().y - 4.0),
                    vec2(72.0, 8.0),
                );
                self.pen.painter.rect_filled(bar, 2.0, self.cx.tok.bg3);
            }
        }
    }

    fn calls_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        CallEntry { place, row, look }: CallEntry<'_>,
        touched: &mut RowInput,
        out: &mut Vec<Action>,
    ) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let name = if row.count > 1 {
            say!(
                "calls-row-times",
                name = &*row.name,
                times = row.count.to_string()
            )
        } else {
            say!("calls-row", name = &*row.name)
        };
        let response = row_response(ui, rect, ("call", place, row.first.0), || name.clone());
        let is_cursor = self.cursor == place;
        let state = RowState {
            is_selected: look.is_current,
            is_cursor,
            has_focus: self.cx.has_focus,
        };
        row_background(
            pen,
            rect,
            &response,
            RowState {
                has_focus: true,
                is_cursor: false,
                ..state
            },
        );
        if is_cursor && self.cx.has_focus {
            pen.frame(rect.shrink(1.0), 0, tok.focus);
        }
        if look.is_current {
            pen.fill(
                Rect::from_min_size(rect.min, vec2(2.0, ROW)),
                tok.position(self.window.id.0),
            );
        }
        self.guides(rect, look.depth);
        self.caret_ui(ui, rect, CallEntry { place, row, look }, touched);
        match self.columns.listing {
            CallListing::Tree => self.words(rect, row, look),
            CallListing::Found(words) => {
                self.found_words(rect, row, look, words.known(place as u64))
            }
        }
        if response.clicked() || response.secondary_clicked() {
            touched.cursor = Some(place);
        }
        if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            out.push(Action::Panel(PanelAction::OpenWindowAt(
                self.cx.moment(row.entered_at),
            )));
        } else if response.clicked() {
            touched.gesture(place, RowGesture::Go);
        }
        context_menu(&response, |ui| {
            call_menu(
                ui,
                CallEntry { place, row, look },
                CallMenuContext {
                    cx: self.cx,
                    window: self.window,
                },
                PanelOutput { touched, out },
            )
        });
        response.on_hover_ui(|ui| {
            if let CallListing::Found(words) = self.columns.listing
                && let Some(words) = words.known(place as u64)
            {
                ui.label(say!(
                    "calls-called-by",
                    name = &*row.name,
                    arguments = &*words.arguments,
                    caller = &*words.caller
                ));
            }
            for line in row.detail_lines(&self.cx.desk.session) {
                ui.label(line);
            }
            self.argument(place, row)
                .iter()
                .for_each(|hover| hover.line_ui(ui));
        });
    }

    /// Returns the first argument of a call whose arguments are shown.
    fn argument(&self, place: usize, row: &CallRow) -> Option<HoverCell> {
        let CallListing::Found(words) = self.columns.listing else {
            return None;
        };
        words
            .known(place as u64)
            .filter(|words| !words.arguments.is_empty())?;
        let thread = row.call.thread;
        let name = self
            .cx
            .desk
            .session
            .index
            .instruction_set(thread)
            .abi()
            .arguments
            .first()?;
        Some(HoverCell {
            cell: register_of(thread, name, self.cx),
            at: entered_at(&row.call),
        })
    }

    fn words(&self, rect: Rect, row: &CallRow, look: CallRowState) {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        let steps = self.columns.numbers_ui(pen, rect, row);
        let (font, color) = match () {
            () if look.is_current => (mono_bold(12.5), tok.symbol),
            () if look.is_on_path => (mono(12.5), tok.symbol),
            () => (mono(12.5), tok.t2),
        };
        let count = if row.count > 1 {
            format!("×{}", thousands(row.count))
        } else {
            String::new()
        };
        let count_width = if row.count > 1 {
            pen.width(&count, mono(11.5)) + 8.0
        } else {
            0.0
        };
        let right = steps - 8.0 - count_width;
        let mut end = pen.cut_text(
            pos2(self.name_left(rect, look.depth), y),
            &row.name,
            font,
            color,
            right,
        );
        let threads = self.cx.desk.session.index.threads();
        let is_named = look.depth == 0 && threads.len() > 1 && right - end > LEAST_MORE;
        let thread = threads.get(usize::from(row.thread.0));
        if let Some(thread) = thread.filter(|_| is_named) {
            end = pen.cut_text(pos2(end + 8.0, y), &thread.name, mono(11.5), tok.t3, right);
        }
        end = pen.text(end + 6.0, y, count, mono(11.5), tok.t3);
        for mark in row.marks() {
            let color = if mark == FrameMark::Exception {
                tok.err
            } else {
                tok.t3
            };
            if end + 6.0 + pen.width(mark.word(), ui_font(11.0)) < steps - 8.0 {
                end = pen.text(end + 6.0, y, mark.word(), ui_font(11.0), color);
            }
        }
    }

    /// Draws a found call: its entry position, arguments and caller.
    fn found_words(
        &self,
        rect: Rect,
        row: &CallRow,
        look: CallRowState,
        words: Option<&CallWords>,
    ) {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        let (left, right) = self.columns.found_ui(pen, rect, row, words);
        let color = if look.is_on_path { tok.symbol } else { tok.t1 };
        let end = pen.cut_text(pos2(left, y), &row.name, mono(12.5), color, right);
        let arguments = words.map_or("", |words| &words.arguments);
        if !arguments.is_empty() && right - end > LEAST_MORE {
            let arguments = format!("({arguments})");
            pen.cut_text(pos2(end, y), &arguments, mono(12.0), tok.t3, right);
        }
    }

    fn caret_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        CallEntry { place, row, look }: CallEntry<'_>,
        touched: &mut RowInput,
    ) {
        let Some(is_open) = look.is_open else { return };
        let center = pos2(
            rect.left() + CARET + self.indents.of_depth(look.depth),
            rect.center().y,
        );
        let touch = Rect::from_center_size(center, vec2(16.0, ROW));
        let name = match is_open {
            true => say!("calls-close-row", name = &*row.name),
            false => say!("calls-open-row", name = &*row.name),
        };
        let response = button_response(ui, touch, ("caret", place, row.first.0), &name);
        let shape = if is_open {
            icons::CARET_DOWN
        } else {
            icons::CARET_RIGHT
        };
        let color = if response.hovered() {
            self.cx.tok.t1
        } else {
            self.cx.tok.t2
        };
        self.pen.text_centered(center, shape, icon(10.0), color);
        if response.clicked() {
            touched.gesture(
                place,
                if is_open {
                    RowGesture::Close
                } else {
                    RowGesture::Open
                },
            );
        }
    }

    fn more_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        HiddenCalls {
            place,
            depth,
            hidden,
        }: HiddenCalls,
        touched: &mut RowInput,
    ) {
        let words = match hidden {
            Some(hidden) => say!("calls-more", count = hidden),
            None => say!("calls-more-2").to_owned(),
        };
        let response = row_response(ui, rect, ("more", place), || words.clone());
        row_background(
            &self.pen,
            rect,
            &response,
            RowState {
                is_cursor: self.cursor == place,
                has_focus: self.cx.has_focus,
                is_selected: false,
            },
        );
        self.guides(rect, depth);
        self.pen.text(
            self.name_left(rect, depth),
            rect.center().y,
            words,
            ui_font(11.5),
            self.cx.tok.accent,
        );
        if response.clicked() {
            touched.cursor = Some(place);
            touched.gesture(place, RowGesture::Go);
        }
    }

    fn guides(&self, rect: Rect, depth: u32) {
        for left in self.indents.around(depth) {
            self.pen.line_down(
                rect.left() + CARET + left,
                rect.top(),
                rect.bottom(),
                self.cx.tok.line2,
            );
        }
    }

    fn name_left(&self, rect: Rect, depth: u32) -> f32 {
        rect.left() + CARET + 10.0 + self.indents.of_depth(depth)
    }
}

/// Depth and highlights of a row of calls.
#[derive(Clone, Copy, Debug)]
pub struct CallRowState {
    depth: u32,
    pub is_open: Option<bool>,
    is_on_path: bool,
    is_current: bool,
}

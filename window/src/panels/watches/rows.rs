//! A watch on the screen as two lines, the value and a strip of its writes, and its context menu.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::{Action, AppAction, Follow, MarkAction, SliceAction, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::{SourceWords, so_far, source_so_far};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::watch_state::WatchState;
use stepback_debugger::notes::{Watch, WatchChange, WatchType};
use stepback_debugger::views::{RowGesture, ShownWatch};
use stepback_index::answer::{Cell, ValueSource};

use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{RowState, StepLink, row_background, row_response};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{icons, mono, mono_bold, ui as ui_font};

/// Width of the type, at the left of the strip.
const TYPE: f32 = 52.0;
/// Width of the writer, at the right of the strip.
const WRITER: f32 = 96.0;
/// Width of a mark of the strip.
const MARK: f32 = 2.0;

/// Writes of cells along the trace, by columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteStrip {
    /// Cells whose writes are shown.
    pub cells: Vec<Cell>,
    /// Number of columns.
    pub columns: u32,
    /// Columns with writes.
    pub written: Vec<u32>,
}

/// A watch, its writes, and whether the cursor is on it.
pub struct WatchEntry<'a> {
    pub shown: ShownWatch<'a>,
    pub strip: Option<&'a WriteStrip>,
    pub is_cursor: bool,
}

/// Painter of the watches, for one frame.
pub struct WatchRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub follow: Follow,
}

/// Clicks on a watch in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchInput {
    pub is_clicked: bool,
    /// The watch is to be edited.
    pub is_edited: bool,
}

impl WatchRows<'_> {
    /// Returns the number of columns of a strip.
    pub fn columns(&self, body: Rect) -> u32 {
        (self.strip(body).width() / MARK).max(1.0) as u32
    }

    fn strip(&self, rect: Rect) -> Rect {
        let right = (rect.right() - INSET - WRITER).max(rect.left() + INSET + TYPE + 1.0);
        Rect::from_min_max(
            pos2(rect.left() + INSET + TYPE, rect.bottom() - 15.0),
            pos2(right, rect.bottom() - 4.0),
        )
    }

    /// Draws a watch and applies clicks.
    pub fn row_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        at: &WatchEntry<'_>,
        out: &mut Vec<Action>,
    ) -> WatchInput {
        let WatchEntry {
            shown,
            strip,
            is_cursor,
        } = at;
        let ShownWatch {
            place,
            watch,
            state,
        } = *shown;
        let (pen, tok) = (&self.pen, self.cx.tok);
        let words = state
            .and_then(|state| state.value.clone())
            .unwrap_or_else(|| say!("watches-unknown").to_owned());
        let response = row_response(ui, rect, ("watch", place), || {
            say!(
                "watches-row",
                expression = &*watch.expression,
                value = &words
            )
        });
        let look = RowState {
            is_selected: false,
            is_cursor: *is_cursor,
            has_focus: self.cx.has_focus,
        };
        row_background(pen, rect, &response, look);
        pen.line_across(
            rect.left() + INSET,
            rect.right() - INSET,
            rect.bottom() - 1.0,
            tok.line,
        );
        let y = rect.top() + 10.0;
        let value = self.value_ui(rect, y, state);
        pen.cut_text(
            pos2(rect.left() + INSET, y),
            &watch.expression,
            mono(12.5),
            tok.t1,
            value - 8.0,
        );
        let y = rect.bottom() - 9.0;
        pen.text(
            rect.left() + INSET,
            y,
            watch.kind.name(),
            ui_font(11.0),
            tok.t3,
        );
        if state.is_none_or(|state| !state.is_wrong) {
            self.strip_ui(rect, *strip);
        }
        self.writer_ui(ui, rect, y, state, out);
        let mut touched = WatchInput {
            is_clicked: response.clicked() || response.secondary_clicked(),
            is_edited: false,
        };
        if response.double_clicked() {
            shown.act(RowGesture::Go, self.follow, self.cx.desk, out);
        }
        context_menu(&response, |ui| {
            touched.is_edited = watch_menu(ui, *shown, self.follow, self.cx, out)
        });
        let tip = state.map(|state| self.tip(watch, state));
        if let Some(tip) = tip {
            response.on_hover_ui(|ui| {
                ui.label(tip);
                shown
                    .cell()
                    .into_iter()
                    .for_each(|cell| HoverCell::shown(cell, self.follow, self.cx).line_ui(ui));
            });
        }
        touched
    }

    /// Draws the value at the right end. Returns its left edge.
    fn value_ui(&self, rect: Rect, y: f32, state: Option<&WatchState>) -> f32 {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let right = rect.right() - INSET;
        let Some(state) = state else { return right };
        let Some(value) = &state.value else {
            let (words, color) = if state.is_wrong {
                (say!("watches-means-nothing"), tok.err)
            } else {
                (say!("watches-unknown"), tok.unknown)
            };
            return pen.text_left_of(right, y, words, ui_font(12.5), color);
        };
        let color = match state.source {
            _ if state.is_news => tok.changed,
            ValueSource::External => tok.external,
            ValueSource::Inferred => tok.inferred,
            ValueSource::Recorded | ValueSource::Unknown => tok.t1,
        };
        let font = if state.is_news {
            mono_bold(12.5)
        } else {
            mono(12.5)
        };
        // A long value leaves room for the expression.
        let room = rect.width() * 0.6;
        let wide = pen.width(value, font.clone());
        let left = right - wide.min(room);
        if wide <= room {
            pen.text(left, y, value, font, color);
        } else {
            pen.cut_text(pos2(left, y), value, font, color, right);
        }
        if state.source == ValueSource::Inferred {
            pen.dots(left, right, y + 7.0);
        }
        left
    }

    fn strip_ui(&self, rect: Rect, written: Option<&WriteStrip>) {
        let (pen, tok, strip) = (&self.pen, self.cx.tok, self.strip(rect));
        if strip.width() < 20.0 {
            return;
        }
        pen.line_across(strip.left(), strip.right(), strip.bottom(), tok.line2);
        for column in written.iter().flat_map(|strip| &strip.written) {
            let left = strip.left() + MARK * *column as f32;
            pen.fill(
                Rect::from_min_size(pos2(left.round(), strip.bottom() - 8.0), vec2(MARK, 8.0)),
                tok.write,
            );
        }
        let at = self.cx.desk.windows.position_of(self.follow);
        let share = at.0 as f64 / self.cx.desk.session.index.step_count().max(1) as f64;
        let x = (f64::from(strip.left()) + share * f64::from(strip.width())) as f32;
        let color = tok.position(self.cx.desk.windows.travelling(self.follow).0);
        pen.fill(
            Rect::from_min_max(
                pos2(x.round() - 1.0, strip.top()),
                pos2(x.round() + 1.0, strip.bottom() + 2.0),
            ),
            color,
        );
    }

    /// Draws the step of the last write, or the reason why none is known.
    fn writer_ui(
        &self,
        ui: &Ui,
        rect: Rect,
        y: f32,
        state: Option<&WatchState>,
        out: &mut Vec<Action>,
    ) {
        let (pen, tok, right) = (&self.pen, self.cx.tok, rect.right() - INSET);
        let Some(state) = state else { return };
        if let Some(step) = state.written_by {
            let width = pen.width(&thousands(step.0), mono(12.0));
            let left = right - width;
            pen.text_left_of(left - 5.0, y, say!("watches-step"), ui_font(11.0), tok.t3);
            let (trace, window) = (
                self.cx.trace(),
                self.cx.desk.windows.travelling(self.follow),
            );
            StepLink {
                step,
                trace,
                window,
            }
            .ui(ui, pen, left, y, out);
            return;
        }
        let words = match () {
            () if state.is_wrong => state.reason.as_deref().unwrap_or_default(),
            () if state.is_initial => say!("watches-before-the-start"),
            () if state.cells.is_empty() => "",
            () => say!("watches-never-written"),
        };
        let color = if state.is_wrong { tok.err } else { tok.t3 };
        let wide = pen.width(words, ui_font(11.0));
        let left = (right - wide).max(self.strip(rect).left());
        pen.cut_text(pos2(left, y), words, ui_font(11.0), color, right + 1.0);
    }

    fn tip(&self, watch: &Watch, state: &WatchState) -> String {
        let mut lines = vec![match &state.value {
            Some(value) => format!("{} = {value}", watch.text()),
            None => say!("watches-is-unknown", watch = watch.text()),
        }];
        let hex = state
            .hex
            .as_ref()
            .filter(|hex| Some(*hex) != state.value.as_ref());
        // Hexadecimal form of a decimal value.
        lines.extend(hex.map(|hex| format!("0x{hex}")));
        if state.value.is_some() {
            lines.push(source_so_far(
                &self.cx.desk.session,
                state.source,
                SourceWords::of(state.source).phrase,
            ));
        }
        lines.extend(state.reason.clone());
        lines.extend(state.readings.iter().map(ToString::to_string));
        lines.push(match state.next_write {
            Some(step) => say!("watches-next-write-step", step = step.0),
            None => so_far(&self.cx.desk.session, say!("watches-never-written-again")),
        });
        lines.join("\n")
    }
}

/// Draws the menu. Returns true if the watch is to be edited.
pub fn watch_menu(
    ui: &mut Ui,
    shown: ShownWatch<'_>,
    follow: Follow,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> bool {
    let (
        tok,
        ShownWatch {
            place,
            watch,
            state,
        },
    ) = (cx.tok, shown);
    let mut act = |gesture| _ = shown.act(gesture, follow, cx.desk, out);
    menu_head_ui(
        ui,
        tok,
        &watch.expression,
        state
            .and_then(|state| state.value.as_deref())
            .unwrap_or(say!("watches-unknown")),
    );
    if MenuItem::new(say!("watches-last-write"))
        .icon(icons::LAST_WRITE)
        .key("Enter")
        .ui(ui, tok)
    {
        act(RowGesture::Go);
    }
    if MenuItem::new(say!("watches-next-write"))
        .icon(icons::NEXT_WRITE)
        .key("Shift+Enter")
        .ui(ui, tok)
    {
        act(RowGesture::GoOn);
    }
    if MenuItem::new(say!("watches-previous-change"))
        .key("Left")
        .ui(ui, tok)
    {
        act(RowGesture::Close);
    }
    if MenuItem::new(say!("watches-next-change"))
        .key("Right")
        .ui(ui, tok)
    {
        act(RowGesture::Open);
    }
    let address = state.and_then(|state| state.address);
    let cell = shown.cell();
    if let Some(cell) = &cell
        && MenuItem::new(&say!("slice-why-item", cell = watch.expression.as_str()))
            .icon(icons::WHY)
            .key("W")
            .ui(ui, tok)
    {
        let at = cx.desk.windows.position_of(follow);
        out.push(Action::Slice(SliceAction::WhyAt(cell.clone(), at)));
    }
    if let Some(cell) = cell
        && MenuItem::new(say!("watches-all-values"))
            .icon(icons::LIST)
            .ui(ui, tok)
    {
        out.extend(cx.desk.windows.start_from(follow));
        out.push(Action::View(ViewAction::ListValues(cell)));
    }
    if let Some(address) = address
        && MenuItem::new(&say!(
            "watches-show-memory-at",
            address = format!("{:x}", address.0)
        ))
        .icon(icons::MEMORY)
        .key("M")
        .ui(ui, tok)
    {
        out.push(Action::View(ViewAction::ShowMemory(address.to_string())));
    }
    if MenuItem::new(say!("watches-waveform")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Wave(WatchChange::Add(
            watch.text(),
        ))));
    }
    menu_line_ui(ui, tok);
    ui.menu_button(say!("watches-read-as"), |ui| {
        for kind in WatchType::ALL {
            if ui
                .add(egui::Button::selectable(kind == watch.kind, kind.name()))
                .clicked()
            {
                out.push(Action::Mark(MarkAction::Watch(WatchChange::Read(
                    place, kind,
                ))));
            }
        }
    });
    let is_edited = MenuItem::new(say!("watches-change")).key("F2").ui(ui, tok);
    if MenuItem::new(say!("watches-move-up")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::MoveUp(place))));
    }
    if MenuItem::new(say!("watches-move-down")).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::MoveDown(
            place,
        ))));
    }
    if MenuItem::new(say!("watches-remove-watch"))
        .icon(icons::CLOSE)
        .key("Delete")
        .ui(ui, tok)
    {
        out.push(Action::Mark(MarkAction::Watch(WatchChange::Remove(place))));
    }
    menu_line_ui(ui, tok);
    if let Some(value) = state.and_then(|state| state.value.clone())
        && MenuItem::new(say!("watches-copy-value"))
            .icon(icons::COPY)
            .key("Ctrl+C")
            .ui(ui, tok)
    {
        out.push(Action::App(AppAction::Copy(value)));
    }
    is_edited
}

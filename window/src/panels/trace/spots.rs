//! Registers and `[addresses]` in a row of the trace: hovering shows the value, a click selects the
//! cell.
//!
//! The source lines of the rows in view are cached by address.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Pos2, Rect, Response, pos2};
use stepback_debugger::action::{Access, Action, CellName, Direction, TravelAction, ViewAction};
use stepback_debugger::image::SourceLine;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::glimpse::{Glimpse, glimpse};
use stepback_debugger::model::registers::shown_name;
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::worker::{Answer, Slot};
use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::panels::pen::{Pen, ROW};
use crate::panels::trace::menu::{TraceContext, cell_of_row};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::mono;

/// Query about the cell under the pointer.
pub type GlimpseSlot = Slot<(CellName, Step, ThreadId), Option<Glimpse>>;

/// A cell in a row, and its rectangle.
#[derive(Clone, Debug)]
pub struct OperandSpot {
    pub cell: CellName,
    /// Label of the cell in the row.
    pub label: String,
    /// Rectangle around its text.
    pub rect: Rect,
}

impl OperandSpot {
    /// Returns the rectangle of a text with its middle at `y`, or none if the pointer is outside.
    pub fn at(pointer: Pos2, left: f32, right: f32, y: f32) -> Option<Rect> {
        let rect = Rect::from_min_max(pos2(left, y - ROW / 2.0), pos2(right, y + ROW / 2.0));
        rect.contains(pointer).then_some(rect)
    }

    /// Underlines the cell, to show that it can be clicked.
    pub fn underline(&self, pen: &Pen<'_>) {
        pen.line_across(
            self.rect.left(),
            self.rect.right(),
            self.rect.bottom() - 2.0,
            pen.tok.t3,
        );
    }

    /// Shows the value of the cell around the step in a tooltip.
    pub fn tooltip(
        &self,
        response: &Response,
        row: &StepRow,
        scene: &TraceContext<'_>,
        slot: &mut GlimpseSlot,
    ) {
        let TraceContext { cx, .. } = scene;
        let of = (self.cell.clone(), row.step, row.thread);
        let answer = slot.poll(&of, &cx.desk.worker, |of| {
            let ((cell, step, thread), session) = (of.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| glimpse(&session, &cell, step, thread, cancel)
        });
        // The answer about another cell would be wrong here.
        let Answer::Fresh(Some(found)) = answer else {
            return;
        };
        let lines = found.lines(&cx.desk.session);
        let hover = HoverCell {
            cell: cell_of_row(&self.cell, row, cx),
            at: self.meant_at(row),
        };
        Response::clone(response).on_hover_ui_at_pointer(|ui| {
            ui.label(egui::RichText::new(&self.label).font(crate::theme::mono_bold(12.0)));
            for line in &lines {
                ui.label(egui::RichText::new(line).font(mono(12.0)));
            }
            ui.label(say!("trace-click-select-it-double-click"));
            hover.line_ui(ui);
        });
    }

    /// Returns the position of the value: after the step for a written cell, before it for a read
    /// one.
    fn meant_at(&self, row: &StepRow) -> Position {
        let is_effect = row
            .effects
            .iter()
            .any(|effect| !effect.is_read && effect.cell.as_ref() == Some(&self.cell));
        let is_result =
            matches!(&self.cell, CellName::Register(name) if row.operands.written.contains(name));
        if is_effect || is_result {
            row.step.after()
        } else {
            row.step.before()
        }
    }

    /// Applies clicks. A click selects the cell, in addition to travelling to the row. A double
    /// click travels to its last write before the row.
    pub fn act(
        &self,
        response: &Response,
        row: &StepRow,
        scene: &TraceContext<'_>,
        out: &mut Vec<Action>,
    ) {
        if response.double_clicked() {
            out.push(Action::travel(scene.window.id, row.step.before()));
            out.push(Action::Travel(TravelAction::GoToAccess(
                cell_of_row(&self.cell, row, scene.cx),
                Access::Write,
                Direction::Back,
            )));
        } else if response.clicked() {
            out.push(Action::View(ViewAction::SelectCell(cell_of_row(
                &self.cell, row, scene.cx,
            ))));
        }
    }
}

/// Returns the register or memory operand under the pointer; `start` is the left end of the
/// operands.
///
/// Inside of brackets, but not on a register, the result is the memory that the step accessed, if
/// it is one cell.
pub fn operand_spot(
    pen: &Pen<'_>,
    start: Pos2,
    row: &StepRow,
    pointer: Pos2,
) -> Option<OperandSpot> {
    let (mut x, mut brackets) = (start.x, None);
    if (pointer.y - start.y).abs() > ROW / 2.0 || pointer.x < start.x {
        return None;
    }
    let mut memory: Option<Rect> = None;
    for span in &row.code.operands {
        let mut left = x;
        for (place, letter) in span.text.char_indices() {
            let width = pen.width(
                span.text
                    .get(place..place + letter.len_utf8())
                    .unwrap_or_default(),
                mono(12.5),
            );
            match letter {
                '[' | '(' => brackets = Some(left),
                ']' | ')' => {
                    let whole = brackets
                        .take()
                        .and_then(|first| OperandSpot::at(pointer, first, left + width, start.y));
                    memory = memory.or(whole);
                }
                _ => {}
            }
            left += width;
        }
        let end = x + pen.width(&span.text, mono(12.5));
        if span.meaning == TextRole::Register
            && let Some(rect) = OperandSpot::at(pointer, x, end, start.y)
        {
            let name = shown_name(&span.text, row.set);
            return Some(OperandSpot {
                cell: CellName::Register(name),
                label: span.text.clone(),
                rect,
            });
        }
        x = end;
    }
    let rect = memory?;
    // If a step accesses several cells, the brackets do not determine which of them they refer to.
    let mut accessed = row
        .effects
        .iter()
        .filter(|effect| matches!(effect.cell, Some(CellName::Memory(..))));
    let first = accessed.next()?;
    let is_only = accessed.all(|effect| effect.cell == first.cell);
    let cell = first.cell.clone().filter(|_| is_only)?;
    Some(OperandSpot {
        cell,
        label: first.label.text.clone(),
        rect,
    })
}

/// Maximum number of cached lines. The cache is cleared beyond it; the lines in view are soon
/// fetched again.
const LIMIT: usize = 1 << 14;

/// A queried line; none if the address has no line.
type KnownSourceLine = Option<Arc<SourceLine>>;

/// Cache of source lines by address, filled as rows come into view.
#[derive(Debug, Default)]
pub struct SourceLineCache {
    known: HashMap<Address, KnownSourceLine>,
    requested: Slot<Vec<Address>, Vec<(Address, KnownSourceLine)>>,
}

impl SourceLineCache {
    /// Queries the lines of addresses that are not cached yet.
    pub fn fetch(&mut self, addresses: impl Iterator<Item = Address>, cx: &PanelContext<'_>) {
        if let Some((_, lines)) = self.requested.peek() {
            let fresh = lines
                .iter()
                .filter(|(address, _)| !self.known.contains_key(address));
            let fresh: Vec<(Address, KnownSourceLine)> = fresh.cloned().collect();
            self.known.extend(fresh);
        }
        let mut missing: Vec<Address> = addresses
            .filter(|address| !self.known.contains_key(address))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() || !cx.desk.session.images.are_lines_ready() {
            return;
        }
        if self.known.len() > LIMIT {
            self.known.clear();
        }
        let answer = self.requested.poll(&missing, &cx.desk.worker, |missing| {
            let (missing, session) = (missing.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let line = |address: Address| {
                    cancel.check()?;
                    Ok((address, session.images.source_at(address)))
                };
                missing.into_iter().map(line).collect()
            }
        });
        if let Answer::Fresh(lines) = answer {
            self.known.extend(lines.iter().cloned());
        }
    }

    /// Returns the cached line of an address.
    pub fn line(&self, address: Address) -> Option<&Arc<SourceLine>> {
        self.known.get(&address)?.as_ref()
    }
}

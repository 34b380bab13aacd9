//! Annotations at the right of a row: the symbol that contains it, and the targets of the addresses
//! in it.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2};
use stepback_machine::{Address, Endian};

use super::rows::MemoryRowsView;
use crate::panels::HoverCell;
use crate::panels::pen::{INSET, Pen};
use crate::theme::mono;
use stepback_debugger::action::{Action, CellName, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::ByteCell;
use stepback_debugger::model::names::place_name;

/// Minimum width of the annotations.
const LEAST: f32 = 80.0;
/// Gap between two names.
const GAP: f32 = 14.0;

/// A row and the free area at its right.
pub struct RowAnnotation<'a> {
    /// Address of its first byte.
    pub address: Address,
    /// Source line, if the row contains code.
    pub source: Option<&'a str>,
    pub cells: &'a [ByteCell],
    /// Byte order of its words, and the moment that is shown.
    pub view: MemoryRowsView<'a>,
    /// Free area, up to the right edge of the panel.
    pub rect: Rect,
}

impl RowAnnotation<'_> {
    /// Draws the names. A click on the target of an address shows memory there. Costs one symbol
    /// lookup per word.
    pub fn ui(&self, ui: &Ui, pen: &Pen<'_>, out: &mut Vec<Action>) {
        let (session, tok) = (&self.view.cx.desk.session, pen.tok);
        let (y, right) = (self.rect.center().y, self.rect.right() - INSET);
        if session.images.is_empty() || self.rect.width() < LEAST {
            return;
        }
        let mut x = self.rect.left();
        if let Some(name) = place_name(&session.images, self.address) {
            x = pen.cut_text(pos2(x, y), &name, mono(12.0), tok.t2, right) + GAP;
        }
        if let Some(source) = self.source.filter(|_| x + LEAST / 2.0 < right) {
            // Code contains no addresses.
            pen.cut_text(pos2(x, y), source, mono(11.5), tok.t3, right);
            return;
        }
        let word = session
            .index
            .instruction_sets()
            .first()
            .map_or(8, |set| usize::from(set.word_bytes()));
        for (place, value) in words(self.cells, word.max(1), self.view.endian()) {
            let Some(name) =
                place_name(&session.images, Address(value)).filter(|_| x + LEAST / 2.0 < right)
            else {
                continue;
            };
            let end = pen.cut_text(
                pos2(x, y),
                &format!("→ {name}"),
                mono(12.0),
                tok.symbol,
                right,
            );
            let touch = Rect::from_min_max(pos2(x, self.rect.top()), pos2(end, self.rect.bottom()));
            let response = ui.interact(
                touch,
                ui.unique_id().with(("leads", self.address.0, place)),
                Sense::CLICK,
            );
            response.widget_info(|| {
                WidgetInfo::labeled(Role::Link, true, say!("memory-leads-to", name = &*name))
            });
            if response.hovered() {
                pen.line_across(x, end, self.rect.bottom() - 3.0, tok.symbol);
            }
            let at = self.address.0.wrapping_add(place as u64);
            let tip = say!(
                "memory-holds",
                at = format!("{at:x}"),
                value = format!("{value:x}"),
                name = &*name
            );
            let holder = CellName::Memory(Address(at).to_string(), word as u64);
            if HoverCell::shown(holder, self.view.memory.follow(), self.view.cx)
                .tip(response, tip)
                .clicked()
            {
                out.push(Action::View(ViewAction::ShowMemory(format!("{value:#x}"))));
            }
            x = end + GAP;
        }
    }
}

/// Returns the fully known words of a row, each with its byte offset in the row.
fn words(cells: &[ByteCell], word: usize, endian: Endian) -> impl Iterator<Item = (usize, u64)> {
    cells
        .chunks(word)
        .enumerate()
        .filter_map(move |(number, cells)| {
            let bytes: Option<Vec<u8>> = cells.iter().map(|cell| cell.value).collect();
            let bytes = bytes.filter(|bytes| bytes.len() == word)?;
            let shift = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
            let value = match endian {
                Endian::Big => bytes.iter().fold(0, shift),
                Endian::Little => bytes.iter().rev().fold(0, shift),
            };
            Some((number * word, value))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_of_their_size_are_numbers() {
        let known = |value| ByteCell {
            value: Some(value),
            ..ByteCell::default()
        };
        let mut cells: Vec<ByteCell> = (0..16).map(known).collect();
        cells.push(known(1));
        let found = |cells: &[ByteCell], endian| words(cells, 8, endian).collect::<Vec<_>>();
        assert_eq!(
            found(&cells, Endian::Little),
            [(0, 0x0706_0504_0302_0100), (8, 0x0f0e_0d0c_0b0a_0908)]
        );
        cells[3] = ByteCell::default();
        assert_eq!(found(&cells, Endian::Big), [(8, 0x0809_0a0b_0c0d_0e0f)]);
    }
}

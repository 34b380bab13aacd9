//! A row of the memory panel: positions of bytes, numbers and characters, marks of bytes, and
//! annotations at the right.
//!
//! Annotations are the symbol or source line of the row, and the targets of the addresses in it.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::action::{Action, CellName, ViewAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::ByteCell;
use stepback_debugger::model::names::place_name;
use stepback_debugger::model::registers::lane_characters;
use stepback_machine::display::LaneFormat;
use stepback_machine::{Address, Endian};

use crate::panels::HoverCell;
use crate::panels::memory::rows::MemoryRowsView;
use crate::panels::pen::{ADVANCE, INSET, Pen};
use crate::theme::mono;

/// Width of an ungrouped byte.
const BYTE: f32 = 18.0;
/// Width of a byte in a group.
const CLOSE: f32 = 15.0;
/// Gap after each eight bytes.
const HALF: f32 = 6.0;
/// Gap between two numbers.
const GAP: f32 = 12.0;
/// Room for the annotations at the right of the characters.
pub const BESIDE: f32 = 160.0;
/// Possible numbers of bytes in a row, the largest first.
const WIDTHS: [u8; 4] = [64, 32, 16, 8];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRowLayout {
    /// Bytes in a row.
    pub bytes: usize,
    /// Bytes in a group.
    pub group: usize,
    /// Format of numbers; none if bytes are shown.
    pub format: Option<LaneFormat>,
    /// Width of an address, in points.
    pub address: f32,
}

impl MemoryRowLayout {
    /// Returns the layout with the longest rows that fit into a panel, with room for the
    /// annotations.
    pub fn widest(self, width: f32, beside: f32) -> Self {
        let fits = |bytes: &u8| {
            Self {
                bytes: usize::from(*bytes),
                ..self
            }
            .text_end()
                + beside
                <= width
        };
        // Sixteen bytes are the usual length: such rows may take the room of the annotations.
        let usual = Self { bytes: 16, ..self };
        let least = if usual.text_end() <= width { 16 } else { 8 };
        let found = WIDTHS.into_iter().find(fits).map_or(0, usize::from);
        Self {
            bytes: found.max(least).max(self.group),
            ..self
        }
    }

    /// Returns the left edge of a byte or of a number, from the left edge of the panel.
    pub fn byte_left(&self, place: usize) -> f32 {
        let start = self.address + 24.0;
        if let Some(number) = self.number_width() {
            return start + number * (place / self.group.max(1)) as f32;
        }
        let halves = HALF * (place / 8) as f32;
        let first = place / self.group.max(1) * self.group.max(1);
        // Bytes of a group are close together; a group begins at the ungrouped position of its
        // first byte.
        start + BYTE * first as f32 + halves + CLOSE * (place - first) as f32
    }

    /// Returns the width of a number including the gap after it; none if bytes are shown.
    pub fn number_width(&self) -> Option<f32> {
        let format = self.format?;
        Some(ADVANCE * lane_characters(format) as f32 + GAP)
    }

    /// Returns the width of a byte's click area.
    pub fn byte_width(&self) -> f32 {
        if self.group == 1 { BYTE } else { CLOSE }
    }

    /// Returns the left edge of the characters.
    pub fn text_left(&self) -> f32 {
        let halves = HALF * (self.bytes.div_ceil(8).saturating_sub(1)) as f32;
        let bytes = match self.number_width() {
            Some(number) => number * (self.bytes / self.group.max(1)) as f32,
            None => BYTE * self.bytes as f32 + halves,
        };
        self.address + 24.0 + bytes + 8.0
    }

    /// Returns the right edge of the characters.
    pub fn text_end(&self) -> f32 {
        self.text_left() + ADVANCE * self.bytes as f32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteMark {
    /// Written by the step just before the position.
    Written,
    /// Different from its value at the previous position.
    Differs,
    /// Changed by something outside of the traced program.
    External,
    /// Inferred from a recorded value.
    Inferred,
}

impl ByteMark {
    /// Paints the mark of a byte whose digits fill a rectangle.
    pub fn paint(self, pen: &Pen<'_>, rect: Rect) {
        let tok = pen.tok;
        match self {
            Self::Differs => {
                let corner = rect.right_top() - vec2(3.0, 0.0);
                pen.painter.rect_filled(
                    Rect::from_min_size(corner, vec2(3.0, 3.0)),
                    1.0,
                    tok.changed,
                );
            }
            Self::Written => {
                pen.painter.rect_filled(rect, 2.0, tok.changed_bg);
                pen.frame(rect, 2, tok.changed);
            }
            Self::External => {
                pen.fill(rect, tok.external_bg);
                pen.fill(Rect::from_min_size(rect.min, vec2(3.0, 3.0)), tok.external);
            }
            Self::Inferred => pen.dots(rect.left() + 1.0, rect.right() - 1.0, rect.bottom() - 1.0),
        }
    }
}

/// Minimum width of the annotations.
const LEAST: f32 = 80.0;
/// Gap between two names.
const ANNOTATION_GAP: f32 = 14.0;

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
            x = pen.cut_text(pos2(x, y), &name, mono(12.0), tok.t2, right) + ANNOTATION_GAP;
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
            x = end + ANNOTATION_GAP;
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
    use crate::panels::pen::INSET;
    use stepback_machine::display::LaneKind;

    #[test]
    fn rows_are_as_long_as_there_is_room() {
        let shape = MemoryRowLayout {
            bytes: 16,
            group: 1,
            format: None,
            address: 60.0,
        };
        let widest = |width, group| {
            let format = (group == 8).then(|| LaneFormat::new(LaneKind::Float, 8));
            MemoryRowLayout {
                group,
                format,
                ..shape
            }
            .widest(width, INSET)
            .bytes
        };
        assert_eq!(
            [380.0, 560.0, 1000.0, 1900.0, 4000.0].map(|width| widest(width, 1)),
            [8, 16, 32, 64, 64]
        );
        assert_eq!([560.0, 700.0].map(|width| widest(width, 8)), [8, 16]);
        assert_eq!(shape.widest(950.0, BESIDE).bytes, 16);
        assert_eq!(shape.text_left(), 60.0 + 24.0 + 18.0 * 16.0 + 6.0 + 8.0);
    }
}

#[cfg(test)]
mod beside_tests {
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

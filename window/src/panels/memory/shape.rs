//! Layout of a row: positions of bytes, numbers and characters.

use stepback_machine::LaneFormat;

use crate::panels::pen::ADVANCE;
use stepback_debugger::model::registers::lane_characters;

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

/// Layout of a row.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::pen::INSET;
    use stepback_machine::LaneKind;

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

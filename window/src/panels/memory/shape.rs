//! Where the bytes, numbers and characters of a row are.

use stepback_machine::LaneFormat;

use crate::panels::pen::ADVANCE;
use stepback_debugger::model::registers::lane_characters;

/// A byte that stands alone.
const BYTE: f32 = 18.0;
/// A byte of a group.
const CLOSE: f32 = 15.0;
/// Behind each eight bytes.
const HALF: f32 = 6.0;
/// Between two numbers.
const GAP: f32 = 12.0;
/// Room for the symbols beside the characters.
pub const BESIDE: f32 = 160.0;
/// The widths that rows may have, the longest first.
const WIDTHS: [u8; 4] = [64, 32, 16, 8];

/// How a row is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRowLayout {
    /// Bytes in a row.
    pub bytes: usize,
    /// Bytes in a group.
    pub group: usize,
    /// How numbers are read; none where bytes are shown.
    pub format: Option<LaneFormat>,
    /// How wide an address is.
    pub address: f32,
}

impl MemoryRowLayout {
    /// The longest rows that leave so much room beside them in a panel of a width.
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
        // Sixteen bytes are usual: they may take the room of what is beside them.
        let usual = Self { bytes: 16, ..self };
        let least = if usual.text_end() <= width { 16 } else { 8 };
        let found = WIDTHS.into_iter().find(fits).map_or(0, usize::from);
        Self {
            bytes: found.max(least).max(self.group),
            ..self
        }
    }

    /// The left edge of a byte or of a number, from the left edge of the panel.
    pub fn byte_left(&self, place: usize) -> f32 {
        let start = self.address + 24.0;
        if let Some(number) = self.number_width() {
            return start + number * (place / self.group.max(1)) as f32;
        }
        let halves = HALF * (place / 8) as f32;
        let first = place / self.group.max(1) * self.group.max(1);
        // Bytes of a group stand close; a group begins where its first byte would alone.
        start + BYTE * first as f32 + halves + CLOSE * (place - first) as f32
    }

    /// How wide a number is, with the gap behind it; none where bytes are shown.
    pub fn number_width(&self) -> Option<f32> {
        let format = self.format?;
        Some(ADVANCE * lane_characters(format) as f32 + GAP)
    }

    /// How wide a byte is to the pointer.
    pub fn byte_width(&self) -> f32 {
        if self.group == 1 { BYTE } else { CLOSE }
    }

    /// Where the text of a row begins.
    pub fn text_left(&self) -> f32 {
        let halves = HALF * (self.bytes.div_ceil(8).saturating_sub(1)) as f32;
        let bytes = match self.number_width() {
            Some(number) => number * (self.bytes / self.group.max(1)) as f32,
            None => BYTE * self.bytes as f32 + halves,
        };
        self.address + 24.0 + bytes + 8.0
    }

    /// Where it ends.
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

//! Where the bytes, numbers and characters of a row are.

use stepback_machine::LaneFormat;

use stepback_debugger::model::registers::lane_characters;

/// The widths that rows have by themselves, the longest first.
const WIDTHS: [u8; 3] = [32, 16, 8];

/// How a row is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRowShape {
    /// Bytes in a row.
    pub bytes: usize,
    /// Bytes in a group.
    pub group: usize,
    /// How numbers are read; none where bytes are shown.
    pub format: Option<LaneFormat>,
    /// Digits of an address.
    pub digits: usize,
}

impl MemoryRowShape {
    /// The longest rows that fit into so many columns.
    pub fn widest(self, columns: u16) -> Self {
        let of = |bytes: u8| Self {
            bytes: usize::from(bytes).max(self.group),
            ..self
        };
        let fitting = WIDTHS
            .into_iter()
            .map(of)
            .find(|shape| shape.end() <= usize::from(columns));
        fitting.unwrap_or_else(|| of(8))
    }

    /// The columns of a group, the sign before it counted.
    pub fn group_columns(&self) -> usize {
        1 + self.format.map_or(2 * self.group, lane_characters)
    }

    /// The column of the sign before the group that a byte is in.
    pub fn group_column(&self, place: usize) -> usize {
        let halves = if self.format.is_some() { 0 } else { place / 8 };
        self.digits + 1 + place / self.group.max(1) * self.group_columns() + halves
    }

    /// The column of the first character.
    pub fn text_column(&self) -> usize {
        self.group_column(self.bytes.saturating_sub(1)) + self.group_columns() + 2
    }

    /// The column behind the last character.
    pub fn end(&self) -> usize {
        self.text_column() + self.bytes
    }

    /// The byte at a column, counted as bytes are shown; none between and beside them.
    pub fn byte_at(&self, column: usize) -> Option<MemoryColumn> {
        if let Some(place) = column
            .checked_sub(self.text_column())
            .filter(|place| *place < self.bytes)
        {
            return Some(MemoryColumn::Text(place));
        }
        let first = (0..self.bytes).step_by(self.group.max(1));
        let start = first
            .rev()
            .find(|place| self.group_column(*place) <= column)?;
        let within = column.checked_sub(self.group_column(start) + 1)?;
        let place = if self.format.is_some() { 0 } else { within / 2 };
        (column < self.group_column(start) + self.group_columns())
            .then_some(MemoryColumn::Digits(start + place))
    }
}

/// What stands at a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryColumn {
    /// The digits of a byte, counted as they are shown.
    Digits(usize),
    /// The character of a byte.
    Text(usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepback_machine::LaneKind;

    #[test]
    fn rows_are_as_long_as_there_is_room() {
        let shape = MemoryRowShape {
            bytes: 16,
            group: 1,
            format: None,
            digits: 8,
        };
        assert_eq!(
            [20, 80, 132, 140, 150].map(|columns| shape.widest(columns).bytes),
            [8, 16, 16, 16, 32]
        );
        let wide = MemoryRowShape {
            digits: 12,
            ..shape
        };
        assert_eq!(wide.widest(80).end(), 80);
        assert_eq!(
            MemoryRowShape {
                group: 8,
                format: Some(LaneFormat::new(LaneKind::Float, 8)),
                ..shape
            }
            .widest(80)
            .bytes,
            16
        );
    }

    #[test]
    fn bytes_are_found_by_their_columns() {
        let shape = MemoryRowShape {
            bytes: 16,
            group: 1,
            format: None,
            digits: 8,
        };
        assert_eq!([9, 10, 11, 12, 13].map(|column| shape.byte_at(column)), {
            let (first, second) = (Some(MemoryColumn::Digits(0)), Some(MemoryColumn::Digits(1)));
            [None, first, first, None, second]
        });
        assert_eq!(
            shape.byte_at(shape.text_column() + 15),
            Some(MemoryColumn::Text(15))
        );
        assert_eq!(shape.byte_at(shape.end()), None);
        let grouped = MemoryRowShape { group: 4, ..shape };
        assert_eq!(
            grouped.byte_at(grouped.group_column(4) + 3),
            Some(MemoryColumn::Digits(5))
        );
    }
}

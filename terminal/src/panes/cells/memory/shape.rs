//! Columns of the bytes, numbers and characters of a memory row.

use stepback_machine::LaneFormat;

use stepback_debugger::model::registers::lane_characters;

/// Standard row widths in bytes, the longest first.
const WIDTHS: [u8; 3] = [32, 16, 8];

/// Layout of a memory row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRowShape {
    pub bytes: usize,
    pub group: usize,
    /// Number format; none if bytes are shown.
    pub format: Option<LaneFormat>,
    /// Number of digits of an address.
    pub digits: usize,
}

impl MemoryRowShape {
    /// Returns the layout with the longest rows that fit into `columns`.
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

    /// Returns the width of a group, including its sign.
    pub fn group_columns(&self) -> usize {
        1 + self.format.map_or(2 * self.group, lane_characters)
    }

    /// Returns the column of the sign before the group of a byte.
    pub fn group_column(&self, place: usize) -> usize {
        let halves = if self.format.is_some() { 0 } else { place / 8 };
        self.digits + 1 + place / self.group.max(1) * self.group_columns() + halves
    }

    /// Returns the column of the first character.
    pub fn text_column(&self) -> usize {
        self.group_column(self.bytes.saturating_sub(1)) + self.group_columns() + 2
    }

    /// Returns the column after the last character.
    pub fn end(&self) -> usize {
        self.text_column() + self.bytes
    }

    /// Returns the byte at a column, in display order; none in the space between bytes.
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

/// Content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryColumn {
    /// Digits of a byte, by its display index.
    Digits(usize),
    /// Character of a byte, by its index.
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

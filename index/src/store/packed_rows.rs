//! Tables of numbers, packed by column in blocks of 64 rows. Any row is read in O(columns).
//!
//! ```text
//! table    blocks, then the end of each block: u64, then the number of rows: u64
//! block    for each column: width: u8, least: varint; then for each column
//!          number - least in `width` bits for each row, up to a whole byte
//! ```
//! The numbers of a column should be alike within a block: differences from another column of the
//! row or from the number of the row mostly are, and so are numbers that ascend.

use crate::store::packed::{
    MalformedEncoding, bits_len, entry, push_bits, push_varint, take, take_varint, u64_in,
};

const BLOCK: usize = 64;

/// Encodes a table row by row.
#[derive(Debug)]
pub struct RowEncoder<const COLUMNS: usize> {
    /// Rows of the next block.
    rows: Vec<[u64; COLUMNS]>,
    ends: Vec<u64>,
    count: u64,
}

impl<const COLUMNS: usize> Default for RowEncoder<COLUMNS> {
    fn default() -> Self {
        Self {
            rows: Vec::with_capacity(BLOCK),
            ends: Vec::new(),
            count: 0,
        }
    }
}

impl<const COLUMNS: usize> RowEncoder<COLUMNS> {
    /// Adds a row, and returns the bytes of a block that is full with it; none otherwise.
    pub fn push(&mut self, row: [u64; COLUMNS]) -> Vec<u8> {
        self.rows.push(row);
        self.count += 1;
        if self.rows.len() == BLOCK {
            self.block()
        } else {
            Vec::new()
        }
    }

    /// Returns the bytes after the last full block.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut bytes = if self.rows.is_empty() {
            Vec::new()
        } else {
            self.block()
        };
        for number in self.ends.drain(..).chain([self.count]) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.count = 0;
        bytes
    }

    fn block(&mut self) -> Vec<u8> {
        let (mut bytes, mut packed) = (Vec::new(), Vec::new());
        for column in 0..COLUMNS {
            let numbers = || self.rows.iter().map(|row| row[column]);
            let least = numbers().min().unwrap_or(0);
            let all = numbers().fold(0, |all, number| all | (number - least));
            let width = u64::BITS - all.leading_zeros();
            bytes.push(width as u8);
            push_varint(&mut bytes, least);
            push_bits(&mut packed, numbers().map(|number| number - least), width);
        }
        bytes.append(&mut packed);
        self.rows.clear();
        let before = self.ends.last().copied().unwrap_or(0);
        self.ends.push(before + bytes.len() as u64);
        bytes
    }
}

/// An encoded table.
#[derive(Clone, Copy, Debug)]
pub struct PackedRows<'a, const COLUMNS: usize> {
    blocks: &'a [u8],
    ends: &'a [u8],
    count: usize,
}

impl<'a, const COLUMNS: usize> PackedRows<'a, COLUMNS> {
    /// Parses the end of a table. O(1).
    pub fn new(bytes: &'a [u8]) -> Result<Self, MalformedEncoding> {
        let (bytes, count) = bytes.split_last_chunk::<8>().ok_or(MalformedEncoding)?;
        let count = usize::try_from(u64::from_le_bytes(*count)).map_err(|_| MalformedEncoding)?;
        let (blocks, ends) = (count.div_ceil(BLOCK).checked_mul(8))
            .and_then(|len| bytes.len().checked_sub(len))
            .and_then(|start| bytes.split_at_checked(start))
            .ok_or(MalformedEncoding)?;
        Ok(Self {
            blocks,
            ends,
            count,
        })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns a row.
    pub fn get(&self, row: usize) -> Result<[u64; COLUMNS], MalformedEncoding> {
        if row >= self.count {
            return Err(MalformedEncoding);
        }
        let (block, place) = (row / BLOCK, row % BLOCK);
        let end = |block: usize| Ok(u64_in(entry::<8>(self.ends, block)?, 0) as usize);
        let start = block.checked_sub(1).map_or(Ok(0), end)?;
        let mut bytes = (self.blocks.get(start..end(block)?)).ok_or(MalformedEncoding)?;
        let rows = BLOCK.min(self.count - block * BLOCK);
        let mut columns = [(0, 0); COLUMNS];
        for (width, least) in &mut columns {
            *width = u32::from(take(&mut bytes, 1)?[0]);
            *least = take_varint(&mut bytes)?;
        }
        let mut numbers = [0; COLUMNS];
        for (number, (width, least)) in numbers.iter_mut().zip(columns) {
            let packed = take(&mut bytes, bits_len(rows, width))?;
            *number = least.wrapping_add(packed_number(packed, place, width)?);
        }
        Ok(numbers)
    }
}

/// Returns one of some numbers of `width` bits.
fn packed_number(packed: &[u8], place: usize, width: u32) -> Result<u64, MalformedEncoding> {
    if width == 0 {
        return Ok(0);
    }
    let unused = u64::BITS.checked_sub(width).ok_or(MalformedEncoding)?;
    let bit = place * width as usize;
    let bytes = packed.get(bit / 8..).unwrap_or_default();
    let mut word = [0; 16];
    // A number of 64 bits may reach into a ninth byte.
    let len = bytes.len().min(9);
    word[..len].copy_from_slice(&bytes[..len]);
    let word = u128::from_le_bytes(word) >> (bit % 8);
    Ok(word as u64 & (u64::MAX >> unused))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encode<const COLUMNS: usize>(rows: &[[u64; COLUMNS]]) -> Vec<u8> {
        let mut encoder = RowEncoder::default();
        let mut bytes = Vec::new();
        rows.iter().for_each(|row| bytes.extend(encoder.push(*row)));
        bytes.extend(encoder.finish());
        bytes
    }

    #[test]
    fn a_table_has_the_documented_bytes() {
        let bytes = encode(&[[10, 7, 300], [11, 7, 303], [13, 7, 300]]);
        let head = [2, 10, 0, 7, 2, 0xac, 2];
        let columns = [0b11_01_00, 0b00_11_00];
        let ends = [9, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(bytes, [&head[..], &columns, &ends].concat());
        assert_eq!(encode::<3>(&[]), [0; 8]);
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_written(
            rows in prop::collection::vec(
                (any::<u64>(), any::<u64>(), 0..64u32)
                    .prop_map(|(any, narrow, shift)| [any, narrow >> shift, 7]),
                0..300,
            )
        ) {
            let bytes = encode(&rows);
            let table = PackedRows::<3>::new(&bytes).unwrap();
            prop_assert_eq!(table.len(), rows.len());
            for (number, row) in rows.iter().enumerate() {
                prop_assert_eq!(table.get(number), Ok(*row));
            }
            prop_assert!(table.get(rows.len()).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(table) = PackedRows::<4>::new(&bytes) {
                for row in (0..table.len().min(300)).chain([table.len(), usize::MAX]) {
                    let _number_or_error = table.get(row);
                }
            }
        }
    }
}

//! A field of a record.

use std::ops::Range;

use stepback_machine::Endian;

/// The position of a number in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TemplateField {
    /// Offset of its first byte from the start of the record.
    pub(super) offset: usize,
    /// Number of bytes: 1 to 8.
    pub(super) bytes: usize,
    /// Byte order.
    pub(super) byte_order: Endian,
    /// Lowest bit that belongs to the number.
    pub(super) first_bit: u32,
    /// Number of bits: 1 to 64.
    pub(super) bits: u32,
}

impl TemplateField {
    /// Creates a field of 1 to 8 big-endian bytes for a format with a layout known in advance.
    /// `bits` selects 1 to 64 bits in these bytes.
    pub(crate) fn big(offset: usize, bytes: usize, bits: Range<u32>) -> Self {
        Self {
            offset,
            bytes,
            byte_order: Endian::Big,
            first_bit: bits.start,
            bits: bits.end - bits.start,
        }
    }

    /// Returns the number. Bytes beyond the end of the record count as 0; the template ensures that
    /// there are none.
    #[inline]
    pub fn read(&self, record: &[u8]) -> u64 {
        let bytes = record
            .get(self.offset..self.offset + self.bytes)
            .unwrap_or_default();
        let whole = match (self.byte_order, bytes.try_into()) {
            (Endian::Big, Ok(all)) => u64::from_be_bytes(all),
            (Endian::Little, Ok(all)) => u64::from_le_bytes(all),
            (Endian::Big, Err(_)) => bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
            (Endian::Little, Err(_)) => bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        whole >> self.first_bit & u64::MAX >> (64 - self.bits)
    }

    /// Writes a number and leaves the other bits of its bytes as they are.
    pub fn write(&self, record: &mut [u8], value: u64) {
        let Some(bytes) = record.get_mut(self.offset..self.offset + self.bytes) else {
            return;
        };
        let mask = u64::MAX >> (64 - self.bits) << self.first_bit;
        let value = value << self.first_bit & mask;
        let places: &mut dyn Iterator<Item = &mut u8> = match self.byte_order {
            Endian::Big => &mut bytes.iter_mut().rev(),
            Endian::Little => &mut bytes.iter_mut(),
        };
        for (number, place) in places.enumerate() {
            let (value, mask) = ((value >> (8 * number)) as u8, (mask >> (8 * number)) as u8);
            *place = *place & !mask | value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for byte_order in [Endian::Big, Endian::Little] {
            for (bytes, first_bit, bits) in [
                (1, 0, 8),
                (2, 3, 7),
                (3, 0, 24),
                (4, 31, 1),
                (8, 0, 64),
                (8, 5, 50),
            ] {
                let field = TemplateField {
                    offset: 1,
                    bytes,
                    byte_order,
                    first_bit,
                    bits,
                };
                let mut record = [0xa5; 10];
                let value = 0x0123_4567_89ab_cdef & u64::MAX >> (64 - bits);
                field.write(&mut record, value);
                assert_eq!(field.read(&record), value, "{field:?}");
                field.write(&mut record, !value);
                field.write(&mut record, field.read(&[0xa5; 10]));
                assert_eq!(record, [0xa5; 10], "other bits stay: {field:?}");
            }
        }
    }
}

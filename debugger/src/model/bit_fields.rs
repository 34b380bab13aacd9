//! Numbers in bit fields.

use stepback_index::answer::{ByteState, ValueSource};
use stepback_machine::Endian;

use crate::image::FieldBits;

/// Bits of a field with the source of their bytes.
pub struct FieldNumber {
    pub bits: u64,
    pub source: ValueSource,
}

/// Reads a bit field from the bytes that contain it; none if one of them is unknown.
pub fn field_number(
    covering: &[ByteState],
    field: FieldBits,
    endian: Endian,
) -> Option<FieldNumber> {
    let mut bits: u128 = 0;
    let mut source = ValueSource::Recorded;
    let mut bytes: Vec<ByteState> = covering.to_vec();
    if endian == Endian::Little {
        bytes.reverse();
    }
    for byte in bytes.iter().take(16) {
        bits = bits << 8 | u128::from(byte.value?);
        source = source.max(byte.source);
    }
    let all = 8 * covering.len() as u64;
    let end = field.first.checked_add(field.count)?;
    let low = match endian {
        Endian::Big => all.checked_sub(end)?,
        Endian::Little => Some(field.first).filter(|_| end <= all)?,
    };
    let mask = u128::MAX >> (128 - u32::try_from(field.count).ok()?);
    let bits = u64::try_from(bits.checked_shr(u32::try_from(low).ok()?)? & mask).ok()?;
    Some(FieldNumber { bits, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(bytes: &[u8]) -> Vec<ByteState> {
        let state = |byte: &u8| ByteState {
            value: Some(*byte),
            source: ValueSource::Recorded,
            seen_at: None,
        };
        bytes.iter().map(state).collect()
    }

    /// Fields of `struct { unsigned a : 3; unsigned b : 7; unsigned c : 6; }` with the values 5, 100
    /// and 33, as the ABIs of little-endian and big-endian processors lay them out.
    #[test]
    fn fields_are_counted_from_either_end() {
        let number: u16 = 5 | 100 << 3 | 33 << 10;
        let little = states(&number.to_le_bytes());
        let number: u16 = 5 << 13 | 100 << 6 | 33;
        let big = states(&number.to_be_bytes());
        for (first, count, expected) in [(0, 3, 5), (3, 7, 100), (10, 6, 33)] {
            let field = FieldBits { first, count };
            let read = |bytes: &[ByteState], endian: Endian| {
                field_number(bytes, field, endian).map(|field| field.bits)
            };
            assert_eq!(read(&little, Endian::Little), Some(expected));
            assert_eq!(read(&big, Endian::Big), Some(expected));
        }
    }

    #[test]
    fn an_unknown_byte_makes_a_field_unknown() {
        let mut bytes = states(&[1, 2]);
        bytes[1] = ByteState::default();
        let field = FieldBits { first: 4, count: 8 };
        assert!(field_number(&bytes, field, Endian::Little).is_none());
        let outside = FieldBits { first: 9, count: 8 };
        assert!(field_number(&states(&[1, 2]), outside, Endian::Little).is_none());
    }
}

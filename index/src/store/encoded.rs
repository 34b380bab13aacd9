//! The parts of an index that are bincode: the directory, and what it takes to resume a build.
//! Nothing else knows bincode, so that it can be replaced here.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::error::DecodeError;
use serde::{Deserialize, Serialize};

/// A part larger than this is not ours: a directory of some 10^7 segments.
const PART_LIMIT: usize = 4 << 30;

type Config<const LIMIT: usize> = Configuration<LittleEndian, Fixint, Limit<LIMIT>>;

fn config<const LIMIT: usize>() -> Config<LIMIT> {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<LIMIT>()
}

/// A part as it is written.
pub fn encode_part<T: Serialize>(part: &T) -> Result<Vec<u8>, bincode::error::EncodeError> {
    bincode::serde::encode_to_vec(part, config::<PART_LIMIT>())
}

/// Why bytes are not a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPart {
    /// They do not decode.
    Malformed,
    /// More bytes follow it.
    TooLong,
}

/// Reads a part that fills all of the bytes.
pub fn decode_part<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, NoPart> {
    let (part, used) = decode(bytes).map_err(|_| NoPart::Malformed)?;
    if used == bytes.len() { Ok(part) } else { Err(NoPart::TooLong) }
}

/// A part at the start of the bytes, and how many of them it takes.
///
/// A text is given its room by the length that the file says, before its bytes are looked for: so the limit is at most
/// four times what there is, whatever the file says. It must be known when this is compiled.
fn decode<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    match bytes.len() {
        0..=0x1000 => decode_within::<T, 0x1000>(bytes),
        0x1001..=0x4000 => decode_within::<T, 0x4000>(bytes),
        0x4001..=0x1_0000 => decode_within::<T, 0x1_0000>(bytes),
        0x1_0001..=0x4_0000 => decode_within::<T, 0x4_0000>(bytes),
        0x4_0001..=0x10_0000 => decode_within::<T, 0x10_0000>(bytes),
        0x10_0001..=0x40_0000 => decode_within::<T, 0x40_0000>(bytes),
        0x40_0001..=0x100_0000 => decode_within::<T, 0x100_0000>(bytes),
        0x100_0001..=0x400_0000 => decode_within::<T, 0x400_0000>(bytes),
        0x400_0001..=0x1000_0000 => decode_within::<T, 0x1000_0000>(bytes),
        0x1000_0001..=0x4000_0000 => decode_within::<T, 0x4000_0000>(bytes),
        _ => decode_within::<T, PART_LIMIT>(bytes),
    }
}

fn decode_within<T: for<'de> Deserialize<'de>, const LIMIT: usize>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    bincode::serde::decode_from_slice(bytes, config::<LIMIT>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_the_bytes_do_not_have_gets_no_room() {
        // A text that claims 2 GB, among a hundred bytes: what is refused by the limit was not allocated.
        let mut bytes = (2u64 << 30).to_le_bytes().to_vec();
        bytes.resize(100, b'x');
        assert!(matches!(decode::<String>(&bytes), Err(DecodeError::LimitExceeded)));
        assert!(decode::<(u8, Vec<String>)>(&bytes).is_err());
        let lists = [7u64, 1, 2 << 30].map(u64::to_le_bytes).concat();
        assert!(matches!(decode::<(u64, Vec<String>)>(&lists), Err(DecodeError::LimitExceeded)));
    }

    #[test]
    fn parts_of_all_lengths_are_read() {
        for length in [0, 1, 4000, 4088, 4089, 70_000, 1 << 20, 5 << 20] {
            let part = (vec!["x".repeat(length)], vec![Some(3u64); length / 16]);
            let bytes = encode_part(&part).unwrap();
            assert_eq!(decode_part::<(Vec<String>, Vec<Option<u64>>)>(&bytes).unwrap(), part, "{length}");
        }
    }
}

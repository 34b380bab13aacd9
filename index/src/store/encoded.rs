//! The parts of an index that are bincode: the directory, and what it takes to resume a build.
//! Nothing else knows bincode, so that it can be replaced here.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use serde::{Deserialize, Serialize};

/// A part larger than this is not ours: a directory of some 10^7 segments.
const PART_LIMIT: usize = 4 << 30;

type Config = Configuration<LittleEndian, Fixint, Limit<PART_LIMIT>>;

fn config() -> Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<PART_LIMIT>()
}

/// A part as it is written.
pub fn encode_part<T: Serialize>(part: &T) -> Result<Vec<u8>, bincode::error::EncodeError> {
    bincode::serde::encode_to_vec(part, config())
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
    let (part, used) = bincode::serde::decode_from_slice(bytes, config()).map_err(|_| NoPart::Malformed)?;
    if used == bytes.len() { Ok(part) } else { Err(NoPart::TooLong) }
}

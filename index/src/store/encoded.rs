//! Parts of an index in bincode: the directory, and the state for resuming a build. No other module
//! uses bincode, so that it can be replaced here.

use bincode::config::{Configuration, Fixint, LittleEndian};
use serde::{Deserialize, Serialize};

/// Lists reserve at most 1 MiB before their items are decoded (serde's `size_hint::cautious`),
/// texts nothing ([`stepback_parsers::decoded_text`]). So no length in a file is trusted, and no
/// limit is needed.
const CONFIG: Configuration<LittleEndian, Fixint> = bincode::config::standard()
    .with_little_endian()
    .with_fixed_int_encoding();

/// Encodes a part.
pub fn encode_part<T: Serialize>(part: &T) -> Result<Vec<u8>, bincode::error::EncodeError> {
    bincode::serde::encode_to_vec(part, CONFIG)
}

/// Reason why bytes are not a valid part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartError {
    /// The bytes do not decode.
    Malformed,
    /// Further bytes follow the part.
    TooLong,
}

/// Decodes a part that fills all of the bytes.
pub fn decode_part<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, PartError> {
    let (part, used) =
        bincode::serde::decode_from_slice(bytes, CONFIG).map_err(|_| PartError::Malformed)?;
    if used == bytes.len() {
        Ok(part)
    } else {
        Err(PartError::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use stepback_parsers::decoded_text::{text, text_or_none, texts};

    use crate::store::contents::WarningContents;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Texts {
        #[serde(deserialize_with = "texts")]
        many: Vec<String>,
        #[serde(deserialize_with = "text_or_none")]
        maybe: Option<String>,
        #[serde(deserialize_with = "text")]
        one: String,
        numbers: Vec<Option<u64>>,
    }

    #[test]
    fn a_length_that_the_bytes_do_not_have_gets_no_room() {
        let decode = |bytes: &[u8]| decode_part::<Texts>(bytes);
        let texts = Texts {
            many: vec!["a".into()],
            maybe: Some("b".into()),
            one: "c".into(),
            numbers: vec![None],
        };
        let honest = encode_part(&texts).unwrap();
        assert_eq!(decode(&honest).as_ref(), Ok(&texts));
        // More than any machine has: reserving it would abort the process.
        for place in 0..honest.len().saturating_sub(8) {
            let mut bytes = honest.clone();
            bytes[place..place + 8].copy_from_slice(&(1u64 << 46).to_le_bytes());
            assert_ne!(decode(&bytes).as_ref(), Ok(&texts), "{place}");
        }
        let warning = WarningContents {
            line: 1,
            column: 2,
            message: "here".into(),
            count: 3,
        };
        let mut bytes = encode_part(&warning).unwrap();
        bytes[16..24].copy_from_slice(&(1u64 << 46).to_le_bytes());
        assert_eq!(
            decode_part::<WarningContents>(&bytes),
            Err(PartError::Malformed)
        );
    }

    #[test]
    fn parts_of_all_lengths_are_read() {
        for length in [0, 1, 4000, 4088, 4089, 70_000, 1 << 20, 5 << 20] {
            let many = vec!["x".repeat(length)];
            let part = Texts {
                many,
                maybe: None,
                one: "y".repeat(length),
                numbers: vec![Some(3); length / 16],
            };
            let bytes = encode_part(&part).unwrap();
            assert_eq!(decode_part::<Texts>(&bytes).as_ref(), Ok(&part), "{length}");
        }
    }
}

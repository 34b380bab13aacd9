//! Layout of the index file, in the order of its parts.
//!
//! ```text
//! header      magic "Stepback", version: u32, complete: u32 (1),
//!             directory: offset u64, length u64, checksum u64,
//!             file length: u64, checksum of the header before it: u64
//! segments    the bytes of each segment: see [`crate::store::segment`]
//! key maps    after up to 64 segments each (the last ones may have none):
//!             the segments that touch a memory block, or visit an address
//! resume      bincode, see `builder/resume.rs`; not in an index in memory
//! codes       see [`crate::store::codes`]
//! calls       see [`crate::store::calls::table`]
//! directory   bincode of [`Contents`]
//! ```
//! If the trace has semihosting calls, further parts follow, with a directory that replaces the one
//! before them:
//! ```text
//! host writes see [`crate::store::regions::host_regions`]; not if a part has too many calls
//! open calls  see [`crate::store::regions::open_calls`]
//! directory   bincode of [`Contents`]
//! ```
//! All numbers are little-endian. Checksums are XXH3, 64 bits. The header is written last; a file
//! without it is incomplete.
//!
//! The directory is bincode because it is small, changes with the program and is read as a whole.
//! No other module uses bincode, so that it can be replaced here. Columns and lists are bytes that
//! are mapped and decoded in place, so their cost does not grow with the trace. The checksum of a
//! section is verified at its first use.

use bincode::config::{Configuration, Fixint, LittleEndian};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::answers::error::OpenError;
use crate::store::contents::Contents;
use crate::store::data::{Extent, HEADER_LEN, IndexData, is_right};
use crate::store::packed::{take, take_u32, take_u64};

/// Version of the layout. It changes whenever a byte of the layout changes its meaning.
pub const VERSION: u32 = 31;
const MAGIC: &[u8; 8] = b"Stepback";
const COMPLETE: u32 = 1;
/// Offset of the directory's extent in the header, after magic, version and completeness.
const DIRECTORY_AT: usize = 16;

/// Returns the header of a complete file.
pub fn header(directory: Extent, file_len: u64) -> [u8; HEADER_LEN] {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&COMPLETE.to_le_bytes());
    for number in [
        directory.offset,
        directory.len,
        directory.checksum,
        file_len,
    ] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    let mut header = [0; HEADER_LEN];
    header.copy_from_slice(&bytes);
    header
}

/// Returns the length of the part of an index in another file, from the header of the file with the
/// rest.
pub fn start_of_rest(rest: &IndexData) -> Option<usize> {
    let header = rest.get(0..HEADER_LEN)?;
    let checksum = take_u64(&mut header.get(HEADER_LEN - 8..)?).ok()?;
    let len = take_u64(&mut header.get(HEADER_LEN - 16..)?).ok()?;
    let is_ours = header.starts_with(MAGIC) && is_right(header.get(..HEADER_LEN - 8)?, checksum);
    (usize::try_from(len).ok()?.checked_add(HEADER_LEN)?)
        .checked_sub(rest.len())
        .filter(|_| is_ours)
}

/// Returns the extent of the directory from the header; `None` if the file is shorter.
pub fn directory_extent(file: &IndexData) -> Option<Extent> {
    take_extent(&mut file.get(DIRECTORY_AT..HEADER_LEN)?)
}

fn take_extent(bytes: &mut &[u8]) -> Option<Extent> {
    let mut number = || take_u64(bytes).ok();
    Some(Extent {
        offset: number()?,
        len: number()?,
        checksum: number()?,
    })
}

/// Decodes the directory of an index file, if the file is complete, has this format and version,
/// and is undamaged in header and directory.
pub fn decode(file: &IndexData) -> Result<Contents, OpenError> {
    const SHORT: OpenError = OpenError::Damaged("it ends within its header");
    let Some(header) = file.get(0..HEADER_LEN) else {
        let is_ours = file.get(0..MAGIC.len()).is_some_and(|start| start == MAGIC);
        return Err(if is_ours { SHORT } else { OpenError::Foreign });
    };
    if header.iter().all(|byte| *byte == 0) {
        return Err(OpenError::Incomplete);
    }
    let mut rest = header;
    let number = |rest: &mut &[u8]| take_u64(rest).unwrap_or_default();
    if number(&mut rest).to_le_bytes() != *MAGIC {
        return Err(OpenError::Foreign);
    }
    let version = take_u32(&mut &header[8..]).unwrap_or_default();
    if version != VERSION {
        return Err(OpenError::Version {
            found: version,
            expected: VERSION,
        });
    }
    let flags = number(&mut rest) >> 32;
    let directory = take_extent(&mut rest).ok_or(SHORT)?;
    let (file_len, checksum) = (number(&mut rest), number(&mut rest));
    let covered = take(&mut &*header, HEADER_LEN - 8).unwrap_or_default();
    if !is_right(covered, checksum) {
        return Err(OpenError::Damaged(
            "the checksum of its header does not hold",
        ));
    }
    if flags != u64::from(COMPLETE) {
        return Err(OpenError::Incomplete);
    }
    if file_len != file.len() as u64 {
        return Err(OpenError::Damaged("it was cut short or made longer"));
    }
    let bytes = directory.checked(file).ok_or(OpenError::Damaged(
        "the checksum of its directory does not hold",
    ))?;
    let contents: Contents = decode_part(bytes).map_err(|reason| match reason {
        PartError::Malformed => OpenError::Damaged("its directory cannot be read"),
        PartError::TooLong => OpenError::Damaged("its directory is longer than it should be"),
    })?;
    if !contents.is_consistent() {
        return Err(OpenError::Damaged(
            "the numbers in its directory contradict each other",
        ));
    }
    Ok(contents)
}

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

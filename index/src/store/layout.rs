//! The index file as a whole.
//!
//! ```text
//! header      magic "Stepback", version: u32, complete: u32 (1), directory: offset u64, length u64, checksum u64,
//!             file length: u64, checksum of the header so far: u64
//! segments    the bytes of each segment, as [`crate::segment`] says
//! key maps    for each up to 64 segments (the last ones may have none): which of them touch a memory block, or visit an address
//! calls       as [`crate::calls`] says
//! host writes as `semihosting/regions.rs` says
//! resume      as `resume.rs` says
//! directory   bincode of [`Contents`]
//! ```
//! All numbers are little-endian. Checksums are XXH3, 64 bits.
//! The header is written last; a file without it is not complete.

use std::ops::Range;

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use serde::{Deserialize, Serialize};
use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::{MarkerKind, SourceTraits};
use xxhash_rust::xxh3::xxh3_64;

use crate::answers::error::OpenError;
use crate::store::calls::table::CallLayout;
use crate::store::data::Data;
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::SEGMENTS;
use crate::store::packed::{take, take_u32, take_u64};
use crate::store::segment::meta::SegmentMeta;

/// Changes whenever a byte of the layout changes its meaning.
pub const VERSION: u32 = 10;
/// Length of the header.
pub const HEADER_LEN: usize = 56;
const MAGIC: &[u8; 8] = b"Stepback";
const COMPLETE: u32 = 1;
/// A directory larger than this is not ours: some 10^7 segments.
const DIRECTORY_LIMIT: usize = 4 << 30;

type Config = Configuration<LittleEndian, Fixint, Limit<DIRECTORY_LIMIT>>;

fn config() -> Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<DIRECTORY_LIMIT>()
}

/// A run of bytes of the index with its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Where it begins in the file.
    pub offset: u64,
    /// How long it is.
    pub len: u64,
    /// Its checksum.
    pub checksum: u64,
}

impl Extent {
    fn range(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        Some(start..start.checked_add(usize::try_from(self.len).ok()?)?)
    }

    /// Its bytes.
    pub fn of<'a>(&self, file: &'a Data) -> Option<&'a [u8]> {
        file.get(self.range()?)
    }

    /// Its bytes, if they are what was written.
    pub fn checked<'a>(&self, file: &'a Data) -> Option<&'a [u8]> {
        file.get_all(self.range()?).filter(|bytes| is_right(bytes, self.checksum))
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadContents {
    /// As the trace names it.
    pub name: String,
    /// How many steps it did.
    pub steps: u64,
    /// Instruction set of its first step.
    pub instruction_set: InstructionSet,
    /// Its first step.
    pub first_step: Option<u64>,
}

/// A register view that some segment writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewContents {
    /// Whose: a place in the table of threads.
    pub thread: u16,
    /// Registers outside the architecture's table are numbered by their place in the table of names.
    pub view: RegisterView,
    /// The segments, ascending.
    pub segments: Vec<u32>,
}

/// The markers of a kind of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerContents {
    /// Whose: a place in the table of threads.
    pub thread: u16,
    /// Of what they tell.
    pub kind: MarkerKind,
    /// How many there are.
    pub count: u64,
    /// The segments that have some, ascending.
    pub segments: Vec<u32>,
}

/// Which of up to 64 segments have a key: a directory of memory blocks and one of addresses.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct KeyMaps {
    /// The first of the segments.
    pub first: u64,
    /// One past the last of them.
    pub end: u64,
    /// By address / 64.
    pub granules: Extent,
    /// By address of an instruction.
    pub pcs: Extent,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningContents {
    /// Line, from 1.
    pub line: u64,
    /// Byte offset in the line.
    pub column: u64,
    /// What is wrong.
    pub message: String,
}

/// The directory: everything but bulk data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// The trace that this is the index of.
    pub fingerprint: Fingerprint,
    /// What its source told of it.
    pub traits: SourceTraits,
    /// Steps in all.
    pub steps: u64,
    /// Lines in all.
    pub lines: u64,
    /// Where the text of the last step ends: the length of the trace, or of the part that is indexed.
    pub text_end: u64,
    /// False when more of the trace is still to be indexed.
    pub is_whole: bool,
    /// The first time that a step has, and that of the last step.
    pub time_range: Option<(u64, u64)>,
    /// Problems in all.
    pub warning_count: u64,
    /// The first problems.
    pub warnings: Vec<WarningContents>,
    /// Reads in all that contradict what was known before them.
    pub externals: u64,
    /// Threads by number.
    pub threads: Vec<ThreadContents>,
    /// Names of the registers outside the architecture's table, by number.
    pub register_names: Vec<String>,
    /// Register views, sorted by thread and view.
    pub views: Vec<ViewContents>,
    /// Markers, sorted by thread and kind.
    pub markers: Vec<MarkerContents>,
    /// Segments in the order of the trace.
    pub segments: Vec<SegmentMeta>,
    /// In the order of the segments; the last ones may have none.
    pub key_maps: Vec<KeyMaps>,
    /// The table of calls.
    pub calls: Extent,
    /// What the host wrote during semihosting calls, as [`crate::semihosting`] says.
    pub host_regions: Extent,
    /// Where its parts lie, and when each is in use.
    pub call_layout: CallLayout,
    /// What it takes to go on with this index, as [`crate::builder::resume`] says; empty in one that lives in memory.
    pub resume: Extent,
}

/// More steps or lines than any trace has; sums of a few such numbers do not overflow.
const COUNT_LIMIT: u64 = 1 << 61;

impl Contents {
    /// Whether the segments follow each other and make up the whole: then steps and lines can be added without a look.
    pub fn is_consistent(&self) -> bool {
        let mut steps = 0u64;
        let mut lines = 0;
        for segment in &self.segments {
            let has_order = segment.step_base == steps && (lines..=self.lines).contains(&segment.line_base);
            let Some(behind) = steps.checked_add(u64::from(segment.steps)).filter(|_| has_order) else { return false };
            (steps, lines) = (behind, segment.line_base);
        }
        let has_end = |view: &ViewContents| view.view.offset.checked_add(view.view.size_bytes).is_some();
        self.views.iter().all(has_end)
            && steps == self.steps
            && steps.max(self.lines) < COUNT_LIMIT
            && self.has_key_maps_in_order()
    }

    /// Whether the key maps follow each other.
    fn has_key_maps_in_order(&self) -> bool {
        let mut mapped = 0;
        self.key_maps.iter().all(|maps| {
            let follows = maps.first == mapped && maps.end > mapped && maps.end - mapped <= SEGMENTS as u64;
            mapped = maps.end;
            follows && mapped <= self.segments.len() as u64
        })
    }
}

/// How many segments have key maps.
pub fn mapped(key_maps: &[KeyMaps]) -> usize {
    key_maps.last().map_or(0, |maps| maps.end as usize)
}

/// Whether a checksum holds. A fuzzer would never guess one, so it may have any.
pub fn is_right(bytes: &[u8], checksum: u64) -> bool {
    cfg!(fuzzing) || xxh3_64(bytes) == checksum
}

/// A part of the index besides the directory that is bincode, as it is written.
pub fn encode_part<T: Serialize>(part: &T) -> Result<Vec<u8>, bincode::error::EncodeError> {
    bincode::serde::encode_to_vec(part, config())
}

/// Reads such a part.
pub fn decode_part<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Option<T> {
    let (part, used) = bincode::serde::decode_from_slice(bytes, config()).ok()?;
    (used == bytes.len()).then_some(part)
}

/// The header of a complete file.
pub fn header(directory: Extent, file_len: u64) -> [u8; HEADER_LEN] {
    let mut bytes = Vec::with_capacity(HEADER_LEN);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&COMPLETE.to_le_bytes());
    for number in [directory.offset, directory.len, directory.checksum, file_len] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    let mut header = [0; HEADER_LEN];
    header.copy_from_slice(&bytes);
    header
}

/// How long the part of an index is that lies in another file, by the header of the file that holds the rest.
pub fn start_of_rest(rest: &Data) -> Option<usize> {
    let header = rest.get(0..HEADER_LEN)?;
    let checksum = take_u64(&mut header.get(HEADER_LEN - 8..)?).ok()?;
    let len = take_u64(&mut header.get(HEADER_LEN - 16..)?).ok()?;
    let is_ours = header.starts_with(MAGIC) && is_right(header.get(..HEADER_LEN - 8)?, checksum);
    (usize::try_from(len).ok()?.checked_add(HEADER_LEN)?).checked_sub(rest.len()).filter(|_| is_ours)
}

/// Reads the directory of an index file, if the file is complete, ours, and undamaged so far.
pub fn decode(file: &Data) -> Result<Contents, OpenError> {
    const SHORT: OpenError = OpenError::Damaged("it ends within its header");
    let Some(header) = file.get(0..HEADER_LEN) else {
        let is_ours = file.get(0..MAGIC.len()).is_some_and(|start| start == MAGIC);
        return Err(if is_ours { SHORT } else { OpenError::Foreign });
    };
    if header.iter().all(|byte| *byte == 0) {
        return Err(OpenError::Incomplete);
    }
    let mut rest = header;
    let mut number = || take_u64(&mut rest).unwrap_or_default();
    if number().to_le_bytes() != *MAGIC {
        return Err(OpenError::Foreign);
    }
    let version = take_u32(&mut &header[8..]).unwrap_or_default();
    if version != VERSION {
        return Err(OpenError::Version { found: version, expected: VERSION });
    }
    let flags = number() >> 32;
    let directory = Extent { offset: number(), len: number(), checksum: number() };
    let (file_len, checksum) = (number(), number());
    let covered = take(&mut &*header, HEADER_LEN - 8).unwrap_or_default();
    if !is_right(covered, checksum) {
        return Err(OpenError::Damaged("the checksum of its header does not hold"));
    }
    if flags != u64::from(COMPLETE) {
        return Err(OpenError::Incomplete);
    }
    if file_len != file.len() as u64 {
        return Err(OpenError::Damaged("it was cut short or made longer"));
    }
    let bytes = directory.checked(file).ok_or(OpenError::Damaged("the checksum of its directory does not hold"))?;
    let (contents, used) = bincode::serde::decode_from_slice::<Contents, _>(bytes, config())
        .map_err(|_| OpenError::Damaged("its directory cannot be read"))?;
    if used != bytes.len() {
        return Err(OpenError::Damaged("its directory is longer than it should be"));
    }
    if !contents.is_consistent() {
        return Err(OpenError::Damaged("the numbers in its directory contradict each other"));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;
    use crate::index::Index;

    #[test]
    fn a_directory_whose_numbers_contradict_each_other_is_noticed() {
        let text = "1 clk IT (1) 00001000 e1a00000 A usr : NOP\n1 clk R sys_thing 00000007\n".repeat(9);
        let tarmac = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
        let options = BuildOptions { segment_bytes: 200, threads: 1 };
        let contents = Index::in_memory(Arc::new(tarmac), &options).unwrap().contents.clone();
        assert!(contents.segments.len() > 2 && contents.is_consistent());
        let changes: [fn(&mut Contents); 6] = [
            |contents| contents.segments[1].step_base = u64::MAX,
            |contents| contents.segments[1].steps += 1,
            |contents| contents.segments[2].line_base = u64::MAX,
            |contents| contents.steps += 1,
            |contents| contents.views[0].view.offset = u16::MAX,
            |contents| contents.key_maps.push(contents.key_maps[0]),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut other = contents.clone();
            change(&mut other);
            assert!(!other.is_consistent(), "change {number}");
        }
    }
}

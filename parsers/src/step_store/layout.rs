//! Layout of the store on disk.
//!
//! ```text
//! header     72 bytes   magic "SBsteps\n", version, 0, identity of the trace's files (3 numbers),
//!                       offset, length and hash of the footer; hash of all that.
//!                       Written last: zeros until then
//! frames     of four blocks, see `frame.rs` and `block.rs`
//! footer     total items and records; threads; summary of the format; lengths of the frames; codes
//! ```
//!
//! All numbers are little-endian. Of the offsets of the frames, a [`FrameTable`] keeps one per
//! group; the others follow from the lengths.

use std::io;

use xxhash_rust::xxh3::xxh3_64;

use crate::kept::places::{ByteStore, CacheFileFormat, Identity};
use crate::step_store::block::ITEMS;
use crate::step_store::code::Codes;
use crate::step_store::frame::BLOCKS;
use crate::step_store::numbers::{NumberReader, NumberWriter, PADDING};
use crate::step_store::record::StoredThread;

/// Format version: changes with the layout or meaning of a frame or a block.
const VERSION: u32 = 13;
const MAGIC: [u8; 8] = *b"SBsteps\n";
pub const HEADER_LEN: usize = 72;
const FOOTER_LIMIT: u64 = 1 << 36;

/// Facts about the whole trace, complete once it has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreFacts {
    /// Number of items: one more than steps.
    pub items: u64,
    /// Number of steps, accesses and markers, as the format numbers them.
    pub records: u64,
    /// Threads, by number.
    pub threads: Vec<StoredThread>,
    /// Numbers that the format keeps for the whole trace; empty until it has been read.
    pub summary: Vec<u64>,
}

/// Contents of a finished store without its frames.
#[derive(Debug)]
pub struct StepStoreContents {
    pub facts: StoreFacts,
    pub frames: FrameTable,
    pub codes: Codes,
}

/// The store as a kind of kept file.
#[derive(Clone, Copy, Debug)]
pub struct StoreFile;

impl CacheFileFormat for StoreFile {
    type Contents = StepStoreContents;
    const NAME: &'static str = "the copy of the trace's records";
    const SUFFIX: &'static str = ".sbi.steps";

    fn read(&self, store: &ByteStore, identity: Identity) -> io::Result<Option<StepStoreContents>> {
        read(store, identity)
    }

    fn is_ours(store: &ByteStore) -> io::Result<bool> {
        let mut magic = [0; MAGIC.len()];
        let count = store.read_at(0, &mut magic)?;
        Ok(count == 0 || magic == MAGIC || magic == [0; MAGIC.len()])
    }
}

/// Writes the footer, then the header, which completes the store.
pub fn finish(
    store: &ByteStore,
    identity: Identity,
    contents: &StepStoreContents,
) -> io::Result<()> {
    let footer = encode_footer(contents);
    let place = contents.frames.end();
    store.write_at(place, &footer)?;
    store.sync()?;
    let mut header = MAGIC.to_vec();
    header.extend(u64::from(VERSION).to_le_bytes());
    let numbers = identity
        .into_iter()
        .chain([place, footer.len() as u64, xxh3_64(&footer)]);
    header.extend(numbers.flat_map(u64::to_le_bytes));
    header.extend(xxh3_64(&header).to_le_bytes());
    debug_assert_eq!(header.len(), HEADER_LEN, "the first frame follows");
    store.write_at(0, &header)?;
    store.sync()
}

fn read(store: &ByteStore, identity: Identity) -> io::Result<Option<StepStoreContents>> {
    let mut header = [0; HEADER_LEN];
    if store.read_at(0, &mut header)? < HEADER_LEN {
        return Ok(None);
    }
    let (content, hash) = header.split_at(HEADER_LEN - 8);
    let [magic, version, a, b, c, place, length, footer_hash] = std::array::from_fn(|number| {
        content
            .as_chunks()
            .0
            .get(number)
            .map_or(0, |word| u64::from_le_bytes(*word))
    });
    let is_ours = magic.to_le_bytes() == MAGIC && xxh3_64(content).to_le_bytes() == *hash;
    let is_same = version == u64::from(VERSION) && [a, b, c] == identity;
    let is_plausible = length < FOOTER_LIMIT && store.length()? == place.saturating_add(length);
    if !(is_ours && is_same && is_plausible) {
        return Ok(None);
    }
    let mut footer = vec![0; usize::try_from(length).unwrap_or(0)];
    let is_whole =
        store.read_at(place, &mut footer)? == footer.len() && xxh3_64(&footer) == footer_hash;
    Ok(decode_footer(&footer).filter(|contents| is_whole && contents.frames.end() == place))
}

fn encode_footer(contents: &StepStoreContents) -> Vec<u8> {
    let StepStoreContents {
        facts,
        frames,
        codes,
    } = contents;
    let mut out = NumberWriter::default();
    out.number(facts.items);
    out.number(facts.records);
    out.number(facts.threads.len() as u64);
    for thread in &facts.threads {
        out.number(thread.tid);
        out.number(thread.pid);
    }
    out.number(facts.summary.len() as u64);
    facts.summary.iter().for_each(|number| out.number(*number));
    let lengths = frames.lengths();
    out.number(lengths.len() as u64);
    out.bytes.extend(lengths);
    out.bytes.extend(codes.encode());
    out.bytes
}

fn decode_footer(bytes: &[u8]) -> Option<StepStoreContents> {
    let padded = [bytes, &[0; PADDING]].concat();
    let mut reader = NumberReader::new(&padded);
    let (items, records) = (reader.number(), reader.number());
    let count = reader.number();
    let thread = |_| {
        let identity = StoredThread {
            tid: reader.number(),
            pid: reader.number(),
        };
        reader.is_sound().then_some(identity)
    };
    let threads = (0..count).map(thread).collect::<Option<Vec<_>>>()?;
    let summary = (0..reader.number()).map(|_| reader.is_sound().then(|| reader.number()));
    let summary = summary.collect::<Option<Vec<_>>>()?;
    let length = usize::try_from(reader.number()).ok()?;
    let rest = reader.rest();
    let (lengths, codes) = rest.split_at_checked(length)?;
    let frames = FrameTable::of(HEADER_LEN as u64, lengths);
    let is_whole = frames.hold(items);
    let facts = StoreFacts {
        items,
        records,
        threads,
        summary,
    };
    is_whole.then_some(StepStoreContents {
        facts,
        frames,
        codes: Codes::decode(codes)?,
    })
}

/// Number of items in a frame.
pub const FRAME_ITEMS: u64 = BLOCKS * ITEMS;
/// Number of frames in a group.
const GROUP: usize = 64;

/// Offset and length of each frame; frames are contiguous.
///
/// Stores one length per frame and one offset per group of frames.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    /// Offset of each group.
    groups: Vec<u64>,
    lengths: Vec<u32>,
    end: u64,
}

impl FrameTable {
    /// Creates an empty table; the first frame will begin at `start`.
    pub fn new(start: u64) -> Self {
        Self {
            end: start,
            ..Self::default()
        }
    }

    /// Creates a table from the lengths of the frames, 4 bytes each.
    pub fn of(start: u64, lengths: &[u8]) -> Self {
        let mut frames = Self::new(start);
        lengths
            .as_chunks()
            .0
            .iter()
            .for_each(|length| frames.push(u32::from_le_bytes(*length)));
        frames
    }

    /// Appends a frame.
    pub fn push(&mut self, length: u32) {
        if self.lengths.len().is_multiple_of(GROUP) {
            self.groups.push(self.end);
        }
        self.lengths.push(length);
        self.end += u64::from(length);
    }

    /// Returns whether the number of frames matches a number of items.
    pub fn hold(&self, items: u64) -> bool {
        items.div_ceil(FRAME_ITEMS) == self.lengths.len() as u64
    }

    /// Returns the end of the last frame.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the lengths of the frames, 4 bytes each.
    pub fn lengths(&self) -> Vec<u8> {
        self.lengths
            .iter()
            .flat_map(|length| length.to_le_bytes())
            .collect()
    }

    /// Returns the offset and length of a frame; `None` if it does not exist. O(1).
    pub fn place(&self, frame: u64) -> Option<(u64, u32)> {
        let frame = usize::try_from(frame).ok()?;
        let length = *self.lengths.get(frame)?;
        let group = frame / GROUP;
        let before = self.lengths.get(group * GROUP..frame)?.iter();
        let start = before.fold(*self.groups.get(group)?, |start, length| {
            start + u64::from(*length)
        });
        Some((start, length))
    }
}

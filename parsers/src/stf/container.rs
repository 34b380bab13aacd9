//! The bytes of a trace's records, from a plain file or from the frames of a zstf file.
//!
//! A zstf file is `"ZSTF"`, the number of instructions of a chunk, the offset of the index, a zstd
//! frame for each chunk, and the index: the number of chunks, and for each the offset of its frame,
//! the address of its first instruction (0 for the first chunk) and the number of unpacked bytes.
//! All numbers have 64 bits. A file that was cut off has no index; its frames are read in order.

use std::io;
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::packed::unpacker::SequentialReader;
use crate::packed::{Damage, DamageKind, ForwardReader, PackedKind, TextUnpacker};
use crate::read_at::{ReadAt, TraceFile};

/// First bytes of a file of records: the identifier and the descriptor of the version.
const RECORDS: [u8; 5] = *b"\x01STF\x02";
/// First bytes of a file of compressed chunks.
const CHUNKS: [u8; 4] = *b"ZSTF";
/// Length of the header of a zstf file in bytes.
pub const HEADER_BYTES: u64 = 20;
/// Length of an entry of the index in bytes.
const ENTRY_BYTES: u64 = 24;

/// Container of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StfContainer {
    /// The records themselves (`.stf`).
    Records,
    /// A zstd frame for each chunk, and an index (`.zstf`).
    Chunks,
}

impl StfContainer {
    /// Detects the container of a file, compressed or not; `None` if the file is no trace.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let mut head = [0; RECORDS.len()];
        let count = ForwardReader::open(Arc::clone(&file.data), 0)?.read(&mut head)?;
        let head = head.get(..count).unwrap_or_default();
        if head.starts_with(&RECORDS) {
            return Ok(Some(Self::Records));
        }
        Ok(head.starts_with(&CHUNKS).then_some(Self::Chunks))
    }
}

/// The index of a zstf file. Entries are read from the file when they are needed.
#[derive(Clone)]
pub struct ChunkIndex {
    data: Arc<dyn ReadAt>,
    /// Offset of the index in the file.
    offset: u64,
    /// Number of chunks.
    pub count: u64,
    /// Number of instructions of each chunk but the last.
    pub chunk_instructions: u64,
}

/// A chunk according to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// Offset of the frame in the file.
    pub offset: u64,
    /// Address of the first instruction; 0 for the first chunk.
    pub start_pc: u64,
    /// Number of bytes of its records.
    pub unpacked_bytes: u64,
    /// Offset of the first byte after the frame.
    pub end: u64,
}

/// Header of a zstf file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChunkHeader {
    chunk_instructions: u64,
    index_offset: u64,
}

impl ChunkHeader {
    fn of(bytes: &[u8; HEADER_BYTES as usize]) -> Option<Self> {
        let fields = bytes.strip_prefix(&CHUNKS)?.as_chunks::<8>().0;
        let [chunk_instructions, index_offset] = *fields else {
            return None;
        };
        Some(Self {
            chunk_instructions: u64::from_le_bytes(chunk_instructions),
            index_offset: u64::from_le_bytes(index_offset),
        })
    }

    /// Returns the offset of the index if it can be one.
    fn index(self) -> Option<u64> {
        Some(self.index_offset).filter(|offset| *offset >= HEADER_BYTES)
    }
}

impl ChunkIndex {
    /// Reads the head of the index. Returns none if the file has no index, or not a complete one.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(data: &Arc<dyn ReadAt>) -> io::Result<Option<Self>> {
        let mut head = [0; HEADER_BYTES as usize];
        if data.read_at(0, &mut head)? < head.len() {
            return Ok(None);
        }
        let Some(header) = ChunkHeader::of(&head) else {
            return Ok(None);
        };
        let Some(offset) = header.index() else {
            return Ok(None);
        };
        let mut count = [0; 8];
        let length = data.length()?;
        let Some(room) = length.checked_sub(offset.saturating_add(8)) else {
            return Ok(None);
        };
        let is_there = data.read_at(offset, &mut count)? == count.len();
        let count = u64::from_le_bytes(count);
        let is_whole = is_there && count > 0 && count <= room / ENTRY_BYTES;
        Ok(is_whole.then(|| Self {
            data: Arc::clone(data),
            offset,
            count,
            chunk_instructions: header.chunk_instructions,
        }))
    }

    /// Reads the entry of a chunk. Returns none if the offset of its frame is impossible.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn entry(&self, number: u64) -> io::Result<Option<ChunkEntry>> {
        let mut bytes = [0; 2 * ENTRY_BYTES as usize];
        let place = self.offset + 8 + number.saturating_mul(ENTRY_BYTES);
        let read = self.data.read_at(place, &mut bytes)?;
        let words = bytes.as_chunks::<8>().0;
        let [offset, start_pc, unpacked_bytes, next, ..] = *words else {
            return Ok(None);
        };
        let [offset, start_pc, unpacked_bytes, next] =
            [offset, start_pc, unpacked_bytes, next].map(u64::from_le_bytes);
        let has_next = number.saturating_add(1) < self.count && read == bytes.len();
        let is_next = has_next && next > offset && next <= self.offset;
        let end = if is_next { next } else { self.offset };
        let is_possible =
            read >= ENTRY_BYTES as usize && (HEADER_BYTES..self.offset).contains(&offset);
        Ok(is_possible.then_some(ChunkEntry {
            offset,
            start_pc,
            unpacked_bytes,
            end,
        }))
    }

    /// Opens the records of a chunk.
    pub fn open(&self, entry: &ChunkEntry) -> io::Result<RecordBytes> {
        let input = SequentialReader {
            input: Arc::clone(&self.data),
            offset: entry.offset,
            done: Arc::new(AtomicU64::new(0)),
        };
        let input = BufReader::with_capacity(
            FRAME_BUFFER,
            Box::new(input.take(entry.end - entry.offset)) as Box<dyn Read + Send>,
        );
        let frame = zstd::stream::read::Decoder::with_buffer(input)?.single_frame();
        Ok(RecordBytes {
            input: RecordInput::Frame(Box::new(frame)),
            frame_offset: entry.offset,
            damage: None,
        })
    }
}

/// Number of packed bytes that are read at once.
const FRAME_BUFFER: usize = 64 << 10;

/// Sequential reader of records, until the end or the first damage.
pub struct RecordBytes {
    input: RecordInput,
    /// Offset in the file of the packed bytes.
    frame_offset: u64,
    damage: Option<Damage>,
}

enum RecordInput {
    Plain(ForwardReader),
    Frames(Box<TextUnpacker>),
    Frame(Box<zstd::stream::read::Decoder<'static, BufReader<Box<dyn Read + Send>>>>),
    Over,
}

impl RecordBytes {
    /// Reads the next bytes; 0 at the end or at damage.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (count, damage) = match &mut self.input {
            RecordInput::Over => return Ok(0),
            RecordInput::Plain(input) => {
                let count = input.read(out)?;
                (count, input.damage().cloned())
            }
            RecordInput::Frames(input) => {
                let count = input.read(out)?;
                (count, input.damage().cloned())
            }
            RecordInput::Frame(input) => match input.read(out) {
                Ok(count) => (count, None),
                // Errors of the decoder have no number of the operating system.
                Err(error) if error.raw_os_error().is_some() => return Err(error),
                Err(error) => (0, Some(self.frame_damage(&error))),
            },
        };
        if count == 0 {
            self.input = RecordInput::Over;
            self.damage = damage;
        }
        Ok(count)
    }

    /// Describes why a frame cannot be unpacked.
    fn frame_damage(&self, error: &io::Error) -> Damage {
        let kind = match error.kind() {
            io::ErrorKind::UnexpectedEof => DamageKind::CutOff,
            _ => DamageKind::Corrupt(error.to_string()),
        };
        Damage {
            packed: PackedKind::Zstd,
            offset: self.frame_offset,
            kind,
        }
    }

    /// Returns the reason why the bytes ended, if the file is damaged there.
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }
}

/// Adapts a reader of contents to the standard trait.
struct ContentReader(ForwardReader);

impl Read for ContentReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

/// Opens the records of a whole file from front to back, without its index.
///
/// # Errors
/// The file could not be read.
pub fn open_bytes(data: &Arc<dyn ReadAt>, container: StfContainer) -> io::Result<RecordBytes> {
    let mut input = ForwardReader::open(Arc::clone(data), 0)?;
    let input = match container {
        StfContainer::Records => RecordInput::Plain(input),
        StfContainer::Chunks => {
            let mut head = [0; HEADER_BYTES as usize];
            let count = input.read(&mut head)?;
            let header = ChunkHeader::of(&head).filter(|_| count == head.len());
            // The index after the frames is not part of them.
            let length = header
                .and_then(ChunkHeader::index)
                .map_or(u64::MAX, |offset| offset - HEADER_BYTES);
            let frames = Box::new(ContentReader(input).take(length));
            RecordInput::Frames(Box::new(TextUnpacker::new(frames, PackedKind::Zstd)))
        }
    };
    Ok(RecordBytes {
        input,
        frame_offset: 0,
        damage: None,
    })
}

//! Unpacks the chunks of a trace on several threads, a bounded number ahead of the reader, and
//! hands them over in order ([`PartReader`]).
//!
//! A thread takes the next chunk, queues a channel for it, and then unpacks it into that channel.
//! Channels are bounded, so the memory is, too: hostile frames cannot make a thread run ahead.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::packed::Damage;
use crate::read_at::TraceFile;
use crate::stf::container::{ChunkIndex, RecordBytes, StfContainer, open_bytes};

/// Number of bytes in a part.
const PART_BYTES: usize = 256 << 10;
/// Maximum number of parts of a chunk that wait for the reader.
const PARTS_AHEAD: usize = 16;
/// Maximum number of unpacking threads.
const THREADS: usize = 4;

/// A part of a trace, in order.
#[derive(Debug)]
pub enum StfPart {
    /// A chunk begins.
    Begin(ChunkBegin),
    /// Bytes of its records.
    Bytes(Vec<u8>),
    /// The chunk ends, with the damage if it is not complete.
    End(Option<Damage>),
}

/// The begin of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkBegin {
    /// Number of the chunk; `None` if the file is not read by chunks.
    pub number: Option<u64>,
    /// Address of the first instruction according to the index.
    pub start_pc: Option<u64>,
    /// Number of instructions in the chunk according to the header; `None` for the last.
    pub instructions: Option<u64>,
    /// True if the index states an impossible place for the chunk.
    pub is_misplaced: bool,
}

/// A message from an unpacking thread.
enum PartMessage {
    Part(StfPart),
    Failure(io::Error),
}

/// The work of all threads.
struct ChunkQueue {
    state: Mutex<ChunkQueueState>,
    source: ChunkSource,
}

struct ChunkQueueState {
    next: u64,
    /// Receives a channel for each chunk; `None` once the reader is gone.
    order: Option<SyncSender<Receiver<PartMessage>>>,
}

/// Chunks of a file: by its index, or the whole file as one.
enum ChunkSource {
    Index(ChunkIndex),
    Whole(TraceFile, StfContainer),
}

impl ChunkSource {
    fn count(&self) -> u64 {
        match self {
            Self::Index(index) => index.count,
            Self::Whole(..) => 1,
        }
    }

    /// Opens a chunk; no bytes if it is misplaced.
    fn open(&self, number: u64) -> io::Result<(ChunkBegin, Option<RecordBytes>)> {
        let index = match self {
            Self::Whole(file, container) => {
                let begin = ChunkBegin {
                    number: None,
                    start_pc: None,
                    instructions: None,
                    is_misplaced: false,
                };
                return Ok((begin, Some(open_bytes(&file.data, *container)?)));
            }
            Self::Index(index) => index,
        };
        let entry = index.entry(number)?;
        let is_last = number.saturating_add(1) >= index.count;
        let begin = ChunkBegin {
            number: Some(number),
            // The first entry states 0; the header has the address.
            start_pc: entry.map(|entry| entry.start_pc).filter(|_| number > 0),
            instructions: Some(index.chunk_instructions).filter(|_| !is_last),
            is_misplaced: entry.is_none(),
        };
        let bytes = entry.map(|entry| index.open(&entry)).transpose()?;
        Ok((begin, bytes))
    }
}

/// Reader of the parts of a trace.
pub struct PartReader {
    /// None only while the reader is dropped.
    order: Option<Receiver<Receiver<PartMessage>>>,
    chunk: Option<Receiver<PartMessage>>,
    workers: Vec<JoinHandle<()>>,
}

impl PartReader {
    /// Starts to unpack a file.
    ///
    /// # Errors
    /// The file could not be read, or a thread could not be started.
    pub fn open(file: &TraceFile, container: StfContainer) -> io::Result<Self> {
        let index = match container {
            StfContainer::Chunks => ChunkIndex::of(&file.data)?,
            StfContainer::Records => None,
        };
        let source = index.map_or_else(
            || ChunkSource::Whole(file.clone(), container),
            ChunkSource::Index,
        );
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = usize::try_from(source.count()).unwrap_or(usize::MAX);
        let threads = cores.min(THREADS).min(count).max(1);
        let (sender, order) = sync_channel(threads);
        let queue = Arc::new(ChunkQueue {
            state: Mutex::new(ChunkQueueState {
                next: 0,
                order: Some(sender),
            }),
            source,
        });
        let mut reader = Self {
            order: Some(order),
            chunk: None,
            workers: Vec::new(),
        };
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let work = move || while unpack_next(&queue) {};
            let worker = std::thread::Builder::new()
                .name("unpack".to_owned())
                .spawn(work)?;
            reader.workers.push(worker);
        }
        Ok(reader)
    }

    /// Returns the next part; `None` at the end.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_part(&mut self) -> io::Result<Option<StfPart>> {
        loop {
            match self.chunk.as_ref().map(Receiver::recv) {
                Some(Ok(PartMessage::Part(part))) => return Ok(Some(part)),
                Some(Ok(PartMessage::Failure(error))) => return Err(error),
                None | Some(Err(_)) => {}
            }
            self.chunk = self.order.as_ref().and_then(|order| order.recv().ok());
            if self.chunk.is_none() {
                return Ok(None);
            }
        }
    }
}

impl Drop for PartReader {
    fn drop(&mut self) {
        // Disconnects the channels, so the threads end.
        (self.order, self.chunk) = (None, None);
        for worker in self.workers.drain(..) {
            _ = worker.join();
        }
    }
}

/// Unpacks the next chunk. Returns false if there is none, or if the reader is gone.
fn unpack_next(queue: &ChunkQueue) -> bool {
    let (sender, parts) = sync_channel(PARTS_AHEAD);
    let number = {
        let mut state = queue.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        // The lock is held while the queue is full, so channels are queued in order.
        let is_queued = number < queue.source.count()
            && state
                .order
                .as_ref()
                .is_some_and(|order| order.send(parts).is_ok());
        if !is_queued {
            state.order = None;
            return false;
        }
        state.next += 1;
        number
    };
    // A panic in a library must not look like the end of the chunk.
    let end = catch_unwind(AssertUnwindSafe(|| unpack(queue, number, &sender)));
    let failure = match end {
        Ok(Ok(goes_on)) => return goes_on,
        Ok(Err(error)) => error,
        Err(_) => io::Error::other("what unpacks the trace has failed"),
    };
    // The receiver is gone if the reader was dropped.
    _ = sender.send(PartMessage::Failure(failure));
    false
}

/// Sends the parts of a chunk. Returns false if the reader is gone.
fn unpack(queue: &ChunkQueue, number: u64, sender: &SyncSender<PartMessage>) -> io::Result<bool> {
    let send = |part| sender.send(PartMessage::Part(part)).is_ok();
    let (begin, bytes) = queue.source.open(number)?;
    if !send(StfPart::Begin(begin)) {
        return Ok(false);
    }
    let Some(mut bytes) = bytes else {
        return Ok(send(StfPart::End(None)));
    };
    loop {
        let mut part = vec![0; PART_BYTES];
        let mut filled = 0;
        while let Some(room) = part.get_mut(filled..).filter(|room| !room.is_empty()) {
            match bytes.read(room)? {
                0 => break,
                count => filled += count,
            }
        }
        part.truncate(filled);
        if filled == 0 {
            return Ok(send(StfPart::End(bytes.damage().cloned())));
        }
        if !send(StfPart::Bytes(part)) {
            return Ok(false);
        }
    }
}

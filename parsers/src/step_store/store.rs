//! Public interface of the step store.

use std::io;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::kept::places::{ByteStore, CacheFileOptions, CacheFileStart};
use crate::step_store::block;
use crate::step_store::block::{BlockDamage, BlockHead, ITEMS};
use crate::step_store::block_reader::{BlockVisit, BlockVisitor, DamagedBlock, padded};
use crate::step_store::code::Codes;
use crate::step_store::code_table::LIMIT;
use crate::step_store::encoder::Encoder;
use crate::step_store::fill::{Filler, SharedStore};
use crate::step_store::frame::{BLOCKS, Frame, FrameCache, FrameKey, FrameReader};
use crate::step_store::layout::{StoreFacts, StoreFile};
use crate::step_store::record::ReadEnd;

/// Number of frames that are read at once.
const BATCH: usize = 16;

/// Reads a whole trace into an encoder. Stops early when the flag is set, and then returns
/// [`ReadEnd::Stopped`].
pub type ReadTrace =
    Box<dyn FnOnce(&Arc<AtomicBool>, &mut Encoder<Filler>) -> io::Result<ReadEnd> + Send>;

/// Fills a store with the steps of a whole trace and completes it; stops early when the flag is
/// set. Returns the filler with the result.
pub type FillStore = Box<dyn FnOnce(&Arc<AtomicBool>, Filler) -> (Filler, io::Result<()>) + Send>;

/// Records of a trace. Clones share them; dropping the last clone stops the reading of the trace.
#[derive(Clone, Debug)]
pub struct StepStore(Arc<StoreOwner>);

#[derive(Debug)]
struct StoreOwner {
    /// Unique among the stores of this process; identifies the frames that readers cache.
    number: u64,
    shared: Arc<SharedStore>,
    filler: Mutex<Option<JoinHandle<()>>>,
}

/// Error: a store does not contain the bytes that were written. Opening the trace again makes the
/// store anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the copy of the trace's records is damaged at step {step}: remove it (its name ends with .steps)"
)]
pub struct DamagedCopy {
    /// Last step before the damage.
    pub step: u64,
}

impl DamagedCopy {
    /// Returns whether this is the cause of an error.
    pub fn is_in(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Self>())
    }
}

/// Buffers that are reused between reads.
#[derive(Debug, Default)]
pub struct StoreScratch {
    frames: FrameScratch,
    block: Vec<u8>,
}

#[derive(Debug, Default)]
struct FrameScratch {
    bytes: Vec<u8>,
    reader: FrameReader,
    recent: FrameCache,
}

impl StepStore {
    /// Opens the existing store, or begins to make one in the background.
    pub fn open(options: CacheFileOptions, read: ReadTrace) -> Self {
        let fill = move |is_stopped: &Arc<AtomicBool>, filler: Filler| {
            let mut encoder = Encoder::new(filler);
            let read = read(is_stopped, &mut encoder);
            let filled = read.and_then(|end| encoder.end(end));
            (encoder.sink, filled)
        };
        Self::open_filled(options, Box::new(fill))
    }

    /// Opens the existing store, or begins to fill one in the background.
    pub fn open_filled(options: CacheFileOptions, fill: FillStore) -> Self {
        let found = options.found(&StoreFile);
        let Some((path, store, contents)) = found else {
            return Self::start(options, fill);
        };
        let shared = SharedStore::of(store, contents);
        shared.change(|state| state.path = Some(path).filter(|_| options.is_copy_kept));
        Self::of(Arc::new(shared), None)
    }

    fn start(options: CacheFileOptions, fill: FillStore) -> Self {
        let shared = Arc::new(SharedStore::new());
        let stated = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("records".to_owned())
            .spawn(move || run(&stated, &options, fill));
        if let Err(error) = &thread {
            shared.change(|state| {
                state.fail(
                    error.kind(),
                    format!("no thread to read the trace: {error}"),
                )
            });
        }
        Self::of(shared, thread.ok())
    }

    fn of(shared: Arc<SharedStore>, filler: Option<JoinHandle<()>>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(StoreOwner {
            number,
            shared,
            filler: Mutex::new(filler),
        }))
    }

    /// Returns the facts about the trace that are known until now.
    pub fn facts(&self) -> Arc<StoreFacts> {
        Arc::clone(&self.0.shared.state().facts)
    }

    /// Returns the number of items that can be read.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn items(&self) -> io::Result<u64> {
        self.0.shared.state().checked()
    }

    /// Returns whether the whole trace has been read.
    pub fn is_settled(&self) -> bool {
        self.0.shared.state().is_over
    }

    /// Waits until `items` items can be read, or until there are no more. Returns the number that
    /// can be read.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn wait_for(&self, items: u64) -> io::Result<u64> {
        self.0.shared.wait_for(items)
    }

    /// Returns a message about the file for the user, as one sentence.
    pub fn notice(&self) -> Option<String> {
        self.0.shared.state().notice.clone()
    }

    /// Returns the bytes of the store until now.
    pub fn bytes(&self) -> u64 {
        self.0.shared.state().frames.end()
    }

    /// Returns all codes until now.
    pub fn codes(&self) -> Codes {
        self.0.shared.state().codes.clone()
    }

    /// Passes the contents of some blocks to a visitor, starting with the block of the first item:
    /// the visitor counts items from there.
    /// `goes_on` is called between blocks; false ends the visit.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn visit<V: BlockVisitor>(
        &self,
        items: Range<u64>,
        scratch: &mut StoreScratch,
        visitor: &mut V,
        goes_on: impl FnMut(&mut V, u64) -> bool,
    ) -> io::Result<()> {
        let blocks = items.start / ITEMS..items.end.div_ceil(ITEMS);
        let frames = blocks.start / BLOCKS..blocks.end.div_ceil(BLOCKS);
        let StoreScratch {
            frames: scratch,
            block,
        } = scratch;
        let mut visit = BlockVisit {
            blocks,
            buffer: block,
            visitor,
            goes_on,
        };
        if frames.end.saturating_sub(frames.start) == 1 {
            self.wait_for(items.end)?;
            let frame = self.frame(frames.start, scratch)?;
            return self
                .stated(visit.frame(frames.start, frame, &self.codes()))
                .map(|_| ());
        }
        for first in frames.clone().step_by(BATCH) {
            let batch = first..frames.end.min(first + BATCH as u64);
            self.wait_for((batch.end * BLOCKS * ITEMS).min(items.end))?;
            let (lengths, codes) = self.read(batch.clone(), &mut scratch.bytes)?;
            let mut rest = scratch.bytes.as_slice();
            for (number, length) in batch.zip(lengths) {
                let (bytes, after) = rest
                    .split_at_checked(length as usize)
                    .ok_or(ErrorKind::UnexpectedEof)?;
                rest = after;
                let frame = scratch
                    .reader
                    .open(bytes)
                    .map_err(|BlockDamage| self.damaged(number * BLOCKS))?;
                if self.stated(visit.frame(number, frame, &codes))?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn stated<T>(&self, result: Result<T, DamagedBlock>) -> io::Result<T> {
        result.map_err(|DamagedBlock(block)| self.damaged(block))
    }

    /// Returns one frame, from the cache if possible.
    fn frame<'a>(&self, number: u64, scratch: &'a mut FrameScratch) -> io::Result<Frame<'a>> {
        let FrameScratch {
            bytes,
            reader,
            recent,
        } = scratch;
        let key = FrameKey {
            store: self.0.number,
            frame: number,
        };
        if recent.find(key).is_none() {
            self.read(number..number + 1, bytes)?;
            let frame = reader
                .open(bytes)
                .map_err(|BlockDamage| self.damaged(number * BLOCKS))?;
            if !recent.hold(key, frame) {
                return Ok(frame);
            }
        }
        recent
            .find(key)
            .ok_or_else(|| self.damaged(number * BLOCKS))
    }

    /// Reads the bytes of some frames; returns their lengths and all codes.
    fn read(&self, frames: Range<u64>, bytes: &mut Vec<u8>) -> io::Result<(Vec<u32>, Codes)> {
        let (store, start, lengths, codes): (Arc<ByteStore>, _, Vec<u32>, _) = {
            let state = self.0.shared.state();
            let places: Vec<_> = frames
                .clone()
                .map_while(|frame| state.frames.place(frame))
                .collect();
            let start = places.first().map_or(0, |(start, _)| *start);
            let lengths = places.iter().map(|(_, length)| *length).collect();
            (
                Arc::clone(&state.store),
                start,
                lengths,
                state.codes.clone(),
            )
        };
        bytes.resize(lengths.iter().map(|length| *length as usize).sum(), 0);
        if store.read_at(start, bytes)? < bytes.len() {
            return Err(self.damaged(frames.start * BLOCKS));
        }
        Ok((lengths, codes))
    }

    /// Returns the head of a block.
    fn head(&self, number: u64, scratch: &mut StoreScratch) -> io::Result<BlockHead> {
        let StoreScratch { frames, block } = scratch;
        let frame = self.frame(number / BLOCKS, frames)?;
        let content = frame
            .blocks()
            .nth((number % BLOCKS) as usize)
            .ok_or_else(|| self.damaged(number))?;
        block::head(padded(number, content, block)).map_err(|BlockDamage| self.damaged(number))
    }

    /// Returns the error for a damaged block. Removes the file, so that the next opening of the
    /// trace makes it anew.
    fn damaged(&self, block: u64) -> io::Error {
        if let Some(path) = &self.0.shared.state().path {
            // If the removal fails, the next reader reports the error again, with the file to
            // remove.
            _ = std::fs::remove_file(path);
        }
        let step = (block * ITEMS).saturating_sub(1);
        io::Error::new(ErrorKind::InvalidData, DamagedCopy { step })
    }

    /// Returns the first item of the block that contains the visible record with this ordinal,
    /// counted from 1, and the number of records before that block. O(log n) reads.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn block_of_record(
        &self,
        record: u64,
        scratch: &mut StoreScratch,
    ) -> io::Result<(u64, u64)> {
        let (mut first, mut end) = (0, self.0.shared.state().blocks());
        let mut before = 0;
        while end - first > 1 {
            let middle = first.midpoint(end);
            let records_before = self.head(middle, scratch)?.records_before;
            if records_before < record {
                (first, before) = (middle, records_before);
            } else {
                end = middle;
            }
        }
        Ok((first * ITEMS, before))
    }

    /// Returns the number of visible records before the block of an item.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn records_before(&self, item: u64, scratch: &mut StoreScratch) -> io::Result<u64> {
        self.head(item / ITEMS, scratch)
            .map(|head| head.records_before)
    }

    /// Returns all codes until now; `None` if the table is full, so that some are stored inline
    /// among the records.
    pub fn known_codes(&self) -> Option<Codes> {
        Some(self.codes()).filter(|codes| codes.len() < LIMIT)
    }
}

/// Makes a store, or takes one that another program made meanwhile.
fn run(shared: &Arc<SharedStore>, options: &CacheFileOptions, fill: FillStore) {
    let _stated = FillEndGuard(shared);
    match options.begin(&StoreFile, || shared.is_stopped()) {
        CacheFileStart::Stopped => {}
        CacheFileStart::Found(path, store, contents) => shared.change(|state| {
            state.path = Some(path);
            (state.store, state.frames, state.codes) =
                (Arc::new(store), contents.frames, contents.codes);
            (state.facts, state.is_over) = (Arc::new(contents.facts), true);
        }),
        CacheFileStart::New(file) => {
            let (filler, partial) = Filler::new(shared, file);
            let (filler, filled) = fill(&shared.is_stopped, filler);
            match (filled, partial) {
                (Err(error), _) => {
                    shared.change(|state| state.fail(error.kind(), error.to_string()))
                }
                (Ok(()), Some(partial)) => filler.name(partial, options.identity),
                (Ok(()), None) => {}
            }
        }
    }
}

/// Reports the end of the filler to the readers, even after a panic: otherwise they would wait
/// forever.
struct FillEndGuard<'a>(&'a SharedStore);

impl Drop for FillEndGuard<'_> {
    fn drop(&mut self) {
        if !self.0.state().is_over {
            self.0.change(|state| {
                state.fail(ErrorKind::Other, "the trace is no longer read".to_owned())
            });
        }
    }
}

impl Drop for StoreOwner {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        let filler = self
            .filler
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(filler) = filler {
            // The readers got the error of a panic in that thread.
            _ = filler.join();
        }
    }
}

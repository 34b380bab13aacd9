//! Writes a store while the trace is read ([`Filler`]), and publishes each complete frame to the
//! readers ([`SharedStore`]), which wait for those that they need.

use std::io;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use crate::kept::places::{ByteStore, Identity, NewCacheFile, PartialFile};
use crate::step_store::block::ITEMS;
use crate::step_store::code::{Code, Codes};
use crate::step_store::encoder::BlockSink;
use crate::step_store::frame::FrameWriter;
use crate::step_store::layout;
use crate::step_store::layout::{FrameTable, HEADER_LEN, StepStoreContents, StoreFacts};
use crate::step_store::record::StoredThread;

/// Bytes of frames that are written at once.
const BUFFER: usize = 256 << 10;
/// Maximum number of frames kept back, however short: readers wait for them.
const FRAMES: usize = 128;

/// Frames in memory, one after the other.
#[derive(Debug, Default)]
pub struct FrameRun {
    /// Writer of the frame that is not complete.
    pub writer: FrameWriter,
    /// Bytes of the complete frames.
    pub bytes: Vec<u8>,
    /// Length of each complete frame in bytes.
    pub lengths: Vec<u32>,
}

impl FrameRun {
    /// Creates an empty run.
    pub fn new(writer: FrameWriter) -> Self {
        Self {
            writer,
            ..Self::default()
        }
    }

    /// Replaces the first frames by as many others.
    pub fn replace_first(&mut self, others: Self) {
        let count = others.lengths.len().min(self.lengths.len());
        let replaced = self.lengths.drain(..count);
        let len_bytes: usize = replaced.map(|length| length as usize).sum();
        self.lengths.splice(..0, others.lengths);
        self.bytes.splice(..len_bytes, others.bytes);
    }

    /// Ends the current frame.
    pub fn end_frame(&mut self) {
        self.lengths.extend(self.writer.end(&mut self.bytes));
    }
}

impl BlockSink for FrameRun {
    fn block(&mut self, bytes: &[u8], _: u64, _: &[Code], _: &[StoredThread]) {
        if self.writer.push(bytes) {
            self.end_frame();
        }
    }
}

/// Writes blocks to the store and publishes them to its readers.
#[derive(Debug)]
pub struct Filler {
    shared: Arc<SharedStore>,
    store: Arc<ByteStore>,
    frames: FrameRun,
    end: u64,
    failure: Option<io::Error>,
}

impl Filler {
    /// Begins with an empty store.
    pub(super) fn new(
        shared: &Arc<SharedStore>,
        file: NewCacheFile,
    ) -> (Self, Option<PartialFile>) {
        let NewCacheFile {
            store,
            partial,
            notice,
        } = file;
        let store = Arc::new(store);
        shared.change(|state| {
            state.store = Arc::clone(&store);
            state.frames = FrameTable::new(HEADER_LEN as u64);
            state.notice = notice;
        });
        let filler = Self {
            shared: Arc::clone(shared),
            store,
            frames: FrameRun::new(FrameWriter::new()),
            end: HEADER_LEN as u64,
            failure: None,
        };
        (filler, partial)
    }

    /// Adds and publishes complete frames; `items` counts the items up to their end. Must not be
    /// mixed with single blocks.
    pub fn append(
        &mut self,
        frames: FrameRun,
        items: u64,
        codes: &[Code],
        threads: &[StoredThread],
    ) {
        (self.frames.bytes, self.frames.lengths) = (frames.bytes, frames.lengths);
        self.publish(items, codes, threads);
    }

    fn publish(&mut self, items: u64, codes: &[Code], threads: &[StoredThread]) {
        if self.failure.is_some() {
            return;
        }
        if let Err(error) = self.store.write_at(self.end, &self.frames.bytes) {
            let advice = "free some space, or name another place with --index";
            let why = format!(
                "the copy of the trace's records ends after step {items} ({error}): {advice}"
            );
            self.failure = Some(io::Error::new(error.kind(), why));
            self.shared.is_stopped.store(true, Ordering::Relaxed);
            return;
        }
        self.end += self.frames.bytes.len() as u64;
        self.frames.bytes.clear();
        let lengths = std::mem::take(&mut self.frames.lengths);
        self.shared.change(|state| {
            lengths.iter().for_each(|length| state.frames.push(*length));
            state.codes.extend(codes);
            let facts = Arc::make_mut(&mut state.facts);
            facts.items = items;
            if facts.threads != threads {
                facts.threads = threads.to_vec();
            }
        });
    }

    /// Checks that everything was written until now.
    ///
    /// # Errors
    /// A write failed.
    pub fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Publishes the remaining blocks; the store is then complete.
    ///
    /// # Errors
    /// The store could not be written.
    pub fn finish(&mut self, facts: StoreFacts, codes: &[Code]) -> io::Result<()> {
        self.frames.end_frame();
        self.publish(facts.items, codes, &facts.threads);
        self.check()?;
        self.shared
            .change(|state| (state.facts, state.is_over) = (Arc::new(facts), true));
        Ok(())
    }

    /// Gives the store its final name, so that the next opening finds it.
    pub(super) fn name(&self, partial: PartialFile, identity: Identity) {
        let contents = {
            let state = self.shared.state();
            StepStoreContents {
                facts: StoreFacts::clone(&state.facts),
                frames: state.frames.clone(),
                codes: state.codes.clone(),
            }
        };
        let path = partial.place().to_owned();
        let finished = layout::finish(&self.store, identity, &contents);
        let named = finished.and_then(|()| partial.name());
        if named.is_ok() {
            self.shared.change(|state| state.path = Some(path));
        } else if let Err(error) = named {
            let why = "the copy of the trace's records could not be finished and will be made again next time";
            self.shared
                .change(|state| state.notice = Some(format!("{why} ({error}): {path:?}")));
        }
    }
}

impl BlockSink for Filler {
    fn block(&mut self, bytes: &[u8], items: u64, codes: &[Code], threads: &[StoredThread]) {
        self.frames.block(bytes, items, codes, threads);
        let FrameRun { bytes, lengths, .. } = &self.frames;
        let is_due = bytes.len() >= BUFFER || lengths.len() >= FRAMES;
        // A block that does not complete a frame is not readable yet.
        if is_due && self.frames.writer.is_empty() {
            self.publish(items, codes, threads);
        }
    }
}

/// Maximum time between two checks by a waiting reader, even without a notification.
const WAIT: Duration = Duration::from_millis(20);

/// Store, shared by its readers and its filler.
#[derive(Debug)]
pub struct SharedStore {
    state: RwLock<SharedStoreState>,
    grown: (Mutex<()>, Condvar),
    /// Requests the filler, and everything that works for it, to stop.
    pub is_stopped: Arc<AtomicBool>,
}

/// Published state of the store.
#[derive(Debug)]
pub struct SharedStoreState {
    /// Bytes of the frames.
    pub store: Arc<ByteStore>,
    pub frames: FrameTable,
    pub codes: Codes,
    /// Facts, counting only the items of complete frames until `is_over`.
    pub facts: Arc<StoreFacts>,
    /// True when nothing more will be added.
    pub is_over: bool,
    /// Reason why the store could not be made.
    pub failure: Option<(ErrorKind, String)>,
    /// Message to show to the user.
    pub notice: Option<String>,
    /// File of a finished store, which may be removed if it turns out to be damaged.
    pub path: Option<PathBuf>,
}

impl SharedStore {
    pub fn new() -> Self {
        let state = SharedStoreState {
            store: Arc::new(ByteStore::memory()),
            frames: FrameTable::new(HEADER_LEN as u64),
            codes: Codes::default(),
            facts: Arc::default(),
            is_over: false,
            failure: None,
            notice: None,
            path: None,
        };
        Self {
            state: RwLock::new(state),
            grown: Default::default(),
            is_stopped: Arc::default(),
        }
    }

    /// Creates the state of a finished store.
    pub fn of(store: ByteStore, contents: StepStoreContents) -> Self {
        let shared = Self::new();
        let StepStoreContents {
            facts,
            frames,
            codes,
        } = contents;
        shared.change(|state| {
            *state = SharedStoreState {
                store: Arc::new(store),
                frames,
                codes,
                facts: Arc::new(facts),
                is_over: true,
                failure: None,
                notice: None,
                path: None,
            };
        });
        shared
    }

    pub fn state(&self) -> RwLockReadGuard<'_, SharedStoreState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn change(&self, change: impl FnOnce(&mut SharedStoreState)) {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
        self.grown.1.notify_all();
    }

    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Waits until `items` items can be read, or until there are no more. Returns the number that
    /// can be read.
    pub fn wait_for(&self, items: u64) -> io::Result<u64> {
        loop {
            {
                let state = self.state();
                if state.is_over || state.facts.items >= items {
                    return state.checked();
                }
            }
            let waiting = self.grown.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Checks again after a notification and after a timeout.
            _ = self.grown.1.wait_timeout(waiting, WAIT);
        }
    }
}

impl SharedStoreState {
    /// Records that the store cannot be made.
    pub fn fail(&mut self, kind: ErrorKind, why: String) {
        self.failure = Some((kind, why));
        self.is_over = true;
    }

    /// Returns the number of items that can be read, or the failure that stopped the filler.
    pub fn checked(&self) -> io::Result<u64> {
        match &self.failure {
            Some((kind, why)) => Err(io::Error::new(*kind, why.clone())),
            None => Ok(self.facts.items),
        }
    }

    /// Returns the number of blocks that can be read.
    pub fn blocks(&self) -> u64 {
        self.facts.items.div_ceil(ITEMS)
    }
}

//! Writes a store while the trace is read.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::kept::partial::PartialFile;
use crate::kept::places::{Identity, NewCacheFile};
use crate::kept::store::ByteStore;
use crate::step_store::code::Code;
use crate::step_store::encoder::BlockSink;
use crate::step_store::frame::FrameWriter;
use crate::step_store::frames::FrameTable;
use crate::step_store::layout;
use crate::step_store::layout::{HEADER_LEN, StepStoreContents, StoreFacts};
use crate::step_store::record::StoredThread;
use crate::step_store::shared::SharedStore;

/// Bytes of frames that are written at once.
const BUFFER: usize = 256 << 10;
/// Maximum number of frames kept back, however short: readers wait for them.
const FRAMES: usize = 128;

/// Writes blocks to the store and publishes them to its readers.
#[derive(Debug)]
pub struct Filler {
    shared: Arc<SharedStore>,
    store: Arc<ByteStore>,
    frame: FrameWriter,
    bytes: Vec<u8>,
    lengths: Vec<u32>,
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
            frame: FrameWriter::new(),
            bytes: Vec::with_capacity(2 * BUFFER),
            lengths: Vec::new(),
            end: HEADER_LEN as u64,
            failure: None,
        };
        (filler, partial)
    }

    fn publish(&mut self, items: u64, codes: &[Code], threads: &[StoredThread]) {
        if self.failure.is_some() {
            return;
        }
        if let Err(error) = self.store.write_at(self.end, &self.bytes) {
            let advice = "free some space, or name another place with --index";
            let why = format!(
                "the copy of the trace's records ends behind step {items} ({error}): {advice}"
            );
            self.failure = Some(io::Error::new(error.kind(), why));
            self.shared.is_stopped.store(true, Ordering::Relaxed);
            return;
        }
        self.end += self.bytes.len() as u64;
        self.bytes.clear();
        let lengths = std::mem::take(&mut self.lengths);
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
    pub(super) fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Publishes the remaining blocks; the store is then complete.
    ///
    /// # Errors
    /// The store could not be written.
    pub(super) fn finish(&mut self, facts: StoreFacts, codes: &[Code]) -> io::Result<()> {
        self.lengths.extend(self.frame.end(&mut self.bytes));
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
        if !self.frame.push(bytes) {
            return;
        }
        self.lengths.extend(self.frame.end(&mut self.bytes));
        if self.bytes.len() >= BUFFER || self.lengths.len() >= FRAMES {
            self.publish(items, codes, threads);
        }
    }
}

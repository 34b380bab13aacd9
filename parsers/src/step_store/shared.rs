//! State shared by the readers of a store and its filler.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use crate::kept::store::ByteStore;
use crate::step_store::block::ITEMS;
use crate::step_store::codes::Codes;
use crate::step_store::frames::FrameTable;
use crate::step_store::layout::{HEADER_LEN, StepStoreContents, StoreFacts};

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

//! A stored trace as a [`Source`](crate::source::Source) needs it.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::events::EventSink;
use crate::step_store::event_run::{EventEmitter, StoredFormat};
use crate::step_store::items::{ITEM_BYTES, items_of};
use crate::step_store::store::{StepStore, StoreScratch};

/// How many items are between two looks at the progress.
const PROGRESS: u64 = 1 << 16;

/// A store and how much of it was taken in: offsets are those of `items.rs`.
#[derive(Debug)]
pub struct StoredTrace {
    store: StepStore,
    items: AtomicU64,
}

impl StoredTrace {
    /// What the store holds by now.
    pub fn new(store: StepStore) -> Self {
        let items = AtomicU64::new(store.items().unwrap_or(0));
        Self { store, items }
    }

    /// The steps.
    pub fn store(&self) -> &StepStore {
        &self.store
    }

    /// Bytes of the virtual text that were taken in.
    pub fn length(&self) -> u64 {
        self.items.load(Ordering::Relaxed) * ITEM_BYTES
    }

    /// True when nothing more comes.
    pub fn is_settled(&self) -> bool {
        if !self.store.is_settled() {
            return false;
        }
        // Once it says that nothing more comes, the length must be the whole.
        _ = self.grow();
        true
    }

    /// Takes in what was added, and returns the length.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn grow(&self) -> io::Result<u64> {
        self.items.fetch_max(self.store.items()?, Ordering::Relaxed);
        Ok(self.length())
    }

    /// Bytes of the virtual text that can be read.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn length_now(&self) -> io::Result<u64> {
        Ok(self.store.items()? * ITEM_BYTES)
    }

    /// The first start of an item from `target` on and before `limit`; none when there is none.
    pub fn cut(&self, target: u64, limit: u64) -> Option<u64> {
        let cut = target.next_multiple_of(ITEM_BYTES);
        Some(cut).filter(|cut| *cut < limit.min(self.length()))
    }

    /// Pushes the events of a range into a sink; gives where it ended.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn parse<F: StoredFormat, S: EventSink + ?Sized>(
        &self,
        range: &Range<u64>,
        format: &F,
        scratch: &mut StoreScratch,
        sink: &mut S,
    ) -> io::Result<u64> {
        let items = items_of(range);
        let end = items.end.min(self.store.wait_for(items.end)?);
        let items = items.start.min(end)..end;
        let facts = self.store.facts();
        let mut run = EventEmitter::new(items.clone(), &facts.threads, format, sink);
        if !items.is_empty() {
            let goes_on = |run: &mut EventEmitter<'_, F, S>, item: u64| {
                if item.is_multiple_of(PROGRESS) {
                    run.tell_progress(item);
                }
                run.goes_on
            };
            self.store.visit(items, scratch, &mut run, goes_on)?;
        }
        Ok(end * ITEM_BYTES)
    }
}

//! Implements the parts of a [`Source`](crate::source::Source) that all stored traces share.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::SourceError;
use crate::events::{EventSink, Position};
use crate::source::{KnownInstruction, ParseScratch, ParsedRange};
use crate::step_store::code::Code;
use crate::step_store::event_run::{EventEmitter, StoredFormat};
use crate::step_store::items::{ITEM_BYTES, items_of};
use crate::step_store::store::{StepStore, StoreScratch};

/// Number of items between two progress reports.
const PROGRESS: u64 = 1 << 16;

/// Store, and the part of it that was published as the length; offsets are those of `items.rs`.
#[derive(Debug)]
pub struct StoredTrace {
    store: StepStore,
    items: AtomicU64,
}

impl StoredTrace {
    /// Starts with the present contents of the store.
    pub fn new(store: StepStore) -> Self {
        let items = AtomicU64::new(store.items().unwrap_or(0));
        Self { store, items }
    }

    /// Returns the steps.
    pub fn store(&self) -> &StepStore {
        &self.store
    }

    /// Returns the published length of the virtual text, in bytes.
    pub fn length(&self) -> u64 {
        self.items.load(Ordering::Relaxed) * ITEM_BYTES
    }

    /// Returns true when nothing more will be added.
    pub fn is_settled(&self) -> bool {
        if !self.store.is_settled() {
            return false;
        }
        // The length must be final once this returns true.
        _ = self.grow();
        true
    }

    /// Publishes the items added since, and returns the length.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn grow(&self) -> io::Result<u64> {
        self.items.fetch_max(self.store.items()?, Ordering::Relaxed);
        Ok(self.length())
    }

    /// Returns the number of bytes of the virtual text that can be read.
    ///
    /// # Errors
    /// The store could not be made.
    pub fn length_now(&self) -> io::Result<u64> {
        Ok(self.store.items()? * ITEM_BYTES)
    }

    /// Returns the first start of an item at or after `target` and before `limit`, if there is one.
    pub fn cut(&self, target: u64, limit: u64) -> Option<u64> {
        let cut = target.next_multiple_of(ITEM_BYTES);
        Some(cut).filter(|cut| *cut < limit.min(self.length()))
    }

    /// Pushes the events of a range into a sink; returns the end of the range that was parsed.
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

    /// Implements [`Source::parse`](crate::source::Source::parse), monomorphised for one format and
    /// one sink.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn parse_into<F: StoredFormat, S: EventSink + ?Sized>(
        &self,
        range: Range<u64>,
        format: &F,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        let end = self.parse(&range, format, scratch.of(), sink);
        let end = end.map_err(|error| SourceError::Read {
            offset: range.start,
            error,
        })?;
        Ok(ParsedRange { lines: 0, end })
    }

    /// Returns the position of the record with this number, counted from 1, in a format that
    /// numbers all its records.
    ///
    /// # Errors
    /// The store could not be read, or is damaged.
    pub fn position_of_record(&self, number: u64) -> Result<Option<Position>, SourceError> {
        let item = self
            .store
            .item_of_record(number, &mut StoreScratch::default());
        let item = item.map_err(|error| SourceError::Read { offset: 0, error })?;
        Ok(item.map(Position))
    }

    /// Returns the instructions of all steps; `None` if there are too many.
    pub fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        let codes = self.store.known_codes()?;
        Some(codes.iter().map(Code::instruction).collect())
    }
}

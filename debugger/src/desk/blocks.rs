//! Cache of a long list's rows: fetched in blocks around the view, evicted least recently used
//! first.

use std::collections::HashMap;
use std::ops::Range;

use stepback_index::Cancel;

use crate::messages::error_words;
use crate::worker::{JobLane, Ticket, Worker};

/// Maximum number of cached blocks. A folded list may show one row of each of a hundred blocks.
const KEPT: usize = 256;

/// A cached block of rows.
struct Block<T> {
    items: Result<Vec<T>, String>,
    /// Number of the frame in which it was last in view.
    used: u64,
    /// Epoch of the worker when the block was requested.
    epoch: u64,
}

/// Blocks of equal length, keyed by block number.
pub struct Blocks<T> {
    length: u64,
    known: HashMap<u64, Block<T>>,
    pending: HashMap<u64, (u64, Ticket<Vec<T>>)>,
    frame: u64,
}

/// One row of a list.
#[derive(Debug)]
pub enum BlockItem<'a, T> {
    /// The row is loaded.
    Known(&'a T),
    /// The row is being loaded.
    Loading,
    /// The block could not be read; the reason.
    Failed(&'a str),
}

impl<T: Send + 'static> Blocks<T> {
    /// Creates an empty cache with this number of rows per block (at least 1).
    pub fn new(length: u64) -> Self {
        Self {
            length: length.max(1),
            known: HashMap::new(),
            pending: HashMap::new(),
            frame: 0,
        }
    }

    /// Takes arrived blocks, requests missing blocks in view and cancels requests that left the
    /// view.
    ///
    /// `make` creates the job that reads the rows of a range. Blocks are requested in the order of
    /// `rows`.
    pub fn fetch<J>(
        &mut self,
        rows: impl Iterator<Item = u64>,
        worker: &Worker,
        make: impl Fn(Range<u64>) -> J,
    ) where
        J: FnOnce(&Cancel) -> anyhow::Result<Vec<T>> + Send + 'static,
    {
        self.frame += 1;
        // Keep everything that arrived, even if it has left the view: it may be shown meanwhile.
        self.receive();
        let mut wanted: Vec<u64> = rows.map(|row| row / self.length).collect();
        wanted.dedup();
        self.pending.retain(|number, _| wanted.contains(number));
        let epoch = worker.epoch();
        for number in wanted {
            let known = self.known.get_mut(&number);
            let is_fresh = known.is_some_and(|block| {
                block.used = self.frame;
                block.epoch == epoch
            });
            if !is_fresh && !self.pending.contains_key(&number) {
                let first = number * self.length;
                let ticket = worker.spawn(
                    JobLane::Short,
                    make(first..first.saturating_add(self.length)),
                );
                self.pending.insert(number, (epoch, ticket));
            }
        }
        self.receive();
        self.evict();
    }

    /// Returns true if the block of a row is loaded, even with an error.
    pub fn is_here(&self, row: u64) -> bool {
        self.known.contains_key(&(row / self.length))
    }

    /// Returns a row, or the state of its block.
    pub fn get(&self, row: u64) -> BlockItem<'_, T> {
        let Some(block) = self.known.get(&(row / self.length)) else {
            return BlockItem::Loading;
        };
        match &block.items {
            Ok(items) => {
                let place = usize::try_from(row % self.length).ok();
                place
                    .and_then(|place| items.get(place))
                    .map_or(BlockItem::Loading, BlockItem::Known)
            }
            Err(error) => BlockItem::Failed(error),
        }
    }

    /// Returns a row if it is loaded.
    pub fn known(&self, row: u64) -> Option<&T> {
        if let BlockItem::Known(item) = self.get(row) {
            Some(item)
        } else {
            None
        }
    }

    fn receive(&mut self) {
        let (known, frame) = (&mut self.known, self.frame);
        self.pending
            .retain(|number, (epoch, ticket)| match ticket.take() {
                None => true,
                Some(result) => {
                    let items = result.map_err(|error| error_words(&error));
                    known.insert(
                        *number,
                        Block {
                            items,
                            used: frame,
                            epoch: *epoch,
                        },
                    );
                    false
                }
            });
    }

    fn evict(&mut self) {
        while self.known.len() > KEPT {
            let oldest = self
                .known
                .iter()
                .min_by_key(|(_, block)| block.used)
                .map(|(number, block)| (*number, block.used));
            match oldest {
                Some((number, used)) if used < self.frame => self.known.remove(&number),
                // All blocks are in view: a very tall window.
                _ => break,
            };
        }
    }
}

impl<T> std::fmt::Debug for Blocks<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks")
            .field("known", &self.known.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(range: Range<u64>) -> impl FnOnce(&Cancel) -> anyhow::Result<Vec<u64>> {
        move |_| Ok(range.map(|number| number * number).collect())
    }

    #[test]
    fn rows_in_view_are_there_after_one_frame() {
        let mut blocks = Blocks::new(64);
        blocks.fetch(60..70, &Worker::synchronous(), squares);
        assert_eq!(
            (blocks.known(63), blocks.known(64), blocks.known(128)),
            (Some(&3969), Some(&4096), None)
        );
    }

    #[test]
    fn in_a_new_epoch_rows_are_read_again() {
        let mut blocks = Blocks::new(8);
        let worker = Worker::synchronous();
        let reads = |rows: u64| move |range: Range<u64>| squares(range.start..range.end.min(rows));
        blocks.fetch(0..8, &worker, reads(5));
        assert_eq!((blocks.known(4), blocks.known(5)), (Some(&16), None));
        blocks.fetch(0..8, &worker, reads(8));
        assert_eq!(blocks.known(5), None);
        worker.renew();
        blocks.fetch(0..8, &worker, reads(8));
        assert_eq!(blocks.known(5), Some(&25));
    }

    #[test]
    fn old_blocks_make_room() {
        let mut blocks = Blocks::new(1);
        let worker = Worker::synchronous();
        for row in 0..300 {
            blocks.fetch(std::iter::once(row), &worker, squares);
        }
        assert_eq!(blocks.known.len(), KEPT);
        assert!(blocks.known(299).is_some() && blocks.known(0).is_none());
    }

    #[test]
    fn a_failure_is_said_once_asked() {
        let mut blocks = Blocks::<u64>::new(8);
        blocks.fetch(0..1, &Worker::synchronous(), |_| {
            |_: &Cancel| anyhow::bail!("no disk")
        });
        assert!(matches!(blocks.get(3), BlockItem::Failed("no disk")));
    }
}

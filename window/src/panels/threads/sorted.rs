//! The rows in the order that was asked for, with all that is worked out from all of them.

use std::sync::Arc;

use super::rows::Widths;
use stepback_debugger::model::threads::{Sorting, ThreadRow, Threads, sort_threads};

/// Rows that stay as they are until the threads or the sorting change: no frame goes through all of them.
#[derive(Debug)]
pub struct SortedThreads {
    threads: Arc<Threads>,
    sorting: Sorting,
    /// In order.
    pub rows: Vec<ThreadRow>,
    /// How wide the columns are.
    pub widths: Widths,
    /// Steps of the thread that has most.
    pub busiest: u64,
    /// Threads that are no stand-ins for idle cores.
    pub count: u64,
}

impl SortedThreads {
    /// Sorts the rows of some threads.
    pub fn new(threads: &Arc<Threads>, sorting: Sorting) -> Self {
        let mut rows = threads.rows.clone();
        sort_threads(&mut rows, sorting);
        Self {
            threads: Arc::clone(threads),
            sorting,
            widths: Widths::of(&rows),
            busiest: rows.iter().map(|row| row.steps).max().unwrap_or(0),
            count: rows.iter().filter(|row| !row.is_idle).count() as u64,
            rows,
        }
    }

    /// Whether these are those threads, sorted so.
    pub fn is_of(&self, threads: &Arc<Threads>, sorting: Sorting) -> bool {
        Arc::ptr_eq(&self.threads, threads) && self.sorting == sorting
    }
}

//! Iterators over rows that a thread reads in blocks ([`Rows`]).

use std::collections::VecDeque;
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Result;
use pyo3::{PyRef, PyResult, Python, pyclass, pymethods};
use stepback_debugger::session::Session;
use stepback_index::{Cancel, QueryError};

use crate::error::query_error;
use crate::rows::Row;
use crate::worker::{TICK, stopped};

/// Maximum number of rows of a block. Blocks grow, so that the first row appears soon.
const BLOCK_ROWS: usize = 1024;

/// A message of the reading thread; none at the end.
type Block = Result<Option<Vec<Row>>>;

/// Rows of an answer, read while they are used.
#[pyclass(frozen, module = "stepback")]
pub struct Rows {
    session: Arc<Session>,
    queue: Mutex<RowQueue>,
    cancel: Cancel,
}

struct RowQueue {
    blocks: Receiver<Block>,
    pending: VecDeque<Row>,
    is_finished: bool,
}

impl Rows {
    /// Starts a thread that reads rows.
    pub fn read(
        session: &Arc<Session>,
        work: impl FnOnce(&Session, &mut RowSender) -> Result<()> + Send + 'static,
    ) -> Self {
        let (channel, blocks) = sync_channel(1);
        let cancel = Cancel::default();
        let mut sender = RowSender {
            channel,
            block: Vec::new(),
            block_rows: 1,
            cancel: cancel.clone(),
        };
        let shared = Arc::clone(session);
        thread::spawn(move || {
            let done = work(&shared, &mut sender).and_then(|()| sender.flush());
            // If nobody waits any more, the end is dropped.
            drop(sender.channel.send(done.map(|()| None)));
        });
        Self {
            session: Arc::clone(session),
            queue: Mutex::new(RowQueue {
                blocks,
                pending: VecDeque::new(),
                is_finished: false,
            }),
            cancel,
        }
    }

    /// Returns the next row, or none at the end. The outer `None` means that nothing arrived within
    /// a [`TICK`].
    fn next_row(&self) -> Option<Result<Option<Row>>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(row) = queue.pending.pop_front() {
                return Some(Ok(Some(row)));
            }
            if queue.is_finished {
                return Some(Ok(None));
            }
            let error = match queue.blocks.recv_timeout(TICK) {
                Ok(Ok(Some(block))) => {
                    queue.pending = block.into();
                    continue;
                }
                Ok(Ok(None)) => {
                    queue.is_finished = true;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => return None,
                Ok(Err(error)) => error,
                Err(RecvTimeoutError::Disconnected) => stopped(),
            };
            queue.is_finished = true;
            return Some(Err(error));
        }
    }
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Row>> {
        let known = self.queue.try_lock().ok();
        if let Some(row) = known.and_then(|mut queue| queue.pending.pop_front()) {
            return Ok(Some(row));
        }
        loop {
            // The lock is taken without the interpreter: another thread may wait for a row.
            match py.detach(|| self.next_row()) {
                Some(row) => return row.map_err(|error| query_error(&self.session, &error)),
                None => py.check_signals().inspect_err(|_| self.cancel.cancel())?,
            }
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Receiver of the rows of a thread.
pub struct RowSender {
    channel: SyncSender<Block>,
    block: Vec<Row>,
    block_rows: usize,
    cancel: Cancel,
}

impl RowSender {
    /// Returns the flag that stops the thread.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Adds a row. Waits while enough rows are unread.
    ///
    /// # Errors
    /// Nobody reads them any more.
    pub fn push(&mut self, row: Row) -> Result<()> {
        self.block.push(row);
        match self.block.len() < self.block_rows {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.block_rows = (2 * self.block_rows).min(BLOCK_ROWS);
        let block = mem::take(&mut self.block);
        self.channel
            .send(Ok(Some(block)))
            .map_err(|_| QueryError::Cancelled.into())
    }
}

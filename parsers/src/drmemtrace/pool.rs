//! Worker threads that unpack the files of a trace ahead of the decoder.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, available_parallelism};

use crate::drmemtrace::block::RecordBlock;
use crate::drmemtrace::container::unpacker::ContainerUnpacker;
use crate::read_at::TraceFile;

/// Unpacks any number of files, a bounded number of blocks of each ahead.
///
/// Buffers are recycled: a job brings one to a worker, the worker sends it on full, and the decoder
/// returns it with the next job.
pub(super) struct UnpackerPool {
    /// Inputs, each with a buffer for its next block.
    jobs: Option<Sender<(usize, Vec<u8>)>>,
    blocks: Vec<Receiver<io::Result<RecordBlock>>>,
    workers: Vec<JoinHandle<()>>,
    shared: Arc<PoolState>,
}

struct PoolState {
    inputs: Vec<Mutex<PoolInput>>,
    is_stopped: AtomicBool,
    block_bytes: usize,
}

struct PoolInput {
    file: TraceFile,
    /// Unpacker of the file; `None` before the first block.
    unpacker: Option<ContainerUnpacker>,
    blocks: Sender<io::Result<RecordBlock>>,
}

/// Maximum bytes of all buffers together.
const MEMORY: usize = 64 << 20;
/// Multiple of both record widths, so that no record straddles two blocks.
const BLOCK_UNIT: usize = 24 << 10;
/// Number of blocks ahead if the trace has only one file.
const AHEAD: usize = 8;

impl UnpackerPool {
    /// Starts the workers.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn new(files: Vec<TraceFile>) -> io::Result<Self> {
        let count = files.len().max(1);
        let ahead = (AHEAD / count).max(2);
        let block_bytes = (MEMORY / (ahead * count) / BLOCK_UNIT).clamp(1, 11) * BLOCK_UNIT;
        let (inputs, blocks) = files.into_iter().map(input).unzip();
        let shared = Arc::new(PoolState {
            inputs,
            is_stopped: AtomicBool::new(false),
            block_bytes,
        });
        let (jobs, work) = channel();
        let work = Arc::new(Mutex::new(work));
        let mut pool = Self {
            jobs: Some(jobs),
            blocks,
            workers: Vec::new(),
            shared,
        };
        for _ in 0..available_parallelism().map_or(1, usize::from).min(count) {
            let (shared, work) = (Arc::clone(&pool.shared), Arc::clone(&work));
            let worker = std::thread::Builder::new()
                .name("unpack".to_owned())
                .spawn(move || shared.work(&work))?;
            pool.workers.push(worker);
        }
        for _ in 0..ahead {
            (0..count).for_each(|input| pool.send(input, Vec::new()));
        }
        Ok(pool)
    }

    /// Returns the next block of an input, in exchange for the buffer of a used one. Must not be
    /// called after the last block.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_block(&self, input: usize, used: Option<RecordBlock>) -> io::Result<RecordBlock> {
        if let Some(used) = used {
            self.send(input, used.bytes);
        }
        let block = self.blocks.get(input).and_then(|blocks| blocks.recv().ok());
        block.unwrap_or_else(|| {
            Err(io::Error::other(
                "the thread that unpacks the trace has ended",
            ))
        })
    }

    fn send(&self, input: usize, buffer: Vec<u8>) {
        // If the workers are gone, the send fails, and the next block reports it.
        _ = self.jobs.as_ref().map(|jobs| jobs.send((input, buffer)));
    }
}

impl Drop for UnpackerPool {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        self.jobs = None;
        for worker in self.workers.drain(..) {
            _ = worker.join();
        }
    }
}

impl PoolState {
    /// Handles jobs until there are no more.
    fn work(&self, jobs: &Mutex<Receiver<(usize, Vec<u8>)>>) {
        loop {
            let next = lock(jobs).recv();
            let (Ok((input, buffer)), false) = (next, self.is_stopped.load(Ordering::Relaxed))
            else {
                return;
            };
            if let Some(input) = self.inputs.get(input) {
                lock(input).fill(buffer, self.block_bytes);
            }
        }
    }
}

impl PoolInput {
    fn fill(&mut self, buffer: Vec<u8>, limit: usize) {
        // A library that panics must not leave the reader waiting.
        let block = catch_unwind(AssertUnwindSafe(|| self.next_block(buffer, limit)));
        let block =
            block.unwrap_or_else(|_| Err(io::Error::other("what unpacks the trace has failed")));
        // The send fails when the reader has stopped.
        _ = self.blocks.send(block);
    }

    fn next_block(&mut self, buffer: Vec<u8>, limit: usize) -> io::Result<RecordBlock> {
        match &mut self.unpacker {
            Some(unpacker) => unpacker.next_block(buffer, limit),
            none => none
                .insert(ContainerUnpacker::open(Arc::clone(&self.file.data))?)
                .next_block(buffer, limit),
        }
    }
}

/// Creates an input and the receiver of its blocks.
fn input(file: TraceFile) -> (Mutex<PoolInput>, Receiver<io::Result<RecordBlock>>) {
    let (blocks, receiver) = channel();
    (
        Mutex::new(PoolInput {
            file,
            unpacker: None,
            blocks,
        }),
        receiver,
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

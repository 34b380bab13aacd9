//! Compresses in parallel the text that is decompressed sequentially.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::packed::codec::BLOCK;
use crate::packed::fill::{CopyBuilder, PackedBlocks};
use crate::packed::unpacker::TextUnpacker;

/// Bytes of text in a unit of work.
const CHUNK: usize = 32 * BLOCK;
/// Maximum number of helper threads. Compression takes about three times as long as decompression,
/// so more threads would be idle.
const HELPERS: usize = 4;

/// A part of the text on its way into the copy.
struct TextChunk {
    number: u64,
    text: Vec<u8>,
    packed: PackedBlocks,
}

/// Reorder buffer: packed chunks wait here for the chunks before them.
#[derive(Default)]
struct ChunkReorderBuffer {
    next: u64,
    waiting: BTreeMap<u64, TextChunk>,
    /// Set when no more chunks are accepted: the error, or `Ok` if the copy is no longer wanted.
    end: Option<io::Result<()>>,
}

/// Decompresses the rest of the text into the copy. Returns false if it was stopped.
///
/// The number of chunks is fixed, which bounds the memory.
pub(super) fn run(fill: &CopyBuilder<'_>, unpacker: &mut TextUnpacker) -> io::Result<bool> {
    let helpers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(HELPERS);
    let ordered = Mutex::new(ChunkReorderBuffer::default());
    let (idle_sender, idle) = channel();
    let (work_sender, work) = channel();
    let work = Mutex::new(work);
    for _ in 0..2 * helpers + 2 {
        _ = idle_sender.send(TextChunk {
            number: 0,
            text: Vec::with_capacity(CHUNK),
            packed: PackedBlocks::default(),
        });
    }
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            let (idle_sender, ordered, work) = (idle_sender.clone(), &ordered, &work);
            let help = move || {
                if let Err(error) = help(fill, work, ordered, &idle_sender) {
                    lock(ordered).give_up(error, &idle_sender);
                }
            };
            std::thread::Builder::new()
                .name("pack".to_owned())
                .spawn_scoped(scope, help)?;
        }
        // The channel of idle chunks closes once all helpers have ended, and with it the loop ends.
        drop(idle_sender);
        feed(fill, unpacker, &ordered, &idle, work_sender)
    })?;
    match lock(&ordered).end.take() {
        None => Ok(true),
        Some(end) => end.map(|()| false),
    }
}

/// Decompresses chunks until there are no idle ones.
fn feed(
    fill: &CopyBuilder<'_>,
    unpacker: &mut TextUnpacker,
    ordered: &Mutex<ChunkReorderBuffer>,
    idle: &Receiver<TextChunk>,
    work: Sender<TextChunk>,
) -> io::Result<()> {
    let mut number = 0;
    while let Ok(mut chunk) = idle.recv() {
        if lock(ordered).end.is_some() {
            break;
        }
        fill.read(unpacker, CHUNK, &mut chunk.text)?;
        if chunk.text.is_empty() {
            break;
        }
        chunk.number = number;
        number += 1;
        if work.send(chunk).is_err() {
            break;
        }
    }
    Ok(())
}

/// Compresses chunks until there are no more.
fn help(
    fill: &CopyBuilder<'_>,
    work: &Mutex<Receiver<TextChunk>>,
    ordered: &Mutex<ChunkReorderBuffer>,
    idle: &Sender<TextChunk>,
) -> io::Result<()> {
    let mut packer = fill.copy.codec.packer()?;
    loop {
        let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut chunk) = next else { return Ok(()) };
        chunk.packed.pack(&chunk.text, &mut packer)?;
        lock(ordered).take(chunk, fill, idle);
    }
}

impl ChunkReorderBuffer {
    /// Stops because a chunk is lost. The chunks that wait for it would otherwise never be
    /// published or returned.
    fn give_up(&mut self, error: io::Error, idle: &Sender<TextChunk>) {
        self.end.get_or_insert(Err(error));
        for chunk in std::mem::take(&mut self.waiting).into_values() {
            _ = idle.send(chunk);
        }
    }

    fn take(&mut self, chunk: TextChunk, fill: &CopyBuilder<'_>, idle: &Sender<TextChunk>) {
        if matches!(self.end, Some(Err(_))) {
            _ = idle.send(chunk);
            return;
        }
        self.waiting.insert(chunk.number, chunk);
        while let Some(chunk) = self.waiting.remove(&self.next) {
            if self.end.is_none() {
                match fill.publish(&chunk.text, &chunk.packed) {
                    Ok(true) => {}
                    Ok(false) => self.end = Some(Ok(())),
                    Err(error) => self.end = Some(Err(error)),
                }
            }
            self.next += 1;
            // The receiver is gone when the whole input is decompressed.
            _ = idle.send(chunk);
        }
    }
}

fn lock(ordered: &Mutex<ChunkReorderBuffer>) -> MutexGuard<'_, ChunkReorderBuffer> {
    ordered.lock().unwrap_or_else(PoisonError::into_inner)
}

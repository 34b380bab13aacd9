//! Makes a copy ([`CopyBuilder`]): decompresses the input once from front to back, and compresses
//! it again in blocks. Decompression is sequential; helper threads compress the chunks, which a
//! reorder buffer puts back in order. The number of chunks is fixed, which bounds the memory.

use std::collections::BTreeMap;
use std::io;
use std::io::{ErrorKind, Read as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::kept::places::{CacheFileStart, NewCacheFile, PartialFile};
use crate::packed::codec::{BLOCK, train};
use crate::packed::layout;
use crate::packed::layout::{CopyFooter, DictionaryPlace};
use crate::packed::shared::{SeekableCopy, SharedPackedText};
use crate::packed::unpacker::{SequentialReader, TextUnpacker};

/// Bytes of text that the dictionary is trained from. The dictionary is used for the text after
/// them.
const HEAD: usize = 2 << 20;
const _: () = assert!(HEAD.is_multiple_of(layout::GROUP * BLOCK));

/// Makes a copy, or adopts one that another program made meanwhile. Publishes the progress to the
/// readers, and the reason if it fails.
pub(super) fn run(shared: &Arc<SharedPackedText>, generation: u32) {
    let _stated = FillerExitGuard { shared, generation };
    match shared.options.begin(&shared.kind, || shared.is_stopped()) {
        CacheFileStart::Stopped => {}
        CacheFileStart::Found(path, store, contents) => {
            if let Err(error) = shared.adopt(generation, path, store, contents) {
                shared.change(generation, |state| {
                    state.fail(error.kind(), error.to_string())
                });
            }
        }
        CacheFileStart::New(NewCacheFile {
            store,
            partial,
            notice,
        }) => {
            shared.change(generation, |state| {
                state.notice = notice.or(state.notice.take())
            });
            let copy = Arc::new(SeekableCopy::new(store));
            match (fill_into(shared, generation, Arc::clone(&copy)), partial) {
                (Ok(true), Some(partial)) => CopyBuilder {
                    shared,
                    generation,
                    copy: &copy,
                }
                .finish(partial),
                (Err(error), _) => {
                    _ = shared.change(generation, |state| {
                        state.fail(error.kind(), error.to_string())
                    })
                }
                _ => {}
            }
        }
    }
}

/// Decompresses the whole input into an empty copy. Returns false if it was stopped.
pub(super) fn fill_into(
    shared: &Arc<SharedPackedText>,
    generation: u32,
    copy: Arc<SeekableCopy>,
) -> io::Result<bool> {
    shared.change(generation, |state| state.copy = Arc::clone(&copy));
    CopyBuilder {
        shared,
        generation,
        copy: &copy,
    }
    .fill()
}

/// A copy that is being made.
pub(super) struct CopyBuilder<'a> {
    pub shared: &'a SharedPackedText,
    generation: u32,
    pub copy: &'a SeekableCopy,
}

/// A sequence of packed blocks.
#[derive(Default)]
pub(super) struct PackedBlocks {
    pub bytes: Vec<u8>,
    pub lengths: Vec<u16>,
}

impl CopyBuilder<'_> {
    /// Decompresses the whole input. Returns false if it was stopped.
    fn fill(&self) -> io::Result<bool> {
        let input = &self.shared.input;
        let packed_length = input.length()?;
        let reader = SequentialReader {
            input: Arc::clone(input),
            offset: 0,
            done: Arc::clone(&self.shared.packed_done),
        };
        let mut unpacker = TextUnpacker::new(Box::new(reader), self.shared.kind);
        let mut head = Vec::new();
        self.read(&mut unpacker, HEAD, &mut head)?;
        let mut packed = PackedBlocks::default();
        packed.pack(&head, &mut self.copy.codec.packer()?)?;
        let mut is_wanted = self.publish(&head, &packed)?;
        if head.len() == HEAD {
            self.begin_dictionary(&head)?;
            drop(head);
            is_wanted = is_wanted && pack_in_parallel(self, &mut unpacker)?;
        }
        if input.length()? != packed_length {
            return Err(io::Error::other(
                "the trace changed while it was unpacked: try again when its writer is done",
            ));
        }
        let damage = unpacker.damage().cloned();
        Ok(is_wanted
            && self.shared.change(self.generation, |state| {
                (state.damage, state.is_over) = (damage, true)
            }))
    }

    /// Reads up to `count` bytes of text; fewer only at the end.
    pub fn read(
        &self,
        unpacker: &mut TextUnpacker,
        count: usize,
        text: &mut Vec<u8>,
    ) -> io::Result<()> {
        text.clear();
        let read = unpacker.take(count as u64).read_to_end(text);
        read.map(|_| ()).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("the trace could not be read: {error}"),
            )
        })
    }

    /// Trains the dictionary. The next block is the first that uses it.
    fn begin_dictionary(&self, head: &[u8]) -> io::Result<()> {
        let Some(bytes) = train(head) else {
            return Ok(());
        };
        let Ok(length) = u32::try_from(bytes.len()) else {
            return Ok(());
        };
        let (offset, before_block) = {
            let state = self.shared.state();
            (state.directory.end(), state.directory.count() as u64)
        };
        self.write(offset, &bytes)?;
        self.copy.codec.set_dictionary(&bytes);
        self.shared.change(self.generation, |state| {
            state.dictionary = DictionaryPlace {
                offset,
                length,
                before_block,
            };
            state.directory.skip(u64::from(length));
        });
        Ok(())
    }

    /// Writes the next blocks and publishes them to the readers. Returns false if the copy is no
    /// longer wanted.
    pub fn publish(&self, text: &[u8], packed: &PackedBlocks) -> io::Result<bool> {
        let (offset, filled) = {
            let state = self.shared.state();
            if state.generation != self.generation {
                // Another copy is being made, and the state describes that one.
                return Ok(false);
            }
            (state.directory.end(), state.filled)
        };
        self.write(offset, &packed.bytes)?;
        // A reader that follows the text as it grows reads these next.
        let blocks = (filled / BLOCK as u64..).zip(text.chunks(BLOCK));
        blocks.for_each(|(block, text)| self.shared.cache.insert(block, text));
        let is_wanted = self.shared.change(self.generation, |state| {
            packed
                .lengths
                .iter()
                .for_each(|length| state.directory.push(*length));
            state.filled += text.len() as u64;
        });
        Ok(is_wanted && !self.shared.is_stopped())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.copy.store.write_at(offset, bytes).map_err(|error| {
            let advice = "free some space, or name another place with --index";
            let why = format!("the unpacked text could not be stored ({error}): {advice}");
            io::Error::new(error.kind(), why)
        })
    }

    /// Completes the copy and gives it its final name, so that it can be reused.
    fn finish(&self, partial: PartialFile) {
        let path = partial.place().to_owned();
        let contents = {
            let state = self.shared.state();
            if state.generation != self.generation {
                return;
            }
            CopyFooter {
                text_length: state.filled,
                dictionary: state.dictionary,
                damage: state.damage.clone(),
                directory: state.directory.clone(),
            }
        };
        // Publish the path before the rename, so that a copy found damaged in between is removed.
        *self
            .copy
            .path
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(path.clone());
        let finished = layout::finish(&self.copy.store, self.shared.options.identity, &contents);
        if let Err(error) = finished.and_then(|()| partial.name()) {
            *self
                .copy
                .path
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = None;
            let why = "the copy of the unpacked text could not be finished and will be made again next time";
            self.shared.change(self.generation, |state| {
                state.notice = Some(format!("{why} ({error}): {path:?}"))
            });
        }
    }
}

impl PackedBlocks {
    /// Replaces the blocks by those of `text`.
    pub fn pack(
        &mut self,
        text: &[u8],
        packer: &mut crate::packed::codec::BlockPacker<'_>,
    ) -> io::Result<()> {
        self.bytes.clear();
        self.lengths.clear();
        for block in text.chunks(BLOCK) {
            self.lengths.push(packer.pack(block, &mut self.bytes)?);
        }
        Ok(())
    }
}

/// Marks the text as failed when the filler ends for any reason, a panic included, so that no
/// reader waits for it.
struct FillerExitGuard<'a> {
    shared: &'a SharedPackedText,
    generation: u32,
}

impl Drop for FillerExitGuard<'_> {
    fn drop(&mut self) {
        self.shared.change(self.generation, |state| {
            if !state.is_over {
                state.fail(
                    ErrorKind::Other,
                    "the text is no longer unpacked".to_owned(),
                );
            }
        });
    }
}

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
pub(super) fn pack_in_parallel(
    fill: &CopyBuilder<'_>,
    unpacker: &mut TextUnpacker,
) -> io::Result<bool> {
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

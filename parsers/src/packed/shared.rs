//! State shared by the readers of a packed text and its filler.

use std::io;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::kept::places::{ByteStore, CacheFileOptions};
use crate::packed::codec::{BLOCK, BlockCache, Codec};
use crate::packed::fill;
use crate::packed::kind::{Damage, PackedKind};
use crate::packed::layout::{BlockDirectory, CopyFooter, DictionaryPlace, HEADER_LEN};
use crate::read_at::ReadAt;

/// Interval after which a waiting reader checks again without a notification.
const WAIT: Duration = Duration::from_millis(20);
/// Number of times a damaged copy is made again before the fault is assumed to be elsewhere.
const RENEWALS: u32 = 2;
/// Maximum number of bytes by which a packed block exceeds its text.
const SPARE: usize = 512;

/// A packed text, shared by its readers and its filler.
pub(super) struct SharedPackedText {
    pub input: Arc<dyn ReadAt>,
    pub kind: PackedKind,
    pub options: CacheFileOptions,
    pub cache: BlockCache,
    /// Number of bytes read of the packed input.
    pub packed_done: Arc<AtomicU64>,
    state: RwLock<PackedTextState>,
    grown: (Mutex<()>, Condvar),
    is_stopped: AtomicBool,
    filler: Mutex<Option<JoinHandle<()>>>,
}

/// The part of the text that can be read, and the status of the copy.
pub(super) struct PackedTextState {
    /// The blocks.
    pub copy: Arc<SeekableCopy>,
    pub directory: BlockDirectory,
    pub dictionary: DictionaryPlace,
    /// Bytes of text that can be read.
    pub filled: u64,
    /// True if no more text will come.
    pub is_over: bool,
    /// Length of the text as reported before the copy turned out to be damaged. It will be
    /// available again.
    pub promised: Option<u64>,
    pub damage: Option<Damage>,
    /// The reason why the copy could not be made.
    pub failure: Option<(ErrorKind, String)>,
    pub notice: Option<String>,
    /// Number of this copy. Each damaged copy is replaced by one with the next number.
    pub generation: u32,
}

/// The bytes of a copy and the state needed to unpack them.
pub(super) struct SeekableCopy {
    pub store: ByteStore,
    pub codec: Codec,
    /// Final path; none until the copy has its name.
    pub path: Mutex<Option<PathBuf>>,
}

impl SharedPackedText {
    pub fn new(input: Arc<dyn ReadAt>, kind: PackedKind, options: CacheFileOptions) -> Self {
        Self {
            input,
            kind,
            options,
            cache: BlockCache::default(),
            packed_done: Arc::default(),
            state: RwLock::new(PackedTextState::of(
                SeekableCopy::new(ByteStore::memory()),
                0,
            )),
            grown: Default::default(),
            is_stopped: AtomicBool::new(false),
            filler: Mutex::default(),
        }
    }

    pub fn state(&self) -> RwLockReadGuard<'_, PackedTextState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state. Returns false without a change if the copy was abandoned meanwhile.
    pub fn change(&self, generation: u32, change: impl FnOnce(&mut PackedTextState)) -> bool {
        let mut state = self.state_mut();
        let is_wanted = state.generation == generation;
        if is_wanted {
            change(&mut state);
        }
        drop(state);
        self.grown.1.notify_all();
        is_wanted
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, PackedTextState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Signals the filler to stop and waits until it has cleaned up.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let filler = self
            .filler
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(filler) = filler {
            // A panic of the filler was reported to the readers.
            _ = filler.join();
        }
    }

    /// Uses a finished copy.
    ///
    /// # Errors
    /// The copy cannot be read.
    pub fn adopt(
        &self,
        generation: u32,
        path: PathBuf,
        store: ByteStore,
        contents: CopyFooter,
    ) -> io::Result<()> {
        let copy = SeekableCopy::new(store);
        let DictionaryPlace { offset, length, .. } = contents.dictionary;
        if u64::from(length) > copy.store.length()? {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if length > 0 {
            let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
            if copy.store.read_at(offset, &mut bytes)? < bytes.len() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            copy.codec.set_dictionary(&bytes);
        }
        *copy.path.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
        self.change(generation, |state| {
            let CopyFooter {
                text_length,
                dictionary,
                damage,
                directory,
            } = contents;
            let (promised, notice) = (state.promised, state.notice.take());
            let empty = PackedTextState {
                promised,
                notice,
                damage,
                ..PackedTextState::of(copy, generation)
            };
            *state = PackedTextState {
                dictionary,
                directory,
                filled: text_length,
                is_over: true,
                ..empty
            };
        });
        Ok(())
    }

    /// Starts a thread that unpacks the input into a new copy.
    pub fn start_filler(self: &Arc<Self>, generation: u32) {
        let shared = Arc::clone(self);
        let builder = std::thread::Builder::new().name("unpack".to_owned());
        match builder.spawn(move || fill::run(&shared, generation)) {
            Ok(thread) => {
                let mut filler = self.filler.lock().unwrap_or_else(PoisonError::into_inner);
                // An earlier filler works for an abandoned copy and ends without help.
                *filler = Some(thread);
            }
            Err(error) => {
                self.change(generation, |state| {
                    state.fail(error.kind(), format!("no thread to unpack it: {error}"))
                });
            }
        }
    }

    /// Waits until the text can be read up to `end`, or is complete. Returns the readable length.
    pub fn wait_for(&self, end: u64) -> io::Result<u64> {
        Ok(self.state_filled_to(end)?.filled)
    }

    /// Waits until the text can be read up to `end`, or is complete. Returns the state of that
    /// moment, still locked.
    fn state_filled_to(&self, end: u64) -> io::Result<RwLockReadGuard<'_, PackedTextState>> {
        loop {
            {
                let state = self.state();
                if state.filled >= end {
                    return Ok(state);
                }
                if state.is_over {
                    state.checked()?;
                    return Ok(state);
                }
            }
            if self.is_stopped() {
                return Err(io::Error::other("the text is no longer unpacked"));
            }
            let waiting = self.grown.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Notified or timed out: check again.
            _ = self.grown.1.wait_timeout(waiting, WAIT);
        }
    }

    /// Copies a part of one block, from offset `from` on.
    ///
    /// # Errors
    /// The copy is damaged, and making it again does not help.
    pub fn read_block(self: &Arc<Self>, block: u64, from: usize, out: &mut [u8]) -> io::Result<()> {
        let end = block * BLOCK as u64 + (from + out.len()) as u64;
        loop {
            if self.cache.copy(block, from, out) {
                return Ok(());
            }
            let (copy, place, length, generation) = {
                // Another reader may have replaced the copy meanwhile. A block that the new copy
                // does not have yet is no damage.
                let state = self.state_filled_to(end)?;
                if state.filled < end {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                (
                    Arc::clone(&state.copy),
                    state.directory.place(block),
                    state.block_length(block),
                    state.generation,
                )
            };
            let unpacked = place
                .ok_or_else(|| ErrorKind::UnexpectedEof.into())
                .and_then(|(offset, packed_length)| {
                    let mut packed = [0; BLOCK + SPARE];
                    let packed = packed
                        .get_mut(..usize::from(packed_length))
                        .unwrap_or_default();
                    copy.store.read_at(offset, packed)?;
                    if from == 0 && out.len() == length {
                        // A reader of whole blocks goes on to the next ones and seldom comes back,
                        // so the block is not cached.
                        return copy.codec.unpack(packed, out);
                    }
                    let mut text = [0; BLOCK];
                    let text = text.get_mut(..length).unwrap_or_default();
                    copy.codec.unpack(packed, text)?;
                    let part = text
                        .get(from..from.saturating_add(out.len()))
                        .ok_or(ErrorKind::UnexpectedEof)?;
                    out.copy_from_slice(part);
                    self.cache.insert(block, text);
                    Ok(())
                });
            let Err(error) = unpacked else { return Ok(()) };
            self.renew(generation, &error)?;
        }
    }

    /// Abandons a damaged copy and starts another.
    fn renew(self: &Arc<Self>, generation: u32, error: &io::Error) -> io::Result<()> {
        let mut state = self.state_mut();
        if state.generation != generation {
            // Another reader noticed it, too.
            return Ok(());
        }
        if generation >= RENEWALS {
            return Err(io::Error::new(
                error.kind(),
                format!("the copy of the unpacked text is damaged ({error})"),
            ));
        }
        if let Some(path) = state
            .copy
            .path
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            // If it cannot be removed, it is overwritten.
            _ = std::fs::remove_file(path);
        }
        let promised = state.promised.or(state.is_over.then_some(state.filled));
        let notice = Some(format!(
            "the copy of the unpacked text was damaged and is made anew ({error})"
        ));
        *state = PackedTextState {
            promised,
            notice,
            ..PackedTextState::of(SeekableCopy::new(ByteStore::memory()), generation + 1)
        };
        drop(state);
        self.cache.clear();
        self.start_filler(generation + 1);
        Ok(())
    }
}

impl PackedTextState {
    fn of(copy: SeekableCopy, generation: u32) -> Self {
        Self {
            copy: Arc::new(copy),
            directory: BlockDirectory::new(HEADER_LEN as u64),
            dictionary: DictionaryPlace::default(),
            filled: 0,
            is_over: false,
            promised: None,
            damage: None,
            failure: None,
            notice: None,
            generation,
        }
    }

    /// Records that the copy cannot be made.
    pub fn fail(&mut self, kind: ErrorKind, why: String) {
        self.failure = Some((kind, why));
        self.is_over = true;
    }

    /// Returns the readable length, or the error if the copy failed.
    pub fn checked(&self) -> io::Result<u64> {
        match &self.failure {
            Some((kind, why)) => Err(io::Error::new(*kind, why.clone())),
            None => Ok(self.filled),
        }
    }

    /// Returns the number of bytes of text in a block.
    fn block_length(&self, block: u64) -> usize {
        let left = self
            .filled
            .saturating_sub(block.saturating_mul(BLOCK as u64));
        usize::try_from(left).unwrap_or(BLOCK).min(BLOCK)
    }
}

impl SeekableCopy {
    pub fn new(store: ByteStore) -> Self {
        Self {
            store,
            codec: Codec::default(),
            path: Mutex::default(),
        }
    }
}

//! What the readers of a packed text and its filler share.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::kept::places::CacheFileOptions;
use crate::kept::store::ByteStore;
use crate::packed::cache::BlockCache;
use crate::packed::codec::{BLOCK, Codec};
use crate::packed::damage::Damage;
use crate::packed::directory::BlockDirectory;
use crate::packed::fill;
use crate::packed::kind::PackedKind;
use crate::packed::layout::{CopyFooter, DictionaryPlace, HEADER_LEN};
use crate::read_at::ReadAt;

/// How long a reader waits before it looks again, even if nobody calls it.
const WAIT: Duration = Duration::from_millis(20);
/// How often a damaged copy is made anew before something else must be wrong.
const RENEWALS: u32 = 2;
/// A packed block is at most so much longer than its text.
const SPARE: usize = 512;

/// A packed text and all who use it.
pub(super) struct SharedPackedText {
    pub input: Arc<dyn ReadAt>,
    pub kind: PackedKind,
    pub options: CacheFileOptions,
    pub cache: BlockCache,
    /// Bytes of the packed input that were read.
    pub packed_done: Arc<AtomicU64>,
    state: RwLock<PackedTextState>,
    grown: (Mutex<()>, Condvar),
    is_stopped: AtomicBool,
    filler: Mutex<Option<JoinHandle<()>>>,
}

/// How far the text can be read.
pub(super) struct PackedTextState {
    /// The bytes of the blocks.
    pub copy: Arc<SeekableCopy>,
    pub directory: BlockDirectory,
    pub dictionary: DictionaryPlace,
    /// Bytes of text that can be read.
    pub filled: u64,
    /// Nothing more will come.
    pub is_over: bool,
    /// Bytes of text that could be read before the copy turned out to be damaged: they will come again.
    pub promised: Option<u64>,
    pub damage: Option<Damage>,
    /// Why the copy could not be made.
    pub failure: Option<(ErrorKind, String)>,
    pub notice: Option<String>,
    /// Which copy this is: each that turned out to be damaged is followed by another.
    pub generation: u32,
}

/// The bytes of a copy and how to read them.
pub(super) struct SeekableCopy {
    pub store: ByteStore,
    pub codec: Codec,
    /// Where it lies under its name; none before it has one.
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

    /// Changes the state, unless the copy was given up meanwhile; false then.
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

    /// Asks the filler to stop, and waits until it has cleaned up.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let filler = self
            .filler
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(filler) = filler {
            // A panic in there was told to the readers.
            _ = filler.join();
        }
    }

    /// Uses a finished copy.
    ///
    /// # Errors
    /// It cannot be read.
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

    /// Starts to unpack the input into a new copy.
    pub fn start_filler(self: &Arc<Self>, generation: u32) {
        let shared = Arc::clone(self);
        let builder = std::thread::Builder::new().name("unpack".to_owned());
        match builder.spawn(move || fill::run(&shared, generation)) {
            Ok(thread) => {
                let mut filler = self.filler.lock().unwrap_or_else(PoisonError::into_inner);
                // One that was there before works for a copy that was given up, and ends by itself.
                *filler = Some(thread);
            }
            Err(error) => {
                self.change(generation, |state| {
                    state.fail(error.kind(), format!("no thread to unpack it: {error}"))
                });
            }
        }
    }

    /// Waits until the text can be read up to `end`, or up to where it ends; returns how far it can be read.
    pub fn wait_for(&self, end: u64) -> io::Result<u64> {
        Ok(self.state_filled_to(end)?.filled)
    }

    /// Waits until the text can be read up to `end` or is complete; returns the state that says so.
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
            // Whether it was called or waited long enough, it looks again.
            _ = self.grown.1.wait_timeout(waiting, WAIT);
        }
    }

    /// Copies part of one block, from `from` on.
    ///
    /// # Errors
    /// The copy is damaged, and making it anew does not help.
    pub fn read_block(self: &Arc<Self>, block: u64, from: usize, out: &mut [u8]) -> io::Result<()> {
        let end = block * BLOCK as u64 + (from + out.len()) as u64;
        loop {
            if self.cache.copy(block, from, out) {
                return Ok(());
            }
            let (copy, place, length, generation) = {
                // Another reader may have replaced the copy meanwhile: a block that the new one does not have yet is no damage.
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
                        // A reader of whole blocks goes on to the next ones and seldom comes back.
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

    /// Gives up a damaged copy, and makes another.
    fn renew(self: &Arc<Self>, generation: u32, error: &io::Error) -> io::Result<()> {
        let mut state = self.state_mut();
        if state.generation != generation {
            // Somebody else noticed it, too.
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
            // What cannot be removed is replaced.
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

    /// Notes that the copy cannot be made.
    pub fn fail(&mut self, kind: ErrorKind, why: String) {
        self.failure = Some((kind, why));
        self.is_over = true;
    }

    /// How far the text can be read, unless more should have come.
    pub fn checked(&self) -> io::Result<u64> {
        match &self.failure {
            Some((kind, why)) => Err(io::Error::new(*kind, why.clone())),
            None => Ok(self.filled),
        }
    }

    /// Bytes of text in a block.
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

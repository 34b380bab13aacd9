//! Random access to the text of a packed input.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use crate::kept::places::CacheFileOptions;
use crate::packed::codec::BLOCK;
use crate::packed::kind::{Damage, PackedKind};
use crate::packed::shared::SharedPackedText;
use crate::read_at::ReadAt;

/// The text of a packed input, with random access. Clones share it.
///
/// It grows while the input is unpacked; a read of text that is not there yet waits. When the last
/// clone is dropped, unpacking stops.
#[derive(Clone)]
pub struct PackedText(Arc<StopOnDrop>);

struct StopOnDrop(Arc<SharedPackedText>);

impl PackedText {
    /// Opens a packed input. Uses an existing copy, or else starts to make one in the background.
    ///
    /// # Errors
    /// The input could not be read.
    pub fn open(
        input: Arc<dyn ReadAt>,
        kind: PackedKind,
        options: CacheFileOptions,
    ) -> io::Result<Self> {
        input.length()?;
        let found = options.found(&kind);
        let shared = Arc::new(SharedPackedText::new(input, kind, options));
        let is_there = found
            .is_some_and(|(path, store, contents)| shared.adopt(0, path, store, contents).is_ok());
        if !is_there {
            shared.start_filler(0);
        }
        Ok(Self(Arc::new(StopOnDrop(shared))))
    }

    /// Returns the compression format.
    pub fn kind(&self) -> PackedKind {
        self.shared().kind
    }

    /// Returns the reason why the text ends before the packed input does, if the damage has been
    /// reached.
    pub fn damage(&self) -> Option<Damage> {
        self.shared().state().damage.clone()
    }

    /// Returns a message for the user about the copy, as one sentence.
    pub fn notice(&self) -> Option<String> {
        self.shared().state().notice.clone()
    }

    /// Returns the number of bytes of the packed input that are unpacked, give or take a buffer.
    pub fn packed_done(&self) -> u64 {
        self.shared().packed_done.load(Ordering::Relaxed)
    }

    /// Returns the current size of the copy in bytes.
    pub fn copy_bytes(&self) -> u64 {
        let copy = Arc::clone(&self.shared().state().copy);
        copy.store.length().unwrap_or(0)
    }

    /// Waits until the whole input is unpacked, or until `is_given_up`, which is polled many times
    /// a second, returns true. Returns the readable length.
    ///
    /// # Errors
    /// The input could not be read, or the copy could not be written.
    pub fn settle(&self, is_given_up: impl Fn() -> bool) -> io::Result<u64> {
        loop {
            let length = self.length()?;
            if self.is_settled() || is_given_up() {
                return Ok(length);
            }
            self.shared().wait_for(length + 1)?;
        }
    }

    fn shared(&self) -> &Arc<SharedPackedText> {
        &self.0.0
    }
}

impl ReadAt for PackedText {
    fn length(&self) -> io::Result<u64> {
        let state = self.shared().state();
        match state.promised {
            Some(length) => Ok(length),
            None => state.checked(),
        }
    }

    fn is_settled(&self) -> bool {
        let state = self.shared().state();
        state.is_over || state.promised.is_some()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let shared = self.shared();
        let end = offset.saturating_add(buffer.len() as u64);
        let count = shared.wait_for(end)?.min(end).saturating_sub(offset);
        let mut rest = buffer
            .get_mut(..usize::try_from(count).unwrap_or(0))
            .unwrap_or_default();
        let mut place = offset;
        while !rest.is_empty() {
            let (block, from) = (place / BLOCK as u64, (place % BLOCK as u64) as usize);
            let (part, after) = rest.split_at_mut(rest.len().min(BLOCK - from));
            shared.read_block(block, from, part)?;
            place += part.len() as u64;
            rest = after;
        }
        Ok(usize::try_from(count).unwrap_or(0))
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl std::fmt::Debug for PackedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self
            .shared()
            .state()
            .copy
            .path
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        f.debug_struct("PackedText")
            .field("kind", &self.kind())
            .field("copy", &path)
            .finish_non_exhaustive()
    }
}

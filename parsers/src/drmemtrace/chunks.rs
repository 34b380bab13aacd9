//! What the chunks of an archive repeat.

use crate::events::ThreadNumber;

/// Behind the footer of a chunk the next one repeats time and CPU, which a reader from front to back knows.
#[derive(Debug, Default)]
pub(super) struct ChunkRepetitions {
    /// False where footers mean nothing.
    is_chunked: bool,
    /// Threads whose next time and CPU are repetitions: mostly none.
    repeating: Vec<Option<ThreadNumber>>,
}

impl ChunkRepetitions {
    /// Takes note of the marker that says how many instructions a chunk has.
    pub fn begin(&mut self, instructions: u64) {
        self.is_chunked |= instructions > 0;
    }

    /// A chunk ended while a thread ran.
    pub fn end_chunk(&mut self, thread: Option<ThreadNumber>) {
        if self.is_chunked && !self.repeating.contains(&thread) {
            self.repeating.push(thread);
        }
    }

    /// True when the next time of a thread is a repetition.
    pub fn is_repeated(&self, thread: Option<ThreadNumber>) -> bool {
        self.repeating.contains(&thread)
    }

    /// The same for its next CPU, with which it ends.
    pub fn end_repetition(&mut self, thread: Option<ThreadNumber>) -> bool {
        let count = self.repeating.len();
        self.repeating.retain(|repeating| *repeating != thread);
        self.repeating.len() < count
    }
}

//! Records that the chunks of an archive repeat.

use crate::events::ThreadNumber;

/// Detects the repeated time and CPU of a thread.
///
/// After the footer of a chunk, the next chunk repeats both. A sequential reader knows them
/// already.
#[derive(Debug, Default)]
pub(super) struct ChunkRepetitions {
    /// False in files in which footers have no meaning.
    is_chunked: bool,
    /// Threads whose next time and CPU are repetitions; usually empty.
    repeating: Vec<Option<ThreadNumber>>,
}

impl ChunkRepetitions {
    /// Notes the marker with the number of instructions per chunk.
    pub fn begin(&mut self, instructions: u64) {
        self.is_chunked |= instructions > 0;
    }

    /// Notes the end of a chunk during this thread.
    pub fn end_chunk(&mut self, thread: Option<ThreadNumber>) {
        if self.is_chunked && !self.repeating.contains(&thread) {
            self.repeating.push(thread);
        }
    }

    /// Returns whether the next time of a thread is a repetition.
    pub fn is_repeated(&self, thread: Option<ThreadNumber>) -> bool {
        self.repeating.contains(&thread)
    }

    /// Returns whether the next CPU of a thread is a repetition; ends the repetition.
    pub fn end_repetition(&mut self, thread: Option<ThreadNumber>) -> bool {
        let count = self.repeating.len();
        self.repeating.retain(|repeating| *repeating != thread);
        self.repeating.len() < count
    }
}

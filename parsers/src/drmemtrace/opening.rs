//! Records with a special meaning to the decoder: the first ones of a file, which come before the
//! record that names their thread ([`HeaderMarkers`]); the time and CPU that each chunk of an
//! archive repeats ([`ChunkRepetitions`]); and invalid ones, of which only the first is reported
//! separately ([`InvalidRecords`]).

use crate::drmemtrace::decoder::{DecoderOutput, RecordDecoder};
use crate::drmemtrace::raw_record::{TraceEntry, kind, marker};
use crate::drmemtrace::record::RecordSink;
use crate::events::ThreadNumber;
use crate::problem::DrmemtraceFault;

/// Newest version of the format that is supported.
pub(super) const VERSION: u64 = 7;

/// Markers that precede the record that names their thread.
#[derive(Debug, Default)]
pub(super) struct HeaderMarkers {
    markers: Vec<TraceEntry>,
    has_header: bool,
}

/// Maximum number of markers that wait for their thread; real files have three.
const LIMIT: usize = 64;

impl RecordDecoder {
    /// Handles one of the first records. Returns true when the header is over and the record must
    /// be decoded like all others.
    #[cold]
    pub(super) fn open<S: RecordSink>(
        &mut self,
        record: TraceEntry,
        out: &mut DecoderOutput<'_, S>,
    ) -> bool {
        let Some(opening) = &mut self.opening else {
            return true;
        };
        match record.kind {
            kind::HEADER if !opening.has_header => {
                opening.has_header = true;
                self.note_version(record.value, out);
            }
            kind::THREAD => self.set_thread(record.value, out),
            kind::PROCESS => {
                self.set_process(record.value, out);
                self.end_opening(out);
            }
            kind::MARKER if record.size != marker::TIMESTAMP && opening.markers.len() < LIMIT => {
                opening.markers.push(record);
            }
            _ => {
                self.end_opening(out);
                return true;
            }
        }
        false
    }

    /// Emits the markers that waited for their thread.
    pub(super) fn end_opening<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) {
        let Some(opening) = self.opening.take() else {
            return;
        };
        if !opening.has_header {
            self.complain(out, DrmemtraceFault::NoHeader);
        }
        for marker in opening.markers {
            self.marker(marker, out);
        }
    }

    /// Notes the version of a header. It is the first record; cores and joined files repeat it for
    /// another thread.
    /// Markers of a repeated header before the record that names the new thread belong to the
    /// previous thread, as all records do.
    pub(super) fn note_version<S: RecordSink>(
        &mut self,
        version: u64,
        out: &mut DecoderOutput<'_, S>,
    ) {
        self.version = version;
        if version > self.stated_version {
            self.stated_version = version;
            let newest = VERSION;
            self.complain(out, DrmemtraceFault::NewVersion { version, newest });
        }
    }
}

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

/// Counts the invalid records of a file. The first is reported at once, the others together at the
/// end.
#[derive(Debug, Default)]
pub(super) struct InvalidRecords {
    count: u64,
    last: u64,
}

impl InvalidRecords {
    /// Notes an invalid record at an offset; returns true for the first.
    pub fn is_first(&mut self, offset: u64) -> bool {
        self.count += 1;
        self.last = offset;
        self.count == 1
    }

    /// Returns the report for the end of the file, and the offset of the last invalid record.
    pub fn rest(&self) -> Option<(u64, DrmemtraceFault)> {
        let more = self.count.checked_sub(1).filter(|more| *more > 0)?;
        Some((self.last, DrmemtraceFault::MoreInvalidRecords(more)))
    }
}

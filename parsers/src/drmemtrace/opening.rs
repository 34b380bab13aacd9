//! The first records of a file.

use crate::drmemtrace::decoder::{DecoderOutput, RecordDecoder};
use crate::drmemtrace::raw_record::{TraceEntry, kind, marker};
use crate::drmemtrace::record::RecordSink;

/// The newest version of the format that is known.
pub(super) const VERSION: u64 = 7;

/// The markers before the records that say whose they are.
#[derive(Debug, Default)]
pub(super) struct HeaderMarkers {
    markers: Vec<TraceEntry>,
    has_header: bool,
}

/// As many markers may wait for their thread; real files have three.
const LIMIT: usize = 64;

impl RecordDecoder {
    /// Takes one of the first records; true when the file is open and the record is to be decoded as all others.
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

    /// Hands on the markers that waited.
    pub(super) fn end_opening<S: RecordSink>(&mut self, out: &mut DecoderOutput<'_, S>) {
        let Some(opening) = self.opening.take() else {
            return;
        };
        if !opening.has_header {
            let why =
                "the file does not begin with the header of a trace: is its first part missing?";
            self.complain(out, why.to_owned());
        }
        for marker in opening.markers {
            self.marker(marker, out);
        }
    }

    /// A header came: the first record, or where cores and joined files repeat theirs for another thread.
    /// The markers of a repeated one that come before the record that names that thread belong to the thread before, as all records do.
    pub(super) fn note_version<S: RecordSink>(
        &mut self,
        version: u64,
        out: &mut DecoderOutput<'_, S>,
    ) {
        self.version = version;
        if version > self.told_version {
            self.told_version = version;
            let message = format!(
                "the trace has version {version}, the newest that is known is {VERSION}: \
                 what is new in it may be shown wrongly; look for a newer Stepback"
            );
            self.complain(out, message);
        }
    }
}

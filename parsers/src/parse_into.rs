//! Entry point to the parsers of all formats, monomorphised for the sink.

use std::ops::Range;

use crate::btrace::Btrace;
use crate::commit_log::CommitLog;
use crate::drmemtrace::source::Drmemtrace;
use crate::error::SourceError;
use crate::events::EventSink;
use crate::rst::Rst;
use crate::source::{ParseScratch, ParsedRange, Source};
use crate::stf::Stf;
use crate::tarmac::source::Tarmac;
use crate::text_log::TextLog;

impl dyn Source {
    /// Parses like [`Source::parse`], without a virtual call for each event in formats whose traces
    /// are usually large. Their parsers are compiled for each type of sink, so use this only for sinks that take whole traces.
    ///
    /// # Errors
    /// Fails like [`Source::parse`].
    pub fn parse_into<S: EventSink>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        if let Some(trace) = self.downcast::<Tarmac>() {
            trace.parse_into(range, scratch, sink)
        } else if let Some(trace) = self.downcast::<Drmemtrace>() {
            trace.parse_into(range, scratch, sink)
        } else if let Some(trace) = self.downcast::<Rst>() {
            trace.parse_into(range, scratch, sink)
        } else if let Some(trace) = self.downcast::<Btrace>() {
            trace.parse_into(range, scratch, sink)
        } else if let Some(trace) = self.downcast::<TextLog<CommitLog>>() {
            trace.parse_into(range, scratch, sink)
        } else if let Some(trace) = self.downcast::<Stf>() {
            trace.parse_into(range, scratch, sink)
        } else {
            self.parse(range, scratch, sink)
        }
    }
}

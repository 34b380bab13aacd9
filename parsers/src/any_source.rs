//! A source of any format, so that the program above handles one type.

use std::io;
use std::ops::Range;

use crate::btrace::Btrace;
use crate::drmemtrace::source::Drmemtrace;
use crate::error::SourceError;
use crate::events::EventSink;
use crate::facts::SourceTraits;
use crate::facts::{KnownThread, Recording};
use crate::finding::Findings;
use crate::known_instruction::KnownInstruction;
use crate::marker::Marker;
use crate::numbers::Position;
use crate::rst::Rst;
use crate::scratch::ParseScratch;
use crate::source::{CheckWatch, MadeLine, Parsed, Source};
use crate::tarmac::source::Tarmac;

/// Asks the trace of whichever format it is.
macro_rules! ask {
    ($source:expr, $trace:ident => $answer:expr) => {
        match $source {
            AnySource::Tarmac($trace) => $answer,
            AnySource::Drmemtrace($trace) => $answer,
            AnySource::Rst($trace) => $answer,
            AnySource::Btrace($trace) => $answer,
        }
    };
}

/// A trace of whichever format it is.
#[derive(Debug)]
pub enum AnySource {
    /// Arm Tarmac text.
    Tarmac(Tarmac),
    /// DynamoRIO drmemtrace.
    Drmemtrace(Drmemtrace),
    /// Sun RST.
    Rst(Rst),
    /// Btrace branch records.
    Btrace(Btrace),
}

impl AnySource {
    /// The trace, for what only Tarmac traces can do.
    pub fn tarmac(&self) -> Option<&Tarmac> {
        if let Self::Tarmac(trace) = self { Some(trace) } else { None }
    }

    /// The trace, for what only drmemtrace traces can do.
    pub fn drmemtrace(&self) -> Option<&Drmemtrace> {
        if let Self::Drmemtrace(trace) = self { Some(trace) } else { None }
    }

    /// The trace, for what only recordings of branches can do.
    pub fn btrace(&self) -> Option<&Btrace> {
        if let Self::Btrace(trace) = self { Some(trace) } else { None }
    }

    /// The trace, for what only RST traces can do.
    pub fn rst(&self) -> Option<&Rst> {
        if let Self::Rst(trace) = self { Some(trace) } else { None }
    }
}

impl Source for AnySource {
    fn traits(&self) -> &SourceTraits {
        ask!(self, trace => trace.traits())
    }

    fn length(&self) -> u64 {
        ask!(self, trace => trace.length())
    }

    fn is_settled(&self) -> bool {
        ask!(self, trace => trace.is_settled())
    }

    fn grow(&self) -> io::Result<u64> {
        ask!(self, trace => trace.grow())
    }

    fn length_now(&self) -> io::Result<u64> {
        ask!(self, trace => trace.length_now())
    }

    fn cut(&self, target: u64, limit: u64, scratch: &mut ParseScratch) -> Result<Option<u64>, SourceError> {
        ask!(self, trace => trace.cut(target, limit, scratch))
    }

    fn parse<S: EventSink>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<Parsed, SourceError> {
        ask!(self, trace => trace.parse(range, scratch, sink))
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        ask!(self, trace => trace.read_raw(range, out))
    }

    fn is_text(&self) -> bool {
        ask!(self, trace => trace.is_text())
    }

    fn made_lines(&self, range: Range<u64>, each: &mut dyn FnMut(MadeLine<'_>)) -> Result<(), SourceError> {
        ask!(self, trace => trace.made_lines(range, each))
    }

    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        ask!(self, trace => trace.instructions())
    }

    fn recording(&self, marker: Marker) -> Option<Recording> {
        ask!(self, trace => trace.recording(marker))
    }

    fn memory_of(&self, thread: &str) -> Option<String> {
        ask!(self, trace => trace.memory_of(thread))
    }

    fn known_threads(&self) -> Vec<KnownThread> {
        ask!(self, trace => trace.known_threads())
    }

    fn is_clock_coarse(&self) -> bool {
        ask!(self, trace => trace.is_clock_coarse())
    }

    fn is_recorded_by_block(&self) -> bool {
        ask!(self, trace => trace.is_recorded_by_block())
    }

    fn leaves_values_out(&self) -> bool {
        ask!(self, trace => trace.leaves_values_out())
    }

    fn notice(&self) -> Option<String> {
        ask!(self, trace => trace.notice())
    }

    fn kept_bytes(&self) -> Option<u64> {
        ask!(self, trace => trace.kept_bytes())
    }

    fn record_count(&self) -> Option<u64> {
        ask!(self, trace => trace.record_count())
    }

    fn position_of_record(&self, number: u64) -> Result<Option<Position>, SourceError> {
        ask!(self, trace => trace.position_of_record(number))
    }

    fn check_records(&self, findings: &mut Findings, watch: &mut CheckWatch<'_>) -> Result<(), SourceError> {
        ask!(self, trace => trace.check_records(findings, watch))
    }
}

//! A trace that wraps another one, with a hook that runs whenever a part is parsed.

use std::io;
use std::ops::Range;

use stepback_parsers::{
    EventSink, ParseScratch, ParsedRange, Source, SourceError, SourceTraits, Tarmac,
};

/// Hook for parsing a part of a trace.
pub trait Delegate: Send + Sync + 'static {
    /// Returns the wrapped trace.
    fn trace(&self) -> &Tarmac;

    /// Parses a part like [`Source::parse`].
    fn parse_part(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError>;
}

/// The source that applies the hook.
pub struct Through<D>(pub D);

impl<D: Delegate> Source for Through<D> {
    fn traits(&self) -> &SourceTraits {
        self.0.trace().traits()
    }

    fn length(&self) -> u64 {
        self.0.trace().length()
    }

    fn is_settled(&self) -> bool {
        self.0.trace().is_settled()
    }

    fn grow(&self) -> io::Result<u64> {
        self.0.trace().grow()
    }

    fn length_now(&self) -> io::Result<u64> {
        self.0.trace().length_now()
    }

    fn cut(
        &self,
        target: u64,
        limit: u64,
        scratch: &mut ParseScratch,
    ) -> Result<Option<u64>, SourceError> {
        self.0.trace().cut(target, limit, scratch)
    }

    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        self.0.parse_part(range, scratch, sink)
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.0.trace().read_raw(range, out)
    }
}

//! A source of any format, so that the program above handles one type.

use std::io;
use std::ops::Range;

use crate::{
    Address, Encoding, EventSink, InstructionSet, ParseScratch, Parsed, Source, SourceError, SourceTraits, Tarmac,
};

/// A trace of whichever format it is.
#[derive(Debug)]
pub enum AnySource {
    /// Arm Tarmac text.
    Tarmac(Tarmac),
}

impl Source for AnySource {
    fn traits(&self) -> &SourceTraits {
        let Self::Tarmac(tarmac) = self;
        tarmac.traits()
    }

    fn length(&self) -> u64 {
        let Self::Tarmac(tarmac) = self;
        tarmac.length()
    }

    fn is_settled(&self) -> bool {
        let Self::Tarmac(tarmac) = self;
        tarmac.is_settled()
    }

    fn grow(&self) -> io::Result<u64> {
        let Self::Tarmac(tarmac) = self;
        tarmac.grow()
    }

    fn length_now(&self) -> io::Result<u64> {
        let Self::Tarmac(tarmac) = self;
        tarmac.length_now()
    }

    fn cut(&self, target: u64, limit: u64, scratch: &mut ParseScratch) -> Result<Option<u64>, SourceError> {
        let Self::Tarmac(tarmac) = self;
        tarmac.cut(target, limit, scratch)
    }

    fn parse<S: EventSink>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<Parsed, SourceError> {
        let Self::Tarmac(tarmac) = self;
        tarmac.parse(range, scratch, sink)
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let Self::Tarmac(tarmac) = self;
        tarmac.read_raw(range, out)
    }

    fn encodings_at(&self, pc: Address) -> Vec<(InstructionSet, Encoding)> {
        let Self::Tarmac(tarmac) = self;
        tarmac.encodings_at(pc)
    }
}

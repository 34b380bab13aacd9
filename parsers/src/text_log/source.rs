//! A text log as a source of events ([`TextLog`]).

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use stepback_machine::Endian;

use crate::error::SourceError;
use crate::events::EventSink;
use crate::read_at::ReadAt;
use crate::source::{ParseScratch, ParsedRange, RegisterSource, Source, SourceTraits};
use crate::text::window::LIMITS;
use crate::text_log::format::{LogFormat, LogHead, LogOptions};
use crate::text_log::run::{LogRun, LogScratch, LogText, cut};

/// Number of bytes at the beginning from which a format chooses its variant.
const HEAD_BYTES: usize = 1 << 20;

/// A trace in a text format that has lines of its own for each step.
pub(crate) struct TextLog<F> {
    input: Box<dyn ReadAt>,
    length: AtomicU64,
    /// True from opening an unsettled input until all of it was taken in.
    is_arriving: AtomicBool,
    format: F,
    traits: SourceTraits,
}

impl<F: LogFormat> TextLog<F> {
    /// Opens a trace: reads its first bytes.
    ///
    /// # Errors
    /// The input could not be read.
    pub fn open(input: Box<dyn ReadAt>, options: LogOptions) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        // The order matters: input that settles in between is then taken in later.
        let is_arriving = AtomicBool::new(!input.is_settled());
        let length = input.length().map_err(failed)?;
        let mut head = vec![0; HEAD_BYTES];
        let count = input.read_at(0, &mut head).map_err(failed)?;
        head.truncate(count);
        let format = F::of_head(&LogHead {
            text: &head,
            options: &options,
        });
        format.scan(&*input, 0..length);
        let traits = SourceTraits {
            format: F::NAME.to_owned(),
            endian: Endian::Little,
            time_unit: format.time_unit().map(str::to_owned),
            instruction_set: format.instruction_set(),
            registers: RegisterSource::Recorded,
            options: format.options(),
        };
        Ok(Self {
            input,
            length: length.into(),
            is_arriving,
            format,
            traits,
        })
    }

    fn text(&self) -> LogText<'_> {
        LogText {
            input: &*self.input,
            length: self.length(),
            limits: LIMITS,
        }
    }

    /// Does what [`Source::parse`] does, compiled for one sink.
    pub fn parse_into<S: EventSink + ?Sized>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        let scratch: &mut LogScratch = scratch.of();
        LogRun::parse(&self.format, self.text(), range, scratch, sink)
    }
}

impl<F: LogFormat> Source for TextLog<F> {
    fn traits(&self) -> &SourceTraits {
        &self.traits
    }

    fn length(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    fn is_settled(&self) -> bool {
        let is_settled = self.input.is_settled();
        if is_settled && self.is_arriving.load(Ordering::Acquire) {
            // Take in the last part before anyone relies on the length. If the length is unknown,
            // reading reports the error.
            _ = self.grow();
            self.is_arriving.store(false, Ordering::Release);
        }
        is_settled
    }

    fn grow(&self) -> io::Result<u64> {
        let (before, length) = (self.length(), self.input.length()?);
        if length > before {
            self.format.scan(&*self.input, before..length);
        }
        Ok(self.length.fetch_max(length, Ordering::Relaxed).max(length))
    }

    fn length_now(&self) -> io::Result<u64> {
        self.input.length()
    }

    fn cut(
        &self,
        target: u64,
        limit: u64,
        scratch: &mut ParseScratch,
    ) -> Result<Option<u64>, SourceError> {
        let scratch: &mut LogScratch = scratch.of();
        cut(
            &self.format,
            self.text(),
            target..limit,
            &mut scratch.buffer,
        )
    }

    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        self.parse_into(range, scratch, sink)
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        let length = usize::try_from(range.end.min(self.length()).saturating_sub(range.start))
            .unwrap_or(usize::MAX);
        let before = out.len();
        out.resize(before + length, 0);
        let room = out.get_mut(before..).unwrap_or_default();
        let read = self.input.read_at(range.start, room);
        out.truncate(before + read.as_ref().map_or(0, |count| (*count).min(length)));
        read.map(|_| ()).map_err(|error| SourceError::Read {
            offset: range.start,
            error,
        })
    }
}

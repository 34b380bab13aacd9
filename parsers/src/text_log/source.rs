//! A text log as a source of events ([`TextLog`]).

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use stepback_machine::Endian;

use crate::error::SourceError;
use crate::events::EventSink;
use crate::read_at::ReadAt;
use crate::source::{ParseScratch, ParsedRange, RegisterSource, Source, SourceTraits};
use crate::text::window::{LIMITS, LINE_LIMIT};
use crate::text_log::format::{LogFormat, LogHead, LogOptions};
use crate::text_log::merge::{lines_of_core, split_core};
use crate::text_log::run::{LogRun, LogScratch, LogText, cut, without_last_word};

/// Number of bytes at the beginning from which a format chooses its variant.
const HEAD_BYTES: usize = 1 << 20;

/// A trace in a text format that has lines of its own for each step.
pub(crate) struct TextLog<F> {
    input: Box<dyn ReadAt>,
    options: LogOptions,
    /// True from opening an unsettled input until all of it was taken in.
    is_arriving: AtomicBool,
    readable: RwLock<ReadableText<F>>,
    /// Held while a text is taken in that was added.
    growth: Mutex<()>,
    traits: SourceTraits,
}

/// The part of a text that was taken in.
struct ReadableText<F> {
    length: u64,
    /// End of the last line with a newline.
    whole_lines: u64,
    /// Number of bytes from which the format chose its variant.
    head_bytes: usize,
    /// True if each line begins with the name of its core.
    has_cores: bool,
    format: Arc<F>,
}

impl<F> Clone for ReadableText<F> {
    fn clone(&self) -> Self {
        Self {
            format: Arc::clone(&self.format),
            ..*self
        }
    }
}

impl<F: LogFormat> ReadableText<F> {
    /// Takes in a text up to a length. Lines that `before` contains are not scanned again, except by
    /// a format whose choice depends on bytes that were not there.
    fn take_in(
        input: &dyn ReadAt,
        options: &LogOptions,
        length: u64,
        before: Option<Self>,
    ) -> io::Result<Self> {
        let whole_lines = end_of_lines(input, length)?;
        if let Some(before) = before.filter(|before| before.head_bytes == HEAD_BYTES) {
            before.format.scan(input, before.whole_lines..whole_lines);
            return Ok(Self {
                length,
                whole_lines,
                ..before
            });
        }
        // Input that still arrives has more than its length so far: a later opening must see the same.
        let mut head = vec![0; HEAD_BYTES];
        let head_bytes = input.read_at(0, &mut head)?;
        head.truncate(head_bytes);
        // The number of digits of a cut value is not the width of its register.
        let text = match memchr::memrchr(b'\n', &head) {
            Some(newline) => head.get(..newline).unwrap_or_default(),
            None => without_last_word(&head),
        };
        let has_cores = split_core(text).is_some();
        let text = match has_cores {
            true => Cow::Owned(lines_of_core(text, None)),
            false => Cow::Borrowed(text),
        };
        let format = F::of_head(&LogHead {
            text: &text,
            options,
        });
        format.scan(input, 0..whole_lines);
        Ok(Self {
            length,
            whole_lines,
            head_bytes,
            has_cores,
            format: Arc::new(format),
        })
    }
}

/// Returns the end of the last line with a newline. A line that is too long counts as one.
fn end_of_lines(input: &dyn ReadAt, length: u64) -> io::Result<u64> {
    let start = length.saturating_sub(LINE_LIMIT as u64 + 1);
    let mut text = vec![0; usize::try_from(length - start).unwrap_or_default()];
    let count = input.read_at(start, &mut text)?;
    text.truncate(count);
    Ok(match memchr::memrchr(b'\n', &text) {
        Some(newline) => start + newline as u64 + 1,
        None if start == 0 => 0,
        None => length,
    })
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
        let readable: ReadableText<F> =
            ReadableText::take_in(&*input, &options, length, None).map_err(failed)?;
        let format = &readable.format;
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
            options,
            is_arriving,
            readable: RwLock::new(readable),
            growth: Mutex::default(),
            traits,
        })
    }

    fn readable(&self) -> ReadableText<F> {
        let readable = self.readable.read();
        readable.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn text(&self, readable: &ReadableText<F>) -> LogText<'_> {
        LogText {
            input: &*self.input,
            length: readable.length,
            whole_lines: readable.whole_lines,
            has_cores: readable.has_cores,
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
        let readable = self.readable();
        let text = self.text(&readable);
        LogRun::parse(&*readable.format, text, range, scratch, sink)
    }
}

impl<F: LogFormat> Source for TextLog<F> {
    fn traits(&self) -> &SourceTraits {
        &self.traits
    }

    fn is_m_profile(&self) -> bool {
        self.readable().format.is_m_profile()
    }

    fn lacks_modes(&self) -> bool {
        true
    }

    fn leaves_values_out(&self) -> bool {
        self.readable().format.leaves_values_out()
    }

    fn length(&self) -> u64 {
        let readable = self.readable.read();
        readable.unwrap_or_else(PoisonError::into_inner).length
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
        let _growth: MutexGuard<'_, ()> =
            self.growth.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.readable();
        let length = self.input.length()?;
        if length <= before.length {
            return Ok(before.length);
        }
        let after = ReadableText::take_in(&*self.input, &self.options, length, Some(before))?;
        let readable = self.readable.write();
        *readable.unwrap_or_else(PoisonError::into_inner) = after;
        Ok(length)
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
        let readable = self.readable();
        let text = self.text(&readable);
        cut(&*readable.format, text, target..limit, &mut scratch.buffer)
    }

    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        self.parse_into(range, scratch, sink)
    }

    fn open_steps(&self) -> u64 {
        F::OPEN_STEPS
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

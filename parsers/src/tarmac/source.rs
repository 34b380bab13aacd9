//! A Tarmac trace over an input ([`Tarmac`]), with the properties that follow from its beginning,
//! such as the instruction set and the order of lines ([`TarmacHead`]). They are read once, so that
//! all parts of the trace are parsed in the same way.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use stepback_machine::{Endian, InstructionSet};

use crate::error::SourceError;
use crate::events::EventSink;
use crate::read_at::ReadAt;
use crate::source::{ParseScratch, ParsedRange, RegisterSource, Source, SourceTraits};
use crate::tarmac::cut::cut;
use crate::tarmac::line::TarmacLine;
use crate::tarmac::run::{TarmacRun, TarmacScratch};
use crate::tarmac::settings::{LineOrder, StateField, TarmacSettings};
use crate::text::window::{InputWindow, LIMITS, without_return};

#[cfg(any(test, fuzzing))]
use crate::text::window::TextLimits;

/// Facts that the text does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TarmacOptions {
    /// Byte order of the traced CPU's data.
    pub endian: Endian,
    /// Instruction lines lack the instruction-set state because the CPU executes only Thumb.
    pub implicit_thumb: bool,
}

impl TarmacOptions {
    pub(super) fn state_field(self) -> StateField {
        if self.implicit_thumb {
            StateField::ImplicitThumb
        } else {
            StateField::Written
        }
    }
}

/// A trace in Arm's Tarmac text.
pub struct Tarmac {
    input: Box<dyn ReadAt>,
    length: AtomicU64,
    /// True from opening an unsettled input until all of it was taken in.
    is_arriving: AtomicBool,
    settings: TarmacSettings,
    traits: SourceTraits,
}

impl std::fmt::Debug for Tarmac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tarmac")
            .field("length", &self.length)
            .field("traits", &self.traits)
            .finish_non_exhaustive()
    }
}

impl Tarmac {
    /// Opens a trace: reads up to its first instruction, at most 4 MiB.
    ///
    /// # Errors
    /// The input could not be read. The format is not checked here: see [`crate::detect::detect`].
    pub fn open(input: Box<dyn ReadAt>, options: TarmacOptions) -> Result<Self, SourceError> {
        // The order matters: input that settles in between is then taken in later.
        let is_arriving = AtomicBool::new(!input.is_settled());
        let length = input
            .length()
            .map_err(|error| SourceError::Read { offset: 0, error })?;
        let state_field = options.state_field();
        let head = TarmacHead::read(&*input, state_field)?;
        let endian = if options.endian == Endian::Big {
            "big"
        } else {
            "little"
        };
        let order = head
            .order
            .name()
            .map(|name| format!(",lines={name}"))
            .unwrap_or_default();
        let traits = SourceTraits {
            format: "tarmac".into(),
            endian: options.endian,
            time_unit: head.time_unit,
            instruction_set: head.instruction_set,
            registers: RegisterSource::Recorded,
            options: format!(
                "endian={endian},implicit-thumb={}{order}",
                options.implicit_thumb
            ),
        };
        let settings = TarmacSettings {
            first_set: head.instruction_set,
            endian: options.endian,
            state_field,
            limits: LIMITS,
            order: head.order,
            is_quick: true,
        };
        Ok(Self {
            input,
            length: length.into(),
            is_arriving,
            settings,
            traits,
        })
    }

    pub(super) fn settings(&self) -> &TarmacSettings {
        &self.settings
    }

    pub(super) fn input(&self) -> &dyn ReadAt {
        &*self.input
    }

    /// Disables the fast path: every line is read token by token.
    #[cfg(any(test, fuzzing))]
    pub fn slowly(self) -> Self {
        Self {
            settings: TarmacSettings {
                is_quick: false,
                ..self.settings
            },
            ..self
        }
    }

    /// Limits the window to a few lines.
    #[cfg(fuzzing)]
    pub fn through_small_window(self) -> Self {
        self.limited_to(TextLimits {
            window: 700,
            run: 200,
            line: 300,
        })
    }

    /// Sets smaller limits.
    #[cfg(test)]
    pub(super) fn with_limits(self, limits: TextLimits) -> Self {
        self.limited_to(limits)
    }

    #[cfg(any(test, fuzzing))]
    fn limited_to(self, limits: TextLimits) -> Self {
        Self {
            settings: TarmacSettings {
                limits,
                ..self.settings
            },
            ..self
        }
    }

    /// Does what [`Source::parse`] does, compiled for one sink.
    pub(crate) fn parse_into<S: EventSink + ?Sized>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        let TarmacScratch { buffer, names } = scratch.of();
        let mut run = TarmacRun::new(&self.settings, self.length(), names, sink);
        if self.settings.order != LineOrder::Plain {
            return run.parse_attributed(&*self.input, range, buffer);
        }
        run.parse(&mut InputWindow::new(
            &*self.input,
            range,
            self.settings.limits.window,
            buffer,
        ))
    }
}

impl Source for Tarmac {
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
        let length = self.input.length()?;
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
        let end = self.length();
        cut(&self.settings, &*self.input, target..limit, end, scratch)
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

/// Maximum number of bytes searched for the first instruction.
const HEAD: u64 = 4 << 20;

/// Properties that follow from the beginning of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TarmacHead {
    /// Instruction set of the first instruction; AArch64 if there is none.
    pub instruction_set: InstructionSet,
    /// First unit after a timestamp.
    pub time_unit: Option<String>,
    /// Order of the lines of an instruction.
    pub order: LineOrder,
}

impl TarmacHead {
    /// Reads up to the first instruction, including its unit.
    pub fn read(input: &dyn ReadAt, state_field: StateField) -> Result<Self, SourceError> {
        let mut buffer = Vec::new();
        let mut window = InputWindow::new(input, 0..HEAD, LIMITS.window, &mut buffer);
        let mut head = Self::default();
        window.advance(0)?;
        head.order = LineOrder::of(window.text(), state_field);
        while !head.has_instruction(&window, state_field) && !window.is_last() {
            let whole_lines = window.whole_lines();
            // A window without a newline is discarded: no line is that long.
            window.advance(if whole_lines == 0 {
                LIMITS.window
            } else {
                whole_lines
            })?;
        }
        Ok(head)
    }

    /// Reads the lines in the window; returns true if one of them is an instruction.
    fn has_instruction(&mut self, window: &InputWindow<'_>, state_field: StateField) -> bool {
        let mut at = 0;
        let lines_end = window.whole_lines();
        while at < lines_end {
            let Some((line, next)) = window.part().line_at(at) else {
                return false;
            };
            at = next;
            if line.len() > LIMITS.line {
                continue;
            }
            let line = without_return(line);
            let line = match TarmacLine::read(line, None, state_field) {
                TarmacLine::Fused(fused) => TarmacLine::read_single(
                    line.get(fused.at..).unwrap_or_default(),
                    None,
                    state_field,
                ),
                line => line,
            };
            if let (None, TarmacLine::Instruction(header, _) | TarmacLine::Other(header)) =
                (&self.time_unit, line)
            {
                self.time_unit = header
                    .unit
                    .map(|unit| String::from_utf8_lossy(unit).into_owned());
            }
            if let TarmacLine::Instruction(_, instruction) = line {
                self.instruction_set = instruction.set;
                return true;
            }
        }
        false
    }
}

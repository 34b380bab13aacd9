//! State of one run of the parser over a range ([`TarmacRun`]), and the events that it pushes.
//! Threads and registers get numbers in order of appearance in the run ([`RunNames`]). Both are
//! limited, because a damaged trace may name any number of them.

use stepback_machine::{Address, Endian, InstructionSet, Mode, RegisterId, RegisterView};

use crate::error::SourceError;
use crate::events::{EventSink, Flow, InputLocation, MemoryAccess, RegisterWrite, ThreadNumber};
use crate::problem::{LineFault, Problem, ProblemKind, TarmacFault};
use crate::source::ParsedRange;
use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::line::LookAhead;
use crate::tarmac::quick::QuickState;
use crate::tarmac::quick_header::{KnownPrefix, QuickHeaders};
use crate::tarmac::settings::TarmacSettings;
use crate::text::name_table::NameTable;
use crate::text::window::{InputWindow, LINE_LIMIT, TextLimits};

/// Maximum number of threads; lines of further ones are dropped. The limit is that of the index,
/// because a run over a part has fewer threads and would keep lines that the whole run drops.
pub(super) const THREADS: usize = 1 << 15;
/// Maximum number of registers outside the architecture's table.
pub(super) const NAMED_REGISTERS: usize = 4096;

/// State of a run.
pub(super) struct TarmacRun<'r, S: ?Sized> {
    pub settings: &'r TarmacSettings,
    /// Length of the input in bytes when the run began.
    pub input_length: u64,
    pub sink: &'r mut S,
    pub names: &'r mut RunNames,
    /// Offset in the input of the text in memory.
    pub base: u64,
    /// Number of lines of the range before the current one.
    pub line: u64,
    /// State that the line before leaves.
    pub before: PrecedingLine,
    pub chunk: ChunkContext,
    pub endian: Endian,
    pub limits: TextLimits,
    pub quick_headers: QuickHeaders,
    /// True while the quick headers are those of an earlier run: the thread of the first step was
    /// not announced yet.
    pub is_recalled: bool,
    pub quick_state: QuickState,
}

/// State that a line leaves to the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrecedingLine {
    pub clock: LastTimestamp,
    pub thread: LineThread,
    pub open: Option<OpenDiagram>,
}

/// Last timestamp on a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastTimestamp {
    /// `None` before the first one.
    pub time: Option<u64>,
    /// Offset in the input of its line.
    written_at: u64,
    /// True after an instruction line without a timestamp.
    is_step_untimed: bool,
}

impl LastTimestamp {
    /// Notes the timestamp of the line at `offset`, if it has one. Lines before an instruction are
    /// pushed after it, so the line furthest on counts and not the one pushed last.
    #[inline(always)]
    pub fn note(&mut self, time: Option<u64>, offset: u64) {
        if time.is_some() {
            *self = Self {
                time,
                written_at: offset.max(self.written_at),
                is_step_untimed: false,
            };
        }
    }

    /// Notes an instruction line. Without a timestamp it clears earlier ones: lines that follow
    /// must not depend on text before the chunk.
    pub fn note_step(&mut self, time: Option<u64>, offset: u64) {
        match time {
            Some(_) => self.note(time, offset),
            None => {
                *self = Self {
                    is_step_untimed: true,
                    ..Self::default()
                }
            }
        }
    }

    /// Returns true if the timestamp of the line at `offset` differs from that of the line before.
    ///
    /// A timestamp further back than the maximum length of a run is forgotten. So a trace with
    /// hardly any timestamps can be cut by the text around the place. After an instruction line
    /// without a timestamp, the first one is never new.
    #[inline(always)]
    pub fn is_new(&self, time: u64, offset: u64, limits: TextLimits) -> bool {
        let is_other =
            self.time != Some(time) || offset.saturating_sub(self.written_at) > limits.run as u64;
        is_other && !self.is_step_untimed
    }
}

/// Thread of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineThread {
    /// There was no line yet.
    #[default]
    Unset,
    Known(ThreadNumber),
    /// There are too many threads.
    Refused,
}

/// State that the instruction of the chunk determines for the lines that belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkContext {
    /// Instruction set in which register names are interpreted.
    pub set: InstructionSet,
    /// `None` before the first instruction of the range.
    pub thread: Option<ThreadNumber>,
    /// Mode of the lines that follow.
    pub mode: Mode,
}

/// The value of a register or of a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterValuePart<'a> {
    /// Offset of the first byte in the register.
    pub offset: u16,
    /// Value, little-endian.
    pub bytes: &'a [u8],
    pub is_known: bool,
}

impl<'r, S: EventSink + ?Sized> TarmacRun<'r, S> {
    /// Creates a run at the start of a chunk.
    pub fn new(
        settings: &'r TarmacSettings,
        input_length: u64,
        names: &'r mut RunNames,
        sink: &'r mut S,
    ) -> Self {
        names.clear();
        let set = settings.first_set;
        let chunk = ChunkContext {
            set,
            thread: None,
            mode: Mode::Other,
        };
        Self {
            settings,
            input_length,
            sink,
            names,
            base: 0,
            line: 0,
            before: PrecedingLine::default(),
            chunk,
            endian: settings.endian,
            limits: settings.limits,
            quick_headers: QuickHeaders::default(),
            is_recalled: false,
            quick_state: QuickState::default(),
        }
    }

    /// Pushes the events of all lines of the window's range.
    pub fn parse(&mut self, window: &mut InputWindow<'_>) -> Result<ParsedRange, SourceError> {
        let limits = self.limits;
        window.advance(0)?;
        loop {
            self.base = window.base();
            let done = self.lines(window);
            let is_finished = window.is_last() && done == window.text().len();
            let is_too_long = !window.is_last()
                && done == window.whole_lines()
                && window.text().len() - done > limits.line;
            let end = window.base() + done as u64;
            if is_finished {
                return Ok(ParsedRange {
                    lines: self.line,
                    end,
                });
            }
            if is_too_long {
                self.too_long(done);
                window.skip_line(done, u64::MAX)?;
            } else {
                window.advance(done)?;
            }
            if self.sink.progress(window.base()) == Flow::Stop {
                return Ok(ParsedRange {
                    lines: self.line,
                    end: window.base(),
                });
            }
        }
    }

    /// Reads whole lines, and returns the offset reached.
    fn lines(&mut self, window: &InputWindow<'_>) -> usize {
        let ahead = LookAhead {
            text: window.text(),
            lines_end: window.whole_lines(),
            is_last: window.is_last(),
            limits: self.limits,
            state_field: self.settings.state_field,
        };
        let padded = window.padded();
        let is_quick = self.settings.is_quick;
        if is_quick && self.line == 0 {
            self.recall_beginning();
        }
        let mut at = 0;
        while at < ahead.lines_end {
            let quick = if is_quick {
                self.quick_line(padded, at)
            } else {
                None
            };
            let Some(next) = quick.or_else(|| self.slow_line(&ahead, at)) else {
                break;
            };
            at = next;
        }
        // The newline after the last line may be part of the padding.
        at.min(ahead.lines_end)
    }

    /// Enables the fast path for the first line if it is a step and begins like a line of an
    /// earlier run.
    fn recall_beginning(&mut self) {
        self.is_recalled = true;
        self.quick_headers.recall(self.names.beginning.tail);
    }

    /// Forgets the recalled header: the first line has another one.
    pub fn forget_beginning(&mut self) {
        if std::mem::take(&mut self.is_recalled) {
            self.quick_headers = QuickHeaders::default();
        }
    }

    /// Announces the thread of the first line, whose header was recalled.
    #[cold]
    pub fn name_recalled(&mut self) {
        self.is_recalled = false;
        let known = std::mem::take(&mut self.names.beginning);
        self.thread(&known.cpu);
        self.names.beginning = known;
    }

    /// Reports a line that starts at `start` of the window and does not end in it.
    pub fn too_long(&mut self, start: usize) {
        let place = self.place(start);
        self.sink.problem(&Problem {
            place,
            column: 0,
            kind: ProblemKind::Tarmac {
                fault: TarmacFault::LineTooLong(LINE_LIMIT),
                found: None,
                is_open_ended: false,
            },
        });
        self.skip_too_long();
    }

    /// Skips a line that is too long to be read.
    pub fn skip_too_long(&mut self) {
        self.line += 1;
        self.before.open = None;
    }

    /// Returns the location of the current line, which starts at `start` of the text.
    pub fn place(&self, start: usize) -> InputLocation {
        InputLocation {
            offset: self.base + start as u64,
            line_in_range: self.line,
        }
    }

    /// Returns the number of a thread, and announces it to the sink on first use.
    pub fn thread(&mut self, cpu: &[u8]) -> LineThread {
        if let Some(number) = self.names.threads.find(cpu) {
            return LineThread::Known(ThreadNumber(number));
        }
        let Some(number) = self.names.threads.add(cpu, THREADS) else {
            return LineThread::Refused;
        };
        self.sink
            .thread_named(ThreadNumber(number), &String::from_utf8_lossy(cpu));
        LineThread::Known(ThreadNumber(number))
    }

    /// Returns the number of a register outside the table, and announces it to the sink on first
    /// use.
    pub fn named_register(&mut self, name: &[u8], width: u16) -> Result<RegisterId, LineFault> {
        if let Some(number) = self.names.registers.find(name) {
            return Ok(RegisterId(RegisterId::FIRST_NAMED.0 + number));
        }
        let number = self.names.registers.add(name, NAMED_REGISTERS);
        let number = number.ok_or(TarmacFault::TooManyRegisters(NAMED_REGISTERS).at(0))?;
        let register = RegisterId(RegisterId::FIRST_NAMED.0 + number);
        self.sink
            .register_named(register, &String::from_utf8_lossy(name), width);
        Ok(register)
    }

    /// Returns the mode in which plain names on a line of a thread are interpreted. It is unknown
    /// if the chunk's step belongs to another thread.
    #[inline]
    pub fn mode_of(&self, thread: ThreadNumber) -> Mode {
        if self.chunk.thread == Some(thread) {
            self.chunk.mode
        } else {
            Mode::Untold
        }
    }

    /// Pushes an access. Splits the recorded address into the actual address and the tag that the
    /// processor ignores.
    #[inline(always)]
    pub fn access(&mut self, access: MemoryAccess) {
        // Most addresses have no tag.
        let is_plain = matches!(access.address.0 >> 56, 0 | 0xff);
        let access = if is_plain {
            access
        } else {
            self.without_tag(access)
        };
        self.sink.access(&access);
    }

    #[cold]
    fn without_tag(&self, access: MemoryAccess) -> MemoryAccess {
        let plain = self.chunk.set.plain_address(access.address.0);
        match plain.checked_add(u64::from(access.size_bytes) - 1) {
            Some(_) => MemoryAccess {
                address: Address(plain),
                tag: access.address.0 ^ plain,
                ..access
            },
            None => access,
        }
    }

    /// Pushes a write of a part of `view`; `part.offset` is relative to it.
    #[inline(never)]
    pub fn write(&mut self, write: RegisterWrite<'_>, part: RegisterValuePart<'_>) {
        self.quick_write(write, part);
    }

    /// Does the work of [`Self::write`], inlined into the path of nearly all lines.
    #[inline(always)]
    pub fn quick_write(&mut self, write: RegisterWrite<'_>, part: RegisterValuePart<'_>) {
        let size_bytes = u16::try_from(part.bytes.len()).unwrap_or(u16::MAX);
        let view = RegisterView::new(
            write.view.register,
            write.view.offset + part.offset,
            size_bytes,
        );
        if view.register == RegisterId::PSR && part.is_known && view.offset == 0 {
            self.follow_status(write.thread, part.bytes);
        }
        self.sink.register_write(&RegisterWrite {
            view,
            bytes: part.is_known.then_some(part.bytes),
            ..write
        });
    }

    /// Sets the mode of the lines after a write to the status register.
    #[inline]
    fn follow_status(&mut self, thread: ThreadNumber, bytes: &[u8]) {
        let Some(status) = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else {
            return;
        };
        if self.chunk.thread == Some(thread)
            && let Some(state) = self.chunk.set.state_of(status)
        {
            self.chunk.mode = state.mode.stated_after(self.chunk.mode);
        }
    }
}

/// Buffers that are kept from call to call to save allocations.
#[derive(Debug, Default)]
pub(super) struct TarmacScratch {
    /// Buffer of the window over the text.
    pub buffer: Vec<u8>,
    pub names: RunNames,
}

/// Names found in a run.
#[derive(Debug, Default)]
pub(super) struct RunNames {
    /// Words such as `cpu0`.
    pub threads: NameTable,
    /// Registers outside the architecture's table, in lower case.
    pub registers: NameTable,
    /// Units of time that were reported as unknown.
    pub units: NameTable,
    /// Beginning of a line of this run or an earlier one.
    pub beginning: KnownPrefix,
}

impl RunNames {
    /// Forgets all names, but not the beginning of lines.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.registers.clear();
        self.units.clear();
    }
}

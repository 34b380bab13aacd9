//! Parser for traces in which some lines do not follow their instruction.
//!
//! A chunk is the text from one instruction line to the next. A line that belongs to another
//! instruction is skipped at its position and pushed with its instruction. Earlier lines are pushed
//! directly after the instruction, later ones after the lines of its chunk. Such a line has the
//! location of its instruction, since its actual location is outside the chunk. To find these
//! lines, the parser also reads the text around the range.

use std::ops::Range;

use crate::error::SourceError;
use crate::events::{EventSink, Flow, InputLocation};
use crate::read_at::ReadAt;
use crate::source::ParsedRange;
use crate::tarmac::line::{LookAhead, TarmacLine, cpu_of_other};
use crate::tarmac::line_order::{LineAttribution, REACH};
use crate::tarmac::line_table::{LineTable, TableKind};
use crate::tarmac::run::{LineThread, PrecedingLine, TarmacRun};
use crate::tarmac::slow::LocatedLine;
use crate::text::window::InputWindow;

/// Length of the text read before and after a range: lines within reach of its instructions, and
/// lines within reach of those.
const MARGIN: usize = 2 * REACH;
/// Length of the text parsed at once.
const BATCH: usize = 256 << 10;

/// Text in memory, and the part of it to parse.
struct LineBatch<'a> {
    ahead: LookAhead<'a>,
    /// Start of the first line to parse.
    from: usize,
    /// Lines from here on are left to the next batch, unless they continue the chunk of an
    /// instruction.
    to: usize,
    /// Lines from here on are outside the range.
    end: usize,
    /// True if the text begins with the trace.
    is_first: bool,
}

impl<'a> LineBatch<'a> {
    fn table(&self) -> LineTable<'a> {
        let part = self.ahead.part();
        let first_line =
            memchr::memchr(b'\n', part.text).map_or(part.text.len(), |newline| newline + 1);
        let start = if self.is_first {
            0
        } else {
            first_line.min(self.from)
        };
        let end = self.to.saturating_add(REACH + MARGIN);
        LineTable {
            is_first: self.is_first,
            ..LineTable::read(part, start..end, self.ahead.state_field)
        }
    }
}

/// Lines that belong to instructions of other chunks.
struct MovedLines {
    /// Instruction number and start of the line in the text; sorted.
    moves: Vec<(usize, usize)>,
    /// Says for each line of the table if it is one of them.
    is_moved: Vec<bool>,
}

impl MovedLines {
    fn of(attribution: &LineAttribution<'_, '_>) -> Self {
        let lines = &attribution.table.lines;
        let mut moved = Self {
            moves: Vec::new(),
            is_moved: vec![false; lines.len()],
        };
        for ((number, line), is_moved) in lines.iter().enumerate().zip(&mut moved.is_moved) {
            let instruction = attribution.elsewhere(number);
            *is_moved = instruction.is_some();
            moved
                .moves
                .extend(instruction.map(|instruction| (instruction, line.start)));
        }
        moved.moves.sort_unstable();
        moved
    }

    /// Returns the starts of the lines that belong to an instruction and are on one side of it.
    fn on_side(&self, chunk: OpenChunk, side: InstructionSide) -> impl Iterator<Item = usize> {
        let OpenChunk {
            instruction, start, ..
        } = chunk;
        let first = self
            .moves
            .partition_point(|(other, _)| *other < instruction);
        let from = self.moves.get(first..).unwrap_or_default().iter();
        let all = from
            .take_while(move |(other, _)| *other == instruction)
            .map(|(_, line)| *line);
        all.filter(move |line| (*line < start) == (side == InstructionSide::Before))
    }
}

/// Instruction of the chunk that is being parsed.
#[derive(Clone, Copy)]
struct OpenChunk {
    /// Number in the table.
    instruction: usize,
    /// Start of its line in the text.
    start: usize,
    place: InputLocation,
}

/// Side of its instruction on which a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InstructionSide {
    Before,
    After,
}

impl<S: EventSink + ?Sized> TarmacRun<'_, S> {
    /// Pushes the events of all lines of a range.
    pub fn parse_attributed(
        &mut self,
        input: &dyn ReadAt,
        range: Range<u64>,
        buffer: &mut Vec<u8>,
    ) -> Result<ParsedRange, SourceError> {
        let end = range.end.min(self.input_length);
        let (mut at, limits) = (range.start, self.limits);
        while at < end {
            let to = end.min(at.saturating_add(BATCH as u64));
            let base = at.saturating_sub(MARGIN as u64 + 1);
            let text_end = to
                .saturating_add((REACH + MARGIN + limits.line) as u64)
                .min(self.input_length);
            let mut window = InputWindow::new(input, base..text_end, usize::MAX, buffer);
            window.advance(0)?;
            let place =
                |offset: u64| usize::try_from(offset.saturating_sub(base)).unwrap_or(usize::MAX);
            let text = window.text();
            let ahead = LookAhead {
                text,
                lines_end: text.len(),
                is_last: text_end == self.input_length,
                limits,
                state_field: self.settings.state_field,
            };
            self.base = base;
            let done = self.batch(&LineBatch {
                ahead,
                from: place(at),
                to: place(to),
                end: place(end),
                is_first: base == 0,
            });
            let done = base + done as u64;
            at = if done > at {
                done
            } else {
                self.skip_endless(input, at..end, buffer)?
            };
            if self.sink.progress(at) == Flow::Stop {
                break;
            }
        }
        Ok(ParsedRange {
            lines: self.line,
            end: at.max(range.start),
        })
    }

    /// Reports a line that does not end in the text in memory. Returns the start of the next one.
    fn skip_endless(
        &mut self,
        input: &dyn ReadAt,
        range: Range<u64>,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, SourceError> {
        self.base = range.start;
        self.too_long(0);
        let end = range.end;
        let mut window = InputWindow::new(input, range, self.limits.window, buffer);
        window.advance(0)?;
        Ok(if window.skip_line(0, u64::MAX)? {
            window.base()
        } else {
            end
        })
    }

    /// Parses the lines of a batch and returns the offset at which it stopped.
    fn batch(&mut self, batch: &LineBatch<'_>) -> usize {
        let table = batch.table();
        let attribution = LineAttribution {
            table: &table,
            order: self.settings.order,
        };
        let moved = MovedLines::of(&attribution);
        let mut open: Option<OpenChunk> = None;
        let mut at = batch.from;
        while at < batch.end {
            let number = table.line_at(at);
            let begun = number.and_then(|number| table.lines.get(number));
            let begun = begun
                .filter(|line| matches!(line.kind, TableKind::Instruction))
                .and_then(|line| line.above);
            let is_far = open.is_none_or(|open| at - open.start > REACH);
            if at >= batch.to && (begun.is_some() || is_far) {
                break;
            }
            if begun.is_some() {
                self.push_moved(&batch.ahead, &moved, open, InstructionSide::After);
            }
            let place = self.place(at);
            let is_moved = number.is_some_and(|number| moved.is_moved.get(number) == Some(&true));
            let next = if is_moved {
                self.pass_over(&batch.ahead, at)
            } else {
                self.line_in_place(&batch.ahead, at)
            };
            let Some(next) = next else { break };
            if let Some(instruction) = begun {
                open = Some(OpenChunk {
                    instruction,
                    start: at,
                    place,
                });
                self.push_moved(&batch.ahead, &moved, open, InstructionSide::Before);
            }
            at = next;
        }
        self.push_moved(&batch.ahead, &moved, open, InstructionSide::After);
        // The range ends between two records of a line, and the first of them begins in the range.
        let is_in_line = at == batch.end && at < batch.ahead.text.len();
        self.line +=
            u64::from(is_in_line && batch.ahead.text.get(at.wrapping_sub(1)) != Some(&b'\n'));
        at
    }

    /// Skips a line that belongs to the instruction of another chunk.
    fn pass_over(&mut self, ahead: &LookAhead<'_>, at: usize) -> Option<usize> {
        let (spot, next) = self.spot(ahead, at)?;
        if let TarmacLine::Other(header) =
            TarmacLine::read_single(spot.line, None, ahead.state_field)
            && let Some(cpu) = cpu_of_other(header.time, header.cpu)
        {
            self.before.thread = self.thread(cpu);
        }
        self.line += 1;
        self.before.open = None;
        Some(next)
    }

    /// Pushes the lines of other chunks that belong to the open instruction and are on one side of
    /// it.
    fn push_moved(
        &mut self,
        ahead: &LookAhead<'_>,
        moved: &MovedLines,
        chunk: Option<OpenChunk>,
        side: InstructionSide,
    ) {
        let Some(chunk) = chunk else { return };
        let (line_before, before) = (self.line, self.before);
        for at in moved.on_side(chunk, side) {
            let Some((spot, _)) = self.spot(ahead, at) else {
                continue;
            };
            let thread = self.chunk.thread.map_or(before.thread, LineThread::Known);
            self.before = PrecedingLine {
                open: None,
                thread,
                ..before
            };
            let line = TarmacLine::read_single(spot.line, None, ahead.state_field);
            // Their text is not at the location of the instruction's events.
            self.sink.scattered_values();
            self.push(
                line,
                LocatedLine {
                    place: chunk.place,
                    ..spot
                },
            );
        }
        (self.line, self.before) = (line_before, before);
    }
}

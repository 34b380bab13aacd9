//! Slow path: lines of any form, token by token.

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, Mode, RegisterView};

use crate::events::{
    DelaySlot, EventSink, InputLocation, MemoryAccess, RegisterWrite, StepEvent, StepOrigin,
    TextEvent, TextKind, ThreadNumber, WrittenName,
};
use crate::problem::{FoundToken, LineFault, Problem, ProblemKind, TarmacFault};
use crate::tarmac::diagram_line::{Diagram, OpenDiagram};
use crate::tarmac::fused::RecordSplit;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::line::{
    FIRST_CPU, LookAhead, LookAheadResult, RunStart, TarmacLine, cpu_of_other,
};
use crate::tarmac::memory_line::MemoryLine;
use crate::tarmac::quick_header::ThreadStamp;
use crate::tarmac::register_line::RegisterLine;
use crate::tarmac::register_value::ByteState;
use crate::tarmac::run::{
    ChunkContext, LineThread, RegisterValuePart, RunNames, THREADS, TarmacRun,
};
use crate::text::lexer::{Lexer, Token, is_word_byte};
use crate::text::window::{LINE_LIMIT, without_return};

/// Maximum number of unknown units of time that are remembered as reported.
const UNKNOWN_UNITS: usize = 64;

/// A line and its location.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedLine<'a> {
    pub line: &'a [u8],
    pub place: InputLocation,
    pub chunk_offset: u64,
    /// Length including carriage returns.
    pub raw_length: usize,
    /// True for the last line of the input if it has no newline.
    pub is_open_ended: bool,
}

/// A line other than an instruction, with its thread.
#[derive(Clone, Copy, Debug)]
struct OtherLine<'a> {
    header: LineHeader<'a>,
    thread: ThreadNumber,
    spot: LocatedLine<'a>,
}

impl<S: EventSink + ?Sized> TarmacRun<'_, S> {
    /// Reads the line at `at`, or the whole step if it and the lines after it precede their
    /// instruction. Returns the start of the next line; `None` if more of the input is needed.
    pub fn slow_line(&mut self, ahead: &LookAhead<'_>, at: usize) -> Option<usize> {
        self.forget_beginning();
        let (spot, next) = self.spot(ahead, at)?;
        if spot.raw_length > ahead.limits.line {
            return self.line_in_place(ahead, at);
        }
        let line = self.read(ahead, spot);
        if matches!(line, TarmacLine::Fused(_)) {
            return self.line_in_place(ahead, at);
        }
        let Some(run) = self.run_start(&line, at) else {
            self.push(line, spot);
            return Some(next);
        };
        match ahead.follow(run) {
            LookAheadResult::NeedsMore => None,
            LookAheadResult::Nothing => {
                self.push(line, spot);
                Some(next)
            }
            LookAheadResult::Instruction { start, lines } => {
                self.run_before(ahead, at, start, lines)
            }
        }
    }

    /// Reads the line at `at`, wherever its instruction is. Returns the start of the next line.
    pub fn line_in_place(&mut self, ahead: &LookAhead<'_>, at: usize) -> Option<usize> {
        let (spot, next) = self.spot(ahead, at)?;
        if spot.raw_length > ahead.limits.line {
            // The line may extend beyond the window, where its end is not visible.
            self.report(
                LocatedLine {
                    is_open_ended: false,
                    ..spot
                },
                TarmacFault::LineTooLong(LINE_LIMIT).at(0),
            );
            self.skip_too_long();
            return Some(next);
        }
        match self.read(ahead, spot) {
            TarmacLine::Fused(fused) => Some(
                self.fused(ahead, spot, fused)
                    .map_or(next, |length| at + length),
            ),
            line => {
                self.push(line, spot);
                Some(next)
            }
        }
    }

    /// Reads a line of two records. Returns the offset in it at which to continue; `None` if it is
    /// done.
    ///
    /// A first record that is cut off might look whole to a range that ends right after it, so its
    /// bytes belong to the second record.
    fn fused(
        &mut self,
        ahead: &LookAhead<'_>,
        spot: LocatedLine<'_>,
        fused: RecordSplit,
    ) -> Option<usize> {
        let (first, second) = spot.line.split_at_checked(fused.at)?;
        // A range that ends between the two drops the carriage return at its end.
        let first = without_return(first);
        let kind = if fused.is_first_whole {
            TarmacFault::Fused
        } else {
            TarmacFault::FusedAndCut
        };
        if fused.is_first_whole {
            let line = TarmacLine::read_single(first, self.before.open, ahead.state_field);
            self.push(
                line,
                LocatedLine {
                    line: first,
                    is_open_ended: false,
                    ..spot
                },
            );
            self.line = spot.place.line_in_range;
            self.before.open = None;
        }
        self.report(
            LocatedLine {
                is_open_ended: false,
                ..spot
            },
            kind.at(fused.at),
        );
        if fused.is_first_whole {
            return Some(fused.at);
        }
        let place = InputLocation {
            offset: spot.place.offset + fused.at as u64,
            ..spot.place
        };
        let line = TarmacLine::read_single(second, None, ahead.state_field);
        self.push(
            line,
            LocatedLine {
                line: second,
                place,
                ..spot
            },
        );
        None
    }

    pub fn spot<'a>(&self, ahead: &LookAhead<'a>, at: usize) -> Option<(LocatedLine<'a>, usize)> {
        let (line, next) = ahead.part().line_at(at)?;
        let place = self.place(at);
        let is_open_ended = place.offset + line.len() as u64 == self.input_length;
        let (raw_length, line) = (line.len(), without_return(line));
        Some((
            LocatedLine {
                line,
                place,
                chunk_offset: place.offset,
                raw_length,
                is_open_ended,
            },
            next,
        ))
    }

    fn read<'a>(&self, ahead: &LookAhead<'_>, spot: LocatedLine<'a>) -> TarmacLine<'a> {
        TarmacLine::read(spot.line, self.before.open, ahead.state_field)
    }

    /// Returns the run of lines that may belong to the instruction after them, if this line begins
    /// one.
    fn run_start<'a>(&self, line: &TarmacLine<'a>, start: usize) -> Option<RunStart<'a>> {
        let TarmacLine::Other(header) = line else {
            return None;
        };
        let offset = self.base + start as u64;
        let time = header
            .time
            .filter(|time| self.before.clock.is_new(*time, offset, self.limits))?;
        Some(RunStart {
            start,
            time,
            cpu: header.cpu.unwrap_or(FIRST_CPU),
        })
    }

    /// Pushes the instruction at `start`, and then the `lines` lines from `at` up to it.
    fn run_before(
        &mut self,
        ahead: &LookAhead<'_>,
        at: usize,
        start: usize,
        lines: u64,
    ) -> Option<usize> {
        let first_line = self.line;
        self.line += lines;
        let (mut spot, next) = self.spot(ahead, start)?;
        spot.chunk_offset = self.base + at as u64;
        let line = TarmacLine::read(spot.line, None, ahead.state_field);
        self.push(line, spot);
        self.line = first_line;
        let mut at = at;
        while at < start {
            let (spot, next) = self.spot(ahead, at)?;
            let line = self.read(ahead, spot);
            self.push(line, spot);
            at = next;
        }
        self.before.clock.note_step(line.time(), spot.place.offset);
        self.line += 1;
        self.before.open = None;
        Some(next)
    }

    /// Pushes the events of a line and advances to the next one.
    pub fn push(&mut self, line: TarmacLine<'_>, spot: LocatedLine<'_>) {
        let open = line.open_diagram();
        match line {
            TarmacLine::Instruction(header, _) => {
                self.before.clock.note_step(header.time, spot.place.offset)
            }
            _ => self.before.clock.note(line.time(), spot.place.offset),
        }
        let result = match line {
            // The two parts of a fused line are read separately.
            TarmacLine::Blank | TarmacLine::Fused(_) => Ok(()),
            TarmacLine::Row(open) => self.row(open, spot),
            TarmacLine::Broken(fault) => Err(fault),
            TarmacLine::Instruction(header, instruction) => {
                self.instruction(&header, &instruction, spot)
            }
            TarmacLine::Other(header) if header.kind == LineKind::Title => Ok(()),
            TarmacLine::Other(header) => self.other(header, spot),
        };
        if let Err(fault) = result {
            self.report(spot, fault);
        }
        if let TarmacLine::Instruction(header, _) | TarmacLine::Other(header) = line {
            self.doubt(&header, spot);
            self.learn(&header, spot);
        }
        self.before.open = open;
        self.line += 1;
    }

    /// Reports a problem in the header of a line that was read nevertheless.
    fn doubt(&mut self, header: &LineHeader<'_>, spot: LocatedLine<'_>) {
        let is_stated = |names: &mut RunNames, unit| names.units.add(unit, UNKNOWN_UNITS).is_none();
        match (header.doubt, header.unit) {
            (
                Some(LineFault {
                    kind: TarmacFault::UnknownUnit,
                    ..
                }),
                Some(unit),
            ) if is_stated(self.names, unit) => {}
            (Some(fault), _) => self.report(spot, fault),
            (None, _) => {}
        }
    }

    /// Enables the fast path for lines with this header.
    fn learn(&mut self, header: &LineHeader<'_>, spot: LocatedLine<'_>) {
        let time = header.time.filter(|_| header.kind != LineKind::Title);
        if let (Some(time), LineThread::Known(thread)) = (time, self.before.thread) {
            let tail =
                self.quick_headers
                    .learn(spot.line, header.word_at, ThreadStamp { time, thread });
            // Each run must report a doubtful header, so only sound ones are kept for the next run.
            if let Some(tail) = tail.filter(|_| header.doubt.is_none()) {
                self.names
                    .beginning
                    .note(tail, header.cpu.unwrap_or(FIRST_CPU));
            }
        }
    }

    fn report(&mut self, spot: LocatedLine<'_>, fault: LineFault) {
        self.sink.problem(&Problem {
            place: spot.place,
            column: u32::try_from(fault.column).unwrap_or(u32::MAX),
            kind: ProblemKind::Tarmac {
                fault: fault.kind,
                found: found_token(fault, spot.line),
                is_open_ended: spot.is_open_ended,
            },
        });
    }

    fn instruction(
        &mut self,
        header: &LineHeader<'_>,
        line: &InstructionLine<'_>,
        spot: LocatedLine<'_>,
    ) -> Result<(), LineFault> {
        self.before.thread = self.thread(header.cpu.unwrap_or(FIRST_CPU));
        let thread = self.known_thread(header)?;
        let mode = Mode::of(line.mode);
        self.chunk = ChunkContext {
            set: line.set,
            thread: Some(thread),
            mode,
        };
        self.sink.begin_step(&StepEvent {
            thread,
            place: spot.place,
            chunk_offset: spot.chunk_offset,
            time: header.time,
            pc: line.pc,
            instruction_set: line.set,
            opcode: line.opcode,
            bytes: &[],
            branch: RecordedBranch::Unsaid,
            length_bytes: line.length_bytes,
            is_executed: line.is_executed,
            delay_slot: DelaySlot::None,
            origin: StepOrigin::Recorded,
            mode,
            text: line.text,
        });
        Ok(())
    }

    fn known_thread(&self, header: &LineHeader<'_>) -> Result<ThreadNumber, LineFault> {
        match self.before.thread {
            LineThread::Known(thread) => Ok(thread),
            _ => Err(TarmacFault::TooManyThreads(THREADS).at(header.word_at)),
        }
    }

    fn other(&mut self, header: LineHeader<'_>, spot: LocatedLine<'_>) -> Result<(), LineFault> {
        match cpu_of_other(header.time, header.cpu) {
            Some(cpu) => self.before.thread = self.thread(cpu),
            None if self.before.thread == LineThread::Unset => {
                self.before.thread = self.thread(FIRST_CPU)
            }
            None => {}
        }
        let stated = OtherLine {
            header,
            thread: self.known_thread(&header)?,
            spot,
        };
        match header.kind {
            LineKind::Register => self.register(stated),
            LineKind::Memory => self.memory(stated),
            LineKind::Diagram(kind) => self.diagram(kind, Diagram::read(header.fields)?, stated),
            LineKind::Instruction => {
                InstructionLine::read(&header, self.settings.state_field)?;
                self.text(TextKind::Exception, stated)
            }
            LineKind::Event => self.text(event_kind(&header), stated),
            LineKind::Exception => self.text(TextKind::Exception, stated),
            LineKind::Unknown => self.unknown(stated),
            LineKind::Note | LineKind::Title => self.text(TextKind::Note, stated),
        }
    }

    fn text(&mut self, kind: TextKind, stated: OtherLine<'_>) -> Result<(), LineFault> {
        let text = stated
            .spot
            .line
            .get(stated.header.word_at..)
            .unwrap_or_default();
        let kind = if kind == TextKind::Exception {
            exceptional(text)
        } else {
            kind
        };
        self.sink.text(&TextEvent {
            thread: stated.thread,
            kind,
            text,
            place: stated.spot.place,
        });
        Ok(())
    }

    /// Pushes a note, and reports a problem.
    fn unknown(&mut self, stated: OtherLine<'_>) -> Result<(), LineFault> {
        self.text(TextKind::Note, stated)?;
        Err(TarmacFault::UnknownType.at(stated.header.word_at))
    }

    fn register(&mut self, stated: OtherLine<'_>) -> Result<(), LineFault> {
        let column = stated.header.fields.at();
        let Some(mut line) = RegisterLine::read(stated.header.fields, self.chunk.set)? else {
            return self.text(TextKind::Note, stated);
        };
        // A trace that is cut off may lack digits, or the rest of a name; then the register is
        // unknown.
        if stated.spot.is_open_ended && !line.is_surely_whole(self.chunk.set) {
            if !matches!(
                stated
                    .header
                    .fields
                    .rest()
                    .iter()
                    .position(|byte| !is_word_byte(*byte)),
                Some(1..)
            ) {
                return Err(TarmacFault::CutOff.at(column));
            }
            line.forget_value(TarmacFault::CutOff.at(column));
        }
        let write = RegisterWrite {
            thread: stated.thread,
            view: RegisterView::default(),
            bytes: None,
            name: WrittenName::Own,
            mode: self.mode_of(stated.thread),
            place: stated.spot.place,
        };
        let line = line.in_mode(write.mode, self.chunk.set);
        if line.value.is_scattered() {
            self.sink.scattered_values();
        }
        let mut name = WrittenName::Own;
        if let Some(known) = line.known {
            let names = known.names_in(write.mode);
            if let Some(name) = names.plain {
                self.parts(
                    &line,
                    RegisterWrite {
                        view: known.view,
                        name,
                        ..write
                    },
                );
            }
            match names.bank {
                Some(of_bank) => name = of_bank,
                None => return line.value.doubt().map_or(Ok(()), Err),
            }
        }
        let register = self.named_register(line.name.as_bytes(), line.width);
        let register = register.map_err(|fault| LineFault { column, ..fault })?;
        self.parts(
            &line,
            RegisterWrite {
                view: RegisterView::new(register, 0, 0),
                name,
                ..write
            },
        );
        line.value.doubt().map_or(Ok(()), Err)
    }

    fn parts(&mut self, line: &RegisterLine, write: RegisterWrite<'_>) {
        for (start, bytes, state) in line.value.runs() {
            let offset = line.offset + u16::try_from(start).unwrap_or(0);
            self.write(
                write,
                RegisterValuePart {
                    offset,
                    bytes,
                    is_known: state == ByteState::Known,
                },
            );
        }
    }

    fn memory(&mut self, stated: OtherLine<'_>) -> Result<(), LineFault> {
        let Some(mut line) = MemoryLine::read(&stated.header, self.settings.endian)? else {
            return self.text(TextKind::Note, stated);
        };
        if stated.spot.is_open_ended && !line.is_surely_whole() {
            line.forget_data(TarmacFault::CutOff.at(stated.header.word_at));
        }
        if line.is_scattered {
            self.sink.scattered_values();
        }
        for (address, size_bytes, bytes) in line.parts() {
            let access = MemoryAccess {
                thread: stated.thread,
                kind: line.kind,
                address: Address(address),
                tag: 0,
                size_bytes,
                bytes,
                place: stated.spot.place,
            };
            self.access(access);
        }
        line.doubt.map_or(Ok(()), Err)
    }

    /// Reads a further row of the diagram on the line before, of the same thread.
    fn row(&mut self, open: OpenDiagram, spot: LocatedLine<'_>) -> Result<(), LineFault> {
        let fields = Lexer::new(spot.line);
        let diagram = Diagram::read(fields)?;
        let LineThread::Known(thread) = self.before.thread else {
            return Err(TarmacFault::TooManyThreads(THREADS).at(fields.at()));
        };
        self.accesses(open.kind, &diagram, thread, spot.place);
        Ok(())
    }

    fn diagram(
        &mut self,
        kind: AccessKind,
        diagram: Diagram,
        stated: OtherLine<'_>,
    ) -> Result<(), LineFault> {
        self.accesses(kind, &diagram, stated.thread, stated.spot.place);
        Ok(())
    }

    pub fn accesses(
        &mut self,
        kind: AccessKind,
        diagram: &Diagram,
        thread: ThreadNumber,
        place: InputLocation,
    ) {
        // Bytes are printed at their place on the bus.
        self.sink.scattered_values();
        for access in diagram.accesses() {
            self.access(MemoryAccess {
                thread,
                kind,
                address: Address(access.address),
                tag: 0,
                size_bytes: access.size_bytes,
                bytes: access.bytes,
                place,
            });
        }
    }
}

/// Maximum length of a word in a problem; longer ones are truncated.
const WORD_SHOWN: usize = 40;

/// Returns the token of a line that was found instead of the expected one.
fn found_token(fault: LineFault, line: &[u8]) -> Option<FoundToken> {
    let is_expected = match fault.kind {
        TarmacFault::Expected(_) => true,
        TarmacFault::UnknownType | TarmacFault::UnknownUnit => false,
        _ => return None,
    };
    match Lexer::new(line.get(fault.column..).unwrap_or_default()).peek() {
        Token::Word(word) => {
            let start = word.get(..WORD_SHOWN).unwrap_or(word);
            Some(FoundToken::Word(
                String::from_utf8_lossy(start).into_owned(),
            ))
        }
        Token::End if is_expected => Some(FoundToken::End),
        Token::Mark(mark) if is_expected => Some(FoundToken::Mark(mark.into())),
        _ => None,
    }
}

fn event_kind(header: &LineHeader<'_>) -> TextKind {
    match header.fields.peek() {
        Token::Word(word) if word.starts_with(b"DebugEvent_") => TextKind::Note,
        _ => TextKind::Exception,
    }
}

/// Classifies the text of a line that is recorded like an exception.
fn exceptional(text: &[u8]) -> TextKind {
    const OTHERS: [&str; 7] = [
        "mode", "halt", "debug", "semihost", "return", "eret", "reset",
    ];
    let text = text.to_ascii_lowercase();
    let is_other = OTHERS
        .iter()
        .any(|other| memchr::memmem::find(&text, other.as_bytes()).is_some());
    if is_other {
        TextKind::StateChange
    } else {
        TextKind::Exception
    }
}

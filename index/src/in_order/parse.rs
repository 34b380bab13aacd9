//! Parses the parts of a trace on all threads for a sink that needs its events in order
//! ([`parse_in_order`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::Discriminant;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{
    EventSink, Flow, InputLocation, MarkerEvent, MemoryAccess, ParseScratch, ParsedRange, Problem,
    ProblemKind, Recurrence, RegisterWrite, Source, SourceError, StepEvent, TextEvent,
    ThreadNumber,
};

use crate::in_order::batch::EventBatch;
use crate::in_order::map::map_in_order;

/// Maximum length of a part whose events are recorded. Longer ones, as of a trace without steps,
/// are parsed for the sink.
const RECORDED_BYTES: u64 = 4 << 20;

/// Length of the parts of a trace without an index.
const CUT_BYTES: u64 = 512 << 10;

/// Divides a trace without an index into parts that can be parsed separately. Where it cannot be cut,
/// parts are longer. Cost: reads the input around each cut.
pub fn cut_parts(source: &dyn Source) -> impl Iterator<Item = Result<Range<u64>, SourceError>> {
    let (length, mut start) = (source.length(), 0);
    let mut scratch = ParseScratch::default();
    std::iter::from_fn(move || {
        let (from, mut target) = (start, start);
        while from < length && start == from {
            target = target.saturating_add(CUT_BYTES);
            if target >= length {
                start = length;
                break;
            }
            let limit = target.saturating_add(CUT_BYTES).min(length);
            match source.cut(target, limit, &mut scratch) {
                Ok(cut) => start = cut.unwrap_or(from),
                Err(error) => {
                    start = length;
                    return Some(Err(error));
                }
            }
        }
        (from < start).then_some(Ok(from..start))
    })
}

/// A part of a trace, ready for the sink.
struct ParsedPart {
    range: Range<u64>,
    /// Events and number of lines; `None` for a part that is parsed for the sink.
    events: Option<(EventBatch, u64)>,
}

/// Reason for the end of a pass.
enum PassEnd<E> {
    /// The sink wants no more.
    Stopped,
    Failed(E),
}

impl<E: From<SourceError>> From<SourceError> for PassEnd<E> {
    fn from(error: SourceError) -> Self {
        Self::Failed(error.into())
    }
}

/// Pushes the events of contiguous parts of a trace into `sink`, as one run of the parser over all
/// of them does: [`Source::parse`]. The parts are parsed on all threads and wait in bounded memory
/// for the sink, which runs here. [`EventSink::progress`] is called after each part.
///
/// # Errors
/// Returns the first error of a part, which may also be one of the iterator.
pub fn parse_in_order<E: From<SourceError> + Send>(
    source: &dyn Source,
    parts: impl Iterator<Item = Result<Range<u64>, E>>,
    sink: &mut impl EventSink,
) -> Result<(), E> {
    let mut joined = JoinedRuns::new(sink);
    let has_threads = rayon::current_num_threads() > 1;
    let unused: Mutex<Vec<EventBatch>> = Mutex::default();
    let lock = || unused.lock().unwrap_or_else(PoisonError::into_inner);
    let parse = |part: Result<Range<u64>, E>| {
        let range = part.map_err(PassEnd::Failed)?;
        let is_recorded = has_threads && range.end - range.start <= RECORDED_BYTES;
        let events = match is_recorded {
            true => {
                let mut events = lock().pop().unwrap_or_default();
                let parsed = parse_part(source, range.clone(), &mut events)?;
                Some((events, parsed.lines))
            }
            false => None,
        };
        Ok(ParsedPart { range, events })
    };
    let passed = map_in_order(parts, parse, |ParsedPart { range, events }| {
        joined.begin_run();
        let lines = match events {
            Some((mut events, lines)) => {
                events.replay(&mut joined);
                events.clear();
                lock().push(events);
                lines
            }
            None => {
                let parsed = parse_part(source, range.clone(), &mut joined)?;
                parsed.lines
            }
        };
        joined.lines += lines;
        match joined.sink.progress(range.end) {
            Flow::Continue => Ok(()),
            Flow::Stop => Err(PassEnd::Stopped),
        }
    });
    match passed {
        Ok(()) | Err(PassEnd::Stopped) => Ok(()),
        Err(PassEnd::Failed(error)) => Err(error),
    }
}

/// Parses a range of a trace with the buffers of this thread: see [`Source::parse`].
///
/// # Errors
/// The input could not be read.
pub fn parse_part(
    source: &dyn Source,
    range: Range<u64>,
    sink: &mut dyn EventSink,
) -> Result<ParsedRange, SourceError> {
    thread_local! {
        static SCRATCH: RefCell<ParseScratch> = RefCell::default();
    }
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => source.parse(range, &mut scratch, sink),
        // The sink of another run parses this part.
        Err(_) => source.parse(range, &mut ParseScratch::default(), sink),
    })
}

/// Sink that makes the runs of a parser look like a single one: each run numbers threads and
/// registers anew, counts lines from its start, and repeats what is reported once a run.
struct JoinedRuns<'a, S> {
    sink: &'a mut S,
    /// Number of lines before the run.
    lines: u64,
    /// All threads by name, and their numbers by the number in the run.
    threads: HashMap<String, ThreadNumber>,
    run_threads: Vec<ThreadNumber>,
    /// All registers outside the architecture's table by name, and their numbers by the number in
    /// the run.
    registers: HashMap<String, RegisterId>,
    run_registers: Vec<RegisterId>,
    reported_once: Vec<Discriminant<ProblemKind>>,
}

impl<'a, S: EventSink> JoinedRuns<'a, S> {
    fn new(sink: &'a mut S) -> Self {
        Self {
            sink,
            lines: 0,
            threads: HashMap::new(),
            run_threads: Vec::new(),
            registers: HashMap::new(),
            run_registers: Vec::new(),
            reported_once: Vec::new(),
        }
    }

    fn begin_run(&mut self) {
        self.run_threads.clear();
        self.run_registers.clear();
    }

    fn thread(&self, number: ThreadNumber) -> ThreadNumber {
        let known = self.run_threads.get(usize::from(number.0));
        known.copied().unwrap_or(number)
    }

    fn view(&self, view: RegisterView) -> RegisterView {
        let number = view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let known = number.and_then(|number| self.run_registers.get(usize::from(number)));
        RegisterView {
            register: known.copied().unwrap_or(view.register),
            ..view
        }
    }

    fn place(&self, place: InputLocation) -> InputLocation {
        InputLocation {
            line_in_range: self.lines.saturating_add(place.line_in_range),
            ..place
        }
    }
}

impl<S: EventSink> EventSink for JoinedRuns<'_, S> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        let next = ThreadNumber(u16::try_from(self.threads.len()).unwrap_or(u16::MAX));
        let number = match self.threads.get(name) {
            Some(number) => *number,
            None => {
                self.threads.insert(name.to_owned(), next);
                self.sink.thread_named(next, name);
                next
            }
        };
        self.run_threads.push(number);
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, size_bytes: u16) {
        let next = u16::try_from(self.registers.len()).unwrap_or(u16::MAX);
        let next = RegisterId(RegisterId::FIRST_NAMED.0.saturating_add(next));
        let register = match self.registers.get(name) {
            Some(register) => *register,
            None => {
                self.registers.insert(name.to_owned(), next);
                self.sink.register_named(next, name, size_bytes);
                next
            }
        };
        self.run_registers.push(register);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.sink.begin_step(&StepEvent {
            thread: self.thread(step.thread),
            place: self.place(step.place),
            ..step.clone()
        });
    }

    fn scattered_values(&mut self) {
        self.sink.scattered_values();
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        self.sink.register_write(&RegisterWrite {
            thread: self.thread(write.thread),
            view: self.view(write.view),
            place: self.place(write.place),
            ..*write
        });
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.sink.access(&MemoryAccess {
            thread: self.thread(access.thread),
            place: self.place(access.place),
            ..*access
        });
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.sink.text(&TextEvent {
            thread: self.thread(event.thread),
            place: self.place(event.place),
            ..*event
        });
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.sink.marker(&MarkerEvent {
            thread: self.thread(event.thread),
            place: self.place(event.place),
            ..*event
        });
    }

    fn problem(&mut self, problem: &Problem) {
        if problem.kind.recurrence() == Recurrence::OnceARun {
            let kind = std::mem::discriminant(&problem.kind);
            if self.reported_once.contains(&kind) {
                return;
            }
            self.reported_once.push(kind);
        }
        self.sink.problem(&Problem {
            place: self.place(problem.place),
            ..problem.clone()
        });
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.sink.progress(offset)
    }
}

//! Reads the events of many steps again, without copying them ([`StepEvents`]): for passes over
//! whole traces, which may divide them among threads.

use stepback_machine::{AccessKind, Address, InstructionSet, RegisterId, RegisterView};
use stepback_parsers::{
    EventSink, Flow, Line, Marker, MarkerEvent, MemoryAccess, Position, RegisterWrite, Step,
    StepEvent, TextEvent, TextKind, ThreadNumber,
};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::HostOperation;
use crate::index::Index;
use crate::read::contradictions::Contradictions;
use crate::read::lines;
use crate::read::slots::{ParserNames, SlotReader};

/// An event of the trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceEvent<'a> {
    /// Step to which it belongs: the last of its thread; `None` before the first.
    pub step: Option<Step>,
    /// First position at which it is visible.
    pub position: Position,
    /// Number of register writes and accesses that become visible at the same position before it.
    pub place: usize,
    /// Thread of the event.
    pub thread: ThreadId,
    /// Contents.
    pub kind: TraceEventKind<'a>,
}

/// Contents of a [`TraceEvent`].
#[derive(Clone, Copy, Debug)]
pub enum TraceEventKind<'a> {
    /// A step was reached.
    Step {
        /// The step as the parser passes it.
        event: &'a StepEvent<'a>,
        /// Time, never less than that of the step before; `None` if the trace has no times.
        time: Option<u64>,
        /// Line of the instruction; `None` in formats without lines.
        line: Option<Line>,
    },
    /// A register was written. If the trace names a bank in use, the bank and the plain register
    /// are two events.
    Register {
        /// Written bytes.
        view: RegisterView,
        /// Instruction set that names it.
        set: InstructionSet,
        /// Value, least significant byte first; `None` if it is unknown.
        bytes: Option<&'a [u8]>,
    },
    /// Memory was accessed.
    Access {
        /// The access as the parser passes it.
        event: &'a MemoryAccess,
        /// True if it is a read that contradicts the last value known before it; false in
        /// [`StepEvents::each_recorded`].
        is_external: bool,
    },
    /// The host wrote memory during a semihosting call.
    HostWrite {
        /// Lowest address.
        address: Address,
        /// Number of bytes.
        size_bytes: u64,
        /// Operation that the program requested.
        operation: HostOperation,
    },
    /// Text in the trace.
    Text {
        /// Kind of the event.
        kind: TextKind,
        /// Rest of the line.
        text: &'a [u8],
    },
    /// A record that is neither a step nor an access.
    Marker(Marker),
}

/// Reads the events between two positions. Ranges that adjoin give each event of the trace once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepEvents {
    /// Position before the first step. From position 0 on, the events before it are included.
    pub from: Position,
    /// Position after the last step.
    pub to: Position,
}

impl StepEvents {
    /// Calls `take` for each event in trace order until it stops. Cost: the text of these steps is
    /// read once.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn each(
        self,
        index: &Index,
        cancel: &Cancel,
        take: impl FnMut(TraceEvent<'_>) -> Flow,
    ) -> Result<(), QueryError> {
        self.pass(Some(Contradictions::default()), index, cancel, take)
    }

    /// Does the same for callers that do not need to know which reads are external, which costs
    /// less.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn each_recorded(
        self,
        index: &Index,
        cancel: &Cancel,
        take: impl FnMut(TraceEvent<'_>) -> Flow,
    ) -> Result<(), QueryError> {
        self.pass(None, index, cancel, take)
    }

    fn pass(
        self,
        contradictions: Option<Contradictions>,
        index: &Index,
        cancel: &Cancel,
        take: impl FnMut(TraceEvent<'_>) -> Flow,
    ) -> Result<(), QueryError> {
        let slots = SlotReader(index);
        slots.check_position(self.to)?;
        if self.from > self.to || (self.from == self.to && self.from.0 > 0) {
            return Ok(());
        }
        let first_line = match (index.source().is_text(), self.from.0) {
            (false, _) => None,
            (true, 0) => Some(0),
            (true, steps) => Some(lines::line_of_slot(index, steps + 1)?),
        };
        let mut sink = TraceEventSink {
            index,
            cancel,
            names: ParserNames::default(),
            last_steps: Vec::new(),
            contradictions,
            time: slots.time_before(self.from)?,
            first_line,
            position: self.from,
            effects_in_slot: 0,
            set: None,
            take,
            flow: Ok(Flow::Continue),
        };
        slots.parse(slots.text_between(self.from, self.to)?, &mut sink)?;
        cancel.check()?;
        match sink.flow? {
            // Fewer or more steps than were indexed: the trace was rewritten.
            Flow::Continue if sink.position != self.to => Err(QueryError::TraceChanged),
            _ => Ok(()),
        }
    }
}

struct TraceEventSink<'a, F> {
    index: &'a Index,
    cancel: &'a Cancel,
    names: ParserNames,
    /// Last step of each thread, by its number in the index; the outer `None` means that it was
    /// not looked up yet.
    last_steps: Vec<Option<Option<Step>>>,
    /// Present if the caller needs to know which reads are external.
    contradictions: Option<Contradictions>,
    time: Option<u64>,
    first_line: Option<u64>,
    position: Position,
    effects_in_slot: usize,
    /// Thread and instruction set of the last step.
    set: Option<(ThreadId, InstructionSet)>,
    take: F,
    flow: Result<Flow, QueryError>,
}

impl<F: FnMut(TraceEvent<'_>) -> Flow> TraceEventSink<'_, F> {
    fn is_over(&self) -> bool {
        !matches!(self.flow, Ok(Flow::Continue))
    }

    /// Returns the last step of a thread.
    fn last_step(&mut self, thread: ThreadId) -> Result<Option<Step>, QueryError> {
        let known = self.last_steps.get(usize::from(thread.0));
        if let Some(known) = known.copied().flatten() {
            return Ok(known);
        }
        let found = SlotReader(self.index).owner(thread, self.position.0)?;
        self.note_step(thread, found);
        Ok(found)
    }

    fn note_step(&mut self, thread: ThreadId, step: Option<Step>) {
        let place = usize::from(thread.0);
        if self.last_steps.len() <= place {
            self.last_steps.resize(place + 1, None);
        }
        if let Some(last) = self.last_steps.get_mut(place) {
            *last = Some(step);
        }
    }

    fn push(&mut self, thread: ThreadId, kind: TraceEventKind<'_>) {
        if self.is_over() {
            return;
        }
        self.flow = self.last_step(thread).map(|step| {
            (self.take)(TraceEvent {
                step,
                position: self.position,
                place: self.effects_in_slot,
                thread,
                kind,
            })
        });
    }
}

impl<F: FnMut(TraceEvent<'_>) -> Flow> EventSink for TraceEventSink<'_, F> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.add_thread(self.index, name);
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.names.add_register(self.index, name);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if self.is_over() {
            return;
        }
        let thread = self.names.thread(step.thread);
        self.note_step(thread, Some(self.position.next_step()));
        self.position.0 += 1;
        self.effects_in_slot = 0;
        self.set = Some((thread, step.instruction_set));
        self.time = match (self.time, step.time) {
            (Some(latest), Some(time)) => Some(latest.max(time)),
            (latest, time) => latest.or(time),
        };
        let line = |first: u64| Line(first + step.place.line_in_range + 1);
        let kind = TraceEventKind::Step {
            event: step,
            time: self.time,
            line: self.first_line.map(line),
        };
        self.push(thread, kind);
        if let Some(region) = self.index.host_regions.at(self.position.0) {
            let kind = TraceEventKind::HostWrite {
                address: Address(region.first),
                size_bytes: region.last - region.first + 1,
                operation: region.operation,
            };
            self.push(thread, kind);
            self.effects_in_slot += 1;
        }
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let thread = self.names.thread(write.thread);
        let of_step = self.set.filter(|(owner, _)| *owner == thread);
        let set = of_step.map_or_else(|| self.index.instruction_set(thread), |(_, set)| set);
        let kind = TraceEventKind::Register {
            view: self.names.view(write.view),
            set: self.index.set_of_names(thread, set),
            bytes: write.bytes,
        };
        self.push(thread, kind);
        self.effects_in_slot += 1;
    }

    fn access(&mut self, access: &MemoryAccess) {
        if self.is_over() {
            return;
        }
        let range = MemoryRange {
            address: access.address,
            len_bytes: u64::from(access.size_bytes),
        };
        let is_next = match &mut self.contradictions {
            Some(contradictions) => contradictions.is_next(self.index, self.position.0, range),
            None => Ok(false),
        };
        match is_next {
            Ok(is_contradiction) => {
                let kind = TraceEventKind::Access {
                    event: access,
                    is_external: is_contradiction && access.kind == AccessKind::Read,
                };
                self.push(self.names.thread(access.thread), kind);
                self.effects_in_slot += 1;
            }
            Err(error) => self.flow = Err(error),
        }
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let kind = TraceEventKind::Text {
            kind: event.kind,
            text: event.text,
        };
        self.push(self.names.thread(event.thread), kind);
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let kind = TraceEventKind::Marker(event.marker);
        self.push(self.names.thread(event.thread), kind);
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.is_over() || self.cancel.is_cancelled() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}

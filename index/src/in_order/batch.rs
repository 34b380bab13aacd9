//! Recorded events ([`EventBatch`]), so that another thread can pass them to a sink later.

use std::ops::Range;

use stepback_machine::RegisterId;
use stepback_parsers::{
    EventSink, MarkerEvent, MemoryAccess, Problem, RegisterWrite, StepEvent, TextEvent,
    ThreadNumber,
};

/// Events of a part of a trace in order. Memory: some 100 bytes for each event.
#[derive(Debug, Default)]
pub(super) struct EventBatch {
    order: Vec<EventKind>,
    steps: Vec<RecordedStep>,
    writes: Vec<RecordedWrite>,
    accesses: Vec<MemoryAccess>,
    others: Vec<OtherEvent>,
    /// The bytes that events refer to.
    bytes: Vec<u8>,
}

/// List that has the next event.
#[derive(Clone, Copy, Debug)]
enum EventKind {
    Step,
    Write,
    Access,
    Other,
}

/// A range of the bytes of a batch.
type BytesRange = Range<usize>;

/// A step whose byte strings are in the batch.
#[derive(Debug)]
struct RecordedStep {
    step: StepEvent<'static>,
    /// Start of the encoding, which ends at the start of the text.
    bytes: usize,
    text: BytesRange,
}

/// A register write whose value is in the batch.
#[derive(Debug)]
struct RecordedWrite {
    write: RegisterWrite<'static>,
    bytes: Option<BytesRange>,
}

/// An event of a rarer kind.
#[derive(Debug)]
enum OtherEvent {
    Thread(ThreadNumber, BytesRange),
    Register(RegisterId, u16, BytesRange),
    ScatteredValues,
    Text(TextEvent<'static>, BytesRange),
    Marker(MarkerEvent),
    Problem(Problem),
}

impl EventBatch {
    /// Removes all events, keeping the buffers.
    pub fn clear(&mut self) {
        self.order.clear();
        self.steps.clear();
        self.writes.clear();
        self.accesses.clear();
        self.others.clear();
        self.bytes.clear();
    }

    /// Passes the events to a sink.
    pub fn replay(&self, sink: &mut impl EventSink) {
        let (mut steps, mut writes) = (self.steps.iter(), self.writes.iter());
        let (mut accesses, mut others) = (self.accesses.iter(), self.others.iter());
        for kind in &self.order {
            match kind {
                EventKind::Step => {
                    for RecordedStep { step, bytes, text } in steps.by_ref().take(1) {
                        sink.begin_step(&StepEvent {
                            bytes: self.bytes(&(*bytes..text.start)),
                            text: self.bytes(text),
                            ..step.clone()
                        });
                    }
                }
                EventKind::Write => {
                    for RecordedWrite { write, bytes } in writes.by_ref().take(1) {
                        sink.register_write(&RegisterWrite {
                            bytes: bytes.as_ref().map(|bytes| self.bytes(bytes)),
                            ..*write
                        });
                    }
                }
                EventKind::Access => accesses
                    .by_ref()
                    .take(1)
                    .for_each(|event| sink.access(event)),
                EventKind::Other => {
                    let next = others.by_ref().take(1);
                    next.for_each(|event| self.replay_other(event, sink));
                }
            }
        }
    }

    fn replay_other(&self, event: &OtherEvent, sink: &mut impl EventSink) {
        match event {
            OtherEvent::Thread(number, name) => sink.thread_named(*number, self.name(name)),
            OtherEvent::Register(register, size_bytes, name) => {
                sink.register_named(*register, self.name(name), *size_bytes);
            }
            OtherEvent::ScatteredValues => sink.scattered_values(),
            OtherEvent::Text(event, text) => sink.text(&TextEvent {
                text: self.bytes(text),
                ..*event
            }),
            OtherEvent::Marker(event) => sink.marker(event),
            OtherEvent::Problem(problem) => sink.problem(problem),
        }
    }

    fn bytes(&self, range: &BytesRange) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// Returns a name, which was text when it was recorded.
    fn name(&self, range: &BytesRange) -> &str {
        str::from_utf8(self.bytes(range)).unwrap_or_default()
    }

    fn push_other(&mut self, event: OtherEvent) {
        self.order.push(EventKind::Other);
        self.others.push(event);
    }

    fn keep(&mut self, bytes: &[u8]) -> BytesRange {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }
}

impl EventSink for EventBatch {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        let name = self.keep(name.as_bytes());
        self.push_other(OtherEvent::Thread(thread, name));
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        let name = self.keep(name.as_bytes());
        self.push_other(OtherEvent::Register(register, size_bytes, name));
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let (bytes, text) = (self.keep(step.bytes), self.keep(step.text));
        let StepEvent {
            thread,
            place,
            chunk_offset,
            time,
            pc,
            instruction_set,
            opcode,
            branch,
            length_bytes,
            is_executed,
            delay_slot,
            origin,
            mode,
            ..
        } = *step;
        let step = StepEvent {
            thread,
            place,
            chunk_offset,
            time,
            pc,
            instruction_set,
            opcode,
            bytes: &[],
            branch,
            length_bytes,
            is_executed,
            delay_slot,
            origin,
            mode,
            text: &[],
        };
        let bytes = bytes.start;
        self.order.push(EventKind::Step);
        self.steps.push(RecordedStep { step, bytes, text });
    }

    fn scattered_values(&mut self) {
        self.push_other(OtherEvent::ScatteredValues);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let bytes = write.bytes.map(|bytes| self.keep(bytes));
        let RegisterWrite {
            thread,
            view,
            name,
            mode,
            place,
            ..
        } = *write;
        let write = RegisterWrite {
            thread,
            view,
            bytes: None,
            name,
            mode,
            place,
        };
        self.order.push(EventKind::Write);
        self.writes.push(RecordedWrite { write, bytes });
    }

    fn access(&mut self, access: &MemoryAccess) {
        self.order.push(EventKind::Access);
        self.accesses.push(*access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = self.keep(event.text);
        let TextEvent {
            thread,
            kind,
            place,
            ..
        } = *event;
        let event = TextEvent {
            thread,
            kind,
            text: &[],
            place,
        };
        self.push_other(OtherEvent::Text(event, text));
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.push_other(OtherEvent::Marker(*event));
    }

    fn problem(&mut self, problem: &Problem) {
        self.push_other(OtherEvent::Problem(problem.clone()));
    }
}

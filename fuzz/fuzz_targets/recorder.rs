//! What the fuzz targets of text formats share: a sink that keeps the events as text, and the comparison of a whole run
//! with its chunks read separately.

use std::ops::Range;

use stepback_machine::RegisterId;
use stepback_parsers::{
    EventSink, InputLocation, MemoryAccess, ParseScratch, Problem, ProblemKind, Recurrence,
    RegisterWrite, Source, StepEvent, TarmacFault, TextEvent, ThreadNumber,
};

/// Maximum number of chunks that are read separately: the time grows with their square.
const CHUNKS: usize = 64;

/// Sink that keeps the events as text with their places, independent of the numbers of a run.
#[derive(Default)]
pub struct Recorder {
    pub events: Vec<(u64, String)>,
    starts: Vec<u64>,
    threads: Vec<String>,
    registers: Vec<String>,
}

impl Recorder {
    fn push(&mut self, place: InputLocation, thread: Option<ThreadNumber>, text: String) {
        let thread = thread.map_or("", |thread| &self.threads[usize::from(thread.0)]);
        self.events.push((place.offset, format!("{thread} {text}")));
    }
}

impl EventSink for Recorder {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        assert_eq!(usize::from(thread.0), self.threads.len());
        self.threads.push(name.to_owned());
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        assert_eq!(
            usize::from(register.0 - RegisterId::FIRST_NAMED.0),
            self.registers.len()
        );
        assert!(size_bytes > 0);
        self.registers.push(name.to_owned());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        assert!(step.chunk_offset <= step.place.offset);
        self.starts.push(step.chunk_offset);
        let StepEvent {
            time,
            pc,
            instruction_set,
            opcode,
            length_bytes,
            is_executed,
            text,
            ..
        } = step;
        let text = format!(
            "{time:?} {pc} {instruction_set:?} {opcode:x} {length_bytes} {is_executed} {text:?}"
        );
        self.push(step.place, Some(step.thread), text);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        assert!(write.view.size_bytes > 0);
        assert!(
            write
                .bytes
                .is_none_or(|bytes| bytes.len() == usize::from(write.view.size_bytes))
        );
        let named = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let name = named.map_or_else(
            || format!("{:?}", write.view.register),
            |place| self.registers[usize::from(place)].clone(),
        );
        let text = format!(
            "{name} {} {} {:?} {}",
            write.view.offset,
            write.view.size_bytes,
            write.bytes,
            write.is_bank_copy()
        );
        self.push(write.place, Some(write.thread), text);
    }

    fn access(&mut self, access: &MemoryAccess) {
        assert!(
            access
                .address
                .0
                .checked_add(u64::from(access.size_bytes) - 1)
                .is_some()
        );
        assert!(access.bytes.is_none() || access.size_bytes <= 8);
        let MemoryAccess {
            kind,
            address,
            size_bytes,
            bytes,
            ..
        } = access;
        self.push(
            access.place,
            Some(access.thread),
            format!("{kind:?} {address} {size_bytes} {bytes:?}"),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        self.push(
            event.place,
            Some(event.thread),
            format!("{:?} {:?}", event.kind, event.text),
        );
    }

    fn problem(&mut self, problem: &Problem) {
        // If a range ends between two records of a line, this problem is not noticed.
        let is_fused = matches!(
            problem.kind,
            ProblemKind::Tarmac {
                fault: TarmacFault::Fused,
                ..
            }
        );
        if problem.kind.recurrence() == Recurrence::Single && !is_fused {
            self.push(
                problem.place,
                None,
                format!("{} {}", problem.column, problem.kind),
            );
        }
    }
}

pub fn events(trace: &dyn Source, range: Range<u64>) -> Recorder {
    let mut recorder = Recorder::default();
    let parsed = trace
        .parse(range.clone(), &mut ParseScratch::default(), &mut recorder)
        .expect("memory can be read");
    assert_eq!(parsed.end, range.end);
    recorder
}

/// Panics with the first difference.
pub fn assert_same(found: &[(u64, String)], expected: &[(u64, String)]) {
    let place = found
        .iter()
        .zip(expected)
        .position(|(one, other)| one != other);
    let place = place.unwrap_or(found.len().min(expected.len()));
    assert_eq!(found.get(place), expected.get(place), "event {place}");
}

/// Compares the whole run with its chunks read separately, and checks places where it can be cut.
pub fn check_chunks(trace: &dyn Source) -> Recorder {
    let length = trace.length();
    let whole = events(trace, 0..length);
    let mut starts = vec![0];
    starts.extend(
        whole
            .starts
            .iter()
            .copied()
            .filter(|start| *start > 0)
            .take(CHUNKS),
    );
    assert!(starts.is_sorted_by(|one, other| one < other), "{starts:?}");
    let mut together = Vec::new();
    for (place, &start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(length);
        together.extend(events(trace, start..end).events);
    }
    assert_same(&together, &whole.events);
    for target in [length / 3, length / 2] {
        if let Some(cut) = trace
            .cut(target, length, &mut ParseScratch::default())
            .expect("memory can be read")
        {
            assert!(
                cut >= target && (cut == 0 || whole.starts.contains(&cut)),
                "cut from {target} at {cut}"
            );
        }
    }
    whole
}

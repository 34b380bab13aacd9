//! Recording of the events of text logs, and comparison of parts with the whole.

use std::ops::Range;
use std::sync::Arc;

use stepback_machine::{AccessKind, RegisterId};

use crate::detect::{Format, TraceAssumptions};
use crate::events::{
    EventSink, InputLocation, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber,
};
use crate::problem::Problem;
use crate::source::{ParseScratch, ParsedRange, Source};
use crate::text_log::tests::parts::LAYOUT;

/// Keeps events as text with their places, independent of the numbers of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LogRecorder {
    events: Vec<(InputOrder, String)>,
    pub chunks: Vec<u64>,
    threads: Vec<String>,
    registers: Vec<String>,
}

/// Offset and line of an event.
type InputOrder = (u64, u64);

impl LogRecorder {
    fn push(&mut self, place: InputLocation, thread: ThreadNumber, text: String) {
        let thread = &self.threads[usize::from(thread.0)];
        self.events.push((
            (place.offset, place.line_in_range),
            format!("{thread} {text}"),
        ));
    }

    pub fn texts(&self) -> Vec<&str> {
        self.events.iter().map(|(_, text)| &**text).collect()
    }
}

impl EventSink for LogRecorder {
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
        self.chunks.push(step.chunk_offset);
        let failed = if step.is_executed { "" } else { " failed" };
        let text = String::from_utf8_lossy(step.text);
        let text = format!(
            "step {:x} {:?} {}{failed} {text:?}",
            step.pc.0, step.instruction_set, step.length_bytes
        );
        self.push(step.place, step.thread, text);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let RegisterWrite { view, bytes, .. } = write;
        assert!(bytes.is_none_or(|bytes| bytes.len() == usize::from(view.size_bytes)));
        let name = match view.register.0.checked_sub(RegisterId::FIRST_NAMED.0) {
            Some(number) => self.registers[usize::from(number)].clone(),
            None => format!("r{}", view.register.0),
        };
        let value = bytes.map_or("?".to_owned(), hex);
        self.push(write.place, write.thread, format!("{name}={value}"));
    }

    fn access(&mut self, access: &MemoryAccess) {
        let kind = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
        };
        let size = usize::from(access.size_bytes);
        assert!(size > 0 && access.address.0.checked_add(size as u64 - 1).is_some());
        let bytes = access
            .bytes
            .map_or(format!("?{size}"), |bytes| hex(&bytes[..size]));
        self.push(
            access.place,
            access.thread,
            format!("{kind} {:x} {bytes}", access.address.0),
        );
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let text = String::from_utf8_lossy(event.text);
        self.push(
            event.place,
            event.thread,
            format!("{:?} {text}", event.kind),
        );
    }

    fn problem(&mut self, problem: &Problem) {
        let Problem { place, kind, .. } = problem;
        self.events.push((
            (place.offset, place.line_in_range),
            format!("problem {kind}"),
        ));
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

pub fn open(text: &[u8], format: Format) -> Arc<dyn Source> {
    let assumed = TraceAssumptions {
        template: (format == Format::Described).then(|| LAYOUT.parse().unwrap()),
        ..TraceAssumptions::default()
    };
    format.open_text(Box::new(text.to_vec()), assumed).unwrap()
}

pub fn parse(source: &dyn Source, range: Range<u64>) -> (LogRecorder, ParsedRange) {
    let mut recorder = LogRecorder::default();
    let parsed = source
        .parse(range, &mut ParseScratch::default(), &mut recorder)
        .unwrap();
    (recorder, parsed)
}

/// Checks that chunks that are read separately, and the rest after each cut, give the events of the
/// whole.
pub fn check_parts(source: &dyn Source) -> LogRecorder {
    let length = source.length();
    let (whole, parsed) = parse(source, 0..length);
    assert_eq!(parsed.end, length);
    let starts: Vec<u64> = std::iter::once(0)
        .chain(whole.chunks.iter().copied().filter(|start| *start > 0))
        .collect();
    assert!(starts.is_sorted_by(|one, other| one < other), "{starts:?}");
    let mut together = Vec::new();
    for (place, &start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(length);
        let (part, parsed) = parse(source, start..end);
        assert_eq!(parsed.end, end);
        together.extend(
            part.events
                .into_iter()
                .map(|((offset, _), text)| (offset, text)),
        );
    }
    let expected: Vec<_> = whole
        .events
        .iter()
        .map(|((offset, _), text)| (*offset, text.clone()))
        .collect();
    assert_eq!(together, expected);
    for target in (1..length).step_by(length as usize / 40 + 1) {
        let cut = source
            .cut(target, length, &mut ParseScratch::default())
            .unwrap();
        if let Some(cut) = cut {
            assert!(cut >= target && cut < length);
            let (rest, _) = parse(source, cut..length);
            let after: Vec<_> = expected
                .iter()
                .filter(|(offset, _)| *offset >= cut)
                .map(|(_, text)| &**text)
                .collect();
            assert_eq!(rest.texts(), after, "cut from {target} at {cut}");
        }
    }
    whole
}

/// Returns the events of a text, after a check of its parts.
pub fn events(text: &str, format: Format) -> Vec<String> {
    let whole = check_parts(&*open(text.as_bytes(), format));
    whole.texts().into_iter().map(str::to_owned).collect()
}

/// Checks that a text has certain events.
#[track_caller]
pub fn check(text: &str, expected: &[&str]) {
    let format = crate::detect::detect(text.as_bytes()).unwrap();
    let found = events(text, format);
    for event in expected {
        assert!(
            found.iter().any(|text| text == event),
            "{event} in {found:#?}"
        );
    }
}

/// Checks the events of a text.
#[track_caller]
pub fn check_all(text: &str, expected: &[&str]) {
    let format = crate::detect::detect(text.as_bytes()).unwrap();
    assert_eq!(events(text, format), expected);
}

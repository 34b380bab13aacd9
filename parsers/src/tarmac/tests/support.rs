//! Sink that writes events as text.

use std::cell::RefCell;
use std::fmt::Write as _;

use stepback_machine::{AccessKind, RegisterId};

use crate::events::{
    EventSink, InputLocation, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber,
};
use crate::problem::Problem;
use crate::source::{ParseScratch, ParsedRange, Source as _};
use crate::tarmac::source::{Tarmac, TarmacOptions};
use crate::text::window::TextLimits;

/// Limits small enough that short texts reach them.
pub const SMALL: TextLimits = TextLimits {
    window: 700,
    run: 200,
    line: 300,
};

/// Writes each event as a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recorder {
    pub events: Vec<Event>,
    pub threads: Vec<String>,
    pub registers: Vec<String>,
    /// Chunk starts of the steps.
    pub chunks: Vec<u64>,
}

/// An event as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub offset: u64,
    pub line: u64,
    pub text: String,
}

impl Recorder {
    fn push(&mut self, place: InputLocation, text: String) {
        self.events.push(Event {
            offset: place.offset,
            line: place.line_in_range,
            text,
        });
    }

    fn thread(&self, thread: ThreadNumber) -> String {
        let name = &self.threads[usize::from(thread.0)];
        if name == "cpu0" {
            String::new()
        } else {
            format!("{name} ")
        }
    }

    fn register(&self, register: RegisterId) -> String {
        match register.0.checked_sub(RegisterId::FIRST_NAMED.0) {
            Some(number) => self.registers[usize::from(number)].clone(),
            None => match register {
                RegisterId::SP => "SP".into(),
                RegisterId::LR => "LR".into(),
                RegisterId::PC => "PC".into(),
                RegisterId::PSR => "PSR".into(),
                RegisterId::FPCR => "FPCR".into(),
                other if other >= RegisterId::P0 => format!("P{}", other.0 - RegisterId::P0.0),
                other if other >= RegisterId::V0 => format!("V{}", other.0 - RegisterId::V0.0),
                other => format!("X{}", other.0),
            },
        }
    }

    /// Returns all events as lines of text.
    pub fn text(&self) -> String {
        self.events.iter().fold(String::new(), |mut all, event| {
            let _ = writeln!(all, "{}", event.text);
            all
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl EventSink for Recorder {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        assert_eq!(usize::from(thread.0), self.threads.len());
        self.threads.push(name.into());
    }

    fn register_named(&mut self, register: RegisterId, name: &str, size_bytes: u16) {
        assert_eq!(
            usize::from(register.0 - RegisterId::FIRST_NAMED.0),
            self.registers.len()
        );
        assert!(size_bytes > 0);
        self.registers.push(name.into());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.chunks.push(step.chunk_offset);
        let time = step.time.map_or("-".into(), |time| time.to_string());
        let failed = if step.is_executed { "" } else { " failed" };
        let early = step.place.offset - step.chunk_offset;
        let early = if early > 0 {
            format!(" early {early}")
        } else {
            String::new()
        };
        let set = step.instruction_set;
        let text = String::from_utf8_lossy(step.text);
        let text = format!(
            "{}step {time} {:x} {set:?} {:x}/{}{failed}{early} {text:?}",
            self.thread(step.thread),
            step.pc.0,
            step.opcode,
            step.length_bytes
        );
        self.push(step.place, text);
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let view = write.view;
        assert!(view.size_bytes > 0);
        let bytes = write
            .bytes
            .map_or_else(|| "?".repeat(view.size_bytes.into()), hex);
        assert!(
            write
                .bytes
                .is_none_or(|bytes| bytes.len() == usize::from(view.size_bytes))
        );
        let offset = if view.offset > 0 {
            format!("+{}", view.offset)
        } else {
            String::new()
        };
        let copy = if write.is_bank_copy() { " copy" } else { "" };
        let text = format!(
            "{}{}{offset}={bytes}{copy}",
            self.thread(write.thread),
            self.register(view.register)
        );
        self.push(write.place, text);
    }

    fn access(&mut self, access: &MemoryAccess) {
        let kind = if access.kind == AccessKind::Read {
            "read"
        } else {
            "write"
        };
        assert!(
            access
                .address
                .0
                .checked_add(u64::from(access.size_bytes) - 1)
                .is_some()
        );
        let bytes = match access.bytes {
            Some(bytes) => hex(&bytes[..usize::from(access.size_bytes)]),
            None => format!("?{}", access.size_bytes),
        };
        let text = format!(
            "{}{kind} {:x} {bytes}",
            self.thread(access.thread),
            access.address.0
        );
        self.push(access.place, text);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let kind = if event.kind.is_exceptional() {
            "exception"
        } else {
            "note"
        };
        let text = format!(
            "{}{kind} {:?}",
            self.thread(event.thread),
            String::from_utf8_lossy(event.text)
        );
        self.push(event.place, text);
    }

    fn problem(&mut self, problem: &Problem) {
        self.push(
            problem.place,
            format!("problem {} {}", problem.column, problem.kind),
        );
    }
}

/// Opens a trace over a text.
pub fn open(text: &[u8], options: TarmacOptions) -> Tarmac {
    Tarmac::open(Box::new(text.to_vec()), options).unwrap()
}

thread_local! {
    /// Buffers that runs of this and other traces used before.
    static USED: RefCell<ParseScratch> = RefCell::default();
}

/// Returns the events of a range. Reused buffers must not change them.
pub fn parse(tarmac: &Tarmac, range: std::ops::Range<u64>) -> (Recorder, ParsedRange) {
    let run = |scratch: &mut ParseScratch| {
        let mut recorder = Recorder::default();
        let parsed = tarmac.parse(range.clone(), scratch, &mut recorder).unwrap();
        (recorder, parsed)
    };
    let (recorder, parsed) = run(&mut ParseScratch::default());
    let (again, parsed_again) = USED.with_borrow_mut(run);
    assert_eq!(again, recorder, "{range:?}");
    assert_eq!(
        (parsed_again.lines, parsed_again.end),
        (parsed.lines, parsed.end),
        "{range:?}"
    );
    (recorder, parsed)
}

/// Returns the events of a whole text.
pub fn events(text: &[u8]) -> Recorder {
    parse(&open(text, TarmacOptions::default()), 0..text.len() as u64).0
}

/// Returns the names and texts of the fixtures.
pub fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "tarmac")
    });
    files
        .into_iter()
        .map(|path| (path.display().to_string(), std::fs::read(path).unwrap()))
        .collect()
}

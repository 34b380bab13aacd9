//! Arbitrary bytes as two files of a drmemtrace trace, packed or not: no panic, no hang, and
//! reading them twice yields equal records.
//!
//! The first byte divides the rest between the two files, in sixteenths.

#![no_main]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::{Marker, Problem, ThreadNumber, TraceFile};
use stepback_parsers::drmemtrace::{InstructionRecord, RecordSink, ThreadIdentity, TraceHead, read_records};
use stepback_parsers::stored::{ReadEnd, StoredAccess};

/// Sink that keeps the records as text.
#[derive(Default)]
struct Recorder {
    records: Vec<String>,
    threads: u64,
}

impl Recorder {
    fn push(&mut self, thread: ThreadNumber, record: String) {
        assert!(
            u64::from(thread.0) < self.threads,
            "a thread that was not told"
        );
        self.records.push(record);
    }
}

impl RecordSink for Recorder {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        self.threads = self.threads.max(u64::from(thread.0) + 1);
        self.records.push(format!("{thread:?} {identity:?}"));
    }

    fn instruction(&mut self, record: &InstructionRecord) {
        self.push(record.thread, format!("{record:?}"));
    }

    fn data(&mut self, thread: ThreadNumber, access: StoredAccess) {
        self.push(thread, format!("{access:?}"));
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        self.push(thread, format!("{marker:?} {size_bytes}"));
    }

    fn problem(&mut self, problem: &Problem) {
        let message = problem.kind.to_string();
        assert!(message.contains("one") || message.contains("two"), "{problem:?}");
        self.records.push(format!("{problem:?}"));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, bytes)) = bytes.split_first() else {
        return;
    };
    let (one, two) = bytes.split_at(bytes.len() * usize::from(cut % 17) / 16);
    let file = |name: &str, bytes: &[u8]| TraceFile {
        name: name.to_owned(),
        data: Arc::new(bytes.to_vec()),
    };
    let files = vec![file("one", one), file("two", two)];
    let read = |files: Vec<TraceFile>| {
        let mut recorder = Recorder::default();
        let end = read_records(files, &AtomicBool::new(false), &mut recorder)
            .expect("memory can be read");
        assert_eq!(end, ReadEnd::Complete);
        recorder.records
    };
    for file in &files {
        TraceHead::of(file).expect("memory can be read");
    }
    assert_eq!(read(files.clone()), read(files));
});

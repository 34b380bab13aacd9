//! Records as text.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stepback_generator::drmemtrace::SampleFile;
use stepback_machine::AccessKind;
use stepback_parsers::drmemtrace::{
    Counter, InstructionRecord, RecordSink, ThreadIdentity, marker_name, read_records,
};
use stepback_parsers::stored::StoredAccess;
use stepback_parsers::{Marker, Problem, ThreadNumber, TraceFile};

/// All records of a trace in order, one line each, and the problems.
#[derive(Default)]
pub struct Listing {
    /// `tid what`.
    pub lines: Vec<String>,
    pub problems: Vec<Problem>,
    pub counter: Counter,
    threads: HashMap<ThreadNumber, String>,
}

impl Listing {
    pub fn of(files: &[SampleFile]) -> Self {
        let file = |file: &SampleFile| TraceFile {
            name: file.name.clone(),
            data: Arc::new(file.bytes.clone()),
        };
        let mut listing = Self::default();
        read_records(
            files.iter().map(file).collect(),
            &AtomicBool::new(false),
            &mut listing,
        )
        .unwrap();
        listing
    }

    /// Formats the messages of the problems, one per line.
    pub fn messages(&self) -> String {
        self.problems
            .iter()
            .map(|problem| format!("{}\n", problem.kind))
            .collect()
    }

    fn push(&mut self, thread: ThreadNumber, text: &str) {
        self.lines.push(format!("{} {text}", self.threads[&thread]));
    }
}

impl RecordSink for Listing {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        let name = if identity.tid == u64::MAX {
            "idle".to_owned()
        } else {
            identity.tid.to_string()
        };
        self.threads.insert(thread, name);
        self.counter.thread(thread, identity);
    }

    fn instruction(&mut self, record: &InstructionRecord) {
        let InstructionRecord {
            thread,
            kind,
            set,
            length_bytes,
            pc,
            encoding,
            target,
            ..
        } = *record;
        let encoding = encoding.map_or(String::new(), |encoding| format!(" {encoding:?}"));
        let target = target.map_or(String::new(), |target| format!(" to {target:x}"));
        self.push(
            thread,
            &format!("{set:?} {kind} {pc:x}+{length_bytes}{encoding}{target}"),
        );
        self.counter.instruction(record);
    }

    fn data(&mut self, thread: ThreadNumber, access: StoredAccess) {
        let word = match access.kind {
            AccessKind::Write => "store",
            AccessKind::Read => "load",
        };
        let pc = access.pc.map_or(String::new(), |pc| format!(" by {pc:x}"));
        self.push(
            thread,
            &format!("{word} {:x}+{}{pc}", access.address, access.size_bytes),
        );
        self.counter.data(thread, access);
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        let name = marker_name(marker.kind);
        let size = if size_bytes > 0 {
            format!("+{size_bytes}")
        } else {
            String::new()
        };
        self.push(thread, &format!("{name} {:x}{size}", marker.value));
        self.counter.marker(thread, marker, size_bytes);
    }

    fn problem(&mut self, problem: &Problem) {
        self.problems.push(problem.clone());
    }
}

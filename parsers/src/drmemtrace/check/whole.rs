//! All records of a trace, thread by thread.

use std::ops::Range;

use foldhash::HashMap;

use crate::drmemtrace::check::instruction::KnownInstruction;
use crate::drmemtrace::check::report::Report;
use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::thread::ThreadCheck;
use crate::drmemtrace::file_type::FileType;
use crate::drmemtrace::record::ThreadIdentity;
use crate::drmemtrace::source::Drmemtrace;
use crate::drmemtrace::visible::{RecordContent, VisibleRecord};
use crate::error::SourceError;
use crate::events::{Flow, ThreadNumber};
use crate::finding::{FindingPlace, Findings};
use crate::marker::MarkerKind;
use crate::source::CheckWatch;

/// Records between two looks at whether to go on.
const PATIENCE: u64 = 1 << 13;
/// Decoded instructions that are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 16;
/// Threads that are followed; of further ones nothing is checked. Each takes some KiB.
const THREADS: usize = 1 << 12;

/// Goes through the records of a trace and adds what breaks the rules.
///
/// # Errors
/// The store could not be read.
pub fn check_trace(trace: &Drmemtrace, findings: &mut Findings, watch: &mut CheckWatch<'_>) -> Result<(), SourceError> {
    let mut check = TraceCheck { trace, threads: HashMap::default(), decoded: HashMap::default() };
    let mut goes_on = true;
    let positions = Range { start: 0, end: u64::MAX };
    let each = |record: VisibleRecord<'_>| {
        if record.ordinal.is_multiple_of(PATIENCE) && watch(record.ordinal) == Flow::Stop {
            goes_on = false;
        }
        check.record(&record, findings);
        goes_on
    };
    trace.records(positions, each).map_err(|error| SourceError::Read { offset: 0, error })?;
    if goes_on {
        check.finish(findings);
    }
    Ok(())
}

struct TraceCheck<'t> {
    trace: &'t Drmemtrace,
    threads: HashMap<ThreadNumber, ThreadCheck>,
    decoded: HashMap<(u64, Option<stepback_machine::Encoding>, u8), KnownInstruction>,
}

impl TraceCheck<'_> {
    fn record(&mut self, record: &VisibleRecord<'_>, findings: &mut Findings) {
        let mut report = Report { findings, ordinal: record.ordinal };
        if let RecordContent::Problem(_) = record.content {
            // What is missing there may be anything.
            for thread in self.threads.values_mut() {
                (thread.is_elsewhere, thread.is_interrupted) = (true, true);
            }
            return;
        }
        if self.threads.len() >= THREADS && !self.threads.contains_key(&record.thread) {
            return;
        }
        let head = self.trace.head();
        let set = self.trace.set();
        let thread = self.threads.entry(record.thread).or_insert_with(|| ThreadCheck::new(head, set));
        match record.content {
            RecordContent::Instruction(code, target) => {
                thread.set = code.set;
                let key = (code.pc, code.encoding, crate::step_store::code::number_of_branch(code.branch));
                if self.decoded.len() >= REMEMBERED {
                    self.decoded.clear();
                }
                let known = self.decoded.entry(key).or_insert_with(|| KnownInstruction::of(code));
                let instruction = known.with_target(target);
                thread.check_return(code.pc, &mut report);
                thread.instruction(instruction, &mut report);
            }
            RecordContent::Access(access)
                if access.pc.is_some_and(|pc| thread.last.is_none_or(|last| last.pc != pc)) => {}
            RecordContent::Access(access) => thread.access(access.kind, access.size_bytes, &mut report),
            RecordContent::Hint(_) => thread.recent.note(None),
            RecordContent::Marker(stored) if stored.marker.kind.is_synthetic() => {}
            RecordContent::Marker(stored) if stored.marker.kind == MarkerKind::REPETITION => thread.repeat(),
            RecordContent::Marker(stored) => thread.marker(stored.marker, &mut report),
            RecordContent::Problem(_) => {}
        }
    }

    /// What can be said of threads at the end alone.
    fn finish(&self, findings: &mut Findings) {
        let names: Vec<ThreadIdentity> = self.trace.threads();
        let mut threads: Vec<_> = self.threads.iter().collect();
        threads.sort_unstable_by_key(|(number, _)| number.0);
        for (number, thread) in threads {
            let identity = names.get(usize::from(number.0)).copied().unwrap_or_default();
            let is_open = !thread.header.is_over && !thread.header.has(FileType::CORE_SHARDED) && !identity.is_idle();
            if is_open {
                let name = identity.name();
                findings.add(&rules::EXIT, FindingPlace::Trace, || format!("thread {name} does not end"));
            }
        }
    }
}

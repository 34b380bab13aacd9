//! Checks all records of a trace, thread by thread.

use foldhash::HashMap;
use stepback_machine::{Encoding, InstructionSet};

use crate::drmemtrace::check::instruction::CheckedInstruction;
use crate::drmemtrace::check::report::RecordReport;
use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::thread::ThreadCheck;
use crate::drmemtrace::file_type::FileType;
use crate::drmemtrace::head::TraceHead;
use crate::drmemtrace::record::ThreadIdentity;
use crate::drmemtrace::visible::{RecordContent, VisibleRecord};
use crate::events::ThreadNumber;
use crate::finding::{FindingPlace, Findings};
use crate::marker::MarkerKind;

/// Maximum number of decoded instructions in the cache; a full cache is cleared.
const REMEMBERED: usize = 1 << 16;
/// Maximum number of threads that are checked; further ones are ignored. Each takes some KiB.
const THREADS: usize = 1 << 12;

/// State of the check after the records until now.
pub struct TraceCheck {
    head: TraceHead,
    set: InstructionSet,
    threads: HashMap<ThreadNumber, ThreadCheck>,
    decoded: HashMap<(u64, Option<Encoding>, u8), CheckedInstruction>,
}

impl TraceCheck {
    /// Creates a check before the first record. `set` decodes instructions unless a record states
    /// another set.
    pub fn new(head: TraceHead, set: InstructionSet) -> Self {
        Self {
            head,
            set,
            threads: HashMap::default(),
            decoded: HashMap::default(),
        }
    }

    /// Adds the findings for the next record.
    pub fn record(&mut self, record: &VisibleRecord<'_>, findings: &mut Findings) {
        let mut report = RecordReport {
            findings,
            ordinal: record.ordinal,
        };
        if let RecordContent::Problem(_) = record.content {
            // The missing part may have contained anything.
            for thread in self.threads.values_mut() {
                (thread.is_elsewhere, thread.is_interrupted) = (true, true);
            }
            return;
        }
        if self.threads.len() >= THREADS && !self.threads.contains_key(&record.thread) {
            return;
        }
        let (head, set) = (self.head, self.set);
        let thread = self
            .threads
            .entry(record.thread)
            .or_insert_with(|| ThreadCheck::new(head, set));
        match record.content {
            RecordContent::Instruction(code, target) => {
                thread.set = code.set;
                let key = (
                    code.pc,
                    code.encoding,
                    crate::step_store::code::number_of_branch(code.branch),
                );
                if self.decoded.len() >= REMEMBERED {
                    self.decoded.clear();
                }
                let known = self
                    .decoded
                    .entry(key)
                    .or_insert_with(|| CheckedInstruction::of(code));
                let instruction = known.with_target(target);
                thread.check_return(code.pc, &mut report);
                thread.instruction(instruction, &mut report);
            }
            RecordContent::Access(access)
                if access
                    .pc
                    .is_some_and(|pc| thread.last.is_none_or(|last| last.pc != pc)) => {}
            RecordContent::Access(access) => {
                thread.access(access.kind, access.size_bytes, &mut report)
            }
            RecordContent::Hint(_) => thread.recent.note(None),
            RecordContent::Marker(stored) if stored.marker.kind.is_synthetic() => {}
            RecordContent::Marker(stored) if stored.marker.kind == MarkerKind::REPETITION => {
                thread.repeat()
            }
            RecordContent::Marker(stored) => thread.marker(stored.marker, &mut report),
            RecordContent::Problem(_) => {}
        }
    }

    /// Adds the findings that only the end of the trace shows. `names` are the identities of all
    /// threads, by number.
    pub fn finish(&self, names: &[ThreadIdentity], findings: &mut Findings) {
        let mut threads: Vec<_> = self.threads.iter().collect();
        threads.sort_unstable_by_key(|(number, _)| number.0);
        for (number, thread) in threads {
            let identity = names
                .get(usize::from(number.0))
                .copied()
                .unwrap_or_default();
            let is_open = !thread.header.is_over
                && !thread.header.has(FileType::CORE_SHARDED)
                && !identity.is_idle();
            if is_open {
                let name = identity.name();
                findings.add(&rules::EXIT, FindingPlace::Trace, || {
                    format!("thread {name} does not end")
                });
            }
        }
    }
}

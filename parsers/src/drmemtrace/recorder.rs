//! Writes the records of a trace to a step store and counts them ([`Recorder`]). The records of an
//! Arm trace do not state if an instruction is Thumb, so [`set_of`] derives it from the length, the
//! address and the instruction before.

use stepback_machine::{InstructionPlacement, InstructionSet};

use crate::drmemtrace::counts::{Counter, TraceCounts};
use crate::drmemtrace::marker_names::branch_of;
use crate::drmemtrace::raw_record::kind;
use crate::drmemtrace::record::{InstructionRecord, RecordSink, ThreadIdentity};
use crate::events::ThreadNumber;
use crate::marker::{Marker, MarkerKind};
use crate::problem::Problem;
use crate::step_store::code::Code;
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::{StepStatus, StoredAccess, StoredHint, StoredStep, StoredThread};

/// Maximum number of threads with a bit set of executed codes; addresses of further threads are
/// looked up each time.
const EXECUTED_THREADS: u16 = 256;

/// Sink that encodes and counts records.
#[derive(Debug)]
pub struct Recorder<'e, B> {
    encoder: &'e mut Encoder<B>,
    counter: Counter,
    /// Bit set for each thread: the codes that it has executed.
    executed: Vec<Vec<u64>>,
}

impl<'e, B: BlockSink> Recorder<'e, B> {
    /// Creates a recorder without records.
    pub fn new(encoder: &'e mut Encoder<B>) -> Self {
        encoder.decide_sets_by(set_of);
        Self {
            encoder,
            counter: Counter::default(),
            executed: Vec::new(),
        }
    }

    /// Writes the counts to the summary of the store.
    pub fn finish(self) {
        self.encoder.summary = TraceCounts::of(&self.counter).numbers();
    }

    /// Adds a further iteration of a repeated instruction to the step of the first one, which it
    /// follows.
    fn repetition(&mut self, record: &InstructionRecord) {
        if record.encoding.is_some() {
            // The encoding is repeated at the start of a chunk.
            self.encoder.note_encoding(&stored(record));
        }
        let marker = Marker {
            kind: MarkerKind::REPETITION,
            value: record.pc,
        };
        self.encoder
            .marker(record.thread, marker, u64::from(record.length_bytes));
    }

    /// Counts distinct addresses: one lookup per code and thread, not per step.
    #[inline(always)]
    fn count_address(&mut self, record: &InstructionRecord, code: Option<u32>) {
        let (Some(code), 0..EXECUTED_THREADS) = (code, record.thread.0) else {
            self.counter.count_address(record.thread, record.pc);
            return;
        };
        let (place, bit) = (code as usize / 64, 1 << (code % 64));
        let Some(executed) = self.executed.get_mut(usize::from(record.thread.0)) else {
            return;
        };
        match executed.get_mut(place) {
            Some(bits) if *bits & bit != 0 => return,
            Some(bits) => *bits |= bit,
            None => {
                executed.resize(place + 1, 0);
                executed[place] |= bit;
            }
        }
        self.counter.count_address(record.thread, record.pc);
    }
}

#[inline(always)]
fn stored(record: &InstructionRecord) -> StoredStep {
    let InstructionRecord {
        input,
        thread,
        kind,
        set,
        length_bytes,
        pc,
        encoding,
        target,
    } = *record;
    let (branch, reached) = (branch_of(kind), StepStatus::PLAINLY);
    StoredStep {
        input,
        thread,
        branch,
        set,
        length_bytes,
        pc,
        encoding,
        target,
        reached,
    }
}

impl<B: BlockSink> RecordSink for Recorder<'_, B> {
    fn thread(&mut self, thread: ThreadNumber, identity: ThreadIdentity) {
        let place = usize::from(thread.0);
        if self.executed.len() <= place {
            self.executed.resize(place + 1, Vec::new());
        }
        self.counter.thread(thread, identity);
        self.encoder.thread(
            thread,
            StoredThread {
                tid: identity.tid,
                pid: identity.pid,
            },
        );
    }

    #[inline(always)]
    fn instruction(&mut self, record: &InstructionRecord) {
        self.counter.count_instruction(record);
        if u16::from(record.kind) == kind::NO_FETCH {
            self.repetition(record);
            return;
        }
        let code = self.encoder.step(&stored(record));
        self.count_address(record, code);
    }

    #[inline(always)]
    fn data(&mut self, thread: ThreadNumber, access: StoredAccess) {
        self.counter.data(thread, access);
        self.encoder.access(thread, access);
    }

    fn hint(&mut self, thread: ThreadNumber, hint: StoredHint) {
        self.counter.hint(thread, hint);
        self.encoder.hint(thread, hint);
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        self.counter.marker(thread, marker, size_bytes);
        self.encoder.marker(thread, marker, size_bytes);
    }

    fn problem(&mut self, problem: &Problem) {
        self.encoder.problem(&problem.kind);
    }
}

/// Returns the instruction set of an instruction, also considering the one executed before it.
pub fn set_of(record: &StoredStep, before: Option<&Code>) -> InstructionSet {
    let is_after =
        |before: &&Code| before.pc.wrapping_add(u64::from(before.length_bytes)) == record.pc;
    let after = before.filter(is_after).map(|before| before.set);
    record.set.set_at(&InstructionPlacement {
        address: record.pc,
        length_bytes: record.length_bytes,
        after,
    })
}

#[cfg(test)]
mod tests {
    use crate::step_store::record::StepStatus;
    use stepback_machine::flow::RecordedBranch;

    use super::*;
    use crate::events::ThreadNumber;
    use crate::step_store::code::EffectShape;

    fn record(pc: u64) -> StoredStep {
        StoredStep {
            input: 0,
            thread: ThreadNumber(0),
            branch: RecordedBranch::None,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            pc,
            encoding: None,
            target: None,
            reached: StepStatus::PLAINLY,
        }
    }

    #[test]
    fn thumb_shows_in_address_length_and_what_comes_before() {
        let code = |pc, length_bytes, set| Code {
            pc,
            length_bytes,
            set,
            encoding: None,
            branch: RecordedBranch::None,
            reached: StepStatus::PLAINLY,
            shape: EffectShape::UNSET,
        };
        let check = |pc, length_bytes, before: Option<Code>, expected| {
            let record = StoredStep {
                set: InstructionSet::A32,
                length_bytes,
                ..record(pc)
            };
            assert_eq!(set_of(&record, before.as_ref()), expected, "{pc}");
        };
        use InstructionSet::{A32, T32};
        check(0x1000, 4, None, A32);
        check(0x1001, 4, None, T32);
        check(0x1000, 2, None, T32);
        check(0x1002, 4, None, T32);
        check(0x1004, 4, Some(code(0x1000, 4, T32)), T32);
        check(0x1004, 4, Some(code(0x1000, 4, A32)), A32);
        check(0x2000, 4, Some(code(0x1000, 4, T32)), A32);
    }
}

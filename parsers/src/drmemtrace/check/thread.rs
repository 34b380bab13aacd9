//! Checks all records of a trace, thread by thread ([`TraceCheck`]). A [`ThreadCheck`] is the state
//! of a thread as its records show it, with the rules about instructions and accesses; other rules
//! are in the files of the states that it contains. The number of threads is limited, which bounds
//! the memory.

use foldhash::HashMap;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Encoding, InstructionSet};

use crate::drmemtrace::check::header::ThreadHeader;
use crate::drmemtrace::check::instruction::CheckedInstruction;
use crate::drmemtrace::check::kernel::KernelTraceState;
use crate::drmemtrace::check::markers::{RecentRecords, RestartableSequence, ThreadCallStack};
use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::rules::RecordReport;
use crate::drmemtrace::head::{FileType, TraceHead};
use crate::drmemtrace::record::ThreadIdentity;
use crate::drmemtrace::visible::{RecordContent, VisibleRecord};
use crate::events::ThreadNumber;
use crate::finding::{FindingPlace, Findings};
use crate::marker::{Marker, MarkerKind};
use crate::step_store::code::{Code, number_of_branch};

/// State of a thread, as its records show it.
#[derive(Debug)]
pub(super) struct ThreadCheck {
    pub header: ThreadHeader,
    pub set: InstructionSet,
    /// Last instruction of the context: `None` after an event, until the next instruction.
    pub last: Option<CheckedInstruction>,
    pub has_step: bool,
    pub recent: RecentRecords,
    pub kernel: KernelTraceState,
    pub calls: ThreadCallStack,
    pub sequence: RestartableSequence,
    /// Number of load and store records of the last instruction.
    accesses: [u16; 2],
    /// True when an event came since the last instruction, which may therefore be incomplete.
    pub is_interrupted: bool,
    /// True when control may have gone elsewhere since the last instruction.
    pub is_elsewhere: bool,
    /// True when a system call was recorded since the last instruction.
    pub has_called: bool,
    /// True when a time was recorded since the last instruction.
    pub has_time: bool,
}

impl ThreadCheck {
    pub fn new(head: TraceHead, set: InstructionSet) -> Self {
        Self {
            header: ThreadHeader::new(head),
            set,
            last: None,
            has_step: false,
            recent: RecentRecords::default(),
            kernel: KernelTraceState::default(),
            calls: ThreadCallStack::default(),
            sequence: RestartableSequence::default(),
            accesses: [0; 2],
            is_interrupted: false,
            is_elsewhere: true,
            has_called: false,
            has_time: false,
        }
    }

    pub fn instruction(&mut self, mut new: CheckedInstruction, report: &mut RecordReport<'_>) {
        new.is_kernel = self.kernel.is_inside();
        self.check_accesses(report);
        self.check_call(report);
        self.check_way(&new, report);
        self.check_branch(&new, report);
        if !new.is_kernel {
            self.kernel.come_back(&self.header, report);
            self.calls.instruction(&new);
        }
        self.sequence.instruction(&new, self.last.as_ref(), report);
        self.last = Some(new);
        self.has_step = true;
        self.header.instructions += 1;
        self.accesses = [0; 2];
        (
            self.is_interrupted,
            self.is_elsewhere,
            self.has_called,
            self.has_time,
        ) = (false, false, false, false);
        self.recent.note(None);
    }

    /// Begins another iteration of a repeated instruction, which has separate accesses.
    pub fn repeat(&mut self) {
        self.accesses = [0; 2];
        self.recent.note(None);
    }

    pub fn access(&mut self, kind: AccessKind, size_bytes: u16, report: &mut RecordReport<'_>) {
        let has_length = size_bytes > 0 || self.last.is_none_or(|last| !last.has_lengths);
        if !has_length {
            report.say(&rules::SIZE, "an access of 0 bytes");
        }
        let is_after_function = self.recent.last().is_some_and(is_of_function);
        if is_after_function {
            report.say(
                &rules::FUNCTION,
                "a function is recorded between an instruction and its access",
            );
        }
        self.recent.note(None);
        let [loads, stores] = &mut self.accesses;
        let count = if kind == AccessKind::Read {
            loads
        } else {
            stores
        };
        *count = count.saturating_add(1);
        let most = self.last.and_then(|last| last.expected(kind));
        if most.is_some_and(|most| *count == most.saturating_add(1))
            && !self.header.lacks_accesses()
        {
            let pc = self.last.map_or(0, |last| last.pc);
            report.add(&rules::ACCESS, || {
                format!("too many {} of the instruction at {pc:#x}", plural_of(kind))
            });
        }
    }

    /// Checks that the accesses of the last instruction are complete.
    pub fn check_accesses(&self, report: &mut RecordReport<'_>) {
        let Some(last) = self
            .last
            .filter(|_| !self.is_interrupted && !self.header.lacks_accesses())
        else {
            return;
        };
        if last.is_kernel && self.header.has(FileType::KERNEL_INSTRUCTIONS) {
            return;
        }
        for (kind, count) in [AccessKind::Read, AccessKind::Write]
            .into_iter()
            .zip(self.accesses)
        {
            if count == 0 && last.expected(kind).is_some_and(|most| most > 0) {
                let pc = last.pc;
                report.add(&rules::ACCESS, || {
                    format!("no {} of the instruction at {pc:#x}", plural_of(kind))
                });
            }
        }
    }

    /// Checks that a system call is recorded before the next instruction.
    fn check_call(&self, report: &mut RecordReport<'_>) {
        let is_stated =
            self.has_called || self.is_interrupted || !self.header.has(FileType::SYSTEM_CALLS);
        let is_call = self
            .last
            .is_some_and(|last| last.is_trap == Some(true) && last.branch == RecordedBranch::None);
        let is_synthetic = self.header.is_synthetic();
        if is_call && !is_stated && !is_synthetic && !self.header.is_filtered() {
            report.say(
                &rules::SYSTEM_CALL,
                "no record names the system call of the instruction before",
            );
        }
    }

    /// Checks that the previous instruction leads to the new one.
    /// A rule of all formats covers plain instructions and direct branches.
    fn check_way(&self, new: &CheckedInstruction, report: &mut RecordReport<'_>) {
        let Some(last) = self
            .last
            .filter(|_| !self.is_elsewhere && !self.header.is_filtered())
        else {
            return;
        };
        // In a core-sharded trace a timestamp may come anywhere: the scheduler adds one when it
        // resumes a thread.
        let has_time = self.has_time && !self.header.is_of_core();
        if has_time && last.is_branch() && !self.is_interrupted && last.is_kernel == new.is_kernel {
            report.add(&rules::BRANCH, || {
                "a time comes between a branch and where it goes".to_owned()
            });
        }
        let is_ours = last.is_indirect() || self.has_called;
        if is_ours && last.is_kernel == new.is_kernel && !last.leads_to(new.pc, self.set) {
            let (from, to) = (last.pc, new.pc);
            report.add(&rules::FLOW, || {
                format!("the thread is at {to:#x}, where {from:#x} does not lead")
            });
        }
    }

    fn check_branch(&self, new: &CheckedInstruction, report: &mut RecordReport<'_>) {
        if !self.header.has_branch_targets() {
            return;
        }
        let is_old = new.branch == RecordedBranch::Conditional(None);
        if is_old {
            report.say(
                &rules::BRANCH,
                "a conditional branch does not say whether it was taken",
            );
        }
        let has_target = !new.is_indirect()
            || new.recorded_target.is_some_and(|target| target != 0)
            || new.is_kernel;
        if !has_target {
            report.say(
                &rules::BRANCH,
                "an indirect branch does not say where it goes",
            );
        }
    }

    /// Checks a marker of any kind.
    pub fn marker(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        self.header.marker(marker, report);
        self.check_sequence(marker, report);
        self.follow_kernel(marker, report);
        match marker.kind {
            MarkerKind::TIMESTAMP => self.has_time = true,
            MarkerKind::SYSTEM_CALL => self.has_called = true,
            MarkerKind::WINDOW | MarkerKind::LEFT_OUT => self.is_elsewhere = true,
            MarkerKind::THREAD_EXIT => {
                self.check_accesses(report);
                self.header.exit(report);
                if !self.has_step && self.header.must_have_steps() {
                    report.say(&rules::EMPTY, "it has no instruction");
                }
            }
            _ => {}
        }
        self.recent.note(Some(marker));
    }
}

pub(super) fn is_of_function(kind: MarkerKind) -> bool {
    matches!(
        kind,
        MarkerKind::FUNCTION
            | MarkerKind::RETURN_ADDRESS
            | MarkerKind::ARGUMENT
            | MarkerKind::RETURN_VALUE
    )
}

fn plural_of(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "loads",
        AccessKind::Write => "stores",
    }
}

/// Maximum number of decoded instructions in the cache; a full cache is cleared.
const REMEMBERED: usize = 1 << 16;
/// Maximum number of threads that are checked; further ones are ignored. Each takes some KiB.
const THREADS: usize = 1 << 12;

/// Everything in a [`Code`] that [`CheckedInstruction::of`] reads. The same bytes are different
/// instructions in Arm and Thumb, and the length need not be that of the encoding.
type DecodeKey = (u64, Option<Encoding>, InstructionSet, u16, u8);

fn decode_key(code: &Code) -> DecodeKey {
    (
        code.pc,
        code.encoding,
        code.set,
        code.length_bytes,
        number_of_branch(code.branch),
    )
}

/// State of the check after the records until now.
pub struct TraceCheck {
    head: TraceHead,
    set: InstructionSet,
    threads: HashMap<ThreadNumber, ThreadCheck>,
    decoded: HashMap<DecodeKey, CheckedInstruction>,
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
                if self.decoded.len() >= REMEMBERED {
                    self.decoded.clear();
                }
                let known = self
                    .decoded
                    .entry(decode_key(code))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step_store::code::EffectShape;
    use crate::step_store::record::StepStatus;

    /// Returns the instruction of the thread after a record of each code.
    fn instructions_of(codes: [Code; 3]) -> [CheckedInstruction; 3] {
        let mut check = TraceCheck::new(TraceHead::default(), InstructionSet::A32);
        let mut findings = Findings::new(1);
        let thread = ThreadNumber(0);
        codes.map(|code| {
            let record = VisibleRecord {
                ordinal: 1,
                instructions: 1,
                thread,
                content: RecordContent::Instruction(&code, None),
            };
            check.record(&record, &mut findings);
            check.threads[&thread].last.unwrap()
        })
    }

    #[test]
    fn equal_bytes_of_another_set_or_length_are_another_instruction() {
        // T32: ldr.w r0, [r1] (Arm Architecture Reference Manual, LDR (immediate), T3).
        // A32: an instruction with the condition EQ, whose accesses depend on the flags.
        let arm = Code {
            pc: 0x1000,
            encoding: Encoding::new(&[0xd1, 0xf8, 0x00, 0x00]),
            branch: RecordedBranch::None,
            set: InstructionSet::A32,
            length_bytes: 4,
            reached: StepStatus::PLAINLY,
            shape: EffectShape::UNSET,
        };
        let thumb = Code {
            set: InstructionSet::T32,
            ..arm
        };
        let short = Code {
            length_bytes: 2,
            ..thumb
        };
        let [arm, thumb, short] = instructions_of([arm, thumb, short]);
        let loads = |instruction: CheckedInstruction| instruction.expected(AccessKind::Read);
        assert_eq!((loads(arm), loads(thumb)), (None, Some(1)));
        assert_eq!((thumb.next_pc(), short.next_pc()), (0x1004, 0x1002));
    }
}

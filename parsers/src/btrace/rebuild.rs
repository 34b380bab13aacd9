//! Reconstruction of the steps of all threads from the records.
//!
//! Records are processed in time order. A record's step, its delay slot and all steps up to the
//! thread's next record are emitted at once, because the instructions take no time compared with
//! the recording. If the next record is not in the window yet, the steps that lead to it are
//! emitted right before it.

use foldhash::HashMap;
use stepback_machine::banks::WindowChange;
use stepback_machine::flow::RecordedBranch;

use crate::btrace::code::{
    CachedStepKind, ProgramCode, ProgramInstruction, SET, WORD, encoding_of,
};
use crate::btrace::fit::FittedRecord;
use crate::btrace::order::OrderedRecord;
use crate::btrace::record::{BranchKind, BranchRecord, is_probe};
use crate::btrace::windows::WindowTracker;
use crate::events::{DelaySlot, StepOrigin, TextKind, ThreadNumber};
use crate::marker::{Gap, GapReason, Marker, MarkerKind};
use crate::packed::Damage;
use crate::problem::{BtraceFault, ProblemKind, RecordMismatch};
use crate::reconstruct::{Outcome, PassedStep, PassedStretch, PathSink, Walk, WalkStop};
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::{StepStatus, StoredRegister, StoredStep, StoredThread};

/// Maximum number of threads: thread numbers have 16 bits.
const THREADS: usize = 1 << 16;
/// Number of inputs among which the step store looks up codes.
const INPUTS: u16 = 64;

/// Passes the steps of a recording to an encoder.
pub struct PathRebuilder<'e, B> {
    encoder: &'e mut Encoder<B>,
    code: ProgramCode,
    /// Entry points of the program's files.
    entries: Vec<u64>,
    threads: Vec<RebuiltThread>,
    numbers: HashMap<u64, usize>,
    /// Thread of the last record.
    last: Option<ThreadNumber>,
    /// Time of the last record.
    latest: Option<u64>,
    has_stated_full: bool,
}

/// A thread of the recording.
#[derive(Debug)]
struct RebuiltThread {
    number: ThreadNumber,
    walk: Walk,
    windows: WindowTracker,
    /// True if its next record was not available when the last one was processed.
    is_open: bool,
    /// Record whose fork the walk has reached.
    at_record: Option<FittedRecord>,
    cpu: Option<u64>,
    has_begun: bool,
    /// Time of its last record.
    last_time: Option<u64>,
}

impl<'e, B: BlockSink> PathRebuilder<'e, B> {
    /// Creates a reconstruction without any records.
    pub fn new(encoder: &'e mut Encoder<B>, code: ProgramCode, entries: Vec<u64>) -> Self {
        Self {
            encoder,
            code,
            entries,
            threads: Vec::new(),
            numbers: HashMap::default(),
            last: None,
            latest: None,
            has_stated_full: false,
        }
    }

    /// Processes the next record.
    pub fn turn(&mut self, turn: &OrderedRecord<'_>) {
        let OrderedRecord {
            ordinal,
            record,
            next,
            may_go_on,
            wrong_time,
        } = *turn;
        self.encoder.begin_record(ordinal);
        let Some(place) = self.place(record.thread) else {
            return self.tell_full(record);
        };
        if let Some(time) = wrong_time {
            self.problem(record, BtraceFault::Time(time));
        }
        self.mark(place, record);
        if self.code.is_empty() {
            return self.record_alone(place, record);
        }
        let Some(thread) = self.threads.get(place) else {
            return;
        };
        if !thread.has_begun {
            self.begin(place, record);
        } else if thread.is_open {
            self.reach(place, record);
        }
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        (thread.has_begun, thread.last_time) = (true, record.time);
        thread.is_open = next.is_none() && may_go_on;
        if let Some(fitting) = thread.at_record.take() {
            let sink = StepSink {
                encoder: self.encoder,
                code: &self.code,
                thread: thread.number,
                windows: &mut thread.windows,
            };
            let mut sink = DecisionSink {
                sink,
                next_record: Some(ordinal.saturating_add(1)),
            };
            thread
                .walk
                .decide(&fitting.transfer.fork, fitting.decision, &mut sink);
        }
        // The steps that follow belong to no record.
        self.encoder.begin_record(ordinal.saturating_add(1));
        match next {
            Some(next) => self.reach(place, next),
            None if !may_go_on => self.tail(place),
            None => {}
        }
    }

    /// Emits the most likely path of a thread after its last record.
    fn tail(&mut self, place: usize) {
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let mut sink = StepSink {
            encoder: self.encoder,
            code: &self.code,
            thread: thread.number,
            windows: &mut thread.windows,
        };
        thread.walk.tail(&self.code, &mut sink);
    }

    /// Emits the most likely paths of the threads after their last records. The file ends with
    /// `cut_off_bytes` bytes of an incomplete record, or with damage, if there is any.
    pub fn finish(mut self, records: u64, cut_off_bytes: usize, damage: Option<&Damage>) {
        self.encoder.begin_record(records.saturating_add(1));
        for place in 0..self.threads.len() {
            // Only now is it certain that no record follows, and times must not run backwards.
            if let Some((thread, time)) = self
                .threads
                .get(place)
                .filter(|thread| thread.is_open)
                .zip(self.latest)
            {
                self.encoder.time(thread.number, time);
            }
            self.tail(place);
        }
        if cut_off_bytes > 0 {
            self.encoder.problem(&ProblemKind::BtraceCutOff {
                bytes: cut_off_bytes,
            });
        }
        damage.into_iter().for_each(|damage| {
            self.encoder.problem(&ProblemKind::Packed(damage.clone()));
        });
    }

    /// Returns the index of a thread, and registers it on first use; `None` if there are too many.
    fn place(&mut self, number: u64) -> Option<usize> {
        if let Some(place) = self.numbers.get(&number) {
            return Some(*place);
        }
        let place = self.threads.len();
        let thread = u16::try_from(place)
            .ok()
            .filter(|_| place < THREADS)
            .map(ThreadNumber)?;
        self.encoder.thread(
            thread,
            StoredThread {
                tid: number,
                pid: 0,
            },
        );
        if !self.code.is_empty() {
            self.encoder.mode(thread, WindowTracker::default().mode());
        }
        self.numbers.insert(number, place);
        self.threads.push(RebuiltThread {
            number: thread,
            walk: Walk::default(),
            windows: WindowTracker::default(),
            is_open: false,
            at_record: None,
            cpu: None,
            has_begun: false,
            last_time: None,
        });
        Some(place)
    }

    fn tell_full(&mut self, record: &BranchRecord) {
        if !std::mem::replace(&mut self.has_stated_full, true) {
            self.problem(record, BtraceFault::TooManyThreads);
        }
    }

    /// Records time and processor. Emits markers if the thread or its processor has changed, and
    /// otherwise sets the time silently.
    fn mark(&mut self, place: usize, record: &BranchRecord) {
        if record.kind == Some(BranchKind::Return as u8) {
            self.code.note_returns();
        }
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let number = thread.number;
        self.latest = record.time.or(self.latest);
        let is_elsewhere = record.cpu.is_some() && thread.cpu != record.cpu;
        let is_news = self.last.replace(number) != Some(number) || is_elsewhere;
        match record.time {
            Some(value) if is_news => self.encoder.marker(
                number,
                Marker {
                    kind: MarkerKind::TIMESTAMP,
                    value,
                },
                0,
            ),
            Some(time) => self.encoder.time(number, time),
            None => {}
        }
        if let Some(value) = record.cpu.filter(|_| is_elsewhere) {
            thread.cpu = Some(value);
            self.encoder.marker(
                number,
                Marker {
                    kind: MarkerKind::CPU,
                    value,
                },
                0,
            );
        }
    }

    /// Processes a thread's first record.
    fn begin(&mut self, place: usize, record: &BranchRecord) {
        let fitting = match FittedRecord::of(record, &self.code) {
            Ok(fitting) => fitting,
            Err(misfit) => return self.contradict(place, record, misfit),
        };
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let mut entries = self.entries.iter();
        if !entries.any(|entry| thread.walk.begin(&self.code, Some(*entry), record.pc)) {
            thread.walk.begin(&self.code, None, record.pc);
        }
        let mut sink = StepSink {
            encoder: self.encoder,
            code: &self.code,
            thread: thread.number,
            windows: &mut thread.windows,
        };
        let stop = thread.walk.come_to(&self.code, fitting.sought(), &mut sink);
        if let Some(WalkStop::Contradicted(_)) = stop {
            return self.contradicted(record, fitting.misfit_of_slot());
        }
        thread.at_record = Some(fitting);
    }

    /// Walks to the next record of a thread.
    fn reach(&mut self, place: usize, next: &BranchRecord) {
        if next.kind == Some(BranchKind::Return as u8) {
            self.code.note_returns();
        }
        let fitting = match FittedRecord::of(next, &self.code) {
            Ok(fitting) => fitting,
            Err(misfit) => return self.contradict(place, next, misfit),
        };
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let mut sink = StepSink {
            encoder: self.encoder,
            code: &self.code,
            thread: thread.number,
            windows: &mut thread.windows,
        };
        let stop = thread.walk.come_to(&self.code, fitting.sought(), &mut sink);
        if let Some(WalkStop::Contradicted(_)) = stop {
            return self.contradicted(next, fitting.misfit_of_slot());
        }
        thread.at_record = Some(fitting);
        let (number, last_time) = (thread.number, thread.last_time);
        if let Some(stop) = stop {
            self.encoder
                .note(number, TextKind::Note, &gap_note(stop, last_time, next));
        }
    }

    /// Handles a record that contradicts the program: emits the path up to its address, then a gap.
    fn contradict(&mut self, place: usize, record: &BranchRecord, misfit: RecordMismatch) {
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let number = thread.number;
        let windows = &mut thread.windows;
        let mut sink = StepSink {
            encoder: self.encoder,
            code: &self.code,
            thread: number,
            windows,
        };
        let went = thread.walk.approach(&self.code, record.pc, &mut sink);
        thread.at_record = None;
        if went != Err(WalkStop::Nowhere) || !thread.has_begun {
            self.encoder.marker(
                number,
                Gap {
                    reason: GapReason::Contradiction,
                    instructions: None,
                }
                .marker(),
                0,
            );
        }
        self.contradicted(record, misfit);
    }

    fn contradicted(&mut self, record: &BranchRecord, mismatch: RecordMismatch) {
        let pc = record.pc;
        self.problem(record, BtraceFault::Contradiction { pc, mismatch });
    }

    /// Emits a record as a step. Without a program the instructions between records are unknown.
    fn record_alone(&mut self, place: usize, record: &BranchRecord) {
        let Some(thread) = self.threads.get_mut(place) else {
            return;
        };
        let number = thread.number;
        if !std::mem::replace(&mut thread.has_begun, true) {
            self.encoder.marker(
                number,
                Marker {
                    kind: MarkerKind::RECORDING,
                    value: FILTERED,
                },
                0,
            );
        }
        let transfer = record
            .word
            .and_then(|word| self.code.stated_transfer(word, record.pc));
        let outcome = if record.is_taken {
            Outcome::Taken
        } else {
            Outcome::NotTaken
        };
        let branch = transfer.map_or(RecordedBranch::Unsaid, |transfer| transfer.branch(outcome));
        let target = record.is_taken.then_some(record.target);
        let word = record.word.unwrap_or(0);
        self.encoder.step(&StoredStep {
            branch,
            target,
            ..step_of(number, record.pc, word)
        });
    }

    fn problem(&mut self, record: &BranchRecord, fault: BtraceFault) {
        self.encoder.problem(&ProblemKind::Btrace {
            record: record.number,
            fault,
        });
    }
}

/// Value of the marker for a recording that contains only branches.
pub const FILTERED: u64 = 1;

/// Describes the two ends of a gap.
fn gap_note(stop: WalkStop, last_time: Option<u64>, next: &BranchRecord) -> String {
    let from = match stop {
        WalkStop::Undecided(pc) | WalkStop::Unmapped(pc) | WalkStop::Another(pc) => {
            format!("from {pc:#x} ")
        }
        WalkStop::Nowhere | WalkStop::Contradicted(_) => String::new(),
    };
    let between = last_time.and_then(|last| next.time?.checked_sub(last));
    let between = between.map_or_else(String::new, |nanos| {
        format!(", {nanos} ns after the record before")
    });
    format!("gap {from}to {:#x}{between}", next.pc)
}

/// Returns the input whose codes apply to a thread.
fn input_of(thread: ThreadNumber) -> u16 {
    thread.0 % INPUTS
}

/// Returns which cached step of the instruction this is; `None` if it is neither.
#[inline]
fn which_usual(seen: ProgramInstruction<'_>, passed: PassedStep) -> Option<CachedStepKind> {
    // The records say which instruction a probe replaced. That can change, so it is not cached.
    if is_probe(seen.word) {
        return None;
    }
    match (
        seen.transfer.is_some(),
        passed.outcome,
        passed.slot,
        passed.origin,
    ) {
        (true, Some(Outcome::NotTaken), DelaySlot::None, StepOrigin::Recorded) => {
            Some(CachedStepKind::Second)
        }
        (true, Some(_), DelaySlot::None, StepOrigin::Recorded) => Some(CachedStepKind::First),
        (false, None, DelaySlot::None, StepOrigin::Reconstructed) => Some(CachedStepKind::First),
        (false, None, DelaySlot::Executed, StepOrigin::Reconstructed) => {
            Some(CachedStepKind::Second)
        }
        _ => None,
    }
}

fn step_of(thread: ThreadNumber, pc: u64, word: u32) -> StoredStep {
    StoredStep {
        input: input_of(thread),
        thread,
        branch: RecordedBranch::None,
        set: SET,
        length_bytes: WORD as u16,
        pc,
        encoding: encoding_of(word),
        target: None,
        reached: StepStatus::PLAINLY,
    }
}

/// Sink for the steps of a decision. The first step belongs to the record; later ones, such as an
/// annulled delay slot, belong to none.
struct DecisionSink<'a, B> {
    sink: StepSink<'a, B>,
    /// Number of the next record, until the step of this one was emitted.
    next_record: Option<u64>,
}

impl<B: BlockSink> PathSink for DecisionSink<'_, B> {
    fn stretch(&mut self, stretch: PassedStretch) {
        self.sink.stretch(stretch);
    }

    fn step(&mut self, passed: PassedStep) {
        self.sink.step(passed);
        if let Some(next) = self.next_record.take() {
            self.sink.encoder.begin_record(next);
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.sink.gap(gap);
    }
}

/// Sink that encodes the steps of a path.
struct StepSink<'a, B> {
    encoder: &'a mut Encoder<B>,
    code: &'a ProgramCode,
    thread: ThreadNumber,
    windows: &'a mut WindowTracker,
}

impl<B: BlockSink> StepSink<'_, B> {
    /// Emits a step that was stored before; returns false if there is none.
    #[inline(always)]
    fn step_again(
        &mut self,
        seen: ProgramInstruction<'_>,
        which: CachedStepKind,
        target: Option<u64>,
    ) -> bool {
        let (thread, input) = (self.thread, input_of(self.thread));
        seen.usual
            .number(which)
            .is_some_and(|number| self.encoder.step_again(input, thread, number, target))
    }

    /// Applies an instruction's change of the register window.
    #[inline(never)]
    fn turn(&mut self, step: WindowChange) {
        let is_unknown = self.windows.turn(step);
        self.encoder.mode(self.thread, self.windows.mode());
        if is_unknown {
            for view in self.windows.cells() {
                self.encoder
                    .register(self.thread, StoredRegister { view, value: None });
            }
        }
    }
}

impl<B: BlockSink> PathSink for StepSink<'_, B> {
    fn stretch(&mut self, stretch: PassedStretch) {
        let PassedStretch {
            first,
            instructions,
            origin,
        } = stretch;
        let mut pc = first;
        for seen in self.code.plain(first, instructions) {
            if origin != StepOrigin::Reconstructed
                || !self.step_again(seen, CachedStepKind::First, None)
            {
                let reached = StepStatus {
                    origin,
                    ..StepStatus::PLAINLY
                };
                let number = self.encoder.step(&StoredStep {
                    reached,
                    ..step_of(self.thread, pc, seen.word)
                });
                if origin == StepOrigin::Reconstructed {
                    seen.usual.set(CachedStepKind::First, number);
                }
            }
            if let Some(turn) = seen.turn {
                self.turn(turn);
            }
            pc = pc.wrapping_add(WORD);
        }
    }

    fn step(&mut self, passed: PassedStep) {
        let PassedStep {
            pc,
            outcome,
            slot,
            origin,
        } = passed;
        let seen = self.code.see(pc);
        let target = match outcome {
            Some(Outcome::To(target)) => Some(target),
            _ => None,
        };
        let usual = seen.and_then(|seen| Some((seen, which_usual(seen, passed)?)));
        if let Some((seen, _)) =
            usual.filter(|(seen, which)| self.step_again(*seen, *which, target))
        {
            return seen.turn.into_iter().for_each(|turn| self.turn(turn));
        }
        let stated = if seen.is_none_or(|seen| is_probe(seen.word)) {
            self.code.stated_at(pc)
        } else {
            None
        };
        let transfer = stated.as_ref().or(seen.and_then(|seen| seen.transfer));
        let word = transfer.map_or(seen.map_or(0, |seen| seen.word), |transfer| transfer.word);
        let branch = match (transfer, outcome) {
            (Some(transfer), Some(outcome)) => transfer.branch(outcome),
            _ => RecordedBranch::None,
        };
        let reached = StepStatus {
            slot,
            is_executed: slot != DelaySlot::Annulled,
            origin,
        };
        let number = self.encoder.step(&StoredStep {
            branch,
            target,
            reached,
            ..step_of(self.thread, pc, word)
        });
        usual
            .into_iter()
            .for_each(|(seen, which)| seen.usual.set(which, number));
        let turn = seen.and_then(|seen| seen.turn);
        if let Some(turn) = turn.filter(|_| reached.is_executed) {
            self.turn(turn);
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.encoder.marker(self.thread, gap.marker(), 0);
    }
}

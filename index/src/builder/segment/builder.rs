//! Collects the events of a segment.

use foldhash::HashMap;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, InstructionSet, RegisterId, RegisterView};
use stepback_parsers::{
    EventSink, Flow, Marker, MarkerEvent, MarkerKind, MemoryAccess, Problem, ProblemKind,
    Recurrence, RegisterSource, RegisterWrite, SourceTraits, StepEvent, TextEvent, TextKind,
    ThreadNumber,
};

use crate::answers::index_info::WARNINGS_KEPT;
use crate::answers::step_record::HostOperation;
use crate::builder::segment::collectors::{
    DamagedPlaces, MarkerLists, SegmentCodes, SegmentLimits,
};
use crate::builder::segment::encode::Encoder;
use crate::builder::segment::sealed::{
    GranuleState, SealedSegment, SegmentFall, SegmentProblem, ThreadTimes, TimedStep,
};
use crate::builder::segment::transfers::{ThreadEnd, TrackedRegister, Transfer};
use crate::builder::segment::turns::ControlTurns;
use crate::builder::semihosting::call::HostCall;
use crate::store::granules::{GRANULE_BITS, TouchShape};
use crate::store::keys::KeyTable;
use crate::store::packed::FRAME;
use crate::store::segment::meta::SHARING_CALLS;

/// Length of text at which a segment is closed early.
const TEXT_LIMIT: u64 = 1 << 30;

/// Maximum number of distinct kinds of problems of a segment; more are only counted.
const PROBLEM_KINDS: usize = 8 * WARNINGS_KEPT;

/// An access of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GranuleEvent {
    pub granule: u32,
    pub slot: u32,
    pub shape: TouchShape,
    pub external: u8,
}

/// Bytes of a block that an access touches.
#[derive(Clone, Copy, Debug)]
struct GranulePart {
    offset: usize,
    size: usize,
    /// True if the access touches the next block, or the one before, too.
    is_split: bool,
}

/// Collects events and seals them into segments; its buffers are reused from segment to segment.
#[derive(Debug, Default)]
pub struct SegmentBuilder {
    limits: SegmentLimits,
    /// True if the trace has no values.
    is_blank: bool,
    /// Instruction set of the trace; determines the meaning of system calls.
    instruction_set: InstructionSet,
    pub(crate) text_start: u64,
    pub(crate) line_start: u64,
    pub(crate) slot: u32,
    pub(crate) offsets: Vec<u32>,
    pub(crate) lines: Vec<u32>,
    pub(crate) times: Vec<u64>,
    pub(crate) latest_time: Option<u64>,
    pub(crate) timeless: u32,
    pub(crate) thread_names: Vec<String>,
    pub(crate) threads: Vec<ThreadEnd>,
    pub(crate) thread_steps: Vec<u32>,
    pub(crate) step_threads: Vec<u16>,
    pub(crate) register_names: Vec<String>,
    /// Stack pointer that each of these names means, if any.
    named_stacks: Vec<Option<RegisterId>>,
    pub(crate) views: Vec<(u16, RegisterView)>,
    pub(crate) view_slots: Vec<Vec<u32>>,
    view_numbers: ViewNumbers,
    pub(crate) markers: MarkerLists,
    pub(crate) granules: KeyTable,
    pub(crate) granule_states: Vec<GranuleState>,
    pub(crate) granule_events: Vec<GranuleEvent>,
    pub(crate) externals: u64,
    pub(crate) external_slots: Vec<u32>,
    pub(crate) host_calls: Vec<HostCall>,
    pub(crate) pcs: KeyTable,
    pub(crate) step_pcs: Vec<u32>,
    pub(crate) codes: SegmentCodes,
    pub(crate) successors: Vec<u32>,
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) turns: ControlTurns,
    pub(crate) problems: Vec<SegmentProblem>,
    pub(crate) problem_count: u64,
    /// Place of each kind of problem.
    problem_kinds: HashMap<ProblemKind, usize>,
    pub(crate) thread_times: Vec<ThreadTimes>,
    pub(crate) time_falls: Vec<SegmentFall>,
    pub(crate) fall_count: u64,
    pub(crate) damaged: DamagedPlaces,
    /// Thread of the slot's step.
    step_thread: ThreadNumber,
    /// True if an access is in the slot of a step that did not do it.
    pub(crate) has_late_accesses: bool,
    /// True if a value is not written as a run of digits.
    pub(crate) has_scattered_values: bool,
    pub(crate) encoder: Encoder,
    /// Closed segments, in order.
    pub sealed: Vec<SealedSegment>,
}

/// Number of each register view in the segment, without hashing for the common ones.
#[derive(Debug, Default)]
struct ViewNumbers {
    /// For the first threads, each register of the table and each common part of it: number + 1.
    common: Vec<u32>,
    others: HashMap<(u16, RegisterView), usize>,
}

const COMMON_THREADS: usize = 4;
const COMMON_PARTS: usize = 8;

impl ViewNumbers {
    #[inline(always)]
    fn place(thread: u16, view: RegisterView) -> Option<usize> {
        let part = match (view.offset, view.size_bytes) {
            (0, 8) => 0,
            (0, 4) => 1,
            (0, 16) => 2,
            (8, 8) => 3,
            (4, 4) => 4,
            (8, 4) => 5,
            (12, 4) => 6,
            _ => return None,
        };
        let (thread, register) = (usize::from(thread), usize::from(view.register.0));
        let registers = usize::from(RegisterId::FIRST_NAMED.0);
        (thread < COMMON_THREADS && register < registers)
            .then(|| (thread * registers + register) * COMMON_PARTS + part)
    }

    fn clear(&mut self) {
        self.others.clear();
        self.common.clear();
        self.common.resize(
            COMMON_THREADS * usize::from(RegisterId::FIRST_NAMED.0) * COMMON_PARTS,
            0,
        );
    }
}

impl SegmentBuilder {
    /// Creates a builder for traces of this kind.
    pub fn of(traits: &SourceTraits, limits: SegmentLimits) -> Self {
        let is_blank = traits.registers == RegisterSource::Operands;
        Self {
            limits,
            is_blank,
            instruction_set: traits.instruction_set,
            ..Self::default()
        }
    }

    /// Begins a task: a range of the input that is parsed in one run.
    pub fn begin_task(&mut self, text_start: u64) {
        self.thread_names.clear();
        self.thread_times.clear();
        self.register_names.clear();
        self.named_stacks.clear();
        self.threads.clear();
        self.turns.begin_task();
        self.sealed.clear();
        self.clear_segment(text_start, 0);
    }

    /// Ends a task.
    pub fn end_task(&mut self) {
        self.seal(0, 0);
    }

    fn clear_segment(&mut self, text_start: u64, line_start: u64) {
        (self.text_start, self.line_start) = (text_start, line_start);
        (self.slot, self.timeless, self.externals, self.problem_count) = (0, 0, 0, 0);
        self.latest_time = None;
        self.offsets.clear();
        self.lines.clear();
        self.times.clear();
        self.thread_steps.clear();
        self.thread_steps.resize(self.thread_names.len(), 0);
        self.step_threads.clear();
        self.threads.iter_mut().for_each(|thread| {
            // The sequential pass carries these over; a slot of the segment before means nothing
            // here.
            *thread = ThreadEnd::carried();
        });
        self.views.clear();
        self.view_numbers.clear();
        self.markers.clear();
        self.granules.clear();
        self.granule_states.clear();
        self.granule_events.clear();
        self.external_slots.clear();
        self.host_calls.clear();
        self.pcs.clear();
        self.step_pcs.clear();
        self.codes.clear();
        self.successors.clear();
        self.transfers.clear();
        self.turns.clear();
        self.problems.clear();
        self.problem_kinds.clear();
        self.thread_times
            .iter_mut()
            .for_each(|times| *times = ThreadTimes::default());
        self.time_falls.clear();
        self.fall_count = 0;
        self.damaged.take();
        self.has_late_accesses = false;
        self.has_scattered_values = false;
    }

    /// Returns true if an event has a separate place: in some formats all events of a step have the
    /// place of the step.
    #[cold]
    fn can_begin_at(&self, offset: u64) -> bool {
        let last = self.text_start + u64::from(self.offsets.last().copied().unwrap_or(0));
        offset > last
    }

    /// Returns true if the segment has reached its limit of accesses or blocks.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.granule_events.len() >= self.limits.accesses
            || self.granules.keys().len() >= self.limits.blocks
    }

    /// Closes the segment; the next begins at `next_start`.
    fn seal(&mut self, next_start: u64, next_line: u64) {
        let sealed = self.encode();
        self.sealed.push(sealed);
        self.clear_segment(next_start, next_line);
    }

    #[inline(always)]
    fn view_number(&mut self, thread: ThreadNumber, view: RegisterView) -> usize {
        let place = ViewNumbers::place(thread.0, view);
        let known = match place {
            Some(place) => self.view_numbers.common[place]
                .checked_sub(1)
                .map(|number| number as usize),
            None => self.view_numbers.others.get(&(thread.0, view)).copied(),
        };
        if let Some(number) = known {
            return number;
        }
        self.add_view(thread, view, place)
    }

    #[cold]
    fn add_view(
        &mut self,
        thread: ThreadNumber,
        view: RegisterView,
        place: Option<usize>,
    ) -> usize {
        let number = self.views.len();
        self.views.push((thread.0, view));
        if self.view_slots.len() == number {
            self.view_slots.push(Vec::new());
        }
        self.view_slots[number].clear();
        match place {
            Some(place) => self.view_numbers.common[place] = number as u32 + 1,
            None => _ = self.view_numbers.others.insert((thread.0, view), number),
        }
        number
    }

    /// Records an access of a block; returns true when it contradicts the known bytes.
    #[inline]
    fn touch(
        &mut self,
        key: u64,
        part: GranulePart,
        kind: AccessKind,
        bytes: Option<&[u8]>,
    ) -> bool {
        let GranulePart {
            offset,
            size,
            is_split,
        } = part;
        let granule = self.granules.number(key);
        let mut shape = TouchShape::new(offset as u64, size as u64, kind);
        if bytes.is_none() {
            shape = shape.as_unknown();
        }
        if is_split {
            shape = shape.as_split();
        }
        if self.is_blank {
            self.granule_events.push(GranuleEvent {
                granule: granule as u32,
                slot: self.slot,
                shape,
                external: 0,
            });
            return false;
        }
        if granule == self.granule_states.len() {
            self.granule_states.push(GranuleState::default());
        }
        let state = &mut self.granule_states[granule];
        let mut external = 0;
        match (kind, bytes) {
            (AccessKind::Write, bytes) => state.write(offset, size, bytes),
            (AccessKind::Read, Some(bytes)) => external = state.read(offset, bytes),
            (AccessKind::Read, None) => {}
        }
        if external != 0 {
            shape = shape.as_external();
        }
        self.granule_events.push(GranuleEvent {
            granule: granule as u32,
            slot: self.slot,
            shape,
            external,
        });
        external != 0
    }

    /// Records a semihosting call, unless it is known to write no memory, as most are.
    #[cold]
    fn note_host_call(&mut self, thread: usize) {
        let operation = self.threads[thread].core[0];
        if !matches!(operation, TrackedRegister::Known(number) if !HostOperation::is_in(number)) {
            let carried_by = (operation == TrackedRegister::Carry).then_some(thread as u16);
            self.host_calls.push(HostCall {
                slot: self.slot,
                carried_by,
            });
        }
    }

    #[cold]
    fn note_external(&mut self) {
        self.externals += 1;
        if self.external_slots.last() != Some(&self.slot) {
            self.external_slots.push(self.slot);
        }
    }

    /// Records the time of a thread's step.
    #[inline(always)]
    fn note_time(&mut self, thread: usize, step: TimedStep) {
        let Some(times) = self.thread_times.get_mut(thread) else {
            return;
        };
        match times.last.replace(step.time) {
            None => times.first = Some(step),
            Some(from) if step.time < from => self.note_fall(SegmentFall { step, from }),
            Some(_) => {}
        }
    }

    #[cold]
    fn note_fall(&mut self, fall: SegmentFall) {
        self.fall_count += 1;
        if self.time_falls.len() < WARNINGS_KEPT {
            self.time_falls.push(fall);
        }
    }

    #[inline(always)]
    fn visit(&mut self, step: &StepEvent<'_>) {
        let pc = step.pc.0;
        // The step after an address is mostly the one that came after it last time.
        let before = self.step_pcs.last().copied().unwrap_or(0) as usize;
        let guess = self.successors.get(before).copied().unwrap_or(0);
        let is_right = self.pcs.keys().get(guess as usize) == Some(&pc);
        let number = if is_right {
            guess
        } else {
            self.visit_elsewhere(before, pc)
        };
        self.step_pcs.push(number);
        self.codes.note(number, self.slot, step);
    }

    fn visit_elsewhere(&mut self, before: usize, pc: u64) -> u32 {
        let number = self.pcs.number(pc) as u32;
        self.successors.resize(self.pcs.keys().len(), 0);
        self.successors[before] = number;
        number
    }
}

impl EventSink for SegmentBuilder {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        debug_assert_eq!(
            usize::from(thread.0),
            self.thread_names.len(),
            "threads come in order"
        );
        self.thread_names.push(name.to_owned());
        self.thread_times.push(ThreadTimes::default());
        self.threads.push(ThreadEnd::carried());
        self.turns.add_thread();
        self.thread_steps.push(0);
    }

    fn register_named(&mut self, register: RegisterId, name: &str, _size_bytes: u16) {
        debug_assert_eq!(
            usize::from(register.0 - RegisterId::FIRST_NAMED.0),
            self.register_names.len(),
            "named registers come in order"
        );
        self.register_names.push(name.to_owned());
        let banked = InstructionSet::banked_anywhere(name)
            .filter(|banked| banked.plain.register == RegisterId::SP);
        let mode = banked.and_then(|banked| banked.bank.mode());
        self.named_stacks
            .push(mode.map(|mode| mode.home(RegisterId::SP)));
    }

    #[inline(always)]
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if step.chunk_offset - self.text_start >= TEXT_LIMIT || self.is_full() {
            self.seal(step.chunk_offset, step.place.line_in_range);
        }
        self.slot += 1;
        self.offsets
            .push((step.chunk_offset - self.text_start) as u32);
        if (self.slot - 1).is_multiple_of(FRAME as u32) {
            self.lines
                .push((step.place.line_in_range - self.line_start) as u32);
        }
        let time = match (self.latest_time, step.time) {
            (Some(latest), Some(time)) => Some(latest.max(time)),
            (latest, time) => latest.or(time),
        };
        self.latest_time = time;
        self.timeless += u32::from(time.is_none());
        self.times.push(time.unwrap_or(0));
        self.step_thread = step.thread;
        let thread = usize::from(step.thread.0);
        self.thread_steps[thread] += 1;
        if let Some(time) = step.time {
            self.note_time(
                thread,
                TimedStep {
                    slot: self.slot,
                    line: step.place.line_in_range,
                    time,
                },
            );
        }
        if self.thread_names.len() > 1 {
            // Until a second thread appears all steps are those of the first.
            self.step_threads.resize(self.slot as usize - 1, 0);
            self.step_threads.push(step.thread.0);
        }
        self.visit(step);
        if step.is_executed
            && !self.is_blank
            && step
                .instruction_set
                .is_host_call(step.opcode, step.length_bytes)
        {
            self.note_host_call(thread);
        }
        if step.branch != RecordedBranch::Unsaid {
            self.turns.begin_step(self.slot, step);
        } else if let Some(transfer) = self.threads[thread].begin_step(self.slot, step) {
            self.transfers.push(transfer);
        }
    }

    #[inline(always)]
    fn scattered_values(&mut self) {
        self.has_scattered_values = true;
    }

    #[inline(always)]
    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        // A line that names a bank in use writes the plain register too: it is one write, listed
        // once.
        if let Some(home) = write.home() {
            let number = self.view_number(write.thread, home);
            let slots = &mut self.view_slots[number];
            if slots.last() != Some(&self.slot) {
                slots.push(self.slot);
            }
        }
        let thread = &mut self.threads[usize::from(write.thread.0)];
        if write.is_bank_copy() {
            let number = write
                .view
                .register
                .0
                .checked_sub(RegisterId::FIRST_NAMED.0)
                .map(usize::from);
            if thread.last.is_none()
                && let Some(Some(stack)) = number.and_then(|number| self.named_stacks.get(number))
            {
                thread.early_stack_write(*stack, write);
            }
            return;
        }
        match write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0) {
            None => thread.register_write(write),
            Some(number) => {
                if let Some(Some(stack)) = self.named_stacks.get(usize::from(number)) {
                    thread.other_stack_write(*stack, write.bytes);
                }
            }
        }
    }

    #[inline(always)]
    fn access(&mut self, access: &MemoryAccess) {
        if self.is_full() && self.can_begin_at(access.place.offset) {
            self.seal(access.place.offset, access.place.line_in_range);
        }
        // The step of the first slot is in the segment before.
        self.has_late_accesses |= self.slot == 0 || access.thread != self.step_thread;
        let (key, offset) = (
            access.address.0 >> GRANULE_BITS,
            (access.address.0 & 63) as usize,
        );
        let size = usize::from(access.size_bytes);
        let here = size.min(64 - offset);
        let bytes = access.bytes.as_ref().map(|bytes| &bytes[..size.min(8)]);
        let is_split = here < size;
        let first = GranulePart {
            offset,
            size: here,
            is_split,
        };
        let mut is_external =
            self.touch(key, first, access.kind, bytes.map(|bytes| &bytes[..here]));
        if is_split {
            let rest = GranulePart {
                offset: 0,
                size: size - here,
                is_split,
            };
            is_external |= self.touch(
                key + 1,
                rest,
                access.kind,
                bytes.map(|bytes| &bytes[here..]),
            );
        }
        if is_external {
            self.note_external();
        }
        if bytes.is_none() {
            self.turns.access(access);
        }
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if event.kind != TextKind::Exception {
            return;
        }
        let Some(thread) = self.threads.get_mut(usize::from(event.thread.0)) else {
            return;
        };
        thread.has_words = true;
        // The line with the time of the exception's first step precedes the text and was ordered
        // after it. A step that comes later may be in another segment: then the text applies only
        // to the next transfer.
        let (slot, number) = (self.slot, event.thread.0);
        let mut late = self
            .transfers
            .iter_mut()
            .rev()
            .take_while(|transfer| transfer.slot >= slot);
        if let Some(transfer) = late.find(|transfer| transfer.thread == number) {
            transfer.has_words = true;
        }
    }

    fn marker(&mut self, event: &MarkerEvent) {
        self.turns.marker(event);
        let Marker { kind, value } = event.marker;
        self.markers.note(event.thread.0, kind, self.slot);
        if kind == MarkerKind::SYSTEM_CALL
            && self.instruction_set.system_call_shares(value).is_some()
        {
            self.markers.note(event.thread.0, SHARING_CALLS, self.slot);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        let Problem {
            place,
            column,
            kind,
        } = problem;
        let recurrence = kind.recurrence();
        self.problem_count += u64::from(recurrence != Recurrence::OnceARun);
        let known = self
            .problem_kinds
            .get(kind)
            .and_then(|place| self.problems.get_mut(*place));
        if known.is_none() || recurrence == Recurrence::Single {
            self.damaged.add(self.slot);
        }
        if let Some(known) = known {
            known.count += 1;
        } else if self.problems.len() < PROBLEM_KINDS {
            self.problem_kinds.insert(kind.clone(), self.problems.len());
            self.problems.push(SegmentProblem {
                slot: self.slot,
                line: place.line_in_range,
                column: *column,
                kind: kind.clone(),
                count: 1,
            });
        }
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        Flow::Continue
    }
}

//! Converts groups of records to steps in the step store ([`StfRecorder`]).
//!
//! Records precede the opcode of their instruction. A value before an instruction is a statement:
//! it is stored ahead of the step, and only if it is new. A register that an instruction writes and
//! the trace does not record is unknown from there on.

use stepback_machine::flow::FlowKind;
use stepback_machine::{AccessKind, InstructionSet};

use crate::events::{DelaySlot, StepOrigin, TextKind, ThreadNumber};
use crate::marker::{Gap, GapReason, Marker, MarkerKind};
use crate::problem::{ProblemKind, StfFault};
use crate::step_store::record::{StepStatus, StoredAccess};
use crate::stf::events::{StfEvent, event_text};
use crate::stf::group::{GroupEvent, InstructionGroup};
use crate::stf::known::ValueTable;
use crate::stf::opcodes::{OpcodeCache, OpcodeFacts};
use crate::stf::output::{StepOutput, StfStep};
use crate::stf::record::{RegisterClass, RegisterRole};
use crate::stf::registers::{RegisterTable, register_text};
use crate::stf::threads::{ThreadRecord, ThreadTable};

/// Maximum number of notes that are kept before the first instruction.
const EARLY: usize = 1 << 12;
/// Opcode that ends a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupOpcode {
    /// Instruction as a number.
    pub word: u32,
    /// Length in bytes: 2 or 4.
    pub length_bytes: u8,
}

/// Thread that executes an instruction, and the address of the instruction.
#[derive(Clone, Copy, Debug)]
struct StepSite {
    thread: ThreadNumber,
    pc: u64,
    length_bytes: u8,
}

/// Effect of an instruction on the handlers of exceptions and interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandlerChange {
    Entered,
    Left,
}

/// Converts groups to steps.
pub struct StfRecorder<O> {
    /// Receives the steps.
    pub output: O,
    /// State before the next group.
    pub state: RecorderState,
    /// Values that the trace has stated.
    pub values: ValueTable,
    /// Facts about the instructions that occurred.
    pub opcodes: OpcodeCache,
}

/// State before a group, except the values of registers.
#[derive(Clone, Debug)]
pub struct RecorderState {
    threads: ThreadTable,
    pub(super) registers: RegisterTable,
    /// Numbers of the current thread.
    current: ThreadRecord,
    /// Number of the current thread; `None` until it is looked up.
    number: Option<ThreadNumber>,
    /// Thread of the last instruction.
    last: Option<ThreadNumber>,
    /// Address of the next instruction, if no record states another.
    next_pc: Option<u64>,
    /// Gap before the next instruction.
    gap: Option<Gap>,
    /// Notes from before the first instruction.
    early: Vec<String>,
    /// Number of instructions without a known address.
    placeless: u64,
    has_reported_threads: bool,
}

impl RecorderState {
    /// Returns the state before the first record.
    pub fn new(set: InstructionSet) -> Self {
        Self {
            threads: ThreadTable::new(),
            registers: RegisterTable::new(set),
            current: ThreadRecord::default(),
            number: None,
            last: None,
            next_pc: None,
            gap: None,
            early: Vec::new(),
            placeless: 0,
            has_reported_threads: false,
        }
    }

    /// Returns the number of threads until now.
    pub fn thread_count(&self) -> usize {
        self.threads.count()
    }
}

impl<O: StepOutput> StfRecorder<O> {
    /// Sets the instruction set from here on.
    pub fn set_instruction_set(&mut self, set: InstructionSet) {
        if set != self.state.registers.set {
            self.state.registers = RegisterTable::new(set);
        }
    }

    /// Sets the thread from here on.
    pub fn set_thread(&mut self, thread: ThreadRecord) {
        (self.state.current, self.state.number) = (thread, None);
    }

    /// Adds a note. Before the first instruction, notes are kept for its thread.
    pub fn note(&mut self, text: String) {
        if self.state.last.is_some() {
            let thread = self.thread();
            self.output.note(thread, TextKind::Note, &text);
        } else if self.state.early.len() < EARLY {
            self.state.early.push(text);
        }
    }

    /// Adds a problem.
    pub fn problem(&mut self, problem: &ProblemKind) {
        self.output.problem(problem);
    }

    /// Notes that instructions are missing, and the address at which the trace continues.
    pub fn lose(&mut self, instructions: Option<u64>) {
        let lost = match self.state.gap {
            // Neighbouring gaps are one.
            Some(before) => before
                .instructions
                .zip(instructions)
                .and_then(|(before, more)| before.checked_add(more)),
            None => instructions,
        };
        self.state.gap = Some(Gap {
            reason: GapReason::Lost,
            instructions: lost,
        });
        self.state.next_pc = None;
        self.state.threads.forget();
        self.values.forget_all();
    }

    /// Sets the address of the next instruction after a gap.
    pub fn resume_at(&mut self, pc: u64) {
        if self.state.next_pc.is_none() {
            self.state.next_pc = Some(pc);
        }
    }

    /// Returns the number of instructions that were left out since the last call because their
    /// address is unknown.
    pub fn take_placeless(&mut self) -> u64 {
        std::mem::take(&mut self.state.placeless)
    }

    /// Ends the trace after `records` records.
    pub fn finish(&mut self, records: u64) {
        if self.state.last.is_none() && !self.state.early.is_empty() {
            let thread = self.thread();
            self.tell_early(thread);
        }
        if let (Some(gap), Some(thread)) = (self.state.gap.take(), self.state.last) {
            self.output.marker(thread, gap.marker(), 0);
        }
        self.output.begin_record(records.saturating_add(1));
    }

    /// Returns the current thread; adds it if it is new.
    #[inline(always)]
    fn thread(&mut self) -> ThreadNumber {
        match self.state.number {
            Some(number) => number,
            None => self.find_thread(),
        }
    }

    #[inline(never)]
    fn find_thread(&mut self) -> ThreadNumber {
        let known = self.state.threads.number(self.state.current);
        let number = known.unwrap_or_else(|| self.add_thread());
        self.state.number = Some(number);
        number
    }

    #[cold]
    fn add_thread(&mut self) -> ThreadNumber {
        let number = self.state.threads.add(self.state.current);
        self.output.thread(number, self.state.current.stored());
        if self.state.threads.is_full()
            && !std::mem::replace(&mut self.state.has_reported_threads, true)
        {
            self.output
                .problem(&ProblemKind::StfThreads(usize::from(number.0) + 1));
        }
        number
    }

    #[cold]
    fn tell_early(&mut self, thread: ThreadNumber) {
        for note in std::mem::take(&mut self.state.early) {
            self.output.note(thread, TextKind::Note, &note);
        }
    }

    /// Adds the instruction that ends a group.
    #[inline]
    pub fn instruction(&mut self, group: &InstructionGroup, opcode: GroupOpcode) {
        let GroupOpcode { word, length_bytes } = opcode;
        let thread = self.thread();
        let Some(pc) = group.forced_pc.or(self.state.next_pc) else {
            self.state.placeless += 1;
            return;
        };
        self.output.begin_record(group.first_record);
        if self.state.last != Some(thread) || self.state.gap.is_some() || group.forced_pc.is_some()
        {
            self.begin_stretch(thread, pc, group.forced_pc);
        }
        let set = self.state.registers.set;
        // Copying the facts takes longer than taking the cache.
        let mut opcodes = std::mem::take(&mut self.opcodes);
        let facts = opcodes.get(word, length_bytes, set);
        let site = StepSite {
            thread,
            pc,
            length_bytes,
        };
        self.tell_before(group, thread);
        let trap = group
            .events
            .iter()
            .map(|event| StfEvent::of(event.id))
            .find(|event| event.is_trap());
        match trap {
            None => self.completed(group, &site, facts),
            Some(trap) => self.trapped(group, &site, facts, trap),
        }
        if !group.events.is_empty() {
            self.tell_events(group, &site);
        }
        let target = group.event_target.or(group.target);
        let next = target.unwrap_or_else(|| pc.wrapping_add(u64::from(length_bytes)));
        self.state.next_pc = Some(next);
        if let Some(state) = self.state.threads.state(thread) {
            state.next_pc = Some(next);
        }
        if trap.is_some() {
            self.count_handlers(thread, HandlerChange::Entered, next);
        } else if facts.flow == FlowKind::ExceptionReturn {
            self.count_handlers(thread, HandlerChange::Left, next);
        }
        self.opcodes = opcodes;
    }

    /// Stores the effects of the instruction that ends a group, and not the instruction.
    pub fn first_effects(&mut self, group: &InstructionGroup, opcode: GroupOpcode) {
        let is_trap = |event: &GroupEvent| StfEvent::of(event.id).is_trap();
        if !group.events.iter().any(is_trap) {
            let GroupOpcode { word, length_bytes } = opcode;
            let set = self.state.registers.set;
            let facts = *self.opcodes.get(word, length_bytes, set);
            let thread = self.thread();
            self.effects(group, thread, &facts);
        }
    }

    /// Counts the handlers that a thread is in. An exception return outside all of them is the way in
    /// which system software begins a program, and no return.
    #[inline(never)]
    fn count_handlers(&mut self, thread: ThreadNumber, change: HandlerChange, next: u64) {
        let Some(state) = self.state.threads.state(thread) else {
            return;
        };
        match (change, state.handlers.checked_sub(1)) {
            (HandlerChange::Entered, _) => state.handlers = state.handlers.saturating_add(1),
            (HandlerChange::Left, Some(outer)) => {
                state.handlers = outer;
                self.mark(thread, MarkerKind::HARDWARE_RETURN, next);
            }
            (HandlerChange::Left, None) => {}
        }
    }

    fn mark(&mut self, thread: ThreadNumber, kind: MarkerKind, value: u64) {
        self.output.marker(thread, Marker { kind, value }, 0);
    }

    /// Begins with another thread, after a gap, or at a stated address. An address in the midst of
    /// the trace that does not follow from the instruction before is a jump in the recording.
    #[inline(never)]
    fn begin_stretch(&mut self, thread: ThreadNumber, pc: u64, forced: Option<u64>) {
        let is_first = self.state.last.is_none();
        let is_switch = self.state.last.replace(thread) != Some(thread);
        if is_first {
            self.tell_early(thread);
        }
        let hart = self.state.current.hart;
        let is_hart = self.state.current.is_hart();
        let Some(state) = self.state.threads.state(thread) else {
            return;
        };
        let is_moved = !is_hart && state.hart.replace(hart) != Some(hart);
        let expected = if is_switch {
            state.next_pc
        } else {
            self.state.next_pc
        };
        let is_jump = forced.is_some() && expected.is_some_and(|expected| expected != pc);
        let jump = is_jump.then_some(Gap {
            reason: GapReason::Off,
            instructions: None,
        });
        if let Some(gap) = self.state.gap.take().or(jump) {
            self.output.marker(thread, gap.marker(), 0);
        }
        if is_moved {
            self.mark(thread, MarkerKind::CPU, hart.into());
        }
    }

    /// Stores an instruction that completed.
    #[inline(always)]
    fn completed(&mut self, group: &InstructionGroup, site: &StepSite, facts: &OpcodeFacts) {
        if self.step(site, facts, StepStatus::PLAINLY, group.target) {
            self.effects(group, site.thread, facts);
        }
    }

    /// Stores the effects of an instruction that completed.
    #[inline(always)]
    pub fn effects(&mut self, group: &InstructionGroup, thread: ThreadNumber, facts: &OpcodeFacts) {
        for access in &group.accesses {
            let kind = match access.kind {
                1 => AccessKind::Read,
                2 => AccessKind::Write,
                number => {
                    self.left_out(thread, &format!("access of kind {number}"), access.address);
                    continue;
                }
            };
            let stored = StoredAccess {
                kind,
                size_bytes: access.size_bytes,
                address: access.address,
                pc: None,
            };
            self.access(thread, stored, group.words_of_access(access));
        }
        for register in &group.registers {
            if matches!(
                register.role,
                RegisterRole::Destination | RegisterRole::Unknown
            ) {
                let words = group.words_of_register(register);
                self.write(thread, register, words);
            }
        }
        self.tell_unknown(group, thread, facts);
    }

    /// Begins a step; returns false if its effects are not wanted.
    #[inline(always)]
    fn step(
        &mut self,
        site: &StepSite,
        facts: &OpcodeFacts,
        reached: StepStatus,
        target: Option<u64>,
    ) -> bool {
        let branch = if reached.is_executed {
            facts.branch(target)
        } else {
            stepback_machine::flow::RecordedBranch::None
        };
        self.output.step(&StfStep {
            thread: site.thread,
            pc: site.pc,
            length_bytes: site.length_bytes,
            set: self.state.registers.set,
            encoding: facts.encoding.as_ref(),
            branch,
            reached,
        })
    }

    /// Stores an access; one with a value in pieces of 8 bytes.
    #[inline(always)]
    fn access(&mut self, thread: ThreadNumber, access: StoredAccess, words: &[u64]) {
        if words.is_empty() || access.size_bytes == 0 {
            self.output.access(thread, access);
            return;
        }
        for (offset, word) in (0..access.size_bytes).step_by(8).zip(words) {
            let size_bytes = (access.size_bytes - offset).min(8);
            let address = access.address.wrapping_add(offset.into());
            let piece = StoredAccess {
                address,
                size_bytes,
                ..access
            };
            match address.checked_add(u64::from(size_bytes) - 1) {
                Some(_) => self.output.valued_access(thread, piece, *word),
                None => self.left_out(thread, "access beyond the last address", address),
            }
        }
        // Words that are missing leave the rest of the access without values.
        let told = u16::try_from(8 * words.len()).unwrap_or(u16::MAX);
        if told < access.size_bytes {
            let rest = StoredAccess {
                address: access.address.wrapping_add(told.into()),
                size_bytes: access.size_bytes - told,
                ..access
            };
            self.output.access(thread, rest);
        }
    }

    #[cold]
    fn left_out(&mut self, thread: ThreadNumber, what: &str, address: u64) {
        let text = format!("left out: {what} at {address:#x}");
        self.output.note(thread, TextKind::Note, &text);
    }

    /// Stores an instruction that did not complete. Only the state registers that the trap writes
    /// take effect.
    #[inline(never)]
    fn trapped(
        &mut self,
        group: &InstructionGroup,
        site: &StepSite,
        facts: &OpcodeFacts,
        trap: StfEvent,
    ) {
        let reached = StepStatus {
            slot: DelaySlot::None,
            is_executed: false,
            origin: StepOrigin::Recorded,
        };
        let mut facts = *facts;
        if trap.is_fetch_fault() {
            // The opcode is a placeholder.
            facts.encoding = None;
        }
        if !self.step(site, &facts, reached, None) {
            return;
        }
        for access in &group.accesses {
            let what = "access of an instruction that did not complete";
            self.left_out(site.thread, what, access.address);
        }
        for register in &group.registers {
            if register.role != RegisterRole::Destination {
                continue;
            }
            let words = group.words_of_register(register);
            if register.class == RegisterClass::Csr {
                self.write(site.thread, register, words);
            } else {
                let name = register_text(register.class, register.number);
                let text =
                    format!("left out: write of {name} by an instruction that did not complete");
                self.output.note(site.thread, TextKind::Note, &text);
            }
        }
    }

    #[inline(never)]
    fn tell_events(&mut self, group: &InstructionGroup, site: &StepSite) {
        for event in &group.events {
            let data = group.words_of_event(event);
            let kind = StfEvent::of(event.id);
            let target = group.event_target.filter(|_| kind.is_trap());
            let text = event_text(event.id, data, target);
            let text_kind = match kind {
                StfEvent::Exception(_) | StfEvent::Interrupt(_) => {
                    self.mark(site.thread, MarkerKind::HARDWARE_EVENT, site.pc);
                    self.mark(site.thread, MarkerKind::TRAP, event.id);
                    TextKind::Exception
                }
                StfEvent::ModeChange => TextKind::StateChange,
                StfEvent::Special(_) => TextKind::Note,
            };
            self.output.note(site.thread, text_kind, &text);
        }
    }
}

/// Returns the problem of a group whose records could not all be kept.
pub fn group_fault(group: &InstructionGroup) -> Option<StfFault> {
    if group.left_out > 0 {
        Some(StfFault::CrowdedGroup(group.left_out))
    } else {
        (group.stray_values > 0).then_some(StfFault::StrayValues(group.stray_values))
    }
}

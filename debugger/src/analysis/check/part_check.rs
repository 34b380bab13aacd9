//! Checks what a part of a trace shows without the parts before it ([`PartCheck`]), on any thread.
//!
//! What remains is a [`PartEvent`] for each event that may break a rule in some state of its thread,
//! or that changes this state. Few remain: one event covers the steps of a basic block, most written
//! registers are written by the instruction, and accesses matter only to jumps.

use stepback_machine::flow::BranchTarget;
use stepback_machine::{Mode, RegisterId, RegisterView};
use stepback_parsers::{
    EventSink, Flow, MarkerEvent, MarkerKind, MemoryAccess, Problem, Recurrence, RegisterWrite,
    Source, StepEvent, TextEvent, TextKind, ThreadNumber, WrittenName,
};

use crate::analysis::check::instructions::InstructionCache;
use crate::analysis::check::ordered_check::OrderedCheck;
use crate::analysis::check::part_event::{CheckedStep, CheckedWrite, PartEvent, PartEvents};
use crate::analysis::check::register_file::{LastStep, RECENT, RegisterFile};

/// Number of events after which a long part passes them on.
const EVENTS: usize = 1 << 12;

/// Markers after which a thread continues as its last instruction says.
const HARMLESS: [MarkerKind; 20] = [
    MarkerKind::TIMESTAMP,
    MarkerKind::CPU,
    MarkerKind::FUNCTION,
    MarkerKind::RETURN_ADDRESS,
    MarkerKind::ARGUMENT,
    MarkerKind::RETURN_VALUE,
    MarkerKind::INSTRUCTION_COUNT,
    MarkerKind::VERSION,
    MarkerKind::PHYSICAL_ADDRESS,
    MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE,
    MarkerKind::VIRTUAL_ADDRESS,
    MarkerKind::PAGE_SIZE,
    MarkerKind::ADDRESS_CONTEXT,
    MarkerKind::TRANSLATIONS_FORGOTTEN,
    MarkerKind::CHUNK_FOOTER,
    MarkerKind::MAYBE_BLOCKING,
    MarkerKind::SYSTEM_CALL_FAILED,
    MarkerKind::VECTOR_LENGTH,
    MarkerKind::SKIPPED_ACCESS,
    MarkerKind::REPETITION,
];

/// Sink for the events of a part.
pub struct PartCheck<'a, 'o> {
    source: &'a dyn Source,
    instructions: &'o mut InstructionCache,
    threads: Vec<PartThread>,
    found: &'o mut PartEvents,
    /// Receiver of the events of a long part, whose number has no limit.
    ordered: Option<&'o mut OrderedCheck<'a>>,
}

/// State of a thread within the part.
#[derive(Debug, Default)]
struct PartThread {
    last: Option<LastStep>,
    time: Option<u64>,
    /// Number of steps since the last write of the status register, or since the start.
    steps_since_status: usize,
}

impl PartThread {
    /// Returns true if a write may show an exception: see [`CheckedThread::enters`].
    ///
    /// [`CheckedThread::enters`]: crate::analysis::check::checked_thread::CheckedThread::enters
    fn may_enter(&self, view: RegisterView, bytes: &[u8]) -> bool {
        let value = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let is_return = |last: LastStep| {
            value.is_some_and(|value| last.set.is_exception_return_value(value.into()))
        };
        match view.register {
            RegisterId::LR => self.last.is_none_or(is_return),
            register => register == RegisterId::PSR,
        }
    }
}

impl<'a, 'o> PartCheck<'a, 'o> {
    /// Creates a check that adds to `found`, which is empty.
    pub fn new(
        source: &'a dyn Source,
        instructions: &'o mut InstructionCache,
        found: &'o mut PartEvents,
    ) -> Self {
        Self {
            source,
            instructions,
            threads: Vec::new(),
            found,
            ordered: None,
        }
    }

    /// Passes events on before the end of the part.
    pub fn with_receiver(self, ordered: &'o mut OrderedCheck<'a>) -> Self {
        Self {
            ordered: Some(ordered),
            ..self
        }
    }

    fn push(&mut self, event: PartEvent) {
        self.found.events.push(event);
        if let Some(ordered) = self
            .ordered
            .as_mut()
            .filter(|_| self.found.events.len() >= EVENTS)
        {
            ordered.take_events(self.found);
            self.found.events.clear();
        }
    }

    /// Passes on what is known of a register.
    fn push_register(&mut self, thread: ThreadNumber, register: RegisterId) {
        let registers = self.found.registers.get(usize::from(thread.0));
        if let Some(contents) = registers.and_then(|registers| registers.changed(register)) {
            self.push(PartEvent::Register(thread, register, contents));
        }
    }

    /// Returns true if a write may change a register that the last instruction does not write.
    fn is_unexplained(&mut self, write: &RegisterWrite<'_>, home: RegisterView) -> bool {
        let number = usize::from(write.thread.0);
        let register = write.view.register;
        let may_change = write.name == WrittenName::Own
            && is_followed(register)
            && write.bytes.is_some_and(|bytes| {
                let registers = self.found.registers.get(number);
                registers.is_some_and(|registers| registers.may_differ(home, bytes))
            });
        let last = self.threads.get(number).and_then(|thread| thread.last);
        may_change && last.is_none_or(|last| self.instructions.may_keep(&last, register))
    }
}

impl EventSink for PartCheck<'_, '_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        // Thread numbers ascend in order of appearance.
        self.found.threads.push(name.to_owned());
        self.found.registers.push(RegisterFile::default());
        self.threads.push(PartThread::default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let Some(thread) = self.threads.get_mut(usize::from(step.thread.0)) else {
            return;
        };
        let mut known = self.instructions.of_step(step);
        // After more steps the status register is unknown anyway.
        let keeps_flags = thread.steps_since_status < RECENT
            && known.as_mut().is_some_and(|known| known.keeps_flags());
        let known = known.as_deref();
        let time = thread.time;
        thread.time = step.time.or(time);
        thread.steps_since_status += 1;
        let (mut is_expected, last) = (false, self.found.events.last_mut());
        if let (Some(PartEvent::Step(before)), Some(known)) = (last, known) {
            is_expected = before.leads_to(step, time);
            if is_expected
                && before.is_plain()
                && !matches!(known.effect.target, BranchTarget::Register(_))
            {
                before.passed.count += 1;
                before.passed.keep_flags &= before.keeps_flags;
                before.keeps_flags = keeps_flags;
                before.set(step, Some(known));
                thread.last = Some(before.last);
                return;
            }
        }
        let mut checked = CheckedStep {
            keeps_flags,
            is_expected,
            ..CheckedStep::default()
        };
        checked.set(step, known);
        thread.last = Some(checked.last);
        if let BranchTarget::Register(target) = checked.last.target {
            self.push_register(step.thread, target);
            self.push_register(step.thread, step.mode.home(target));
        }
        self.push(PartEvent::Step(checked));
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let number = usize::from(write.thread.0);
        // Registers without banks are the same in all modes.
        let is_stated = |view: &RegisterView| {
            write.mode != Mode::Untold || view.register == write.view.register
        };
        let home = write.home().filter(is_stated);
        let is_unexplained = home.is_some_and(|home| self.is_unexplained(write, home));
        let (Some(thread), Some(registers)) = (
            self.threads.get_mut(number),
            self.found.registers.get_mut(number),
        ) else {
            return;
        };
        let (Some(home), Some(bytes)) = (home, write.bytes) else {
            // The register or its value is unknown.
            registers.forget(home.map_or(write.view.register, |home| home.register));
            if write.view.register == RegisterId::PSR {
                self.push(PartEvent::StatusLost(write.thread));
            }
            return;
        };
        let is_status = home.register == RegisterId::PSR;
        if is_status {
            thread.steps_since_status = 0;
        }
        if is_unexplained || is_status || thread.may_enter(write.view, bytes) {
            self.push_register(write.thread, home.register);
            let mut value = [0; 16];
            let len = bytes.len().min(value.len());
            value
                .iter_mut()
                .zip(bytes)
                .for_each(|(to, from)| *to = *from);
            self.push(PartEvent::Write(CheckedWrite {
                thread: write.thread,
                view: write.view,
                home,
                value,
                len,
                is_unexplained,
                place: write.place,
            }));
        }
        if let Some(registers) = self.found.registers.get_mut(number) {
            registers.put(home, bytes);
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let thread = self.threads.get(usize::from(access.thread.0));
        let last = thread.and_then(|thread| thread.last);
        if last.is_none_or(|last| last.is_jump() || last.encoding.is_none()) {
            self.push(PartEvent::Access(*access));
        }
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if event.kind != TextKind::Note {
            self.push(PartEvent::Text(event.thread, event.kind));
        }
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let kind = event.marker.kind;
        let is_harmless = HARMLESS.contains(&kind) || kind >= MarkerKind::FIRST_RECORD;
        if !is_harmless || self.source.recording(event.marker).is_some() {
            self.push(PartEvent::Marker(*event));
        }
    }

    fn problem(&mut self, problem: &Problem) {
        let is_once = problem.kind.recurrence() == Recurrence::OnceARun;
        let kind = is_once.then(|| std::mem::discriminant(&problem.kind));
        self.push(PartEvent::Problem(kind));
    }

    fn progress(&mut self, offset: u64) -> Flow {
        match &mut self.ordered {
            Some(ordered) => ordered.progress(offset),
            None => Flow::Continue,
        }
    }
}

/// Returns true for a register whose writers are known for certain: excludes the program counter,
/// flags and control registers.
fn is_followed(register: RegisterId) -> bool {
    register <= RegisterId::LR || (RegisterId::V0..RegisterId::P0).contains(&register)
}

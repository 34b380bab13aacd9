//! Checks the rules that hold for every format, in one pass over the events of a trace.

use std::sync::atomic::Ordering;

use anyhow::Result;
use stepback_index::build::BuildProgress;
use stepback_index::in_order::parse_in_order;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index};
use stepback_machine::flow::FlowKind as ControlFlow;
use stepback_machine::{
    AccessKind, InstructionSet, Mode, RegisterId, RegisterView, Registers, decode,
};
use stepback_parsers::check::{FindingPlace, Findings};
use stepback_parsers::{
    DelaySlot, EventSink, Flow, InputLocation, Line, MarkerEvent, MarkerKind, MemoryAccess,
    Position, Problem, RegisterWrite, Step, StepEvent, TextEvent, TextKind, ThreadNumber,
    WrittenName,
};

use super::path::{ControlEffect, PathFinder, Successors};
use super::register_file::RegisterFile;
use super::threads::ThreadStarts;
use crate::analysis::check::register_file::{KnownFlags, LastStep};
use crate::analysis::check::threads::ExceptionEnd;
use crate::analysis::check::whole;
use crate::analysis::check::written::WrittenCache;

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

/// Reads the events of a trace and adds a finding for each violation. `progress` continues from its
/// present value. Returns true if something other than the traced instructions may write memory: an
/// operating system, an interrupt or device, another processor.
///
/// # Errors
/// The trace could not be read, or the check was cancelled.
pub fn check_events(
    index: &Index,
    findings: &mut Findings,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<bool> {
    let mut check = EventCheck {
        index,
        findings,
        progress,
        done_before: progress.bytes_done.load(Ordering::Relaxed),
        cancel,
        paths: PathFinder::default(),
        written: WrittenCache::default(),
        beginnings: ThreadStarts::new(index.source().known_threads()),
        threads: Vec::new(),
        steps: 0,
        is_filtered: false,
        has_others: false,
    };
    let parts = SlotReader(index).text_parts(Position(0)..index.end());
    parse_in_order(index.source().as_ref(), parts, &mut check)?;
    cancel.check()?;
    check.finish()?;
    Ok(check.has_others)
}

/// State of a thread during the pass.
#[derive(Debug, Default)]
struct CheckedThread {
    name: String,
    has_step: bool,
    /// An event before its first step was already reported.
    is_early: bool,
    leads: Successors,
    /// Number of following instructions that are executed only if a condition holds.
    block: u8,
    flags: KnownFlags,
    end: ExceptionEnd,
    /// The last step is a branch in the delay slot of another branch, so the next step is in a
    /// delay slot too.
    is_coupled: bool,
    /// Nesting depth of trap handlers. Simulators of user programs invent such handlers.
    handlers: u32,
    mode: Mode,
    time: Option<u64>,
    /// A step at an unexpected address, unless later events of that step explain it.
    stray: Option<PendingFinding>,
    /// The last instruction; `None` once another event has diverted the thread.
    last: Option<LastStep>,
    registers: RegisterFile,
    /// Exception number in the last value of the status register.
    exception: Option<u32>,
    /// Register changes that the last step does not explain. An exception that follows discards
    /// them.
    unexplained: Vec<PendingFinding>,
}

/// A violation, unless later events of its step explain it.
#[derive(Debug)]
struct PendingFinding {
    place: FindingPlace,
    message: String,
}

impl CheckedThread {
    /// Accepts any next instruction and any register change.
    fn divert(&mut self) {
        (self.leads, self.last, self.stray) = (Successors::Open, None, None);
        self.unexplained.clear();
        (self.block, self.flags) = (0, KnownFlags::default());
    }

    /// Narrows the successors of the next step with the conditional block and the known flags.
    fn decide(&mut self, course: &mut ControlEffect) {
        let is_in_block = self.block > 0;
        self.block = course.block.max(self.block.saturating_sub(1));
        if is_in_block {
            course.make_conditional();
        } else if course.test.is_some()
            && let Some(flags) = self.flags.current()
        {
            course.decide(flags);
        }
    }

    /// Returns true if a write shows that the thread takes an exception, on a processor that
    /// reports it only through registers. Either the link register gets an exception return value,
    /// or the status register names another exception.
    fn enters(&mut self, view: RegisterView, bytes: &[u8]) -> bool {
        let (Some(last), Some(value)) = (
            self.last,
            bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)),
        ) else {
            return false;
        };
        match view.register {
            RegisterId::LR if view.offset == 0 => last.set.is_exception_return_value(value.into()),
            RegisterId::PSR if view.offset == 0 => {
                let Some(number) = last.set.exception_number(value) else {
                    return false;
                };
                self.exception
                    .replace(number)
                    .is_some_and(|before| before != number)
            }
            _ => false,
        }
    }

    /// Returns true if an executed step returns from an exception or to another security state. Its
    /// instruction then determines neither its target nor the register values.
    fn leaves(&self, last: &LastStep) -> bool {
        let Some(register) = last.target else {
            return false;
        };
        let is_return = |value| {
            last.set.is_exception_return_value(value) || last.set.is_function_return_value(value)
        };
        match self.registers.word(register) {
            Some(value) => is_return(value),
            // Nothing rules out a return.
            None => matches!(last.mode, Mode::Handler(_)) && last.set.exception_frame().is_some(),
        }
    }
}

struct EventCheck<'a> {
    index: &'a Index,
    findings: &'a mut Findings,
    progress: &'a BuildProgress,
    done_before: u64,
    cancel: &'a Cancel,
    paths: PathFinder,
    written: WrittenCache,
    beginnings: ThreadStarts,
    threads: Vec<CheckedThread>,
    steps: u64,
    /// The trace omits instructions.
    is_filtered: bool,
    /// Something other than the traced instructions may write memory.
    has_others: bool,
}

impl EventCheck<'_> {
    /// Returns the finding place of an event: that of the last step.
    fn place(&self, place: InputLocation) -> FindingPlace {
        place_of(self.index, self.steps, place)
    }

    fn finish(&mut self) -> Result<()> {
        self.threads
            .iter_mut()
            .for_each(|thread| settle(thread, self.findings));
        let is_idle = |name: &str| self.beginnings.is_idle(name);
        for thread in self
            .threads
            .iter()
            .filter(|thread| !thread.has_step && !thread.is_early && !is_idle(&thread.name))
        {
            let name = &thread.name;
            self.findings.add(&whole::NO_STEP, FindingPlace::Trace, || {
                format!("{name} has no instruction")
            });
        }
        for thread in &self.threads {
            thread
                .end
                .report(&thread.name, self.index, self.findings, self.cancel)?;
        }
        Ok(())
    }

    /// Checks that the last instruction writes a register that gets another value.
    fn check_writer(&mut self, write: &RegisterWrite<'_>, view: RegisterView, bytes: &[u8]) {
        let Some(thread) = self.threads.get(usize::from(write.thread.0)) else {
            return;
        };
        let is_plain = |last: &LastStep| last.flow == ControlFlow::Next || is_jump(last.flow);
        let Some(last) = thread
            .last
            .filter(|last| is_plain(last) && thread.handlers == 0)
        else {
            return;
        };
        let Some(encoding) = last.encoding.filter(|_| is_followed(write.view.register)) else {
            return;
        };
        let Some(before) = thread.registers.differing(view, bytes) else {
            return;
        };
        let Some(written) = self.written.of(last.pc, last.set, encoding) else {
            return;
        };
        // An instruction that rotates the register window writes registers of the new window.
        if written.contains(&write.view.register)
            || last.set.window_step(&encoding).is_some()
            || written
                .iter()
                .any(|register| is_window(*register, last.set))
        {
            return;
        }
        let instruction = decode(encoding, stepback_machine::Address(last.pc), last.set);
        let name = Registers::name(write.view, last.set).unwrap_or("a register");
        let place = self.place(write.place);
        let (pc, text) = (last.pc, &instruction.text);
        let (before, after) = (hex(&before), hex(bytes));
        let message = format!(
            "{name} changes from {before} to {after} at {pc:#x}, where {text} does not write it"
        );
        if let Some(thread) = self.threads.get_mut(usize::from(write.thread.0)) {
            thread.unexplained.push(PendingFinding { place, message });
        }
    }
}

fn place_of(index: &Index, steps: u64, place: InputLocation) -> FindingPlace {
    let line = index
        .source()
        .is_text()
        .then_some(Line(place.line_in_range.saturating_add(1)));
    match steps.checked_sub(1) {
        Some(step) => FindingPlace::Step {
            step: Step(step),
            line,
        },
        None => line.map_or(FindingPlace::Trace, FindingPlace::Line),
    }
}

impl EventSink for EventCheck<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        // Thread numbers ascend in order of appearance.
        self.threads.push(CheckedThread {
            name: name.to_owned(),
            ..CheckedThread::default()
        });
        self.has_others |= self.threads.len() > 1;
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.steps += 1;
        let place = place_of(self.index, self.steps, step.place);
        let mut course = self.paths.of(step);
        let ControlEffect { flow, target, .. } = course;
        self.has_others |= flow == ControlFlow::Trap;
        let Some(thread) = self.threads.get_mut(usize::from(step.thread.0)) else {
            return;
        };
        settle(thread, self.findings);
        let pc = step.pc.0;
        if !thread.has_step {
            thread.has_step = true;
            let nowhere = self
                .beginnings
                .begins(&thread.name)
                .filter(|_| !self.is_filtered);
            if let Some(message) = nowhere {
                self.findings.add(&whole::THREAD, place, || message);
            }
        } else if thread.mode == step.mode
            && !self.is_filtered
            && let Some(last) = thread.last
            && let Some(expected) = thread.leads.unless(pc)
        {
            let (name, from) = (&thread.name, last.pc);
            let message = format!(
                "{name} is at {pc:#x}, where the instruction at {from:#x} leads to {expected}"
            );
            thread.stray = Some(PendingFinding { place, message });
        }
        if let Some(time) = step.time
            && let Some(before) = thread.time.replace(time).filter(|before| *before > time)
        {
            let name = &thread.name;
            self.findings.add(&whole::TIME, place, || {
                format!("the time of {name} falls from {before} to {time}")
            });
        }
        let is_slot = step.delay_slot != DelaySlot::None || thread.is_coupled;
        thread.decide(&mut course);
        thread.leads = if thread.is_coupled {
            Successors::Open
        } else {
            course.leads
        };
        thread.is_coupled = is_slot && is_jump(flow);
        thread.mode = step.mode;
        let (set, encoding, mode) = (step.instruction_set, step.encoding(), step.mode);
        let last = LastStep {
            pc,
            set,
            encoding,
            flow,
            mode,
            target,
        };
        thread.last = Some(last);
        thread.flags.step(last);
        match encoding {
            None if !step.is_executed => thread.end.fetch_failed(pc, last),
            _ => thread.end.step(last, &thread.registers),
        }
        if step.is_executed && thread.leaves(&last) {
            thread.divert();
        }
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        // Registers without banks are the same in all modes.
        let is_stated = |view: &RegisterView| {
            write.mode != Mode::Untold || view.register == write.view.register
        };
        let home = write.home().filter(is_stated);
        match (home, write.bytes) {
            (Some(view), Some(bytes)) => {
                if write.name == WrittenName::Own {
                    self.check_writer(write, view, bytes);
                }
                if let Some(thread) = self.threads.get_mut(usize::from(write.thread.0)) {
                    if thread.enters(write.view, bytes) {
                        thread.divert();
                    }
                    thread.registers.put(view, bytes);
                    if view.register == RegisterId::PSR {
                        thread.flags.write(view, bytes);
                    }
                }
            }
            // The register or its value is unknown.
            _ => {
                if let Some(thread) = self.threads.get_mut(usize::from(write.thread.0)) {
                    thread
                        .registers
                        .forget(home.map_or(write.view.register, |view| view.register));
                    if write.view.register == RegisterId::PSR {
                        thread.flags = KnownFlags::default();
                    }
                }
            }
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let place = self.place(access.place);
        let Some(thread) = self.threads.get_mut(usize::from(access.thread.0)) else {
            return;
        };
        if thread.last.is_some_and(|last| last.loads_return(access)) {
            thread.divert();
        }
        if !thread.has_step
            && self.steps > 0
            && !std::mem::replace(&mut thread.is_early, true)
            && !self.is_filtered
        {
            let name = &thread.name;
            let address = access.address;
            self.findings.add(&whole::NO_STEP, place, || {
                format!("{name} accesses {address} before its first instruction")
            });
        }
        thread.end.access(access);
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        if event.kind.is_exceptional() {
            self.has_others = true;
            self.divert(event.thread);
        }
        let place = self.place(event.place);
        if event.kind == TextKind::Exception
            && let Some(thread) = self.threads.get_mut(usize::from(event.thread.0))
        {
            thread.end.exception(place);
        }
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let marker = event.marker;
        if let Some(recording) = self.index.source().recording(marker) {
            self.is_filtered |= recording.is_filtered;
            self.beginnings.has_system_calls |= recording.has_system_calls;
        } else if marker.kind == MarkerKind::SYSTEM_CALL {
            self.has_others = true;
            let set = self
                .threads
                .get(usize::from(event.thread.0))
                .and_then(|thread| thread.last);
            let set = set.map_or(self.index.source().traits().instruction_set, |last| {
                last.set
            });
            self.beginnings
                .system_call(set.system_call_name(marker.value));
        } else if marker.kind == MarkerKind::HARDWARE_EVENT
            || marker.kind == MarkerKind::HARDWARE_RETURN
        {
            let is_begin = marker.kind == MarkerKind::HARDWARE_EVENT;
            if let Some(thread) = self.threads.get_mut(usize::from(event.thread.0)) {
                let handlers = thread.handlers;
                thread.handlers = if is_begin {
                    handlers.saturating_add(1)
                } else {
                    handlers.saturating_sub(1)
                };
            }
            self.has_others = true;
            self.divert(event.thread);
        } else if !HARMLESS.contains(&marker.kind) && marker.kind < MarkerKind::FIRST_RECORD {
            self.has_others = true;
            self.divert(event.thread);
        }
    }

    fn problem(&mut self, _problem: &Problem) {
        // The damaged part may have held any event.
        for thread in &mut self.threads {
            thread.divert();
        }
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.progress
            .bytes_done
            .store(self.done_before.saturating_add(offset), Ordering::Relaxed);
        if self.cancel.is_cancelled() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}

impl EventCheck<'_> {
    /// Diverts a thread.
    fn divert(&mut self, thread: ThreadNumber) {
        if let Some(thread) = self.threads.get_mut(usize::from(thread.0)) {
            thread.divert();
        }
    }
}

impl LastStep {
    /// Returns true if an access loads an exception return value, or one that returns to another
    /// security state, into the program counter.
    fn loads_return(&self, access: &MemoryAccess) -> bool {
        let is_load =
            is_jump(self.flow) && self.target.is_none() && access.kind == AccessKind::Read;
        let bytes = access
            .bytes
            .filter(|_| is_load && self.set.exception_frame().is_some());
        let value = |bytes: [u8; 8], at: usize| {
            let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>());
            u64::from(word.map_or(0, |word| u32::from_le_bytes(*word)))
        };
        let is_return = |value| {
            self.set.is_exception_return_value(value) || self.set.is_function_return_value(value)
        };
        let words = [0, 4]
            .into_iter()
            .filter(|at| at + 4 <= usize::from(access.size_bytes));
        bytes.is_some_and(|bytes| words.into_iter().any(|at| is_return(value(bytes, at))))
    }
}

/// Reports what remains unexplained of a step. All events of the step have arrived.
fn settle(thread: &mut CheckedThread, findings: &mut Findings) {
    for PendingFinding { place, message } in thread.unexplained.drain(..) {
        findings.add(&whole::REGISTER, place, || message);
    }
    if let Some(PendingFinding { place, message }) = thread.stray.take() {
        findings.add(&whole::PATH, place, || message);
    }
}

fn is_jump(flow: ControlFlow) -> bool {
    matches!(
        flow,
        ControlFlow::Branch | ControlFlow::Call | ControlFlow::Return
    )
}

/// Returns true for registers whose writers are known for certain: excludes the program counter,
/// flags and control registers.
fn is_followed(register: RegisterId) -> bool {
    register <= RegisterId::LR || (RegisterId::V0..RegisterId::P0).contains(&register)
}

/// Returns true for a register of a window other than the current one, or of another bank. RISC-V
/// has vector and control registers in their place.
fn is_window(register: RegisterId, set: InstructionSet) -> bool {
    register >= RegisterId::FIRST_BANK && !set.is_shown_when_written(register)
}

/// Formats bytes, lowest first, as a number.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x87_registers_are_in_no_window() {
        let x87 = (0..8).map(|number| RegisterId(RegisterId::ST0.0 + number));
        let x86 = InstructionSet::X86_64;
        assert!(!x87.into_iter().any(|register| is_window(register, x86)));
        assert!(is_window(RegisterId::FIRST_BANK, InstructionSet::Sparc64));
        assert!(!is_window(RegisterId::FIRST_BANK, InstructionSet::Riscv64));
    }
}

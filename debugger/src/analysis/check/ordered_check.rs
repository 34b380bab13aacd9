//! Checks the rules that need the state of a thread ([`OrderedCheck`]), with the events of one part
//! of the trace after the other.

use std::collections::HashMap;
use std::mem::Discriminant;
use std::sync::atomic::Ordering;

use stepback_index::build::BuildProgress;
use stepback_index::{Cancel, Index};
use stepback_machine::flow::FlowKind;
use stepback_machine::{Address, RegisterId, Registers, decode};
use stepback_parsers::check::{FindingPlace, Findings};
use stepback_parsers::{
    Flow, InputLocation, Line, MarkerEvent, MarkerKind, MemoryAccess, ProblemKind, Step, TextKind,
    ThreadNumber,
};

use crate::analysis::check::checked_thread::{CheckedThread, PendingFinding};
use crate::analysis::check::instructions::Successors;
use crate::analysis::check::part_event::{CheckedStep, CheckedWrite, PartEvent, PartEvents};
use crate::analysis::check::register_file::{KnownFlags, PassedSteps};
use crate::analysis::check::rules;
use crate::analysis::check::threads::ThreadStarts;
use crate::messages::say;

/// State of the check, which all events before determine.
pub struct OrderedCheck<'a> {
    index: &'a Index,
    findings: &'a mut Findings,
    progress: &'a BuildProgress,
    /// Offset up to which `progress` counts.
    offset: u64,
    cancel: &'a Cancel,
    beginnings: ThreadStarts,
    threads: Vec<CheckedThread>,
    /// Places of all threads by name, and by their numbers in the part.
    places: HashMap<String, usize>,
    part_places: Vec<usize>,
    steps: u64,
    /// Number of lines before the part.
    lines: u64,
    reported_once: Vec<Discriminant<ProblemKind>>,
    /// The trace omits instructions.
    is_filtered: bool,
    /// Something other than the traced instructions may write memory: an operating system, an
    /// interrupt or device, another processor.
    pub has_others: bool,
}

impl<'a> OrderedCheck<'a> {
    pub fn new(
        index: &'a Index,
        findings: &'a mut Findings,
        progress: &'a BuildProgress,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            index,
            findings,
            progress,
            offset: 0,
            cancel,
            beginnings: ThreadStarts::new(index.source().known_threads()),
            threads: Vec::new(),
            places: HashMap::new(),
            part_places: Vec::new(),
            steps: 0,
            lines: 0,
            reported_once: Vec::new(),
            is_filtered: false,
            has_others: false,
        }
    }

    /// Checks a part, or what remains of one whose first events were taken.
    pub fn take_part(&mut self, part: &PartEvents) {
        self.take_events(part);
        for (place, registers) in self.part_places.iter().zip(&part.registers) {
            if let Some(thread) = self.threads.get_mut(*place) {
                thread.registers.apply_all(registers);
            }
        }
        self.part_places.clear();
        self.lines = self.lines.saturating_add(part.lines);
    }

    /// Checks events of the current part.
    pub fn take_events(&mut self, part: &PartEvents) {
        for name in part.threads.iter().skip(self.part_places.len()) {
            let place = match self.places.get(name) {
                Some(place) => *place,
                None => {
                    self.threads.push(CheckedThread {
                        name: name.clone(),
                        ..CheckedThread::default()
                    });
                    self.places.insert(name.clone(), self.threads.len() - 1);
                    self.threads.len() - 1
                }
            };
            self.part_places.push(place);
        }
        self.has_others |= self.threads.len() > 1;
        part.events.iter().for_each(|event| self.take(event));
    }

    /// Advances the progress counter to an offset of the trace.
    pub fn progress(&mut self, offset: u64) -> Flow {
        let more = offset.saturating_sub(self.offset);
        self.progress.bytes_done.fetch_add(more, Ordering::Relaxed);
        self.offset = self.offset.max(offset);
        match self.cancel.is_cancelled() {
            true => Flow::Stop,
            false => Flow::Continue,
        }
    }

    /// Applies the rules about the end of the trace.
    pub fn finish(&mut self) {
        for thread in &mut self.threads {
            thread.settle(self.findings);
        }
        let is_idle = |name: &str| self.beginnings.is_idle(name);
        for thread in self
            .threads
            .iter()
            .filter(|thread| !thread.has_step && !thread.is_early && !is_idle(&thread.name))
        {
            let name = &thread.name;
            self.findings.add(&rules::NO_STEP, FindingPlace::Trace, || {
                say!("check-no-instruction", thread = name.as_str())
            });
        }
    }

    fn take(&mut self, event: &PartEvent) {
        match event {
            PartEvent::Register(thread, register, contents) => {
                if let Some(thread) = self.thread(*thread) {
                    thread.registers.apply(*register, contents);
                }
            }
            PartEvent::Step(step) => self.step(step),
            PartEvent::Write(write) => self.write(write),
            PartEvent::StatusLost(thread) => {
                if let Some(thread) = self.thread(*thread) {
                    thread.flags = KnownFlags::default();
                }
            }
            PartEvent::Access(access) => self.access(access),
            PartEvent::Text(thread, kind) => self.text(*thread, *kind),
            PartEvent::Marker(event) => self.marker(event),
            PartEvent::Problem(kind) => self.problem(*kind),
        }
    }

    fn thread(&mut self, thread: ThreadNumber) -> Option<&mut CheckedThread> {
        let place = self.part_places.get(usize::from(thread.0))?;
        self.threads.get_mut(*place)
    }

    /// Returns the finding place of an event: that of the last step.
    fn place(&self, place: InputLocation) -> FindingPlace {
        let line = self.lines.saturating_add(place.line_in_range);
        let is_text = self.index.source().is_text();
        let line = is_text.then_some(Line(line.saturating_add(1)));
        match self.steps.checked_sub(1) {
            Some(step) => FindingPlace::Step {
                step: Step(step),
                line,
            },
            None => line.map_or(FindingPlace::Trace, FindingPlace::Line),
        }
    }

    fn divert(&mut self, thread: ThreadNumber) {
        if let Some(thread) = self.thread(thread) {
            thread.divert();
        }
    }

    fn step(&mut self, step: &CheckedStep) {
        self.steps += 1 + step.passed.count as u64;
        let place = self.place(step.place);
        let last = step.last;
        self.has_others |= last.flow == FlowKind::Trap;
        let number = self.part_places.get(usize::from(step.thread.0));
        let Some(thread) = number.and_then(|number| self.threads.get_mut(*number)) else {
            return;
        };
        thread.settle(self.findings);
        thread.pass(&step.passed);
        if !thread.has_step {
            thread.has_step = true;
            let nowhere = self
                .beginnings
                .begins(&thread.name)
                .filter(|_| !self.is_filtered);
            if let Some(message) = nowhere {
                self.findings.add(&rules::THREAD, place, || message);
            }
        } else if thread.mode == last.mode
            && !self.is_filtered
            && let Some(before) = thread.last
            && let Some(expected) = thread.leads.unless(last.pc)
        {
            let message = say!(
                "check-path",
                thread = thread.name.as_str(),
                pc = format!("{:#x}", last.pc),
                from = format!("{:#x}", before.pc),
                expected = expected.to_string()
            );
            thread.stray = Some(PendingFinding { place, message });
        }
        if let Some(time) = step.time
            && let Some(before) = thread.time.replace(time).filter(|before| *before > time)
        {
            let name = &thread.name;
            self.findings.add(&rules::TIME, place, || {
                say!(
                    "check-time",
                    thread = name.as_str(),
                    before = before.to_string(),
                    after = time.to_string()
                )
            });
        }
        let is_in_slot = step.is_in_delay_slot || thread.is_coupled;
        let leads = thread.successors(step);
        thread.leads = match thread.is_coupled {
            true => Successors::Open,
            false => leads,
        };
        thread.is_coupled = is_in_slot && last.is_jump();
        thread.mode = last.mode;
        thread.last = Some(last);
        thread.flags.pass(&PassedSteps {
            count: 1,
            keep_flags: step.keeps_flags,
        });
        if step.is_executed && thread.leaves(&last) {
            thread.divert();
        }
    }

    fn write(&mut self, write: &CheckedWrite) {
        if write.is_unexplained {
            self.check_writer(write);
        }
        let Some(thread) = self.thread(write.thread) else {
            return;
        };
        let bytes = write.bytes();
        if thread.enters(write.view, bytes) {
            thread.divert();
        }
        thread.registers.put(write.home, bytes);
        if write.home.register == RegisterId::PSR {
            thread.flags.write(write.home, bytes);
        }
    }

    /// Checks that the last instruction writes a register that gets another value.
    fn check_writer(&mut self, write: &CheckedWrite) {
        let place = self.place(write.place);
        let Some(thread) = self.thread(write.thread) else {
            return;
        };
        let (Some(last), Some(before)) = (
            thread.last.filter(|_| thread.handlers == 0),
            thread.registers.differing(write.home, write.bytes()),
        ) else {
            return;
        };
        let Some(encoding) = last.encoding else {
            return;
        };
        let instruction = decode(encoding, Address(last.pc), last.set);
        let Some(known) = &instruction.registers else {
            return;
        };
        let written: Vec<RegisterId> = known.writes.iter().map(|view| view.register).collect();
        if !last.keeps(write.view.register, &written) {
            return;
        }
        let name = Registers::name(write.view, last.set);
        let message = say!(
            "check-register",
            register = name.unwrap_or_else(|| say!("check-a-register")),
            before = hex(&before),
            after = hex(write.bytes()),
            pc = format!("{:#x}", last.pc),
            instruction = instruction.text.to_string()
        );
        thread.unexplained.push(PendingFinding { place, message });
    }

    fn access(&mut self, access: &MemoryAccess) {
        let place = self.place(access.place);
        let (has_begun, is_filtered) = (self.steps > 0, self.is_filtered);
        let number = self.part_places.get(usize::from(access.thread.0));
        let Some(thread) = number.and_then(|number| self.threads.get_mut(*number)) else {
            return;
        };
        if thread.last.is_some_and(|last| last.loads_return(access)) {
            thread.divert();
        }
        if !thread.has_step
            && has_begun
            && !std::mem::replace(&mut thread.is_early, true)
            && !is_filtered
        {
            let name = &thread.name;
            let address = access.address;
            self.findings.add(&rules::NO_STEP, place, || {
                say!(
                    "check-early-access",
                    thread = name.as_str(),
                    address = address.to_string()
                )
            });
        }
    }

    fn text(&mut self, thread: ThreadNumber, kind: TextKind) {
        if kind.is_exceptional() {
            self.has_others = true;
            self.divert(thread);
        }
    }

    fn marker(&mut self, event: &MarkerEvent) {
        let marker = event.marker;
        if let Some(recording) = self.index.source().recording(marker) {
            self.is_filtered |= recording.is_filtered;
            self.beginnings.has_system_calls |= recording.has_system_calls;
            return;
        }
        self.has_others = true;
        match marker.kind {
            MarkerKind::SYSTEM_CALL => {
                let last = self.thread(event.thread).and_then(|thread| thread.last);
                let set = last.map_or(self.index.source().traits().instruction_set, |last| {
                    last.set
                });
                self.beginnings
                    .system_call(set.system_call_name(marker.value));
                return;
            }
            MarkerKind::HARDWARE_EVENT => self.change_handlers(event.thread, 1),
            MarkerKind::HARDWARE_RETURN => self.change_handlers(event.thread, -1),
            _ => {}
        }
        self.divert(event.thread);
    }

    fn change_handlers(&mut self, thread: ThreadNumber, change: i32) {
        if let Some(thread) = self.thread(thread) {
            thread.handlers = thread.handlers.saturating_add_signed(change);
        }
    }

    fn problem(&mut self, reported_once: Option<Discriminant<ProblemKind>>) {
        if let Some(kind) = reported_once {
            if self.reported_once.contains(&kind) {
                return;
            }
            self.reported_once.push(kind);
        }
        // The damaged part may have held any event.
        for thread in &mut self.threads {
            thread.divert();
        }
    }
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

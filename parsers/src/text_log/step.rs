//! A step while its lines are read ([`LoggedStep`]); it becomes events at the end of its chunk.

use std::ops::Range;

use stepback_machine::flow::{FlowKind, RecordedBranch};
use stepback_machine::{
    AccessKind, Address, CodeSite, Encoding, InstructionSet, Mode, RegisterId, RegisterView,
    Registers, decode,
};

use crate::events::{
    DelaySlot, EventSink, InputLocation, MemoryAccess, RegisterWrite, StepEvent, StepOrigin,
    TextEvent, TextKind, ThreadNumber, WrittenName,
};
use crate::problem::{LogFault, Problem, ProblemKind};
use crate::text::digits::decimal;
use crate::text::name_table::NameTable;

/// Maximum number of threads; lines of further ones are dropped, as in the index.
const THREADS: usize = 1 << 15;
/// Maximum number of registers outside the architecture's table.
const NAMED_REGISTERS: usize = 4096;
/// Maximum number of effects and notes of a step, which bounds memory.
const EFFECTS: usize = 1 << 16;
/// Number of effects among which a repeated access is searched.
const REPEATED: usize = 64;
/// Maximum bytes of a register whose length is the same on all processors.
const LONGEST_FIXED_BYTES: u16 = 64;
/// Longest text that is kept of a line.
const NOTE: usize = 400;
/// Maximum bytes of a register value and of an access event.
const ACCESS_BYTES: usize = 64;

/// A step, and everything that its lines say about it.
#[derive(Debug, Default)]
pub(crate) struct LoggedStep {
    /// Location of the current line.
    pub at: InputLocation,
    /// Start of the chunk in the input.
    pub chunk_offset: u64,
    /// Name of the thread.
    pub thread: Vec<u8>,
    /// Location of the instruction's own line; none while no line announced an instruction.
    place: Option<InputLocation>,
    /// Address of the instruction.
    pub pc: u64,
    /// Instruction set of the instruction.
    pub set: InstructionSet,
    /// Bytes of the instruction; none if the log does not state them.
    pub encoding: Option<Encoding>,
    /// Length in bytes; 0 if unknown.
    pub length_bytes: u8,
    /// False for an instruction that trapped or was not reached.
    pub is_executed: bool,
    /// Timestamp.
    pub time: Option<u64>,
    /// Effect on control; unsaid if only the instruction tells it.
    pub branch: RecordedBranch,
    /// Disassembly in the log.
    pub text: Vec<u8>,
    /// Privilege mode of the instruction, as a number; none if the log does not state it.
    pub privilege: Option<u8>,
    /// Block of the instruction, in formats that record blocks.
    pub block: BlockPlace,
    /// For the last steps of a text, the start of a last line without newline: its end may be missing.
    pub cut_line: Option<u64>,
    /// True if values are left out from here on: their place in the trace is not known.
    pub hides_values: bool,
    /// The log records no flags, so that no step makes them unknown.
    pub leaves_out_flags: bool,
    /// Lines that a format keeps until the step is complete.
    pub kept_lines: Vec<u8>,
    effects: Vec<LoggedEffect>,
    /// Bytes of values, names and notes.
    bytes: Vec<u8>,
    /// Registers whose values come in later lines, each with the number of its effect.
    late: Vec<(LateRegister, usize)>,
    /// Faults of lines, with their locations.
    problems: Vec<Problem>,
    has_scattered_values: bool,
    /// True if effects were left out.
    has_left_out: bool,
}

/// Place of an instruction in a block of instructions that run one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockPlace {
    /// Address of the first instruction.
    pub start: u64,
    /// Number of instructions.
    pub count: usize,
    /// Number of instructions before this one.
    pub number: usize,
}

#[derive(Debug)]
struct LoggedEffect {
    at: InputLocation,
    kind: EffectKind,
}

#[derive(Debug)]
enum EffectKind {
    Register {
        register: StoredName,
        value: Option<Range<usize>>,
    },
    Access(LoggedAccess),
    Note(TextKind, Range<usize>),
}

#[derive(Debug)]
enum StoredName {
    View(RegisterView),
    Named { name: Range<usize>, size_bytes: u16 },
}

/// A register in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LoggedRegister<'a> {
    /// Register of the architecture's table.
    View(RegisterView),
    /// Another register, by its name in lower case.
    Named {
        /// The name.
        name: &'a [u8],
        /// Width in bytes.
        size_bytes: u16,
    },
}

/// A register whose value comes in a later line: its letter and its number.
pub(crate) type LateRegister = (u8, u64);

/// An access in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: u64,
    /// Length in bytes, at most 64.
    pub size_bytes: u16,
    /// Bytes in memory order; none if unknown. Only the first 8 bytes can be known.
    pub bytes: Option<[u8; 8]>,
}

/// Returns the whole register for the name of its low half: a write of `w0` or `eax` clears the
/// rest.
pub(crate) fn whole_register(view: RegisterView, set: InstructionSet) -> RegisterView {
    let is_low_half = view.offset == 0 && view.size_bytes == 4 && set.word_bytes() == 8;
    match is_low_half && set.number_of(view.register).is_some() {
        true => RegisterView {
            size_bytes: 8,
            ..view
        },
        false => view,
    }
}

impl LoggedStep {
    /// Forgets the step of the chunk before.
    pub fn begin(&mut self, chunk_offset: u64) {
        self.chunk_offset = chunk_offset;
        self.thread.clear();
        self.place = None;
        self.encoding = None;
        self.length_bytes = 0;
        self.is_executed = true;
        self.time = None;
        self.branch = RecordedBranch::Unsaid;
        self.text.clear();
        self.kept_lines.clear();
        self.privilege = None;
        self.block = BlockPlace::default();
        self.cut_line = None;
        self.hides_values = false;
        self.leaves_out_flags = false;
        self.effects.clear();
        self.bytes.clear();
        self.late.clear();
        self.problems.clear();
        self.has_scattered_values = false;
        self.has_left_out = false;
    }

    /// Names the thread after a kind of processor and its number.
    pub fn set_thread(&mut self, kind: &str, number: u64) {
        self.thread.clear();
        self.thread.extend_from_slice(kind.as_bytes());
        match number {
            0..=9 => self.thread.push(b'0' + number as u8),
            _ => self.thread.extend_from_slice(number.to_string().as_bytes()),
        }
    }

    /// Returns whether [`Self::set_thread`] gave the thread its name with this number.
    pub fn is_thread(&self, kind: &str, number: u64) -> bool {
        let own = self.thread.strip_prefix(kind.as_bytes());
        own.and_then(decimal) == Some(number)
    }

    /// Announces the instruction, on the current line.
    pub fn announce(&mut self, pc: u64, set: InstructionSet) {
        self.place = Some(self.at);
        (self.pc, self.set) = (pc, set);
    }

    /// Returns true if a line announced an instruction.
    pub fn is_announced(&self) -> bool {
        self.place.is_some()
    }

    /// Adds a register write; the value is little-endian and as long as the register, or longer.
    pub fn write(&mut self, register: LoggedRegister<'_>, value: Option<&[u8]>) {
        if self.is_full() {
            return;
        }
        let value = value.filter(|_| !self.hides_values);
        let value = value.map(|value| self.keep(value));
        let register = match register {
            LoggedRegister::View(view) => StoredName::View(view),
            LoggedRegister::Named { name, size_bytes } => StoredName::Named {
                name: self.keep(name),
                size_bytes,
            },
        };
        self.push(EffectKind::Register { register, value });
    }

    /// Adds a register write whose value comes in a later line.
    pub fn write_late(&mut self, view: RegisterView, register: LateRegister) {
        self.late.push((register, self.effects.len()));
        self.write(LoggedRegister::View(view), None);
    }

    /// Marks registers as unknown that the instruction writes according to its encoding, but whose
    /// new values the log does not show.
    pub fn forget_destinations(&mut self, except: Option<RegisterId>) {
        let Some(encoding) = self.encoding else {
            return;
        };
        let instruction = decode(encoding, Address(self.pc), self.set);
        let destinations = instruction.registers.iter().flat_map(|used| &used.writes);
        let flags = self.leaves_out_flags.then_some(RegisterId::PSR);
        for view in destinations.filter(|view| view.register != RegisterId::PC) {
            if ![except, flags].contains(&Some(view.register)) {
                self.forget(whole_register(*view, self.set));
            }
        }
    }

    /// Marks registers as unknown that the instruction may write, but whose new values may be missing
    /// from the end of the log.
    pub fn forget_missing(&mut self) {
        if !self.is_announced() || !self.is_executed && self.has_exception() {
            return;
        }
        match self.encoding {
            // A whole log may end with the system call that ends its program.
            Some(encoding) if self.cut_line.is_none() && self.is_trap(encoding) => {}
            Some(_) => self.forget_destinations(None),
            None if self.cut_line.is_some() => self.forget_registers(),
            None => {}
        }
    }

    fn is_trap(&self, encoding: Encoding) -> bool {
        let pc = Address(self.set.code_address(self.pc));
        self.set.control(&CodeSite { pc, encoding }).flow == FlowKind::Trap
    }

    /// Returns true if the end of the instruction's own line may be missing.
    pub fn is_cut_off(&self) -> bool {
        let place = self.place.zip(self.cut_line);
        place.is_some_and(|(place, cut_line)| place.offset >= cut_line)
    }

    /// Marks all registers as unknown that the step is not known to write. If the log records no
    /// flags, status registers are none of its registers.
    pub fn forget_registers(&mut self) {
        let left_out = RegisterId::PSR..=RegisterId::VPR;
        for (_, view) in Registers::shown(self.set) {
            let is_left_out = self.leaves_out_flags && left_out.contains(&view.register);
            if view.register != RegisterId::PC && !is_left_out {
                self.forget(view);
            }
        }
    }

    /// Adds a write without a value, unless one of the same register was added.
    pub fn forget(&mut self, view: RegisterView) {
        if !self.has_written(view) {
            self.write(LoggedRegister::View(view), None);
        }
    }

    /// Returns true if a write of a register was added.
    pub fn has_written(&self, view: RegisterView) -> bool {
        self.effects.iter().any(|effect| {
            matches!(&effect.kind, EffectKind::Register { register: StoredName::View(own), .. }
                if own.register == view.register)
        })
    }

    /// Returns true while a register write waits for its value.
    pub fn is_waiting(&self) -> bool {
        !self.late.is_empty()
    }

    /// Fills in the value of the first write that waits for a register.
    pub fn resolve(&mut self, register: LateRegister, bytes: &[u8]) {
        let Some(place) = self.late.iter().position(|(late, _)| *late == register) else {
            return;
        };
        let (_, number) = self.late.remove(place);
        let kept = self.keep(bytes);
        if let Some(LoggedEffect {
            kind: EffectKind::Register { value, .. },
            ..
        }) = self.effects.get_mut(number)
        {
            *value = Some(kept);
        }
        self.has_scattered_values = true;
    }

    /// Adds an access.
    pub fn access(&mut self, access: LoggedAccess) {
        let bytes = access.bytes.filter(|_| !self.hides_values);
        self.push(EffectKind::Access(LoggedAccess { bytes, ..access }));
    }

    /// Adds an access with all its bytes, in events of at most 8 bytes.
    pub fn access_bytes(&mut self, kind: AccessKind, address: u64, bytes: &[u8]) {
        for (place, part) in bytes.chunks(8).enumerate() {
            let mut known = [0; 8];
            known
                .iter_mut()
                .zip(part)
                .for_each(|(to, from)| *to = *from);
            let Some(address) = address.checked_add(8 * place as u64) else {
                return;
            };
            self.access(LoggedAccess {
                kind,
                address,
                size_bytes: part.len() as u16,
                bytes: Some(known),
            });
        }
    }

    /// Adds an access, or replaces one of the same kind, address and size among the last effects.
    pub fn replace_access(&mut self, access: LoggedAccess) {
        let last = self.effects.iter_mut().rev().take(REPEATED);
        let same = last
            .filter_map(|effect| match &mut effect.kind {
                EffectKind::Access(other) => Some(other),
                _ => None,
            })
            .find(|other| {
                (other.kind, other.address, other.size_bytes)
                    == (access.kind, access.address, access.size_bytes)
            });
        match same {
            Some(same) => *same = access,
            None => self.access(access),
        }
    }

    /// Returns the value that the step wrote to a register of the architecture's table.
    pub fn written(&self, register: RegisterId) -> Option<&[u8]> {
        self.effects
            .iter()
            .rev()
            .find_map(|effect| match &effect.kind {
                EffectKind::Register {
                    register: StoredName::View(view),
                    value: Some(value),
                } if view.register == register => Some(self.kept(value)),
                _ => None,
            })
    }

    /// Adds a text about the step, up to a limit. Notes before the first step belong to no thread and
    /// are left out.
    pub fn note(&mut self, kind: TextKind, text: &[u8]) {
        let has_thread = self.is_announced() || !self.thread.is_empty();
        if !has_thread && kind == TextKind::Note || self.is_full() {
            return;
        }
        let text = self.keep(text.get(..NOTE).unwrap_or(text));
        self.push(EffectKind::Note(kind, text));
    }

    /// Adds a line that does not belong to the log as a note, and reports it.
    pub fn foreign_line(&mut self, line: &[u8]) {
        self.note(TextKind::Note, line);
        self.fault(0, LogFault::ForeignLine);
    }

    /// Returns true if a register write or an access was added.
    pub fn has_data_effects(&self) -> bool {
        let is_note = |effect: &LoggedEffect| matches!(effect.kind, EffectKind::Note(..));
        !self.effects.iter().all(is_note)
    }

    /// Drops all effects and notes of the step.
    pub fn drop_effects(&mut self) {
        self.effects.clear();
        self.late.clear();
    }

    /// Returns true if a text about an exception was added.
    pub fn has_exception(&self) -> bool {
        let is_exception =
            |kind: &EffectKind| matches!(kind, EffectKind::Note(TextKind::Exception, _));
        self.effects.iter().any(|effect| is_exception(&effect.kind))
    }

    /// Reports a fault of the current line.
    pub fn fault(&mut self, column: usize, fault: LogFault) {
        if self.problems.len() < EFFECTS {
            self.problems.push(Problem {
                place: self.at,
                column: u32::try_from(column).unwrap_or(u32::MAX),
                kind: ProblemKind::Log(fault),
            });
        }
    }

    /// Reports that the end of the current line may be missing, in place of other faults of it.
    pub fn cut_off(&mut self, column: usize) {
        let line = self.at;
        self.problems.retain(|problem| problem.place != line);
        self.fault(column, LogFault::CutOff);
    }

    /// Notes that values of the step do not stand in the text as runs of digits.
    pub fn scatter_values(&mut self) {
        self.has_scattered_values = true;
    }

    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    fn push(&mut self, kind: EffectKind) {
        if !self.is_full() {
            self.effects.push(LoggedEffect { at: self.at, kind });
        }
    }

    /// Returns true if no more effects are kept, which is reported the first time.
    fn is_full(&mut self) -> bool {
        let is_full = self.effects.len() >= EFFECTS;
        if is_full && !self.has_left_out {
            self.has_left_out = true;
            // The list of problems may be full too.
            self.problems.truncate(EFFECTS - 1);
            self.fault(0, LogFault::TooManyEffects(EFFECTS));
        }
        is_full
    }

    /// Pushes the events of the step.
    pub fn emit<S: EventSink + ?Sized>(&self, names: &mut LogNames, sink: &mut S) {
        if self.place.is_none() && self.effects.is_empty() {
            self.emit_problems(sink);
            return;
        }
        let Some(thread) = names.thread(&self.thread, sink) else {
            let place = self.place.or(self.effects.first().map(|effect| effect.at));
            sink.problem(&left_out(
                place.unwrap_or(self.at),
                LogFault::TooManyThreads(THREADS),
            ));
            return;
        };
        if let Some(place) = self.place {
            self.emit_step(thread, place, sink);
        }
        if self.has_scattered_values {
            sink.scattered_values();
        }
        for effect in &self.effects {
            let place = effect.at;
            match &effect.kind {
                EffectKind::Register { register, value } => {
                    let register = match register {
                        StoredName::View(view) => Some(*view),
                        StoredName::Named { name, size_bytes } => {
                            names.register(self.kept(name), *size_bytes, sink)
                        }
                    };
                    let value = value.as_ref().map(|value| self.kept(value));
                    match register {
                        Some(view) => emit_write(thread, view, value, place, sink),
                        None => {
                            let fault = LogFault::TooManyRegisters(NAMED_REGISTERS);
                            sink.problem(&left_out(place, fault));
                        }
                    }
                }
                EffectKind::Access(access) => emit_access(thread, access, place, sink),
                EffectKind::Note(kind, text) => sink.text(&TextEvent {
                    thread,
                    kind: *kind,
                    text: self.kept(text),
                    place,
                }),
            }
        }
        self.emit_problems(sink);
    }

    fn emit_problems<S: EventSink + ?Sized>(&self, sink: &mut S) {
        self.problems
            .iter()
            .for_each(|problem| sink.problem(problem));
    }

    fn emit_step<S: EventSink + ?Sized>(
        &self,
        thread: ThreadNumber,
        place: InputLocation,
        sink: &mut S,
    ) {
        let encoding = self.encoding.as_ref();
        sink.begin_step(&StepEvent {
            thread,
            place,
            chunk_offset: self.chunk_offset,
            time: self.time,
            pc: Address(self.set.code_address(self.pc)),
            instruction_set: self.set,
            opcode: encoding.map_or(0, |encoding| self.set.opcode_of(encoding)),
            bytes: encoding.map_or(&[], |encoding| encoding.bytes()),
            branch: self.branch,
            length_bytes: self.length_bytes,
            is_executed: self.is_executed,
            delay_slot: DelaySlot::None,
            origin: StepOrigin::Recorded,
            mode: Mode::Other,
            text: &self.text,
        });
    }

    fn kept(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// Creates the report that something was left out.
fn left_out(place: InputLocation, fault: LogFault) -> Problem {
    Problem {
        place,
        column: 0,
        kind: ProblemKind::Log(fault),
    }
}

/// Pushes a register write. A value shorter than the register is extended by zeros, except for vector
/// registers whose length depends on the processor: nothing is known of the rest of these.
fn emit_write<S: EventSink + ?Sized>(
    thread: ThreadNumber,
    view: RegisterView,
    value: Option<&[u8]>,
    place: InputLocation,
    sink: &mut S,
) {
    let mut view = view;
    if let Some(value) = value.filter(|_| view.size_bytes > LONGEST_FIXED_BYTES) {
        view.size_bytes = view.size_bytes.min(value.len() as u16);
    }
    let size_bytes = usize::from(view.size_bytes);
    let mut padded = Vec::new();
    let bytes = value.map(|value| {
        value.get(..size_bytes).unwrap_or_else(|| {
            padded.extend_from_slice(value);
            padded.resize(size_bytes, 0);
            &padded[..]
        })
    });
    emit_whole_write(thread, view, bytes, place, sink);
}

/// Pushes a register write whose value is as long as the register.
#[inline(always)]
pub(super) fn emit_whole_write<S: EventSink + ?Sized>(
    thread: ThreadNumber,
    view: RegisterView,
    bytes: Option<&[u8]>,
    place: InputLocation,
    sink: &mut S,
) {
    sink.register_write(&RegisterWrite {
        thread,
        view,
        bytes,
        name: WrittenName::Own,
        mode: Mode::Other,
        place,
    });
}

/// Pushes an access; one without a known value may be larger than an event and is split.
#[inline(always)]
pub(super) fn emit_access<S: EventSink + ?Sized>(
    thread: ThreadNumber,
    access: &LoggedAccess,
    place: InputLocation,
    sink: &mut S,
) {
    let size = u64::from(access.size_bytes.max(1));
    // No byte follows the last address.
    let size = size.min((u64::MAX - access.address).saturating_add(1)) as u16;
    let bytes = access.bytes.filter(|_| size <= 8);
    for offset in (0..size).step_by(ACCESS_BYTES) {
        sink.access(&MemoryAccess {
            thread,
            kind: access.kind,
            address: Address(access.address + u64::from(offset)),
            tag: 0,
            size_bytes: (size - offset).min(ACCESS_BYTES as u16) as u8,
            bytes,
            place,
        });
    }
}

/// Names of threads and registers in a run, numbered in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct LogNames {
    threads: NameTable,
    registers: NameTable,
    /// Widths of the registers in bytes, by number.
    widths: Vec<u16>,
    /// Last thread, because most steps follow one of the same thread.
    last: Option<(Vec<u8>, ThreadNumber)>,
}

impl LogNames {
    /// Forgets all names.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.registers.clear();
        self.widths.clear();
        self.last = None;
    }

    pub(super) fn thread<S: EventSink + ?Sized>(
        &mut self,
        name: &[u8],
        sink: &mut S,
    ) -> Option<ThreadNumber> {
        let name = if name.is_empty() { &b"cpu0"[..] } else { name };
        if let Some((last, number)) = &self.last
            && last == name
        {
            return Some(*number);
        }
        let number = match self.threads.find(name) {
            Some(number) => ThreadNumber(number),
            None => {
                let number = ThreadNumber(self.threads.add(name, THREADS)?);
                sink.thread_named(number, &String::from_utf8_lossy(name));
                number
            }
        };
        self.last = Some((name.to_vec(), number));
        Some(number)
    }

    fn register<S: EventSink + ?Sized>(
        &mut self,
        name: &[u8],
        size_bytes: u16,
        sink: &mut S,
    ) -> Option<RegisterView> {
        let number = match self.registers.find(name) {
            Some(number) => number,
            None => {
                let number = self.registers.add(name, NAMED_REGISTERS)?;
                self.widths.push(size_bytes);
                let register = RegisterId(RegisterId::FIRST_NAMED.0 + number);
                sink.register_named(register, &String::from_utf8_lossy(name), size_bytes);
                number
            }
        };
        let width = self.widths.get(usize::from(number)).copied()?;
        let register = RegisterId(RegisterId::FIRST_NAMED.0 + number);
        Some(RegisterView::new(register, 0, width.min(size_bytes)))
    }
}

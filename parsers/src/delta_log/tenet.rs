//! Tenet: lines of changed registers and accessed memory ([`Tenet`]).
//!
//! A line is the state after an instruction, and its program counter is that of the next one. So a
//! line begins a step, and the next line with a program counter states its effects. The first line
//! is the initial state. There are no encodings, so calls and returns of x86 are found by the
//! stack: a call stores the address after it. Elsewhere a call writes that address to the link
//! register, which the log shows only where the value changes. So the branches are classified when
//! the log is opened: an instruction that called once is a call whenever control goes elsewhere, and
//! one that always goes to the address in the link register is a return. That may be signed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, InstructionSet, RegisterId, Registers};

use crate::problem::LogFault;
use crate::read_at::ReadAt;
use crate::text::digits::{hex, is_hex};
use crate::text::window::each_window;
use crate::text::words::{bytes_in_order, little_endian};
use crate::text_log::{
    AheadText, ChunkStart, LogFormat, LogHead, LoggedAccess, LoggedRegister, LoggedStep,
};

/// Number of bytes after a step in which the next line ends.
const NEXT_LINE: usize = 64 << 10;
/// Longest register value in bytes.
const VALUE_BYTES: usize = 256;
/// Maximum number of instructions that are classified.
const BRANCHES: usize = 1 << 20;
/// Maximum number of bits of a signature and a tag in an address: the smallest common virtual
/// addresses of Arm have 39 bits (Android).
const SIGNED_BITS: u32 = 25;
/// Longest instruction of x86 in bytes.
const LONGEST: u64 = 15;

/// A Tenet log.
pub(crate) struct Tenet {
    set: InstructionSet,
    /// Offset of the program counter in the first line.
    first_chunk: u64,
    /// True if the log has writes of memory, but no reads.
    has_writes_alone: bool,
    /// True if the log names a status register.
    has_flags: bool,
    /// Branches by address, on architectures with a link register.
    branches: RwLock<HashMap<u64, LinkedBranch>>,
}

/// Kind of an instruction by its effects on control so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkedBranch {
    /// It saved its return address at least once.
    Call,
    /// It always went to the address in the link register.
    Return,
    Other,
}

impl LinkedBranch {
    /// Returns the kind after another execution.
    fn with(self, next: Self) -> Self {
        match (self, next) {
            (Self::Call, _) | (_, Self::Call) => Self::Call,
            (Self::Return, Self::Return) => Self::Return,
            _ => Self::Other,
        }
    }
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TenetLine<'a> {
    line: &'a [u8],
    /// Address of the next instruction.
    pc: Option<u64>,
    /// True if no item of the format is in the line.
    is_foreign: bool,
}

/// An item of a line.
#[derive(Clone, Copy, Debug)]
enum TenetItem<'a> {
    Register { name: &'a [u8], digits: &'a [u8] },
    Memory(TenetAccess<'a>),
}

/// Memory that was read, written, or both.
#[derive(Clone, Copy, Debug)]
struct TenetAccess<'a> {
    kinds: &'static [AccessKind],
    address: u64,
    digits: &'a [u8],
}

/// Returns whether a line certainly belongs to a Tenet log.
pub(crate) fn is_tenet_line(line: &[u8]) -> bool {
    let count = line.split(|byte| *byte == b',').count();
    items(line).filter(Option::is_some).count() == count
        && pc_of(line).is_some()
        && memchr::memmem::find(line, b"=0x").is_some()
}

fn is_pc(name: &[u8]) -> bool {
    [&b"rip"[..], b"eip", b"pc"]
        .iter()
        .any(|pc| name.eq_ignore_ascii_case(pc))
}

/// Splits a line into items; none for what is no item.
fn items(line: &[u8]) -> impl Iterator<Item = Option<TenetItem<'_>>> {
    line.split(|byte| *byte == b',').map(item)
}

fn item(word: &[u8]) -> Option<TenetItem<'_>> {
    let word = word.trim_ascii();
    let at = memchr::memchr(b'=', word)?;
    let (name, value) = (word.get(..at)?, word.get(at + 1..)?);
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    if name.is_empty() || !name.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
    let kinds: &[AccessKind] = match () {
        () if name.eq_ignore_ascii_case(b"mr") => &[AccessKind::Read],
        () if name.eq_ignore_ascii_case(b"mw") => &[AccessKind::Write],
        // The bytes are those after the instruction.
        () if name.eq_ignore_ascii_case(b"mrw") => &[AccessKind::Read, AccessKind::Write],
        () => {
            let is_value = hex(value).is_some() || value.len() <= 2 * VALUE_BYTES && is_hex(value);
            return is_value.then_some(TenetItem::Register {
                name,
                digits: value,
            });
        }
    };
    let at = memchr::memchr(b':', value)?;
    Some(TenetItem::Memory(TenetAccess {
        kinds,
        address: hex(value.get(..at)?)?,
        digits: value.get(at + 1..)?,
    }))
}

/// Returns the name in an item whose value cannot be read.
fn register_name(word: &[u8]) -> Option<&[u8]> {
    let (name, _) = word.split_at(memchr::memchr(b'=', word)?);
    let name = name.trim_ascii();
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(u8::is_ascii_alphanumeric);
    let is_memory = [&b"mr"[..], b"mw", b"mrw"]
        .iter()
        .any(|kind| name.eq_ignore_ascii_case(kind));
    (is_name && !is_memory && !is_pc(name)).then_some(name)
}

fn pc_of(line: &[u8]) -> Option<u64> {
    items(line).flatten().find_map(|item| match item {
        TenetItem::Register { name, digits } if is_pc(name) => hex(digits),
        _ => None,
    })
}

/// Effects that a line states.
#[derive(Debug, Default)]
struct TenetEffects {
    /// Value of the stack pointer, if it changed.
    stack: Option<u64>,
    /// Accesses of the size of an address, with their values.
    words: Vec<(AccessKind, u64, u64)>,
}

impl Tenet {
    /// Adds the registers and memory of a line.
    fn effects(&self, line: &[u8], step: &mut LoggedStep) -> TenetEffects {
        let mut effects = TenetEffects::default();
        let word_bytes = usize::from(self.set.word_bytes());
        let written: Vec<Range<u64>> = items(line)
            .flatten()
            .filter_map(|item| match item {
                TenetItem::Memory(access) if access.kinds.contains(&AccessKind::Write) => {
                    let len_bytes = access.digits.len() as u64 / 2;
                    Some(access.address..access.address.saturating_add(len_bytes))
                }
                _ => None,
            })
            .collect();
        for (place, item) in items(line).enumerate() {
            match item {
                Some(TenetItem::Register { name, .. }) if is_pc(name) => {}
                Some(TenetItem::Register { name, digits }) => {
                    if let Some(stack) = self.register(name, digits, step) {
                        effects.stack = Some(stack);
                    }
                }
                Some(TenetItem::Memory(access)) => {
                    let Some(bytes) = bytes_in_order(access.digits) else {
                        step.fault(0, unreadable(line, place));
                        continue;
                    };
                    let start = access.address;
                    let end = start.saturating_add(bytes.len() as u64);
                    // Tracers fetch the bytes after the instruction, so a byte that it also wrote
                    // has its new value here.
                    let is_overwritten = written
                        .iter()
                        .any(|range| range.start < end && start < range.end);
                    for kind in access.kinds.iter().copied() {
                        if kind == AccessKind::Read && is_overwritten {
                            step.access(LoggedAccess {
                                kind,
                                address: start,
                                size_bytes: bytes.len() as u16,
                                bytes: None,
                            });
                            continue;
                        }
                        step.access_bytes(kind, start, &bytes);
                        if bytes.len() == word_bytes {
                            let value = bytes
                                .iter()
                                .rev()
                                .fold(0, |value, byte| value << 8 | u64::from(*byte));
                            effects.words.push((kind, start, value));
                        }
                    }
                }
                None => {
                    step.fault(0, unreadable(line, place));
                    let word = line
                        .split(|byte| *byte == b',')
                        .nth(place)
                        .unwrap_or_default();
                    if let Some(name) = register_name(word) {
                        self.register(name, b"", step);
                    }
                }
            }
        }
        effects
    }

    /// Adds a register, and returns its value if it is the stack pointer.
    fn register(&self, name: &[u8], digits: &[u8], step: &mut LoggedStep) -> Option<u64> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let mut bytes = [0; VALUE_BYTES];
        let value = little_endian(digits, &mut bytes);
        let view = Registers::view(&name, self.set);
        let register = match view {
            Some(view) => LoggedRegister::View(view),
            None => LoggedRegister::Named {
                name: name.as_bytes(),
                size_bytes: self.set.word_bytes(),
            },
        };
        step.write(register, value);
        let is_stack = view.is_some_and(|view| view.register == RegisterId::SP);
        is_stack.then(|| hex(digits)).flatten()
    }

    /// Returns the effect on control of an instruction of an architecture with a link register.
    fn linked_branch(&self, pc: u64, next: u64) -> RecordedBranch {
        if matches!(next.wrapping_sub(pc), 2 | 4) {
            return RecordedBranch::None;
        }
        let branches = self.branches.read().unwrap_or_else(PoisonError::into_inner);
        match branches.get(&pc) {
            Some(LinkedBranch::Call) => RecordedBranch::Call,
            Some(LinkedBranch::Return) => RecordedBranch::Return,
            Some(LinkedBranch::Other) | None => RecordedBranch::Jump,
        }
    }

    /// Classifies the branches among some lines.
    fn classify_branches(&self, text: &[u8]) {
        let Some(link) = Registers::view("lr", self.set).or(Registers::view("ra", self.set)) else {
            return;
        };
        let mut branches = self
            .branches
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut last, mut held) = (None, None);
        for line in text.split(|byte| *byte == b'\n') {
            let Some(pc) = pc_of(line) else { continue };
            let linked = items(line).flatten().find_map(|item| match item {
                TenetItem::Register { name, digits } => {
                    let name = std::str::from_utf8(name).ok()?;
                    let is_link = Registers::view(name, self.set) == Some(link);
                    is_link.then(|| hex(digits)).flatten()
                }
                TenetItem::Memory(_) => None,
            });
            let linked = linked.map(|address| self.set.code_address(address));
            let before = last.replace(pc);
            let is_known = before.is_none_or(|before| branches.contains_key(&before));
            if let Some(before) = before.filter(|_| is_known || branches.len() < BRANCHES) {
                let is_after = |address: u64| matches!(address.wrapping_sub(before), 2 | 4);
                let found = match () {
                    () if !is_after(pc) && linked.is_some_and(is_after) => LinkedBranch::Call,
                    () if !is_after(pc) && held.is_some_and(|held| is_to(held, pc)) => {
                        LinkedBranch::Return
                    }
                    () => LinkedBranch::Other,
                };
                let known = branches.entry(before).or_insert(found);
                *known = known.with(found);
            }
            held = linked.or(held);
        }
    }

    /// Finds the length and the effect on control of an instruction by the address of the next one
    /// and by the stack.
    fn find_control(&self, next: u64, effects: &TenetEffects, step: &mut LoggedStep) {
        let pc = step.pc;
        if self.set.alignment() > 1 {
            step.length_bytes = match next.wrapping_sub(pc) {
                2 => 2,
                _ => 4,
            };
            step.branch = self.linked_branch(pc, next);
            return;
        }
        let is_after = |address: u64| (1..=LONGEST).contains(&address.wrapping_sub(pc));
        let pushed = effects.words.iter().find(|(kind, address, value)| {
            *kind == AccessKind::Write && effects.stack == Some(*address) && is_after(*value)
        });
        let reads_next = || {
            let mut words = effects.words.iter();
            words.any(|(kind, _, value)| *kind == AccessKind::Read && *value == next)
        };
        // A call that moves the stack pointer writes the return address.
        let is_return = || self.has_writes_alone && effects.words.is_empty() && !is_after(next);
        let is_popped = effects.stack.is_some() && (reads_next() || is_return());
        match pushed {
            Some((_, _, after)) => {
                step.length_bytes = after.wrapping_sub(pc) as u8;
                step.branch = RecordedBranch::Call;
            }
            None if is_popped => {
                step.length_bytes = 1;
                step.branch = RecordedBranch::Return;
            }
            None if is_after(next) => {
                step.length_bytes = next.wrapping_sub(pc) as u8;
            }
            None => step.branch = RecordedBranch::Jump,
        }
    }
}

/// Returns true if a link register leads to an address: it holds that, or that with a signature
/// (`retaa` of A64), which is above the bits of a virtual address.
fn is_to(link: u64, address: u64) -> bool {
    (link ^ address) << SIGNED_BITS == 0
}

fn unreadable(line: &[u8], place: usize) -> LogFault {
    let found = line.split(|byte| *byte == b',').nth(place);
    let found = found.unwrap_or_default();
    let found = String::from_utf8_lossy(found.get(..found.len().min(40)).unwrap_or_default());
    LogFault::Item(found.into_owned())
}

impl LogFormat for Tenet {
    type Line<'a> = TenetLine<'a>;
    type ChunkState = ();

    const NAME: &'static str = "tenet";
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let has = |line: &[u8], wanted: &[u8]| {
            items(line).flatten().any(|item| {
                matches!(item, TenetItem::Register { name, .. } if name.eq_ignore_ascii_case(wanted))
            })
        };
        let first = head.lines().find(|line| pc_of(line).is_some());
        let any = |wanted: &[u8]| head.lines().take(64).any(|line| has(line, wanted));
        let likely = match () {
            () if any(b"rip") => InstructionSet::X86_64,
            () if any(b"eip") => InstructionSet::X86_32,
            () if any(b"x0") || any(b"x1") || any(b"x30") => InstructionSet::A64,
            () if any(b"r0") || any(b"r1") || any(b"lr") => InstructionSet::A32,
            () if any(b"ra") || any(b"a0") => InstructionSet::Riscv64,
            () => InstructionSet::A64,
        };
        // The first line may state memory as it was before.
        let has_kind = |kind: AccessKind| {
            let mut accesses = head.lines().skip(1).flat_map(items).flatten();
            accesses.any(
                |item| matches!(item, TenetItem::Memory(access) if access.kinds.contains(&kind)),
            )
        };
        // The first step begins at the program counter of the first line: the chunk of the initial
        // state is the text before it.
        let pc_at = head
            .lines()
            .next()
            .filter(|line| first == Some(line))
            .and_then(|line| {
                let place = line
                    .split(|byte| *byte == b',')
                    .position(|word| pc_of(word).is_some())?;
                let before = line.split(|byte| *byte == b',').take(place);
                Some(before.map(|word| word.len() as u64 + 1).sum())
            });
        let set = head.options.instruction_set.unwrap_or(likely);
        let is_status = |item: TenetItem<'_>| {
            let TenetItem::Register { name, .. } = item else {
                return false;
            };
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            let view = Registers::view(&name, set);
            view.is_some_and(|view| (RegisterId::PSR..=RegisterId::VPR).contains(&view.register))
        };
        Self {
            set,
            first_chunk: pc_at.unwrap_or(0),
            has_writes_alone: has_kind(AccessKind::Write) && !has_kind(AccessKind::Read),
            has_flags: head.lines().flat_map(items).flatten().any(is_status),
            branches: RwLock::default(),
        }
    }

    fn scan(&self, input: &dyn ReadAt, range: Range<u64>) {
        if self.set.alignment() > 1 {
            // Errors are left to the readers of the text.
            _ = each_window(input, range, |text| self.classify_branches(text));
        }
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn options(&self) -> String {
        format!(
            "log=tenet,first={},writes={},flags={}",
            self.first_chunk, self.has_writes_alone, self.has_flags
        )
    }

    fn first_chunk(&self) -> u64 {
        self.first_chunk
    }

    fn look_ahead(&self) -> usize {
        NEXT_LINE
    }

    fn read<'a>(&self, line: &'a [u8]) -> TenetLine<'a> {
        TenetLine {
            line,
            pc: pc_of(line),
            is_foreign: items(line).all(|item| item.is_none()),
        }
    }

    fn chunk_start(&self, line: &TenetLine<'_>, _state: &mut ()) -> ChunkStart {
        match line.pc {
            Some(_) => ChunkStart::Yes,
            None => ChunkStart::No,
        }
    }

    fn add(&self, line: &TenetLine<'_>, step: &mut LoggedStep) {
        if let Some(pc) = line.pc {
            step.announce(pc, self.set);
            step.thread.extend_from_slice(b"cpu0");
        } else if line.is_foreign && !line.line.trim_ascii().is_empty() {
            step.foreign_line(line.line);
        }
    }

    fn add_initial(&self, line: &TenetLine<'_>, step: &mut LoggedStep) {
        step.thread.extend_from_slice(b"cpu0");
        step.scatter_values();
        self.effects(line.line, step);
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        if !step.is_announced() {
            return;
        }
        // Numbers have no leading zeros, memory is in address order, and both are in the next line.
        step.scatter_values();
        // Nothing shows that the last instruction jumps.
        step.branch = RecordedBranch::None;
        let mut next = None;
        for line in ahead.lines() {
            match (pc_of(line), next) {
                (Some(pc), None) => {
                    next = Some(pc);
                    let effects = self.effects(line, step);
                    self.find_control(pc, &effects, step);
                }
                // Lines without a program counter add to the effects of the line before.
                (None, Some(_)) if items(line).any(|item| item.is_some()) => {
                    self.effects(line, step);
                }
                (None, _) => {}
                (Some(_), Some(_)) => break,
            }
        }
    }

    fn forget_missing(&self, step: &mut LoggedStep) {
        // The next line would show the effects.
        if step.is_announced() {
            step.leaves_out_flags = !self.has_flags;
            step.forget_registers();
        }
    }
}

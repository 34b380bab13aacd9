//! The plugin execlog: a line for each instruction, with addresses and changed registers
//! ([`ExecLog`]).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};

use stepback_machine::flow::RecordedBranch;
use stepback_machine::semantics::RegisterUse;
use stepback_machine::{AccessKind, Address, Encoding, InstructionSet, Registers, decode};

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::qemu_log::listing::PROCESSOR;
use crate::qemu_log::text_set::{set_of_lines, set_of_register, set_of_text};
use crate::read_at::ReadAt;
use crate::text::digits::hex;
use crate::text::words::{Words, little_endian};
use crate::text_log::{
    AheadText, ChunkStart, LogFormat, LogHead, LoggedAccess, LoggedRegister, LoggedStep,
    UNSTATED_EXCEPTION, branch_of, may_lead_to,
};

/// Longest register value in bytes: an SVE register.
const VALUE_BYTES: usize = 256;
/// Registers that count on their own, without a write by the instruction.
const COUNTERS: [&str; 4] = ["seed", "cycle", "time", "instret"];
/// Number of bytes at the end of a log in which the last line of each processor begins.
const LAST_LINES: u64 = 64 << 10;
/// Number of bytes after a step in which the next line of its processor ends.
const NEXT_LINE: usize = 4 << 10;
/// Number of steps at the beginning from which a log is recognised as filtered.
const SAMPLED: usize = 256;
/// Minimum number of these for each that leads elsewhere, in a log that is not filtered.
const FILTERED: usize = 8;
/// Distinct instructions whose sizes are remembered.
const REMEMBERED: usize = 1 << 16;

/// A log of the plugin.
pub(crate) struct ExecLog {
    set: InstructionSet,
    /// True if the set does not follow from the text but was assumed.
    is_assumed: bool,
    /// True if the log shows flags of x86.
    has_flags: bool,
    is_m_profile: bool,
    /// True if instructions were filtered out, so that gaps are no exceptions.
    is_filtered: bool,
    /// Offset of the last line of each processor, which is printed without its effects.
    last_lines: RwLock<HashMap<u64, u64>>,
    /// Sets and access sizes of instructions that occurred.
    shapes: Mutex<HashMap<(u64, u32), InstructionShape>>,
}

/// Facts about an instruction that need its decoding.
#[derive(Clone, Copy, Debug)]
struct InstructionShape {
    set: InstructionSet,
    branch: RecordedBranch,
    read_bytes: u16,
    write_bytes: u16,
    /// True if it writes condition flags, or may write them.
    writes_flags: bool,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExecLine<'a> {
    /// An instruction.
    Step {
        /// Number of the virtual processor.
        processor: u64,
        /// Address.
        pc: u64,
        /// First four bytes, as a number.
        opcode: u64,
        /// Disassembly.
        text: &'a [u8],
        /// Accesses and changed registers.
        items: Words<'a>,
    },
    /// An instruction that cannot be read.
    Damaged {
        /// Number of the virtual processor.
        processor: u64,
        /// The line.
        line: &'a [u8],
    },
    /// A line of something else.
    Other(&'a [u8]),
}

/// Returns whether a line certainly belongs to a log of the plugin.
pub(crate) fn is_exec_log_line(line: &[u8]) -> bool {
    matches!(ExecLine::of(line), ExecLine::Step { .. })
}

impl<'a> ExecLine<'a> {
    fn of(line: &'a [u8]) -> Self {
        let found = Self::step(line).or_else(|| Self::damaged(line));
        found.unwrap_or(Self::Other(line))
    }

    fn damaged(line: &'a [u8]) -> Option<Self> {
        let mut words = Words::new(line);
        let processor = line.first()?.is_ascii_digit().then(|| words.decimal())??;
        words
            .take(b", 0x")
            .then_some(Self::Damaged { processor, line })
    }

    fn step(line: &'a [u8]) -> Option<Self> {
        let mut words = Words::new(line);
        if !line.first()?.is_ascii_digit() {
            return None;
        }
        let processor = words.decimal()?;
        let pc = words.take(b", ").then(|| words.prefixed()).flatten()?;
        let opcode = words.take(b", ").then(|| words.prefixed()).flatten()?;
        if !words.take(b", \"") {
            return None;
        }
        // The text may contain anything: it ends at the last quotation mark.
        let rest = words.rest();
        let length = memchr::memrchr(b'"', rest)?;
        let text = rest.get(..length)?;
        words.take(text);
        words.take(b"\"");
        Some(Self::Step {
            processor,
            pc,
            opcode,
            text: text.trim_ascii_end(),
            items: words,
        })
    }
}

impl ExecLog {
    /// Returns the facts about an instruction.
    fn shape(&self, pc: u64, opcode: u32, text: &[u8]) -> InstructionShape {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = shapes.get(&(pc, opcode)) {
            return *shape;
        }
        let set = self.set_of_instruction(pc, opcode, text);
        let mut shape = InstructionShape {
            set,
            branch: RecordedBranch::None,
            read_bytes: 0,
            write_bytes: 0,
            writes_flags: true,
        };
        if let Some(encoding) = encoding_of(set, opcode, pc, text) {
            let instruction = decode(encoding, Address(pc), set);
            let meaning = &instruction.meaning;
            let used = instruction.registers.as_ref();
            shape.writes_flags = used.is_none_or(RegisterUse::is_flags_written);
            shape.branch = branch_of(encoding, Address(pc), set);
            shape.read_bytes = meaning.record_bytes(AccessKind::Read).unwrap_or(0);
            shape.write_bytes = meaning.record_bytes(AccessKind::Write).unwrap_or(0);
        }
        let stated = bytes_of_suffix(set, text);
        for bytes in [&mut shape.read_bytes, &mut shape.write_bytes] {
            if *bytes == 0 {
                *bytes = stated.unwrap_or(1);
            }
        }
        if shapes.len() < REMEMBERED {
            shapes.insert((pc, opcode), shape);
        }
        shape
    }

    /// Returns the instruction set of an instruction. AArch32 has two sets; the disassembly tells them
    /// apart.
    fn set_of_instruction(&self, pc: u64, opcode: u32, text: &[u8]) -> InstructionSet {
        let Some(narrow) = self.set.narrow_set() else {
            return self.set;
        };
        let is_like_text = |set: InstructionSet| {
            let decoded = encoding_of(set, opcode, pc, text)
                .map(|encoding| decode(encoding, Address(pc), set).text.clone());
            let word = text.split(|byte| *byte == b' ').next().unwrap_or_default();
            let word = String::from_utf8_lossy(word).to_ascii_lowercase();
            let plain = |name: &str| {
                name.trim_end_matches(".w")
                    .trim_end_matches(".n")
                    .to_owned()
            };
            decoded.is_some_and(|decoded| {
                plain(decoded.split(' ').next().unwrap_or_default()) == plain(&word)
            })
        };
        let is_narrow = opcode >> 16 == 0 || !pc.is_multiple_of(4);
        if is_narrow || !is_like_text(self.set) && is_like_text(narrow) {
            narrow
        } else {
            self.set
        }
    }

    /// Returns whether many of the first instructions do not lead to the next line.
    fn is_filtered(&self, head: &LogHead<'_>) -> bool {
        let mut before: HashMap<u64, LoggedStep> = HashMap::new();
        let (mut steps, mut gaps) = (0, 0);
        for line in head.lines() {
            let ExecLine::Step {
                processor,
                pc,
                opcode,
                text,
                ..
            } = ExecLine::of(line)
            else {
                continue;
            };
            if steps == SAMPLED {
                break;
            }
            steps += 1;
            let mut step = LoggedStep::default();
            let shape = self.shape(pc, opcode as u32, text);
            (step.pc, step.set) = (pc, shape.set);
            step.encoding = encoding_of(shape.set, opcode as u32, pc, text);
            let last = before.insert(processor, step);
            gaps += usize::from(last.is_some_and(|last| !may_lead_to(&last, pc)));
        }
        gaps > 1 + steps / FILTERED
    }

    fn items(&self, mut words: Words<'_>, shape: InstructionShape, step: &mut LoggedStep) {
        let mut accesses = Vec::new();
        let (mut has_flags, mut is_damaged) = (false, false);
        loop {
            words.skip_blanks();
            if words.rest().is_empty() {
                break;
            }
            let before = words;
            is_damaged = !words.take(b",");
            if is_damaged {
                unexpected(&before, step);
                break;
            }
            words.skip_blanks();
            let kind = match words.rest() {
                rest if rest.starts_with(b"load, 0x") => Some(AccessKind::Read),
                rest if rest.starts_with(b"store, 0x") => Some(AccessKind::Write),
                _ => None,
            };
            if let Some(kind) = kind {
                words.until(b',');
                words.skip_blanks();
                let Some(address) = words.prefixed() else {
                    is_damaged = true;
                    unexpected(&before, step);
                    break;
                };
                accesses.push((kind, address));
                continue;
            }
            let rest = words.rest();
            let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
            let item = rest.get(..end).unwrap_or_default();
            words.take(item);
            if let Some((name, digits)) = changed(item) {
                if !self.register(name, digits, step) {
                    let found = digits.get(..digits.len().min(40)).unwrap_or_default();
                    let found = String::from_utf8_lossy(found).into_owned();
                    step.fault(before.at(), LogFault::Value(found));
                }
                has_flags |= is_flags(name);
            }
            // Anything else is the name of a device.
        }
        if is_damaged {
            step.forget_destinations(None);
        }
        // QEMU computes the flags of x86 when they are used, so a log seldom shows their changes.
        if self.has_flags && shape.writes_flags && !has_flags {
            let view = Registers::view("eflags", step.set);
            let view = view.filter(|_| step.set.alignment() == 1);
            view.into_iter()
                .for_each(|view| step.write(LoggedRegister::View(view), None));
        }
        add_accesses(&accesses, shape, step);
    }

    /// Adds writes without values of the registers that a damaged line names.
    fn forget_changed(&self, line: &[u8], step: &mut LoggedStep) {
        step.set = self.set;
        step.hides_values = true;
        for (name, digits) in line.split(|byte| *byte == b',').filter_map(changed) {
            self.register(name, digits, step);
        }
        step.hides_values = false;
    }

    /// Adds the write of a register. Returns false if its value cannot be read.
    fn register(&self, name: &[u8], digits: &[u8], step: &mut LoggedStep) -> bool {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let is_left_out =
            matches!(&*name, "pc" | "rip" | "eip" | "zero") || COUNTERS.contains(&&*name);
        if is_left_out {
            return true;
        }
        let view = Registers::view(&name, step.set);
        let mut bytes = [0; VALUE_BYTES];
        let Some(value) = little_endian(digits, &mut bytes) else {
            let unknown = view.map_or(
                LoggedRegister::Named {
                    name: name.as_bytes(),
                    size_bytes: step.set.word_bytes(),
                },
                LoggedRegister::View,
            );
            step.write(unknown, None);
            return false;
        };
        let register = match view {
            Some(mut view) => {
                view.size_bytes = view.size_bytes.min(value.len() as u16);
                LoggedRegister::View(view)
            }
            None => LoggedRegister::Named {
                name: name.as_bytes(),
                size_bytes: value.len() as u16,
            },
        };
        step.write(register, Some(value));
        true
    }
}

/// Splits `x9 -> 0x0000000000420000` into the name and the digits, of which a damaged line may have
/// none.
fn changed(item: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memmem::find(item, b" ->")?;
    let value = item.get(at + 3..)?.trim_ascii();
    let digits = value.strip_prefix(b"0x").unwrap_or_default();
    Some((item.get(..at)?.trim_ascii(), digits))
}

/// Returns whether a name is that of the flags of x86.
fn is_flags(name: &[u8]) -> bool {
    [&b"eflags"[..], b"rflags"]
        .iter()
        .any(|flags| name.eq_ignore_ascii_case(flags))
}

fn unexpected(words: &Words<'_>, step: &mut LoggedStep) {
    let rest = words.rest();
    let found = String::from_utf8_lossy(rest.get(..rest.len().min(40)).unwrap_or_default());
    step.fault(
        words.at(),
        LogFault::Expected {
            expected: "load, store or a register",
            found: found.into_owned(),
        },
    );
}

/// Adds accesses. The log states no sizes: the entries of a kind cover the size of the instruction
/// from the lowest address.
fn add_accesses(accesses: &[(AccessKind, u64)], shape: InstructionShape, step: &mut LoggedStep) {
    for (kind, whole) in [
        (AccessKind::Read, shape.read_bytes),
        (AccessKind::Write, shape.write_bytes),
    ] {
        let entries = || {
            let of_kind = accesses.iter().filter(|(other, _)| *other == kind);
            of_kind.map(|(_, address)| *address)
        };
        let count = entries().count() as u16;
        let Some(lowest) = entries().min() else {
            continue;
        };
        let mut add = |address, size_bytes| {
            step.access(LoggedAccess {
                kind,
                address,
                size_bytes,
                bytes: None,
            });
        };
        let is_inside = entries().all(|address| address - lowest < u64::from(whole));
        if count > 1 && whole.is_multiple_of(count) && is_inside {
            entries().for_each(|address| add(address, whole / count));
        } else if count > 1 && is_inside {
            // Several entries for one access, such as one across pages.
            add(lowest, whole);
        } else {
            entries().for_each(|address| add(address, whole));
        }
    }
}

/// Returns the bytes of an instruction, of which the log states the first four. The displacement of
/// a longer branch follows from the target in the disassembly.
fn encoding_of(set: InstructionSet, opcode: u32, pc: u64, text: &[u8]) -> Option<Encoding> {
    let bytes = opcode.to_le_bytes();
    let target = memchr::memmem::rfind(text, b"0x")
        .and_then(|at| text.get(at + 2..))
        .and_then(|digits| hex(Words::new(digits).digits()?));
    target
        .and_then(|target| set.direct_branch(&bytes, pc, target))
        .or_else(|| Encoding::new(bytes.get(..set.instruction_length(&bytes)?)?))
}

/// Returns the size that the suffix of a mnemonic in AT&T syntax states.
fn bytes_of_suffix(set: InstructionSet, text: &[u8]) -> Option<u16> {
    if set.alignment() > 1 {
        return None;
    }
    let word = text.split(|byte| *byte == b' ').next()?;
    let word = std::str::from_utf8(word).ok()?;
    let size = |letter: char| match letter {
        'b' => Some(1),
        'w' => Some(2),
        'l' => Some(4),
        'q' => Some(8),
        _ => None,
    };
    match word {
        "movaps" | "movups" | "movdqa" | "movdqu" | "movapd" | "movupd" => return Some(16),
        _ if word.ends_with("sd") => return Some(8),
        _ if word.ends_with("ss") => return Some(4),
        _ => {}
    }
    // `movzbl` reads a byte.
    let extended = word
        .strip_prefix("movz")
        .or_else(|| word.strip_prefix("movs"))
        .filter(|rest| rest.len() == 2);
    extended
        .and_then(|rest| rest.chars().next())
        .or_else(|| word.chars().last())
        .and_then(size)
}

impl LogFormat for ExecLog {
    type Line<'a> = ExecLine<'a>;
    type ChunkState = ();

    const NAME: &'static str = "qemu";
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let found = head.options.instruction_set.or_else(|| {
            set_of_lines(head.lines().filter_map(|line| {
                let ExecLine::Step { text, items, .. } = ExecLine::of(line) else {
                    return None;
                };
                let changed = String::from_utf8_lossy(items.rest()).into_owned();
                let of_registers = changed.split(", ").find_map(|item| {
                    let (name, value) = item.split_once(" -> 0x")?;
                    set_of_register(name, value.len())
                });
                of_registers.or_else(|| set_of_text(&String::from_utf8_lossy(text), 16))
            }))
        });
        let has_items = |starts: &[&[u8]]| {
            head.lines().any(|line| {
                let items = ExecLine::step(line);
                matches!(items, Some(ExecLine::Step { items, .. })
                    if starts.iter().any(|start| memchr::memmem::find(items.rest(), start).is_some()))
            })
        };
        let has_flags = has_items(&[b"eflags -> 0x", b"rflags -> 0x"]);
        let mut log = Self {
            set: found.unwrap_or_default(),
            is_assumed: found.is_none(),
            has_flags,
            is_m_profile: has_items(&[b"xpsr -> 0x"]),
            is_filtered: false,
            last_lines: RwLock::default(),
            shapes: Mutex::default(),
        };
        log.is_filtered = log.is_filtered(head);
        log
    }

    fn scan(&self, input: &dyn ReadAt, range: Range<u64>) {
        // The plugin prints the last lines of all processors when it ends.
        let start = range.end.saturating_sub(LAST_LINES);
        let mut text = vec![0; usize::try_from(range.end - start).unwrap_or_default()];
        // Errors are left to the readers of the text.
        let count = input.read_at(start, &mut text).unwrap_or_default();
        text.truncate(count);
        let mut found = HashMap::new();
        let mut offset = start;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if let ExecLine::Step { processor, .. } = ExecLine::of(line.trim_ascii_end()) {
                found.insert(processor, offset);
            }
            offset += line.len() as u64;
        }
        *self
            .last_lines
            .write()
            .unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Accesses have no values.
    fn leaves_values_out(&self) -> bool {
        true
    }

    fn is_m_profile(&self) -> bool {
        self.is_m_profile
    }

    fn options(&self) -> String {
        format!(
            "log=execlog,assumed={},flags={},filtered={}",
            self.is_assumed, self.has_flags, self.is_filtered
        )
    }

    fn look_ahead(&self) -> usize {
        NEXT_LINE
    }

    fn read<'a>(&self, line: &'a [u8]) -> ExecLine<'a> {
        ExecLine::of(line)
    }

    fn chunk_start(&self, line: &ExecLine<'_>, _state: &mut ()) -> ChunkStart {
        match line {
            ExecLine::Step { .. } => ChunkStart::Yes,
            ExecLine::Damaged { .. } => ChunkStart::Apart,
            ExecLine::Other(_) => ChunkStart::No,
        }
    }

    fn add(&self, line: &ExecLine<'_>, step: &mut LoggedStep) {
        match *line {
            ExecLine::Step {
                processor,
                pc,
                opcode,
                text,
                items,
            } => {
                let opcode = opcode as u32;
                let shape = self.shape(pc, opcode, text);
                step.set_thread(PROCESSOR, processor);
                step.announce(pc, shape.set);
                step.leaves_out_flags = !self.has_flags && shape.set.alignment() == 1;
                step.branch = shape.branch;
                step.encoding = encoding_of(shape.set, opcode, pc, text);
                step.length_bytes = step
                    .encoding
                    .map_or(0, |encoding| encoding.bytes().len() as u8);
                step.text.extend_from_slice(text);
                self.items(items, shape, step);
                let last = self.last_lines.read();
                let last = last.unwrap_or_else(PoisonError::into_inner);
                if last.get(&processor) == Some(&step.at.offset) {
                    step.forget_destinations(None);
                }
            }
            ExecLine::Other(line) if line.trim_ascii().is_empty() => {}
            ExecLine::Other(line) => step.foreign_line(line),
            ExecLine::Damaged { processor, line } => {
                step.set_thread(PROCESSOR, processor);
                step.foreign_line(line);
                self.forget_changed(line, step);
            }
        }
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        if !step.is_announced() {
            return;
        }
        let next = ahead.lines().find_map(|line| match ExecLine::of(line) {
            ExecLine::Step { processor, pc, .. } => {
                step.is_thread(PROCESSOR, processor).then_some(pc)
            }
            _ => None,
        });
        let Some(next) = next else { return };
        if !may_lead_to(step, next) {
            match self.is_filtered {
                true => step.fault(0, LogFault::Filtered),
                false => step.note(TextKind::Exception, UNSTATED_EXCEPTION),
            }
        }
        // The length of an instruction of x86 follows from the next line.
        let distance = next.wrapping_sub(step.pc);
        if step.length_bytes == 0 && (1..=15).contains(&distance) {
            step.length_bytes = distance as u8;
        }
    }
}

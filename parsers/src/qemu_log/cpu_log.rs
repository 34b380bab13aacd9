//! Logs of `-d in_asm,exec,cpu`: a line for each block that runs, after it the registers, and
//! elsewhere the instructions of each block ([`CpuLog`]).
//!
//! The registers are those before the block. What an instruction changed is the difference to the
//! next dump of its processor, so each step looks ahead. The instructions of a block are printed
//! once, when it is translated, possibly far above: they are collected when the log is opened.
//!
//! A block of several instructions is a step for each of them. Its line has their chunks: the chunk
//! of an instruction begins as many bytes after the start of the line as instructions are before
//! it, so a line has at most as many steps as bytes. Registers are recorded between blocks, so the last instruction of a block that writes a
//! register has its value, and after an earlier one it is unknown.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Encoding, InstructionSet, RegisterView, decode};

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::qemu_log::dump::{DumpedRegister, RegisterDump, value_of};
use crate::read_at::ReadAt;
use crate::text::digits::hex;
use crate::text::window::{each_window, without_return};
use crate::text::words::{Words, bytes_in_order};
use crate::text_log::{
    AheadText, BlockPlace, ChunkStart, LogFormat, LogHead, LoggedRegister, LoggedStep, branch_of,
    whole_register,
};

/// Number of bytes after a step in which the next dump of its processor ends.
const NEXT_DUMP: usize = 64 << 10;
/// Maximum number of distinct instructions.
const INSTRUCTIONS: usize = 1 << 20;
/// Maximum number of instructions of a block: QEMU translates no more at once.
const BLOCK: usize = 512;
/// Maximum bytes of a dump.
const DUMP: usize = 32 << 10;

/// A log of executed blocks.
pub(crate) struct CpuLog {
    set: InstructionSet,
    code: RwLock<TranslatedCode>,
}

/// Instructions that were translated until now.
#[derive(Debug, Default)]
struct TranslatedCode {
    instructions: HashMap<u64, ListedInstruction>,
    /// Number of instructions of each block, by its address.
    blocks: HashMap<u64, usize>,
    /// Address of the block that is being listed; none between blocks.
    open: Option<u64>,
}

impl TranslatedCode {
    /// Takes account of a line.
    fn add(&mut self, line: &[u8], set: InstructionSet) {
        if !line.starts_with(b"0x") {
            self.open = None;
            return;
        }
        let Some((pc, listed)) = listed(without_return(line), set) else {
            return;
        };
        if self.instructions.len() < INSTRUCTIONS || self.instructions.contains_key(&pc) {
            self.instructions.insert(pc, listed);
        }
        let start = *self.open.get_or_insert(pc);
        if start == pc && self.blocks.len() < INSTRUCTIONS {
            self.blocks.insert(pc, 1);
        } else if let Some(count) = self.blocks.get_mut(&start) {
            *count += 1;
        }
    }

    /// Iterates over the instructions of a block, with their addresses.
    fn block(&self, start: u64) -> impl Iterator<Item = (u64, &ListedInstruction)> {
        let count = self.blocks.get(&start).copied().unwrap_or_default();
        let mut pc = start;
        std::iter::from_fn(move || {
            let found = self.instructions.get(&pc)?;
            let length = found.encoding.map_or(0, |encoding| encoding.bytes().len());
            let address = pc;
            pc = pc.wrapping_add(length as u64);
            Some((address, found))
        })
        .take(count.min(BLOCK))
    }
}

/// An instruction of a translated block.
#[derive(Clone, Debug)]
struct ListedInstruction {
    encoding: Option<Encoding>,
    /// Registers that it writes.
    writes: Vec<RegisterView>,
    branch: RecordedBranch,
    text: Vec<u8>,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CpuLine<'a> {
    /// `Trace 0: 0x7f… [81009331/0000000000400120/00000001/00000201] _start`.
    Block {
        /// Number of the processor.
        processor: u64,
        /// Address of the first instruction.
        pc: u64,
        /// Number of instructions that are steps; 0 if the block was not listed.
        count: usize,
        /// Number of listed instructions.
        listed: usize,
        /// Number of the instruction in the block.
        number: usize,
    },
    /// `0x00400120:  90000109  adrp     x9, #0x420000`, and the lines around it.
    Listing,
    /// A line with registers.
    Registers(&'a [u8]),
    /// A message about an exception.
    Exception(&'a [u8]),
    /// A line without meaning.
    Nothing,
}

/// Returns whether a line certainly belongs to a log of executed blocks.
pub(crate) fn is_cpu_log_line(line: &[u8]) -> bool {
    matches!(CpuLine::of(line), CpuLine::Block { .. })
}

impl<'a> CpuLine<'a> {
    fn of(line: &'a [u8]) -> Self {
        match line.first() {
            Some(b'T') if line.starts_with(b"Trace ") => block(line).unwrap_or(Self::Nothing),
            Some(b'T') if line.starts_with(b"Taking exception") => Self::Exception(line),
            Some(b'r') if line.starts_with(b"riscv_cpu_do_interrupt") => Self::Exception(line),
            Some(b'I') if line.starts_with(b"IN:") => Self::Listing,
            Some(b'0') if line.starts_with(b"0x") => Self::Listing,
            Some(b'-' | b'O') | None => Self::Nothing,
            Some(b' ' | b'0'..=b'9') if is_interrupt_of_x86(line) => Self::Exception(line),
            Some(_) if memchr::memchr(b'=', line).is_some() => Self::Registers(line),
            Some(b' ') => Self::Registers(line),
            Some(_) => Self::Nothing,
        }
    }
}

/// ` 12: v=0e e=0000 i=0 cpl=3 IP=0033:0000000000401000 …` of `-d int`.
fn is_interrupt_of_x86(line: &[u8]) -> bool {
    let mut words = Words::new(line);
    words.decimal().is_some() && words.take(b": v=")
}

fn block(line: &[u8]) -> Option<CpuLine<'_>> {
    let mut words = Words::new(line);
    words.take(b"Trace ");
    // Old versions write `Trace 0x… [0: 00400120]` instead of the number of the processor.
    let number = words.decimal().filter(|_| words.take(b":"));
    let fields = words.until(b'[').and_then(|_| words.until(b']'))?;
    let mut parts = fields.split(|byte| *byte == b'/');
    let (first, second) = (parts.next()?, parts.next());
    let (processor, pc) = match (number, second) {
        (Some(processor), Some(pc)) => (processor, hex(pc.trim_ascii())?),
        (Some(processor), None) => (processor, hex(first.trim_ascii())?),
        (None, _) => {
            let mut old = Words::new(first);
            let processor = old.decimal()?;
            old.take(b":");
            (processor, hex(old.rest().trim_ascii())?)
        }
    };
    Some(CpuLine::Block {
        processor,
        pc,
        count: 0,
        listed: 0,
        number: 0,
    })
}

/// Splits a line of a translated block: the address, the bytes as words or one by one, the text.
fn listed(line: &[u8], set: InstructionSet) -> Option<(u64, ListedInstruction)> {
    let mut words = Words::new(line);
    let pc = words.prefixed()?;
    if !words.take(b":") {
        return None;
    }
    let mut bytes = Vec::new();
    let is_bytewise = set.alignment() == 1;
    loop {
        let before = words;
        let Some(digits) = words.word().and_then(bytes_in_order) else {
            words = before;
            break;
        };
        let is_code = if is_bytewise {
            digits.len() == 1
        } else {
            bytes.is_empty() || digits.len() == 2 && bytes.len() == 2
        };
        if !is_code || bytes.len() + digits.len() > Encoding::LIMIT {
            words = before;
            break;
        }
        // A word is printed as a number.
        bytes.extend(digits.iter().rev());
    }
    words.skip_blanks();
    let encoding = Encoding::new(&bytes);
    let branch = encoding.map(|encoding| branch_of(encoding, Address(pc), set));
    let decoded = encoding.map(|encoding| decode(encoding, Address(pc), set));
    let used = decoded
        .as_ref()
        .and_then(|decoded| decoded.registers.as_ref());
    let listed = ListedInstruction {
        encoding,
        writes: used.map(|used| used.writes.clone()).unwrap_or_default(),
        branch: branch.unwrap_or_default(),
        text: words.rest().trim_ascii_end().to_vec(),
    };
    Some((pc, listed))
}

impl CpuLog {
    /// Adds what changed between two dumps. What the second one lacks is unknown.
    fn changes(&self, before: &RegisterDump, after: &RegisterDump, step: &mut LoggedStep) {
        for register in &after.registers {
            if before.find(&register.name) == Some(register) {
                continue;
            }
            if let Some((view, value)) = value_of(register, self.set) {
                step.write(LoggedRegister::View(view), Some(&value));
            }
        }
        let is_missing = |register: &&DumpedRegister| after.find(&register.name).is_none();
        for register in before.registers.iter().filter(is_missing) {
            if let Some((view, _)) = value_of(register, self.set) {
                step.write(LoggedRegister::View(view), None);
            }
        }
    }

    /// Adds what an instruction of a block did to the registers, by the dumps before and after the
    /// block. Each value belongs to the last instruction that writes the register; a change that no
    /// instruction shows belongs to the last step.
    fn changes_in_block(&self, before: &RegisterDump, after: &RegisterDump, step: &mut LoggedStep) {
        let place = step.block;
        let code = self.code.read().unwrap_or_else(PoisonError::into_inner);
        let block: Vec<_> = code.block(place.start).map(|(_, listed)| listed).collect();
        let last_step = place.count.saturating_sub(1);
        let last_writer = |view: RegisterView| {
            let writes =
                |listed: &&ListedInstruction| listed.writes.iter().any(|own| own.overlaps(view));
            // The last step has the effects of instructions that are no steps.
            block
                .iter()
                .rposition(writes)
                .map(|number| number.min(last_step))
        };
        for register in &after.registers {
            let Some((view, value)) = value_of(register, self.set) else {
                continue;
            };
            let is_changed = before.find(&register.name) != Some(register);
            let is_own = match last_writer(view) {
                Some(writer) => writer == place.number,
                None => is_changed && place.number == last_step,
            };
            if is_own {
                step.write(LoggedRegister::View(view), Some(&value));
            }
        }
        let own = block.get(place.number).map(|listed| &*listed.writes);
        let hidden = block
            .get(place.count..)
            .filter(|_| place.number == last_step);
        let hidden = hidden
            .into_iter()
            .flatten()
            .flat_map(|listed| &listed.writes);
        for view in own.into_iter().flatten().chain(hidden) {
            step.forget(whole_register(*view, self.set));
        }
    }
}

/// Returns the dump of the block in whose line a text begins.
fn own_dump(ahead: AheadText<'_>) -> Vec<u8> {
    let mut dump = Vec::new();
    for line in ahead.lines().skip(1) {
        match CpuLine::of(line) {
            CpuLine::Registers(line) => {
                dump.extend_from_slice(line);
                dump.push(b'\n');
            }
            CpuLine::Block { .. } => break,
            _ if !dump.is_empty() => break,
            _ => {}
        }
    }
    dump
}

/// Returns the next dump after a block line of a processor; any processor if it is none.
fn next_dump(processor: Option<&[u8]>, ahead: AheadText<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut name = None;
    let mut dump = Vec::new();
    for line in ahead.lines() {
        match CpuLine::of(line) {
            CpuLine::Block { .. } if name.is_some() => break,
            CpuLine::Block { processor: own, .. } => {
                let own = format!("cpu{own}").into_bytes();
                if processor.is_none_or(|processor| processor == own) {
                    name = Some(own);
                }
            }
            CpuLine::Registers(line) if name.is_some() => {
                dump.extend_from_slice(line);
                dump.push(b'\n');
            }
            _ if !dump.is_empty() => break,
            _ => {}
        }
    }
    name.map(|name| (name, dump))
}

impl LogFormat for CpuLog {
    type Line<'a> = CpuLine<'a>;
    type ChunkState = ();

    const NAME: &'static str = "qemu-cpu";
    // The dump after a step belongs to the next one.
    const OPEN_STEPS: u64 = 2;
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let ahead = AheadText { text: head.text };
        let dump = next_dump(None, ahead).map(|(_, dump)| RegisterDump::of(&dump));
        let of_dump = dump.and_then(|dump| dump.set());
        let set = head.options.instruction_set.or(of_dump).unwrap_or_default();
        Self {
            set,
            code: RwLock::default(),
        }
    }

    fn scan(&self, input: &dyn ReadAt, range: Range<u64>) {
        // Errors are left to the readers of the text.
        _ = each_window(input, range, |text| {
            let mut code = self.code.write().unwrap_or_else(PoisonError::into_inner);
            text.split_inclusive(|byte| *byte == b'\n')
                .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
                .for_each(|line| code.add(line, self.set));
        });
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn options(&self) -> String {
        "log=cpu".to_owned()
    }

    fn look_ahead(&self) -> usize {
        NEXT_DUMP
    }

    fn look_behind(&self) -> usize {
        BLOCK
    }

    fn read<'a>(&self, line: &'a [u8]) -> CpuLine<'a> {
        let mut found = CpuLine::of(line);
        if let CpuLine::Block {
            pc, count, listed, ..
        } = &mut found
        {
            let code = self.code.read().unwrap_or_else(PoisonError::into_inner);
            *listed = code.block(self.set.code_address(*pc)).count();
            *count = (*listed).min(line.len());
        }
        found
    }

    fn step_count(&self, line: &CpuLine<'_>) -> usize {
        match line {
            CpuLine::Block { count, .. } => *count,
            _ => 1,
        }
    }

    fn read_step<'a>(&self, line: &'a [u8], number: usize) -> CpuLine<'a> {
        let mut line = self.read(line);
        if let CpuLine::Block { number: own, .. } = &mut line {
            *own = number;
        }
        line
    }

    fn chunk_start(&self, line: &CpuLine<'_>, _state: &mut ()) -> ChunkStart {
        match line {
            CpuLine::Block { .. } => ChunkStart::Yes,
            _ => ChunkStart::No,
        }
    }

    fn add(&self, line: &CpuLine<'_>, step: &mut LoggedStep) {
        match *line {
            CpuLine::Block {
                processor,
                pc,
                count,
                listed,
                number,
            } => {
                step.thread.clear();
                step.thread
                    .extend_from_slice(format!("cpu{processor}").as_bytes());
                let start = self.set.code_address(pc);
                step.block = BlockPlace {
                    start,
                    count,
                    number,
                };
                let code = self.code.read().unwrap_or_else(PoisonError::into_inner);
                let found = code.block(start).nth(number);
                step.announce(found.map_or(pc, |(pc, _)| pc), self.set);
                if let Some((_, listed)) = found {
                    step.encoding = listed.encoding;
                    step.branch = listed.branch;
                    step.length_bytes = listed
                        .encoding
                        .map_or(0, |encoding| encoding.bytes().len() as u8);
                    step.text.extend_from_slice(&listed.text);
                }
                if count > 1 {
                    step.fault(0, LogFault::Blocks);
                }
                if listed > count && number + 1 == count {
                    step.fault(0, LogFault::LongBlock { listed, count });
                }
            }
            CpuLine::Registers(line) if step.kept_lines.len() < DUMP => {
                step.kept_lines.extend_from_slice(line);
                step.kept_lines.push(b'\n');
            }
            CpuLine::Exception(line) => step.note(TextKind::Exception, line),
            _ => {}
        }
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        // Values appear in the next dump, not in the lines of the step.
        step.scatter_values();
        if !step.is_announced() {
            // The first dump is the state before the first step.
            if let Some((name, dump)) = next_dump(None, ahead) {
                step.thread = name;
                self.changes(&RegisterDump::default(), &RegisterDump::of(&dump), step);
            }
            return;
        }
        let thread = step.thread.clone();
        let next = next_dump(Some(&thread), ahead);
        let after = next.map(|(_, dump)| RegisterDump::of(&dump));
        if step.block.count > 1 {
            let before = match step.block.number + 1 == step.block.count {
                true => RegisterDump::of(&step.kept_lines),
                false => RegisterDump::of(&own_dump(ahead)),
            };
            if !before.registers.is_empty() {
                self.changes_in_block(&before, &after.unwrap_or_default(), step);
            }
            return;
        }
        let before = RegisterDump::of(&step.kept_lines);
        match after.filter(|_| !before.registers.is_empty()) {
            Some(after) => self.changes(&before, &after, step),
            None if ahead.text.is_empty() => {}
            // The next dump is too far away.
            None => step.forget_destinations(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_have_bytes_or_words() {
        let check = |line: &str, set, bytes: &[u8], text: &str| {
            let (_, listed) = listed(line.as_bytes(), set).unwrap();
            assert_eq!(listed.encoding, Encoding::new(bytes), "{line}");
            assert_eq!(listed.text, text.as_bytes(), "{line}");
        };
        check(
            "0x00400120:  90000109  adrp     x9, #0x420000",
            InstructionSet::A64,
            &[0x09, 0x01, 0, 0x90],
            "adrp     x9, #0x420000",
        );
        check(
            "0x00401000:  48 8d 25 f9 50 00 00     leaq     0x50f9(%rip), %rsp",
            InstructionSet::X86_64,
            &[0x48, 0x8d, 0x25, 0xf9, 0x50, 0, 0],
            "leaq     0x50f9(%rip), %rsp",
        );
        check(
            "0x000100ec:  a9018193          addi  gp,gp,-1392",
            InstructionSet::Riscv64,
            &[0x93, 0x81, 0x01, 0xa9],
            "addi  gp,gp,-1392",
        );
    }

    #[test]
    fn block_lines_of_several_versions_are_known() {
        for (line, expected) in [
            (
                "Trace 0: 0x7f2f94a00100 [81009331/0000000000400120/00000001/00000201] _start",
                (0, 0x40_0120),
            ),
            (
                "Trace 1: 0x7f2f94a00100 [0000000000400120] main",
                (1, 0x40_0120),
            ),
            (
                "Trace 0x7f2f94a00100 [0: 0000000000400120] main",
                (0, 0x40_0120),
            ),
        ] {
            let CpuLine::Block { processor, pc, .. } = CpuLine::of(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!((processor, pc), expected, "{line}");
        }
    }
}

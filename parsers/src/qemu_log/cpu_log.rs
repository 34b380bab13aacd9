//! Logs of `-d in_asm,exec,cpu`: a line for each block that runs, after it the registers, and
//! elsewhere the instructions of each block ([`CpuLog`]).
//!
//! The registers are those before the block. What an instruction changed is the difference to the
//! next dump of its processor, so each step looks ahead. The instructions of a block are printed
//! once, when it is translated, possibly far above: they are collected when the log is opened.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Encoding, InstructionSet};

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::qemu_log::dump::{RegisterDump, value_of};
use crate::read_at::ReadAt;
use crate::text::digits::hex;
use crate::text::window::{each_window, without_return};
use crate::text::words::{Words, bytes_in_order};
use crate::text_log::{
    AheadText, ChunkStart, LogFormat, LogHead, LoggedRegister, LoggedStep, branch_of,
};

/// Number of bytes after a step in which the next dump of its processor ends.
const NEXT_DUMP: usize = 64 << 10;
/// Maximum number of distinct instructions.
const INSTRUCTIONS: usize = 1 << 20;
/// Maximum bytes of a dump.
const DUMP: usize = 32 << 10;

/// A log of executed blocks.
pub(crate) struct CpuLog {
    set: InstructionSet,
    /// True if blocks have several instructions, of which only the first is a step.
    has_blocks: bool,
    instructions: RwLock<HashMap<u64, ListedInstruction>>,
}

/// An instruction of a translated block.
#[derive(Clone, Debug)]
struct ListedInstruction {
    encoding: Option<Encoding>,
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
            Some(_) if memchr::memchr(b'=', line).is_some() => Self::Registers(line),
            Some(b' ') => Self::Registers(line),
            Some(_) => Self::Nothing,
        }
    }
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
    Some(CpuLine::Block { processor, pc })
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
    let listed = ListedInstruction {
        encoding,
        branch: branch.unwrap_or_default(),
        text: words.rest().trim_ascii_end().to_vec(),
    };
    Some((pc, listed))
}

impl CpuLog {
    /// Adds what changed between two dumps.
    fn changes(&self, before: &RegisterDump, after: &RegisterDump, step: &mut LoggedStep) {
        for register in &after.registers {
            if before.find(&register.name) == Some(register) {
                continue;
            }
            if let Some((view, value)) = value_of(register, self.set) {
                step.write(LoggedRegister::View(view), Some(&value));
            }
        }
    }
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
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let ahead = AheadText { text: head.text };
        let dump = next_dump(None, ahead).map(|(_, dump)| RegisterDump::of(&dump));
        let of_dump = dump.and_then(|dump| dump.set());
        let set = head.options.instruction_set.or(of_dump).unwrap_or_default();
        let mut lines = head.lines();
        let mut has_blocks = false;
        while let Some(line) = lines.next() {
            if line.starts_with(b"IN:") {
                let count = lines
                    .by_ref()
                    .take_while(|line| line.starts_with(b"0x"))
                    .count();
                has_blocks |= count > 1;
            }
        }
        Self {
            set,
            has_blocks,
            instructions: RwLock::default(),
        }
    }

    fn scan(&self, input: &dyn ReadAt, range: Range<u64>) {
        // Errors are left to the readers of the text.
        _ = each_window(input, range, |text| {
            let lines = text.split(|byte| *byte == b'\n');
            let found: Vec<_> = lines
                .filter(|line| line.starts_with(b"0x"))
                .filter_map(|line| listed(without_return(line), self.set))
                .collect();
            let mut known = self
                .instructions
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            let room = INSTRUCTIONS.saturating_sub(known.len());
            known.extend(found.into_iter().take(room));
        });
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn options(&self) -> String {
        format!("log=cpu,blocks={}", self.has_blocks)
    }

    fn look_ahead(&self) -> usize {
        NEXT_DUMP
    }

    fn read<'a>(&self, line: &'a [u8]) -> CpuLine<'a> {
        CpuLine::of(line)
    }

    fn chunk_start(&self, line: &CpuLine<'_>, _state: &mut ()) -> ChunkStart {
        match line {
            CpuLine::Block { .. } => ChunkStart::Yes,
            _ => ChunkStart::No,
        }
    }

    fn add(&self, line: &CpuLine<'_>, step: &mut LoggedStep) {
        match *line {
            CpuLine::Block { processor, pc } => {
                step.thread.clear();
                step.thread
                    .extend_from_slice(format!("cpu{processor}").as_bytes());
                step.announce(pc, self.set);
                let known = self
                    .instructions
                    .read()
                    .unwrap_or_else(PoisonError::into_inner);
                if let Some(listed) = known.get(&step.pc) {
                    step.encoding = listed.encoding;
                    step.branch = listed.branch;
                    step.length_bytes = listed
                        .encoding
                        .map_or(0, |encoding| encoding.bytes().len() as u8);
                    step.text.extend_from_slice(&listed.text);
                }
                if self.has_blocks {
                    step.fault(0, LogFault::Blocks);
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
        let before = RegisterDump::of(&step.kept_lines);
        let thread = step.thread.clone();
        if let Some((_, dump)) = next_dump(Some(&thread), ahead)
            && !before.registers.is_empty()
        {
            self.changes(&before, &RegisterDump::of(&dump), step);
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
            let CpuLine::Block { processor, pc } = CpuLine::of(line.as_bytes()) else {
                panic!("{line}");
            };
            assert_eq!((processor, pc), expected, "{line}");
        }
    }
}

//! Logs of `-d in_asm,exec,cpu`: a line for each block that runs, after it the registers, and
//! elsewhere the instructions of each block ([`CpuLog`]).
//!
//! The registers are those before the block. What an instruction changed is the difference to the
//! next dump of its processor, so each step looks ahead. The instructions of a block are printed
//! once, when it is translated, possibly far above: they are collected when the log is opened.
//!
//! A block of several instructions is a step for each of them. Its line has their chunks: the chunk
//! of an instruction begins as many bytes after the start of the line as instructions are before
//! it, so a line has at most as many steps as bytes. Registers are recorded between blocks, so the
//! last instruction of a block that writes a register has its value, and after an earlier one it is
//! unknown.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use stepback_machine::convention::ReturnAddress;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{InstructionSet, RegisterView};

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::qemu_log::dump::{DumpedRegister, RegisterDump, value_of};
use crate::qemu_log::listing::{
    BLOCK, ListedInstruction, PROCESSOR, TranslatedCode, set_of_listing,
};
use crate::read_at::ReadAt;
use crate::text::digits::hex;
use crate::text::window::each_window;
use crate::text::words::Words;
use crate::text_log::{
    AheadText, BlockPlace, ChunkStart, LogFormat, LogHead, LoggedRegister, LoggedStep,
    whole_register,
};

/// Number of bytes after a step in which the next dump of its processor ends.
const NEXT_DUMP: usize = 64 << 10;
/// Maximum bytes of a dump.
const DUMP: usize = 32 << 10;
/// Names of exceptions in QEMU that are none: control stays or returns.
const PLAIN_EXCEPTIONS: [&[u8]; 2] = [b"[QEMU v7M exception exit]", b"[Semihosting call]"];

/// A log of executed blocks.
pub(crate) struct CpuLog {
    /// Set of the registers. Instructions of AArch32 may belong to its other set.
    set: InstructionSet,
    /// True if calls and exceptions are found by registers, false if branches are classified. The
    /// first needs a write of the link register for each call, also where its value stays.
    finds_calls_by_registers: bool,
    is_m_profile: bool,
    code: RwLock<TranslatedCode>,
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
            Some(b'T') if line.starts_with(b"Taking exception") => {
                let is_plain = PLAIN_EXCEPTIONS
                    .iter()
                    .any(|name| memchr::memmem::find(line, name).is_some());
                if is_plain {
                    Self::Nothing
                } else {
                    Self::Exception(line)
                }
            }
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

/// Returns whether a line belongs to the dump of a processor of the M-profile of Arm.
fn is_of_m_profile(line: &[u8]) -> bool {
    line.starts_with(b"XPSR=")
}

/// Returns whether a message about an exception says that the instruction at an address did not
/// complete.
fn is_fault(line: &[u8], pc: u64) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    let address_after = |text: &[u8]| {
        let at = memchr::memmem::find(line, text)? + text.len();
        hex(Words::new(line.get(at..)?).digits()?)
    };
    let riscv = address_after(b"epc:0x").filter(|_| has(b"async:0"));
    let x86 = address_after(b" pc=").filter(|_| has(b" i=0 "));
    has(b"[Data Abort]") || has(b"[Undefined Instruction]") || riscv.or(x86) == Some(pc)
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

    /// Adds the link register that a call wrote without changing it: calls are found by its writes.
    fn unchanged_link(&self, after: &[u8], step: &mut LoggedStep) {
        let code = self.code.read().unwrap_or_else(PoisonError::into_inner);
        let is_call =
            |branch| matches!(branch, RecordedBranch::Call | RecordedBranch::IndirectCall);
        let found = code.block(step.block.start).next();
        let Some((_, call)) = found.filter(|(_, listed)| is_call(listed.branch)) else {
            return;
        };
        for register in &RegisterDump::of(after).registers {
            if let Some((view, value)) = value_of(register, self.set)
                && call.writes.iter().any(|own| own.overlaps(view))
                && step.is_executed
                && !step.has_written(view)
            {
                step.write(LoggedRegister::View(view), Some(&value));
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

/// Returns the next dump after a block line of a processor for which a condition holds, and the
/// number of the processor.
fn next_dump(is_wanted: impl Fn(u64) -> bool, ahead: AheadText<'_>) -> Option<(u64, Vec<u8>)> {
    let mut found = None;
    let mut dump = Vec::new();
    for line in ahead.lines() {
        match CpuLine::of(line) {
            CpuLine::Block { .. } if found.is_some() => break,
            CpuLine::Block { processor, .. } => {
                found = Some(processor).filter(|processor| is_wanted(*processor));
            }
            CpuLine::Registers(line) if found.is_some() => {
                dump.extend_from_slice(line);
                dump.push(b'\n');
            }
            _ if !dump.is_empty() => break,
            _ => {}
        }
    }
    found.map(|processor| (processor, dump))
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
        let dump = next_dump(|_| true, ahead).map(|(_, dump)| RegisterDump::of(&dump));
        let of_dump = dump.and_then(|dump| dump.set());
        let stated = head.options.instruction_set.or(of_dump);
        let is_m_profile = head.lines().any(is_of_m_profile);
        let shows_exceptions = |line| matches!(CpuLine::of(line), CpuLine::Exception(_));
        let set = stated.or_else(|| set_of_listing(head)).unwrap_or_default();
        Self {
            set,
            finds_calls_by_registers: of_dump.is_some()
                && set.abi().return_address != ReturnAddress::Stack
                // Handlers of the M-profile return by a value of the link register.
                && (is_m_profile || head.lines().any(shows_exceptions)),
            is_m_profile,
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

    fn is_m_profile(&self) -> bool {
        self.is_m_profile
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
                step.set_thread(PROCESSOR, processor);
                let start = self.set.code_address(pc);
                step.block = BlockPlace {
                    start,
                    count,
                    number,
                };
                let code = self.code.read().unwrap_or_else(PoisonError::into_inner);
                let found = code.block(start).nth(number);
                let set = found.map_or(self.set, |(_, listed)| listed.set);
                step.announce(found.map_or(pc, |(pc, _)| pc), set);
                if let Some((_, listed)) = found {
                    step.encoding = listed.encoding;
                    if !self.finds_calls_by_registers {
                        step.branch = listed.branch;
                    }
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
            CpuLine::Exception(line) => {
                step.is_executed &= !is_fault(line, step.pc);
                step.note(TextKind::Exception, line);
            }
            _ => {}
        }
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        // Values appear in the next dump, not in the lines of the step.
        step.scatter_values();
        if !step.is_announced() {
            // The first dump is the state before the first step.
            if let Some((processor, dump)) = next_dump(|_| true, ahead) {
                step.set_thread(PROCESSOR, processor);
                self.changes(&RegisterDump::default(), &RegisterDump::of(&dump), step);
            }
            return;
        }
        let is_own = |processor| step.is_thread(PROCESSOR, processor);
        let next = next_dump(is_own, ahead).map(|(_, dump)| dump);
        if step.block.count > 1 {
            let after = next.map(|dump| RegisterDump::of(&dump));
            let before = match step.block.number + 1 == step.block.count {
                true => RegisterDump::of(&step.kept_lines),
                false => RegisterDump::of(&own_dump(ahead)),
            };
            if !before.registers.is_empty() {
                self.changes_in_block(&before, &after.unwrap_or_default(), step);
            }
            return;
        }
        let after = next.as_deref().unwrap_or_default();
        let (before, changed) = RegisterDump::of_changed_lines(&step.kept_lines, after);
        if let Some((status, encoding)) = before.status.zip(step.encoding) {
            step.is_executed &= step.set.is_condition_met(&encoding, status);
        }
        match next.as_deref().filter(|_| !step.kept_lines.is_empty()) {
            Some(after) => {
                self.changes(&before, &changed, step);
                if self.finds_calls_by_registers {
                    self.unchanged_link(after, step);
                }
            }
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

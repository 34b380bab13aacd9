//! Assignment of lines to instructions for producers that do not print a line after its
//! instruction.
//!
//! RTL simulations print the actions of the pipeline as they happen. A memory line may then name
//! its instruction, by address and number:
//!
//! ```text
//! 100 ns IT (00000024:00000004) 00000024 e59f44e8 A svc : LDR r4,[pc,#+0x4e8]
//! 110 ns IT (00000028:00000005) 00000028 e3a06001 A svc : MOV r6,#0x01
//! 110 ns MNR4____ (00000024:00000004) 00000514 01012000       <- belongs to the first
//! ```
//!
//! Cortex-R5 prints write-backs before their instructions, two at once if it issues two:
//!
//! ```text
//! 1251167 ns R r4 00000007
//! 1251167 ns R r5 40000000
//! 1251251 ns IT (00000348:0000007b) 00000348 e3a04007 A : MOV r4,#0x07
//! 1251251 ns IT (0000034c:0000007c) 0000034c e3a05101 A : MOV r5,#0x40000000
//! ```
//!
//! Other simulations print the result of a load after later instructions. In such traces the writer
//! is the nearest instruction that can write the register, or access memory in this way. The first
//! lines of a trace decide which order it has, so that all parts of it are read in the same way.

use stepback_machine::flow::FlowKind;
use stepback_machine::{AccessKind, CodeSite, Instruction, RegisterId, decode};

use crate::tarmac::line_table::{LineTable, TableKind, TableLine};
use crate::tarmac::memory_line::NamedInstruction;
use crate::tarmac::register_line::LowerName;
use crate::tarmac::register_name::KnownRegister;
use crate::tarmac::settings::{LineOrder, StateField};
use crate::text::window::TextPart;

/// Maximum distance between a line and its instruction, in bytes of text.
pub(super) const REACH: usize = 4 << 10;
/// Maximum number of instructions between a line and its own.
const NEIGHBOURS: usize = 8;
/// Length of the text that decides the order of a trace.
pub(super) const SAMPLE: usize = 128 << 10;
/// Maximum number of register lines that decide it.
const SAMPLED_LINES: usize = 1000;

impl LineOrder {
    /// Determines the order of a trace that begins with this text.
    pub fn of(text: &[u8], state_field: StateField) -> Self {
        let sample = text.get(..SAMPLE).unwrap_or(text);
        let part = TextPart {
            text: sample,
            is_last: false,
        };
        let table = LineTable::read(part, 0..sample.len(), state_field);
        let names = |line: &TableLine<'_>| matches!(line.kind, TableKind::Memory(_, Some(_)));
        let is_named = table.lines.iter().any(names);
        let evidence = OrderEvidence::of(&table);
        match () {
            () if evidence.is_early() => Self::Early,
            () if evidence.is_late() => Self::Late,
            () if is_named => Self::Named,
            () => Self::Plain,
        }
    }

    /// Returns its name among the options stored in an index.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Named => Some("named"),
            Self::Late => Some("late"),
            Self::Early => Some("early"),
        }
    }
}

/// Register lines, counted by the neighbouring instructions that can write the register.
#[derive(Clone, Copy, Debug, Default)]
struct OrderEvidence {
    /// The instruction before can write it, but not the next one.
    after: usize,
    /// The next instruction can write it, but not the one before.
    early: usize,
    /// An earlier instruction can write it, but neither of these two.
    late: usize,
    /// No instruction nearby can write it.
    none: usize,
}

impl OrderEvidence {
    fn of(table: &LineTable<'_>) -> Self {
        let mut evidence = Self::default();
        let registers = table
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| matches!(line.kind, TableKind::Register(_)));
        for (number, line) in registers.take(SAMPLED_LINES) {
            evidence.count(
                &LineAttribution {
                    table,
                    order: LineOrder::Late,
                },
                number,
                line,
            );
        }
        evidence
    }

    fn count(
        &mut self,
        attribution: &LineAttribution<'_, '_>,
        number: usize,
        line: &TableLine<'_>,
    ) {
        let TableKind::Register(name) = line.kind else {
            return;
        };
        let Some(above) = line.above else { return };
        let Some(register) = attribution.register(name, above) else {
            return;
        };
        if attribution.may_do_more(above) || attribution.has_exception(number) {
            return;
        }
        let can_write = |instruction: usize| attribution.can_write(instruction, register);
        let next = attribution.following(line).next();
        match (can_write(above), next.is_some_and(can_write)) {
            (true, true) => {}
            (true, false) => self.after += 1,
            (false, true) => self.early += 1,
            (false, false) if attribution.late_writer(line, register).is_some() => self.late += 1,
            (false, false) => self.none += 1,
        }
    }

    fn is_early(self) -> bool {
        self.early >= 2 && self.early > 4 * self.after && self.early > self.none
    }

    fn is_late(self) -> bool {
        let total = self.after + self.early + self.late + self.none;
        self.late >= 2 && 20 * self.late >= total && 4 * (self.none + self.early) <= total
    }
}

/// Finds the instruction of each line. The result for a line depends on nothing further away than
/// [`REACH`].
pub(super) struct LineAttribution<'t, 'a> {
    pub table: &'t LineTable<'a>,
    pub order: LineOrder,
}

impl<'a> LineAttribution<'_, 'a> {
    /// Returns the number of a line's instruction in the table; `None` if it is the one before the
    /// line.
    pub fn elsewhere(&self, number: usize) -> Option<usize> {
        let line = self.table.lines.get(number)?;
        let is_settled = match line.above {
            Some(above) => line.start - self.table.instructions.get(above)?.start <= REACH,
            None => self.table.is_first,
        };
        if !is_settled {
            return None;
        }
        let found = match line.kind {
            TableKind::Instruction => return None,
            TableKind::Register(name) => self.writer(number, line, name),
            TableKind::Memory(_, Some(named)) => self.named(line, named),
            TableKind::Memory(kind, None) => self.accessor(number, line, kind),
            TableKind::Exception | TableKind::Other => None,
        };
        found
            .or_else(|| self.of_its_time(number, line))
            .filter(|found| Some(*found) != line.above)
    }

    /// Returns the nearby instructions after a line in its thread, the nearest first.
    fn following(&self, line: &TableLine<'a>) -> impl Iterator<Item = usize> {
        let first = line.above.map_or(0, |above| above + 1);
        let near = self
            .table
            .instructions
            .iter()
            .enumerate()
            .skip(first)
            .take(NEIGHBOURS);
        let (start, cpu) = (line.start, line.cpu);
        near.filter(move |(_, instruction)| {
            instruction.start - start <= REACH && instruction.cpu == cpu
        })
        .map(|(number, _)| number)
    }

    /// Returns the nearby instructions before a line in its thread, the nearest first.
    fn preceding(&self, line: &TableLine<'a>) -> impl Iterator<Item = usize> {
        let end = line.above.map_or(0, |above| above + 1);
        let before = self.table.instructions.get(..end).unwrap_or_default();
        let near = before.iter().enumerate().rev().take(NEIGHBOURS);
        let (start, cpu) = (line.start, line.cpu);
        near.filter(move |(_, instruction)| {
            start - instruction.start <= REACH && instruction.cpu == cpu
        })
        .map(|(number, _)| number)
    }

    fn writer(&self, number: usize, line: &TableLine<'a>, name: LowerName) -> Option<usize> {
        let near = line.above.or_else(|| self.following(line).next())?;
        let register = self.register(name, near)?;
        match self.order {
            LineOrder::Plain | LineOrder::Named => None,
            LineOrder::Late if self.has_exception(number) => None,
            LineOrder::Late => self.late_writer(line, register),
            LineOrder::Early => self
                .early_writer(number, line, register)
                .or_else(|| self.late_writer(line, register)),
        }
    }

    /// Returns the next instruction that can write a register, skipping those whose write was
    /// printed before this one.
    fn early_writer(
        &self,
        number: usize,
        line: &TableLine<'a>,
        register: RegisterId,
    ) -> Option<usize> {
        let writers = || {
            self.following(line)
                .filter(|next| self.can_write(*next, register))
        };
        let same = |other: &TableLine<'a>| {
            other.cpu == line.cpu
                && self.is_of_register(other, writers().next().unwrap_or(0), register)
        };
        let Some(above) = line.above else {
            // A line before the first instruction is initial state, unless no other line is the
            // instruction's result.
            let first = writers().next()?;
            let start = self.table.instructions.get(first)?.start;
            let mut later = self
                .table
                .lines
                .iter()
                .skip(number + 1)
                .take_while(|line| line.start < start);
            return (!later.any(same)).then_some(first);
        };
        let last_writer = self
            .preceding(line)
            .find(|before| self.can_write(*before, register));
        let from = last_writer
            .or_else(|| self.preceding(line).last())
            .unwrap_or(above);
        let from = self.table.instructions.get(from)?.start;
        let before = self
            .table
            .lines
            .get(..number)
            .unwrap_or_default()
            .iter()
            .rev();
        let pending = before
            .take_while(|line| line.start > from)
            .filter(|line| same(line))
            .count();
        writers().nth(pending).or_else(|| writers().next())
    }

    /// Returns whether a line writes `register`, with names as `instruction` interprets them.
    fn is_of_register(
        &self,
        line: &TableLine<'a>,
        instruction: usize,
        register: RegisterId,
    ) -> bool {
        matches!(line.kind, TableKind::Register(name) if self.register(name, instruction) == Some(register))
    }

    /// Returns the nearest earlier instruction that can write a register if the one before the line
    /// cannot. An instruction prints each of its results once.
    fn late_writer(&self, line: &TableLine<'a>, register: RegisterId) -> Option<usize> {
        let above = line.above?;
        // Exceptions write these.
        let is_of_state = matches!(
            register,
            RegisterId::SP | RegisterId::LR | RegisterId::PC | RegisterId::PSR
        );
        if is_of_state || self.can_write(above, register) || self.may_do_more(above) {
            return None;
        }
        let writer = self
            .preceding(line)
            .find(|before| self.can_write(*before, register))?;
        let from = self.table.instructions.get(writer)?.start;
        let behind = self.table.lines.iter().skip(
            self.table
                .lines
                .partition_point(|other| other.start <= from),
        );
        let mut between = behind.take_while(|other| other.start < line.start);
        let is_printed = between
            .any(|other| other.cpu == line.cpu && self.is_of_register(other, writer, register));
        (!is_printed).then_some(writer)
    }

    fn accessor(&self, number: usize, line: &TableLine<'a>, kind: AccessKind) -> Option<usize> {
        if matches!(self.order, LineOrder::Plain | LineOrder::Named) || self.has_exception(number) {
            return None;
        }
        let can_access = |instruction: &usize| self.can_access(*instruction, kind);
        match line.above {
            Some(above) if can_access(&above) || self.may_do_more(above) => None,
            _ => self.preceding(line).find(can_access).or_else(|| {
                let mut following = self
                    .following(line)
                    .filter(|_| self.order == LineOrder::Early);
                following.find(can_access)
            }),
        }
    }

    /// Returns the instruction that a line names.
    fn named(&self, line: &TableLine<'a>, named: NamedInstruction) -> Option<usize> {
        let is_named = |number: &usize| {
            let instruction = self.table.instructions.get(*number);
            instruction.is_some_and(|instruction| named.is(instruction.pc.0, instruction.numbers))
        };
        self.preceding(line)
            .find(is_named)
            .or_else(|| self.following(line).find(is_named))
    }

    /// Returns the next instruction if all lines up to it have its time and the instruction before
    /// has another time.
    fn of_its_time(&self, number: usize, line: &TableLine<'a>) -> Option<usize> {
        let next = line.above.map_or(0, |above| above + 1);
        let instruction = self.table.instructions.get(next)?;
        let time = line.time.filter(|time| instruction.time == Some(*time))?;
        let before = line
            .above
            .and_then(|above| self.table.instructions.get(above));
        let is_new = before.is_none_or(|before| before.time.is_some_and(|before| before != time));
        let mut between = self
            .table
            .lines
            .iter()
            .skip(number)
            .take_while(|line| line.start < instruction.start);
        let is_near = instruction.start - line.start <= REACH && instruction.cpu == line.cpu;
        let mut is_run = || {
            between.all(|line| {
                line.time.is_none_or(|other| other == time) && line.cpu == instruction.cpu
            })
        };
        (is_new && is_near && is_run()).then_some(next)
    }

    /// Returns true if the trace has an exception between a line and the instruction before it.
    fn has_exception(&self, number: usize) -> bool {
        let before = self
            .table
            .lines
            .get(..number)
            .unwrap_or_default()
            .iter()
            .rev();
        let mut between = before.take_while(|line| !matches!(line.kind, TableKind::Instruction));
        between.any(|line| matches!(line.kind, TableKind::Exception))
    }

    /// Returns the register of a name as an instruction interprets it; `None` outside the
    /// architecture's table.
    fn register(&self, name: LowerName, instruction: usize) -> Option<RegisterId> {
        let set = self.table.instructions.get(instruction)?.set;
        KnownRegister::named(name.as_bytes(), set).map(|known| known.view.register)
    }

    fn decoded<T>(
        &self,
        instruction: usize,
        question: impl FnOnce(&Instruction) -> T,
    ) -> Option<T> {
        let instruction = self
            .table
            .instructions
            .get(instruction)
            .filter(|instruction| instruction.is_executed)?;
        Some(question(&decode(
            instruction.encoding?,
            instruction.pc,
            instruction.set,
        )))
    }

    fn can_write(&self, instruction: usize, register: RegisterId) -> bool {
        let writes = |instruction: &Instruction| {
            let known = instruction.registers.as_ref();
            known.is_some_and(|known| known.writes.iter().any(|view| view.register == register))
        };
        self.decoded(instruction, writes).unwrap_or(false)
    }

    fn can_access(&self, instruction: usize, kind: AccessKind) -> bool {
        let accesses = |instruction: &Instruction| {
            instruction
                .meaning
                .memory
                .iter()
                .any(|operand| operand.kind == kind)
        };
        self.decoded(instruction, accesses).unwrap_or(false)
    }

    /// Returns true for an instruction with unknown effects, and for one that may cause or end an
    /// exception.
    fn may_do_more(&self, instruction: usize) -> bool {
        let Some(found) = self.table.instructions.get(instruction) else {
            return true;
        };
        let Some(encoding) = found.encoding else {
            return true;
        };
        let site = CodeSite {
            pc: found.pc,
            encoding,
        };
        let is_known = |instruction: &Instruction| {
            instruction.registers.is_some() && instruction.meaning.is_memory_known
        };
        let is_skipped = !found.is_executed;
        found.set.control(&site).flow != FlowKind::Next
            || !is_skipped && !self.decoded(instruction, is_known).unwrap_or(false)
    }
}

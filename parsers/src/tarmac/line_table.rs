//! Table of the lines of a text, with the facts that decide to which instruction each belongs.

use std::ops::Range;

use stepback_machine::{AccessKind, Address, Encoding, InstructionSet};

use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::line::{FIRST_CPU, TarmacLine, cpu_of_other};
use crate::tarmac::memory_line::{MemoryLine, NamedInstruction};
use crate::tarmac::register_line::LowerName;
use crate::tarmac::settings::StateField;
use crate::text::lexer::Token;
use crate::text::window::{LINE_LIMIT, TextPart, without_return};

/// A line, or one of two records on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableLine<'a> {
    /// Start in the text.
    pub start: usize,
    /// CPU word of its thread.
    pub cpu: &'a [u8],
    /// Timestamp on the line.
    pub time: Option<u64>,
    pub kind: TableKind,
    /// Number in the table of the nearest instruction before it, or of the one on it.
    pub above: Option<usize>,
}

/// Kind of a line, with the facts needed to find its instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableKind {
    Instruction,
    /// Write to the register with this name.
    Register(LowerName),
    /// Access, and the instruction that the line names.
    Memory(AccessKind, Option<NamedInstruction>),
    Exception,
    Other,
}

/// An instruction line.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableInstruction<'a> {
    /// Start in the text.
    pub start: usize,
    pub cpu: &'a [u8],
    pub time: Option<u64>,
    pub pc: Address,
    pub set: InstructionSet,
    /// `None` if the fetch failed.
    pub encoding: Option<Encoding>,
    pub is_executed: bool,
    /// Numbers in brackets on the line.
    pub numbers: [Option<u64>; 2],
}

/// Lines of a text, in text order.
#[derive(Debug)]
pub(super) struct LineTable<'a> {
    pub lines: Vec<TableLine<'a>>,
    pub instructions: Vec<TableInstruction<'a>>,
    /// True if the table begins with the first line of the trace, as [`Self::read`] assumes.
    pub is_first: bool,
}

impl<'a> LineTable<'a> {
    /// Reads the headers of all lines that start in the range and end in the part.
    pub fn read(part: TextPart<'a>, range: Range<usize>, state_field: StateField) -> Self {
        let mut table = Self {
            lines: Vec::new(),
            instructions: Vec::new(),
            is_first: true,
        };
        let mut at = range.start;
        while at < range.end {
            let Some((text, next)) = part.line_at(at) else {
                break;
            };
            if next == at {
                break;
            }
            let text = without_return(if text.len() > LINE_LIMIT { b"" } else { text });
            let (line, next) = match TarmacLine::read(text, None, state_field) {
                // Only instructions matter among such records; others keep their place.
                TarmacLine::Fused(fused) => {
                    let (first, second) = text.split_at_checked(fused.at).unwrap_or_default();
                    let (record, next) = if fused.is_first_whole {
                        (first, at + fused.at)
                    } else {
                        (second, next)
                    };
                    let line = TarmacLine::read_single(record, None, state_field);
                    (
                        if matches!(line, TarmacLine::Instruction(..)) {
                            line
                        } else {
                            TarmacLine::Blank
                        },
                        next,
                    )
                }
                line => (line, next),
            };
            table.push(at, line);
            at = next;
        }
        table
    }

    fn push(&mut self, start: usize, line: TarmacLine<'a>) {
        let before = self.lines.last().map_or(FIRST_CPU, |line| line.cpu);
        let (cpu, time, kind) = match line {
            TarmacLine::Instruction(header, instruction) => {
                let cpu = header.cpu.unwrap_or(FIRST_CPU);
                self.instructions
                    .push(table_instruction(start, &header, &instruction));
                (cpu, header.time, TableKind::Instruction)
            }
            TarmacLine::Other(header) => (
                cpu_of_other(header.time, header.cpu).unwrap_or(before),
                header.time,
                table_kind(&header),
            ),
            TarmacLine::Blank
            | TarmacLine::Row(_)
            | TarmacLine::Broken(_)
            | TarmacLine::Fused(_) => (before, None, TableKind::Other),
        };
        let above = self.instructions.len().checked_sub(1);
        self.lines.push(TableLine {
            start,
            cpu,
            time,
            kind,
            above,
        });
    }

    /// Returns the number of the line that starts at an offset.
    pub fn line_at(&self, start: usize) -> Option<usize> {
        self.lines
            .binary_search_by_key(&start, |line| line.start)
            .ok()
    }
}

fn table_instruction<'a>(
    start: usize,
    header: &LineHeader<'a>,
    line: &InstructionLine<'a>,
) -> TableInstruction<'a> {
    let InstructionLine {
        pc,
        set,
        opcode,
        length_bytes,
        is_executed,
        numbers,
        ..
    } = *line;
    let is_fetched = line.encoding.iter().any(|byte| *byte != b'-');
    let encoding = set.encoding_of(opcode, length_bytes).filter(|_| is_fetched);
    let cpu = header.cpu.unwrap_or(FIRST_CPU);
    TableInstruction {
        start,
        cpu,
        time: header.time,
        pc,
        set,
        encoding,
        is_executed,
        numbers,
    }
}

fn table_kind(header: &LineHeader<'_>) -> TableKind {
    match header.kind {
        LineKind::Register => match header.fields.peek() {
            Token::Word(word) => LowerName::of(word).map_or(TableKind::Other, TableKind::Register),
            _ => TableKind::Other,
        },
        LineKind::Memory => match MemoryLine::origin(header) {
            Some((kind, instruction)) => TableKind::Memory(kind, instruction),
            None => TableKind::Other,
        },
        LineKind::Event | LineKind::Exception | LineKind::Instruction => TableKind::Exception,
        LineKind::Diagram(_) | LineKind::Title | LineKind::Note | LineKind::Unknown => {
            TableKind::Other
        }
    }
}

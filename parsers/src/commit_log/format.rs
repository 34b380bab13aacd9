//! Commit logs as a [`LogFormat`].

use stepback_machine::InstructionSet;

use crate::commit_log::commit::{CommitReader, HART, ends_in_whole_number, forget_trap_registers};
use crate::commit_log::line::{Commit, CommitChunk, CommitLine, Dialect, Listing};
use crate::commit_log::registers::RiscvRegisters;
use crate::commit_log::rvls::RvlsIsa;
use crate::commit_log::{line, quick, rvls, sail, table, whisper};
use crate::text::words::Words;
use crate::text_log::{AheadText, ChunkStart, LogFormat, LogHead, LoggedStep, QuickStep};

/// Number of bytes after a step in which a core may report a value late.
const LATE: usize = 64 << 10;
/// Number of bytes after a row of a table in which the next row begins.
const NEXT_ROW: usize = 4 << 10;

/// A commit log.
pub(crate) struct CommitLog {
    dialect: Dialect,
    /// True if there are commit lines, so that a listing alone is no executed step.
    has_commits: bool,
    /// True if values come in later lines.
    has_late_values: bool,
    /// True if there are writes of control registers.
    has_controls: bool,
    /// True if traps have no lines.
    has_silent_traps: bool,
    /// True if commit lines say that instructions trapped.
    has_trap_items: bool,
    /// Length of the shortest instructions, in logs without encodings.
    shortest_bytes: u8,
    /// Width of the registers of lines whose address does not tell it.
    set: InstructionSet,
    narrow: RiscvRegisters,
    wide: RiscvRegisters,
}

impl CommitLog {
    /// Returns the registers of a line by the digits of its address. Some cores print addresses of
    /// another width than their registers have, but eight digits are always a narrow one.
    pub(super) fn registers_at(&self, pc_digits: usize) -> &RiscvRegisters {
        if pc_digits == 8 {
            &self.narrow
        } else {
            self.registers()
        }
    }

    fn registers(&self) -> &RiscvRegisters {
        if self.set == self.narrow.set {
            &self.narrow
        } else {
            &self.wide
        }
    }

    fn reader(&self, pc_digits: usize) -> CommitReader<'_> {
        CommitReader {
            registers: self.registers_at(pc_digits),
            has_commits: self.has_commits,
            has_controls: self.has_controls,
            has_silent_traps: self.has_silent_traps,
        }
    }
}

/// Facts about a text from its first lines.
#[derive(Clone, Copy, Debug, Default)]
struct CommitLogHead {
    has_commits: bool,
    has_late_values: bool,
    has_controls: bool,
    has_listings: bool,
    /// True if an instruction without effects has a line.
    has_empty_lines: bool,
    /// True if a line states a register or an address of 32 bits.
    is_narrow: bool,
    /// True if commit lines say that instructions trapped, as those of Dromajo do.
    has_trap_items: bool,
    /// Length of the shortest instructions, in logs without encodings.
    shortest_bytes: u8,
}

impl CommitLogHead {
    fn of(head: &LogHead<'_>, dialect: Dialect) -> Self {
        let mut found = Self {
            is_narrow: matches!(dialect, Dialect::Ibex | Dialect::Cv32),
            has_trap_items: matches!(dialect, Dialect::Whisper | Dialect::WhisperCsv),
            ..Self::default()
        };
        let mut has_width = found.is_narrow;
        let (mut has_wide_value, mut has_narrow_value) = (false, false);
        let mut shortest = None;
        for line in head.lines() {
            let width = match CommitLine::of(line, dialect) {
                CommitLine::Commit(commit) => {
                    found.has_commits = true;
                    found.has_late_values |= has_late_value(commit.items);
                    found.has_controls |= has_control(commit.items);
                    found.has_empty_lines |= commit.items.rest().trim_ascii().is_empty();
                    found.has_trap_items |= commit.hart.is_some() && !line.starts_with(b"core");
                    value_digits(commit.items).filter(|_| commit.pc_digits != 8)
                }
                CommitLine::Trap { is_step: true, .. } => {
                    found.has_commits = true;
                    None
                }
                CommitLine::Listing(Listing { pc_digits, .. }) => {
                    found.has_listings = true;
                    (pc_digits == 8).then_some(8)
                }
                CommitLine::Row(row) => match dialect {
                    Dialect::Whisper => Words::new(row.line).nth_word(3).map(<[u8]>::len),
                    Dialect::Sail => memchr::memmem::find(row.line, b"]: 0x")
                        .and_then(|at| Words::new(row.line.get(at + 3..)?).prefixed_digits())
                        .map(<[u8]>::len),
                    Dialect::Rvls => None,
                    Dialect::WhisperCsv => {
                        has_wide_value |= whisper::has_wide_value(row.line);
                        has_narrow_value |= whisper::has_negative_word(row.line);
                        None
                    }
                    _ => None,
                },
                CommitLine::Nothing if dialect == Dialect::Rvls => {
                    let isa = RvlsIsa::of(line);
                    shortest = isa
                        .map(|isa| isa.shortest_bytes)
                        .into_iter()
                        .chain(shortest)
                        .min();
                    isa.map(|isa| if isa.is_narrow { 8 } else { 16 })
                }
                _ => None,
            };
            if !has_width && let Some(digits) = width {
                (has_width, found.is_narrow) = (true, digits == 8);
            }
        }
        found.shortest_bytes = shortest.unwrap_or(2);
        found.is_narrow |= has_narrow_value && !has_wide_value;
        found
    }
}

/// Returns whether `c768_mstatus` or another control register is among the items of a line.
fn has_control(mut items: Words<'_>) -> bool {
    std::iter::from_fn(|| items.word())
        .any(|word| matches!(word, [b'c', b'0'..=b'9', ..]) && word.contains(&b'_'))
}

fn has_late_value(items: Words<'_>) -> bool {
    memchr::memmem::find(items.rest(), b" p").is_some()
}

/// Returns the number of digits of the first general register among the items of a line.
fn value_digits(items: Words<'_>) -> Option<usize> {
    let at = memchr::memmem::find(items.rest(), b" x")?;
    let mut words = Words::new(items.rest().get(at + 2..)?);
    words.decimal()?;
    words.skip_blanks();
    words.prefixed_digits().map(<[u8]>::len)
}

impl LogFormat for CommitLog {
    type Line<'a> = CommitLine<'a>;
    type ChunkState = CommitChunk;

    const NAME: &'static str = "riscv";
    const THREAD: &'static str = HART;
    const AT_START: CommitChunk = CommitChunk::Closed { hart: None };
    const UNKNOWN: CommitChunk = CommitChunk::Unknown;

    fn of_head(head: &LogHead<'_>) -> Self {
        let dialect = Dialect::of_lines(head.lines()).unwrap_or_default();
        let facts = CommitLogHead::of(head, dialect);
        let (narrow, wide) = (InstructionSet::Riscv32, InstructionSet::Riscv64);
        let likely = if facts.is_narrow { narrow } else { wide };
        let stated = head.options.instruction_set;
        Self {
            dialect,
            has_commits: facts.has_commits,
            has_late_values: facts.has_late_values,
            has_controls: facts.has_controls,
            // Logs of 2017 list only instructions that write a register.
            has_silent_traps: facts.has_empty_lines && !facts.has_listings && !facts.has_trap_items,
            has_trap_items: facts.has_trap_items,
            shortest_bytes: facts.shortest_bytes,
            set: stated
                .filter(|set| [narrow, wide].contains(set))
                .unwrap_or(likely),
            narrow: RiscvRegisters::new(narrow),
            wide: RiscvRegisters::new(wide),
        }
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn time_unit(&self) -> Option<&str> {
        match self.dialect {
            Dialect::Ibex => Some("units"),
            Dialect::Cv32 => Some("ns"),
            _ => None,
        }
    }

    fn options(&self) -> String {
        format!(
            "dialect={},commits={},late={},controls={},silent={}",
            self.dialect.name(),
            self.has_commits,
            self.has_late_values,
            self.has_controls,
            self.has_silent_traps
        )
    }

    fn look_ahead(&self) -> usize {
        match self.dialect {
            Dialect::Commits if self.has_late_values => LATE,
            Dialect::Commits | Dialect::Cv32 | Dialect::Rvls => NEXT_ROW,
            _ => 0,
        }
    }

    fn second_record(&self, line: &[u8]) -> Option<usize> {
        match self.dialect {
            Dialect::Commits => line::second_record(line),
            _ => None,
        }
    }

    fn ends_whole(&self, line: &[u8]) -> bool {
        self.dialect == Dialect::Commits && ends_in_whole_number(line, self.set)
    }

    fn read<'a>(&self, line: &'a [u8]) -> CommitLine<'a> {
        CommitLine::of(line, self.dialect)
    }

    fn chunk_start(&self, line: &CommitLine<'_>, state: &mut CommitChunk) -> ChunkStart {
        state.start(line)
    }

    fn add(&self, line: &CommitLine<'_>, step: &mut LoggedStep) {
        if let CommitLine::Foreign(text) = line {
            step.foreign_line(text);
            return;
        }
        let registers = self.registers();
        match (self.dialect, line) {
            (Dialect::Commits, CommitLine::Listing(Listing { pc_digits, .. }))
            | (Dialect::Commits, CommitLine::Commit(Commit { pc_digits, .. })) => {
                self.reader(*pc_digits).add(line, step)
            }
            (Dialect::Commits, _) => self.reader(0).add(line, step),
            (Dialect::Ibex, CommitLine::Row(row)) => table::add_ibex(row.line, registers, step),
            (Dialect::Cv32, CommitLine::Row(row)) => table::add_cv32(row.line, registers, step),
            (Dialect::Whisper, CommitLine::Row(row)) => whisper::add(row.line, registers, step),
            (Dialect::WhisperCsv, CommitLine::Row(row)) => {
                whisper::add_csv(row.line, registers, step);
            }
            (Dialect::Sail, CommitLine::Row(row)) => sail::add_step(row.line, registers, step),
            (Dialect::Sail, CommitLine::Effect(line)) => sail::add_effect(line, registers, step),
            (Dialect::Rvls, CommitLine::Row(row)) => rvls::add(row.line, registers, step),
            _ => {}
        }
    }

    #[inline]
    fn quick_step<'a>(&self, text: &'a [u8]) -> Option<QuickStep<'a>> {
        if self.dialect != Dialect::Commits || !self.has_commits {
            return None;
        }
        quick::step(text, self)
    }

    #[inline]
    fn leads_to(&self, step: &QuickStep<'_>, next: &QuickStep<'_>) -> bool {
        !self.has_silent_traps || quick::leads_to(step, next)
    }

    fn complete(&self, step: &mut LoggedStep, ahead: AheadText<'_>) {
        match self.dialect {
            Dialect::Cv32 => table::complete_cv32(step, ahead),
            Dialect::Rvls => rvls::complete(step, self.shortest_bytes, ahead),
            Dialect::Commits => {
                let reader = self.reader(0);
                if step.is_waiting() {
                    reader.complete(step, ahead.lines());
                }
                reader.transition(step, ahead);
            }
            _ => {}
        }
    }

    fn forget_missing(&self, step: &mut LoggedStep) {
        step.forget_missing();
        if self.dialect == Dialect::Rvls && !step.is_announced() {
            // The effects belong to a step that is not there yet.
            step.drop_effects();
        }
        // The line may have said that the instruction trapped.
        if self.has_trap_items && step.is_cut_off() {
            forget_trap_registers(step, self.registers());
        }
    }
}

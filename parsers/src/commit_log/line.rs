//! Recognition of lines ([`CommitLine`]), which decides about the dialect of a text and the starts
//! of chunks.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::text::digits::{decimal, hex, is_hex};
use crate::text::words::Words;
use crate::text_log::ChunkStart;

/// Start of a record, which is searched for in each line.
static RECORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"core "));
/// Number of bytes of a line about a trap in which its address begins.
const TRAP_NAME: usize = 200;

/// A dialect of commit logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Spike, CVA6, Rocket, BOOM, Dromajo: lines with an address and an opcode in parentheses.
    #[default]
    Commits,
    /// Table of an Ibex core, separated by tabs.
    Ibex,
    /// Table of a CV32E40P core or its ancestors, separated by blanks.
    Cv32,
    /// Text of whisper.
    Whisper,
    /// Comma-separated values of whisper.
    WhisperCsv,
    /// Log of the Sail model.
    Sail,
    /// Log for RVLS.
    Rvls,
}

impl Dialect {
    const ALL: [Self; 7] = [
        Self::Commits,
        Self::Ibex,
        Self::Cv32,
        Self::Whisper,
        Self::WhisperCsv,
        Self::Sail,
        Self::Rvls,
    ];

    /// Returns the dialect of a text by its first line that belongs to one.
    pub fn of_lines<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        lines
            .into_iter()
            .map(plain)
            .find_map(|line| Self::ALL.into_iter().find(|dialect| dialect.has_line(line)))
    }

    /// Returns whether a line certainly belongs to the dialect.
    fn has_line(self, line: &[u8]) -> bool {
        match self {
            Self::Ibex => line.starts_with(b"Time\tCycle\tPC\tInsn"),
            Self::Cv32 => {
                let mut words = Words::new(line);
                line.first().is_some_and(|byte| matches!(byte, b' ' | b'T'))
                    && words.word() == Some(b"Time")
                    && words.word().is_some_and(|word| word.starts_with(b"Cycle"))
                    && words.word() == Some(b"PC")
            }
            Self::WhisperCsv => line.starts_with(b"pc, inst, modified regs"),
            Self::Rvls => [&b"rv new "[..], b"rv commit ", b"rv rf ", b"memview new "]
                .iter()
                .any(|start| line.starts_with(start)),
            _ => matches!(
                CommitLine::of(line, self),
                CommitLine::Listing(_)
                    | CommitLine::Commit(_)
                    | CommitLine::Row(_)
                    | CommitLine::Fetch
            ),
        }
    }

    /// Returns the name in the options of a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commits => "commits",
            Self::Ibex => "ibex",
            Self::Cv32 => "cv32e40p",
            Self::Whisper => "whisper",
            Self::WhisperCsv => "whisper-csv",
            Self::Sail => "sail",
            Self::Rvls => "rvls",
        }
    }
}

/// Returns whether a line certainly belongs to a commit log.
pub(crate) fn is_commit_log_line(line: &[u8]) -> bool {
    Dialect::of_lines(std::iter::once(line)).is_some()
}

/// A line of a commit log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CommitLine<'a> {
    /// An instruction before it runs: `core   0: 0x… (0x…) auipc t0, 0x0`.
    Listing(Listing<'a>),
    /// A committed instruction: `core   0: 3 0x… (0x…) x5  0x…`.
    Commit(Commit<'a>),
    /// A trap: `core   0: exception trap_user_ecall, epc 0x…`, `ILLEGAL_INSTR exception @ 0x…`.
    Trap {
        /// Number of the hart; none if the line does not state it.
        hart: Option<u64>,
        /// Address of the instruction; none if unknown.
        pc: Option<u64>,
        /// Number of hexadecimal digits of the address.
        digits: usize,
        /// Text about the trap.
        text: &'a [u8],
        /// True if the line itself shows an instruction, as those of CVA6 do.
        is_step: bool,
    },
    /// The second line about a trap: `core   0:           tval 0x…`.
    TrapValue {
        /// Number of the hart.
        hart: u64,
        /// Text about the trap.
        text: &'a [u8],
    },
    /// A value that a line above left open: `x 5 p 5 0x…`.
    Late(&'a [u8]),
    /// A line of a table, or the main line of a step in another dialect.
    Row(Row<'a>),
    /// The fetch of the next instruction (Sail).
    Fetch,
    /// A line about the current step (Sail, RVLS).
    Effect(&'a [u8]),
    /// A committed instruction that cannot be read.
    Damaged {
        /// Number of the hart.
        hart: u64,
        /// The line.
        text: &'a [u8],
    },
    /// A line without meaning for the steps.
    Nothing,
    /// A line that does not belong to the log.
    Foreign(&'a [u8]),
}

/// An instruction before it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing<'a> {
    /// Number of the hart.
    pub hart: u64,
    pub pc: u64,
    /// Digits of the address, as many as the widest address of the machine has.
    pub pc_digits: usize,
    pub opcode: &'a [u8],
    /// Disassembly.
    pub text: &'a [u8],
    /// True for the first instruction of an interrupt handler (CVA6).
    pub is_interrupt: bool,
}

/// A committed instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commit<'a> {
    /// Number of the hart; none if the line does not state it.
    pub hart: Option<u64>,
    /// Privilege mode before the instruction: 0 user, 1 supervisor, 3 machine.
    pub mode: u8,
    pub pc: u64,
    pub pc_digits: usize,
    pub opcode: &'a [u8],
    /// Everything after the opcode.
    pub items: Words<'a>,
}

/// A line of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    /// The line.
    pub line: &'a [u8],
    /// False if more lines about the same step follow.
    pub is_last: bool,
    /// True if the line cannot begin a step.
    pub is_continuation: bool,
}

/// State of the search for chunk starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitChunk {
    /// The lines before were not read.
    Unknown,
    /// The next line with an instruction begins a chunk.
    Closed {
        /// Hart of the chunk; none before the first chunk.
        hart: Option<u64>,
    },
    /// A listed instruction waits for its commit line.
    Listed {
        /// Hart of the instruction.
        hart: u64,
        /// Its address.
        pc: u64,
    },
    /// More lines of the step follow.
    Open,
    /// Fetches of the step were read, and its main line follows.
    Fetched,
}

impl CommitChunk {
    /// Returns whether a line begins a chunk, and notes it.
    pub fn start(&mut self, line: &CommitLine<'_>) -> ChunkStart {
        let before = *self;
        let (start, after) = match line {
            CommitLine::Listing(Listing { hart, pc, .. }) => (
                ChunkStart::Yes,
                Self::Listed {
                    hart: *hart,
                    pc: *pc,
                },
            ),
            CommitLine::Commit(commit) => (
                self.after_listing(commit.hart, commit.pc, commit.pc_digits),
                self.closed_by(commit.hart),
            ),
            CommitLine::Trap {
                pc: Some(pc),
                digits,
                is_step: true,
                ..
            } => (self.after_listing(None, *pc, *digits), self.closed_by(None)),
            CommitLine::Trap {
                hart: Some(hart), ..
            }
            | CommitLine::TrapValue { hart, .. }
            | CommitLine::Damaged { hart, .. } => match before {
                Self::Closed { hart: None } => (ChunkStart::No, Self::Closed { hart: Some(*hart) }),
                Self::Listed { hart: own, .. } | Self::Closed { hart: Some(own) }
                    if own != *hart =>
                {
                    (ChunkStart::Apart, Self::Closed { hart: Some(*hart) })
                }
                _ => (ChunkStart::No, before),
            },
            CommitLine::Row(row) => {
                let after = if row.is_last {
                    Self::Closed { hart: None }
                } else {
                    Self::Open
                };
                match before {
                    _ if row.is_continuation => (ChunkStart::No, after),
                    Self::Open | Self::Fetched => (ChunkStart::No, after),
                    Self::Unknown => (ChunkStart::Unknown, after),
                    _ => (ChunkStart::Yes, after),
                }
            }
            CommitLine::Fetch => match before {
                Self::Fetched => (ChunkStart::No, Self::Fetched),
                Self::Unknown => (ChunkStart::Unknown, Self::Fetched),
                _ => (ChunkStart::Yes, Self::Fetched),
            },
            _ => (ChunkStart::No, before),
        };
        *self = after;
        start
    }

    /// Returns the state after a line that completes an instruction. Lines without the number of
    /// their hart belong to the listed instruction, or to hart 0.
    fn closed_by(self, hart: Option<u64>) -> Self {
        let hart = match (hart, self) {
            (Some(hart), _) => hart,
            (None, Self::Listed { hart, .. }) => hart,
            (None, _) => 0,
        };
        Self::Closed { hart: Some(hart) }
    }

    /// Returns whether an instruction begins a chunk, or completes the listed one.
    fn after_listing(self, hart: Option<u64>, pc: u64, digits: usize) -> ChunkStart {
        match self {
            Self::Listed {
                hart: listed_hart,
                pc: listed,
            } if hart.is_none_or(|hart| hart == listed_hart) && is_same(listed, pc, digits) => {
                ChunkStart::No
            }
            Self::Unknown => ChunkStart::Unknown,
            _ => ChunkStart::Yes,
        }
    }
}

/// Returns whether two addresses are equal in as many bits as a number of digits has: old versions
/// of Spike extend the sign of one of them.
pub(super) fn is_same(listed: u64, pc: u64, digits: usize) -> bool {
    let mask = if digits == 8 {
        u64::from(u32::MAX)
    } else {
        u64::MAX
    };
    listed & mask == pc & mask
}

/// Strips what terminals and interactive sessions add at the front of a line.
#[inline]
pub(super) fn plain(line: &[u8]) -> &[u8] {
    if line.first().is_none_or(u8::is_ascii_alphanumeric) {
        return line;
    }
    let mut line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    loop {
        line = match line {
            [b'(', b's', ..] if line.starts_with(b"(spike) ") => line.get(8..).unwrap_or_default(),
            [0x1b, b'[', rest @ ..] => {
                let length = rest.iter().position(u8::is_ascii_alphabetic);
                length
                    .and_then(|length| rest.get(length + 1..))
                    .unwrap_or_default()
            }
            _ => return line,
        }
    }
}

impl<'a> CommitLine<'a> {
    /// Recognises a line of a text in a dialect.
    pub fn of(line: &'a [u8], dialect: Dialect) -> Self {
        let line = plain(line);
        match dialect {
            Dialect::Commits => Self::of_commits(line),
            Dialect::Ibex | Dialect::Cv32 => table_line(line),
            Dialect::Whisper => whisper_line(line),
            Dialect::WhisperCsv => csv_line(line),
            Dialect::Sail => sail_line(line),
            Dialect::Rvls => rvls_line(line),
        }
    }

    #[inline]
    fn of_commits(line: &'a [u8]) -> Self {
        let found = match line.first() {
            Some(b'c') => quick_core(line).or_else(|| of_core(line)),
            Some(b'0'..=b'9') => bare_commit(line),
            Some(b'x' | b'f') if is_late(line) => Some(Self::Late(line)),
            Some(b'h') if line.starts_with(b"hartid=") => trap_of_dromajo(line),
            Some(b'C') if line.starts_with(b"Cosim") => Some(Self::Nothing),
            Some(b'C') => cycle_line(line),
            Some(b' ' | b'A'..=b'Z') => trap_of_cva6(line),
            Some(_) => None,
            None => Some(Self::Nothing),
        };
        found.unwrap_or_else(|| {
            if is_blank(line) {
                Self::Nothing
            } else {
                Self::Foreign(line)
            }
        })
    }
}

/// Returns the offset of a second record `core N: …` on a line, where a newline is missing. Other
/// text has no hart number.
pub(super) fn second_record(line: &[u8]) -> Option<usize> {
    let start = line.len() - plain(line).len() + 1;
    // Each record has a colon after its hart; that of the first is often the ninth byte.
    let first = if line.get(8) == Some(&b':') { 9 } else { 0 };
    memchr::memchr(b':', line.get(first..)?)?;
    let mut places = RECORD.find_iter(line.get(start..)?);
    places.find_map(|place| {
        let found = of_core(line.get(start + place..)?)?;
        let is_record = !matches!(found, CommitLine::Nothing | CommitLine::Damaged { .. });
        is_record.then_some(start + place)
    })
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Lines in the form of Spike for harts up to 9, which most lines have: `core   0: 0x80000000
/// (0x00000297) …` and `core   0: 3 0x80000000 (0x00000297) …`. [`of_core`] reads them too.
#[inline]
fn quick_core(line: &[u8]) -> Option<CommitLine<'_>> {
    let [
        b'c',
        b'o',
        b'r',
        b'e',
        b' ',
        b' ',
        b' ',
        hart,
        b':',
        b' ',
        rest @ ..,
    ] = line
    else {
        return None;
    };
    let hart = u64::from(hart.is_ascii_digit().then_some(hart & 15)?);
    let (mode, site) = match rest {
        [b'0', b'x', site @ ..] => (None, site),
        [mode @ b'0'..=b'9', b' ', b'0', b'x', site @ ..] => (Some(mode & 15), site),
        _ => return None,
    };
    let pc_digits = if site.get(8) == Some(&b' ') { 8 } else { 16 };
    let (digits, rest) = site.split_at_checked(pc_digits)?;
    let pc = hex(digits)?;
    let [b' ', b'(', b'0', b'x', rest @ ..] = rest else {
        return None;
    };
    let opcode_digits = if rest.get(8) == Some(&b')') { 8 } else { 4 };
    let (opcode, rest) = rest.split_at_checked(opcode_digits)?;
    let (b')', rest) = rest.split_first()? else {
        return None;
    };
    hex(opcode)?;
    let at = line.len() - rest.len();
    Some(match mode {
        None => {
            let mut words = Words::starting_at(line, at);
            words.skip_blanks();
            CommitLine::Listing(Listing {
                hart,
                pc,
                pc_digits,
                opcode,
                text: words.rest().trim_ascii_end(),
                is_interrupt: false,
            })
        }
        Some(mode) => CommitLine::Commit(Commit {
            hart: Some(hart),
            mode,
            pc,
            pc_digits,
            opcode,
            items: Words::starting_at(line, at),
        }),
    })
}

/// Lines that begin with `core N:`.
#[inline]
fn of_core(line: &[u8]) -> Option<CommitLine<'_>> {
    let mut words = Words::new(line);
    if !words.take(b"core") {
        return None;
    }
    words.skip_blanks();
    let is_interrupt = words.take(b"INTERRUPT");
    let hart = words.decimal()?;
    if !words.take(b":") {
        return None;
    }
    let before_blanks = words;
    words.skip_blanks();
    let rest = words.rest();
    match *rest {
        [mode @ b'0'..=b'9', b' ', ..] => {
            words.take(rest.get(..2)?);
            let found = commit(words, Some(hart), mode - b'0');
            found.or(Some(CommitLine::Damaged { hart, text: line }))
        }
        [b'0', b'x', ..] => listing(words, hart).map(|listing| {
            CommitLine::Listing(Listing {
                is_interrupt,
                ..listing
            })
        }),
        [b'>', ..] => Some(CommitLine::Nothing),
        _ if rest.starts_with(b"Executed ") => Some(CommitLine::Nothing),
        _ if rest.starts_with(b"exception ") => {
            let head = rest.get(..TRAP_NAME).unwrap_or(rest);
            let digits = memchr::memmem::find(head, b"epc 0x")
                .and_then(|at| rest.get(at + 4..))
                .and_then(|epc| Words::new(epc).prefixed_digits());
            Some(CommitLine::Trap {
                hart: Some(hart),
                pc: digits.and_then(hex),
                digits: digits.map_or(0, <[u8]>::len),
                text: rest,
                is_step: false,
            })
        }
        _ if rest.starts_with(b"tval ") && before_blanks.rest().len() > rest.len() => {
            Some(CommitLine::TrapValue { hart, text: rest })
        }
        _ => None,
    }
}

/// The address and the opcode in parentheses of any line: `0x… (0x…)`, or `(0x…|0x…)`.
#[inline]
fn site<'a>(words: &mut Words<'a>) -> Option<(&'a [u8], &'a [u8])> {
    words.skip_blanks();
    let pc = words.prefixed_digits()?;
    if !words.take(b" (") {
        return None;
    }
    let short = words.prefixed_digits()?;
    // CVA6 and BOOM print the 16-bit form too, which the low bits tell from the whole one.
    let long = words.take(b"|").then(|| {
        let prefixed = words.prefixed_digits();
        prefixed.or_else(|| words.digits())
    });
    if !words.take(b")") {
        return None;
    }
    Some((pc, long.flatten().unwrap_or(short)))
}

#[inline]
fn listing<'a>(mut words: Words<'a>, hart: u64) -> Option<Listing<'a>> {
    let (pc, opcode) = site(&mut words)?;
    words.skip_blanks();
    Some(Listing {
        hart,
        pc: hex(pc)?,
        pc_digits: pc.len(),
        opcode,
        text: words.rest().trim_ascii_end(),
        is_interrupt: false,
    })
}

#[inline]
fn commit<'a>(mut words: Words<'a>, hart: Option<u64>, mode: u8) -> Option<CommitLine<'a>> {
    let (pc, opcode) = site(&mut words)?;
    Some(CommitLine::Commit(Commit {
        hart,
        mode,
        pc: hex(pc)?,
        pc_digits: pc.len(),
        opcode,
        items: words,
    }))
}

/// `3 0x… (0x…) x 5 0x…` of many cores, and `0 3 0x… (0x…)` with the hart in front of Dromajo.
fn bare_commit(line: &[u8]) -> Option<CommitLine<'_>> {
    let mut words = Words::new(line);
    let first = words.decimal()?;
    if let Some(b"Cosim:") = words.clone().word() {
        return Some(CommitLine::Nothing);
    }
    if !words.take(b" ") {
        return None;
    }
    if words.rest().starts_with(b"0x") {
        let mode = u8::try_from(first).ok().filter(|mode| *mode < 8)?;
        return commit(words, None, mode);
    }
    let mode = words.decimal().and_then(|mode| u8::try_from(mode).ok());
    commit(words, Some(first), mode.filter(|mode| *mode < 8)?)
}

/// `x 5 p 5 0x…`.
fn is_late(line: &[u8]) -> bool {
    let mut words = Words::new(line.get(1..).unwrap_or_default());
    words.decimal().is_some()
        && words.word().is_some_and(|word| word.starts_with(b"p"))
        && memchr::memmem::find(line, b" 0x").is_some()
}

/// `hartid=0: exception interrupt #7, epc 0x…`.
fn trap_of_dromajo(line: &[u8]) -> Option<CommitLine<'_>> {
    let mut words = Words::new(line);
    words.take(b"hartid=");
    let hart = words.decimal();
    words.until(b':')?;
    words.skip_blanks();
    let text = words.rest();
    text.starts_with(b"exception ").then_some(CommitLine::Trap {
        hart,
        pc: None,
        digits: 0,
        text,
        is_step: false,
    })
}

/// `ILLEGAL_INSTR exception @ 0x… (0x…|0x…)`.
fn trap_of_cva6(line: &[u8]) -> Option<CommitLine<'_>> {
    let at = memchr::memmem::find(line, b"exception @ 0x")?;
    let mut words = Words::new(line.get(at + b"exception @ ".len()..)?);
    let (pc, _) = site(&mut words)?;
    Some(CommitLine::Trap {
        hart: None,
        pc: Some(hex(pc)?),
        digits: pc.len(),
        text: line.trim_ascii(),
        is_step: true,
    })
}

/// `C0: 1234 [1] pc=[…] W[r 5=…][1] R[…] R[…] inst=[…] DASM(…)` of old Rocket cores.
fn cycle_line(line: &[u8]) -> Option<CommitLine<'_>> {
    let mut words = Words::new(line.strip_prefix(b"C")?);
    words.decimal()?;
    if !words.take(b":") {
        return None;
    }
    words.decimal()?;
    words.skip_blanks();
    let is_valid = words.take(b"[1] pc=[");
    if !is_valid {
        return words.take(b"[0] pc=[").then_some(CommitLine::Nothing);
    }
    is_hex(words.until(b']')?).then_some(CommitLine::Row(Row {
        line,
        is_last: true,
        is_continuation: false,
    }))
}

/// A row of a table of an Ibex or CV32E40P core.
fn table_line(line: &[u8]) -> CommitLine<'_> {
    let mut words = Words::new(line);
    let mut is_row = words.word().is_some_and(|time| decimal(time).is_some());
    let mut column = words.word();
    if column.is_some_and(|unit| matches!(unit, b"ns" | b"ps" | b"us" | b"fs")) {
        column = words.word();
    }
    is_row &= column.is_some_and(|cycle| decimal(cycle).is_some());
    is_row &= words.word().is_some_and(|pc| pc.len() == 8 && is_hex(pc));
    is_row &= words.word().is_some_and(is_hex);
    match () {
        () if is_row => CommitLine::Row(Row {
            line,
            is_last: true,
            is_continuation: false,
        }),
        () if is_blank(line) || line.trim_ascii_start().starts_with(b"Time") => CommitLine::Nothing,
        () => CommitLine::Foreign(line),
    }
}

/// `#1 0  M 00001000 00000297 r 05         00001000  auipc …`.
fn whisper_line(line: &[u8]) -> CommitLine<'_> {
    let mut words = Words::new(line);
    let is_row = words.take(b"#")
        && words.decimal().is_some()
        && words.decimal().is_some()
        && words
            .word()
            .is_some_and(|mode| mode.iter().all(u8::is_ascii_uppercase))
        && words
            .word()
            .is_some_and(|pc| (8..=16).contains(&pc.len()) && is_hex(pc))
        && words.word().is_some_and(is_hex);
    match () {
        () if is_row => CommitLine::Row(Row {
            line,
            is_last: !line.trim_ascii_end().ends_with(b"  +"),
            is_continuation: false,
        }),
        () if is_blank(line) => CommitLine::Nothing,
        () => CommitLine::Foreign(line),
    }
}

/// `1000,297,x5=1000,,,,m,,illegal,0`.
fn csv_line(line: &[u8]) -> CommitLine<'_> {
    let mut fields = line.split(|byte| *byte == b',');
    let is_row = fields.next().is_some_and(is_hex)
        && fields.next().is_some_and(is_hex)
        && fields
            .nth(7)
            .map(<[u8]>::trim_ascii)
            .and_then(decimal)
            .is_some();
    match () {
        () if is_row => CommitLine::Row(Row {
            line,
            is_last: true,
            is_continuation: false,
        }),
        () if is_blank(line) || line.starts_with(b"pc, inst") => CommitLine::Nothing,
        () => CommitLine::Foreign(line),
    }
}

/// `[0] [M]: 0x… (0x…) text`, and the lines before and after it.
fn sail_line(line: &[u8]) -> CommitLine<'_> {
    if line.starts_with(b"mem[X,") {
        return CommitLine::Fetch;
    }
    let is_row = || {
        let mut words = Words::new(line);
        words.take(b"[")
            && words.decimal().is_some()
            && words.take(b"] [")
            && words.until(b']').is_some_and(|mode| mode.len() <= 2)
            && words.take(b": ")
            && site(&mut words).is_some_and(|(pc, _)| hex(pc).is_some())
    };
    let is_effect = || {
        [&b"mem["[..], b"CSR ", b"trapping ", b"handling "]
            .iter()
            .any(|start| line.starts_with(start))
            || is_register_line(line)
    };
    match () {
        () if is_row() => CommitLine::Row(Row {
            line,
            is_last: true,
            is_continuation: false,
        }),
        () if is_effect() => CommitLine::Effect(line),
        () if is_blank(line) || is_noise_of_sail(line) => CommitLine::Nothing,
        () => CommitLine::Foreign(line),
    }
}

fn is_register_line(line: &[u8]) -> bool {
    matches!(line, [b'x' | b'f' | b'v', b'0'..=b'9', ..])
        && memchr::memmem::find(line, b" <-").is_some()
}

/// Lines of the model about devices and translations.
fn is_noise_of_sail(line: &[u8]) -> bool {
    ["clint", "htif", "tick", "TLB", "SUCCESS", "mem"]
        .iter()
        .any(|start| line.starts_with(start.as_bytes()))
}

/// `rv commit HART PC` ends a step; the other lines belong to it.
fn rvls_line(line: &[u8]) -> CommitLine<'_> {
    let row = |is_last, is_continuation| {
        CommitLine::Row(Row {
            line,
            is_last,
            is_continuation,
        })
    };
    let mut words = Words::new(line);
    if words.word() != Some(b"rv") {
        return if is_blank(line) || line.starts_with(b"memview ") || line.starts_with(b"elf ") {
            CommitLine::Nothing
        } else {
            CommitLine::Foreign(line)
        };
    }
    match words.word() {
        Some(b"commit") => row(true, false),
        Some(b"trap") => row(true, true),
        Some(b"rf" | b"load" | b"store") => row(false, false),
        _ => CommitLine::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: [&str; 6] = [
        "core   0: 0x80000000 (0x00000297) auipc   t0, 0x0",
        "core   1: 3 0x80000000 (0x00000297) x5  0x80000000",
        "core   2: 0x0000000080000004 (0x8082) ret",
        "core   3: 0 0x0000000080000004 (0x8082)",
        "core   4: 3 0x0000000080000008 (0x00053283) x5  0x0000000000000001 mem 0x0000000080001000",
        "core   5:   0x80000000 (0x00000297)",
    ];

    #[test]
    fn most_lines_are_read_quickly() {
        let quick = LINES.map(|line| quick_core(line.as_bytes()).is_some());
        assert_eq!(quick, [true, true, true, true, true, false]);
    }

    proptest! {
        #[test]
        fn a_quick_reading_equals_the_general_one(
            number in 0..LINES.len(),
            place in any::<prop::sample::Index>(),
            byte in prop::sample::select(&b"0123456789abcdefgx:() \t"[..]),
            length in any::<prop::sample::Index>(),
        ) {
            let mut line = LINES[number].as_bytes().to_vec();
            let place = place.index(line.len());
            line[place] = byte;
            for line in [&line[..], &line[..length.index(line.len())]] {
                if let Some(quick) = quick_core(line) {
                    prop_assert_eq!(format!("{quick:?}"), format!("{:?}", of_core(line).unwrap()));
                }
            }
        }
    }
}

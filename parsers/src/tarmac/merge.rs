//! One text of several: a trace that has a file for each core.
//!
//! Lines are put in the order of their times, and those of equal time in the order of the files.
//! A line without a time stays with the line before it, so diagrams and steps remain whole.
//!
//! ```text
//! core0.log   1 clk IT (1) …      1 clk cpu0 IT (1) …
//!             3 clk IT (2) …      2 clk cpu1 IT (1) …
//! core1.log   2 clk IT (1) …      3 clk cpu0 IT (2) …
//! ```
//!
//! Lines that name no CPU get the name of their file's core, and so do those of files that all name the same one.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::packed::ForwardReader;
use crate::read_at::ReadAt;
use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::line::TarmacLine;
use crate::tarmac::settings::StateField;
use crate::tarmac::source::TarmacOptions;
use crate::text::limits::LINE_LIMIT;
use crate::text::lines::{TextPart, without_return};

/// Text of each file that tells which CPUs it names.
const HEAD: usize = 64 << 10;
/// Text of a file that is held at once.
const BUFFER: usize = 4 * LINE_LIMIT;

/// A file of a trace that has several.
#[derive(Clone)]
pub struct CoreFile {
    /// Its name, which may have the number of the core in it.
    pub name: String,
    /// What it holds, packed or not.
    pub data: Arc<dyn ReadAt>,
}

/// The text of all files of a trace. It can only be read from front to back.
pub struct MergedText {
    files: Vec<CoreFile>,
    /// Bytes of all files.
    length: u64,
    state_field: StateField,
    reading: Mutex<Option<MergeProgress>>,
}

/// How far the text is read.
struct MergeProgress {
    position: u64,
    merge: CoreMerge,
}

impl MergedText {
    /// Merges some files.
    ///
    /// # Errors
    /// A file could not be read.
    pub fn new(files: Vec<CoreFile>, options: TarmacOptions) -> io::Result<Self> {
        let mut length = 0u64;
        for file in &files {
            length = length.saturating_add(file.data.length()?);
        }
        Ok(Self {
            files,
            length,
            state_field: options.state_field(),
            reading: Mutex::default(),
        })
    }
}

impl ReadAt for MergedText {
    /// Bytes of the files: of the text when it is known to be read as far.
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let at_hand = match reading.take() {
            Some(reading) if reading.position == offset => reading,
            _ if offset == 0 => MergeProgress {
                position: 0,
                merge: CoreMerge::new(&self.files, self.state_field)?,
            },
            _ => return Err(io::Error::other("merged text is read from front to back")),
        };
        let MergeProgress { position, merge } = reading.insert(at_hand);
        let count = merge.read(buffer)?;
        *position += count as u64;
        Ok(count)
    }
}

/// The merge at some place of the text.
struct CoreMerge {
    cores: Vec<CoreReader>,
    /// The core whose line was last.
    current: Option<usize>,
    state_field: StateField,
    /// Text that was not read yet, from `start` on.
    out: Vec<u8>,
    start: usize,
}

impl CoreMerge {
    fn new(files: &[CoreFile], state_field: StateField) -> io::Result<Self> {
        let names = core_names(files, state_field)?;
        let open = |(file, name): (&CoreFile, CoreName)| CoreReader::open(file, name, state_field);
        let cores = files
            .iter()
            .zip(names)
            .map(open)
            .collect::<io::Result<_>>()?;
        Ok(Self {
            cores,
            current: None,
            state_field,
            out: Vec::new(),
            start: 0,
        })
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.out.len() - self.start < buffer.len() {
            if self.start > 0 {
                self.out.drain(..self.start);
                self.start = 0;
            }
            let Some(next) = self.next_core() else { break };
            let Some(core) = self.cores.get_mut(next) else {
                break;
            };
            core.write_line(self.state_field, &mut self.out)?;
            self.current = Some(next);
        }
        let ready = self.out.get(self.start..).unwrap_or_default();
        let count = ready.len().min(buffer.len());
        if let (Some(room), Some(text)) = (buffer.get_mut(..count), ready.get(..count)) {
            room.copy_from_slice(text);
        }
        self.start += count;
        Ok(count)
    }

    /// The core of the next line: the one of the line before while its time lasts, else the earliest.
    fn next_core(&self) -> Option<usize> {
        let is_same = |current: &usize| {
            self.cores
                .get(*current)
                .is_some_and(|core| !core.is_over && !core.is_new)
        };
        let earliest = || {
            let left = self
                .cores
                .iter()
                .enumerate()
                .filter(|(_, core)| !core.is_over);
            left.min_by_key(|(_, core)| core.time)
                .map(|(number, _)| number)
        };
        self.current.filter(is_same).or_else(earliest)
    }
}

/// How the lines of a file name their core.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CoreName {
    /// As they are.
    Kept,
    /// By this name, where they name none.
    Added(String),
    /// By this name instead of theirs.
    Replaced(String),
}

/// A file and the line that is next in it.
struct CoreReader {
    forward: ForwardReader,
    name: CoreName,
    buffer: Vec<u8>,
    /// Where the next line starts in the buffer.
    start: usize,
    /// True when the whole file is in the buffer or behind it.
    is_read: bool,
    is_over: bool,
    /// Latest time up to the next line.
    time: u64,
    /// The time of the next line differs from that of the line before.
    is_new: bool,
    /// The time that was written last.
    written: Option<u64>,
    open: Option<OpenDiagram>,
    /// A line named the core already.
    has_named: bool,
}

impl CoreReader {
    fn open(file: &CoreFile, name: CoreName, state_field: StateField) -> io::Result<Self> {
        let mut core = Self {
            forward: ForwardReader::open(Arc::clone(&file.data), 0)?,
            name,
            buffer: Vec::new(),
            start: 0,
            is_read: false,
            is_over: false,
            time: 0,
            is_new: true,
            written: None,
            open: None,
            has_named: false,
        };
        core.look_ahead(state_field)?;
        Ok(core)
    }

    /// Reads more of the file, unless a whole line is there.
    fn fill(&mut self) -> io::Result<()> {
        let has_line = |core: &Self| {
            memchr::memchr(b'\n', core.buffer.get(core.start..).unwrap_or_default()).is_some()
        };
        if self.is_read || has_line(self) {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + BUFFER, 0);
        let count = self
            .forward
            .read(self.buffer.get_mut(length..).unwrap_or_default())?;
        self.buffer.truncate(length + count);
        self.is_read = count < BUFFER;
        Ok(())
    }

    /// The next line without its end, and where the one after it starts. A part of one that is far too long counts as one.
    fn line(&self) -> (&[u8], usize) {
        let part = TextPart {
            text: &self.buffer,
            is_last: true,
        };
        part.line_at(self.start).unwrap_or((&[], self.buffer.len()))
    }

    /// Takes note of the time of the next line.
    fn look_ahead(&mut self, state_field: StateField) -> io::Result<()> {
        self.fill()?;
        self.is_over = self.start >= self.buffer.len();
        let time =
            TarmacLine::read_single(without_return(self.line().0), self.open, state_field).time();
        self.is_new = time.is_some() && time != self.written;
        self.written = time.or(self.written);
        self.time = self.time.max(time.unwrap_or(0));
        Ok(())
    }

    /// Writes the next line, with the name of its core.
    fn write_line(&mut self, state_field: StateField, out: &mut Vec<u8>) -> io::Result<()> {
        let (text, next) = self.line();
        let line = TarmacLine::read_single(without_return(text), self.open, state_field);
        let (before, name, after) = self.named(text, &line);
        let has_named = self.has_named || !name.is_empty();
        let open = line.open_diagram();
        out.extend_from_slice(before);
        out.extend_from_slice(name);
        if !name.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(after);
        out.push(b'\n');
        (self.start, self.open, self.has_named) = (next, open, has_named);
        self.look_ahead(state_field)
    }

    /// A line in three parts, of which the second is the name that it gets; empty where it gets none.
    fn named<'l>(
        &'l self,
        text: &'l [u8],
        line: &TarmacLine<'_>,
    ) -> (&'l [u8], &'l [u8], &'l [u8]) {
        let unchanged = (text, &[][..], &[][..]);
        let (TarmacLine::Instruction(header, _) | TarmacLine::Other(header)) = line else {
            return unchanged;
        };
        let is_step = matches!(line, TarmacLine::Instruction(..));
        let Some((before, after)) = text.split_at_checked(header.word_at) else {
            return unchanged;
        };
        match (&self.name, header.cpu) {
            _ if header.kind == LineKind::Title => unchanged,
            (CoreName::Replaced(name), Some(cpu)) => match memchr::memmem::rfind(before, cpu) {
                Some(place) => (
                    before.get(..place).unwrap_or_default(),
                    name.as_bytes(),
                    after,
                ),
                None => unchanged,
            },
            (CoreName::Added(name) | CoreName::Replaced(name), None)
                if header.time.is_some() || is_step || !self.has_named =>
            {
                (before, name.as_bytes(), after)
            }
            _ => unchanged,
        }
    }
}

/// How the lines of each file name their core.
fn core_names(files: &[CoreFile], state_field: StateField) -> io::Result<Vec<CoreName>> {
    let named = files
        .iter()
        .map(|file| cpus_of(file, state_field))
        .collect::<io::Result<Vec<_>>>()?;
    let numbers = numbers_of(files);
    let is_shared = |place: usize, cpu: &String| {
        named
            .iter()
            .enumerate()
            .any(|(other, cpus)| other != place && cpus.contains(cpu))
    };
    let name = |(place, cpus): (usize, &BTreeSet<String>)| {
        let number = numbers.get(place).copied().unwrap_or(place as u64);
        let name = format!("cpu{number}");
        match cpus.len() {
            0 => CoreName::Added(name),
            1 if cpus.iter().any(|cpu| is_shared(place, cpu)) => CoreName::Replaced(name),
            _ => CoreName::Kept,
        }
    };
    Ok(named.iter().enumerate().map(name).collect())
}

/// The CPUs that the first lines of a file name.
fn cpus_of(file: &CoreFile, state_field: StateField) -> io::Result<BTreeSet<String>> {
    let mut head = vec![0; HEAD];
    let count = ForwardReader::open(Arc::clone(&file.data), 0)?.read(&mut head)?;
    head.truncate(count);
    let lines = head.split(|byte| *byte == b'\n');
    let cpu = |line: &[u8]| match TarmacLine::read_single(without_return(line), None, state_field) {
        TarmacLine::Instruction(LineHeader { cpu, .. }, _)
        | TarmacLine::Other(LineHeader { cpu, .. }) => {
            cpu.map(|cpu| String::from_utf8_lossy(cpu).into_owned())
        }
        _ => None,
    };
    Ok(lines.filter_map(cpu).collect())
}

/// The number of each core: the last in the name of its file, where they differ; else its place.
fn numbers_of(files: &[CoreFile]) -> Vec<u64> {
    let number = |file: &CoreFile| {
        let stem = file.name.split('.').next().unwrap_or_default();
        let numbers = |text: &str| {
            let words: Vec<_> = text
                .split(|letter: char| !letter.is_ascii_digit())
                .collect();
            words
                .into_iter()
                .rev()
                .find(|word| !word.is_empty())
                .and_then(|word| word.parse::<u64>().ok())
        };
        numbers(stem).or_else(|| numbers(&file.name))
    };
    let found: Option<Vec<u64>> = files.iter().map(number).collect();
    let is_usable =
        |numbers: &Vec<u64>| numbers.iter().collect::<BTreeSet<_>>().len() == files.len();
    found
        .filter(is_usable)
        .unwrap_or_else(|| (0..files.len() as u64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &str) {
        let core = |(name, text): &(&str, &str)| CoreFile {
            name: (*name).to_owned(),
            data: Arc::new(text.as_bytes().to_vec()),
        };
        let merged =
            MergedText::new(files.iter().map(core).collect(), TarmacOptions::default()).unwrap();
        for size in [1, 7, 4096] {
            let (mut found, mut buffer) = (Vec::new(), vec![0; size]);
            loop {
                let count = merged.read_at(found.len() as u64, &mut buffer).unwrap();
                if count == 0 {
                    break;
                }
                found.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }

    const NOP: &str = "IT (1) 00001000 e320f000 A svc : NOP";

    #[test]
    fn lines_are_in_the_order_of_their_times() {
        check(
            &[
                (
                    "core0.log",
                    &format!("1 clk {NOP}\n1 clk R r0 00000001\n3 clk {NOP}\n"),
                ),
                (
                    "core1.log",
                    &format!("1 clk {NOP}\r\n  R r0 00000002\r\n2 clk {NOP}"),
                ),
            ],
            &format!(
                "1 clk cpu0 {NOP}\n1 clk cpu0 R r0 00000001\n1 clk cpu1 {NOP}\r\n  R r0 00000002\r\n\
                 2 clk cpu1 {NOP}\n3 clk cpu0 {NOP}\n"
            ),
        );
    }

    #[test]
    fn cores_have_the_names_of_their_lines_or_files() {
        let line = |cpu: &str| format!("1 clk {cpu}{NOP}\n");
        // As they are.
        check(
            &[("a", &line("cpu1 ")), ("b", &line("cpu0 "))],
            &(line("cpu1 ") + &line("cpu0 ")),
        );
        // All the same: then the files tell.
        check(
            &[
                ("tarmac.4.log", &line("cpu0 ")),
                ("tarmac.7.log", &line("cpu0 ")),
            ],
            &(line("cpu4 ") + &line("cpu7 ")),
        );
        check(
            &[("a", &line("")), ("b", &line(""))],
            &(line("cpu0 ") + &line("cpu1 ")),
        );
        check(
            &[("x9/core3.r1", &line("")), ("x9/core2.r1", &line(""))],
            &(line("cpu3 ") + &line("cpu2 ")),
        );
    }

    #[test]
    fn diagrams_and_steps_remain_whole() {
        let es = "Tarmac Text Rev 3t\n5 tic ES (00001000:e320f000) A svc: NOP\n          ES (00001004:e320f000) A svc: NOP\n\
                  \x20         ST 00002000  ........ ........ ........ ......11\n\
                  \x20            00002010  ........ ........ ........ ......22\n";
        let expected = "Tarmac Text Rev 3t\n1 clk cpu0 IT (1) 00001000 e320f000 A svc : NOP\n\
                        5 tic cpu1 ES (00001000:e320f000) A svc: NOP\n          cpu1 ES (00001004:e320f000) A svc: NOP\n\
                        \x20         ST 00002000  ........ ........ ........ ......11\n\
                        \x20            00002010  ........ ........ ........ ......22\n\
                        6 clk cpu0 IT (1) 00001000 e320f000 A svc : NOP\n";
        check(
            &[("0", &format!("1 clk {NOP}\n6 clk {NOP}\n")), ("1", es)],
            expected,
        );
    }
}

//! Merges the files of a trace that has one for each core into one text.
//!
//! Lines are sorted by time, and those of equal time by the order of the files. A line without a
//! time stays with the line before it, so diagrams and steps remain whole.
//!
//! ```text
//! core0.log   1 clk IT (1) …      1 clk cpu0 IT (1) …
//!             3 clk IT (2) …      2 clk cpu1 IT (1) …
//! core1.log   2 clk IT (1) …      3 clk cpu0 IT (2) …
//! ```
//!
//! Lines that name no CPU get the name of their file's core. So do the lines of files that name the
//! same CPU as another file.

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
use crate::text::window::{LINE_LIMIT, TextPart, without_return};

/// Length of the text of each file that is searched for CPU names, in bytes.
const HEAD: usize = 64 << 10;
/// Length of the text of a file that is read at once, in bytes.
const BUFFER: usize = 4 * LINE_LIMIT;

/// One of the files of a trace.
#[derive(Clone)]
pub struct CoreFile {
    /// Name, which may contain the number of the core.
    pub name: String,
    /// Contents, possibly compressed.
    pub data: Arc<dyn ReadAt>,
}

/// Merged text of all files of a trace. It can only be read from front to back.
pub struct MergedText {
    files: Vec<CoreFile>,
    /// Total length of the files in bytes.
    length: u64,
    state_field: StateField,
    reading: Mutex<Option<MergeProgress>>,
}

/// Reader at some position of the text.
struct MergeProgress {
    position: u64,
    merge: CoreMerge,
}

impl MergedText {
    /// Merges files.
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
    /// Returns the total length of the files. The length of the text may differ, because CPU names
    /// are added or replaced.
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

/// State of a merge.
struct CoreMerge {
    cores: Vec<CoreReader>,
    /// Core of the last line.
    current: Option<usize>,
    state_field: StateField,
    /// Merged text; the part from `start` on was not read yet.
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

    /// Returns the core of the next line: that of the line before while its time lasts, else the
    /// one with the earliest time.
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

/// Treatment of the CPU names on the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CoreName {
    /// They remain.
    Kept,
    /// Lines without a name get this one.
    Added(String),
    /// This name replaces the one on the lines.
    Replaced(String),
}

/// A file with its next line.
struct CoreReader {
    forward: ForwardReader,
    name: CoreName,
    buffer: Vec<u8>,
    /// Start of the next line in the buffer.
    start: usize,
    /// True if the file was read to its end.
    is_read: bool,
    is_over: bool,
    /// Latest time up to and including the next line.
    time: u64,
    /// True if the time of the next line differs from that of the line before.
    is_new: bool,
    /// Last timestamp on a line.
    written: Option<u64>,
    open: Option<OpenDiagram>,
    /// True if an earlier line named the core.
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

    /// Reads more of the file, unless the buffer contains a whole line.
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

    /// Returns the next line without its end, and the start of the one after it. A part of an
    /// overlong line counts as a line.
    fn line(&self) -> (&[u8], usize) {
        let part = TextPart {
            text: &self.buffer,
            is_last: true,
        };
        part.line_at(self.start).unwrap_or((&[], self.buffer.len()))
    }

    /// Notes the time of the next line.
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

    /// Writes the next line with the name of its core.
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

    /// Splits a line into the text before its CPU name, the name that it gets, and the text after
    /// it. The name is empty if the line remains unchanged.
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

/// Determines the treatment of CPU names in each file.
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

/// Returns the CPUs that the first lines of a file name.
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

/// Returns the number of each core: the last number in its file's name if these numbers differ,
/// else its index.
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
        // The names remain.
        check(
            &[("a", &line("cpu1 ")), ("b", &line("cpu0 "))],
            &(line("cpu1 ") + &line("cpu0 ")),
        );
        // All lines name the same CPU, so the file names decide.
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

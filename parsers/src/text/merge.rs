//! Merges the files of a trace that has one for each core into one text ([`MergedText`]).
//!
//! Lines are sorted by time, and those of equal time by the order of the files. A line without a
//! time stays with the line before it, so steps remain whole. How the times are found and how a
//! line shows its core depends on the format ([`CoreLines`]).

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::SourceError;
use crate::packed::ForwardReader;
use crate::read_at::{ReadAt, TraceFile};
use crate::text::window::{LINE_LIMIT, TextPart, without_return};

/// Length of the text of a file that is read at once, in bytes.
const BUFFER: usize = 4 * LINE_LIMIT;
/// Length of the text of each file that is searched for names of cores, in bytes.
const HEAD: usize = 64 << 10;

/// The lines of one core's file, from front to back.
pub(crate) trait CoreLines: Send {
    /// Returns the time of the next line, without its line end; `None` if it has none.
    fn time(&mut self, line: &[u8]) -> Option<u64>;

    /// Appends the line whose time was returned last, with a carriage return if it ends in one, so
    /// that it shows its core. The newline is not part of it.
    fn write(&mut self, line: &[u8], out: &mut Vec<u8>);
}

/// Creates the readers of the files of a trace, in their order.
pub(crate) type CoreReaders =
    dyn Fn(&[TraceFile]) -> Result<Vec<Box<dyn CoreLines>>, SourceError> + Send + Sync;

/// Merged text of all files of a trace. It can only be read from front to back.
pub struct MergedText {
    files: Vec<TraceFile>,
    /// Total length of the files in bytes.
    length: u64,
    readers: Box<CoreReaders>,
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
    /// A file could not be read, or its lines have no times.
    pub(crate) fn new(
        files: Vec<TraceFile>,
        readers: Box<CoreReaders>,
    ) -> Result<Self, SourceError> {
        readers(&files)?;
        let mut length = 0u64;
        for file in &files {
            let bytes = file.data.length();
            let bytes = bytes.map_err(|error| SourceError::Read { offset: 0, error })?;
            length = length.saturating_add(bytes);
        }
        Ok(Self {
            files,
            length,
            readers,
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
                merge: CoreMerge::new(&self.files, &self.readers)?,
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
    /// Merged text; the part from `start` on was not read yet.
    out: Vec<u8>,
    start: usize,
}

impl CoreMerge {
    fn new(files: &[TraceFile], readers: &CoreReaders) -> io::Result<Self> {
        let lines = readers(files).map_err(io::Error::other)?;
        let cores = files
            .iter()
            .zip(lines)
            .map(|(file, lines)| CoreReader::open(file, lines));
        Ok(Self {
            cores: cores.collect::<io::Result<_>>()?,
            current: None,
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
            core.write_line(&mut self.out)?;
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

/// A file with its next line.
struct CoreReader {
    forward: ForwardReader,
    lines: Box<dyn CoreLines>,
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
}

impl CoreReader {
    fn open(file: &TraceFile, lines: Box<dyn CoreLines>) -> io::Result<Self> {
        let mut core = Self {
            forward: ForwardReader::open(Arc::clone(&file.data), 0)?,
            lines,
            buffer: Vec::new(),
            start: 0,
            is_read: false,
            is_over: false,
            time: 0,
            is_new: true,
            written: None,
        };
        core.look_ahead()?;
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

    /// Notes the time of the next line.
    fn look_ahead(&mut self) -> io::Result<()> {
        self.fill()?;
        self.is_over = self.start >= self.buffer.len();
        let (line, _) = line_at(&self.buffer, self.start);
        let time = self.lines.time(without_return(line));
        self.is_new = time.is_some() && time != self.written;
        self.written = time.or(self.written);
        self.time = self.time.max(time.unwrap_or(0));
        Ok(())
    }

    /// Writes the next line.
    fn write_line(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let (line, next) = line_at(&self.buffer, self.start);
        self.lines.write(line, out);
        out.push(b'\n');
        self.start = next;
        self.look_ahead()
    }
}

/// Returns a line without its end, and the start of the one after it. A part of an overlong line
/// counts as a line.
fn line_at(text: &[u8], start: usize) -> (&[u8], usize) {
    let part = TextPart {
        text,
        is_last: true,
    };
    part.line_at(start).unwrap_or((&[], text.len()))
}

/// Returns the first bytes of a file.
pub(crate) fn head_of_core(file: &TraceFile) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let count = ForwardReader::open(Arc::clone(&file.data), 0)?.read(&mut head)?;
    head.truncate(count);
    Ok(head)
}

/// Returns the number of each core: the last number in its file's name if these numbers differ,
/// else its index.
pub(crate) fn numbers_of(files: &[TraceFile]) -> Vec<u64> {
    let number = |file: &TraceFile| {
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

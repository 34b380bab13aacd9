//! Text logs with one file for each core, merged into one text
//! ([`MergedText`](crate::text::MergedText)).
//!
//! If the lines do not say which core they belong to, each line of the merged text begins with a
//! name:
//!
//! ```text
//! trace_core_00_0.log   130 ns 13 …      hart0| 130 ns 13 …
//!                       150 ns 15 …      hart1| 140 ns 14 …
//! trace_core_00_1.log   140 ns 14 …      hart0| 150 ns 15 …
//! ```

use std::collections::BTreeSet;

use crate::error::{FormatError, SourceError};
use crate::read_at::TraceFile;
use crate::text::merge::{CoreLines, head_of_core, numbers_of};
use crate::text::window::lines_of;
use crate::text_log::format::{ChunkStart, LogFormat, LogHead, LogOptions};
use crate::text_log::step::LoggedStep;

/// End of the name of a core at the beginning of a line.
const NAME_END: &[u8] = b"| ";
/// Maximum length of the name of a core.
const NAME_BYTES: usize = 64;

/// Splits a line of a merged text into the name of its core and the line of the core's file.
pub(super) fn split_core(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let head = line.get(..NAME_BYTES + NAME_END.len()).unwrap_or(line);
    let length = memchr::memmem::find(head, NAME_END)?;
    let (name, rest) = line.split_at_checked(length)?;
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric);
    Some((name, rest.strip_prefix(NAME_END)?)).filter(|_| is_name)
}

/// Returns the lines of one core, or of all, without the names of their cores.
pub(super) fn lines_of_core(text: &[u8], core: Option<&[u8]>) -> Vec<u8> {
    let lines = lines_of(text).filter_map(|line| split_core(line));
    let own = lines.filter(|(name, _)| core.is_none_or(|core| core == *name));
    own.flat_map(|(_, line)| [line, b"\n"])
        .flatten()
        .copied()
        .collect()
}

/// Creates the readers of a trace of several files.
///
/// # Errors
/// A file could not be read, or its lines have no times.
pub(crate) fn core_readers<F: LogFormat>(
    files: &[TraceFile],
    options: &LogOptions,
) -> Result<Vec<Box<dyn CoreLines>>, SourceError> {
    let mut cores = Vec::new();
    for file in files {
        cores.push(Core::<F>::of(file, options)?);
    }
    let is_shared = |place: usize, core: &Core<F>| {
        let mut others = cores
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        others.any(|(_, other)| !core.threads.is_disjoint(&other.threads))
    };
    let are_named = !cores
        .iter()
        .enumerate()
        .any(|(place, core)| is_shared(place, core));
    let readers = cores
        .into_iter()
        .zip(numbers_of(files))
        .map(|(core, number)| {
            let name = (!are_named).then(|| core.name(number));
            Box::new(core.into_lines(name)) as Box<dyn CoreLines>
        });
    Ok(readers.collect())
}

/// Beginning of the file of a core.
struct Core<F: LogFormat> {
    format: F,
    /// Threads that its first lines name.
    threads: BTreeSet<Vec<u8>>,
}

impl<F: LogFormat> Core<F> {
    fn of(file: &TraceFile, options: &LogOptions) -> Result<Self, SourceError> {
        let text = head_of_core(file).map_err(|error| SourceError::Read { offset: 0, error })?;
        let head = LogHead {
            text: &text,
            options,
        };
        let mut lines = Self {
            format: F::of_head(&head),
            threads: BTreeSet::new(),
        }
        .into_lines(None);
        let (mut threads, mut has_times) = (BTreeSet::new(), false);
        for line in head.lines() {
            has_times |= lines.time(line).is_some();
            if lines.step.is_announced() {
                threads.insert(lines.step.thread.clone());
            }
        }
        if !has_times {
            return Err(FormatError::NoTimes.into());
        }
        Ok(Self {
            format: lines.format,
            threads,
        })
    }

    /// Returns the name of the core with a number, of the same kind as those in the file.
    fn name(&self, number: u64) -> Vec<u8> {
        let kind = self.threads.first().map_or(&b""[..], |thread| {
            let digits = thread.iter().rev().take_while(|byte| byte.is_ascii_digit());
            thread
                .get(..thread.len() - digits.count())
                .unwrap_or_default()
        });
        let is_kind = !kind.is_empty() && kind.iter().all(u8::is_ascii_alphanumeric);
        let kind = if is_kind { kind } else { b"cpu" };
        [kind, number.to_string().as_bytes()].concat()
    }

    fn into_lines(self, name: Option<Vec<u8>>) -> LogLines<F> {
        LogLines {
            format: self.format,
            state: F::AT_START,
            step: LoggedStep::default(),
            name,
        }
    }
}

/// The lines of a file.
struct LogLines<F: LogFormat> {
    format: F,
    state: F::ChunkState,
    /// Step of the last line that began a chunk, without the chunk's other lines.
    step: LoggedStep,
    /// Name of the core, if the lines do not show it.
    name: Option<Vec<u8>>,
}

impl<F: LogFormat> CoreLines for LogLines<F> {
    fn time(&mut self, line: &[u8]) -> Option<u64> {
        self.step.begin(0);
        let parsed = self.format.read(line);
        match self.format.chunk_start(&parsed, &mut self.state) {
            ChunkStart::Yes | ChunkStart::Apart => {
                self.format.add(&parsed, &mut self.step);
                self.step.time
            }
            ChunkStart::No | ChunkStart::Unknown => None,
        }
    }

    fn write(&mut self, line: &[u8], out: &mut Vec<u8>) {
        if let Some(name) = &self.name {
            out.extend_from_slice(name);
            out.extend_from_slice(NAME_END);
        }
        out.extend_from_slice(line);
    }
}

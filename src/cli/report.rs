//! Destination and form of an answer ([`Report`]). If the index turns out to be damaged, the query
//! is repeated, and [`ResumableOutput`] skips the part that was printed before. A file appears when
//! it is complete ([`Destination`]). A server receives the same JSON values one by one
//! ([`AnswerItem`]).

use std::fs::Metadata;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::{Serialize, Serializer as _};
use serde_json::Value as Json;
use stepback_debugger::messages::system_words;
use stepback_debugger::new_file::NewFile;
use stepback_debugger::session::{Session, is_same_file};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;
use xxhash_rust::xxh3::Xxh3;

use crate::cli::error::CommandError;
use crate::cli::interrupt::remove_files_on_signals;
use crate::cli::options::ReportOptions;
use crate::cli::progress::say;
use crate::cli::text::size_text;

/// Writes the answer to one query about one trace.
pub struct Report<'a> {
    /// The trace.
    pub session: &'a Session,
    /// Never cancelled on the command line, where an interrupt ends the program.
    pub cancel: Cancel,
    /// Progress of the answer, for the meter.
    pub progress: &'a BuildProgress,
    /// Print JSON.
    pub is_json: bool,
    /// Print more in text output.
    pub is_verbose: bool,
    /// Print only the answer.
    pub is_quiet: bool,
    out: ReportOutput<'a>,
}

/// A part of an answer that is collected instead of printed.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerItem {
    /// A JSON value: the whole answer, or a line of it.
    Value(Json),
    /// A remark about the answer.
    Note(String),
}

/// Receives the parts of an answer. An error ends the query.
pub type ItemSink<'a> = &'a dyn Fn(AnswerItem) -> Result<()>;

/// Destination of a report.
enum ReportOutput<'a> {
    Printed(&'a mut ResumableOutput<Destination>),
    Collected(ItemSink<'a>),
}

impl<'a> Report<'a> {
    /// Creates a report that continues an output.
    pub fn new(
        session: &'a Session,
        options: &ReportOptions,
        progress: &'a BuildProgress,
        out: &'a mut ResumableOutput<Destination>,
    ) -> Self {
        Self {
            session,
            cancel: Cancel::default(),
            progress,
            is_json: options.json,
            is_verbose: options.verbose,
            is_quiet: options.quiet,
            out: ReportOutput::Printed(out),
        }
    }

    /// Creates a report whose JSON values and notes go to a sink. Text is dropped.
    pub fn collected(
        session: &'a Session,
        cancel: Cancel,
        progress: &'a BuildProgress,
        sink: ItemSink<'a>,
    ) -> Self {
        Self {
            session,
            cancel,
            progress,
            is_json: true,
            is_verbose: false,
            is_quiet: true,
            out: ReportOutput::Collected(sink),
        }
    }

    /// Prints a note that calls are unknown if the trace omits instructions.
    pub fn note_unknown_calls(&self) {
        if self.session.lacks_steps {
            self.note("the trace leaves out instructions, so which calls were made is not known");
        }
    }

    /// Prints a note on standard error, unless only the answer is wanted. A sink receives all notes.
    pub fn note(&self, text: &str) {
        match &self.out {
            // A sink that wants no more values wants no more notes either.
            ReportOutput::Collected(sink) => drop(sink(AnswerItem::Note(text.to_owned()))),
            ReportOutput::Printed(_) if self.is_quiet => {}
            ReportOutput::Printed(_) => say(&format!("note: {text}")),
        }
    }

    /// Returns true if values are printed as text.
    pub fn is_printed(&self) -> bool {
        matches!(self.out, ReportOutput::Printed(_))
    }

    /// Writes one JSON value on a separate line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        match &mut self.out {
            ReportOutput::Collected(sink) => sink(AnswerItem::Value(serde_json::to_value(value)?)),
            ReportOutput::Printed(out) => {
                let written = serde_json::to_writer(&mut **out, value).map_err(io::Error::from);
                out.checked(written)?;
                self.text("\n")
            }
        }
    }

    /// Writes one JSON array on a separate line. Its elements are produced one at a time.
    pub fn json_array<T: Serialize>(&mut self, elements: impl Iterator<Item = T>) -> Result<()> {
        match &mut self.out {
            ReportOutput::Collected(sink) => {
                let values: Result<Vec<Json>, _> = elements.map(serde_json::to_value).collect();
                sink(AnswerItem::Value(values?.into()))
            }
            ReportOutput::Printed(out) => {
                let written = serde_json::Serializer::new(&mut **out)
                    .collect_seq(elements)
                    .map_err(io::Error::from);
                out.checked(written)?;
                self.text("\n")
            }
        }
    }

    /// Writes text unchanged.
    pub fn text(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.out {
            ReportOutput::Collected(_) => Ok(()),
            ReportOutput::Printed(out) => {
                let written = out.write_all(bytes);
                out.checked(written)
            }
        }
    }

    /// Flushes the output. Called after each block, so that answers appear while the search
    /// continues.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.out {
            ReportOutput::Collected(_) => Ok(()),
            ReportOutput::Printed(out) => {
                let written = out.flush();
                out.checked(written)
            }
        }
    }
}

/// Destination of an answer.
#[derive(Debug)]
pub enum Destination {
    /// Standard output.
    StandardOutput(BufWriter<io::Stdout>),
    /// A file and its name for messages.
    File(NewFile, String),
}

impl Destination {
    /// Opens a file, or standard output without a path or for `-`. Refuses to overwrite an input.
    pub fn open<'a>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self> {
        Self::open_by(path, inputs, NewFile::create)
    }

    /// Opens a file that a reader can follow while it grows, or standard output.
    pub fn open_growing<'a>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self> {
        Self::open_by(path, inputs, NewFile::in_place)
    }

    fn open_by<'a>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'a Path>,
        create: fn(&Path) -> io::Result<NewFile>,
    ) -> Result<Self> {
        let Some(path) = named_file(path) else {
            return Ok(Self::standard_output());
        };
        let name = path.display().to_string();
        if inputs.into_iter().any(|input| is_same_file(input, path)) {
            bail!("{name}: this would overwrite the trace or its files; name another file with -o");
        }
        remove_files_on_signals();
        let file = create(path).map_err(|error| {
            anyhow!(
                "{name}: the file could not be created ({})",
                system_words(&error)
            )
        })?;
        Ok(Self::File(file, name))
    }

    /// Opens standard output.
    pub fn standard_output() -> Self {
        Self::StandardOutput(BufWriter::with_capacity(BUFFER_BYTES, io::stdout()))
    }

    /// Returns the error for a failed write.
    pub fn error(&self, error: io::Error) -> anyhow::Error {
        let target = match self {
            Self::StandardOutput(_) => "standard output".to_owned(),
            Self::File(_, name) => name.clone(),
        };
        CommandError::Output { error, target }.into()
    }

    /// Completes the output. A file appears under its name.
    ///
    /// # Errors
    /// The data cannot be written.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::StandardOutput(mut out) => out
                .flush()
                .map_err(|error| Self::StandardOutput(out).error(error)),
            Self::File(file, target) => file
                .finish()
                .map_err(|error| CommandError::Output { error, target }.into()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::StandardOutput(out) => out.write(bytes),
            Self::File(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::StandardOutput(out) => out.flush(),
            Self::File(file, _) => file.flush(),
        }
    }
}

/// Returns the file that an option names. None for standard output, also named `-`.
pub fn named_file(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| path.as_os_str() != "-")
}

/// Prints a line about the trace that was written to a file, unless only the answer is wanted.
/// `content` counts what the file contains: `12 lines`.
pub fn note_written(printing: &ReportOptions, content: &str) {
    let Some(path) = named_file(printing.output.as_deref()) else {
        return;
    };
    let metadata = path.metadata().ok().filter(Metadata::is_file);
    if let Some(metadata) = metadata.filter(|_| !printing.quiet && !printing.json) {
        let size = size_text(metadata.len());
        say(&format!("note: {}: {content}, {size}", path.display()));
    }
}

/// Returns the files that a session reads: the trace, its index and its images.
pub fn inputs_of(session: &Session) -> impl Iterator<Item = &Path> {
    let images = session.images.infos().iter().map(|image| &*image.spec.path);
    let files = session.files().into_iter().flat_map(|files| &files.files);
    [Some(&session.path), session.index_path.as_ref()]
        .into_iter()
        .flatten()
        .chain(files)
        .map(|path| &**path)
        .chain(images)
}

/// Prints text on standard output.
///
/// # Errors
/// The text cannot be written.
pub fn print(text: &str) -> Result<()> {
    let mut out = Destination::standard_output();
    out.write_all(text.as_bytes())
        .map_err(|error| out.error(error))?;
    out.finish()
}

/// Prints one JSON value on standard output.
///
/// # Errors
/// The value cannot be written.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string(value)?))
}

/// Buffer size of the output.
pub const BUFFER_BYTES: usize = 64 << 10;

/// Writer that skips a repeated beginning of an answer.
pub struct ResumableOutput<W: Write> {
    out: BufWriter<W>,
    /// Number of bytes written until now.
    written: u64,
    hash: Box<Xxh3>,
    /// State of the repetition, if the answer has restarted.
    again: Option<RepeatedPrefix>,
}

/// A beginning that was written before and is being repeated.
struct RepeatedPrefix {
    /// Bytes still to be repeated.
    left: u64,
    /// Hash of the beginning as first written.
    expected: u64,
    /// Hash of the bytes repeated until now.
    hash: Box<Xxh3>,
}

impl ResumableOutput<Destination> {
    /// Names the destination in the error of a write.
    fn checked(&self, result: io::Result<()>) -> Result<()> {
        result.map_err(|error| self.out.get_ref().error(error))
    }

    /// Completes the answer. Fails if it ends before the repeated beginning does.
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.check_end().and_then(|()| self.out.flush());
        self.checked(flushed)?;
        // The buffer is empty.
        self.out.into_parts().0.finish()
    }
}

impl<W: Write> ResumableOutput<W> {
    /// Creates an output that has written nothing.
    pub fn new(out: W) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, out),
            written: 0,
            hash: Box::default(),
            again: None,
        }
    }

    /// Restarts the answer. Bytes that were written already are skipped and must be repeated unchanged.
    #[must_use]
    pub fn begun_again(self) -> Self {
        if self.out.buffer().len() as u64 == self.written {
            // The reader has received nothing.
            return Self::new(self.out.into_parts().0);
        }
        let again = RepeatedPrefix {
            left: self.written,
            expected: self.hash.digest(),
            hash: Box::default(),
        };
        Self {
            again: Some(again),
            ..self
        }
    }

    fn check_end(&self) -> io::Result<()> {
        match &self.again {
            Some(again) if again.left > 0 => Err(other_answer("ends sooner")),
            _ => Ok(()),
        }
    }
}

impl RepeatedPrefix {
    /// Consumes repeated bytes and returns their number.
    fn take(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        self.hash.update(bytes.get(..count).unwrap_or_default());
        self.left -= count as u64;
        if self.left == 0 && self.hash.digest() != self.expected {
            return Err(other_answer("begins otherwise"));
        }
        Ok(count)
    }
}

impl<W: Write> Write for ResumableOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(again) = self.again.as_mut().filter(|again| again.left > 0) {
            return again.take(bytes);
        }
        let count = self.out.write(bytes)?;
        self.written += count as u64;
        self.hash.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn other_answer(how: &str) -> io::Error {
    io::Error::other(format!(
        "the damaged file is rebuilt, and the answer {how}: run the command again"
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Reader(Arc<Mutex<Vec<u8>>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(reader: &Reader) -> String {
        String::from_utf8(reader.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn what_a_reader_has_is_not_told_again() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(reader.clone());
        out.write_all(b"one two ").unwrap();
        out.flush().unwrap();
        let mut out = out.begun_again();
        out.write_all(b"one two three").unwrap();
        out.flush().unwrap();
        assert_eq!(read(&reader), "one two three");
    }

    #[test]
    fn what_a_reader_does_not_have_yet_may_change() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(reader.clone());
        out.write_all(b"wrong").unwrap();
        let mut out = out.begun_again();
        out.write_all(b"right").unwrap();
        out.flush().unwrap();
        assert_eq!(read(&reader), "right");
    }

    #[test]
    fn an_answer_that_begins_otherwise_is_an_error() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(reader.clone());
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.begun_again().write_all(b"two three").is_err());
        assert_eq!(read(&reader), "one");
    }

    #[test]
    fn an_answer_that_ends_sooner_is_an_error() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(reader.clone());
        out.write_all(b"one two").unwrap();
        out.flush().unwrap();
        let mut out = out.begun_again();
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.check_end().is_err());
    }
}

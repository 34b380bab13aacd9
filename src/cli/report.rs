//! Destination and form of an answer ([`Report`]). If the index turns out to be damaged, the query
//! is repeated, and [`ResumableOutput`] skips the part that was printed before. A file appears
//! complete or not at all ([`NewFile`]).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use anyhow::{Result, anyhow, bail};
use serde::{Serialize, Serializer as _};
use stepback_debugger::session::{Session, is_same_file};
use stepback_index::Cancel;
use xxhash_rust::xxh3::Xxh3;

use crate::cli::options::ReportOptions;
use crate::cli::progress::say;

/// Name of standard output in messages.
pub const STANDARD_OUTPUT: &str = "standard output";

/// Destination and form of answers, kept between two reports.
pub struct Output {
    out: ResumableOutput,
    target: String,
    is_json: bool,
    is_verbose: bool,
    is_quiet: bool,
}

impl Output {
    /// Restarts the answer. The reader does not receive the same part twice.
    #[must_use]
    pub fn begun_again(self) -> Self {
        Self {
            out: self.out.begun_again(),
            ..self
        }
    }

    /// Continues with another session.
    pub fn on(self, session: &Session) -> Report<'_> {
        let Self {
            out,
            target,
            is_json,
            is_verbose,
            is_quiet,
        } = self;
        Report {
            session,
            cancel: Cancel::default(),
            is_json,
            is_verbose,
            is_quiet,
            out,
            target,
        }
    }
}

/// Writes the answer to one query about one trace.
pub struct Report<'a> {
    /// The trace.
    pub session: &'a Session,
    /// Never cancelled: interrupting the command line ends the program.
    pub cancel: Cancel,
    /// Print JSON.
    pub is_json: bool,
    /// Print more in text output.
    pub is_verbose: bool,
    /// Print only the answer.
    pub is_quiet: bool,
    out: ResumableOutput,
    /// Name of the destination, for messages.
    target: String,
}

impl<'a> Report<'a> {
    /// Prints a note that calls are unknown if the trace omits instructions.
    pub fn note_unknown_calls(&self) {
        if !self.is_quiet && self.session.lacks_steps {
            say("note: the trace leaves out instructions, so which calls were made is not known");
        }
    }

    /// Creates a report to the requested file, or to standard output (also named `-`).
    pub fn new(session: &'a Session, options: &ReportOptions) -> Result<Self> {
        match options
            .output
            .as_deref()
            .filter(|path| !is_standard_output(path))
        {
            Some(path) => Ok(Self::to(
                Box::new(create(path, session)?),
                format!("{path:?}"),
                session,
                options,
            )),
            None => Ok(Self::on_standard_output(session, options)),
        }
    }

    /// Creates a report to standard output and ignores the file option.
    pub fn on_standard_output(session: &'a Session, options: &ReportOptions) -> Self {
        Self::to(
            Box::new(io::stdout()),
            STANDARD_OUTPUT.to_owned(),
            session,
            options,
        )
    }

    fn to(
        out: Box<dyn Write>,
        target: String,
        session: &'a Session,
        options: &ReportOptions,
    ) -> Self {
        let out = ResumableOutput::new(out);
        let cancel = Cancel::default();
        Self {
            session,
            cancel,
            is_json: options.json,
            is_verbose: options.verbose,
            is_quiet: options.quiet,
            out,
            target,
        }
    }

    /// Drops the reference to the session.
    pub fn into_output(self) -> Output {
        let Self {
            out,
            target,
            is_json,
            is_verbose,
            is_quiet,
            ..
        } = self;
        Output {
            out,
            target,
            is_json,
            is_verbose,
            is_quiet,
        }
    }

    /// Writes one JSON value on a separate line.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let written = serde_json::to_writer(&mut self.out, value).map_err(io::Error::from);
        self.written(written)?;
        self.text("\n")
    }

    /// Writes one JSON array on a separate line. Its elements are produced one at a time.
    pub fn json_array<T: Serialize>(&mut self, elements: impl Iterator<Item = T>) -> Result<()> {
        let written = serde_json::Serializer::new(&mut self.out)
            .collect_seq(elements)
            .map_err(io::Error::from);
        self.written(written)?;
        self.text("\n")
    }

    /// Writes text unchanged.
    pub fn text(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        self.written(written)
    }

    /// Flushes the output. Called after each block, so that answers appear while the search
    /// continues.
    pub fn flush(&mut self) -> Result<()> {
        let written = self.out.flush();
        self.written(written)
    }

    /// Completes the answer and flushes the output.
    pub fn finish(&mut self) -> Result<()> {
        let written = self.out.finish();
        self.written(written)
    }

    fn written(&self, result: io::Result<()>) -> Result<()> {
        Ok(result.map_err(|error| OutputError::new(error, self.target.clone()))?)
    }
}

/// Error for an answer that cannot be written.
#[derive(Debug)]
pub struct OutputError {
    error: io::Error,
    target: String,
}

impl OutputError {
    /// Creates an error with its cause and the name of the destination.
    pub fn new(error: io::Error, target: String) -> Self {
        Self { error, target }
    }

    /// Returns true if the reader closed the pipe, as `head` does. This is no error.
    pub fn is_reader_gone(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the output could not be written ({}): {}",
            self.error, self.target
        )
    }
}

impl std::error::Error for OutputError {}

/// Returns true for `-`, the name of standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Creates the report's file. Refuses to overwrite the trace, its index or its images.
pub fn create(path: &Path, session: &Session) -> Result<File> {
    let images = session.images.infos().iter().map(|image| &image.spec.path);
    let files = session.files().into_iter().flat_map(|files| &files.files);
    let own = [Some(&session.path), session.index_path.as_ref()]
        .into_iter()
        .flatten();
    let mut protected = own.chain(files).chain(images);
    if protected.any(|file| is_same_file(file, path)) {
        bail!("the report would overwrite its input: {path:?}");
    }
    File::create(path)
        .map_err(|error| anyhow!("the report could not be created ({error}): {path:?}"))
}

/// Buffer size of the output.
pub const BUFFER_BYTES: usize = 64 << 10;

/// Writer that skips a repeated beginning of an answer.
pub struct ResumableOutput {
    out: BufWriter<Box<dyn Write>>,
    /// Number of bytes written until now.
    told: u64,
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

impl ResumableOutput {
    /// Creates an output that has written nothing.
    pub fn new(out: Box<dyn Write>) -> Self {
        let out = BufWriter::with_capacity(BUFFER_BYTES, out);
        Self {
            out,
            told: 0,
            hash: Box::default(),
            again: None,
        }
    }

    /// Restarts the answer. Bytes that the reader has received are skipped and must be repeated
    /// unchanged.
    #[must_use]
    pub fn begun_again(self) -> Self {
        if self.out.buffer().len() as u64 == self.told {
            // The reader has received nothing.
            return Self::new(self.out.into_parts().0);
        }
        let again = RepeatedPrefix {
            left: self.told,
            expected: self.hash.digest(),
            hash: Box::default(),
        };
        Self {
            again: Some(again),
            ..self
        }
    }

    /// Flushes the complete answer. Fails if the answer ends before the repeated beginning does.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.again.as_ref().is_some_and(|again| again.left > 0) {
            return Err(other_answer("ends sooner"));
        }
        self.out.flush()
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

impl Write for ResumableOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(again) = self.again.as_mut().filter(|again| again.left > 0) {
            return again.take(bytes);
        }
        let count = self.out.write(bytes)?;
        self.told += count as u64;
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

/// A file written under a temporary name and renamed when complete. Dropping it removes the
/// temporary file.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    /// None for devices and pipes, which are written in place.
    temporary: Option<PathBuf>,
    out: BufWriter<File>,
}

impl NewFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// The file cannot be created, or its temporary name is taken.
    pub fn create(path: &Path) -> Result<Self> {
        let refused = |error| anyhow!("the result could not be created ({error}): {path:?}");
        let is_device = path.metadata().is_ok_and(|found| !found.is_file());
        let temporary = (!is_device).then(|| path.with_added_extension("partial"));
        let file = match &temporary {
            // The existing file may belong to anyone.
            Some(place) if place.symlink_metadata().is_ok() => {
                bail!("this file is in the way: {place:?}")
            }
            Some(place) => File::create_new(place).map_err(refused)?,
            None => fs::OpenOptions::new()
                .write(true)
                .open(path)
                .map_err(refused)?,
        };
        Ok(Self {
            path: path.to_owned(),
            temporary,
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
        })
    }

    /// Returns a second handle, for a writer that must own its output. The two do not share a
    /// buffer.
    pub fn handle(&self) -> io::Result<File> {
        self.out.get_ref().try_clone()
    }

    /// Renames the complete file to its final name.
    ///
    /// # Errors
    /// The data cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        self.out.get_ref().sync_all()?;
        fs::rename(temporary, &self.path)?;
        self.temporary = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // If the file cannot be removed, nothing else can be done.
            _ = fs::remove_file(temporary);
        }
    }
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
        let mut out = ResumableOutput::new(Box::new(reader.clone()));
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
        let mut out = ResumableOutput::new(Box::new(reader.clone()));
        out.write_all(b"wrong").unwrap();
        let mut out = out.begun_again();
        out.write_all(b"right").unwrap();
        out.flush().unwrap();
        assert_eq!(read(&reader), "right");
    }

    #[test]
    fn an_answer_that_begins_otherwise_is_an_error() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(Box::new(reader.clone()));
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.begun_again().write_all(b"two three").is_err());
        assert_eq!(read(&reader), "one");
    }

    #[test]
    fn an_answer_that_ends_sooner_is_an_error() {
        let reader = Reader::default();
        let mut out = ResumableOutput::new(Box::new(reader.clone()));
        out.write_all(b"one two").unwrap();
        out.flush().unwrap();
        let mut out = out.begun_again();
        out.write_all(b"one").unwrap();
        out.flush().unwrap();
        assert!(out.finish().is_err());
    }
}

#[cfg(test)]
mod new_file_tests {
    use super::*;

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rst");
        fs::write(&path, "before").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"behind").unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("before".to_owned(), 2)
        );
        assert!(NewFile::create(&path).is_err(), "another one writes it");
        drop(file);
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("before".to_owned(), 1)
        );
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"behind").unwrap();
        file.finish().unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap(), names()),
            ("behind".to_owned(), 1)
        );
    }
}

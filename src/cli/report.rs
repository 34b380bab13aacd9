//! Destination and form of an answer.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::{Serialize, Serializer as _};
use stepback_index::Cancel;

use super::options::ReportOptions;
use super::progress::say;
use super::retold::Retold;
use stepback_debugger::session::{Session, is_same_file};

/// Name of standard output in messages.
pub const STANDARD_OUTPUT: &str = "standard output";

/// Destination and form of answers, kept between two reports.
pub struct Output {
    out: Retold,
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
    out: Retold,
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
        let out = Retold::new(out);
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
        let written = self.out.write_all(text.as_bytes());
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
        bail!("the report would overwrite what it is about: {path:?}");
    }
    File::create(path)
        .map_err(|error| anyhow!("the report could not be created ({error}): {path:?}"))
}

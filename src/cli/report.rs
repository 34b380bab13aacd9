//! Where an answer goes, and in which form.

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

/// What messages call standard output.
pub const STANDARD_OUTPUT: &str = "standard output";

/// Where answers go and in which form, between two reports.
pub struct Output {
    out: Retold,
    target: String,
    is_json: bool,
    is_verbose: bool,
    is_quiet: bool,
}

impl Output {
    /// The answer begins again: its reader does not get twice what it has.
    #[must_use]
    pub fn begun_again(self) -> Self {
        Self {
            out: self.out.begun_again(),
            ..self
        }
    }

    /// Goes on with another session.
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

/// Writes the answers to one question about one trace.
pub struct Report<'a> {
    /// The trace.
    pub session: &'a Session,
    /// Never raised: the command line is interrupted by ending the program.
    pub cancel: Cancel,
    /// Print JSON.
    pub is_json: bool,
    /// Print more for people.
    pub is_verbose: bool,
    /// Say nothing but the answer.
    pub is_quiet: bool,
    out: Retold,
    /// Where `out` leads, for messages.
    target: String,
}

impl<'a> Report<'a> {
    /// Says on standard error that calls are not known, in a trace that leaves out instructions.
    pub fn note_unknown_calls(&self) {
        if !self.is_quiet && self.session.lacks_steps {
            say("note: the trace leaves out instructions, so which calls were made is not known");
        }
    }

    /// A report to standard output (also called `-`), or to the file that was asked for.
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

    /// A report to standard output, whatever file was asked for.
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

    /// Leaves the session.
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

    /// One JSON value on a line of its own.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let written = serde_json::to_writer(&mut self.out, value).map_err(io::Error::from);
        self.written(written)?;
        self.text("\n")
    }

    /// One JSON array on a line of its own, whose elements are made one at a time.
    pub fn json_array<T: Serialize>(&mut self, elements: impl Iterator<Item = T>) -> Result<()> {
        let written = serde_json::Serializer::new(&mut self.out)
            .collect_seq(elements)
            .map_err(io::Error::from);
        self.written(written)?;
        self.text("\n")
    }

    /// Text as it is.
    pub fn text(&mut self, text: &str) -> Result<()> {
        let written = self.out.write_all(text.as_bytes());
        self.written(written)
    }

    /// Hands everything so far to the reader: called after each block, so that answers show while more are sought.
    pub fn flush(&mut self) -> Result<()> {
        let written = self.out.flush();
        self.written(written)
    }

    /// The same when the answer is whole.
    pub fn finish(&mut self) -> Result<()> {
        let written = self.out.finish();
        self.written(written)
    }

    fn written(&self, result: io::Result<()>) -> Result<()> {
        Ok(result.map_err(|error| OutputError::new(error, self.target.clone()))?)
    }
}

/// The answer could not be handed over.
#[derive(Debug)]
pub struct OutputError {
    error: io::Error,
    target: String,
}

impl OutputError {
    /// What went wrong, and where the answer should have gone.
    pub fn new(error: io::Error, target: String) -> Self {
        Self { error, target }
    }

    /// True when the reader closed the pipe, as `head` does: that is no error.
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

/// True for the name that stands for standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Creates the report's file, but never over the trace, its index or its images.
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

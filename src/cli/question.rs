//! The life of a query ([`Question`]): it opens the trace, prints notes about it, and prints the
//! answer. If it meets damage in the index, the file is rebuilt and the query is repeated once.
//! Subcommands implement the trait [`Command`], and all queries share [`TraceArguments`].

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use stepback_debugger::analysis::names::damage_in;
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::session::{
    Damage, NoticeKind, OpenOptions, Session, is_demo, no_tail_calls,
};
use stepback_index::build::BuildProgress;

use crate::cli::error::CommandError;
use crate::cli::images_json::image_rows;
use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::progress;
use crate::cli::progress::{say, watched_answer};
use crate::cli::report::{Destination, Report, ResumableOutput, inputs_of};
use crate::cli::text::{counted, printable, size_text};

/// A query about a trace.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    common: &'a TraceArguments,
    /// The query is about the index, which is built for it.
    is_about_index: bool,
    /// The file option has another purpose, so the answer goes to standard output.
    is_file_taken: bool,
    /// The query shows its own progress.
    has_meter: bool,
}

impl<'a> Question<'a> {
    /// Creates a query about the trace.
    pub fn new(common: &'a TraceArguments) -> Self {
        Self {
            common,
            is_about_index: false,
            is_file_taken: false,
            has_meter: false,
        }
    }

    /// Makes the index the subject, so that it is built.
    pub fn about_index(self) -> Self {
        Self {
            is_about_index: true,
            ..self
        }
    }

    /// Prints the answer on standard output: the file option has another purpose.
    pub fn to_standard_output(self) -> Self {
        Self {
            is_file_taken: true,
            ..self
        }
    }

    /// Leaves the meter to the query.
    pub fn with_own_meter(self) -> Self {
        Self {
            has_meter: true,
            ..self
        }
    }

    /// Opens the trace and prints the answer. Errors of `print` need not name the trace. If the
    /// answer meets damage in a file of ours, rebuilds the file and repeats the query once.
    pub fn ask(self, print: impl Fn(&mut Report<'_>) -> Result<()>) -> Result<()> {
        let TraceArguments {
            trace,
            options,
            report: printing,
        } = self.common;
        options.limit_threads();
        let mut open = options.to_open_options(trace);
        open.is_index_wanted |= self.is_about_index;
        let mut output = None;
        let mut mended = None;
        loop {
            let session = self.opened(mended.as_ref().unwrap_or(&open))?;
            if options.only_index && !self.is_about_index {
                return Ok(());
            }
            let output_path = printing.output.as_deref().filter(|_| !self.is_file_taken);
            let mut out = match output.take() {
                Some(out) => out,
                None => ResumableOutput::new(Destination::open(output_path, inputs_of(&session))?),
            };
            let mut answer = |progress: &BuildProgress| {
                print(&mut Report::new(&session, printing, progress, &mut out))
            };
            let printed = match self.has_meter {
                true => answer(&BuildProgress::default()),
                false => watched_answer(printing, answer),
            };
            let damage = printed.as_ref().err().and_then(damage_in);
            let damage = damage.or_else(|| Damage::of(session.index.tail_call_error()?));
            // A second damage in a row would not be cured by a third attempt.
            let again = damage
                .filter(|_| mended.is_none())
                .and_then(|damage| Some((damage, damage.mended(&open)?)));
            let Some((damage, options)) = again else {
                // A negative answer is written, too.
                let finished = match printed {
                    Err(error) if CommandError::is_negative(&error) => out.finish().and(Err(error)),
                    printed => printed.and_then(|()| out.finish()),
                };
                self.note(session.index.tail_call_error().map(no_tail_calls));
                let name = trace.display().to_string();
                return finished.map_err(|error| CommandError::about(&name, error));
            };
            self.note(Some(damage.notice()));
            (output, mended) = (Some(out.begun_again()), Some(options));
        }
    }

    /// Opens the trace and prints notes about it.
    fn opened(self, open: &OpenOptions) -> Result<Session> {
        let TraceArguments {
            options,
            report: printing,
            ..
        } = self.common;
        let began = Instant::now();
        let session = match options.so_far {
            true => progress::open_so_far(open, printing)?,
            false => progress::open(open, printing)?,
        };
        if printing.verbose {
            describe(&session, began.elapsed());
        }
        if !printing.quiet {
            print_notices(&session);
            if options.so_far {
                note_part(&session);
            }
        }
        Ok(session)
    }

    /// Prints a note about the trace, unless only the answer is wanted.
    fn note(self, text: Option<impl fmt::Display>) {
        if let Some(text) = text.filter(|_| !self.common.report.quiet) {
            say(&format!("note: {}: {text}", self.common.trace.display()));
        }
    }
}

/// Prints how the trace was opened, for `--verbose`.
fn describe(session: &Session, took: Duration) {
    let info = session.index.info();
    let (steps, threads) = (
        counted(info.steps, "step"),
        counted(session.index.threads().len() as u64, "thread"),
    );
    let name = session.path.display();
    say(&format!(
        "note: {name}: {}, {steps}, {threads}",
        info.format
    ));
    let index = session.index_path.as_ref();
    let index = index.map_or("in memory".into(), |path| path.display().to_string());
    let how = match session.is_built_now {
        true => format!("built in {:.2} s", took.as_secs_f64()),
        false => "up to date".to_owned(),
    };
    let size = size_text(info.index_bytes);
    say(&format!("note: {name}: index {index}, {size}, {how}"));
    for image in image_rows(session) {
        say(&format!("note: {name}: image {image}"));
    }
}

/// Prints a note about the extent of a partial index.
fn note_part(session: &Session) {
    if let Some(part) = IndexedPart::of(session) {
        let (steps, share) = (counted(part.steps, "step"), part.per_cent());
        say(&format!(
            "note: so far: the first {steps} ({share} % of the trace); the next run goes on from there"
        ));
    }
}

/// Prints notes about the trace that affect its answers.
pub fn print_notices(session: &Session) {
    let name = session.path.display();
    // `info` names the image too, so the note is not repeated for each question.
    let is_known = |kind: &NoticeKind| {
        matches!(kind, NoticeKind::ImageInUse(_))
            && (!session.is_built_now || is_demo(&session.path))
    };
    for notice in session
        .notices
        .iter()
        .filter(|notice| !is_known(&notice.kind))
    {
        say(&format!("note: {notice}"));
    }
    if session.index.step_count() == 0 {
        say(&format!("note: {name}: the trace shows no instruction"));
    }
    if let Some(problems) = problems_text(session) {
        say(&format!("note: {name}: {problems}"));
    }
}

/// Counts the problems of the trace and describes the first; `None` if there are none.
pub fn problems_text(session: &Session) -> Option<String> {
    let first = session.index.warnings().first()?;
    let problems = counted(session.index.info().warning_count, "problem");
    let message = printable(&first.kind.to_string());
    let first = match session.index.source().is_text() {
        true => format!(
            "the first in line {}, byte {}: {message}",
            first.line, first.offset
        ),
        false => format!("the first: {message}"),
    };
    Some(format!("{problems} in the trace, {first}"))
}

/// A parsed subcommand.
///
/// The window's commands are unrelated: see [`stepback_debugger::keymap`].
pub trait Command: fmt::Debug {
    /// Checks the arguments, before the trace is opened.
    ///
    /// # Errors
    /// A phrase that says what is wrong.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Returns the trace and the alternative to suggest if it is binary. None if the command accepts
    /// every trace.
    fn text_only(&self) -> Option<(&Path, &'static str)> {
        None
    }

    /// Returns true if the exit status 1 means a negative answer.
    fn has_exit_code(&self) -> bool {
        false
    }

    /// Runs the subcommand.
    ///
    /// # Errors
    /// The trace cannot be opened or read, or the answer cannot be written.
    fn run(&self) -> Result<()>;
}

/// A subcommand that writes a description of the program, for packages to install with it.
pub trait AboutProgram: fmt::Debug {
    /// Writes the description of the whole command line.
    ///
    /// # Errors
    /// The description cannot be written.
    fn write(&self, program: clap::Command) -> Result<()>;
}

/// A trace and the options that all queries share.
#[derive(Clone, Debug, Args)]
pub struct TraceArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub options: TraceOptions,
    #[command(flatten)]
    pub report: ReportOptions,
}

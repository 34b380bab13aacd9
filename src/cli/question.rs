//! The life of a query ([`Question`]): it opens the trace, prints notes about it, and prints the
//! answer. If it meets damage in the index, the file is rebuilt and the query is repeated once.
//! Subcommands implement the trait [`Command`], and all queries share [`TraceArguments`].

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use stepback_debugger::analysis::names::damage_in;
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::session::{
    Damage, NoticeKind, OpenOptions, Session, is_demo, no_tail_calls,
};

use crate::cli::cells::{UsageError, told_apart};
use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::progress;
use crate::cli::progress::say;
use crate::cli::report::{Output, OutputError, Report};
use crate::cli::text::{counted, printable};

/// A query about a trace.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    common: &'a TraceArguments,
    subject: QuestionSubject,
    target: AnswerTarget,
}

/// Subject of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionSubject {
    /// The trace.
    Trace,
    /// The index of the trace, which is built for this query.
    Index,
}

/// Destination of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerTarget {
    /// The requested file, or else standard output.
    AsAsked,
    /// Standard output: the file option has another purpose.
    StandardOutput,
}

impl<'a> Question<'a> {
    /// Creates a query about the trace.
    pub fn new(common: &'a TraceArguments) -> Self {
        Self {
            common,
            subject: QuestionSubject::Trace,
            target: AnswerTarget::AsAsked,
        }
    }

    /// Changes the subject.
    pub fn about(self, subject: QuestionSubject) -> Self {
        Self { subject, ..self }
    }

    /// Changes the destination.
    pub fn to(self, target: AnswerTarget) -> Self {
        Self { target, ..self }
    }

    /// Opens the trace and prints the answer. Errors of `print` need not name the trace. If the
    /// answer meets damage in a file of ours, rebuilds the file and repeats the query once.
    pub fn ask(self, print: impl Fn(&mut Report<'_>) -> Result<()>) -> Result<()> {
        let TraceArguments { trace, options, .. } = self.common;
        let mut open = options.to_open_options(trace);
        open.is_index_wanted |= self.subject == QuestionSubject::Index;
        let mut output = None;
        let mut mended = None;
        loop {
            let session = self.opened(mended.as_ref().unwrap_or(&open))?;
            if options.only_index && self.subject == QuestionSubject::Trace {
                return Ok(());
            }
            let (printed, told) = self.printed(&session, output.take(), &print)?;
            let damage = printed.as_ref().err().and_then(damage_in);
            let damage = damage.or_else(|| Damage::of(session.index.tail_call_error()?));
            // A second damage in a row would not be cured by a third attempt.
            let again = damage
                .filter(|_| mended.is_none())
                .and_then(|damage| Some((damage, damage.mended(&open)?)));
            let Some((damage, options)) = again else {
                return self.ended(&session, printed, told);
            };
            if !self.common.report.quiet {
                say(&format!("note: {}: {trace:?}", damage.notice()));
            }
            (output, mended) = (Some(told.begun_again()), Some(options));
        }
    }

    /// Opens the trace and prints notes about it.
    fn opened(self, open: &OpenOptions) -> Result<Session> {
        let TraceArguments {
            options,
            report: printing,
            ..
        } = self.common;
        let session = match options.so_far {
            true => progress::open_so_far(open, printing)?,
            false => progress::open(open, printing)?,
        };
        if !printing.quiet {
            tell(&session);
            if options.so_far {
                tell_so_far(&session);
            }
        }
        Ok(session)
    }

    /// Prints the answer, to the earlier output if it had already begun. The end of the answer
    /// stays buffered.
    fn printed(
        self,
        session: &Session,
        output: Option<Output>,
        print: impl Fn(&mut Report<'_>) -> Result<()>,
    ) -> Result<(Result<()>, Output)> {
        let printing = &self.common.report;
        let mut report = match (output, self.target) {
            (Some(output), _) => output.on(session),
            (None, AnswerTarget::AsAsked) => Report::new(session, printing)?,
            (None, AnswerTarget::StandardOutput) => Report::on_standard_output(session, printing),
        };
        let printed = print(&mut report);
        Ok((printed, report.into_output()))
    }

    /// Writes the rest of an answer and prints notes about its gaps.
    fn ended(self, session: &Session, printed: Result<()>, output: Output) -> Result<()> {
        let TraceArguments {
            trace,
            report: printing,
            ..
        } = self.common;
        let handed = printed.and_then(|()| output.on(session).finish());
        let asked = handed.map_err(told_apart).map_err(|error| {
            let with_trace = || format!("{error:#}: {trace:?}");
            match error {
                _ if error.is::<OutputError>() => error,
                _ if error.is::<UsageError>() => UsageError(with_trace()).into(),
                _ => anyhow!(with_trace()),
            }
        });
        if let Some(error) = session.index.tail_call_error().filter(|_| !printing.quiet) {
            say(&format!("note: {}", no_tail_calls(error)));
        }
        asked
    }
}

/// Prints a note about the extent of a partial index.
fn tell_so_far(session: &Session) {
    if let Some(part) = IndexedPart::of(session) {
        let (steps, share) = (counted(part.steps, "step"), part.per_cent());
        say(&format!(
            "note: so far: the first {steps} ({share} % of the trace); the next run goes on from there"
        ));
    }
}

/// Prints notes about the trace that affect its answers.
fn tell(session: &Session) {
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
        say(&format!(
            "note: the trace shows no instruction: {:?}",
            session.path
        ));
    }
    if let Some(first) = session.index.warnings().first() {
        let problems = counted(session.index.info().warning_count, "problem");
        let message = printable(&first.kind.to_string());
        let first = match session.index.source().is_text() {
            true => format!(
                "the first in line {}, byte {}: {message}",
                first.line, first.offset
            ),
            false => format!("the first: {message}"),
        };
        say(&format!(
            "note: {problems} in the trace, {first}: {:?}",
            session.path
        ));
    }
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

    /// Returns a restriction to text formats. None if the command accepts every trace.
    fn text_only(&self) -> Option<TextOnly<'_>> {
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

/// Restriction of a command to text traces.
#[derive(Clone, Copy, Debug)]
pub struct TextOnly<'a> {
    /// The trace argument.
    pub trace: &'a Path,
    /// Alternative to suggest for other formats.
    pub advice: &'static str,
}

/// A trace and the options that all queries share.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The trace.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub options: TraceOptions,
    #[command(flatten)]
    pub report: ReportOptions,
}

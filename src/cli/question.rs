//! From a question to its answer: the trace is opened, what should be known of it is said, the answer is printed.

use anyhow::{Result, anyhow};

use super::misspelt::{Misspelt, told_apart};
use super::progress::{self, say};
use super::report::{OutputError, Report};
use super::text::{counted, printable};
use super::trace_arguments::TraceArguments;
use crate::model::so_far::SoFar;
use crate::session::{Session, no_tail_calls};

/// A question about a trace.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    common: &'a TraceArguments,
    subject: Subject,
    target: Target,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The trace.
    Trace,
    /// The index of the trace, which is built for that.
    Index,
}

/// Where the answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the file that was asked for, else to standard output.
    AsAsked,
    /// To standard output: the file is for something else.
    StandardOutput,
}

impl<'a> Question<'a> {
    /// About a trace.
    pub fn new(common: &'a TraceArguments) -> Self {
        Self { common, subject: Subject::Trace, target: Target::AsAsked }
    }

    /// The same about something else.
    pub fn about(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }

    /// The same with an answer that goes elsewhere.
    pub fn to(self, target: Target) -> Self {
        Self { target, ..self }
    }

    /// Opens the trace and has the answer printed; errors of `print` need not name the trace.
    pub fn ask(self, print: impl FnOnce(&mut Report<'_>) -> Result<()>) -> Result<()> {
        let TraceArguments { trace, options, report: printing } = self.common;
        let mut open = options.to_open_options(trace);
        open.is_index_wanted |= self.subject == Subject::Index;
        let session = match options.so_far {
            true => progress::open_so_far(&open, printing)?,
            false => progress::open(&open, printing)?,
        };
        if !printing.quiet {
            tell(&session);
            if options.so_far {
                tell_so_far(&session);
            }
        }
        if options.only_index && self.subject == Subject::Trace {
            return Ok(());
        }
        let mut report = match self.target {
            Target::AsAsked => Report::new(&session, printing)?,
            Target::StandardOutput => Report::on_standard_output(&session, printing),
        };
        let asked = print(&mut report).and_then(|()| report.flush()).map_err(told_apart).map_err(|error| {
            let with_trace = || format!("{error:#}: {trace:?}");
            match error {
                _ if error.is::<OutputError>() => error,
                _ if error.is::<Misspelt>() => Misspelt(with_trace()).into(),
                _ => anyhow!(with_trace()),
            }
        });
        if let Some(error) = session.index.tail_call_error().filter(|_| !printing.quiet) {
            say(&format!("note: {}", no_tail_calls(error)));
        }
        asked
    }
}

/// Says on standard error what an answer is worth that is so far.
fn tell_so_far(session: &Session) {
    if let Some(part) = SoFar::of(session) {
        let (steps, share) = (counted(part.steps, "step"), part.per_cent());
        say(&format!("note: so far: the first {steps} ({share} % of the trace); the next run goes on from there"));
    }
}

/// Says on standard error what the user should know about the trace before trusting the answers.
fn tell(session: &Session) {
    for notice in &session.notices {
        say(&format!("note: {notice}"));
    }
    if session.index.step_count() == 0 {
        say(&format!("note: the trace shows no instruction: {:?}", session.path));
    }
    if let Some(first) = session.index.warnings().first() {
        let problems = counted(session.index.info().warning_count, "problem");
        let (line, offset, message) = (first.line, first.offset, printable(&first.message));
        say(&format!(
            "note: {problems} in the trace, the first in line {line}, byte {offset}: {message}: {:?}",
            session.path
        ));
    }
}

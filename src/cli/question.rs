//! From a question to its answer: the trace is opened, what should be known of it is said, the answer is printed.

use anyhow::{Result, anyhow};

use super::misspelt::{Misspelt, told_apart};
use super::progress::{self, say};
use super::report::{Output, OutputError, Report};
use super::text::{counted, printable};
use super::trace_arguments::TraceArguments;
use stepback_debugger::analysis::damage::damage_in;
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::session::{Damage, OpenOptions, Session, no_tail_calls};

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
        Self {
            common,
            subject: Subject::Trace,
            target: Target::AsAsked,
        }
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
    /// Where the answer comes upon damage in a file of ours, that is made again, and the question is asked again.
    pub fn ask(self, print: impl Fn(&mut Report<'_>) -> Result<()>) -> Result<()> {
        let TraceArguments { trace, options, .. } = self.common;
        let mut open = options.to_open_options(trace);
        open.is_index_wanted |= self.subject == Subject::Index;
        let mut output = None;
        let mut mended = None;
        loop {
            let session = self.opened(mended.as_ref().unwrap_or(&open))?;
            if options.only_index && self.subject == Subject::Trace {
                return Ok(());
            }
            let (printed, told) = self.printed(&session, output.take(), &print)?;
            let damage = printed.as_ref().err().and_then(damage_in);
            let damage = damage.or_else(|| Damage::of(session.index.tail_call_error()?));
            // What is damaged again so soon will not become better.
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

    /// The trace, and what should be known of it said.
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

    /// Has the answer printed to where it went before, if it began already; it is not handed over wholly yet.
    fn printed(
        self,
        session: &Session,
        output: Option<Output>,
        print: impl Fn(&mut Report<'_>) -> Result<()>,
    ) -> Result<(Result<()>, Output)> {
        let printing = &self.common.report;
        let mut report = match (output, self.target) {
            (Some(output), _) => output.on(session),
            (None, Target::AsAsked) => Report::new(session, printing)?,
            (None, Target::StandardOutput) => Report::on_standard_output(session, printing),
        };
        let printed = print(&mut report);
        Ok((printed, report.into_output()))
    }

    /// Hands over the rest of an answer, and says what it lacks.
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
    if let Some(part) = IndexedPart::of(session) {
        let (steps, share) = (counted(part.steps, "step"), part.per_cent());
        say(&format!(
            "note: so far: the first {steps} ({share} % of the trace); the next run goes on from there"
        ));
    }
}

/// Says on standard error what the user should know about the trace before trusting the answers.
fn tell(session: &Session) {
    for notice in &session.notices {
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
        let message = printable(&first.message);
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

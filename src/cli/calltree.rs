//! `stepback calltree`: the calls of each thread as a tree, or as JSON with every frame of all
//! threads in order of entry. Indented text grows with the square of the depth, so deep trees begin
//! each line with the depth instead.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use stepback_debugger::analysis::activations::{Activation, ActivationTree};
use stepback_debugger::analysis::exceptions::trap_of;
use stepback_debugger::analysis::names::code_address;
use stepback_debugger::analysis::sites::{Site, Sites};
use stepback_debugger::model::names::trap_words;
use stepback_debugger::session::Session;
use stepback_index::answer::{Call, FrameEntry, FrameExit};
use stepback_index::query::NearestStepOf;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::cli::json::CallJson;
use crate::cli::progress::say;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::{FunctionNames, NameOptions, line_text, printable, site_text};

/// Depth limit of indentation, used if the text would be too long otherwise: its size grows with
/// the square of the depth. Deeper calls begin with their depth instead.
const INDENT_LIMIT: u32 = 200;
/// Maximum size of all indentation before `INDENT_LIMIT` applies.
const INDENT_LIMIT_BYTES: u64 = 64 << 20;

/// Help text below the options.
pub const HELP: &str = "\
Without --all-frames, only calls that returned are shown, and a function that ends in a tail call is
merged with its callee.
  - SITE - SITE          where a call was made, and where its caller continued
  o SITE - SITE : NAME   the function, from its first to its last moment
A site is t:TIME l:LINE pc:ADDRESS; in a trace without lines, i:N is the number of the instruction.
Bit 0 of the address is set for Thumb; pc:0x2 is a place without an instruction.
If the indentation would exceed 64 MB, calls deeper than 200 begin with their depth (201:) instead,
and a note says so.
With --json, steps are numbered across all threads, while `profile` counts those of one thread.";

#[derive(Debug, Args)]
pub struct CalltreeArguments {
    /// Leave out calls deeper than this (a thread's first frame has depth 0).
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Show every frame, including calls that never returned, tail calls and exceptions (--json:
    /// always).
    #[arg(long)]
    pub all_frames: bool,
    /// Add the source lines of calls and functions.
    #[arg(long)]
    pub lines: bool,
    #[command(flatten)]
    pub names: NameOptions,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<CallJson>().by_line()
}

impl Command for CalltreeArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the calls. JSON lists all threads in order of entry; text shows one tree per thread.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &CalltreeArguments, report: &mut Report<'_>) -> Result<()> {
    report.note_unknown_calls();
    let limit = arguments.max_depth.unwrap_or(u32::MAX);
    if report.is_json {
        return print_json(arguments, limit, report);
    }
    let session = report.session;
    let cancel = report.cancel.clone();
    let trees = ActivationTree::all(&session.index, &cancel)?;
    let mut is_noted = arguments.common.report.quiet;
    for tree in &trees {
        if trees.len() > 1 {
            let name = session.index.thread_name(tree.thread);
            report.text(&format!("{}:\n", printable(name)))?;
        }
        let calls = session.index.calls();
        let indent_limit = match arguments.all_frames {
            true => indent_limit(
                tree.frames(calls)
                    .map(|frame| frame.depth)
                    .filter(|depth| *depth <= limit),
            ),
            false => indent_limit(
                tree.activations(calls)
                    .map(|call| call.depth)
                    .filter(|depth| *depth <= limit),
            ),
        };
        if indent_limit == INDENT_LIMIT && !is_noted {
            is_noted = true;
            say(&format!(
                "note: calls deeper than {INDENT_LIMIT} are not indented but begin with their depth"
            ));
        }
        let printer = TreePrinter {
            session,
            cancel: &cancel,
            tree,
            indent_limit,
            has_lines: arguments.lines,
            sites: Sites::new(&session.index, &cancel),
            names: FunctionNames::new(&session.images, arguments.names),
        };
        match arguments.all_frames {
            true => printer.print_frames(limit, report)?,
            false => printer.print_activations(limit, report)?,
        }
    }
    Ok(())
}

struct TreePrinter<'a> {
    session: &'a Session,
    cancel: &'a Cancel,
    tree: &'a ActivationTree,
    /// Deeper lines are not indented.
    indent_limit: u32,
    /// Adds source lines.
    has_lines: bool,
    sites: Sites<'a>,
    names: FunctionNames<'a>,
}

impl TreePrinter<'_> {
    fn print_activations(&self, limit: u32, report: &mut Report<'_>) -> Result<()> {
        let activations = self.tree.activations(self.session.index.calls());
        let shown = activations.filter(|activation| activation.depth <= limit);
        report.texts(shown, |activation, text| {
            text.push_str(&self.activation_text(activation)?);
            Ok(())
        })
    }

    /// Formats `o ENTRY - EXIT : NAME`, below `- CALL - RESUME` unless the activation is a root.
    fn activation_text(&self, activation: &Activation) -> Result<String> {
        let Activation {
            depth, entry, exit, ..
        } = *activation;
        let name = self.names.name(activation.function).unwrap_or_default();
        let Some(call) = activation.call else {
            let (first, last) = (self.sites.border(entry)?.1, self.sites.end_of(exit)?);
            let source = self.source_of(activation.function);
            let indent = function_indent(depth, self.indent_limit);
            return Ok(format!(
                "{indent}o {} - {} : {name}{source}\n",
                site_text(first),
                site_text(last)
            ));
        };
        let (caller, first) = self.step_over(call, entry)?;
        let resume = self.next_step(exit)?;
        let (last, resume) = self.step_over(exit, resume.unwrap_or(exit))?;
        let (upper, lower) = (
            call_indent(depth, self.indent_limit),
            function_indent(depth, self.indent_limit),
        );
        let (called_at, source) = (
            self.source_of_site(caller)?,
            self.source_of(activation.function),
        );
        let [caller, resume, first, last] = [caller, resume, first, last].map(site_text);
        Ok(format!(
            "{upper}- {caller} - {resume}{called_at}\n{lower}o {first} - {last} : {name}{source}\n"
        ))
    }

    fn print_frames(&self, limit: u32, report: &mut Report<'_>) -> Result<()> {
        let frames = self.tree.frames(self.session.index.calls());
        let shown = frames.filter(|frame| frame.depth <= limit);
        report.texts(shown, |frame, text| {
            text.push_str(&self.frame_text(frame)?);
            Ok(())
        })
    }

    /// Formats a frame like an activation. Adds words for anything the trace does not show and for
    /// an unusual entry or exit.
    fn frame_text(&self, frame: &Call) -> Result<String> {
        let depth = frame.depth;
        let call_step = frame
            .call_step
            .filter(|_| !matches!(frame.entered, FrameEntry::Root | FrameEntry::Gap));
        let (caller, first) = match (call_step, frame.entry_step) {
            (Some(call), Some(entry)) => {
                let (caller, first) = self.step_over(call, entry)?;
                (Some(caller), Some(first))
            }
            (Some(call), None) => (Some(self.sites.end_of(call)?), None),
            (None, Some(entry)) => (None, Some(self.sites.border(entry)?.1)),
            (None, None) => (None, None),
        };
        let (last, resume) = match frame.exit_step {
            None => (None, None),
            Some(exit) => match self.next_step(exit)? {
                None => (Some(self.sites.end_of(exit)?), None),
                Some(next) => {
                    let (last, resume) = self.step_over(exit, next)?;
                    (Some(last), Some(resume))
                }
            },
        };
        let shown =
            |site: Option<Site>, other: &str| site.map_or_else(|| other.to_owned(), site_text);
        let upper = match caller {
            Some(caller) => {
                let (upper, source) = (
                    call_indent(depth, self.indent_limit),
                    self.source_of_site(caller)?,
                );
                format!(
                    "{upper}- {} - {}{source}\n",
                    site_text(caller),
                    shown(resume, "never")
                )
            }
            None => String::new(),
        };
        let function = self.names.name_or_address(frame.function);
        let index = &self.session.index;
        let name = match trap_of(index, frame, self.cancel)? {
            Some(trap) => format!(
                "{function}: {}",
                trap_words(trap, index.instruction_set(frame.thread))
            ),
            None => function,
        };
        let (first, last) = (shown(first, "not shown"), shown(last, "the end"));
        let (lower, source) = (
            function_indent(depth, self.indent_limit),
            self.source_of(frame.function),
        );
        Ok(format!(
            "{upper}{lower}o {first} - {last} : {name}{}{source}\n",
            manner(frame)
        ))
    }

    /// Returns the last site of one step and the first site of the next step on the same CPU.
    fn step_over(&self, last: Step, first: Step) -> Result<(Site, Site)> {
        let (before, at) = self.sites.border(first)?;
        let is_next = last.0.checked_add(1) == Some(first.0);
        Ok((
            if is_next {
                before
            } else {
                self.sites.end_of(last)?
            },
            at,
        ))
    }

    /// Formats the source line of an address, if requested.
    fn source_of(&self, pc: Address) -> String {
        line_text(self.has_lines.then(|| self.session.source_text(pc)))
    }

    /// Formats the source line of a site, whose address may carry a mark in its low bits.
    fn source_of_site(&self, site: Site) -> Result<String> {
        if !self.has_lines {
            return Ok(String::new());
        }
        Ok(self.source_of(code_address(site.pc, &self.session.index, self.cancel)?))
    }

    fn next_step(&self, step: Step) -> Result<Option<Step>> {
        let from = Position(step.0.saturating_add(1));
        Ok(NearestStepOf::next(self.tree.thread, from).run(&self.session.index, self.cancel)?)
    }
}

/// Returns the depth up to which lines are indented: unlimited if the text stays short enough.
fn indent_limit(depths: impl Iterator<Item = u32>) -> u32 {
    let mut bytes = 0u64;
    for depth in depths {
        bytes += 8 * u64::from(depth);
        if bytes > INDENT_LIMIT_BYTES {
            return INDENT_LIMIT;
        }
    }
    u32::MAX
}

/// Returns the indentation of the line that shows the call of a function at this depth.
fn call_indent(depth: u32, limit: u32) -> String {
    indent(depth, limit, depth.saturating_mul(2).saturating_sub(1))
}

/// Returns the indentation of the line of a function at this depth.
fn function_indent(depth: u32, limit: u32) -> String {
    indent(depth, limit, depth.saturating_mul(2))
}

fn indent(depth: u32, limit: u32, level: u32) -> String {
    if depth <= limit {
        "  ".repeat(usize::try_from(level).unwrap_or(0))
    } else {
        format!("{depth}: ")
    }
}

/// Describes an entry or exit other than an ordinary call and return.
fn manner(frame: &Call) -> String {
    let entered = match frame.entered {
        FrameEntry::Root | FrameEntry::Call => None,
        FrameEntry::Tail => Some("entered by a tail call"),
        FrameEntry::Exception => Some("entered by an exception"),
        FrameEntry::Switch => Some("entered by a switch of stacks"),
        FrameEntry::Gap => Some("the trace goes on here"),
    };
    let left = match frame.left {
        FrameExit::Return => None,
        FrameExit::Open if matches!(frame.entered, FrameEntry::Root | FrameEntry::Gap) => None,
        FrameExit::Open => Some("never left"),
        FrameExit::Skipped => Some("skipped by a later return"),
        FrameExit::Longjmp => Some("left by a longjmp"),
        FrameExit::Tail => Some("left by a tail call"),
        FrameExit::Gap => Some("the trace stops showing it here"),
    };
    let words: Vec<&str> = [entered, left].into_iter().flatten().collect();
    if words.is_empty() {
        String::new()
    } else {
        format!("  ({})", words.join(", "))
    }
}

/// Prints the calls of all threads as JSON, up to a depth.
fn print_json(arguments: &CalltreeArguments, limit: u32, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let calls = session.index.calls();
    let all = calls
        .in_order(0..calls.len())
        .filter_map(|id| calls.get(id));
    let cancel = report.cancel.clone();
    report.json_lines(all.filter(|call| call.depth <= limit), |call| {
        let json = CallJson::new(call, session, &cancel)?;
        Ok(match arguments.lines {
            true => json.with_source(session.source_text(call.function)),
            false => json,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_grows_with_the_depth() {
        assert_eq!(
            [
                function_indent(0, u32::MAX),
                call_indent(1, u32::MAX),
                function_indent(1, u32::MAX)
            ],
            ["", "  ", "    "]
        );
        assert_eq!(
            (
                call_indent(300, u32::MAX).len(),
                function_indent(300, u32::MAX).len()
            ),
            (1198, 1200)
        );
    }

    #[test]
    fn where_the_text_would_be_too_long_deep_lines_say_their_depth() {
        assert_eq!(indent_limit(0..4000), u32::MAX);
        let limit = indent_limit(0..5000);
        assert_eq!(
            (
                function_indent(200, limit).len(),
                call_indent(201, limit),
                function_indent(4999, limit)
            ),
            (800, "201: ".into(), "4999: ".into())
        );
    }
}

//! `stepback calltree`: the calls as a tree.

use anyhow::Result;
use clap::Args;
use stepback_index::{Call, Entered, Left, NextStepOf, Query as _};
use stepback_parsers::{Position, Step};

use super::activations::{Activation, Tree};
use super::arguments::TraceArguments;
use super::calls_json;
use super::function_names::{FunctionNames, NameOptions};
use super::report::Report;
use super::sites::{Site, Sites};
use super::text::printable;

/// Deeper calls are not indented but say their depth: the text must not grow with the square of the depth.
const INDENT_LIMIT: u32 = 200;

/// Which calls.
#[derive(Debug, Args)]
pub struct CalltreeArguments {
    /// Leave out calls deeper than this (a thread's first frame has depth 0).
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Show every frame, also those that never returned, tail calls and exceptions (--json: always).
    #[arg(long)]
    pub all_frames: bool,
    /// How functions are named.
    #[command(flatten)]
    pub names: NameOptions,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Prints the calls: as JSON of all threads in order of entry, as text one tree a thread.
pub fn run(arguments: &CalltreeArguments, report: &mut Report<'_>) -> Result<()> {
    let limit = arguments.max_depth.unwrap_or(u32::MAX);
    if report.is_json {
        return calls_json::print(limit, report);
    }
    let session = report.session;
    let cancel = report.cancel.clone();
    let trees = Tree::all(&session.index, &cancel)?;
    for tree in &trees {
        if trees.len() > 1 {
            let name = session.index.threads().get(usize::from(tree.thread.0)).map_or("", |thread| &thread.name);
            report.text(&format!("{}:\n", printable(name)))?;
        }
        let printer = TreePrinter {
            tree,
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

/// Prints one tree.
struct TreePrinter<'a> {
    tree: &'a Tree,
    sites: Sites<'a>,
    names: FunctionNames<'a>,
}

impl TreePrinter<'_> {
    fn print_activations(&self, limit: u32, report: &mut Report<'_>) -> Result<()> {
        let calls = report.session.index.calls();
        for activation in self.tree.activations(calls).filter(|activation| activation.depth <= limit) {
            let text = self.activation_text(&activation, report)?;
            report.text(&text)?;
        }
        Ok(())
    }

    /// `- CALL - RESUME` unless it is a root, and `o ENTRY - EXIT : NAME` below.
    fn activation_text(&self, activation: &Activation, report: &Report<'_>) -> Result<String> {
        let Activation { depth, entry, exit, .. } = *activation;
        let name = self.names.name(activation.function).unwrap_or_default();
        let Some(call) = activation.call else {
            let (first, last) = (self.sites.border(entry)?.at, self.sites.end_of(exit)?);
            return Ok(format!("{}o {first} - {last} : {name}\n", indent(0)));
        };
        let (caller, first) = self.step_over(call, entry)?;
        let resume = self.next_step(exit, report)?;
        let (last, resume) = self.step_over(exit, resume.unwrap_or(exit))?;
        let (upper, lower) = (indent(level(depth).saturating_sub(1)), indent(level(depth)));
        Ok(format!("{upper}- {caller} - {resume}\n{lower}o {first} - {last} : {name}\n"))
    }

    fn print_frames(&self, limit: u32, report: &mut Report<'_>) -> Result<()> {
        let calls = report.session.index.calls();
        for frame in self.tree.frames(calls).filter(|frame| frame.depth <= limit) {
            let text = self.frame_text(&frame, report)?;
            report.text(&text)?;
        }
        Ok(())
    }

    /// The same, with what the trace does not show in words, and how it was entered and left where that is not a call and its return.
    fn frame_text(&self, frame: &Call, report: &Report<'_>) -> Result<String> {
        let depth = frame.depth;
        let (caller, first) = match (frame.call_step, frame.entry_step) {
            (Some(call), Some(entry)) => {
                let (caller, first) = self.step_over(call, entry)?;
                (Some(caller), Some(first))
            }
            (Some(call), None) => (Some(self.sites.end_of(call)?), None),
            (None, Some(entry)) => (None, Some(self.sites.border(entry)?.at)),
            (None, None) => (None, None),
        };
        let (last, resume) = match frame.exit_step {
            None => (None, None),
            Some(exit) => match self.next_step(exit, report)? {
                None => (Some(self.sites.end_of(exit)?), None),
                Some(next) => {
                    let (last, resume) = self.step_over(exit, next)?;
                    (Some(last), Some(resume))
                }
            },
        };
        let shown = |site: Option<Site>, other: &str| site.map_or_else(|| other.to_owned(), |site| site.to_string());
        let upper = match caller {
            Some(caller) => {
                format!("{}- {caller} - {}\n", indent(level(depth).saturating_sub(1)), shown(resume, "never"))
            }
            None => String::new(),
        };
        let name = self.names.name_or_address(frame.function.0);
        let (first, last) = (shown(first, "not shown"), shown(last, "the end"));
        Ok(format!("{upper}{}o {first} - {last} : {name}{}\n", indent(level(depth)), manner(frame)))
    }

    /// The last site of one step and the first of the next one of its CPU.
    fn step_over(&self, last: Step, first: Step) -> Result<(Site, Site)> {
        let border = self.sites.border(first)?;
        let is_next = last.0.checked_add(1) == Some(first.0);
        Ok((if is_next { border.before } else { self.sites.end_of(last)? }, border.at))
    }

    fn next_step(&self, step: Step, report: &Report<'_>) -> Result<Option<Step>> {
        let from = Position(step.0.saturating_add(1));
        Ok(NextStepOf { thread: self.tree.thread, from }.run(&report.session.index, &report.cancel)?)
    }
}

/// A call site stands one level above the call.
fn level(depth: u32) -> u32 {
    depth.saturating_mul(2)
}

/// Two spaces a level, up to a limit: beyond it, the number of the call's level.
fn indent(level: u32) -> String {
    match level.div_ceil(2) {
        depth if depth <= INDENT_LIMIT => "  ".repeat(level as usize),
        depth => format!("{depth}: "),
    }
}

/// How a frame was entered and left, where that is not a call and its return.
fn manner(frame: &Call) -> String {
    let entered = match frame.entered {
        Entered::Root | Entered::Call => None,
        Entered::Tail => Some("entered by a tail call"),
        Entered::Exception => Some("entered by an exception"),
        Entered::Switch => Some("entered by a switch of stacks"),
    };
    let left = match frame.left {
        Left::Return => None,
        Left::Open if frame.entered == Entered::Root => None,
        Left::Open => Some("never left"),
        Left::Skipped => Some("skipped by a later return"),
        Left::Longjmp => Some("left by a longjmp"),
        Left::Tail => Some("left by a tail call"),
    };
    let words: Vec<&str> = [entered, left].into_iter().flatten().collect();
    if words.is_empty() { String::new() } else { format!("  ({})", words.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_grows_with_the_level_up_to_a_limit() {
        assert_eq!([indent(0), indent(1), indent(2)], ["", "  ", "    "]);
        assert_eq!(indent(400).len(), 800);
        assert_eq!([indent(401), indent(402), indent(2_000_000)], ["201: ", "201: ", "1000000: "]);
    }
}

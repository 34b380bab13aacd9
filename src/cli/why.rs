//! `stepback why`: the origin of a value, step by step. As text, copies are collapsed, arithmetic
//! is shown as expressions, and rows are grouped by call; a later step can remove lines of an
//! earlier one, so steps are kept until they are printed.

use std::collections::HashSet;

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::action::{Direction, SliceView};
use stepback_debugger::analysis::slice::{Frames, LineKind, ReadingLine, SliceReading};
use stepback_debugger::model::slice::{
    SliceWords, cell_words, end_words, ended_words, use_words, wanting_steps,
};
use stepback_debugger::model::so_far::doubt_words;
use stepback_debugger::place::PositionName;
use stepback_index::Query as _;
use stepback_index::answer::{
    EdgeKinds, SliceDefinition, SliceEnd, SliceRow, SliceStep, SliceUse, StepRecord,
};
use stepback_index::query::{DefinedValues, SliceQuery, SliceWalk, Steps};
use stepback_parsers::Position;

use crate::cli::cells::{check_cell, names_at, resolved, thread_id};
use crate::cli::json::{DoubtJson, StepJson, value_hex};
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::{grouped, slice_line, step_line};

#[derive(Debug, Args)]
pub struct WhyArguments {
    /// A register or ADDR[:LEN].
    #[arg(index = 2, allow_hyphen_values = true)]
    pub what: String,
    /// Position at which the cell has the value (default: end).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub at: Option<PositionName>,
    /// Also trace the addresses of its loads and stores.
    #[arg(long)]
    pub address: bool,
    /// Also trace the flags that decide conditional instructions and selects, or that
    /// supply a carry.
    #[arg(long)]
    pub flags: bool,
    /// Also trace control: the branches and calls that decided whether its steps ran, and the
    /// origin of their conditions; with --forward, all steps that ran because a branch or call read
    /// the value.
    #[arg(long)]
    pub control: bool,
    /// Trace forward: the uses of the value, oldest first, until it is overwritten everywhere
    /// (default position: start).
    #[arg(long)]
    pub forward: bool,
    /// Leave out operands that disassemblers list as read although the result does not depend on
    /// them: the old destination of LSL, UBFX, SXTW and the like.
    #[arg(long)]
    pub exact: bool,
    /// Maximum number of steps.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Show every step: copies too, and arithmetic step by step.
    #[arg(long)]
    pub all_copies: bool,
    /// Thread to take the registers from (default: the thread of the last step before the
    /// position).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// A step that contributes to the value.
#[derive(Serialize, JsonSchema)]
struct SliceRowJson {
    #[serde(flatten)]
    step: StepJson,
    defines: Vec<DefinitionJson>,
    why: Vec<&'static str>,
    r#for: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<DoubtJson>,
}

#[derive(Serialize, JsonSchema)]
struct DefinitionJson {
    cell: String,
    value: Option<String>,
    /// True if a part of the value is inferred.
    inferred: bool,
}

/// The end of a chain.
#[derive(Serialize, JsonSchema)]
struct SliceEndJson {
    /// Always null.
    step: Option<u64>,
    end: &'static str,
    cell: String,
    r#for: Vec<u64>,
    /// The reason in words.
    detail: String,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<SliceRowJson>().or::<SliceEndJson>().by_line()
}

impl Command for WhyArguments {
    fn check(&self) -> Result<(), String> {
        check_cell(&self.what)
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the steps that the value comes from, or where it goes.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &WhyArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let at = match &arguments.at {
        Some(place) => resolved(place, report)?,
        None if arguments.forward => Position(0),
        None => session.index.end(),
    };
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let cell = names_at(report, at, thread)?.cell(&arguments.what)?;
    let edges = EdgeKinds {
        addresses: arguments.address,
        flags: arguments.flags,
        control: arguments.control,
        // Expressions already show the operands of a result, so they need no listed ones.
        listed: !arguments.exact && (report.is_json || arguments.all_copies),
    };
    let (cancel, index) = (report.cancel.clone(), &session.index);
    let direction = if arguments.forward {
        Direction::Forward
    } else {
        Direction::Back
    };
    let has_reading = direction == Direction::Back && !report.is_json && !arguments.all_copies;
    let query = SliceQuery {
        cell,
        at,
        direction,
        edges,
        // The lines of a reading are counted when it is complete.
        limit: arguments
            .limit
            .filter(|_| !has_reading)
            .unwrap_or(usize::MAX),
    };
    let mut walk = query.walk(index, thread, &cancel)?;
    if has_reading {
        return print_reading(walk, arguments.limit, report);
    }
    // Flushes each row before the next search, so a reader that closes the pipe ends the search.
    while let Some(row) = walk.next(&cancel)? {
        print_row(&row, direction, report)?;
        report.flush()?;
    }
    walk.into_rest()
        .iter()
        .try_for_each(|row| print_row(row, direction, report))
}

fn print_row(row: &SliceRow, direction: Direction, report: &mut Report<'_>) -> Result<()> {
    match row {
        SliceRow::Step(row) => print_step(row, report),
        SliceRow::End(end) => print_end(end, direction, report),
    }
}

fn print_step(row: &SliceStep, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let question = Steps {
        first: row.step,
        count: 1,
    };
    let Some(record) = question.run(index, &report.cancel)?.pop() else {
        return Ok(());
    };
    let defines = DefinedValues(row).run(index, &report.cancel)?;
    let value =
        |defined: &SliceDefinition| value_hex(&defined.number(index.source().traits().endian));
    if report.is_json {
        let defined = |defined: &SliceDefinition| DefinitionJson {
            cell: cell_words(defined.cell, index),
            value: value(defined),
            inferred: defined.is_inferred,
        };
        let step = StepJson::new(&record, index);
        let defines = defines.iter().map(defined).collect();
        let (why, wanted_by) = (use_words(&row.wanted_by), wanting_steps(&row.wanted_by));
        return report.json(&SliceRowJson {
            step,
            defines,
            why,
            r#for: wanted_by,
            doubt: row.doubt.map(|doubt| DoubtJson::new(doubt, index)),
        });
    }
    let record = StepRecord {
        effects: Vec::new(),
        ..record
    };
    let defines = defines.iter().map(|defined| {
        format!(
            "{} = {}",
            cell_words(defined.cell, index),
            value(defined).unwrap_or_else(|| "unknown".to_owned())
        )
    });
    let set = index.source().traits().instruction_set;
    let doubt = row
        .doubt
        .map(|doubt| format!("  {}", doubt_words(doubt, set)))
        .unwrap_or_default();
    let defines = defines.collect::<Vec<_>>().join("  ");
    let reasons = reasons(&row.wanted_by);
    report.text(&format!(
        "{:<64}  {defines:<32}  {reasons}{doubt}\n",
        step_line(&record, index)
    ))
}

fn print_end(end: &SliceEnd, direction: Direction, report: &mut Report<'_>) -> Result<()> {
    let (index, detail) = (
        &report.session.index,
        end_words(end, direction, &report.session.index),
    );
    if report.is_json {
        let cell = cell_words(end.cell, index);
        let (end, wanted_by) = (end.end.word(), wanting_steps(&end.wanted_by));
        return report.json(&SliceEndJson {
            step: None,
            end,
            cell,
            r#for: wanted_by,
            detail,
        });
    }
    let (cell, width) = (
        ended_words(end, index),
        index.step_count().to_string().len(),
    );
    report.text(&format!(
        "{:>width$}  {cell}: {detail}  {}\n",
        "-",
        reasons(&end.wanted_by)
    ))
}

/// Formats `data for 1,250`. Empty if only the query itself needs the row.
fn reasons(wanted_by: &[SliceUse]) -> String {
    let words = use_words(wanted_by).join(", ");
    let steps = wanting_steps(wanted_by);
    let shown: Vec<String> = steps
        .iter()
        .rev()
        .take(3)
        .map(|step| grouped(*step))
        .collect();
    match (steps.len(), shown.join(", ")) {
        (0, _) => String::new(),
        (count, shown) if count > 3 => {
            format!("{words} for {shown} and {} more", grouped(count as u64 - 3))
        }
        (_, shown) => format!("{words} for {shown}"),
    }
}

/// Initial number of steps read at a time.
const PORTION: usize = 512;

/// Number of extra lines to read before printing, since later steps can remove lines.
const SPARE_LINES: usize = 16;

/// Maximum number of steps kept until they are printed, some ten megabytes, unless more lines are
/// requested. Steps are kept because a later step can remove lines of earlier ones.
const MOST_STEPS: usize = 1 << 14;

/// Prints a slice, with at most `limit` step lines, from at most [`MOST_STEPS`] steps unless the
/// limit is larger.
pub fn print_reading(
    mut walk: SliceWalk<'_>,
    limit: Option<usize>,
    report: &mut Report<'_>,
) -> Result<()> {
    let most = limit.map_or(MOST_STEPS, |limit| limit.max(MOST_STEPS));
    let limit = limit.unwrap_or(usize::MAX);
    let (session, cancel) = (report.session, report.cancel.clone());
    let (mut reading, mut frames) = (SliceReading::default(), Frames::new(&session.index));
    let toggled = HashSet::new();
    let mut lines = Vec::new();
    let mut is_whole = false;
    let mut portion = PORTION;
    while !is_whole
        && reading.len() < most
        && count_steps(&lines) < limit.saturating_add(SPARE_LINES)
    {
        for _ in 0..portion {
            if reading.len() >= most {
                break;
            }
            let Some(row) = walk.next(&cancel)? else {
                is_whole = true;
                break;
            };
            reading.take(row, &mut frames, &cancel)?;
        }
        // Each pass reads all steps again. The portions double, so all passes cost at most twice
        // the last.
        portion = portion.saturating_mul(2);
        lines = reading.lines(SliceView::Chain, &toggled);
    }
    if !is_whole {
        walk.into_rest()
            .into_iter()
            .try_for_each(|row| reading.take(row, &mut frames, &cancel))?;
        lines = reading.lines(SliceView::Chain, &toggled);
    }
    let words = SliceWords {
        session,
        reading: &reading,
        direction: Direction::Back,
        cancel: &cancel,
    };
    let mut shown = 0;
    for line in &lines {
        shown += usize::from(is_step(line));
        if shown > limit {
            let left = grouped(u64::try_from(count_steps(&lines) - limit).unwrap_or(u64::MAX));
            let more = if is_whole { "" } else { " or more" };
            return report.text(&format!("{left}{more} further rows are left out\n"));
        }
        let text = slice_line(line, &words.line(line)?, &session.index);
        report.text(&format!("{text}\n"))?;
    }
    if is_whole {
        return Ok(());
    }
    report.text(&format!(
        "stopped after {} steps: --limit goes further, --all-copies prints each step as it is found\n",
        grouped(u64::try_from(reading.len()).unwrap_or(u64::MAX))
    ))
}

fn count_steps(lines: &[ReadingLine]) -> usize {
    lines.iter().filter(|line| is_step(line)).count()
}

fn is_step(line: &ReadingLine) -> bool {
    matches!(line.kind, LineKind::Step(_))
}

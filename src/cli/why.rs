//! `stepback why`: the origin of a value, step by step.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use stepback_index::{
    BackwardSliceQuery, DefinedValues, Edge, EdgeKinds, ForwardSliceQuery, Query as _, QueryError,
    SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep, SliceUse, StepRecord,
    Steps, Value,
};
use stepback_machine::Endian;
use stepback_parsers::{Position, Step};

use super::cells::{check_cell, names_at, resolved, thread_id};
use super::command::Command;
use super::json::{StepJson, value_hex};
use super::question::Question;
use super::report::Report;
use super::text::{grouped, step_line};
use super::trace_arguments::TraceArguments;
use super::why_text;
use stepback_debugger::action::Direction;
use stepback_debugger::model::slice::{cell_words, edge_word, end_words, ended_words};
use stepback_debugger::model::so_far::doubt_words;
use stepback_debugger::place::PositionName;

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
    /// Also trace the flags that decide conditional instructions and selects, or that carry.
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
#[derive(Serialize)]
struct RowJson {
    #[serde(flatten)]
    step: StepJson,
    defines: Vec<DefinedJson>,
    why: Vec<&'static str>,
    r#for: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
}

#[derive(Serialize)]
struct DefinedJson {
    cell: String,
    value: Option<String>,
    /// Present if a part of the value is inferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    inferred: Option<bool>,
}

/// The end of a chain.
#[derive(Serialize)]
struct EndJson {
    /// Always null.
    step: Option<u64>,
    end: &'static str,
    cell: String,
    r#for: Vec<u64>,
    /// The reason in words.
    detail: String,
}

impl Command for WhyArguments {
    fn check(&self) -> Result<(), String> {
        check_cell(&self.what)
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

fn answer(arguments: &WhyArguments, report: &mut Report<'_>) -> Result<()> {
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
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let (cancel, index) = (report.cancel.clone(), &session.index);
    if arguments.forward {
        let mut walk = ForwardSliceQuery {
            cell,
            at,
            edges,
            limit,
        }
        .walk_of(index, thread, &cancel)?;
        let rows = Rows {
            way: Direction::Forward,
            limit,
        };
        rows.print_all(report, || walk.next(&cancel))?;
        return walk
            .what_is_left()
            .iter()
            .try_for_each(|row| rows.print(row, report));
    }
    let mut walk = BackwardSliceQuery {
        cell,
        at,
        edges,
        limit,
    }
    .walk_of(index, thread, &cancel)?;
    if !report.is_json && !arguments.all_copies {
        return why_text::print(walk, arguments.limit, report);
    }
    let rows = Rows {
        way: Direction::Back,
        limit,
    };
    rows.print_all(report, || walk.next(&cancel))?;
    walk.what_is_left()
        .iter()
        .try_for_each(|row| rows.print(row, report))
}

/// Prints the rows of a slice.
#[derive(Clone, Copy)]
struct Rows {
    way: Direction,
    /// Maximum number of steps.
    limit: usize,
}

impl Rows {
    /// Prints rows as they are found, up to the limit. Flushes each row before the next search, so
    /// a reader that closes the pipe ends the search.
    fn print_all(
        self,
        report: &mut Report<'_>,
        mut next: impl FnMut() -> Result<Option<SliceRow>, QueryError>,
    ) -> Result<()> {
        let mut count = 0;
        while count < self.limit
            && let Some(row) = next()?
        {
            count += usize::from(matches!(row, SliceRow::Step(_)));
            self.print(&row, report)?;
            report.flush()?;
        }
        Ok(())
    }

    fn print(self, row: &SliceRow, report: &mut Report<'_>) -> Result<()> {
        match row {
            SliceRow::Step(row) => print_step(row, report),
            SliceRow::End(end) => print_end(end, self.way, report),
        }
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
    let set = index.source().traits().instruction_set;
    let doubt = row.doubt.map(|doubt| doubt_words(doubt, set));
    let value =
        |defined: &SliceDefinition| value_hex(&in_order(defined, index.source().traits().endian));
    if report.is_json {
        let defined = |defined: &SliceDefinition| DefinedJson {
            cell: cell_words(defined.cell, index),
            value: value(defined),
            inferred: defined.is_inferred.then_some(true),
        };
        let step = StepJson::new(&record, index);
        let defines = defines.iter().map(defined).collect();
        let (why, wanted_by) = (edge_words(&row.wanted_by), steps_of(&row.wanted_by));
        return report.json(&RowJson {
            step,
            defines,
            why,
            r#for: wanted_by,
            doubt,
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
    let doubt = doubt.map(|doubt| format!("  {doubt}")).unwrap_or_default();
    let defines = defines.collect::<Vec<_>>().join("  ");
    let reasons = reasons(&row.wanted_by);
    report.text(&format!(
        "{:<64}  {defines:<32}  {reasons}{doubt}\n",
        step_line(&record, index)
    ))
}

/// Returns the bytes of a value in the order of a written number. Memory values are in address
/// order, so big-endian ones are reversed.
fn in_order(defined: &SliceDefinition, endian: Endian) -> Value {
    let mut value = defined.value.clone();
    if endian == Endian::Big && matches!(defined.cell, SliceCell::Memory { .. }) {
        value.0.reverse();
    }
    value
}

fn print_end(end: &SliceEnd, way: Direction, report: &mut Report<'_>) -> Result<()> {
    let (index, detail) = (
        &report.session.index,
        end_words(end, way, &report.session.index),
    );
    if report.is_json {
        let cell = cell_words(end.cell, index);
        let (end, wanted_by) = (end_word(end.end), steps_of(&end.wanted_by));
        return report.json(&EndJson {
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
    let words = edge_words(wanted_by).join(", ");
    let steps = steps_of(wanted_by);
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

fn edge_words(wanted_by: &[SliceUse]) -> Vec<&'static str> {
    let mut edges: Vec<Edge> = wanted_by.iter().map(|wanted| wanted.edge).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(edge_word).collect()
}

fn steps_of(wanted_by: &[SliceUse]) -> Vec<u64> {
    let mut steps: Vec<u64> = wanted_by
        .iter()
        .filter_map(|wanted| wanted.step)
        .map(|Step(step)| step)
        .collect();
    steps.dedup();
    steps
}

fn end_word(end: SliceEndKind) -> &'static str {
    match end {
        SliceEndKind::Constant => "constant",
        SliceEndKind::Initial { .. } => "initial",
        SliceEndKind::Image => "image",
        SliceEndKind::External { .. } => "external",
        SliceEndKind::System { .. } => "system",
        SliceEndKind::Unknown(_) => "unknown",
        SliceEndKind::Kept => "kept",
        SliceEndKind::Overwritten { .. } => "overwritten",
        SliceEndKind::Limit => "limit",
    }
}

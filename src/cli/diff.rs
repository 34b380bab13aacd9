//! `stepback diff`: differences between two positions.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::place::PositionName;
use stepback_index::Query as _;
use stepback_index::answer::{Difference, StepRecord, Value};
use stepback_index::query::DifferenceBetween;
use stepback_parsers::{Position, Step};

use super::cells::{resolved, thread_id};
use super::diff_calls;
use super::json::{StepJson, byte_string, hex, value_hex};
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped, step_line};
use crate::cli::question::{Command, TraceArguments};

#[derive(Debug, Args)]
pub struct DiffArguments {
    /// One position.
    #[arg(index = 2, value_name = "POS", allow_negative_numbers = true)]
    pub from: PositionName,
    /// The other position.
    #[arg(index = 3, value_name = "POS", allow_negative_numbers = true)]
    pub to: PositionName,
    /// Compare the calls around the two positions: the innermost call around the first, and the
    /// innermost call of the same function around the second.
    #[arg(long, conflicts_with = "thread")]
    pub calls: bool,
    /// Thread to take the registers from (default: the thread of the last step before the second
    /// position).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct DiffJson {
    from: u64,
    to: u64,
    registers: Vec<RegisterDiffJson>,
    memory: Vec<MemoryDiffJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A register that differs.
#[derive(Serialize, JsonSchema)]
struct RegisterDiffJson {
    reg: String,
    from: Option<String>,
    to: Option<String>,
    last_write: Option<StepJson>,
}

/// A run of memory that differs.
#[derive(Serialize, JsonSchema)]
struct MemoryDiffJson {
    address: String,
    from: String,
    to: String,
    last_write: Option<StepJson>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    diff_calls::forms(forms.or::<DiffJson>())
}

impl Command for DiffArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

fn answer(arguments: &DiffArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let from = resolved(&arguments.from, report)?;
    let to = resolved(&arguments.to, report)?;
    if arguments.calls {
        return diff_calls::answer(from, to, report);
    }
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let difference = DifferenceBetween { from, to, thread }.run(&session.index, &report.cancel)?;
    if let Some(note) = left_out(&difference) {
        report.note(&note);
    }
    match report.is_json {
        true => print_json(from, to, &difference, report),
        false => print_text(from, to, &difference, report),
    }
}

/// Returns a note about blocks that are not compared because inferring them would cost too much.
fn left_out(difference: &Difference) -> Option<String> {
    let blocks = Some(difference.blocks_not_inferred).filter(|blocks| *blocks > 0)?;
    Some(format!(
        "without a recorded value, too many to infer: {} of 64 bytes with changes",
        counted(blocks, "block")
    ))
}

fn print_json(
    from: Position,
    to: Position,
    difference: &Difference,
    report: &mut Report<'_>,
) -> Result<()> {
    let index = &report.session.index;
    let mut writers = WriterLookup { report, last: None };
    let mut registers = Vec::new();
    for register in &difference.registers {
        let last_write = writers
            .get(register.last_write)?
            .map(|record| StepJson::new(record, index));
        let (from, to) = (value_hex(&register.from), value_hex(&register.to));
        registers.push(RegisterDiffJson {
            reg: register.name.clone(),
            from,
            to,
            last_write,
        });
    }
    let mut memory = Vec::new();
    for run in &difference.memory {
        let last_write = writers
            .get(run.last_write)?
            .map(|record| StepJson::new(record, index));
        let (from, to) = (
            byte_string(run.from.iter().copied()),
            byte_string(run.to.iter().copied()),
        );
        memory.push(MemoryDiffJson {
            address: hex(run.address),
            from,
            to,
            last_write,
        });
    }
    report.json(&DiffJson {
        from: from.0,
        to: to.0,
        registers,
        memory,
        note: left_out(difference),
    })
}

fn print_text(
    from: Position,
    to: Position,
    difference: &Difference,
    report: &mut Report<'_>,
) -> Result<()> {
    let index = &report.session.index;
    let Difference {
        registers, memory, ..
    } = difference;
    let mut rows = Vec::new();
    for register in registers {
        let name = register.name.clone();
        rows.push((
            [name, shown(&register.from), shown(&register.to)],
            register.last_write,
        ));
    }
    for run in memory {
        let [from, to] = [&run.from, &run.to].map(|bytes| byte_string(bytes.iter().copied()));
        rows.push(([hex(run.address), from, to], run.last_write));
    }
    let (register_count, run_count) = (registers.len() as u64, memory.len() as u64);
    report.text(&format!(
        "from position {} to {}: {}, {} of memory\n",
        grouped(from.0),
        grouped(to.0),
        counted(register_count, "register"),
        counted(run_count, "run")
    ))?;
    let widths = [0, 1, 2].map(|column: usize| {
        let columns = rows.iter().filter_map(|(columns, _)| columns.get(column));
        columns.map(String::len).max().unwrap_or(0)
    });
    let [name_width, from_width, to_width] = widths;
    let mut last = None;
    for ([name, from, to], writer) in &rows {
        let mut writers = WriterLookup { report, last };
        let writer = writers.get(*writer)?.map(|record| step_line(record, index));
        last = writers.last;
        let line = format!(
            "{name:<name_width$}  {from:<from_width$}  {to:<to_width$}  {}",
            writer.unwrap_or_default()
        );
        report.text(&format!("{}\n", line.trim_end()))?;
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    value_hex(value).unwrap_or_else(|| "unknown".to_owned())
}

/// Reads the steps that wrote last. Caches one record, because neighbouring rows often have the
/// same writer.
struct WriterLookup<'a, 'b> {
    report: &'a Report<'b>,
    last: Option<StepRecord>,
}

impl WriterLookup<'_, '_> {
    fn get(&mut self, step: Option<Step>) -> Result<Option<&StepRecord>> {
        let Some(step) = step else { return Ok(None) };
        if self.last.as_ref().is_none_or(|record| record.step != step) {
            self.last = step_record(step, &self.report.session.index, &self.report.cancel)?;
            // Rows show only the step; its effects can number tens of thousands.
            self.last
                .iter_mut()
                .for_each(|record| record.effects = Vec::new());
        }
        Ok(self.last.as_ref())
    }
}

//! `stepback template try`: reads a trace with a description and shows the result.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use stepback_debugger::session::{Input, OpenOptions, read_template};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;
use stepback_parsers::btrace::BranchLayout;
use stepback_parsers::described_log::{LayoutTrial, PatternTrial};
use stepback_parsers::files::ForwardReader;
use stepback_parsers::template::{LineTemplate, RecordTemplate, Template};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::options::ReportOptions;
use crate::cli::progress::say;
use crate::cli::question::Command;
use crate::cli::report::{Destination, named_file};
use crate::cli::text::{counted, grouped, printable};

/// Number of records that are shown.
const RECORDS: usize = 4;
/// Bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 16;

/// Help text below the options.
pub const HELP: &str = "\
A description is a TOML file: patterns for the lines of a text log (the page record-own of the
guide), or the fields of a record (record-btrace). Open the trace with --record-layout LAYOUT.";

#[derive(Debug, Args)]
pub struct TemplateArguments {
    /// What to do: try shows what LAYOUT reads in FILE, and what it does not.
    #[arg(index = 1, value_name = "ACTION", value_parser = ["try"])]
    pub action: String,
    /// The log, or file of records.
    #[arg(index = 2, value_name = "FILE")]
    pub file: PathBuf,
    /// The description.
    #[arg(index = 3, value_name = "LAYOUT")]
    pub layout: PathBuf,
    #[command(flatten)]
    pub report: ReportOptions,
}

/// Result of reading a log with a description of its lines.
#[derive(Serialize, JsonSchema)]
struct LinesJson {
    lines: u64,
    patterns: Vec<PatternJson>,
    /// Lines that no pattern matches.
    other_lines: u64,
    steps: u64,
    steps_without_opcode: u64,
    register_writes: u64,
    loads: u64,
    stores: u64,
    /// The first threads.
    threads: Vec<String>,
    /// Registers that the architecture does not have: the first ones.
    other_registers: Vec<String>,
    problem_count: u64,
    first_problems: Vec<ProblemJson>,
}

#[derive(Serialize, JsonSchema)]
struct PatternJson {
    pattern: String,
    lines: u64,
    /// The first line that it matches.
    example: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ProblemJson {
    line: u64,
    column: u32,
    message: String,
}

/// Result of reading a file with a description of its records.
#[derive(Serialize, JsonSchema)]
struct RecordsJson {
    records: u64,
    /// Bytes after the last whole record.
    rest_bytes: u64,
    /// The fields of the first records.
    first: Vec<Map<String, Json>>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<LinesJson>().or::<RecordsJson>()
}

impl Command for TemplateArguments {
    fn run(&self) -> Result<()> {
        let (file, layout) = (&self.file, &self.layout);
        match &read_template(layout)? {
            Template::Lines(template) => self.print(&self.lines(template)?, lines_text),
            Template::Records(template) => {
                BranchLayout::of(template).map_err(|error| refused(layout, error))?;
                self.print(&records(file, template)?, records_text)
            }
        }
    }
}

impl TemplateArguments {
    /// Reads the whole log.
    fn lines(&self, template: &LineTemplate) -> Result<LinesJson> {
        let options = OpenOptions {
            record_layout: Some(self.layout.clone()),
            ..OpenOptions::new(&self.file)
        };
        let input = Input::open(&options)?;
        input.settle(&self.file, &BuildProgress::default(), &Cancel::default())?;
        let trial = LayoutTrial::of(template, input.source.as_ref());
        Ok(trial.map_err(|error| refused(&self.file, error))?.into())
    }

    fn print<T: Serialize>(&self, answer: &T, text_of: fn(&T) -> String) -> Result<()> {
        let inputs = [&*self.file, &*self.layout];
        let path = named_file(self.report.output.as_deref());
        let mut out = Destination::open(path, inputs)?;
        let text = match self.report.json {
            true => serde_json::to_string(answer)? + "\n",
            false => text_of(answer),
        };
        match out.write_all(text.as_bytes()) {
            Ok(()) => out.finish(),
            Err(error) => Err(out.error(error)),
        }
    }
}

fn refused(path: &Path, error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{}: {error}", path.display())
}

/// Reads the first records of a file, and counts the others.
fn records(path: &Path, template: &RecordTemplate) -> Result<RecordsJson> {
    let unreadable = |error: std::io::Error| refused(path, error);
    let file = Arc::new(File::open(path).map_err(unreadable)?);
    let mut reader = ForwardReader::open(file, template.first_record).map_err(unreadable)?;
    let record_bytes = template.record_bytes;
    let mut first = Vec::new();
    // Whole records, many at a time.
    let mut buffer = vec![0; record_bytes * (BUFFER_BYTES / record_bytes).max(1)];
    let mut bytes = 0;
    loop {
        let count = reader.read(&mut buffer).map_err(unreadable)?;
        bytes += count as u64;
        let records = buffer.get(..count).unwrap_or_default();
        for record in records
            .chunks_exact(record_bytes)
            .take(RECORDS - first.len())
        {
            let fields = template.fields().map(|(name, field)| {
                let value = format!("{:#x}", field.read(record));
                (name.to_owned(), value.into())
            });
            first.push(fields.collect());
        }
        if count < buffer.len() {
            break;
        }
    }
    if let Some(damage) = reader.damage() {
        say(&refused(path, damage).to_string());
    }
    Ok(RecordsJson {
        records: bytes / record_bytes as u64,
        rest_bytes: bytes % record_bytes as u64,
        first,
    })
}

fn lines_text(trial: &LinesJson) -> String {
    let mut text = format!("lines             {}\n", grouped(trial.lines));
    let mut row = |title: &str, value: String| text.push_str(&format!("{title:<17} {value}\n"));
    for (number, pattern) in trial.patterns.iter().enumerate() {
        let example = pattern.example.as_deref().map_or_else(
            || format!("none: {}", printable(&pattern.pattern)),
            |example| format!("{}, first: {}", grouped(pattern.lines), printable(example)),
        );
        row(&format!("  pattern {}", number + 1), example);
    }
    row("  no pattern", grouped(trial.other_lines));
    row("steps", grouped(trial.steps));
    if trial.steps_without_opcode > 0 {
        row("  without opcode", grouped(trial.steps_without_opcode));
    }
    row("threads", trial.threads.join(", "));
    row("register writes", grouped(trial.register_writes));
    if !trial.other_registers.is_empty() {
        let names: Vec<_> = trial
            .other_registers
            .iter()
            .map(|name| printable(name))
            .collect();
        row("  unknown names", names.join(", "));
    }
    row("loads", grouped(trial.loads));
    row("stores", grouped(trial.stores));
    row("problems", grouped(trial.problem_count));
    for problem in &trial.first_problems {
        let ProblemJson {
            line,
            column,
            message,
        } = problem;
        let message = printable(message);
        text.push_str(&format!("  line {line}, byte {column}: {message}\n"));
    }
    text
}

fn records_text(trial: &RecordsJson) -> String {
    let mut text = format!("records           {}\n", grouped(trial.records));
    if trial.rest_bytes > 0 {
        let rest = counted(trial.rest_bytes, "byte");
        text.push_str(&format!("  after the last  {rest}\n"));
    }
    for (number, record) in trial.first.iter().enumerate() {
        let field = |(name, value): (&String, &Json)| {
            format!("{name}={}", value.as_str().unwrap_or_default())
        };
        let fields: Vec<_> = record.iter().map(field).collect();
        text.push_str(&format!("  record {number}: {}\n", fields.join(" ")));
    }
    text
}

impl From<LayoutTrial> for LinesJson {
    fn from(trial: LayoutTrial) -> Self {
        let pattern = |pattern: PatternTrial| PatternJson {
            pattern: pattern.pattern,
            lines: pattern.lines,
            example: pattern.example,
        };
        let problems = trial.problems.into_iter().map(|problem| ProblemJson {
            line: problem.place.line_in_range + 1,
            column: problem.column,
            message: problem.kind.to_string(),
        });
        Self {
            lines: trial.lines,
            patterns: trial.patterns.into_iter().map(pattern).collect(),
            other_lines: trial.other_lines,
            steps: trial.steps,
            steps_without_opcode: trial.steps_without_opcode,
            register_writes: trial.register_writes,
            loads: trial.loads,
            stores: trial.stores,
            threads: trial.threads,
            other_registers: trial.other_registers.into_iter().collect(),
            problem_count: trial.problem_count,
            first_problems: problems.collect(),
        }
    }
}

//! `stepback callinfo`: when functions were reached.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, ensure};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::names::{NameError, code_address};
use stepback_debugger::analysis::sites::{Site, SitePlace, Sites};
use stepback_debugger::image::{SourceLineName, Symbol};
use stepback_index::Query as _;
use stepback_index::query::{FindMarkers, NearestVisit, Steps, VisitsFrom};
use stepback_index::read::SlotReader;
use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position, Step};

use super::cells::names_at;
use super::json::{FunctionJson, StepJson};
use super::question::Question;
use super::report::Report;
use super::text::printable;
use crate::cli::question::{Command, TraceArguments};

/// Number of visits looked up at once.
const BLOCK: usize = 4096;
/// Maximum number of markers examined per step.
const MARKERS: usize = 64;

/// Help text below the options.
pub const HELP: &str = "\
Every step at the address is listed, whether or not a call led there. An instruction that a trap
interrupts and that is executed later (SPARC: a save that first spills a window) is listed once.
In a trace without lines, i:N is the number of the instruction.
JSON: one line per visit: the step, \"query\" (FUNC as typed), \"function\", and \"offset\" in the file.";

#[derive(Debug, Args)]
pub struct CallinfoArguments {
    /// Functions by name, source lines as FILE:LINE, or addresses.
    #[arg(index = 2, value_name = "FUNC|ADDR", required = true, num_args = 1..)]
    pub functions: Vec<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Serialize, JsonSchema)]
struct VisitJson<'a> {
    /// The function as typed.
    query: &'a str,
    /// The function at the address.
    function: FunctionJson,
    #[serde(flatten)]
    step: StepJson,
    /// Offset of the step's text in the trace. None in a trace without lines.
    offset: Option<u64>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<VisitJson<'_>>().by_line()
}

impl Command for CallinfoArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the visits of each function.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &CallinfoArguments, report: &mut Report<'_>) -> Result<()> {
    for text in &arguments.functions {
        let found = places(text, report)?;
        if found.is_empty() {
            let name = printable(text);
            let why = match report.session.images.is_empty() {
                true => format!("No image, symbol '{name}' can not be looked up !"),
                false => format!("Symbol '{name}' not found !"),
            };
            match report.is_json {
                true => report.note(&why),
                false => report.text(&format!("{why}\n"))?,
            }
            if report.session.images.is_empty() {
                report.note("no image: give one with --image");
            }
        }
        for (address, symbol) in found {
            print(text, address, symbol, report)?;
        }
    }
    Ok(())
}

/// Resolves the text as a symbol first, then as an expression. There can be several, since static
/// functions can share a name. A single word that is neither symbol nor number is a missing symbol,
/// for which the result is empty.
///
/// # Errors
/// The expression is invalid or has no value, or the trace fails.
pub fn places<'a>(text: &str, report: &Report<'a>) -> Result<Vec<(Address, Option<&'a Symbol>)>> {
    let session = report.session;
    let symbols = session.images.symbols_named(text);
    let is_line = |line: &SourceLineName| symbols.is_empty() && !line.file.contains("::");
    if let Some(line) = SourceLineName::parse(text).filter(is_line) {
        let code = line.code(&session.images, &report.cancel)?;
        ensure!(!code.is_empty(), NameError::NoCode(line));
        return Ok(code.into_iter().map(|address| (address, None)).collect());
    }
    let is_word = !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.' | ':'));
    if is_word || !symbols.is_empty() {
        let places = symbols.into_iter();
        return Ok(places
            .map(|symbol| (symbol.address, Some(symbol)))
            .collect());
    }
    let names = names_at(report, session.index.end(), None)?;
    let place = |number| {
        let address = code_address(number, &session.index, &report.cancel)?;
        Ok((address, None))
    };
    names.numbers(text)?.into_iter().map(place).collect()
}

fn print(
    text: &str,
    address: Address,
    symbol: Option<&Symbol>,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    let cancel = report.cancel.clone();
    let sites = Sites::new(&session.index, &cancel);
    let mut from = Position(0);
    let mut header = symbol;
    loop {
        let visits = VisitsFrom {
            pc: address,
            from,
            limit: BLOCK,
        }
        .run(&session.index, &cancel)?;
        if let Some(symbol) = header.take().filter(|_| !report.is_json) {
            let first = visits.first().map(|step| sites.border(*step)).transpose()?;
            report.text(&header_text(text, symbol, first.map(|(_, at)| at)))?;
        }
        for step in &visits {
            if !comes_again(address, *step, report)? {
                print_visit(text, *step, &sites, report)?;
            }
        }
        match visits.last() {
            Some(last) if visits.len() == BLOCK => from = last.after(),
            _ => return Ok(()),
        }
    }
}

/// Returns true if a register-window trap interrupted this visit and the instruction is executed
/// later. Such a function is entered only once.
fn comes_again(address: Address, step: Step, report: &Report<'_>) -> Result<bool> {
    let (index, cancel) = (&report.session.index, &report.cancel);
    let thread = SlotReader(index).thread_at(step.after())?;
    if !index.instruction_set(thread).has_windows() {
        return Ok(false);
    }
    let records = Steps {
        first: step,
        count: 1,
    }
    .run(index, cancel)?;
    if records.first().is_none_or(|record| record.is_executed) {
        return Ok(false);
    }
    let (kinds, at) = (vec![MarkerKind::HARDWARE_EVENT], step.after());
    let markers = FindMarkers {
        kinds,
        thread: Some(thread),
        from: at,
        to: at,
        limit: MARKERS,
    }
    .run(index, cancel)?;
    let is_trap = markers
        .iter()
        .any(|hit| hit.step == Some(step) && hit.marker.value == address.0);
    let later = NearestVisit {
        thread: Some(thread),
        ..NearestVisit::next(address, at)
    }
    .run(index, cancel)?;
    Ok(is_trap && later.is_some_and(|visit| visit.record.is_executed))
}

/// Formats the header line. Bit 0 marks the address of a Thumb function; only a visit shows it.
fn header_text(text: &str, symbol: &Symbol, first: Option<Site>) -> String {
    let pc = first.map_or(symbol.address.0, |site| symbol.address.0 | site.pc & 1);
    format!(
        "Symbol '{}' at {pc:#x} ({} bytes) called from :\n",
        printable(text),
        symbol.size_bytes
    )
}

fn print_visit(query: &str, step: Step, sites: &Sites<'_>, report: &mut Report<'_>) -> Result<()> {
    let Site { time, place, .. } = sites.border(step)?.1;
    if !report.is_json {
        let time = time.map(|time| format!("time: {time} "));
        let place = match place {
            SitePlace::Text { line, offset } => format!("(line:{line}, pos:{offset})"),
            SitePlace::Step(step) => format!("(i:{})", step.after().0),
        };
        return report.text(&format!(" - {}{place}\n", time.unwrap_or_default()));
    }
    let offset = match place {
        SitePlace::Text { offset, .. } => Some(offset),
        SitePlace::Step(_) => None,
    };
    let index = &report.session.index;
    let records = Steps {
        first: step,
        count: 1,
    }
    .run(index, &report.cancel)?;
    for record in records {
        report.json(&VisitJson {
            query,
            function: FunctionJson::new(record.pc, report.session),
            step: StepJson::new(&record, index),
            offset,
        })?;
    }
    Ok(())
}

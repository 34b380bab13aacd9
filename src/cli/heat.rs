//! `stepback heat`: the most accessed pages of memory.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use stepback_parsers::Position;

use super::cells::resolved;
use super::command::Command;
use super::json::hex;
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped};
use super::trace_arguments::TraceArguments;
use stepback_debugger::analysis::counts::{HotPages, PageTotals, hot_pages};
use stepback_debugger::place::PositionName;

#[derive(Debug, Args)]
pub struct HeatArguments {
    /// Start position (default: start).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub from: Option<PositionName>,
    /// End position (default: end).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub to: Option<PositionName>,
    /// Maximum number of pages, most accesses first.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Serialize)]
struct PageJson {
    /// Owner of the memory. Missing in a trace of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<String>,
    address: String,
    size: u64,
    reads: u64,
    writes: u64,
}

impl Command for HeatArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the pages, most accesses first.
fn answer(arguments: &HeatArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let resolve = |place: &Option<PositionName>, default| match place {
        Some(place) => resolved(place, report),
        None => Ok(default),
    };
    let from = resolve(&arguments.from, Position(0))?;
    let to = resolve(&arguments.to, session.index.end())?;
    let HotPages {
        page_bytes,
        mut pages,
    } = hot_pages(&session.index, from, to, &report.cancel)?;
    let all = pages.len() as u64;
    pages.truncate(arguments.limit.unwrap_or(usize::MAX));
    if !report.is_json {
        report.text(&format!(
            "{:<18} {:>16} {:>16}\n",
            "page", "reads", "writes"
        ))?;
    }
    for PageTotals {
        process,
        first,
        reads,
        writes,
    } in pages
    {
        match report.is_json {
            true => report.json(&PageJson {
                process,
                address: hex(first),
                size: page_bytes,
                reads,
                writes,
            })?,
            false => {
                let process = process
                    .map(|process| format!("  process {process}"))
                    .unwrap_or_default();
                let (reads, writes) = (grouped(reads), grouped(writes));
                report.text(&format!(
                    "{:<18} {reads:>16} {writes:>16}{process}\n",
                    first.to_string()
                ))?
            }
        }
    }
    if !report.is_json {
        report.text(&format!(
            "{} of {} bytes\n",
            counted(all, "page"),
            grouped(page_bytes)
        ))?;
    }
    Ok(())
}

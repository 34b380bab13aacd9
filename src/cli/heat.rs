//! `stepback heat`: which pages of memory are read and written how often.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use stepback_index::{HotPage, PageHeat, Query as _};

use super::command::Command;
use super::json::hex;
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped};
use super::trace_arguments::TraceArguments;
use crate::place::Place;

/// When, and how many pages.
#[derive(Debug, Args)]
pub struct HeatArguments {
    /// From where (default: start).
    #[arg(long, value_name = "POS")]
    pub from: Option<Place>,
    /// To where (default: end).
    #[arg(long, value_name = "POS")]
    pub to: Option<Place>,
    /// At most so many pages, those with most accesses.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

/// A page.
#[derive(Serialize)]
struct PageJson {
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

/// Prints the pages, the hottest first.
fn answer(arguments: &HeatArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let resolve = |place: &Option<Place>, default| match place {
        Some(place) => place.resolve(session, &report.cancel),
        None => Ok(default),
    };
    let from = resolve(&arguments.from, stepback_parsers::Position(0))?;
    let to = resolve(&arguments.to, session.index.end())?;
    let heat = PageHeat { from, to, buckets: 1 }.run(&session.index, &report.cancel)?;
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum();
    let page = |page: &HotPage| (page.first, sum(&page.reads), sum(&page.writes));
    let mut pages: Vec<(_, u64, u64)> = heat.pages.iter().map(page).collect();
    pages.sort_by_key(|(first, reads, writes)| (std::cmp::Reverse(reads + writes), *first));
    let all = pages.len() as u64;
    pages.truncate(arguments.limit.unwrap_or(usize::MAX));
    if !report.is_json {
        report.text(&format!("{:<18} {:>16} {:>16}\n", "page", "reads", "writes"))?;
    }
    for (first, reads, writes) in pages {
        match report.is_json {
            true => report.json(&PageJson { address: hex(first), size: heat.page_bytes, reads, writes })?,
            false => {
                report.text(&format!("{:<18} {:>16} {:>16}\n", first.to_string(), grouped(reads), grouped(writes)))?
            }
        }
    }
    if !report.is_json {
        report.text(&format!("{} of {} bytes\n", counted(all, "page"), grouped(heat.page_bytes)))?;
    }
    Ok(())
}

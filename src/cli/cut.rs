//! `stepback cut`: copies the lines of a range of steps, unchanged.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};
use clap::Args;
use stepback_debugger::place::PositionName;
use stepback_index::read::SlotReader;
use stepback_parsers::{Source as _, Tarmac};

use crate::cli::cells::resolved_range;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::counted;

/// Number of bytes copied at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// Help text below the options.
pub const HELP: &str = "\
The copy has the lines of the steps from FROM to TO and of everything between them. Its steps are
numbered from 0, and registers, memory and calls from before FROM are unknown until a line states
them.";

#[derive(Debug, Args)]
pub struct CutArguments {
    /// Position of the start: the first line is that of the step after it.
    #[arg(index = 2, value_name = "FROM", allow_negative_numbers = true)]
    pub from: PositionName,
    /// Position of the end: the last line is that of the step before it.
    #[arg(index = 3, value_name = "TO", allow_negative_numbers = true)]
    pub to: PositionName,
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for CutArguments {
    fn check(&self) -> Result<(), String> {
        if self.common.report.json {
            Err("the copy is no JSON: leave out --json".to_owned())
        } else {
            Ok(())
        }
    }

    fn text_only(&self) -> Option<(&Path, &'static str)> {
        let advice =
            "only Tarmac traces can be cut; list --records prints a part of a binary trace";
        Some((&self.common.trace, advice))
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| copy(self, report))
    }
}

fn copy(arguments: &CutArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let Range {
        start: from,
        end: to,
    } = resolved_range(&arguments.from, &arguments.to, report)?;
    let tarmac = session.index.source().downcast::<Tarmac>();
    let tarmac = tarmac.ok_or_else(|| anyhow!("only a Tarmac trace of one file can be cut"))?;
    let text = SlotReader(&session.index).text_between(from, to)?;
    let (mut at, mut buffer) = (text.start, Vec::new());
    while at < text.end {
        report.cancel.check()?;
        let next = at.saturating_add(CHUNK_BYTES).min(text.end);
        buffer.clear();
        tarmac.read_raw(at..next, &mut buffer)?;
        report.bytes(&buffer)?;
        let progress = report.progress;
        progress
            .bytes_total
            .store(text.end - text.start, Ordering::Relaxed);
        progress
            .bytes_done
            .store(next - text.start, Ordering::Relaxed);
        at = next;
    }
    let steps = counted(to.0 - from.0, "step");
    report.note(&format!(
        "{steps} copied; what was known before them is not in the copy"
    ));
    Ok(())
}

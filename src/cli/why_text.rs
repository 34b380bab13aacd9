//! `stepback why` as text: copies collapsed, arithmetic as expressions, rows grouped by call.

use std::collections::HashSet;

use anyhow::Result;
use stepback_index::{BackwardSliceWalk, SliceRowDetail};

use super::report::Report;
use super::text::{grouped, printable};
use stepback_debugger::action::Direction;
use stepback_debugger::analysis::slice::{
    Frames, LineKind, ReadingLine, ReadingMode, ReadingView, SliceReading,
};
use stepback_debugger::model::slice::{LineWords, SliceWords};

/// Initial number of steps read at a time.
const PORTION: usize = 512;

/// Number of extra lines to read before printing, since later steps can remove lines.
const SPARE_LINES: usize = 16;

/// Maximum number of steps kept until they are printed, some ten megabytes, unless more lines are
/// requested. Steps are kept because a later step can remove lines of earlier ones.
const MOST_STEPS: usize = 1 << 14;

/// Prints a slice, with at most `limit` step lines, from at most [`MOST_STEPS`] steps unless the
/// limit is larger.
pub fn print(
    mut walk: BackwardSliceWalk<'_>,
    limit: Option<usize>,
    report: &mut Report<'_>,
) -> Result<()> {
    let most = limit.map_or(MOST_STEPS, |limit| limit.max(MOST_STEPS));
    let limit = limit.unwrap_or(usize::MAX);
    let (session, cancel) = (report.session, report.cancel.clone());
    let (mut reading, mut frames) = (SliceReading::default(), Frames::new(&session.index));
    let toggled = HashSet::new();
    let view = ReadingView {
        reading: ReadingMode::Chain,
        toggled: &toggled,
    };
    let mut lines = Vec::new();
    let mut is_whole = false;
    let mut portion = PORTION;
    while !is_whole && reading.len() < most && steps_of(&lines) < limit.saturating_add(SPARE_LINES)
    {
        for _ in 0..portion {
            if reading.len() >= most {
                break;
            }
            let Some(seen) = walk.next_seen(&cancel)? else {
                is_whole = true;
                break;
            };
            reading.take(seen, &mut frames, &cancel)?;
        }
        // Each pass reads all steps again. The portions double, so all passes cost at most twice
        // the last.
        portion = portion.saturating_mul(2);
        lines = reading.lines(&view);
    }
    if !is_whole {
        let left = walk
            .what_is_left()
            .into_iter()
            .map(|row| SliceRowDetail { row, sight: None });
        left.into_iter()
            .try_for_each(|seen| reading.take(seen, &mut frames, &cancel))?;
        lines = reading.lines(&view);
    }
    let words = SliceWords {
        session,
        reading: &reading,
        way: Direction::Back,
        cancel: &cancel,
    };
    let mut shown = 0;
    for line in &lines {
        shown += usize::from(is_step(line));
        if shown > limit {
            let left = grouped(u64::try_from(steps_of(&lines) - limit).unwrap_or(u64::MAX));
            let more = if is_whole { "" } else { " or more" };
            return report.text(&format!("{left}{more} further rows are left out\n"));
        }
        print_line(line, &words.line(line)?, report)?;
    }
    if is_whole {
        return Ok(());
    }
    report.text(&format!(
        "stopped behind {} steps: --limit goes further, --all-copies prints each step as it is found\n",
        grouped(u64::try_from(reading.len()).unwrap_or(u64::MAX))
    ))
}

fn print_line(line: &ReadingLine, words: &LineWords, report: &mut Report<'_>) -> Result<()> {
    let width = grouped(report.session.index.step_count()).len();
    let step = words.step.map(|step| grouped(step.0)).unwrap_or_default();
    let indent = "  ".repeat(usize::from(line.depth).min(MOST_INDENTS));
    let text = format!("{step:>width$}  {indent}{}", printable(&words.text));
    let mut notes = words.notes.clone();
    notes.extend(Some(words.reason()).filter(|reason| !reason.is_empty()));
    let notes = printable(&notes.join("; "));
    let whole = match line.kind {
        LineKind::Call { .. } | LineKind::End(_) | LineKind::Rounds(_) => text,
        _ => format!("{text:<64}  {:<20}  {notes}", printable(&words.value)),
    };
    report.text(&format!("{}\n", whole.trim_end()))
}

/// Maximum indentation of nested calls.
const MOST_INDENTS: usize = 12;

fn steps_of(lines: &[ReadingLine]) -> usize {
    lines.iter().filter(|line| is_step(line)).count()
}

fn is_step(line: &ReadingLine) -> bool {
    matches!(line.kind, LineKind::Step(_))
}

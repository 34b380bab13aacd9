//! Checks the rules that hold for every format, in one pass over the events of a trace.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use stepback_index::build::BuildProgress;
use stepback_index::in_order::{in_parts, map_in_order, parse_part};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, QueryError};
use stepback_parsers::Position;
use stepback_parsers::check::Findings;

use crate::analysis::check::instructions::InstructionCache;
use crate::analysis::check::ordered_check::OrderedCheck;
use crate::analysis::check::part_check::PartCheck;
use crate::analysis::check::part_event::PartEvents;

/// Number of ranges of text in a part. Each range has a thousand steps.
const RANGES: usize = 4;

/// Length of a part in bytes from which its events are not kept until its turn, as of a trace
/// without steps.
const LONG_PART: u64 = 4 << 20;

/// Buffers of finished parts.
#[derive(Default)]
struct UnusedBuffers {
    instructions: Vec<InstructionCache>,
    events: Vec<PartEvents>,
}

/// Reads the events of a trace and adds a finding for each violation. `progress` continues from its
/// present value. Returns true if something other than the traced instructions may write memory: an
/// operating system, an interrupt or device, another processor.
///
/// # Errors
/// The trace could not be read, or the check was cancelled.
pub fn check_events(
    index: &Index,
    findings: &mut Findings,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<bool> {
    let ranges = SlotReader(index).text_parts(Position(0)..index.end());
    let parts = in_parts(ranges, RANGES).map(joined);
    check_parts(index, parts, findings, progress, cancel)
}

/// Checks contiguous parts of a trace on all threads, and what depends on the parts before in order:
/// see [`check_events`].
///
/// # Errors
/// The trace could not be read, or the check was cancelled.
pub fn check_parts(
    index: &Index,
    parts: impl Iterator<Item = Result<Range<u64>, QueryError>>,
    findings: &mut Findings,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<bool> {
    let source = index.source().as_ref();
    let mut ordered = OrderedCheck::new(index, findings, progress, cancel);
    let unused: Mutex<UnusedBuffers> = Mutex::default();
    let lock = || unused.lock().unwrap_or_else(PoisonError::into_inner);
    let check = |part: Result<Range<u64>, QueryError>| {
        cancel.check()?;
        let range = part?;
        let mut found = lock().events.pop().unwrap_or_default();
        let is_long = range.end - range.start > LONG_PART;
        if !is_long {
            let mut instructions = lock().instructions.pop().unwrap_or_default();
            let mut part = PartCheck::new(source, &mut instructions, &mut found);
            found.lines = parse_part(source, range.clone(), &mut part)?.lines;
            lock().instructions.push(instructions);
        }
        Ok::<_, QueryError>((range, is_long, found))
    };
    map_in_order(parts, check, |(range, is_long, mut found)| {
        if is_long {
            let mut instructions = InstructionCache::default();
            let mut part =
                PartCheck::new(source, &mut instructions, &mut found).with_receiver(&mut ordered);
            found.lines = parse_part(source, range.clone(), &mut part)?.lines;
        }
        ordered.take_part(&found);
        found.clear();
        lock().events.push(found);
        ordered.progress(range.end);
        cancel.check()
    })?;
    ordered.finish();
    Ok(ordered.has_others)
}

/// Joins contiguous ranges.
fn joined(ranges: Vec<Result<Range<u64>, QueryError>>) -> Result<Range<u64>, QueryError> {
    let mut whole: Option<Range<u64>> = None;
    for range in ranges {
        let range = range?;
        let start = whole.map_or(range.start, |whole| whole.start);
        whole = Some(start..range.end);
    }
    Ok(whole.unwrap_or_default())
}

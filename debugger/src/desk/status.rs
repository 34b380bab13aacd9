//! Contents of the status bar for a position.

use stepback_index::{Cancel, Query as _, Steps};
use stepback_parsers::{Position, Step};

use super::words::count;
use crate::messages::say;
use crate::model::clock::clock_text;
use crate::model::source_view::instruction_at;
use crate::session::Session;
use crate::worker::Slot;

/// Slot for the contents of the status bar.
pub type StatusSlot = Slot<Position, PositionStatus>;

/// The step just before a position, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionStatus {
    /// Line number in the trace.
    pub line: Option<u64>,
    /// Record number as the stock tools count, in formats that have one.
    pub record: Option<u64>,
    /// Time; a date if the trace's clock counts real time.
    pub time: Option<String>,
    pub thread: Option<String>,
    /// Function that contains the position, with the offset: after a call, the callee.
    pub symbol: Option<String>,
    /// Call depth of the position.
    pub depth: Option<u64>,
}

impl PositionStatus {
    /// Returns the known parts, each with its label.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let parts = [
            (say!("status-line"), self.line.map(count)),
            (say!("status-record"), self.record.map(count)),
            (say!("status-time"), self.time.clone()),
            (say!("status-thread"), self.thread.clone()),
            (say!("status-in"), self.symbol.clone()),
            (say!("status-depth"), self.depth.map(count)),
        ];
        parts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// Looks up the contents for a position. At the start of the trace they describe the first step.
pub fn status_at(
    session: &Session,
    position: Position,
    cancel: &Cancel,
) -> anyhow::Result<PositionStatus> {
    let index = &session.index;
    let first = position.last_step().unwrap_or(Step(0));
    let records = Steps { first, count: 1 }.run(index, cancel)?;
    let Some(record) = records.first() else {
        return Ok(PositionStatus::default());
    };
    let here = instruction_at(session, record.thread, position, cancel)?;
    let innermost = index.calls().innermost_at(record.thread, position);
    Ok(PositionStatus {
        line: record.line.map(|line| line.0),
        record: record_of(session, position)?,
        time: record.time.map(|time| {
            if session.drmemtrace().is_some() {
                clock_text(time)
            } else {
                time.to_string()
            }
        }),
        thread: index
            .threads()
            .get(usize::from(record.thread.0))
            .map(|thread| thread.name.clone()),
        symbol: here.and_then(|pc| session.images.name_at(pc)),
        depth: innermost
            .and_then(|call| index.calls().get(call))
            .map(|call| u64::from(call.depth)),
    })
}

/// Returns the first record of the step before a position.
fn record_of(session: &Session, position: Position) -> anyhow::Result<Option<u64>> {
    let Some(trace) = session.drmemtrace().filter(|_| position.0 > 0) else {
        return Ok(None);
    };
    let mut found = None;
    trace.records(position.0..position.0.saturating_add(1), |record| {
        found = Some(record.ordinal);
        false
    })?;
    Ok(found)
}

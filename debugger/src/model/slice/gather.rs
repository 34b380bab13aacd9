//! Walks a slice backward or forward on a worker, and publishes partial results.
//!
//! The walk is deterministic: a request for more rows repeats it, and builds only the new ones. The
//! lines are formatted from scratch each time, because a later row may change an earlier line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use stepback_index::Cancel;
use stepback_index::answer::{Cell, SliceRow, SliceStepDetail};
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_parsers::Position;

use crate::analysis::names::NameResolver;
use crate::analysis::slice::{
    FoldState, Frames, LineKind, ReadingLine, RowId, SliceReading, SliceRowRole,
};
use crate::analysis::tracked::cell_value;
use crate::model::slice::line_words::{LineWords, SliceWords};
use crate::model::slice::row_maker::SliceRowBuilder;
use crate::model::slice::whole::{ReadingWords, Slice, SliceListRow, SliceProgress, SliceSubject};
use crate::model::slice::words::direction_of;
use crate::model::text::short_hex;
use crate::notes::SavedSliceQuery;
use crate::session::Session;

/// Minimum time between two published partial results.
const INTERVAL: Duration = Duration::from_millis(120);
/// Number of rows in the first published result: enough to fill a screen.
const SCREEN: usize = 60;

/// Slice request with its limits.
#[derive(Clone, Debug)]
pub struct SliceRequest {
    pub question: SavedSliceQuery,
    /// Maximum number of steps.
    pub limit: usize,
    /// Earlier result that the walk continues.
    pub before: Option<Arc<Slice>>,
}

/// Computes a slice and publishes partial results on the way. Runs on a worker.
///
/// # Errors
/// The cell does not exist, or the trace cannot be read.
pub fn gather_slice(
    session: &Session,
    requested: &SliceRequest,
    cancel: &Cancel,
    publish: &mut dyn FnMut(Arc<Slice>),
) -> Result<Arc<Slice>> {
    let subject = match &requested.before {
        Some(before) => before.subject.clone(),
        None => subject_of(session, &requested.question, cancel)?,
    };
    let query = SliceQuery {
        cell: subject.cell,
        at: Position(requested.question.at),
        direction: direction_of(&requested.question),
        edges: requested.question.edges,
        limit: requested.limit,
    };
    let mut walk = query.walk(&session.index, None, cancel)?;
    let mut gathered = SliceCollector::new(session, requested, subject);
    // The walk is deterministic, so rows that are already known are not built again.
    let mut known = gathered.count();
    let (mut published, mut pause, first) = (Instant::now(), INTERVAL, known + SCREEN);
    while let Some(row) = walk.next(cancel)? {
        if known > 0 {
            known -= 1;
            continue;
        }
        gathered.take(row, cancel)?;
        if gathered.count() == first || published.elapsed() > pause {
            let begun = Instant::now();
            publish(gathered.slice(SliceProgress::UnderWay, cancel)?);
            // A long list takes longer to publish, so the pause grows with it.
            (published, pause) = (Instant::now(), INTERVAL.max(10 * begun.elapsed()));
        }
    }
    let end = match walk.into_rest().len() {
        0 => SliceProgress::Whole,
        left => SliceProgress::Limit(left),
    };
    gathered.slice(end, cancel)
}

/// Rows collected until now.
struct SliceCollector<'a> {
    session: &'a Session,
    question: &'a SavedSliceQuery,
    subject: SliceSubject,
    frames: Frames<'a>,
    reading: SliceReading,
    rows: Vec<Arc<SliceListRow>>,
    ends: Vec<Arc<SliceListRow>>,
}

impl<'a> SliceCollector<'a> {
    fn new(session: &'a Session, requested: &'a SliceRequest, subject: SliceSubject) -> Self {
        let frames = Frames::new(&session.index);
        let (reading, rows, ends) = match &requested.before {
            Some(before) => (
                SliceReading::clone(&before.reading),
                before.rows.clone(),
                before.ends.clone(),
            ),
            None => (SliceReading::default(), Vec::new(), Vec::new()),
        };
        Self {
            session,
            question: &requested.question,
            subject,
            frames,
            reading,
            rows,
            ends,
        }
    }

    fn count(&self) -> usize {
        self.rows.len() + self.ends.len()
    }

    fn take(&mut self, mut row: SliceRow, cancel: &Cancel) -> Result<()> {
        let maker = SliceRowBuilder {
            session: self.session,
            direction: direction_of(self.question),
            cancel,
        };
        let shown = Arc::new(maker.row(&row)?);
        match &mut row {
            SliceRow::Step(step) => {
                // The address identifies the iterations of a loop. A forward walk has no details.
                let set = self.session.index.instruction_set(step.thread);
                let place = shown.address.map(|pc| SliceStepDetail {
                    pc,
                    set,
                    instruction: None,
                    accesses: Vec::new(),
                });
                step.detail = step.detail.take().or(place);
                self.rows.push(shown);
            }
            SliceRow::End(_) => self.ends.push(shown),
        }
        Ok(self.reading.take(row, &mut self.frames, cancel)?)
    }

    fn slice(&self, end: SliceProgress, cancel: &Cancel) -> Result<Arc<Slice>> {
        Ok(Arc::new(Slice {
            question: self.question.clone(),
            subject: self.subject.clone(),
            words: Arc::new(self.words(cancel)?),
            reading: Arc::new(self.reading.clone()),
            rows: self.rows.clone(),
            ends: self.ends.clone(),
            positions: Slice::positions_of(&self.rows),
            end,
            is_of_part: !self.session.index.is_whole(),
        }))
    }

    /// Formats the lines of the reading from scratch, because a later row may change the meaning of
    /// an earlier line.
    fn words(&self, cancel: &Cancel) -> Result<ReadingWords> {
        let words = SliceWords {
            session: self.session,
            reading: &self.reading,
            direction: direction_of(self.question),
            cancel,
        };
        let of = |kind| {
            words.line(&ReadingLine {
                kind,
                depth: 0,
                fold: FoldState::Leaf,
            })
        };
        let mut calls = HashMap::new();
        let mut steps = Vec::with_capacity(self.rows.len());
        for id in self.reading.ids() {
            let Some(row) = self.reading.row(id) else {
                continue;
            };
            if let Entry::Vacant(free) = calls.entry(row.call) {
                let head = LineKind::Call {
                    call: row.call,
                    thread: row.slice.thread,
                    first: RowId(0),
                };
                free.insert(of(head)?.text);
            }
            let has_line = matches!(row.role, SliceRowRole::Shown | SliceRowRole::Copied(None));
            steps.push(if has_line {
                of(LineKind::Step(id))?
            } else {
                LineWords::default()
            });
        }
        Ok(ReadingWords { steps, calls })
    }
}

/// Resolves the queried cell and reads its value.
fn subject_of(
    session: &Session,
    question: &SavedSliceQuery,
    cancel: &Cancel,
) -> Result<SliceSubject> {
    let at = Position(question.at).min(session.index.end());
    let cell = NameResolver::new(&session.index, &session.images, at, None, cancel)?
        .cell(&question.cell)?;
    let held = cell_value(&session.index, cell, at, cancel)?;
    let label = match cell {
        Cell::Register { thread, view } => {
            NameReader(&session.index).register_name(view, session.index.instruction_set(thread))
        }
        Cell::Memory {
            address,
            len_bytes: 1,
        } => format!("[{:x}]", address.0),
        Cell::Memory { address, len_bytes } => format!("[{:x}:{len_bytes}]", address.0),
        Cell::Physical { .. } => question.cell.clone(),
    };
    Ok(SliceSubject {
        cell,
        label,
        value: short_hex(&held.value),
        source: held.source,
    })
}

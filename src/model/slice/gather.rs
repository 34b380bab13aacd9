//! Gathers the rows of a slice while a worker walks it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use stepback_index::{Cancel, Cell, EdgeKinds, NameReader, SliceRow, Why};
use stepback_parsers::Position;

use super::row::WhyRow;
use super::row_maker::RowMaker;
use super::slice::{Slice, SliceEnd, Subject};
use crate::analysis::cell_value::cell_value;
use crate::analysis::names::NamesAt;
use crate::model::text::short_hex;
use crate::notes::{SliceEdges, SliceQuestion};
use crate::session::Session;

/// How often what was found is handed out.
const INTERVAL: Duration = Duration::from_millis(120);
/// So many rows are handed out at once: they fill a screen.
const SCREEN: usize = 40;

/// A question, and how far it goes.
#[derive(Clone, Debug)]
pub struct SliceAsked {
    /// What is asked.
    pub question: SliceQuestion,
    /// So many steps at most.
    pub limit: usize,
    /// What is known already.
    pub before: Option<Arc<Slice>>,
}

/// Walks a slice, and hands out what there is while it goes on. Runs on a worker.
///
/// # Errors
/// The cell is none, or the trace cannot be read.
pub fn gather_slice(
    session: &Session,
    asked: &SliceAsked,
    cancel: &Cancel,
    publish: &mut dyn FnMut(Arc<Slice>),
) -> Result<Arc<Slice>> {
    let subject = match &asked.before {
        Some(before) => before.subject.clone(),
        None => subject_of(session, &asked.question, cancel)?,
    };
    let at = Position(asked.question.at);
    let question = Why { cell: subject.cell, at, edges: kinds(asked.question.edges), limit: asked.limit };
    let mut walk = question.walk(&session.index, cancel)?;
    let mut rows = asked.before.as_ref().map(|before| before.rows.clone()).unwrap_or_default();
    // The walk is the same each time: rows that are known already are not made again.
    let (mut known, mut steps) = (rows.len(), 0);
    let maker = RowMaker { session, cancel };
    let (mut published, mut pause, first) = (Instant::now(), INTERVAL, rows.len() + SCREEN);
    let slice =
        |rows: &[Arc<WhyRow>], end| Arc::new(Slice::new(asked.question.clone(), subject.clone(), rows.to_vec(), end));
    while steps < asked.limit
        && let Some(row) = walk.next(cancel)?
    {
        steps += usize::from(matches!(row, SliceRow::Step(_)));
        if known > 0 {
            known -= 1;
            continue;
        }
        rows.push(Arc::new(maker.row(&row)?));
        if rows.len() == first || published.elapsed() > pause {
            let begun = Instant::now();
            publish(slice(&rows, SliceEnd::UnderWay));
            // A long list takes longer to hand out.
            (published, pause) = (Instant::now(), INTERVAL.max(10 * begun.elapsed()));
        }
    }
    let left = if steps < asked.limit { 0 } else { walk.what_is_left().len() };
    Ok(slice(&rows, if left == 0 { SliceEnd::Whole } else { SliceEnd::Limit(left) }))
}

/// What is followed; what disassemblers list is for the command line alone.
fn kinds(edges: SliceEdges) -> EdgeKinds {
    let SliceEdges { addresses, flags, control } = edges;
    EdgeKinds { addresses, flags, control, listed: false }
}

/// The cell that is asked about, and what it holds.
fn subject_of(session: &Session, question: &SliceQuestion, cancel: &Cancel) -> Result<Subject> {
    let at = Position(question.at).min(session.index.end());
    let cell = NamesAt::new(&session.index, &session.images, at, None, cancel)?.cell(&question.cell)?;
    let held = cell_value(&session.index, cell, at, cancel)?;
    let label = match cell {
        Cell::Register { thread, view } => {
            NameReader(&*session.index).register_name(view, session.index.instruction_set(thread))
        }
        Cell::Memory { address, len_bytes: 1 } => format!("[{:x}]", address.0),
        Cell::Memory { address, len_bytes } => format!("[{:x}:{len_bytes}]", address.0),
        Cell::Physical { .. } => question.cell.clone(),
    };
    Ok(Subject { cell, label, value: short_hex(&held.value), source: held.source })
}

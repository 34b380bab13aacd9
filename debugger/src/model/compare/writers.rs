//! Finds the writers of differing cells and counts their writes.

use std::collections::HashMap;

use anyhow::Result;
use stepback_index::answer::AccessKinds;
use stepback_index::query::{NearestAccess, Steps};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_parsers::Step;

use super::cells::PositionPair;
use super::rows::CompareRow;
use crate::action::{Access, CellName};
use crate::analysis::names::NameResolver;
use crate::messages::say;
use crate::model::names::function_name;
use crate::model::span::{Code, step_code};
use crate::session::Session;

/// Maximum number of writes counted for a cell.
const COUNTED: u64 = 200;

/// Step that wrote a cell, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterText {
    pub function: String,
    pub code: Code,
    /// Source line as `file.c:12`, if the line tables of the images are loaded.
    pub source: Option<String>,
}

/// Number of writes to a cell between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellWriteCount {
    /// Exact number.
    Exactly(u64),
    /// More writes than this number.
    Over(u64),
    /// The trace does not list the writes of this cell.
    Unknown,
}

/// Describes the steps that wrote something. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn writers(
    session: &Session,
    steps: &[Step],
    cancel: &Cancel,
) -> Result<HashMap<Step, WriterText>> {
    let mut texts = HashMap::new();
    let images = &session.images;
    for step in steps {
        let records = Steps {
            first: *step,
            count: 1,
        }
        .run(&session.index, cancel)?;
        if let Some(record) = records.first() {
            let function = match images.function_at(record.pc) {
                Some(found) => found.name.to_owned(),
                None => function_name(images, record.pc),
            };
            let line = images
                .are_lines_ready()
                .then(|| images.source_at(record.pc))
                .flatten();
            let source = line.map(|line| line.short());
            texts.insert(
                *step,
                WriterText {
                    function,
                    code: step_code(record, images),
                    source,
                },
            );
        }
    }
    Ok(texts)
}

/// Counts the writes to cells between two positions. Runs on a worker. Cost: at most 200 queries
/// per cell.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn writes_between(
    session: &Session,
    cells: &[CellName],
    PositionPair { from, to }: PositionPair,
    cancel: &Cancel,
) -> Result<HashMap<CellName, CellWriteCount>> {
    let (first, last) = (from.min(to), from.max(to));
    let names = NameResolver::new(&session.index, &session.images, last, None, cancel)?;
    let mut counts = HashMap::new();
    for name in cells {
        let found = match name {
            CellName::Register(register) => names.register(register)?,
            CellName::Memory(..) => Some(names.cell(&name.to_string())?),
        };
        let Some(cell) = found else {
            counts.insert(name.clone(), CellWriteCount::Unknown);
            continue;
        };
        let (mut from, mut count) = (first, 0);
        while count <= COUNTED {
            cancel.check()?;
            let hit =
                NearestAccess::next(cell, AccessKinds::Writes, from).hit(&session.index, cancel)?;
            let Some(hit) = hit.filter(|hit| hit.position <= last) else {
                break;
            };
            (from, count) = (hit.position, count + 1);
        }
        let stated = if count > COUNTED {
            CellWriteCount::Over(COUNTED)
        } else {
            CellWriteCount::Exactly(count)
        };
        counts.insert(name.clone(), stated);
    }
    Ok(counts)
}

/// Keeps the rows whose cells a step reads, or writes, between two positions, with the titles of
/// their groups. A closed group keeps its title. Runs on a worker. Cost: one query per cell.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn accessed_between(
    session: &Session,
    rows: Vec<CompareRow>,
    access: Access,
    PositionPair { from, to }: PositionPair,
    cancel: &Cancel,
) -> Result<Vec<CompareRow>> {
    let (first, last) = (from.min(to), from.max(to));
    let names = NameResolver::new(&session.index, &session.images, last, None, cancel)?;
    let kinds = match access {
        Access::Read => AccessKinds::Reads,
        Access::Write => AccessKinds::Writes,
    };
    let mut kept: Vec<CompareRow> = Vec::new();
    for row in rows {
        let CompareRow::Cell { cell: name, .. } = &row else {
            // Drops the title of the previous group if none of its rows is left.
            kept.pop_if(|last| matches!(last, CompareRow::Group { is_open: true, .. }));
            kept.push(row);
            continue;
        };
        let cell = match name {
            CellName::Register(register) => names.register(register)?,
            CellName::Memory(..) => names.cell(&name.to_string()).ok(),
        };
        let Some(cell) = cell else { continue };
        cancel.check()?;
        // If the trace does not record reads of registers, no register is listed.
        let hit = NearestAccess::next(cell, kinds, first).hit(&session.index, cancel);
        let hit = QueryError::if_recorded(hit)?.flatten();
        if hit.is_some_and(|hit| hit.position <= last) {
            kept.push(row);
        }
    }
    kept.pop_if(|last| matches!(last, CompareRow::Group { is_open: true, .. }));
    Ok(kept)
}

impl CellWriteCount {
    /// Formats the number: `48`, or `200+`.
    pub fn text(self) -> String {
        match self {
            Self::Exactly(count) => count.to_string(),
            Self::Over(count) => format!("{count}+"),
            Self::Unknown => say!("compare-unknown").to_owned(),
        }
    }
}

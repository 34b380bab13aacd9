//! Who wrote what differs, and how often it was written.

use std::collections::HashMap;

use anyhow::Result;
use stepback_index::{AccessKinds, Cancel, NearestAccess, Query as _, QueryError, Steps};
use stepback_parsers::Step;

use super::cells::PositionPair;
use super::rows::CompareRow;
use crate::action::{Access, CellName};
use crate::analysis::names::NameResolver;
use crate::messages::say;
use crate::model::code::Code;
use crate::model::names::function_name;
use crate::session::Session;

/// Writes are counted up to here.
const COUNTED: u64 = 200;

/// What a step that wrote a cell was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterText {
    /// The function.
    pub function: String,
    /// The instruction.
    pub code: Code,
    /// Its source line, as `file.c:12`, where the lines of the images are read.
    pub source: Option<String>,
}

/// How often a cell was written between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellWriteCount {
    /// So often.
    Exactly(u64),
    /// More often than that.
    Over(u64),
    /// The trace does not list its writes.
    Unknown,
}

/// What the steps that wrote something were. Runs on a worker.
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
                    code: Code::new(record, images),
                    source,
                },
            );
        }
    }
    Ok(texts)
}

/// How often cells were written between two positions. Runs on a worker. Cost: at most 200 questions a cell.
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
            CellName::Memory(address, length) => Some(names.cell(&format!("{address}:{length}"))?),
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
        let told = if count > COUNTED {
            CellWriteCount::Over(COUNTED)
        } else {
            CellWriteCount::Exactly(count)
        };
        counts.insert(name.clone(), told);
    }
    Ok(counts)
}

/// Leaves the rows whose cells a step reads, or writes, between two positions, under the titles of their groups.
/// A group that is closed keeps its title. Runs on a worker. Cost: a question a cell.
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
            // The title of a group of which nothing is left.
            kept.pop_if(|last| matches!(last, CompareRow::Group { is_open: true, .. }));
            kept.push(row);
            continue;
        };
        let cell = match name {
            CellName::Register(register) => names.register(register)?,
            CellName::Memory(address, length) => names.cell(&format!("{address}:{length}")).ok(),
        };
        let Some(cell) = cell else { continue };
        cancel.check()?;
        // Where nothing tells who reads registers, none is listed.
        let hit = match (NearestAccess::next(cell, kinds, first)).hit(&session.index, cancel) {
            Err(QueryError::NotRecorded { .. }) => None,
            hit => hit?,
        };
        if hit.is_some_and(|hit| hit.position <= last) {
            kept.push(row);
        }
    }
    kept.pop_if(|last| matches!(last, CompareRow::Group { is_open: true, .. }));
    Ok(kept)
}

impl CellWriteCount {
    /// `48`, or `200+`.
    pub fn text(self) -> String {
        match self {
            Self::Exactly(count) => count.to_string(),
            Self::Over(count) => format!("{count}+"),
            Self::Unknown => say!("compare-unknown").to_owned(),
        }
    }
}

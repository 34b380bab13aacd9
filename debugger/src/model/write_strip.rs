//! Writes of cells along the trace, by pixel column.

use anyhow::Result;
use stepback_index::{AccessKinds, Cancel, Cell, CellAccess, NearestAccess, Query as _};
use stepback_parsers::Position;

use crate::session::Session;

/// Returns the columns of a strip over the whole trace in which steps write any of the cells. Cost:
/// one query for each column that has a write, none for the others.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn write_columns(
    session: &Session,
    cells: &[Cell],
    columns: u32,
    cancel: &Cancel,
) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for cell in cells {
        found.extend(columns_of(session, *cell, columns, cancel)?);
    }
    if cells.len() > 1 {
        found.sort_unstable_by(|one, other| other.cmp(one));
        found.dedup();
    }
    Ok(found)
}

fn columns_of(session: &Session, cell: Cell, columns: u32, cancel: &Cancel) -> Result<Vec<u32>> {
    let index = &session.index;
    let steps = u128::from(index.step_count().max(1));
    let mut found = Vec::new();
    let mut before = index.end();
    while let Some(CellAccess::Step(hit)) =
        (NearestAccess::last(cell, AccessKinds::Writes, before)).run(index, cancel)?
    {
        let column = u128::from(hit.record.step.0) * u128::from(columns) / steps;
        found.push(u32::try_from(column).unwrap_or(u32::MAX));
        // Continue before the first step of the column: other writes in it would not be visible.
        let first = (column * steps).div_ceil(u128::from(columns.max(1)));
        before = Position(
            u64::try_from(first)
                .unwrap_or(u64::MAX)
                .min(hit.record.step.0),
        );
    }
    Ok(found)
}

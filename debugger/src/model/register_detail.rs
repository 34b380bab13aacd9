//! Accesses of a register around a position, and the writes of cells along the whole trace by pixel
//! column.

use anyhow::Result;
use stepback_index::answer::{AccessKinds, Cell, CellAccess, Hit, ThreadId};
use stepback_index::query::{NearestAccess, RegisterViewsAt};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{Address, RegisterId};
use stepback_parsers::{Position, Step};

use crate::analysis::register_part::RegisterPart;
use crate::messages::say;
use crate::model::names::place_name;
use crate::model::so_far::doubt_words;
use crate::model::span::{Code, step_code};
use crate::session::Session;

/// Maximum number of writes counted.
const MOST_COUNTED: u64 = 20_000;

/// Previous and next accesses of a register, with their instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterDetail {
    /// Symbol at its value.
    pub symbol: Option<String>,
    /// Last step that wrote it.
    pub written_by: Option<(Step, Code)>,
    /// Reason why that may be wrong, as a phrase.
    pub doubt: Option<String>,
    /// Next step that writes it.
    pub next_write: Option<(Step, Code)>,
    /// Next step that reads it.
    pub next_read: Option<(Step, Code)>,
}

/// Finds the accesses of a register, or of a lane, around a position. Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn register_detail(
    session: &Session,
    part: &RegisterPart,
    position: Position,
    cancel: &Cancel,
) -> Result<RegisterDetail> {
    let index = &session.index;
    let Some((thread, view)) =
        part.view_at(index, SlotReader(index).thread_at(position)?, position)?
    else {
        return Ok(RegisterDetail::default());
    };
    let (cell, writes) = (Cell::Register { thread, view }, AccessKinds::Writes);
    let last = NearestAccess::last(cell, writes, position).run(index, cancel)?;
    let next = NearestAccess::next(cell, writes, position).hit(index, cancel)?;
    let read = NearestAccess::next(cell, AccessKinds::Reads, position).hit(index, cancel);
    let next_read = QueryError::if_recorded(read)?.flatten();
    let writer = |hit: &Hit| (hit.record.step, step_code(&hit.record, &session.images));
    let written_by = if let Some(CellAccess::Step(hit)) = &last {
        Some(writer(hit))
    } else {
        None
    };
    let states = RegisterViewsAt {
        position,
        thread,
        views: vec![(part.to_string(), view)],
    }
    .run(index, cancel)?;
    // Flags are no address.
    let states = states.first().filter(|_| view.register != RegisterId::PSR);
    let value = states.and_then(|state| state.value.to_u64());
    let symbol = value.and_then(|value| place_name(&session.images, Address(value)));
    let doubt = match &last {
        Some(CellAccess::Step(hit)) => hit
            .doubt
            .map(|doubt| doubt_words(doubt, hit.record.instruction_set)),
        Some(CellAccess::Initial(_)) | None => None,
    };
    Ok(RegisterDetail {
        symbol,
        written_by,
        doubt,
        next_write: next.as_ref().map(writer),
        next_read: next_read.as_ref().map(writer),
    })
}

/// Returns the columns in which a register is written. Each column is an equal part of the trace. A
/// register name that includes a thread overrides `thread`. Runs on a worker.
///
/// Cost: one query for each column that has a write, none for the others.
///
/// # Errors
/// See [`QueryError`].
pub fn register_write_columns(
    session: &Session,
    part: &RegisterPart,
    thread: ThreadId,
    columns: u32,
    cancel: &Cancel,
) -> Result<Vec<u32>> {
    let Some((thread, view)) = part.view(&session.index, thread) else {
        return Ok(Vec::new());
    };
    write_columns(session, &[Cell::Register { thread, view }], columns, cancel)
}

/// Counts the writes of a register in the whole trace, up to a limit. Runs on a worker. Cost: a
/// look at each write.
///
/// # Errors
/// See [`QueryError`].
pub fn write_count(
    session: &Session,
    part: &RegisterPart,
    thread: ThreadId,
    cancel: &Cancel,
) -> Result<u64> {
    let Some((thread, view)) = part.view(&session.index, thread) else {
        return Ok(0);
    };
    let (cell, kinds) = (Cell::Register { thread, view }, AccessKinds::Writes);
    let (mut count, mut from) = (0, Position(0));
    while count < MOST_COUNTED
        && let Some(hit) = (NearestAccess::next(cell, kinds, from)).hit(&session.index, cancel)?
    {
        (count, from) = (count + 1, hit.position);
    }
    Ok(count)
}

/// Formats the number of writes: `46 writes in all`.
pub fn count_words(count: u64) -> String {
    match count {
        MOST_COUNTED => say!("detail-more-writes", count = MOST_COUNTED),
        count => say!("detail-writes", count = count),
    }
}

/// Returns the columns of a strip over the whole trace in which steps write any of the cells. Cost:
/// one query for each column that has a write, none for the others.
///
/// # Errors
/// See [`QueryError`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::{overflow, overflow_with_image};

    #[test]
    fn the_strip_of_writes_has_every_column_with_a_write() {
        let session = overflow();
        let columns = |count| {
            register_write_columns(
                &session,
                &RegisterPart::parse("x19"),
                ThreadId(0),
                count,
                &Cancel::default(),
            )
            .unwrap()
        };
        let steps: Vec<u32> = columns(1763)
            .into_iter()
            .filter(|step| (1180..1260).contains(step))
            .collect();
        assert_eq!(steps, [1253, 1188]);
        assert_eq!(columns(1), [0]);
    }

    #[test]
    fn flags_are_no_address() {
        let session = overflow_with_image();
        let symbol = |name: &str, position: u64| {
            let part = RegisterPart::parse(name);
            register_detail(&session, &part, Position(position), &Cancel::default())
                .unwrap()
                .symbol
        };
        assert!(symbol("pc", 1250).is_some());
        // Negative flags of EL3 look like an address in the program: 0x800003cd.
        assert_eq!((0..1300).find_map(|at| symbol("psr", at)), None);
    }

    #[test]
    fn a_register_knows_who_wrote_it_and_who_will() {
        let session = overflow();
        let detail = register_detail(
            &session,
            &RegisterPart::parse("x19"),
            Position(1250),
            &Cancel::default(),
        )
        .unwrap();
        let writer = |writer: Option<(Step, Code)>| {
            writer.map(|(step, code)| format!("{} {}", step.0, code.full_text()))
        };
        assert_eq!(
            writer(detail.written_by).as_deref(),
            Some("1188 add    x19, x19, #3")
        );
        assert_eq!(
            writer(detail.next_write).as_deref(),
            Some("1253 add    x19, x19, #3")
        );
        assert_eq!(
            writer(detail.next_read).as_deref(),
            Some("1252 strb   w0, [x19, #2]")
        );
        let count = write_count(
            &session,
            &RegisterPart::parse("x19"),
            ThreadId(0),
            &Cancel::default(),
        )
        .map(count_words)
        .unwrap();
        assert!(count.ends_with(" writes in all"), "{count}");
    }
}

//! Helpers for tests of control dependences.

use stepback_index::answer::{
    Cell, Direction, Edge, EdgeKinds, SliceEndKind, SliceRow, SliceStep, SliceUse, ThreadId,
};
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::Position;

pub const EDGES: EdgeKinds = EdgeKinds {
    addresses: false,
    flags: true,
    control: true,
    listed: false,
};

/// Returns a register of the first thread.
pub fn cell(index: &Index, name: &str) -> Cell {
    let thread = ThreadId(0);
    Cell::Register {
        thread,
        view: NameReader(index).register_view(name, thread).unwrap(),
    }
}

/// Returns the steps of some rows, each with the steps that it is linked to by control.
pub fn linked(rows: &[SliceRow]) -> Vec<(u64, Vec<u64>)> {
    let steps = rows.iter().filter_map(|row| match row {
        SliceRow::Step(row) => Some(row),
        SliceRow::End(_) => None,
    });
    let by_control = |wanted: &&SliceUse| wanted.edge == Edge::Control;
    let of = |row: &SliceStep| {
        row.wanted_by
            .iter()
            .filter(by_control)
            .filter_map(|wanted| Some(wanted.step?.0))
            .collect()
    };
    steps.map(|row| (row.step.0, of(row))).collect()
}

/// Returns the steps of some rows.
pub fn steps(rows: &[SliceRow]) -> Vec<u64> {
    linked(rows).into_iter().map(|(step, _)| step).collect()
}

/// Returns the backward slice of a register at the end.
pub fn backward(index: &Index, name: &str, limit: usize) -> Vec<SliceRow> {
    let at = Position(index.step_count());
    SliceQuery {
        direction: Direction::Back,
        cell: cell(index, name),
        at,
        edges: EDGES,
        limit,
    }
    .run(index, &Cancel::default())
    .unwrap()
}

/// Returns the ends of control chains, with the steps that needed them.
pub fn ends_of_control(rows: &[SliceRow]) -> Vec<(SliceEndKind, Vec<u64>)> {
    let ends = rows.iter().filter_map(|row| match row {
        SliceRow::End(end)
            if end
                .wanted_by
                .iter()
                .any(|wanted| wanted.edge == Edge::Control) =>
        {
            Some(end)
        }
        _ => None,
    });
    ends.map(|end| {
        (
            end.end,
            end.wanted_by
                .iter()
                .filter_map(|wanted| Some(wanted.step?.0))
                .collect(),
        )
    })
    .collect()
}

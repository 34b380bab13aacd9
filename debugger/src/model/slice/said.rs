//! Describes a slice as a whole.

use super::whole::{Slice, SliceProgress};
use crate::action::{Direction, SliceView};
use crate::messages::say;
use crate::notes::{SliceEdge, SliceQuery};

/// Formats the query as a title: `Why x2 = bfb1e598a4e5bda9 at 1,763`.
pub fn question_words(slice: &Slice) -> String {
    let (cell, at) = (slice.subject.label.as_str(), slice.question.at);
    match &slice.subject.value {
        Some(value) => asked(
            &slice.question,
            &say!("slice-cell-value", cell = cell, value = value.as_str()),
            at,
        ),
        None => asked(&slice.question, cell, at),
    }
}

/// Formats the query before anything is known about its cell.
pub fn asked_words(question: &SliceQuery) -> String {
    asked(question, &question.cell, question.at)
}

fn asked(question: &SliceQuery, cell: &str, at: u64) -> String {
    if question.forward {
        say!("slice-question-forward", cell = cell, at = at)
    } else {
        say!("slice-question", cell = cell, at = at)
    }
}

/// Describes the size and state of the slice.
pub fn slice_words(slice: &Slice) -> String {
    let steps = say!("slice-steps", count = slice.step_count());
    match slice.end {
        SliceProgress::UnderWay => say!("slice-under-way", steps = steps),
        SliceProgress::Whole if slice.is_of_part => {
            say!("sofar-so-far", text = say!("slice-whole", steps = steps))
        }
        SliceProgress::Whole => say!("slice-whole", steps = steps),
        SliceProgress::Limit(left) => say!("slice-limit", steps = steps, count = left),
        SliceProgress::Stopped => say!("slice-stopped", steps = steps),
    }
}

/// Returns the name and the explanation of a kind of edge for a direction.
pub fn edge_words(edge: SliceEdge, way: Direction) -> (&'static str, &'static str) {
    match (edge, way) {
        (SliceEdge::Addresses, Direction::Back) => {
            (say!("slice-addresses"), say!("slice-addresses-tip"))
        }
        (SliceEdge::Addresses, Direction::Forward) => {
            (say!("slice-addresses"), say!("slice-addresses-forward-tip"))
        }
        (SliceEdge::Flags, Direction::Back) => (say!("slice-flags"), say!("slice-flags-tip")),
        (SliceEdge::Flags, Direction::Forward) => {
            (say!("slice-flags"), say!("slice-flags-forward-tip"))
        }
        (SliceEdge::Control, Direction::Back) => (say!("slice-control"), say!("slice-control-tip")),
        (SliceEdge::Control, Direction::Forward) => {
            (say!("slice-control"), say!("slice-control-forward-tip"))
        }
    }
}

/// Returns the direction of a query.
pub fn way_of(question: &SliceQuery) -> Direction {
    if question.forward {
        Direction::Forward
    } else {
        Direction::Back
    }
}

/// Returns the name and the explanation of a direction.
pub fn way_words(way: Direction) -> (&'static str, &'static str) {
    match way {
        Direction::Back => (say!("slice-back"), say!("slice-back-tip")),
        Direction::Forward => (say!("slice-forward"), say!("slice-forward-tip")),
    }
}

/// Returns the name and the explanation of a view.
pub fn view_words(view: SliceView) -> (&'static str, &'static str) {
    match view {
        SliceView::Chain => (say!("slice-chain"), say!("slice-chain-tip")),
        SliceView::Tree => (say!("slice-tree"), say!("slice-tree-tip")),
        SliceView::Everything => (say!("slice-everything"), say!("slice-everything-tip")),
    }
}

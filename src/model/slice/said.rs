//! What is said of a slice as a whole.

use super::slice::{Slice, SliceEnd};
use crate::action::SliceView;
use crate::messages::say;
use crate::model::so_far::so_far;
use crate::notes::{SliceEdge, SliceQuestion};
use crate::session::Session;

/// The question, as a head: `Why is x2 = bfb1e598a4e5bda9 at step 1,763?`
pub fn question_words(slice: &Slice) -> String {
    let (cell, at) = (slice.subject.label.as_str(), slice.question.at);
    match &slice.subject.value {
        Some(value) => say!("slice-question-value", cell = cell, value = value.as_str(), at = at),
        None => say!("slice-question", cell = cell, at = at),
    }
}

/// The same before anything is known of it.
pub fn asked_words(question: &SliceQuestion) -> String {
    say!("slice-question", cell = question.cell.as_str(), at = question.at)
}

/// How much was found of it.
pub fn slice_words(slice: &Slice, session: &Session) -> String {
    let steps = say!("slice-steps", count = slice.step_count());
    match slice.end {
        SliceEnd::UnderWay => say!("slice-under-way", steps = steps),
        SliceEnd::Whole => so_far(session, &say!("slice-whole", steps = steps)),
        SliceEnd::Limit(left) => say!("slice-limit", steps = steps, count = left),
        SliceEnd::Stopped => say!("slice-stopped", steps = steps),
    }
}

/// A way that may be followed, and what that means.
pub fn edge_words(edge: SliceEdge) -> (&'static str, &'static str) {
    match edge {
        SliceEdge::Addresses => (say!("slice-addresses"), say!("slice-addresses-tip")),
        SliceEdge::Flags => (say!("slice-flags"), say!("slice-flags-tip")),
        SliceEdge::Control => (say!("slice-control"), say!("slice-control-tip")),
    }
}

/// How rows are shown, and what that means.
pub fn view_words(view: SliceView) -> (&'static str, &'static str) {
    match view {
        SliceView::Tree => (say!("slice-tree"), say!("slice-tree-tip")),
        SliceView::Everything => (say!("slice-everything"), say!("slice-everything-tip")),
    }
}

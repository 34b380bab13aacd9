//! The inputs of a slice as a tree that unfolds line by line.

use std::collections::HashSet;

use super::lines::{FoldHandle, FoldState, LineKind, ReadingLine, ReadingView, line};
use super::reading::SliceReading;
use super::row::{RowId, SliceRowRole};

/// A line to be added.
struct PendingLine {
    id: RowId,
    depth: usize,
}

impl SliceReading {
    /// Adds the queried steps, and below each open line its inputs. An open line is unfolded once;
    /// other occurrences refer to it. Cost: the number of visible lines.
    pub(super) fn tree_lines(&self, view: &ReadingView<'_>, lines: &mut Vec<ReadingLine>) {
        let asked: Vec<RowId> = self.ids().filter(|id| self.is_root(*id)).collect();
        let mut unfolded: HashSet<RowId> = HashSet::new();
        let mut coming: Vec<PendingLine> = asked
            .iter()
            .rev()
            .map(|id| PendingLine { id: *id, depth: 0 })
            .collect();
        while let Some(PendingLine { id, depth }) = coming.pop() {
            let inputs = self.inputs_of(id);
            let knot = FoldHandle::Inputs(id);
            let is_open = view.toggled.contains(&knot) != asked.contains(&id);
            if inputs.is_empty() {
                lines.push(line(LineKind::Step(id), depth, FoldState::Leaf));
            } else if !is_open {
                lines.push(line(LineKind::Step(id), depth, FoldState::Folded(knot)));
            } else if unfolded.insert(id) {
                lines.push(line(LineKind::Step(id), depth, FoldState::Open(knot)));
                coming.extend(inputs.into_iter().rev().map(|id| PendingLine {
                    id,
                    depth: depth + 1,
                }));
            } else {
                lines.push(line(LineKind::Again(id), depth, FoldState::Leaf));
            }
        }
    }

    fn is_root(&self, id: RowId) -> bool {
        self.row(id)
            .is_some_and(|row| row.role == SliceRowRole::Shown && row.is_asked())
    }

    /// Returns the rows with lines whose values a line uses, through copies; each once, the newest
    /// first.
    pub fn inputs_of(&self, id: RowId) -> Vec<RowId> {
        let mut seen: HashSet<RowId> = HashSet::from([id]);
        let mut found = Vec::new();
        let mut open: Vec<RowId> = self
            .row(id)
            .map(|row| row.inputs.clone())
            .unwrap_or_default();
        let parts = self
            .row(id)
            .into_iter()
            .flat_map(|row| &row.inside)
            .filter_map(|inside| self.row(*inside));
        let parts = parts.filter(|row| !matches!(row.role, SliceRowRole::Copied(_)));
        open.extend(parts.flat_map(|row| row.inputs.iter().copied()));
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            let Some(row) = self.row(next) else { continue };
            match row.role {
                SliceRowRole::Shown | SliceRowRole::Copied(None) => found.push(next),
                SliceRowRole::Copied(Some(_)) => open.extend(&row.inputs),
                SliceRowRole::Folded(_) | SliceRowRole::Beside(_) => match self.line_of(next) {
                    Some(line) if line != id => open.push(line),
                    _ => open.extend(&row.inputs),
                },
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

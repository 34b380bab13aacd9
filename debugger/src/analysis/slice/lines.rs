//! The visible lines of a slice, as a chain with headings for calls or as a tree of inputs.
//!
//! Fold states are kept by [`FoldHandle`], which stays the same while rows arrive.

use std::collections::HashSet;

use stepback_index::answer::{CallId, ThreadId};

use crate::action::SliceView;
use crate::analysis::slice::reading::SliceReading;
use crate::analysis::slice::row::{RowId, SliceRowRole};

/// Identity of a foldable part. It stays the same while rows arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldHandle {
    /// The steps that a line includes; initially folded.
    Inside(RowId),
    /// The rows of a call, by the newest; initially open.
    Call(RowId),
    /// The inputs of a line of the tree; initially folded, except for the queried steps.
    Inputs(RowId),
    /// Further iterations of a loop, by the newest row; initially folded.
    LoopIterations(RowId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLine {
    /// Content of the line.
    pub kind: LineKind,
    /// Indentation level.
    pub depth: u16,
    /// Fold state of the part below the line.
    pub fold: FoldState,
}

/// Content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Heading for the rows of a call.
    Call {
        /// The frame, if known.
        call: Option<CallId>,
        /// Thread of the frame.
        thread: ThreadId,
        /// The newest row in it.
        first: RowId,
    },
    /// A row with all steps that its line includes.
    Step(RowId),
    /// A single step.
    SingleStep(RowId),
    /// A row of the tree that is already unfolded above.
    Repeated(RowId),
    /// The end of a chain for the queried value itself, by its index.
    End(usize),
    /// Loop iterations with the same lines as those above.
    LoopIterations(LoopSummary),
}

/// Summary of loop iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSummary {
    /// Number of iterations, not counting the one above.
    pub count: u64,
    /// Total number of rows in them.
    pub rows: u64,
    /// The oldest of these rows.
    pub last: RowId,
}

/// Fold state of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldState {
    /// Nothing to fold.
    Leaf,
    /// Folded, with the hidden part.
    Folded(FoldHandle),
    /// Open, with the visible part.
    Open(FoldHandle),
}

impl ReadingLine {
    /// Returns the key that a click toggles: add it to the toggled parts, or remove it.
    pub fn handle(&self) -> Option<FoldHandle> {
        match self.fold {
            FoldState::Leaf => None,
            FoldState::Folded(handle) | FoldState::Open(handle) => Some(handle),
        }
    }

    /// Returns the step of the line.
    pub fn row(&self) -> Option<RowId> {
        match self.kind {
            LineKind::Step(row) | LineKind::SingleStep(row) | LineKind::Repeated(row) => Some(row),
            LineKind::Call { .. } | LineKind::End(_) | LineKind::LoopIterations(_) => None,
        }
    }
}

impl SliceReading {
    /// Returns the lines of a view; `toggled` has the parts whose fold state differs from the
    /// initial one. Cost: a lookup per row taken.
    pub fn lines(&self, view: SliceView, toggled: &HashSet<FoldHandle>) -> Vec<ReadingLine> {
        let ends = self
            .queried_ends()
            .map(|end| line(LineKind::End(end), 0, FoldState::Leaf));
        let mut lines: Vec<ReadingLine> = ends.collect();
        match view {
            SliceView::Tree => self.tree_lines(toggled, &mut lines),
            SliceView::Everything => self.chain_lines(view, toggled, &mut lines),
            SliceView::Chain => {
                self.chain_lines(view, toggled, &mut lines);
                lines = self.with_rounds(lines, toggled);
            }
        }
        lines
    }

    fn chain_lines(
        &self,
        view: SliceView,
        toggled: &HashSet<FoldHandle>,
        lines: &mut Vec<ReadingLine>,
    ) {
        // Frames of the headings above, each inside the previous one.
        let mut heads: Vec<Option<CallId>> = Vec::new();
        let mut thread = None;
        // Number of headings above the folded one.
        let mut folded_at: Option<usize> = None;
        for id in self.ids() {
            let Some(row) = self.row(id) else { continue };
            let has_line =
                row.role == SliceRowRole::Shown || row.role == SliceRowRole::Copied(None);
            if view == SliceView::Chain && !has_line {
                continue;
            }
            if thread != Some(row.slice.thread) {
                thread = Some(row.slice.thread);
                heads.clear();
                folded_at = None;
            }
            while heads
                .last()
                .is_some_and(|head| *head != row.call && !self.callers.is_inside(row.call, *head))
            {
                heads.pop();
            }
            folded_at = folded_at.filter(|folded| *folded < heads.len());
            if heads.last() != Some(&row.call) {
                let handle = FoldHandle::Call(id);
                let is_folded = toggled.contains(&handle);
                if folded_at.is_none() {
                    let kind = LineKind::Call {
                        call: row.call,
                        thread: row.slice.thread,
                        first: id,
                    };
                    lines.push(line(
                        kind,
                        heads.len(),
                        if is_folded {
                            FoldState::Folded(handle)
                        } else {
                            FoldState::Open(handle)
                        },
                    ));
                    folded_at = is_folded.then_some(heads.len());
                }
                heads.push(row.call);
            }
            if folded_at.is_none() {
                match view {
                    SliceView::Chain => self.step_lines(id, heads.len(), toggled, lines),
                    _ => lines.push(line(LineKind::SingleStep(id), heads.len(), FoldState::Leaf)),
                }
            }
        }
    }

    /// Adds a row, followed by the steps that its line includes if it is open.
    fn step_lines(
        &self,
        id: RowId,
        depth: usize,
        toggled: &HashSet<FoldHandle>,
        lines: &mut Vec<ReadingLine>,
    ) {
        let inside = self.inside(id);
        let handle = FoldHandle::Inside(id);
        let fold = match (inside.is_empty(), toggled.contains(&handle)) {
            (true, _) => FoldState::Leaf,
            (false, true) => FoldState::Open(handle),
            (false, false) => FoldState::Folded(handle),
        };
        lines.push(line(LineKind::Step(id), depth, fold));
        if matches!(fold, FoldState::Open(_)) {
            lines.extend(
                inside
                    .into_iter()
                    .map(|id| line(LineKind::SingleStep(id), depth + 1, FoldState::Leaf)),
            );
        }
    }

    /// Returns the other steps that the line of a row includes, transitively; the newest first.
    pub fn inside(&self, id: RowId) -> Vec<RowId> {
        let mut found: Vec<RowId> = self
            .row(id)
            .map(|row| row.inside.clone())
            .unwrap_or_default();
        let mut place = 0;
        while let Some(next) = found.get(place).and_then(|id| self.row(*id)) {
            found.extend(&next.inside);
            place += 1;
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

pub(super) fn line(kind: LineKind, depth: usize, fold: FoldState) -> ReadingLine {
    ReadingLine {
        kind,
        depth: u16::try_from(depth).unwrap_or(u16::MAX),
        fold,
    }
}

impl SliceReading {
    /// Adds the queried steps, and below each open line its inputs. An open line is unfolded once;
    /// other occurrences refer to it. Cost: the number of rows and of visible lines.
    pub(super) fn tree_lines(&self, toggled: &HashSet<FoldHandle>, lines: &mut Vec<ReadingLine>) {
        let roots = self.ids().filter(|id| self.is_root(*id));
        let mut unfolded: HashSet<RowId> = HashSet::new();
        let mut stack: Vec<(RowId, usize)> = roots.map(|id| (id, 0)).collect();
        stack.reverse();
        while let Some((id, depth)) = stack.pop() {
            let inputs = self.inputs_of(id);
            let handle = FoldHandle::Inputs(id);
            let is_open = toggled.contains(&handle) != self.is_root(id);
            if inputs.is_empty() {
                lines.push(line(LineKind::Step(id), depth, FoldState::Leaf));
            } else if !is_open {
                lines.push(line(LineKind::Step(id), depth, FoldState::Folded(handle)));
            } else if unfolded.insert(id) {
                lines.push(line(LineKind::Step(id), depth, FoldState::Open(handle)));
                stack.extend(inputs.into_iter().rev().map(|id| (id, depth + 1)));
            } else {
                lines.push(line(LineKind::Repeated(id), depth, FoldState::Leaf));
            }
        }
    }

    fn is_root(&self, id: RowId) -> bool {
        self.row(id)
            .is_some_and(|row| row.role == SliceRowRole::Shown && row.is_queried())
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
                SliceRowRole::Folded(_) | SliceRowRole::AdjacentStore(_) => {
                    match self.line_of(next) {
                        Some(line) if line != id => open.push(line),
                        _ => open.extend(&row.inputs),
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

//! The lines that are seen of a reading.

use std::collections::HashSet;

use stepback_index::{CallId, ThreadId};

use super::reading::SliceReading;
use super::row::{RowId, SliceRowRole};

/// How a slice is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadingMode {
    /// From newest to oldest: copies and parts of expressions stand for nothing of their own.
    #[default]
    Chain,
    /// Each step, from newest to oldest.
    Everything,
    /// Each line with what it takes in below it.
    Tree,
}

/// Something that can be opened and folded. It stays the same while rows come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldHandle {
    /// The steps that a line stands for; folded at first.
    Inside(RowId),
    /// The rows of a call, by the newest; open at first.
    Call(RowId),
    /// What a line of the tree takes in; folded at first but for what the question asks for.
    Inputs(RowId),
    /// Further rounds of a loop, by the newest row; folded at first.
    Rounds(RowId),
}

/// What is to be seen.
#[derive(Clone, Copy, Debug)]
pub struct ReadingView<'a> {
    /// How.
    pub reading: ReadingMode,
    /// The knots that are not as they are at first.
    pub toggled: &'a HashSet<FoldHandle>,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLine {
    /// What it shows.
    pub kind: LineKind,
    /// How far it is moved in.
    pub depth: u16,
    /// Whether something can be opened below it.
    pub fold: FoldState,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The head of the rows of a call.
    Call {
        /// The frame; none where it is not known.
        call: Option<CallId>,
        /// Whose.
        thread: ThreadId,
        /// The newest row in it.
        first: RowId,
    },
    /// A row, with all that its line stands for.
    Step(RowId),
    /// A step by itself.
    Alone(RowId),
    /// A row of the tree that has been unfolded above.
    Again(RowId),
    /// The end of a chain that the question itself asks for, by its number.
    End(usize),
    /// Rounds of a loop that are made like the lines above.
    Rounds(LoopSummary),
}

/// Rounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSummary {
    /// How many there are besides the one above.
    pub count: u64,
    /// How many rows they have together.
    pub rows: u64,
    /// The oldest of these.
    pub last: RowId,
}

/// Whether something can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldState {
    /// Nothing.
    Leaf,
    /// What it hides.
    Folded(FoldHandle),
    /// What it shows.
    Open(FoldHandle),
}

impl ReadingLine {
    /// What a click opens or folds: put it into the toggled ones, or take it out of them.
    pub fn knot(&self) -> Option<FoldHandle> {
        match self.fold {
            FoldState::Leaf => None,
            FoldState::Folded(knot) | FoldState::Open(knot) => Some(knot),
        }
    }

    /// The step that it is about.
    pub fn row(&self) -> Option<RowId> {
        match self.kind {
            LineKind::Step(row) | LineKind::Alone(row) | LineKind::Again(row) => Some(row),
            LineKind::Call { .. } | LineKind::End(_) | LineKind::Rounds(_) => None,
        }
    }
}

impl SliceReading {
    /// The lines of a view. Cost: a look at each row that was taken.
    pub fn lines(&self, view: &ReadingView<'_>) -> Vec<ReadingLine> {
        let ends = self
            .asked_ends()
            .map(|end| line(LineKind::End(end), 0, FoldState::Leaf));
        let mut lines: Vec<ReadingLine> = ends.collect();
        match view.reading {
            ReadingMode::Tree => self.tree_lines(view, &mut lines),
            ReadingMode::Everything => self.chain_lines(view, &mut lines),
            ReadingMode::Chain => {
                self.chain_lines(view, &mut lines);
                lines = self.with_rounds(lines, view);
            }
        }
        lines
    }

    fn chain_lines(&self, view: &ReadingView<'_>, lines: &mut Vec<ReadingLine>) {
        // The frames that the heads above stand for, each inside of the one before.
        let mut heads: Vec<Option<CallId>> = Vec::new();
        let mut thread = None;
        // The number of heads above the one that is folded.
        let mut folded_at: Option<usize> = None;
        for id in self.ids() {
            let Some(row) = self.row(id) else { continue };
            let has_line =
                row.role == SliceRowRole::Shown || row.role == SliceRowRole::Copied(None);
            if view.reading == ReadingMode::Chain && !has_line {
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
                let knot = FoldHandle::Call(id);
                let is_folded = view.toggled.contains(&knot);
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
                            FoldState::Folded(knot)
                        } else {
                            FoldState::Open(knot)
                        },
                    ));
                    folded_at = is_folded.then_some(heads.len());
                }
                heads.push(row.call);
            }
            if folded_at.is_none() {
                match view.reading {
                    ReadingMode::Chain => self.step_lines(id, heads.len(), view, lines),
                    _ => lines.push(line(LineKind::Alone(id), heads.len(), FoldState::Leaf)),
                }
            }
        }
    }

    /// A row, and what its line stands for where that is open.
    fn step_lines(
        &self,
        id: RowId,
        depth: usize,
        view: &ReadingView<'_>,
        lines: &mut Vec<ReadingLine>,
    ) {
        let inside = self.inside(id);
        let knot = FoldHandle::Inside(id);
        let fold = match (inside.is_empty(), view.toggled.contains(&knot)) {
            (true, _) => FoldState::Leaf,
            (false, true) => FoldState::Open(knot),
            (false, false) => FoldState::Folded(knot),
        };
        lines.push(line(LineKind::Step(id), depth, fold));
        if matches!(fold, FoldState::Open(_)) {
            lines.extend(
                inside
                    .into_iter()
                    .map(|id| line(LineKind::Alone(id), depth + 1, FoldState::Leaf)),
            );
        }
    }

    /// The steps that the line of a row stands for besides its own, with what theirs stand for; the newest first.
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

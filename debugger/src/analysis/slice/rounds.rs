//! Summarises loop iterations: lines that repeat at the same addresses.

use std::collections::HashSet;

use stepback_machine::Address;

use super::lines::{FoldHandle, FoldState, LineKind, LoopSummary, ReadingLine};
use super::reading::SliceReading;
use super::row::RowId;

/// Maximum number of lines per iteration.
const LINES: usize = 24;

/// Minimum number of iterations to summarise.
const ROUNDS: usize = 3;

/// Maximum loop nesting depth.
const NESTED: usize = 3;

/// Lines with equal signatures may be iterations of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LineSignature {
    kind: u8,
    place: Option<Address>,
    depth: u16,
}

impl SliceReading {
    /// Replaces all iterations of a loop but the newest by one line. Cost: [`LINES`] comparisons
    /// per line.
    pub(super) fn with_rounds(
        &self,
        mut lines: Vec<ReadingLine>,
        toggled: &HashSet<FoldHandle>,
    ) -> Vec<ReadingLine> {
        for _ in 0..NESTED {
            let before = lines.len();
            lines = self.rounds_once(&lines, toggled);
            if lines.len() == before {
                break;
            }
        }
        lines
    }

    fn rounds_once(
        &self,
        lines: &[ReadingLine],
        toggled: &HashSet<FoldHandle>,
    ) -> Vec<ReadingLine> {
        let likenesses: Vec<LineSignature> = lines.iter().map(|line| self.likeness(line)).collect();
        let mut shown = Vec::new();
        let mut rest = (lines, &likenesses[..]);
        while let [first, ..] = rest.0 {
            let (len, count) = rounds_of(rest.1);
            let found = rest
                .0
                .get(len..len * count)
                .and_then(|more| self.rounds(more, count - 1));
            let (Some((rounds, newest)), Some(head)) = (found, rest.0.get(..len)) else {
                shown.push(*first);
                rest = (
                    rest.0.get(1..).unwrap_or_default(),
                    rest.1.get(1..).unwrap_or_default(),
                );
                continue;
            };
            shown.extend_from_slice(head);
            let handle = FoldHandle::LoopIterations(newest);
            let is_open = toggled.contains(&handle);
            let fold = if is_open {
                FoldState::Open(handle)
            } else {
                FoldState::Folded(handle)
            };
            shown.push(ReadingLine {
                kind: LineKind::LoopIterations(rounds),
                depth: first.depth,
                fold,
            });
            if is_open {
                shown.extend(rest.0.get(len..len * count).unwrap_or_default());
            }
            rest = (
                rest.0.get(len * count..).unwrap_or_default(),
                rest.1.get(len * count..).unwrap_or_default(),
            );
        }
        shown
    }

    /// Summarises the iterations in some lines, and returns their newest row; `None` without a row.
    fn rounds(&self, lines: &[ReadingLine], count: usize) -> Option<(LoopSummary, RowId)> {
        let newest = lines.iter().find_map(ReadingLine::row)?;
        let last = lines.iter().rev().find_map(|line| match line.kind {
            LineKind::LoopIterations(rounds) => Some(rounds.last),
            _ => line.row(),
        })?;
        let rows = lines.iter().map(|line| match line.kind {
            LineKind::Step(_) => 1,
            LineKind::LoopIterations(rounds) => rounds.rows,
            _ => 0,
        });
        let rounds = LoopSummary {
            count: u64::try_from(count).ok()?,
            rows: rows.sum(),
            last,
        };
        (count > 0 && rounds.rows > 0).then_some((rounds, newest))
    }

    fn likeness(&self, line: &ReadingLine) -> LineSignature {
        let place = |id: RowId| {
            self.row(id)
                .and_then(|row| row.slice.detail.as_ref())
                .map(|sight| sight.pc)
        };
        let (kind, place) = match line.kind {
            LineKind::Step(id) => (0, place(id)),
            LineKind::Call { first, .. } => (1, place(first)),
            LineKind::SingleStep(id) | LineKind::Repeated(id) => (2, place(id)),
            LineKind::LoopIterations(rounds) => (3, place(rounds.last)),
            LineKind::End(_) => (4, None),
        };
        LineSignature {
            kind,
            place,
            depth: line.depth,
        }
    }
}

/// Returns the number of lines per iteration and the number of consecutive iterations that begin
/// here; (1, 1) without a loop.
fn rounds_of(lines: &[LineSignature]) -> (usize, usize) {
    for len in 1..=LINES.min(lines.len() / ROUNDS) {
        // Lines without an address equal no others.
        let is_placed = |round: &&[LineSignature]| round.iter().all(|line| line.place.is_some());
        let Some(round) = lines.get(..len).filter(is_placed) else {
            break;
        };
        let count = lines
            .chunks_exact(len)
            .take_while(|next| *next == round)
            .count();
        if count >= ROUNDS {
            return (len, count);
        }
    }
    (1, 1)
}

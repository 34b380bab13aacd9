//! The steps of the open trace and of the second trace, side by side.

use std::ops::Range;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use super::difference_table::comparison_of;
use super::view::{CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{Action, PanelKind};
use crate::desk::{BlockItem, Blocks, Desk};
use crate::model::aligned_steps::{AlignedStep, AlignedThreads};
use crate::model::trace_differences::TraceDifferences;
use crate::session::Session;
use crate::worker::Slot;

/// Number of rows in a block.
const BLOCK: u64 = 64;
/// Number of rows around the position that stay in view.
const MARGIN: usize = 4;

/// The aligned steps of the thread at the position. The row of the position stays in view, so a move
/// in the first trace also moves in the second.
pub struct BothTracesView {
    threads: Option<Arc<AlignedThreads>>,
    steps: Blocks<AlignedStep>,
    /// Row of the last step before a position, by the index of the pair of threads.
    here: Slot<(Position, usize), u64>,
}

impl Default for BothTracesView {
    fn default() -> Self {
        Self {
            threads: None,
            steps: Blocks::new(BLOCK),
            here: Slot::default(),
        }
    }
}

impl BothTracesView {
    /// Returns a row, once it is known.
    pub fn step(&self, row: usize) -> Option<&AlignedStep> {
        self.steps.known(row as u64)
    }

    /// Returns the second trace, once both are compared.
    pub fn other(&self) -> Option<&Arc<Session>> {
        let threads = self.threads.as_ref();
        threads.map(|threads| &threads.differences.other)
    }

    /// Returns true for the row of the last step before the position.
    pub fn is_here(&self, row: usize) -> bool {
        let here = self.here.peek();
        here.is_some_and(|(_, here)| *here == row as u64)
    }

    /// Chooses the pair of threads at the position.
    fn choose(&mut self, differences: &Arc<TraceDifferences>, desk: &Desk) {
        let pair = differences.pair_of(desk.threads.here());
        let is_known = self.threads.as_ref().is_some_and(|known| {
            known.pair() == pair && Arc::ptr_eq(&known.differences, differences)
        });
        if !is_known {
            *self = Self {
                threads: AlignedThreads::new(differences, pair).map(Arc::new),
                ..Self::default()
            };
        }
    }

    /// Requests the row of the position.
    fn marked(&mut self, desk: &Desk) -> Option<CursorRow> {
        let threads = self.threads.as_ref()?;
        let key = (desk.windows.active().position, threads.pair());
        let answer = self.here.poll(&key, &desk.worker, |(position, _)| {
            let (session, threads) = (Arc::clone(&desk.session), Arc::clone(threads));
            let position = *position;
            move |_: &Cancel| Ok(threads.row_at(&session, position)?)
        });
        let row = usize::try_from(*answer.any()?).ok()?;
        Some(CursorRow {
            key: (key.0.0, row as u64),
            row,
        })
    }
}

impl PanelView for BothTracesView {
    fn kind(&self) -> PanelKind {
        PanelKind::BothTraces
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        let differences = match comparison_of(desk) {
            Ok(differences) => differences,
            Err(instead) => return instead,
        };
        self.choose(differences, desk);
        let count = self.threads.as_ref().map_or(0, |threads| threads.count());
        ViewStatus::Rows(RowListing {
            count: usize::try_from(count).unwrap_or(usize::MAX),
            summary: differences.table.summary.clone(),
            marked: self.marked(desk),
        })
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        let threads = self.threads.as_ref()?;
        let rows = seen.clone().map(|row| row as u64);
        self.steps.fetch(rows, &desk.worker, |rows| {
            let (session, threads) = (Arc::clone(&desk.session), Arc::clone(threads));
            move |cancel: &Cancel| threads.steps(&session, rows, cancel)
        });
        let mut items = seen.map(|row| self.steps.get(row as u64));
        items.find_map(|item| match item {
            BlockItem::Failed(error) => Some(error.to_owned()),
            BlockItem::Known(_) | BlockItem::Loading => None,
        })
    }

    fn act(&mut self, row: usize, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let Some(step) = self.step(row).filter(|_| gesture == RowGesture::Go) else {
            return false;
        };
        out.push(Action::travel(desk.windows.active, step.position));
        true
    }

    fn copied(&self, row: usize) -> Option<String> {
        self.step(row).map(AlignedStep::line)
    }

    fn margin(&self) -> usize {
        MARGIN
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

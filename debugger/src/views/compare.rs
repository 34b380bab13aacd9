//! What differs between two positions: registers, and memory by region.

use super::view::{Gesture, Rows, Status, View};
use crate::action::{Access, Action, CellName, PanelKind, Way, WindowId};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::TraceWindow;
use crate::model::compare::{Between, CompareRow, Comparison, RowsWanted, WriterText, compare, writers};
use crate::worker::{Answer, Slot};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use stepback_index::Cancel;
use stepback_parsers::{Position, Step};

/// Single bytes of memory in a row.
const BYTES: usize = 8;

/// Registers longer than this are cut at their high end: a vector would push all other columns away.
const LONGEST: usize = 32;

/// Symbols and meanings longer than this are cut.
const WORDS: usize = 24;

/// The difference of two windows.
#[derive(Default)]
pub struct CompareView {
    /// The windows that were chosen; else the first two.
    chosen: Option<(WindowId, WindowId)>,
    difference: Slot<(Position, Position), Arc<Comparison>>,
    laid: Slot<RowsKey, Arc<Laid>>,
    writers: Slot<Vec<Step>, HashMap<Step, WriterText>>,
    /// Titles of groups that were opened or closed.
    toggled: Vec<String>,
    filter: String,
    /// Questions are about the values of the left window, not of the right one.
    means_left: bool,
}

/// Which rows of which comparison: while a trace is indexed, the same positions may differ in more.
#[derive(Clone, PartialEq)]
struct RowsKey {
    wanted: RowsWanted,
    between: Between,
    step_count: u64,
}

/// The rows, and how wide their columns are.
#[derive(Default)]
struct Laid {
    rows: Vec<CompareRow>,
    widths: CompareWidths,
}

/// Letters that columns need.
#[derive(Clone, Copy, Default)]
pub struct CompareWidths {
    /// Of the names.
    pub label: u16,
    /// Of each value.
    pub digits: u16,
    /// Of what the value means.
    pub meaning: u16,
}

/// The two windows.
#[derive(Clone, Copy)]
pub struct WindowPair<'a> {
    /// The window on the left.
    pub left: &'a TraceWindow,
    /// The window on the right.
    pub right: &'a TraceWindow,
}

impl CompareWidths {
    /// Those of these rows. Cost: grows with the rows.
    fn of(rows: &[CompareRow]) -> Self {
        let mut widest = Self::default();
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        for row in rows {
            let CompareRow::Cell { label, from, to, meaning, .. } = row else { continue };
            let digits = low_end(from).len().max(low_end(to).len());
            let meaning = meaning.as_ref().map_or(0, |meaning| meaning.text().chars().count().min(WORDS));
            widest = Self {
                label: widest.label.max(cells(label.chars().count())),
                digits: widest.digits.max(cells(digits)),
                meaning: widest.meaning.max(cells(meaning)),
            };
        }
        widest
    }
}

/// The low digits of a long value.
pub fn low_end(text: &str) -> &str {
    text.len().checked_sub(LONGEST).and_then(|over| text.get(over..)).unwrap_or(text)
}

fn nothing(title: &str, advice: &str) -> Status {
    Status::empty(title.to_owned(), advice.to_owned())
}

impl CompareView {
    /// The two windows that are compared.
    pub fn pair<'a>(&self, desk: &'a Desk) -> Option<WindowPair<'a>> {
        let windows = &desk.windows;
        let chosen = self.chosen.and_then(|(left, right)| Some((windows.get(left)?, windows.get(right)?)));
        let (left, right) = chosen.or_else(|| windows.pair())?;
        Some(WindowPair { left, right })
    }

    fn difference(&mut self, pair: WindowPair<'_>, desk: &Desk) -> Result<Arc<Comparison>, Status> {
        let key = (pair.left.position, pair.right.position);
        let answer = self.difference.poll_long(&key, &desk.worker, |(from, to)| {
            let (from, to, session) = (*from, *to, Arc::clone(&desk.session));
            move |cancel: &Cancel| Ok(Arc::new(compare(&session, from, to, cancel)?))
        });
        Status::of_answer(&answer)
    }

    /// The rows, made on a worker: there may be as many as a call has written cells.
    fn laid(&mut self, comparison: &Arc<Comparison>, desk: &Desk) -> Result<Arc<Laid>, Status> {
        let wanted = RowsWanted {
            filter: self.filter.clone(),
            toggled: self.toggled.clone(),
            bytes_in_row: BYTES,
            accessed: None,
        };
        let key = RowsKey { wanted, between: comparison.between, step_count: comparison.step_count };
        let answer = self.laid.poll(&key, &desk.worker, |key| {
            let (wanted, comparison) = (key.wanted.clone(), Arc::clone(comparison));
            let session = Arc::clone(&desk.session);
            move |_: &Cancel| {
                let rows = comparison.rows(&wanted, &session.images);
                Ok(Arc::new(Laid { widths: CompareWidths::of(&rows), rows }))
            }
        });
        Status::of_answer(&answer)
    }

    /// Letters that the columns need.
    pub fn widths(&self) -> CompareWidths {
        self.laid.peek().map(|(_, laid)| laid.widths).unwrap_or_default()
    }

    /// Function and instruction of a step that wrote a row, once they are read.
    pub fn writer(&self, step: Step) -> Option<&WriterText> {
        self.writers.peek()?.1.get(&step)
    }

    /// True where questions are about the value of the left window, not of the right one.
    pub fn means_left(&self) -> bool {
        self.means_left
    }

    /// Questions are about the value of the other window.
    pub fn change_side(&mut self) {
        self.means_left = !self.means_left;
    }

    /// Rows as of the last poll.
    pub fn rows(&self) -> &[CompareRow] {
        self.laid.peek().map_or(&[], |(_, laid)| &laid.rows)
    }

    fn toggle(&mut self, title: String) {
        if self.toggled.contains(&title) {
            self.toggled.retain(|toggled| *toggled != title);
        } else {
            self.toggled.push(title);
        }
    }
}

impl View for CompareView {
    fn kind(&self) -> PanelKind {
        PanelKind::Compare
    }

    fn poll(&mut self, desk: &Desk) -> Status {
        let Some(pair) = self.pair(desk) else {
            return nothing(say!("compare-nothing-to-compare-yet"), say!("terminal-how-to-compare"));
        };
        let comparison = match self.difference(pair, desk) {
            Ok(comparison) => comparison,
            Err(instead) => return instead,
        };
        if comparison.is_empty() {
            return nothing(say!("compare-the-two-positions-are-the"), say!("compare-move-one-of-the-windows"));
        }
        match self.laid(&comparison, desk) {
            Err(instead) => instead,
            Ok(laid) if laid.rows.is_empty() => {
                nothing(say!("table-no-row-holds-the-text"), say!("list-an-empty-filter"))
            }
            Ok(laid) => Status::Rows(Rows { count: laid.rows.len(), summary: comparison.summary(), marked: None }),
        }
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        let rows = self.rows().get(seen).unwrap_or_default();
        let writer = |row: &CompareRow| match row {
            CompareRow::Cell { last_write, .. } => *last_write,
            CompareRow::Group { .. } => None,
        };
        let mut steps: Vec<Step> = rows.iter().filter_map(writer).collect();
        steps.sort();
        steps.dedup();
        let answer = self.writers.poll(&steps, &desk.worker, |steps| {
            let (steps, session) = (steps.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| writers(&session, &steps, cancel)
        });
        if let Answer::Failed(error) = answer { Some(error.to_owned()) } else { None }
    }

    fn act(&mut self, place: usize, gesture: Gesture, _: &Desk, out: &mut Vec<Action>) -> bool {
        let (turned, asked) = match (self.rows().get(place), gesture) {
            (Some(CompareRow::Group { title, .. }), Gesture::Go)
            | (Some(CompareRow::Group { title, is_open: false, .. }), Gesture::Open)
            | (Some(CompareRow::Group { title, is_open: true, .. }), Gesture::Close) => (Some(title.clone()), None),
            (Some(CompareRow::Cell { cell, .. }), Gesture::Go) => (None, Some((cell.clone(), Way::Back))),
            (Some(CompareRow::Cell { cell, .. }), Gesture::GoOn) => (None, Some((cell.clone(), Way::Forward))),
            _ => return false,
        };
        turned.into_iter().for_each(|title| self.toggle(title));
        out.extend(asked.map(|(cell, way)| Action::GoToAccess(cell, Access::Write, way)));
        true
    }

    /// The title of the group.
    fn parent(&self, place: usize) -> Option<usize> {
        self.rows().get(..place)?.iter().rposition(|row| matches!(row, CompareRow::Group { .. }))
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        match self.rows().get(place)? {
            CompareRow::Cell { cell, .. } => Some(cell.clone()),
            CompareRow::Group { .. } => None,
        }
    }

    /// The window whose value is meant.
    fn cell_at(&self, _: usize, desk: &Desk) -> Option<Position> {
        let WindowPair { left, right } = self.pair(desk)?;
        Some(if self.means_left { left.position } else { right.position })
    }

    fn copied(&self, place: usize) -> Option<String> {
        Some(match self.rows().get(place)? {
            CompareRow::Cell { label, from, to, .. } => format!("{label}: {from} -> {to}"),
            CompareRow::Group { title, detail, .. } => format!("{title}: {detail}"),
        })
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.filter);
        true
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::CompareWindows(left, right) = action else { return false };
        self.chosen = Some((*left, *right));
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

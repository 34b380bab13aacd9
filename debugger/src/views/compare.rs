//! Differences between two positions: registers, and memory by region.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_parsers::{Position, Step};

use super::view::{PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::WindowId;
use crate::action::{Access, Action, CellName, Direction, PanelAction, PanelKind, TravelAction};
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::TraceWindow;
use crate::model::compare::{
    CellWriteCount, CompareRow, CompareRowOptions, PositionComparison, PositionPair, WriterText,
    accessed_between, compare, writers, writes_between,
};
use crate::worker::{JobLane, Slot, Ticket, Worker};

/// Maximum displayed length of registers. Longer ones are cut at their high end: a vector would
/// push all other columns away.
const LONGEST: usize = 32;
/// Maximum displayed length of symbols.
const SYMBOL: usize = 24;
/// Maximum displayed length of meanings.
const WORDS: usize = 40;
/// Maximum number of cached steps, with their functions and instructions.
const KEPT: usize = 10_000;

/// The rows and the widths of their columns.
type CompareLayout = (Arc<Vec<CompareRow>>, CompareWidths);

/// The differences between two windows.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareView {
    /// Window on the left; none: the first.
    before: Option<WindowId>,
    /// Window on the right; none: the second.
    after: Option<WindowId>,
    /// Lists only cells that a step between the two positions read, or wrote.
    accessed: Option<Access>,
    #[serde(skip)]
    room: CompareRoom,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<CompareState>,
}

#[derive(Default)]
struct CompareState {
    difference: Slot<(Position, Position), Arc<PositionComparison>>,
    /// The rows and the widths of their columns. The number of indexed steps is part of the key:
    /// with more steps, the same positions may differ in more.
    laid: Slot<(CompareRowOptions, PositionPair, u64), CompareLayout>,
    writers: DetailCache<Step, WriterText>,
    writes: DetailCache<CellName, CellWriteCount>,
    /// Positions that `writes` belongs to.
    between: Option<PositionPair>,
    /// Source lines were available when the texts in `writers` were made.
    has_lines: bool,
    /// Titles of groups that were opened or closed.
    toggled: Vec<String>,
    filter: String,
    side: CompareSide,
}

/// Space in the front end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareRoom {
    /// No space for the choices that filter cells: all are listed.
    Narrow,
    /// Space for eight single bytes in a row.
    #[default]
    Wide,
    /// Space for sixteen single bytes in a row.
    Roomy,
}

/// The one of a cell's two values to which queries refer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareSide {
    /// Value of the left window.
    Left,
    /// Value of the right window.
    #[default]
    Right,
}

/// Widths of columns in characters.
#[derive(Clone, Copy, Default)]
pub struct CompareWidths {
    /// Names.
    pub label: u16,
    /// A name and its symbol.
    pub symbol: u16,
    /// Each value.
    pub digits: u16,
    /// Meaning of the value.
    pub meaning: u16,
}

/// The compared windows.
#[derive(Clone, Copy)]
pub struct WindowPair<'a> {
    pub left: &'a TraceWindow,
    pub right: &'a TraceWindow,
}

impl WindowPair<'_> {
    /// Returns "before" and "after" for the left and the right window, of which either may be the
    /// earlier one.
    pub fn titles(self) -> [&'static str; 2] {
        match self.right.position < self.left.position {
            true => [say!("compare-after"), say!("compare-before")],
            false => [say!("compare-before"), say!("compare-after")],
        }
    }
}

impl CompareSide {
    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl CompareWidths {
    /// Measures rows. Cost: proportional to the rows.
    fn of(rows: &[CompareRow]) -> Self {
        let mut widest = Self::default();
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        for row in rows {
            let CompareRow::Cell {
                label,
                symbol,
                from,
                to,
                meaning,
                is_register,
                ..
            } = row
            else {
                continue;
            };
            let digits = from.len().max(to.len());
            let digits = if *is_register {
                digits.min(LONGEST)
            } else {
                digits
            };
            let symbol = symbol
                .as_ref()
                .map_or(0, |symbol| label.len() + 1 + symbol.len().min(SYMBOL));
            let meaning = meaning
                .as_ref()
                .map_or(0, |meaning| meaning.text().chars().count().min(WORDS));
            widest = Self {
                label: widest.label.max(cells(label.chars().count())),
                symbol: widest.symbol.max(cells(symbol)),
                digits: widest.digits.max(cells(digits)),
                meaning: widest.meaning.max(cells(meaning)),
            };
        }
        widest
    }
}

/// Returns the low digits of a long value.
pub fn low_end(text: &str) -> &str {
    text.len()
        .checked_sub(LONGEST)
        .and_then(|over| text.get(over..))
        .unwrap_or(text)
}

impl CompareView {
    /// Returns the compared windows.
    pub fn pair<'a>(&self, desk: &'a Desk) -> Option<WindowPair<'a>> {
        let windows = &desk.windows;
        let chosen = |id: Option<WindowId>| id.and_then(|id| windows.get(id));
        let chosen = chosen(self.before)
            .zip(chosen(self.after))
            .filter(|(left, right)| left.id != right.id);
        let (left, right) = chosen.or_else(|| windows.pair())?;
        Some(WindowPair { left, right })
    }

    /// Compares two windows.
    pub fn choose(&mut self, left: WindowId, right: WindowId) {
        (self.before, self.after) = (Some(left), Some(right));
    }

    /// Returns the kind of access by which cells are filtered.
    pub fn accessed(&self) -> Option<Access> {
        self.accessed
    }

    /// Lists only cells that a step between the two positions read, or wrote; none: all.
    pub fn choose_accessed(&mut self, access: Option<Access>) {
        self.accessed = access;
    }

    /// Returns the text by which cells are filtered, as typed.
    pub fn filter_mut(&mut self) -> &mut String {
        &mut self.state.filter
    }

    /// Adapts the rows to the available space.
    pub fn fit(&mut self, room: CompareRoom) {
        self.room = room;
    }

    fn wanted(&self) -> CompareRowOptions {
        let is_narrow = self.room == CompareRoom::Narrow;
        CompareRowOptions {
            filter: if is_narrow {
                String::new()
            } else {
                self.state.filter.clone()
            },
            toggled: self.state.toggled.clone(),
            bytes_in_row: if self.room == CompareRoom::Roomy {
                16
            } else {
                8
            },
            accessed: self.accessed.filter(|_| !is_narrow),
        }
    }

    fn difference(
        &mut self,
        pair: WindowPair<'_>,
        desk: &Desk,
    ) -> Result<Arc<PositionComparison>, ViewStatus> {
        let key = (pair.left.position, pair.right.position);
        let answer = self
            .state
            .difference
            .poll_long(&key, &desk.worker, |(from, to)| {
                let (from, to, session) = (*from, *to, Arc::clone(&desk.session));
                move |cancel: &Cancel| Ok(Arc::new(compare(&session, from, to, cancel)?))
            });
        ViewStatus::of_answer(&answer)
    }

    /// Returns the rows, which a worker makes: a call may have written any number of cells.
    fn laid(
        &mut self,
        comparison: &Arc<PositionComparison>,
        desk: &Desk,
    ) -> Result<Arc<Vec<CompareRow>>, ViewStatus> {
        let key = (self.wanted(), comparison.between, comparison.step_count);
        let make = |(wanted, between, _): &(CompareRowOptions, PositionPair, u64)| {
            let (wanted, between) = (wanted.clone(), *between);
            let (comparison, session) = (Arc::clone(comparison), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                let mut rows = comparison.rows(&wanted, &session.images);
                if let Some(access) = wanted.accessed {
                    rows = accessed_between(&session, rows, access, between, cancel)?;
                }
                let widths = CompareWidths::of(&rows);
                Ok((Arc::new(rows), widths))
            }
        };
        // With this filter, accesses are searched in the trace for each cell.
        let answer = match key.0.accessed {
            Some(_) => self.state.laid.poll_long(&key, &desk.worker, make),
            None => self.state.laid.poll(&key, &desk.worker, make),
        };
        ViewStatus::of_answer(&answer).map(|(rows, _)| rows)
    }

    /// Returns the comparison as of the last poll.
    pub fn comparison(&self) -> Option<&PositionComparison> {
        self.state
            .difference
            .peek()
            .map(|(_, comparison)| comparison.as_ref())
    }

    /// Returns the widths of the columns in characters.
    pub fn widths(&self) -> CompareWidths {
        self.state
            .laid
            .peek()
            .map(|(_, (_, widths))| *widths)
            .unwrap_or_default()
    }

    /// Returns the positions whose differences the rows show.
    pub fn between(&self) -> Option<PositionPair> {
        self.state.laid.peek().map(|((_, between, _), _)| *between)
    }

    /// Returns the function and instruction of a step that wrote a row, once they are known.
    pub fn writer(&self, step: Step) -> Option<&WriterText> {
        self.state.writers.get(&step)
    }

    /// Returns the number of writes to a cell between the two positions, once it is known.
    pub fn writes(&self, cell: &CellName) -> Option<&CellWriteCount> {
        self.state.writes.get(cell)
    }

    /// Requests the number of writes to the cells in sight between the two positions.
    pub fn fetch_writes(&mut self, seen: Range<usize>, desk: &Desk) {
        let Some(between) = self.between() else {
            return;
        };
        let CompareState { laid, writes, .. } = &mut *self.state;
        let rows = laid
            .peek()
            .and_then(|(_, (rows, _))| rows.get(seen))
            .unwrap_or_default();
        let cells = rows.iter().filter_map(CompareRow::cell).cloned();
        writes.fetch(cells, JobLane::Long, &desk.worker, |cells| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| writes_between(&session, &cells, between, cancel)
        });
    }

    /// Returns the side to which queries refer.
    pub fn side(&self) -> CompareSide {
        self.state.side
    }

    /// Makes queries refer to the value of a window.
    pub fn choose_side(&mut self, side: CompareSide) {
        self.state.side = side;
    }

    /// Makes queries refer to the value of the other window.
    pub fn change_side(&mut self) {
        self.state.side = self.state.side.other();
    }

    /// Returns the rows as of the last poll.
    pub fn rows(&self) -> &[CompareRow] {
        self.state.laid.peek().map_or(&[], |(_, (rows, _))| rows)
    }

    fn toggle(&mut self, title: String) {
        let toggled = &mut self.state.toggled;
        if toggled.contains(&title) {
            toggled.retain(|other| *other != title);
        } else {
            toggled.push(title);
        }
    }
}

impl PanelView for CompareView {
    fn kind(&self) -> PanelKind {
        PanelKind::Compare
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        if self.session.is_new(&desk.session) {
            *self.state = CompareState::default();
        }
        let Some(pair) = self.pair(desk) else {
            return ViewStatus::empty(
                say!("compare-nothing-to-compare-yet"),
                say!("terminal-how-to-compare"),
            );
        };
        let comparison = match self.difference(pair, desk) {
            Ok(comparison) => comparison,
            Err(instead) => return instead,
        };
        if comparison.is_empty() {
            return ViewStatus::empty(
                say!("compare-the-two-positions-are-the"),
                say!("compare-move-one-of-the-windows"),
            );
        }
        match self.laid(&comparison, desk) {
            Err(instead) => instead,
            Ok(rows) if rows.is_empty() => ViewStatus::empty(
                say!("table-no-row-holds-the-text"),
                say!("list-an-empty-filter"),
            ),
            Ok(rows) => ViewStatus::Rows(RowListing {
                count: rows.len(),
                summary: comparison.summary(),
                marked: None,
            }),
        }
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        let (between, has_lines) = (self.between(), desk.session.images.are_lines_ready());
        let state = &mut *self.state;
        if state.between != between {
            (state.between, state.writes) = (between, DetailCache::default());
            state.writers.retry();
        }
        if state.has_lines != has_lines || state.writers.len() > KEPT {
            (state.has_lines, state.writers) = (has_lines, DetailCache::default());
        }
        let laid = state.laid.peek().and_then(|(_, (rows, _))| rows.get(seen));
        let rows = laid.unwrap_or_default();
        let writer = |row: &CompareRow| match row {
            CompareRow::Cell { last_write, .. } => *last_write,
            CompareRow::Group { .. } => None,
        };
        state.writers.fetch(
            rows.iter().filter_map(writer),
            JobLane::Short,
            &desk.worker,
            |steps| {
                let session = Arc::clone(&desk.session);
                move |cancel: &Cancel| writers(&session, &steps, cancel)
            },
        );
        state.writers.error().cloned()
    }

    fn act(&mut self, place: usize, gesture: RowGesture, _: &Desk, out: &mut Vec<Action>) -> bool {
        let (turned, requested) = match (self.rows().get(place), gesture) {
            (Some(CompareRow::Group { title, .. }), RowGesture::Go)
            | (
                Some(CompareRow::Group {
                    title,
                    is_open: false,
                    ..
                }),
                RowGesture::Open,
            )
            | (
                Some(CompareRow::Group {
                    title,
                    is_open: true,
                    ..
                }),
                RowGesture::Close,
            ) => (Some(title.clone()), None),
            (Some(CompareRow::Cell { cell, .. }), RowGesture::Go) => {
                (None, Some((cell.clone(), Direction::Back)))
            }
            (Some(CompareRow::Cell { cell, .. }), RowGesture::GoOn) => {
                (None, Some((cell.clone(), Direction::Forward)))
            }
            _ => return false,
        };
        turned.into_iter().for_each(|title| self.toggle(title));
        out.extend(requested.map(|(cell, direction)| {
            Action::Travel(TravelAction::GoToAccess(cell, Access::Write, direction))
        }));
        true
    }

    /// Returns the title of the group.
    fn parent(&self, place: usize) -> Option<usize> {
        self.rows()
            .get(..place)?
            .iter()
            .rposition(|row| matches!(row, CompareRow::Group { .. }))
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        self.rows().get(place).and_then(CompareRow::cell).cloned()
    }

    /// Returns the position of the window whose value is meant.
    fn cell_at(&self, _: usize, desk: &Desk) -> Option<Position> {
        let WindowPair { left, right } = self.pair(desk)?;
        Some(match self.state.side {
            CompareSide::Left => left.position,
            CompareSide::Right => right.position,
        })
    }

    fn copied(&self, place: usize) -> Option<String> {
        Some(match self.rows().get(place)? {
            CompareRow::Cell {
                label, from, to, ..
            } => format!("{label}: {from} -> {to}"),
            CompareRow::Group { title, detail, .. } => format!("{title}: {detail}"),
        })
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.state.filter);
        true
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::Panel(PanelAction::CompareWindows(left, right)) = action else {
            return false;
        };
        self.choose(*left, *right);
        true
    }

    fn is_waiting(&self) -> bool {
        self.state.difference.is_waiting()
    }

    fn is_late(&self) -> bool {
        self.state.difference.is_late()
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Details of rows by a key of the row, kept while the rows scroll. They are requested for rows in
/// sight. At most one request is under way.
struct DetailCache<K, D> {
    known: HashMap<K, D>,
    pending: Option<Ticket<HashMap<K, D>>>,
    error: Option<String>,
}

impl<K, D> Default for DetailCache<K, D> {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            pending: None,
            error: None,
        }
    }
}

impl<K: Eq + Hash + Send + 'static, D: Send + 'static> DetailCache<K, D> {
    fn get(&self, key: &K) -> Option<&D> {
        self.known.get(key)
    }

    fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns the error of the last request, which is not repeated before [`DetailCache::retry`].
    fn error(&self) -> Option<&String> {
        self.error.as_ref()
    }

    /// Permits requests again after one failed.
    fn retry(&mut self) {
        self.error = None;
    }

    /// Takes details that arrived, and requests those of `keys` that are missing.
    fn fetch<J>(
        &mut self,
        keys: impl Iterator<Item = K>,
        lane: JobLane,
        worker: &Worker,
        make: impl FnOnce(Vec<K>) -> J,
    ) where
        J: FnOnce(&Cancel) -> anyhow::Result<HashMap<K, D>> + Send + 'static,
    {
        self.receive();
        let missing: Vec<K> = keys.filter(|key| !self.known.contains_key(key)).collect();
        if !missing.is_empty() && self.pending.is_none() && self.error.is_none() {
            self.pending = Some(worker.spawn(lane, make(missing)));
            self.receive();
        }
    }

    fn receive(&mut self) {
        let Some(answer) = self.pending.as_ref().and_then(Ticket::take) else {
            return;
        };
        self.pending = None;
        match answer {
            Ok(details) => self.known.extend(details),
            Err(error) => self.error = Some(format!("{error:#}")),
        }
    }
}

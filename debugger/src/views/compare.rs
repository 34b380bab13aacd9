//! Differences between two positions: registers, and memory by region.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_parsers::{Position, Step};

use super::detail_cache::DetailCache;
use super::view::{PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{
    Access, Action, CellName, Direction, PanelAction, PanelKind, TravelAction, WindowId,
};
use crate::desk::{Desk, SessionWatch};
use crate::messages::say;
use crate::model::TraceWindow;
use crate::model::compare::{
    CellWriteCount, CompareRow, CompareRowOptions, PositionComparison, PositionPair, WriterText,
    accessed_between, compare, writers, writes_between,
};
use crate::worker::{JobLane, Slot};

/// Registers longer than this are cut at their high end: a vector would push all other columns away.
const LONGEST: usize = 32;
/// Symbols longer than this are cut.
const SYMBOL: usize = 24;
/// Meanings longer than this are cut.
const WORDS: usize = 40;
/// Maximum number of steps whose functions and instructions are kept.
const KEPT: usize = 10_000;

/// The difference of two windows.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareView {
    /// The window on the left; none: the first.
    before: Option<WindowId>,
    /// The window on the right; none: the second.
    after: Option<WindowId>,
    /// Only cells that a step between the two positions read, or wrote.
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
    laid: Slot<CompareRowsKey, Arc<CompareLayout>>,
    writers: DetailCache<Step, WriterText>,
    writes: DetailCache<CellName, CellWriteCount>,
    /// The positions that `writes` is about.
    between: Option<PositionPair>,
    /// The texts in `writers` were made when source lines were known.
    has_lines: bool,
    /// Titles of groups that were opened or closed.
    toggled: Vec<String>,
    filter: String,
    side: CompareSide,
}

/// Room that the front end has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareRoom {
    /// None for the choices that leave out cells: all are listed.
    Narrow,
    /// For eight single bytes in a row.
    #[default]
    Wide,
    /// For sixteen single bytes in a row.
    Roomy,
}

/// One of the two values of a cell: questions are about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareSide {
    /// That of the left window.
    Left,
    /// That of the right window.
    #[default]
    Right,
}

/// Which rows of which comparison: while a trace is indexed, the same positions may differ in more.
#[derive(Clone, PartialEq)]
struct CompareRowsKey {
    wanted: CompareRowOptions,
    between: PositionPair,
    step_count: u64,
}

/// The rows, and how wide their columns are.
#[derive(Default)]
struct CompareLayout {
    rows: Vec<CompareRow>,
    widths: CompareWidths,
}

/// Letters that columns need.
#[derive(Clone, Copy, Default)]
pub struct CompareWidths {
    /// Of the names.
    pub label: u16,
    /// Of a name and its symbol.
    pub symbol: u16,
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

impl WindowPair<'_> {
    /// Before and after, for the left and the right window: either may be the earlier one.
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
    /// Those of these rows. Cost: grows with the rows.
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

/// The low digits of a long value.
pub fn low_end(text: &str) -> &str {
    text.len()
        .checked_sub(LONGEST)
        .and_then(|over| text.get(over..))
        .unwrap_or(text)
}

impl CompareView {
    /// The two windows that are compared.
    pub fn pair<'a>(&self, desk: &'a Desk) -> Option<WindowPair<'a>> {
        let windows = &desk.windows;
        let chosen = |id: Option<WindowId>| id.and_then(|id| windows.get(id));
        let chosen = chosen(self.before)
            .zip(chosen(self.after))
            .filter(|(left, right)| left.id != right.id);
        let (left, right) = chosen.or_else(|| windows.pair())?;
        Some(WindowPair { left, right })
    }

    /// Compares these two windows.
    pub fn choose(&mut self, left: WindowId, right: WindowId) {
        (self.before, self.after) = (Some(left), Some(right));
    }

    /// Access by which cells are left out.
    pub fn accessed(&self) -> Option<Access> {
        self.accessed
    }

    /// Lists only cells that a step between the two positions read, or wrote; none: all.
    pub fn choose_accessed(&mut self, access: Option<Access>) {
        self.accessed = access;
    }

    /// Text by which cells are left out, as it is typed.
    pub fn filter_mut(&mut self) -> &mut String {
        &mut self.state.filter
    }

    /// Adapts the rows to the room that there is.
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

    /// The rows, made on a worker: there may be as many as a call has written cells.
    fn laid(
        &mut self,
        comparison: &Arc<PositionComparison>,
        desk: &Desk,
    ) -> Result<Arc<CompareLayout>, ViewStatus> {
        let key = CompareRowsKey {
            wanted: self.wanted(),
            between: comparison.between,
            step_count: comparison.step_count,
        };
        let make = |CompareRowsKey {
                        wanted, between, ..
                    }: &CompareRowsKey| {
            let (wanted, between) = (wanted.clone(), *between);
            let (comparison, session) = (Arc::clone(comparison), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                let mut rows = comparison.rows(&wanted, &session.images);
                if let Some(access) = wanted.accessed {
                    rows = accessed_between(&session, rows, access, between, cancel)?;
                }
                Ok(Arc::new(CompareLayout {
                    widths: CompareWidths::of(&rows),
                    rows,
                }))
            }
        };
        // Accesses are searched in the trace, for each cell.
        let answer = match key.wanted.accessed {
            Some(_) => self.state.laid.poll_long(&key, &desk.worker, make),
            None => self.state.laid.poll(&key, &desk.worker, make),
        };
        ViewStatus::of_answer(&answer)
    }

    /// The comparison as of the last poll.
    pub fn comparison(&self) -> Option<&PositionComparison> {
        self.state
            .difference
            .peek()
            .map(|(_, comparison)| comparison.as_ref())
    }

    /// Letters that the columns need.
    pub fn widths(&self) -> CompareWidths {
        self.state
            .laid
            .peek()
            .map(|(_, laid)| laid.widths)
            .unwrap_or_default()
    }

    /// The positions whose difference the rows show.
    pub fn between(&self) -> Option<PositionPair> {
        self.state.laid.peek().map(|(key, _)| key.between)
    }

    /// Function and instruction of a step that wrote a row, once they are read.
    pub fn writer(&self, step: Step) -> Option<&WriterText> {
        self.state.writers.get(&step)
    }

    /// Number of writes to a cell between the two positions, once it is known.
    pub fn writes(&self, cell: &CellName) -> Option<&CellWriteCount> {
        self.state.writes.get(cell)
    }

    /// Asks how often the cells in sight were written between the two positions.
    pub fn fetch_writes(&mut self, seen: Range<usize>, desk: &Desk) {
        let Some(between) = self.between() else {
            return;
        };
        let CompareState { laid, writes, .. } = &mut *self.state;
        let rows = laid
            .peek()
            .and_then(|(_, laid)| laid.rows.get(seen))
            .unwrap_or_default();
        let cells = rows.iter().filter_map(CompareRow::cell).cloned();
        writes.fetch(cells, JobLane::Long, &desk.worker, |cells| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| writes_between(&session, &cells, between, cancel)
        });
    }

    /// The value that questions are about.
    pub fn side(&self) -> CompareSide {
        self.state.side
    }

    /// Questions are about the value of this window.
    pub fn choose_side(&mut self, side: CompareSide) {
        self.state.side = side;
    }

    /// Questions are about the value of the other window.
    pub fn change_side(&mut self) {
        self.state.side = self.state.side.other();
    }

    /// Rows as of the last poll.
    pub fn rows(&self) -> &[CompareRow] {
        self.state.laid.peek().map_or(&[], |(_, laid)| &laid.rows)
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
            Ok(laid) if laid.rows.is_empty() => ViewStatus::empty(
                say!("table-no-row-holds-the-text"),
                say!("list-an-empty-filter"),
            ),
            Ok(laid) => ViewStatus::Rows(RowListing {
                count: laid.rows.len(),
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
        let laid = state.laid.peek().and_then(|(_, laid)| laid.rows.get(seen));
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
        let (turned, asked) = match (self.rows().get(place), gesture) {
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
        out.extend(
            asked.map(|(cell, way)| {
                Action::Travel(TravelAction::GoToAccess(cell, Access::Write, way))
            }),
        );
        true
    }

    /// The title of the group.
    fn parent(&self, place: usize) -> Option<usize> {
        self.rows()
            .get(..place)?
            .iter()
            .rposition(|row| matches!(row, CompareRow::Group { .. }))
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        self.rows().get(place).and_then(CompareRow::cell).cloned()
    }

    /// The window whose value is meant.
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

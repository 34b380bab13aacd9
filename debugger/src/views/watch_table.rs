//! Watches: value at the position, last and next write.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::{Cell, ValueSource};
use stepback_parsers::{Position, Step};

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, CellName, Direction, Follow, MarkAction, PanelKind, TravelAction};
use crate::desk::Desk;
use crate::expression::ChosenReading;
use crate::expression::ExampleRegisters;
use crate::messages::say;
use crate::model::TextRole;
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::watch_state::{WatchState, watch_state};
use crate::notes::{Watch, WatchChange};
use crate::worker::Slot;

const HEADS: [&str; 5] = [
    "head-watch",
    "head-type",
    "head-written-by",
    "head-next-write",
    "head-value",
];

/// One row per watch.
#[derive(Default)]
pub struct WatchTable {
    follow: Follow,
    states: WatchStates,
    table: Arc<Table>,
    /// States that the table was made from.
    of: Arc<Vec<WatchState>>,
}

/// States of watches at a moment.
#[derive(Debug, Default)]
pub struct WatchStates {
    answer: Slot<(Vec<Watch>, Position), Arc<Vec<WatchState>>>,
}

impl WatchStates {
    /// Requests the states of watches at a position. Those of the previous query stay meanwhile.
    ///
    /// # Errors
    /// The status to show instead, if there is no answer.
    pub fn poll(
        &mut self,
        watches: &[Watch],
        at: Position,
        desk: &Desk,
    ) -> Result<Arc<Vec<WatchState>>, ViewStatus> {
        let question = (watches.to_vec(), at);
        ViewStatus::of_answer(&self.answer.poll(&question, &desk.worker, |question| {
            let ((watches, at), session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                let states = watches
                    .iter()
                    .map(|watch| watch_state(&session, watch, at, cancel));
                Ok(Arc::new(states.collect::<anyhow::Result<Vec<_>>>()?))
            }
        }))
    }

    /// Returns the watches of the last answer and their states.
    pub fn answer(&self) -> Option<(&[Watch], &[WatchState])> {
        self.answer
            .peek()
            .map(|((watches, _), states)| (watches.as_slice(), states.as_slice()))
    }

    /// Returns a watch with its state, once that is known.
    pub fn of<'a>(&'a self, place: usize, watch: &'a Watch) -> ShownWatch<'a> {
        let answer = self.answer();
        let state = answer.and_then(|(watches, states)| {
            states.get(watches.iter().position(|known| known == watch)?)
        });
        ShownWatch {
            place,
            watch,
            state,
        }
    }

    /// True while an answer is on its way.
    pub fn is_waiting(&self) -> bool {
        self.answer.is_waiting()
    }
}

/// A watch and its state at the moment that a panel shows.
#[derive(Clone, Copy)]
pub struct ShownWatch<'a> {
    /// Index in the list.
    pub place: usize,
    pub watch: &'a Watch,
    /// Value and writers, once they are known.
    pub state: Option<&'a WatchState>,
}

impl ShownWatch<'_> {
    /// Applies a gesture at the moment that is followed. Returns false if the gesture has no
    /// meaning for it.
    pub fn act(
        self,
        gesture: RowGesture,
        follow: Follow,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let windows = &desk.windows;
        let written_by = self.state.and_then(|state| state.written_by);
        let travel =
            |to: Option<Step>| to.map(|to| Action::travel(windows.travelling(follow), to.after()));
        let change = |direction| {
            Some(Action::Travel(TravelAction::GoToChange(
                self.watch.text(),
                direction,
            )))
        };
        let is_here = written_by.map(Step::after) == Some(windows.position_of(follow));
        let requested = match gesture {
            // If the position is just after the last write, go to the change before.
            RowGesture::Go if is_here => change(Direction::Back),
            RowGesture::Go => travel(written_by),
            RowGesture::GoOn => travel(self.state.and_then(|state| state.next_write)),
            RowGesture::Open => change(Direction::Forward),
            RowGesture::Close => change(Direction::Back),
            RowGesture::Stay => None,
            RowGesture::Remove => Some(Action::Mark(MarkAction::Watch(WatchChange::Remove(
                self.place,
            )))),
        };
        let Some(requested) = requested else {
            return false;
        };
        let start = matches!(requested, Action::Travel(TravelAction::GoToChange(..)))
            .then(|| windows.start_from(follow))
            .flatten();
        out.extend(start.into_iter().chain([requested]));
        true
    }

    /// Returns the single cell that it reads; none if it reads several, or none.
    pub fn cell(self) -> Option<CellName> {
        match self.state?.cells.as_slice() {
            [Cell::Memory { address, len_bytes }] => {
                Some(CellName::Memory(address.to_string(), *len_bytes))
            }
            [Cell::Register { .. }] => Some(CellName::Register(self.watch.expression.clone())),
            _ => None,
        }
    }
}

impl WatchTable {
    fn at(&self, row: &TableRow) -> Option<ShownWatch<'_>> {
        let (watches, states) = self.states.answer()?;
        let place = usize::try_from(row.key).ok()?;
        Some(ShownWatch {
            place,
            watch: watches.get(place)?,
            state: Some(states.get(place)?),
        })
    }
}

impl TableSource for WatchTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Watches
    }

    fn title(&self) -> String {
        say!("watches-watches").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let position = desk.windows.position_of(self.follow);
        let states = self.states.poll(desk.watches.list(), position, desk)?;
        if !Arc::ptr_eq(&self.of, &states) {
            let watches = self.states.answer().map_or(&[][..], |(watches, _)| watches);
            self.table = Arc::new(table(watches, &states));
            self.of = states;
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self, _: &Desk) -> Option<String> {
        Some(say!("watches-nothing-is-watched").to_owned())
    }

    fn advice(&self, desk: &Desk) -> String {
        ExampleRegisters::of_index(&desk.session.index).spoken("terminal-how-to-watch")
    }

    fn act(&self, row: &TableRow, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        self.at(row)
            .is_some_and(|watch| watch.act(gesture, self.follow, desk, out))
    }

    fn cell(&self, row: &TableRow, _: &Table) -> Option<CellName> {
        self.at(row)?.cell()
    }

    fn is_here(&self, _: &TableRow, _: &Desk) -> bool {
        false
    }

    fn forget(&mut self) {
        *self = Self {
            follow: self.follow,
            ..Self::default()
        };
    }
}

fn table(watches: &[Watch], states: &[WatchState]) -> Table {
    let rows = (0u64..)
        .zip(watches.iter().zip(states))
        .map(|(key, (watch, state))| TableRow {
            name: say!(
                "watches-row",
                expression = &*watch.expression,
                value = state.value.as_deref().unwrap_or(say!("watches-unknown"))
            ),
            key,
            cells: vec![
                TableCell::new(
                    TextRole::Symbol,
                    as_read(&watch.expression, &state.readings),
                ),
                TableCell::new(TextRole::Label, watch.kind.name()),
                writer(state),
                state
                    .next_write
                    .map_or_else(TableCell::default, TableCell::Step),
                value(state),
            ],
            address: state.address,
            ..TableRow::default()
        });
    Table::new(
        say!("terminal-watches", count = watches.len()),
        &HEADS,
        rows.collect(),
    )
}

/// Returns an expression with `0x` before each number that was read as hexadecimal without it.
fn as_read(expression: &str, readings: &[ChosenReading]) -> String {
    let mut shown = expression.to_owned();
    for reading in readings.iter().filter(|reading| reading.is_hexadecimal) {
        let is_inside = |letter: Option<char>| {
            letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let place = shown
            .match_indices(&reading.text)
            .map(|(place, _)| place)
            .find(|place| {
                let (before, behind) =
                    (shown.get(..*place), shown.get(place + reading.text.len()..));
                let (last, next) = (
                    before.and_then(|text| text.chars().last()),
                    behind.and_then(|text| text.chars().next()),
                );
                !is_inside(last) && !is_inside(next)
            });
        place
            .into_iter()
            .for_each(|place| shown.insert_str(place, "0x"));
    }
    shown
}

/// Formats the value, with a sign if it is not plain, or the reason why there is none.
fn value(state: &WatchState) -> TableCell {
    let Some(value) = &state.value else {
        let meaning = if state.is_wrong {
            TextRole::Exception
        } else {
            TextRole::Unknown
        };
        return TableCell::new(
            meaning,
            state
                .reason
                .clone()
                .unwrap_or_else(|| say!("watches-unknown").to_owned()),
        );
    };
    let (meaning, sign) = match state.source {
        ValueSource::External => (TextRole::External, "!"),
        ValueSource::Inferred => (TextRole::Inferred, "~"),
        _ if state.is_news => (TextRole::Write, "*"),
        ValueSource::Recorded | ValueSource::Unknown => (TextRole::Plain, ""),
    };
    TableCell::new(meaning, format!("{sign}{value}"))
}

fn writer(state: &WatchState) -> TableCell {
    match state.written_by {
        Some(step) => TableCell::Step(step),
        None if state.is_initial => {
            TableCell::new(TextRole::Label, say!("watches-before-the-start"))
        }
        None if state.cells.is_empty() => TableCell::default(),
        None => TableCell::new(TextRole::Label, say!("watches-never-written")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_in_hexadecimal_is_shown_so() {
        let reading = |text: &str, is_hexadecimal| ChosenReading {
            text: text.to_owned(),
            taken: 0,
            other: None,
            is_hexadecimal,
        };
        let readings = [
            reading("80020340", true),
            reading("9000", false),
            reading("8000", true),
        ];
        assert_eq!(
            as_read("[80020340] + 9000 + x8000 + 8000", &readings),
            "[0x80020340] + 9000 + x8000 + 0x8000"
        );
    }
}

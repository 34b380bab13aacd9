//! What is watched: its value at the position, who wrote it, who writes it next.

use std::sync::Arc;

use stepback_index::{Cancel, Cell, ValueSource};
use stepback_parsers::{Position, Step};

use super::list::{Deed, Listed, answered};
use super::table::Source;
use crate::action::{Action, CellName, Follow, PanelKind, Way};
use crate::expression::Reading;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::watch_state::{WatchState, watch_state};
use crate::notes::{Watch, WatchChange};
use crate::terminal::pane::{Ask, Cx};
use crate::worker::Slot;

const HEADS: [&str; 5] = ["head-watch", "head-type", "head-written-by", "head-next-write", "head-value"];

/// A row a watch.
#[derive(Default)]
pub struct Watches {
    follow: Follow,
    answer: Slot<Asked, Arc<Told>>,
}

type Asked = (Vec<Watch>, Position);

/// What the watches are at a moment.
#[derive(Default)]
struct Told {
    states: Vec<WatchState>,
    table: Arc<Table>,
}

impl Watches {
    /// The watch of a row, and what it is at the moment.
    fn at(&self, row: &TableRow) -> Option<(usize, &Watch, &WatchState)> {
        let ((watches, _), told) = self.answer.peek()?;
        let place = row.name.parse::<usize>().ok()?;
        Some((place, watches.get(place)?, told.states.get(place)?))
    }
}

impl Source for Watches {
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

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let asked = (cx.desk.watches.list().to_vec(), cx.desk.windows.position_of(self.follow));
        let answer = self.answer.poll(&asked, cx.worker(), |(watches, at)| {
            let (watches, at, session) = (watches.clone(), *at, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let states = watches.iter().map(|watch| watch_state(&session, watch, at, cancel));
                let states = states.collect::<anyhow::Result<Vec<_>>>()?;
                Ok(Arc::new(Told { table: Arc::new(table(&watches, &states)), states }))
            }
        });
        answered(&answer).map(|told| Arc::clone(&told.table))
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(say!("watches-nothing-is-watched"))
    }

    fn advice(&self) -> &'static str {
        say!("terminal-how-to-watch")
    }

    fn press(&mut self, row: &TableRow, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let Some((place, watch, state)) = self.at(row) else { return false };
        let windows = &cx.desk.windows;
        let travel = |to: Option<Step>| to.map(|to| Action::Travel(windows.travelling(self.follow), to.after().0));
        let change = |way| Some(Action::GoToChange(watch.text(), way));
        let is_here = state.written_by.map(Step::after) == Some(windows.position_of(self.follow));
        let asked = match deed {
            // Where the step just done is the last write, to the change before.
            Deed::Go if is_here => change(Way::Back),
            Deed::Go => travel(state.written_by),
            Deed::GoOn => travel(state.next_write),
            Deed::Open => change(Way::Forward),
            Deed::Close => change(Way::Back),
            Deed::Remove => Some(Action::Watch(WatchChange::Remove(place))),
        };
        let Some(asked) = asked else { return false };
        let start = matches!(asked, Action::GoToChange(..)).then(|| windows.start_from(self.follow)).flatten();
        out.extend(start.into_iter().chain([asked]).map(Ask::Do));
        true
    }

    fn cell(&self, row: &TableRow) -> Option<CellName> {
        let (_, watch, state) = self.at(row)?;
        match state.cells.as_slice() {
            [Cell::Memory { address, len_bytes }] => Some(CellName::Memory(address.to_string(), *len_bytes)),
            [Cell::Register { .. }] => Some(CellName::Register(watch.expression.clone())),
            _ => None,
        }
    }

    fn is_here(&self, _: &TableRow, _: &Cx<'_>) -> bool {
        false
    }

    fn forget(&mut self) {
        *self = Self { follow: self.follow, ..Self::default() };
    }
}

fn table(watches: &[Watch], states: &[WatchState]) -> Table {
    let rows = watches.iter().zip(states).enumerate().map(|(place, (watch, state))| TableRow {
        name: place.to_string(),
        cells: vec![
            TableCell::new(Meaning::Symbol, as_read(&watch.expression, &state.readings)),
            TableCell::new(Meaning::Label, watch.kind.name()),
            writer(state),
            state.next_write.map_or_else(TableCell::default, TableCell::Step),
            value(state),
        ],
        position: None,
        address: state.address,
        is_faded: false,
    });
    Table::new(say!("terminal-watches", count = watches.len()), &HEADS, rows.collect())
}

/// An expression with `0x` before what is read in hexadecimal without it.
fn as_read(expression: &str, readings: &[Reading]) -> String {
    let mut shown = expression.to_owned();
    for reading in readings.iter().filter(|reading| reading.is_hexadecimal) {
        let is_inside = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let place = shown.match_indices(&reading.text).map(|(place, _)| place).find(|place| {
            let (before, behind) = (shown.get(..*place), shown.get(place + reading.text.len()..));
            let (last, next) =
                (before.and_then(|text| text.chars().last()), behind.and_then(|text| text.chars().next()));
            !is_inside(last) && !is_inside(next)
        });
        place.into_iter().for_each(|place| shown.insert_str(place, "0x"));
    }
    shown
}

/// The value, with a sign where it is not plain; why there is none.
fn value(state: &WatchState) -> TableCell {
    let Some(value) = &state.value else {
        let meaning = if state.is_wrong { Meaning::Exception } else { Meaning::Unknown };
        return TableCell::new(meaning, state.reason.clone().unwrap_or_else(|| say!("watches-unknown").to_owned()));
    };
    let (meaning, sign) = match state.source {
        ValueSource::External => (Meaning::External, "!"),
        ValueSource::Inferred => (Meaning::Inferred, "~"),
        _ if state.is_news => (Meaning::Write, "*"),
        ValueSource::Recorded | ValueSource::Unknown => (Meaning::Plain, ""),
    };
    TableCell::new(meaning, format!("{sign}{value}"))
}

fn writer(state: &WatchState) -> TableCell {
    match state.written_by {
        Some(step) => TableCell::Step(step),
        None if state.is_initial => TableCell::new(Meaning::Label, say!("watches-before-the-start")),
        None if state.cells.is_empty() => TableCell::default(),
        None => TableCell::new(Meaning::Label, say!("watches-never-written")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::terminal::command::{Command, Toward};

    fn stage() -> Stage<ListPane<Tabled<Watches>>> {
        let mut stage = Stage::at(1250, ListPane::new(Tabled::new(Watches::default())));
        for text in ["x0", "[x19] u16", "x19 - x22", "nonsense("] {
            stage.desk.change_watches(&WatchChange::Add(text.to_owned()));
        }
        stage
    }

    #[test]
    fn watches_have_their_values_and_writers() {
        assert_eq!(
            stage().draw(80, 7),
            r#" 4 watches
   Watch      Type  Written by  Next write  Value
*  x0         hex        1,248       1,250  ffffffa9
   [x19]      u16        1,249              *43493
   x19 - x22  hex        1,188       1,253  f
   nonsense(  hex                           "(" stands where an operator must be…"#
        );
    }

    #[test]
    fn what_is_read_in_hexadecimal_is_shown_so() {
        let reading =
            |text: &str, is_hexadecimal| Reading { text: text.to_owned(), taken: 0, other: None, is_hexadecimal };
        let readings = [reading("80020340", true), reading("9000", false), reading("8000", true)];
        assert_eq!(as_read("[80020340] + 9000 + x8000 + 8000", &readings), "[0x80020340] + 9000 + x8000 + 0x8000");
    }

    #[test]
    fn writes_and_changes_are_gone_to() {
        let keys = [
            Command::Access(Way::Back),
            Command::Access(Way::Forward),
            Command::Move(Toward::Left),
            Command::Move(Toward::Right),
            Command::Remove,
        ];
        assert_eq!(
            format!("{:?}", stage().press(&keys).asked.as_slice()),
            r#"[Do(Travel(WindowId(1), 1249)), Do(Travel(WindowId(1), 1251)), Do(GoToChange("x0", Back)), Do(GoToChange("x0", Forward)), Do(Watch(Remove(0)))]"#
        );
    }

    #[test]
    fn nothing_watched_says_how_to() {
        let mut stage = Stage::at(0, ListPane::new(Tabled::new(Watches::default())));
        assert_eq!(
            stage.draw(70, 5),
            r"  Nothing is watched
  w watches the cell under the cursor, :watch what is typed: x0, [sp+8]
  u32, name utf8."
        );
        stage.drum();
    }

    #[test]
    fn the_watches_survive_all_sizes() {
        stage().drum();
    }
}

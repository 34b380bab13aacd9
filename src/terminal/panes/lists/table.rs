//! Lists with columns, over the tables that the window shows.

use std::sync::Arc;

use stepback_parsers::Position;

use super::list::{Deed, Listed, Listing, Marked, Press, Row, Rows};
use crate::action::{Action, CellName, Follow, PanelKind};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::table::{Table, TableCell, TableRow, View};
use crate::model::table_groups::TableGroup;
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};

/// Cells between two columns.
const GAP: u16 = 2;
/// Letters of the widest column: longer texts are cut, except in the last.
const LONGEST: usize = 44;
/// Names are cut to so many letters before columns are left out.
const LEAST_NAME: u16 = 12;
/// A column with less room than this is left out.
const LEAST: u16 = 4;
/// Cells of a bar.
const BAR: u16 = 10;

/// Where the rows of a table come from, and what is done with them.
pub trait Source {
    /// Its kind.
    fn kind(&self) -> PanelKind;

    /// What its bar says.
    fn title(&self) -> String;

    /// What it shows the state at; none where it shows no one moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds it to a window or a moment, where it can.
    fn bind(&mut self, _follow: Follow) {}

    /// Asks for the table; what is shown instead while there is none.
    ///
    /// # Errors
    /// That.
    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed>;

    /// What is said where the table has no rows; none: what the table says of itself.
    fn nothing(&self) -> Option<&'static str> {
        None
    }

    /// What to do where the table has no rows.
    fn advice(&self) -> &'static str;

    /// The columns that are left out where there is no room for all, by their English names, the first of them first.
    fn spare(&self) -> &'static [&'static str] {
        &[]
    }

    /// A row behind the last for what is not listed yet.
    fn more(&self, _cx: &Cx<'_>) -> Option<String> {
        None
    }

    /// Lists more.
    fn list_more(&mut self, _out: &mut Vec<Ask>) {}

    /// Does something with a row. False where that means nothing there.
    fn press(&mut self, row: &TableRow, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let travel = row.position.map(|position| Action::Travel(cx.desk.windows.active, position.0));
        let memory = row.address.map(|address| Action::ShowMemory(address.to_string()));
        let asked = match deed {
            Deed::Go => travel.or(memory),
            Deed::GoOn => memory,
            Deed::Open | Deed::Close | Deed::Remove => None,
        };
        out.extend(asked.clone().map(Ask::Do));
        asked.is_some()
    }

    /// The row that the cursor goes to.
    fn marked(&self, _table: &Table, _cx: &Cx<'_>) -> Option<Marked> {
        None
    }

    /// Whether a row is that of the position.
    fn is_here(&self, row: &TableRow, cx: &Cx<'_>) -> bool {
        row.position == Some(cx.desk.windows.active().position)
    }

    /// The cell that a row is about.
    fn cell(&self, row: &TableRow) -> Option<CellName> {
        row.address.map(|address| CellName::Memory(address.to_string(), 1))
    }

    /// Does an action that is meant for such a list; false where it is not.
    fn take(&mut self, _action: &Action, _cx: &Cx<'_>) -> bool {
        false
    }

    /// Another trace is open.
    fn forget(&mut self);
}

/// The rows of a table as a list.
pub struct Tabled<S> {
    source: S,
    view: View,
    /// What the source has.
    table: Arc<Table>,
    /// The rows of it that hold the text of the filter.
    seen: Arc<Table>,
    /// The filter that those were chosen by.
    seen_by: View,
    more: Option<String>,
}

impl<S: Source> Tabled<S> {
    /// The rows of a source.
    pub fn new(source: S) -> Self {
        let (view, table, seen, seen_by, more) = Default::default();
        Self { source, view, table, seen, seen_by, more }
    }

    fn show(&mut self, table: Arc<Table>) {
        if !Arc::ptr_eq(&self.table, &table) || self.seen_by != self.view {
            self.seen =
                if table.is_whole_in(&self.view) { Arc::clone(&table) } else { Arc::new(table.seen(&self.view)) };
            (self.table, self.seen_by) = (table, self.view.clone());
        }
    }
}

impl<S: Source> Listing for Tabled<S> {
    fn kind(&self) -> PanelKind {
        self.source.kind()
    }

    fn title(&self, _: &Cx<'_>) -> String {
        self.source.title()
    }

    fn follow(&self) -> Option<Follow> {
        self.source.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.source.bind(follow);
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        match self.source.poll(cx) {
            Ok(table) => self.show(table),
            Err(instead) => return instead,
        }
        self.more = self.source.more(cx).filter(|_| self.view.is_plain());
        let count = self.seen.rows.len();
        if count == 0 && !self.view.is_plain() {
            let title = say!("table-no-row-holds-the-text").to_owned();
            return Listed::Nothing(title, say!("list-an-empty-filter").to_owned());
        }
        if count == 0 && self.more.is_none() {
            let title = self.source.nothing().map_or_else(|| self.table.summary.clone(), str::to_owned);
            return Listed::Nothing(title, self.source.advice().to_owned());
        }
        let marked = if self.view.is_plain() { self.source.marked(&self.seen, cx) } else { None };
        let filter = if self.view.is_plain() { String::new() } else { format!("  [{}]", self.view.filter) };
        let summary = format!("{}{filter}", self.seen.summary);
        Listed::Rows(Rows { count: count + usize::from(self.more.is_some()), summary, marked })
    }

    fn has_heads(&self) -> bool {
        self.table.columns.iter().any(|column| !column.label.is_empty())
    }

    fn heads(&self, run: Run, pen: &mut Pen<'_>, _: &Cx<'_>) {
        let style = pen.look.text(Meaning::Label);
        for (place, at) in self.columns(run.behind(2)) {
            let label = self.seen.columns.get(place).map_or("", |column| column.label);
            if is_number(&self.seen, place) {
                pen.text_right(at, label, style);
            } else {
                pen.text(at, label, style);
            }
        }
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let Some(row) = self.seen.rows.get(place) else {
            pen.role(run.behind(2), self.more.as_deref().unwrap_or_default(), Role::Text(Meaning::Taken));
            return;
        };
        if let Some(group) = self.seen.group_at(place) {
            pen.role(run, if group.is_open { "▾" } else { "▸" }, Role::Text(Meaning::Second));
        } else if self.source.is_here(row, cx) {
            pen.role(run, "▶", Role::Position(cx.desk.windows.active.0));
        }
        for (place, at) in self.columns(run.behind(2)) {
            if let Some(cell) = row.cells.get(place) {
                draw_cell(cell, at, pen);
            }
        }
        if row.is_faded {
            pen.mark(run, pen.look.text(Meaning::Unknown));
        }
    }

    fn press(&mut self, Press { place, deed }: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let seen = Arc::clone(&self.seen);
        if let Some(group) = seen.group_at(place).filter(|group| is_turned(group, deed)) {
            self.view.toggle(group.key);
            return true;
        }
        match seen.rows.get(place) {
            Some(row) => self.source.press(row, deed, cx, out),
            None if self.more.is_some() && matches!(deed, Deed::Go | Deed::Open) => {
                self.source.list_more(out);
                true
            }
            None => false,
        }
    }

    fn outer(&self, place: usize) -> Option<usize> {
        self.seen.group_around(place).map(|group| group.head)
    }

    fn cell(&self, place: usize, _: &Cx<'_>) -> Option<CellName> {
        self.source.cell(self.seen.rows.get(place)?)
    }

    /// That of the row, else what the list shows the state at.
    fn cell_at(&self, place: usize, cx: &Cx<'_>) -> Option<Position> {
        let own = self.seen.rows.get(place).and_then(|row| row.position);
        own.or_else(|| self.follow().map(|follow| cx.desk.windows.position_of(follow)))
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.seen.rows.get(place).map(TableRow::line)
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.view.filter);
        true
    }

    fn take(&mut self, action: &Action, cx: &Cx<'_>) -> bool {
        let is_taken = self.source.take(action, cx);
        if is_taken {
            self.view = View::default();
        }
        is_taken
    }

    fn forget(&mut self) {
        self.source.forget();
        self.view = View::default();
    }
}

/// Whether something that is done with a group opens or closes it.
fn is_turned(group: &TableGroup, deed: Deed) -> bool {
    match deed {
        Deed::Open => !group.is_open,
        Deed::Close => group.is_open,
        Deed::Go | Deed::GoOn | Deed::Remove => false,
    }
}

fn draw_cell(cell: &TableCell, at: Run, pen: &mut Pen<'_>) {
    match cell {
        TableCell::Text(span) => drop(pen.spans(at, std::slice::from_ref(span))),
        TableCell::Number(_, span) => drop(pen.text_right(at, &span.text, pen.look.text(span.meaning))),
        TableCell::Step(_) => drop(pen.text_right(at, &cell.text(), pen.look.text(Meaning::Second))),
        TableCell::Bar(reads, writes, most) => {
            let reads = bar(*reads, *most);
            let rest = pen.role(at, &"█".repeat(reads), Role::Text(Meaning::Read));
            pen.role(rest, &"━".repeat(bar(*writes, *most)), Role::Text(Meaning::Write));
        }
    }
}

/// How many cells a bar takes: what is not nothing has one.
fn bar(count: u64, most: u64) -> usize {
    let cells = u128::from(count) * u128::from(BAR) / u128::from(most.max(1));
    usize::try_from(cells).unwrap_or_default().clamp(usize::from(count > 0), usize::from(BAR))
}

fn is_number(table: &Table, place: usize) -> bool {
    let first = table.rows.first().and_then(|row| row.cells.get(place));
    matches!(first, Some(TableCell::Number(..) | TableCell::Step(_)))
}

/// A column, and where it stands.
#[derive(Clone, Copy)]
struct Column {
    place: usize,
    width: u16,
}

impl<S: Source> Tabled<S> {
    /// The columns that there is room for, and where they stand in a row.
    fn columns(&self, run: Run) -> Vec<(usize, Run)> {
        let table = &*self.seen;
        let mut wide: Vec<Column> =
            (0..table.columns.len()).map(|place| Column { place, width: width(table, place) }).collect();
        if let Some(names) = wide.first_mut().filter(|_| !table.spare.is_empty()) {
            names.width = names.width.min(LEAST_NAME.max(run.cells() / 3));
        }
        let needed = |wide: &[Column]| wide.iter().map(|column| u32::from(column.width + GAP)).sum::<u32>();
        let named = |name: &&'static str| table.columns.iter().position(|column| column.name == *name);
        for spare in table.spare.iter().copied().chain(self.source.spare().iter().filter_map(named)) {
            if needed(&wide) <= u32::from(run.cells() + GAP) {
                break;
            }
            wide.retain(|column| column.place != spare);
        }
        let (mut rest, last) = (run, wide.last().map(|column| column.place));
        let place = |Column { place, width }| {
            // The last has the rest, unless its numbers would stand far away from all others.
            let takes_rest = Some(place) == last && !is_number(table, place);
            let at = if takes_rest { rest } else { rest.first(width) };
            rest = rest.behind(width + GAP);
            (place, at)
        };
        let is_seen = |(place, at): &(usize, Run)| at.cells() >= LEAST.min(width(table, *place));
        wide.into_iter().map(place).filter(is_seen).collect()
    }
}

fn width(table: &Table, place: usize) -> u16 {
    let first = table.rows.first().and_then(|row| row.cells.get(place));
    let characters = table.columns.get(place).map_or(0, |column| column.characters.min(LONGEST));
    if matches!(first, Some(TableCell::Bar(..))) { BAR } else { u16::try_from(characters).unwrap_or(u16::MAX) }
}

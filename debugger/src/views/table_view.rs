//! Tables with columns: which rows are shown, and in which order.

use std::sync::Arc;

use stepback_parsers::Position;

use super::view::{Gesture, Marked, Rows, Status, View};
use crate::action::{Action, CellName, Follow, PanelKind};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::table::{Table, TableRow, View as Shown};
use crate::model::table_groups::TableGroup;

/// Where the rows of a table come from, and what is done with them.
pub trait TableSource {
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
    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status>;

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
    fn more(&self, _desk: &Desk) -> Option<String> {
        None
    }

    /// Lists more.
    fn list_more(&mut self, _out: &mut Vec<Action>) {}

    /// Does something with a row. False where that means nothing there.
    fn act(&mut self, row: &TableRow, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let travel = row.position.map(|position| Action::Travel(desk.windows.active, position.0));
        let memory = row.address.map(|address| Action::ShowMemory(address.to_string()));
        let asked = match gesture {
            Gesture::Go => travel.or(memory),
            Gesture::GoOn => memory,
            Gesture::Open | Gesture::Close | Gesture::Remove => None,
        };
        out.extend(asked.clone());
        asked.is_some()
    }

    /// The row that the cursor goes to.
    fn marked(&self, _table: &Table, _desk: &Desk) -> Option<Marked> {
        None
    }

    /// Whether a row is that of the position.
    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        row.position == Some(desk.windows.active().position)
    }

    /// The cell that a row is about.
    fn cell(&self, row: &TableRow) -> Option<CellName> {
        row.address.map(|address| CellName::Memory(address.to_string(), 1))
    }

    /// Does an action that is meant for such a list; false where it is not.
    fn take(&mut self, _action: &Action, _desk: &Desk) -> bool {
        false
    }

    /// Another trace is open.
    fn forget(&mut self);
}

/// The rows of a table.
pub struct TableView<S> {
    source: S,
    shown: Shown,
    /// What the source has.
    all: Arc<Table>,
    /// The rows of it that are shown.
    table: Arc<Table>,
    /// Filter and order that those were chosen by.
    table_of: Shown,
    more: Option<String>,
}

impl<S: TableSource> TableView<S> {
    /// The rows of a source.
    pub fn new(source: S) -> Self {
        let (shown, all, table, table_of, more) = Default::default();
        Self { source, shown, all, table, table_of, more }
    }

    /// Where the rows come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// The rows that are shown.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Text of the row after the last, where there is more to list.
    pub fn more(&self) -> Option<&str> {
        self.more.as_deref()
    }

    fn show(&mut self, all: Arc<Table>) {
        if !Arc::ptr_eq(&self.all, &all) || self.table_of != self.shown {
            let is_whole = all.is_whole_in(&self.shown);
            self.table = if is_whole { Arc::clone(&all) } else { Arc::new(all.seen(&self.shown)) };
            (self.all, self.table_of) = (all, self.shown.clone());
        }
    }
}

impl<S: TableSource> View for TableView<S> {
    fn kind(&self) -> PanelKind {
        self.source.kind()
    }

    fn follow(&self) -> Option<Follow> {
        self.source.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.source.bind(follow);
    }

    fn poll(&mut self, desk: &Desk) -> Status {
        match self.source.poll(desk) {
            Ok(table) => self.show(table),
            Err(instead) => return instead,
        }
        self.more = self.source.more(desk).filter(|_| self.shown.is_plain());
        let count = self.table.rows.len();
        if count == 0 && !self.shown.is_plain() {
            let title = say!("table-no-row-holds-the-text").to_owned();
            return Status::empty(title, say!("list-an-empty-filter").to_owned());
        }
        if count == 0 && self.more.is_none() {
            let title = self.source.nothing().map_or_else(|| self.all.summary.clone(), str::to_owned);
            return Status::empty(title, self.source.advice().to_owned());
        }
        let marked = if self.shown.is_plain() { self.source.marked(&self.table, desk) } else { None };
        let filter = if self.shown.is_plain() { String::new() } else { format!("  [{}]", self.shown.filter) };
        let summary = format!("{}{filter}", self.table.summary);
        Status::Rows(Rows { count: count + usize::from(self.more.is_some()), summary, marked })
    }

    fn act(&mut self, place: usize, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let seen = Arc::clone(&self.table);
        if let Some(group) = seen.group_at(place).filter(|group| is_turned(group, gesture)) {
            self.shown.toggle(group.key);
            return true;
        }
        match seen.rows.get(place) {
            Some(row) => self.source.act(row, gesture, desk, out),
            None if self.more.is_some() && matches!(gesture, Gesture::Go | Gesture::Open) => {
                self.source.list_more(out);
                true
            }
            None => false,
        }
    }

    fn parent(&self, place: usize) -> Option<usize> {
        self.table.group_around(place).map(|group| group.head)
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        self.source.cell(self.table.rows.get(place)?)
    }

    /// That of the row, else what the list shows the state at.
    fn cell_at(&self, place: usize, desk: &Desk) -> Option<Position> {
        let own = self.table.rows.get(place).and_then(|row| row.position);
        own.or_else(|| self.follow().map(|follow| desk.windows.position_of(follow)))
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.table.rows.get(place).map(TableRow::line)
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.shown.filter);
        true
    }

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        let is_taken = self.source.take(action, desk);
        if is_taken {
            self.shown = Shown::default();
        }
        is_taken
    }

    fn forget(&mut self) {
        self.source.forget();
        self.shown = Shown::default();
    }
}

/// Whether something that is done with a group opens or closes it.
fn is_turned(group: &TableGroup, gesture: Gesture) -> bool {
    match gesture {
        Gesture::Open => !group.is_open,
        Gesture::Close => group.is_open,
        Gesture::Go | Gesture::GoOn | Gesture::Remove => false,
    }
}

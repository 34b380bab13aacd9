//! Tables with columns, a filter and an order of rows.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::view::{CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{
    Action, CellName, Follow, MarkAction, PanelAction, PanelKind, SliceAction, ViewAction,
};
use crate::desk::Desk;
use crate::icons;
use crate::messages::say;
use crate::model::table::{Table, TableArrangement as Shown, TableRow};
use crate::model::table_groups::TableGroup;
use crate::notes::WatchChange;
use crate::views::view::{MenuEntry, RowMenu};
use crate::worker::Slot;

/// Source of the rows of a table, and the actions on them.
pub trait TableSource {
    /// Returns the kind of the panel.
    fn kind(&self) -> PanelKind;

    /// Returns the title of the list.
    fn title(&self) -> String;

    /// Returns the window or moment whose state is shown; none for a list that shows no single
    /// moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds the list to a window or a moment, if possible.
    fn bind(&mut self, _follow: Follow) {}

    /// Requests the table.
    ///
    /// # Errors
    /// The status to show instead, while there is no table.
    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus>;

    /// Returns the work that is under way for the table of the last poll.
    fn work(&self) -> TableWork {
        TableWork::Done
    }

    /// Returns a summary of the list.
    fn summary(&self, table: &Table, _desk: &Desk) -> String {
        table.summary.clone()
    }

    /// Returns the title of the empty state; none: the summary of the table.
    fn nothing(&self, _desk: &Desk) -> Option<String> {
        None
    }

    /// Returns the advice of the empty state.
    fn advice(&self, desk: &Desk) -> String;

    /// Returns the English names of the columns to omit in a narrow panel, the first to omit first.
    fn spare(&self) -> &'static [&'static str] {
        &[]
    }

    /// Requests the details of rows in sight.
    fn fetch(&mut self, _seen: &[TableRow], _desk: &Desk) {}

    /// Returns the detail of a row in sight, shown after the last cell; empty until it is known.
    fn detail(&self, _row: &TableRow) -> &str {
        ""
    }

    /// Returns the label of a button above the list.
    fn button(&self, _desk: &Desk) -> Option<&'static str> {
        None
    }

    /// Performs the action of the button. Returns true if other rows are listed.
    fn press(&mut self, _desk: &Desk, _out: &mut Vec<Action>) -> bool {
        false
    }

    /// Returns the label and the action of a button that may help while there are no rows.
    fn offer(&self, _desk: &Desk) -> Option<(&'static str, Action)> {
        None
    }

    /// Returns the text of a row after the last, for unlisted rows.
    fn more(&self, _desk: &Desk) -> Option<String> {
        None
    }

    fn list_more(&mut self, _out: &mut Vec<Action>) {}

    /// Applies a gesture to a row. Returns false if the gesture has no meaning for it.
    fn act(&self, row: &TableRow, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let travel = row
            .position
            .map(|position| Action::travel(desk.windows.active, position));
        let memory = row
            .address
            .map(|address| Action::View(ViewAction::ShowMemory(address.to_string())));
        let requested = match gesture {
            RowGesture::Go => travel.or(memory),
            RowGesture::GoOn => memory,
            RowGesture::Open | RowGesture::Close | RowGesture::Stay | RowGesture::Remove => None,
        };
        out.extend(requested.clone());
        requested.is_some()
    }

    /// Returns the gesture of the Enter key.
    fn entered(&self) -> RowGesture {
        RowGesture::Go
    }

    /// Returns the gesture of a click; none: a click only moves the cursor.
    fn clicked(&self) -> Option<RowGesture> {
        Some(RowGesture::Go)
    }

    /// Returns the gesture of a double click.
    fn double_clicked(&self) -> RowGesture {
        RowGesture::GoOn
    }

    /// Returns the gestures that show the memory of a row.
    fn memory_gestures(&self) -> &'static [RowGesture] {
        &[RowGesture::GoOn]
    }

    /// Returns the label of the menu entry that travels to the position of a row.
    fn travel_label(&self) -> &'static str {
        say!("table-travel-there")
    }

    /// Returns the menu entries that only this list has.
    fn own_entries(&self, _row: &TableRow, _desk: &Desk) -> Vec<MenuEntry> {
        Vec::new()
    }

    /// Returns the context menu of a row.
    fn menu(&self, row: &TableRow, table: &Table, desk: &Desk) -> RowMenu {
        let act = |gestures: &[RowGesture]| {
            let mut actions = Vec::new();
            gestures
                .iter()
                .for_each(|gesture| _ = self.act(row, *gesture, desk, &mut actions));
            actions
        };
        let address = row
            .address
            .map(|address| format!("{:x}", address.0))
            .unwrap_or_default();
        let mut entries = Vec::new();
        if let Some(position) = row.position {
            let window = Action::Panel(PanelAction::OpenWindowAt(desk.windows.moment(position)));
            entries.push(
                MenuEntry::new(self.travel_label(), act(&[RowGesture::Go])).icon(icons::GO_TO),
            );
            entries.push(MenuEntry::new(say!("table-open-in-a-new-window"), [window]));
        }
        if row.address.is_some() {
            let memory = MenuEntry::new(say!("table-show-memory"), act(self.memory_gestures()));
            entries.push(memory.icon(icons::MEMORY).key("M"));
        }
        entries.extend(self.own_entries(row, desk));
        if let Some(cell) = self.row_cell(row, table).filter(|_| row.address.is_some()) {
            let at = row.position.unwrap_or(desk.windows.active().position);
            let words = say!("slice-why-item", cell = format!("[{address}]"));
            entries.push(
                MenuEntry::new(words, [Action::Slice(SliceAction::WhyAt(cell, at))])
                    .icon(icons::WHY),
            );
        }
        if let Some(at) = row.address {
            let watch = Action::Mark(MarkAction::Watch(WatchChange::Add(format!("[{at}]"))));
            entries.push(
                MenuEntry::new(say!("table-watch", address = &*address), [watch])
                    .icon(icons::WATCH),
            );
        }
        entries.extend([MenuEntry::Line, MenuEntry::copy(self.copied(row))]);
        RowMenu {
            title: self.tab_title(),
            note: address,
            entries,
        }
    }

    /// Returns the text that is copied from a row.
    fn copied(&self, row: &TableRow) -> String {
        row.line()
    }

    /// Returns the title on a tab, without the listed subject.
    fn tab_title(&self) -> String {
        self.title()
    }

    /// Returns the column that determines the default order, the highest value first.
    fn usual_order(&self) -> Option<&'static str> {
        None
    }

    /// Returns the icon after the first cell of a row.
    fn mark(&self, _row: &TableRow, _desk: &Desk) -> Option<char> {
        None
    }

    /// Returns true if a move of the cursor travels: the rows are the moments of one walk.
    fn follows_cursor(&self) -> bool {
        false
    }

    /// Returns true if the rows are moments in trace order, so that the position is between two of
    /// them.
    fn has_position(&self) -> bool {
        false
    }

    /// Returns the row that the cursor goes to.
    fn marked(&self, _table: &Table, _desk: &Desk) -> Option<CursorRow> {
        None
    }

    /// Returns true if a row belongs to the position.
    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        row.position == Some(desk.windows.active().position)
    }

    /// Returns the memory whose value a row has, with the length in its column, else one byte.
    fn row_cell(&self, row: &TableRow, table: &Table) -> Option<CellName> {
        Some(CellName::Memory(
            row.address?.to_string(),
            table.bytes_of(row),
        ))
    }

    /// Returns the cell that is selected while the cursor is on a row.
    fn cell(&self, row: &TableRow, table: &Table) -> Option<CellName> {
        self.row_cell(row, table)
    }

    /// Applies an action that is meant for such a list. Returns false if it is not.
    fn take(&mut self, _action: &Action, _desk: &Desk) -> bool {
        false
    }

    /// Returns true if such an action may list other columns: the order by one of them ends then.
    fn has_other_columns(&self, _action: &Action) -> bool {
        true
    }

    /// Forgets the trace, because another one is open.
    fn forget(&mut self);
}

/// State of the work on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableWork {
    /// No work.
    Done,
    /// A newer answer is under way.
    Waiting,
    /// The newer answer takes so long that the current one should be dimmed.
    Late,
    /// The rows arrive while they are found.
    Growing,
}

impl TableWork {
    /// Returns the work on a query that is answered as a whole.
    pub(super) fn of_slot<K: Clone + PartialEq, A: Send + 'static>(slot: &Slot<K, A>) -> Self {
        match (slot.is_late(), slot.is_waiting()) {
            (true, _) => Self::Late,
            (false, true) => Self::Waiting,
            (false, false) => Self::Done,
        }
    }
}

/// The rows of a table. Filter and order are saved.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent, bound(serialize = "", deserialize = "S: Default"))]
pub struct TableView<S> {
    shown: Shown,
    #[serde(skip)]
    source: S,
    #[serde(skip)]
    state: TableState,
}

#[derive(Default)]
struct TableState {
    /// All rows of the source.
    all: Arc<Table>,
    /// The displayed rows.
    table: Arc<Table>,
    /// Filter and order of the displayed rows.
    table_of: Shown,
    /// A table was received.
    is_answered: bool,
    more: Option<String>,
}

impl<S: TableSource> TableView<S> {
    /// Creates a view of the rows of a source.
    pub fn new(source: S) -> Self {
        Self::with_shown(source, Shown::default())
    }

    /// Creates a view of the rows of a source, with a filter and an order.
    pub fn with_shown(source: S, shown: Shown) -> Self {
        Self {
            shown,
            source,
            state: TableState::default(),
        }
    }

    pub fn source(&self) -> &S {
        &self.source
    }

    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// Returns the displayed rows.
    pub fn table(&self) -> &Arc<Table> {
        &self.state.table
    }

    /// Returns true if there is a table, with or without rows.
    pub fn is_answered(&self) -> bool {
        self.state.is_answered
    }

    /// Returns the text of the row after the last, if there is more to list.
    pub fn more(&self) -> Option<&str> {
        self.state.more.as_deref()
    }

    /// Returns the number of rows, including the one after the last.
    pub fn row_count(&self) -> usize {
        self.state.table.rows.len() + usize::from(self.state.more.is_some())
    }

    /// Returns the filter and the order.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Returns the text that rows must contain, as typed.
    pub fn filter_mut(&mut self) -> &mut String {
        &mut self.shown.filter
    }

    /// Sorts the rows by a column; a second call reverses the order.
    pub fn sort_by(&mut self, column: usize) {
        self.shown.sort_by(column, &self.state.table);
    }

    /// Closes all groups.
    pub fn close_groups(&mut self) {
        self.shown.open.clear();
    }

    /// Drops the order, because the columns are others.
    pub fn leave_order(&mut self) {
        self.shown.leave_order();
    }

    /// Returns the position and the number of rows before it; none if the rows are not in trace
    /// order.
    pub fn rows_before(&self, desk: &Desk) -> Option<(Position, usize)> {
        let Shown {
            column, is_falling, ..
        } = self.shown;
        let is_in_order = column.is_none() || (column == Some(0) && !is_falling);
        let table = &self.state.table;
        let is_marked = self.source.has_position() && is_in_order && !table.is_grouped();
        let at = desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position <= at);
        is_marked.then(|| (at, table.rows.partition_point(is_before)))
    }

    /// Shows the rows of a table: that of the source, or one from elsewhere in the panel. Cost: all
    /// rows, once.
    pub fn show(&mut self, all: Arc<Table>) {
        self.shown.find_column(&all);
        let state = &mut self.state;
        state.is_answered = true;
        if !Arc::ptr_eq(&state.all, &all) || state.table_of != self.shown {
            let is_whole = all.is_whole_in(&self.shown);
            state.table = if is_whole {
                Arc::clone(&all)
            } else {
                Arc::new(all.seen(&self.shown))
            };
            (state.all, state.table_of) = (all, self.shown.clone());
        }
    }
}

impl<S: TableSource> PanelView for TableView<S> {
    fn kind(&self) -> PanelKind {
        self.source.kind()
    }

    fn follow(&self) -> Option<Follow> {
        self.source.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.source.bind(follow);
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        match self.source.poll(desk) {
            Ok(table) => self.show(table),
            Err(instead) => {
                self.state = TableState::default();
                return instead;
            }
        }
        self.state.more = self
            .source
            .more(desk)
            .filter(|_| self.shown.filter.is_empty());
        let (table, filter) = (&self.state.table, &self.shown.filter);
        let count = table.rows.len();
        if count == 0 && !filter.is_empty() {
            let title = say!("table-no-row-holds-the-text").to_owned();
            return ViewStatus::empty(title, say!("list-an-empty-filter").to_owned());
        }
        let summary = self.source.summary(table, desk);
        if count == 0 && self.state.more.is_none() {
            let title = self.source.nothing(desk).unwrap_or(summary);
            return ViewStatus::empty(title, self.source.advice(desk));
        }
        let marked = if self.shown.is_plain() {
            self.source.marked(table, desk)
        } else {
            None
        };
        let summary = if filter.is_empty() {
            summary
        } else {
            format!("{summary}  [{filter}]")
        };
        ViewStatus::Rows(RowListing {
            count: self.row_count(),
            summary,
            marked,
        })
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        let rows = &self.state.table.rows;
        let seen = seen.start.min(rows.len())..seen.end.min(rows.len());
        self.source.fetch(rows.get(seen).unwrap_or_default(), desk);
        None
    }

    fn act(
        &mut self,
        place: usize,
        gesture: RowGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let seen = Arc::clone(&self.state.table);
        if let Some(group) = seen
            .group_at(place)
            .filter(|group| is_turned(group, gesture))
        {
            self.shown.toggle(group.key);
            return true;
        }
        match seen.rows.get(place) {
            Some(row) => self.source.act(row, gesture, desk, out),
            None if self.state.more.is_some()
                && matches!(gesture, RowGesture::Go | RowGesture::Open) =>
            {
                self.source.list_more(out);
                true
            }
            None => false,
        }
    }

    fn entered(&self) -> RowGesture {
        self.source.entered()
    }

    fn follows_cursor(&self) -> bool {
        self.source.follows_cursor()
    }

    fn parent(&self, place: usize) -> Option<usize> {
        self.state.table.group_around(place).map(|group| group.head)
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        self.source
            .cell(self.state.table.rows.get(place)?, &self.state.table)
    }

    /// Returns the position of the row, else the position whose state the list shows.
    fn cell_at(&self, place: usize, desk: &Desk) -> Option<Position> {
        let own = self
            .state
            .table
            .rows
            .get(place)
            .and_then(|row| row.position);
        own.or_else(|| self.follow().map(|follow| desk.windows.position_of(follow)))
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.state
            .table
            .rows
            .get(place)
            .map(|row| self.source.copied(row))
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.shown.filter);
        true
    }

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        let is_taken = self.source.take(action, desk);
        if is_taken {
            self.close_groups();
        }
        if is_taken && self.source.has_other_columns(action) {
            self.leave_order();
        }
        is_taken
    }

    fn forget(&mut self) {
        self.source.forget();
        self.close_groups();
        self.state = TableState::default();
    }
}

/// Returns true if a gesture opens or closes a group.
fn is_turned(group: &TableGroup, gesture: RowGesture) -> bool {
    match gesture {
        RowGesture::Open => !group.is_open,
        RowGesture::Close => group.is_open,
        RowGesture::Go | RowGesture::GoOn | RowGesture::Stay | RowGesture::Remove => false,
    }
}

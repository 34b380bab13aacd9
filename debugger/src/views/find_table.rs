//! Hits of a search: a list that fills while the trace is searched.

use std::sync::Arc;

use super::table_view::TableSource;
use super::view::{CursorRow, ViewStatus};
use crate::action::{Action, CellName, PanelKind, SearchAction};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::found::{SearchEnd, nothing_advice, nothing_words, summary};
use crate::model::table::{Table, TableRow};

/// The hits of the search.
#[derive(Default)]
pub struct FindTable;

impl TableSource for FindTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Find
    }

    fn title(&self) -> String {
        say!("table-find").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let find = &desk.find;
        if let Some(error) = find.error() {
            return Err(ViewStatus::Failed(error.to_owned()));
        }
        let Some(found) = find.found() else {
            let nothing = || {
                (
                    say!("table-nothing-is-looked-for").to_owned(),
                    say!("list-how-to-find").to_owned(),
                )
            };
            return Err(match find.is_under_way() {
                true => ViewStatus::Loading(say!("find-searching").to_owned()),
                false => ViewStatus::empty(nothing().0, nothing().1),
            });
        };
        Ok(Arc::clone(&found.table))
    }

    fn summary(&self, _: &Table, desk: &Desk) -> String {
        let Some(found) = desk.find.found() else {
            return String::new();
        };
        let words = match found.count() {
            0 => nothing_words(found, &desk.session),
            _ => summary(found, &desk.session),
        };
        if desk.find.is_full() {
            say!("find-more-not-kept", summary = words)
        } else {
            words
        }
    }

    fn advice(&self, desk: &Desk) -> String {
        str::to_owned(match desk.find.is_under_way() {
            true => say!("find-escape-stops"),
            false => desk
                .find
                .found()
                .map_or(say!("find-search-for-something-else"), |found| {
                    nothing_advice(found, &desk.session)
                }),
        })
    }

    fn more(&self, desk: &Desk) -> Option<String> {
        let is_stopped = desk
            .find
            .found()
            .is_some_and(|found| found.end == SearchEnd::Stopped);
        let words = if is_stopped {
            say!("find-go-on")
        } else {
            say!("find-more-hits")
        };
        desk.find.can_have_more().then(|| format!("… {words}"))
    }

    fn list_more(&mut self, out: &mut Vec<Action>) {
        out.push(Action::Search(SearchAction::FindMore));
    }

    fn follows_cursor(&self) -> bool {
        true
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn cell(&self, row: &TableRow, _: &Table) -> Option<CellName> {
        Some(CellName::Memory(row.address?.to_string(), 1))
    }

    /// Puts the cursor on the hit of the position, or before the next one.
    fn marked(&self, table: &Table, desk: &Desk) -> Option<CursorRow> {
        let at = desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position < at);
        let place = table.rows.partition_point(is_before);
        let is_growing = desk.find.is_under_way();
        let last = table
            .rows
            .len()
            .checked_sub(1)
            .filter(|last| place <= *last || !is_growing)?;
        Some(CursorRow {
            key: (desk.find.number(), at.0),
            row: place.min(last),
        })
    }

    fn forget(&mut self) {}
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::action::FindQuery;
    use crate::desk::desk_over;
    use crate::session::test_session::overflow_with_image;
    use crate::worker::{JobLane, Worker};

    #[test]
    fn a_search_under_way_advises_how_to_stop_it() {
        let mut desk = desk_over(overflow_with_image(), 0);
        desk.worker = Arc::new(Worker::new(1, || {}));
        let (release, gate) = channel::<()>();
        let busy = desk.worker.spawn(JobLane::Short, move |_| Ok(gate.recv()?));
        let advice = |desk: &Desk| FindTable.advice(desk);
        let query = FindQuery {
            text: "nowhere".to_owned(),
            ..FindQuery::default()
        };
        desk.begin_find(query);
        assert_eq!(advice(&desk), "Press Escape to stop the search.");
        assert!(desk.give_up());
        assert!(advice(&desk).starts_with("Search for something else"));
        drop((release, busy));
    }
}

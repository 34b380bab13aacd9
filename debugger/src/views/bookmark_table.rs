//! The bookmarks, with descriptions of the marked places.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, MarkAction, PanelKind, ViewAction};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::TextRole;
use crate::model::names::place_words;
use crate::model::table::{Table, TableCell, TableRow};
use crate::notes::{Bookmark, BookmarkChange, BookmarkId, BookmarkPlace};
use crate::worker::Slot;

const HEADS: [&str; 4] = [
    "bookmarks-place",
    "bookmarks-name",
    "bookmarks-note-2",
    "bookmarks-what-is-there",
];

/// One row per bookmark.
#[derive(Default)]
pub struct BookmarkTable {
    /// Descriptions of the marked places.
    words: Slot<Vec<BookmarkPlace>, Vec<String>>,
    table: Arc<Table>,
    /// Bookmarks and descriptions that the table was made from.
    of: (Vec<Bookmark>, Vec<String>),
}

impl TableSource for BookmarkTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Bookmarks
    }

    fn title(&self) -> String {
        say!("bookmarks-bookmarks").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let all = desk.bookmarks.list();
        let places: Vec<BookmarkPlace> = all.iter().map(|bookmark| bookmark.place).collect();
        let answer = self.words.poll(&places, &desk.worker, |places| {
            let (places, session) = (places.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                places
                    .iter()
                    .map(|place| place_words(&session, *place, cancel))
                    .collect()
            }
        });
        // A bookmark without an answer still shows its place.
        let words = answer.any().map_or(&[][..], Vec::as_slice);
        if self.of.0 != all || self.of.1 != words {
            self.of = (all.to_vec(), words.to_vec());
            self.table = Arc::new(table(&self.of.0, &self.of.1));
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self, _: &Desk) -> Option<String> {
        Some(say!("bookmarks-nothing-is-marked").to_owned())
    }

    fn advice(&self, _: &Desk) -> String {
        say!("terminal-how-to-mark").to_owned()
    }

    fn act(&self, row: &TableRow, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let requested = match (gesture, row.position, row.address) {
            (RowGesture::Go, Some(position), _) => Action::travel(desk.windows.active, position),
            (RowGesture::Go | RowGesture::GoOn, _, Some(address)) => {
                Action::View(ViewAction::ShowMemory(format!("{:#x}", address.0)))
            }
            (RowGesture::Remove, ..) => Action::Mark(MarkAction::Bookmark(BookmarkChange::Remove(
                BookmarkId(row.key),
            ))),
            _ => return false,
        };
        out.push(requested);
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(bookmarks: &[Bookmark], words: &[String]) -> Table {
    let rows = bookmarks.iter().enumerate().map(|(place, bookmark)| {
        let words = words.get(place).cloned().unwrap_or_default();
        let address = match bookmark.place {
            BookmarkPlace::Memory { address, .. } => Some(Address(address)),
            BookmarkPlace::Position(_) | BookmarkPlace::Range { .. } => None,
        };
        TableRow {
            name: say!("bookmarks-row", title = bookmark.title()),
            key: bookmark.id.0,
            cells: vec![
                TableCell::new(TextRole::Second, bookmark.place.text()),
                TableCell::new(TextRole::Symbol, bookmark.name.clone()),
                TableCell::new(TextRole::Plain, bookmark.note.replace('\n', " ")),
                TableCell::new(TextRole::Label, words),
            ],
            position: bookmark.place.position().map(Position),
            address,
            ..TableRow::default()
        }
    });
    Table::new(
        say!("bookmarks-count", count = bookmarks.len()),
        &HEADS,
        rows.collect(),
    )
    .without_empty()
}

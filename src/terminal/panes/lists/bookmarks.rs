//! The bookmarks, with what stands at their places.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::list::{Deed, Listed};
use super::table::Source;
use crate::action::{Action, PanelKind};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::bookmark_words::place_words;
use crate::model::table::{Table, TableCell, TableRow};
use crate::notes::{Bookmark, BookmarkChange, BookmarkPlace};
use crate::terminal::pane::{Ask, Cx};
use crate::worker::Slot;

const HEADS: [&str; 4] = ["bookmarks-place", "bookmarks-name", "bookmarks-note-2", "bookmarks-what-is-there"];

/// A row a bookmark.
#[derive(Default)]
pub struct Bookmarks {
    /// What stands at places.
    words: Slot<Vec<BookmarkPlace>, Vec<String>>,
    table: Arc<Table>,
    /// What the table was made of.
    of: (Vec<Bookmark>, Vec<String>),
}

impl Source for Bookmarks {
    fn kind(&self) -> PanelKind {
        PanelKind::Bookmarks
    }

    fn title(&self) -> String {
        say!("bookmarks-bookmarks").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let all = cx.desk.bookmarks.list();
        let places: Vec<BookmarkPlace> = all.iter().map(|bookmark| bookmark.place).collect();
        let answer = self.words.poll(&places, cx.worker(), |places| {
            let (places, session) = (places.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| places.iter().map(|place| place_words(&session, *place, cancel)).collect()
        });
        // Without an answer a bookmark still says where it is.
        let words = answer.any().map_or(&[][..], Vec::as_slice);
        if self.of.0 != all || self.of.1 != words {
            self.of = (all.to_vec(), words.to_vec());
            self.table = Arc::new(table(&self.of.0, &self.of.1));
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(say!("bookmarks-nothing-is-marked"))
    }

    fn advice(&self) -> &'static str {
        say!("terminal-how-to-mark")
    }

    fn press(&mut self, row: &TableRow, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let asked = match (deed, row.position, row.address) {
            (Deed::Go, Some(position), _) => Action::Travel(cx.desk.windows.active, position.0),
            (Deed::Go | Deed::GoOn, _, Some(address)) => Action::ShowMemory(format!("{:#x}", address.0)),
            (Deed::Remove, ..) => {
                let known = cx.desk.bookmarks.list().iter().find(|bookmark| name_of(bookmark) == row.name);
                let Some(known) = known else { return false };
                Action::Bookmark(BookmarkChange::Remove(known.id))
            }
            _ => return false,
        };
        out.push(Ask::Do(asked));
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Numbers are never used again.
fn name_of(bookmark: &Bookmark) -> String {
    bookmark.id.0.to_string()
}

fn table(bookmarks: &[Bookmark], words: &[String]) -> Table {
    let rows = bookmarks.iter().enumerate().map(|(place, bookmark)| {
        let words = words.get(place).cloned().unwrap_or_default();
        let address = match bookmark.place {
            BookmarkPlace::Memory { address, .. } => Some(Address(address)),
            BookmarkPlace::Position(_) | BookmarkPlace::Range { .. } => None,
        };
        TableRow {
            name: name_of(bookmark),
            cells: vec![
                TableCell::new(Meaning::Second, bookmark.place.text()),
                TableCell::new(Meaning::Symbol, bookmark.name.clone()),
                TableCell::new(Meaning::Plain, bookmark.note.replace('\n', " ")),
                TableCell::new(Meaning::Label, words),
            ],
            position: bookmark.place.position().map(Position),
            address,
            is_faded: false,
        }
    });
    Table::new(say!("bookmarks-count", count = bookmarks.len()), &HEADS, rows.collect()).without_empty()
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::terminal::command::{Command, Toward};

    fn stage() -> Stage<ListPane<Tabled<Bookmarks>>> {
        let mut stage = Stage::at(1250, ListPane::new(Tabled::new(Bookmarks::default())));
        let places = [
            (BookmarkPlace::Position(1250), "the crash", ""),
            (BookmarkPlace::Memory { address: 0x8002_0010, len_bytes: 8 }, "table", "who\nwrites it?"),
        ];
        for (place, name, note) in places {
            let changes = [
                BookmarkChange::Put { place, name: name.to_owned() },
                BookmarkChange::Annotate { place, note: note.to_owned() },
            ];
            changes.iter().for_each(|change| stage.desk.bookmarks.change(change).unwrap());
        }
        stage
    }

    #[test]
    fn bookmarks_are_listed_with_what_is_there() {
        assert_eq!(
            stage().draw(80, 5),
            r" 2 bookmarks
   Place       Name       Note            What is there
*▶ 1,250       the crash                  80000498  STRB w0,[x19,#1]
   80020010:8  table      who writes it?"
        );
    }

    #[test]
    fn return_goes_there_and_delete_removes_it() {
        let keys = [Command::Access(Way::Back), Command::Move(Toward::Down), Command::Access(Way::Back)];
        let stage = stage().press(&keys).press(&[Command::Remove]);
        assert_eq!(
            format!("{:?}", stage.asked.as_slice()),
            r#"[Do(Travel(WindowId(1), 1250)), Do(ShowMemory("0x80020010")), Do(Bookmark(Remove(BookmarkId(2))))]"#
        );
    }

    #[test]
    fn the_bookmarks_survive_all_sizes() {
        stage().drum();
    }
}

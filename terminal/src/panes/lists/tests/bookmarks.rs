//! Tests of the bookmark list.

use stepback_debugger::action::Direction;

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn stage() -> PaneStage<ListPane<TableView<BookmarkTable>>> {
    let mut stage = PaneStage::at(
        1250,
        ListPane::new(TableView::new(BookmarkTable::default())),
    );
    let places = [
        (BookmarkPlace::Position(1250), "the crash", ""),
        (
            BookmarkPlace::Memory {
                address: 0x8002_0010,
                len_bytes: 8,
            },
            "table",
            "who\nwrites it?",
        ),
    ];
    for (place, name, note) in places {
        let changes = [
            BookmarkChange::Put {
                place,
                name: name.to_owned(),
            },
            BookmarkChange::Annotate {
                place,
                note: note.to_owned(),
            },
        ];
        changes
            .iter()
            .for_each(|change| stage.desk.bookmarks.change(change).unwrap());
    }
    stage
}

#[test]
fn bookmarks_are_listed_with_what_is_there() {
    assert_eq!(
        stage().draw(80, 5),
        r" 2 bookmarks
   Place       Name       Note            Contents
*▶ 1,250       the crash                  80000498  STRB w0,[x19,#1]
   80020010:8  table      who writes it?"
    );
}

#[test]
fn return_goes_there_and_delete_removes_it() {
    let keys = [
        PaneCommand::Access(Direction::Back),
        PaneCommand::Move(CursorDirection::Down),
        PaneCommand::Access(Direction::Back),
    ];
    let stage = stage().press(&keys).press(&[PaneCommand::Remove]);
    assert_eq!(
        format!("{:?}", stage.requested.as_slice()),
        r#"[Do(Travel(Travel(WindowId(1), Position(1250)))), Do(View(ShowMemory("0x80020010"))), Do(Mark(Bookmark(Remove(BookmarkId(2)))))]"#
    );
}

#[test]
fn the_bookmarks_survive_all_sizes() {
    stage().drum();
}

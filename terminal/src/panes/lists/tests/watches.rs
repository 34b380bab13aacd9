//! Tests of the watch list: value at the position, last writer, next writer.

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn stage() -> PaneStage<ListPane<TableView<WatchTable>>> {
    let mut stage = PaneStage::at(1250, ListPane::new(TableView::new(WatchTable::default())));
    for text in ["x0", "[x19] u16", "x19 - x22", "nonsense("] {
        stage
            .desk
            .change_watches(&WatchChange::Add(text.to_owned()));
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
   nonsense(  hex                           expected an operator before "(": + -…"#
    );
}

#[test]
fn writes_and_changes_are_gone_to() {
    let keys = [
        PaneCommand::Access(Direction::Back),
        PaneCommand::Access(Direction::Forward),
        PaneCommand::Move(CursorDirection::Left),
        PaneCommand::Move(CursorDirection::Right),
        PaneCommand::Remove,
    ];
    assert_eq!(
        format!("{:?}", stage().press(&keys).requested.as_slice()),
        r#"[Do(Travel(Travel(WindowId(1), Position(1249)))), Do(Travel(Travel(WindowId(1), Position(1251)))), Do(Travel(GoToChange("x0", Back))), Do(Travel(GoToChange("x0", Forward))), Do(Mark(Watch(Remove(0))))]"#
    );
}

#[test]
fn nothing_watched_says_how_to() {
    let mut stage = PaneStage::at(0, ListPane::new(TableView::new(WatchTable::default())));
    assert_eq!(
        stage.draw(70, 5),
        r"  No watches
  :watch adds the cell under the cursor, or an expression: x0, [sp+8]
  u32, name utf8."
    );
    stage.drum();
}

#[test]
fn the_watches_survive_all_sizes() {
    stage().drum();
}

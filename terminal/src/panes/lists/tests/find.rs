//! Tests of the hit list, which fills during the search.

use stepback_debugger::action::{Direction, FindQuery};

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn stage(text: &str) -> PaneStage<ListPane<TableView<FindTable>>> {
    let mut stage = PaneStage::at(1250, ListPane::new(TableView::new(FindTable)));
    stage.desk.begin_find(FindQuery {
        text: text.to_owned(),
        ..FindQuery::default()
    });
    stage
        .desk
        .find
        .advance(&stage.desk.session, &stage.desk.worker);
    stage
}

#[test]
fn hits_are_listed_with_the_cursor_before_the_next_one() {
    assert_eq!(
        stage("0x80020010").draw(80, 8),
        r" 9 hits: value 0x80020010
    Step  Function  Instruction                   Match
     710  800000f8  add    x0, x3, x0             write x0 ← 80020010
     733  800007cc  mov    x22, x0                write x22 ← 80020010
     744  800007ec  str    x22, [x1, #8]          write [840200a8] ← 80020010
     750  8000039c  stp    x21, x22, [sp, #0x20]  write [8ffff608] ← 80020010
*  1,456  800004c0  ldp    x21, x22, [sp, #0x20]  read [8ffff608] = 80020010
   1,456  800004c0  ldp    x21, x22, [sp, #0x20]  write x22 ← 80020010"
    );
    assert_eq!(
        stage("nosuch").draw(80, 8),
        r#"  No hit: text "nosuch"
  Search for something else, or shorten the text."#
    );
}

#[test]
fn where_nothing_was_looked_for_the_list_says_how_to() {
    let mut stage = PaneStage::at(0, ListPane::new(TableView::new(FindTable)));
    assert_eq!(
        stage.draw(60, 8),
        r"  Nothing to search for
  Press / and type a text, a /regular expression/, a number,
  an address, a function or bytes; ? searches backwards."
    );
    stage.drum();
}

#[test]
fn return_travels_to_a_hit() {
    let keys = [
        PaneCommand::Move(CursorDirection::Up),
        PaneCommand::Access(Direction::Back),
    ];
    assert_eq!(
        format!("{:?}", stage("ldr x1").press(&keys).requested),
        "[Do(Travel(Travel(WindowId(1), Position(731))))]"
    );
}

#[test]
fn the_hits_survive_all_sizes() {
    stage("ldr").drum();
}

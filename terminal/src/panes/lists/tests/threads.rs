//! Tests of the thread list: activity, times, places and endings.

use stepback_debugger::action::Direction;

use super::*;
use crate::pane::{PaneCommand, PromptPurpose};

fn stage() -> PaneStage<ListPane<TableView<ThreadTable>>> {
    PaneStage::at(1250, ListPane::new(TableView::new(ThreadTable::default())))
}

#[test]
fn the_thread_of_the_position_is_marked() {
    assert_eq!(
        stage().draw(80, 5),
        r" 1 thread
   Thread  Steps  First step  Last step
*▶ cpu0    1,763           0      1,762"
    );
}

#[test]
fn return_travels_to_the_first_step_and_the_other_way_to_the_last() {
    let requested = stage()
        .press(&[
            PaneCommand::Access(Direction::Back),
            PaneCommand::Access(Direction::Forward),
        ])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        "[Do(Travel(Travel(WindowId(1), Position(1)))), Do(Travel(Travel(WindowId(1), Position(1763))))]"
    );
}

#[test]
fn rows_that_hold_no_text_are_left_out() {
    let mut stage = stage().press(&[]);
    stage.answer(PromptPurpose::Filter, "cpu7");
    assert_eq!(
        stage.draw(60, 5),
        r"  No row matches
  Clear the filter to show all rows."
    );
    stage.answer(PromptPurpose::Filter, "");
    assert_eq!(
        stage.draw(60, 5),
        r" 1 thread
   Thread  Steps  First step  Last step
*▶ cpu0    1,763           0      1,762"
    );
}

#[test]
fn the_threads_survive_all_sizes() {
    stage().drum();
}

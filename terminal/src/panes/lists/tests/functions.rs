//! Tests of the function list, which is sorted by steps.

use stepback_debugger::action::Direction;
use stepback_debugger::session::test_session::overflow_with_image;

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn stage() -> PaneStage<ListPane<TableView<FunctionTable>>> {
    PaneStage::over(
        overflow_with_image(),
        0,
        ListPane::new(TableView::new(FunctionTable::default())),
    )
}

#[test]
fn functions_are_listed_by_their_own_steps() {
    assert_eq!(
        stage().draw(100, 7),
        r" 19 functions in 1,763 steps
   Function          Calls  Self  Self %  Share       Total  Total %  Self time   Time  Time %
*  make_request          1   378    21.4  ██████████    468     26.5        378    468    26.5
   decode_field          1   354    20.0  █████████     712     40.3        354    712    40.3
   hexval               36   252    14.2  ██████        252     14.2        252    252    14.2
   decoded_size          2   192    10.8  █████         192     10.8        192    192    10.8
   rnd                  14   126     7.1  ███           126      7.1        126    126     7.1"
    );
    assert_eq!(
        stage().draw(50, 5),
        r" 19 functions in 1,763 steps
   Function          Calls  Self  Total  Total %
*  make_request          1   378    468     26.5
   decode_field          1   354    712     40.3
   hexval               36   252    252     14.2"
    );
}

#[test]
fn return_goes_to_the_first_call() {
    let requested = stage()
        .press(&[
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Access(Direction::Back),
        ])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        "[Do(Travel(Travel(WindowId(1), Position(747))))]"
    );
}

#[test]
fn the_functions_survive_all_sizes() {
    stage().drum();
}

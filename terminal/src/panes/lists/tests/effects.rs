//! Tests of the effects list: reads and writes of calls, loop iterations and step ranges, and
//! comparison of two calls.

use stepback_debugger::action::StepRange;
use stepback_debugger::action::{Direction, OtherCall};
use stepback_parsers::Position;

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn effects(of: EffectsOf) -> PaneStage<ListPane<TableView<EffectsTable>>> {
    PaneStage::at(880, ListPane::new(TableView::new(EffectsTable::default())))
        .take(&Action::View(ViewAction::ShowEffects(of)))
}

#[test]
fn what_a_call_reads_and_writes_is_listed_and_travelled_to() {
    assert_eq!(
        effects(EffectsOf::Call(Position(880))).draw(80, 9),
        r" 80000328, steps 874 to 880: 7 steps, 2 inputs, 4 outputs
          What  Bytes  Value     Symbol  Step
*  read   w0        4  35                 874
   read   x30       8  80000414           880
 ▶ write  x0        8  5                  879
   write  x1        8  ffffffde           877
   write  x2        8  5                  875
   write  psr       4  800003cd           878"
    );
    let requested = effects(EffectsOf::Call(Position(880))).press(&[
        PaneCommand::Move(CursorDirection::Down),
        PaneCommand::Access(Direction::Back),
    ]);
    assert_eq!(
        format!("{:?}", requested.requested.as_slice()),
        "[Do(Travel(Travel(WindowId(1), Position(881))))]"
    );
}

#[test]
fn two_calls_are_compared() {
    assert_eq!(
        effects(EffectsOf::Comparison(
            Position(880),
            OtherCall::Near(Direction::Forward)
        ))
        .draw(80, 5),
        r" 80000328 at 874 and at 884: 4 inputs and 4 outputs differ; control flow is the …
           What  First call  Second call
*  input   x0    35          62
   input   x1    25          ffffffde
   input   x2    0           5"
    );
}

#[test]
fn the_lists_survive_all_sizes() {
    effects(EffectsOf::Range(StepRange {
        first: Position(100),
        last: Position(1200),
    }))
    .drum();
}

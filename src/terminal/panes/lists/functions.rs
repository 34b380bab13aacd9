//! The functions of the trace, by the steps that they took.

use std::sync::Arc;

use stepback_index::Cancel;

use super::list::{Listed, answered};
use super::table::Source;
use crate::action::{Action, CellName, PanelKind};
use crate::analysis::call_profile::Progress;
use crate::messages::say;
use crate::model::functions::Functions as Told;
use crate::model::table::{Table, TableRow};
use crate::terminal::pane::Cx;
use crate::worker::Slot;

/// A row a function.
#[derive(Default)]
pub struct Functions {
    answer: Slot<(), Arc<Table>>,
}

impl Source for Functions {
    fn kind(&self) -> PanelKind {
        PanelKind::Functions
    }

    fn title(&self) -> String {
        say!("table-functions").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let answer = self.answer.poll_long(&(), cx.worker(), |()| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(Told::of(&session, None, &Progress::default(), cancel)?.table)
        });
        answered(&answer)
    }

    fn advice(&self) -> &'static str {
        ""
    }

    fn cell(&self, _: &TableRow) -> Option<CellName> {
        None
    }

    fn take(&mut self, action: &Action, _: &Cx<'_>) -> bool {
        matches!(action, Action::TellFunctions(_))
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::session::test_session::overflow_with_image;
    use crate::terminal::command::{Command, Toward};

    fn stage() -> Stage<ListPane<Tabled<Functions>>> {
        Stage::over(overflow_with_image(), 0, ListPane::new(Tabled::new(Functions::default())))
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
        let asked = stage().press(&[Command::Move(Toward::Down), Command::Access(Way::Back)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), "[Do(Travel(WindowId(1), 747))]");
    }

    #[test]
    fn the_functions_survive_all_sizes() {
        stage().drum();
    }
}

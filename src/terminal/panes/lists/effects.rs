//! What calls, rounds of loops and ranges of steps read and write, and how two calls differ.

use std::sync::Arc;

use stepback_index::Cancel;

use super::list::{Listed, answered};
use super::table::Source;
use crate::action::{Action, EffectsOf, PanelKind};
use crate::messages::say;
use crate::model::effects_table::effects_table;
use crate::model::table::Table;
use crate::terminal::pane::Cx;
use crate::worker::Slot;

/// What was asked for last.
#[derive(Default)]
pub struct EffectsList {
    of: Option<EffectsOf>,
    answer: Slot<EffectsOf, Arc<Table>>,
}

impl Source for EffectsList {
    fn kind(&self) -> PanelKind {
        PanelKind::Effects
    }

    fn title(&self) -> String {
        say!("table-effects").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let Some(of) = self.of else {
            let title = say!("table-no-steps-are-chosen").to_owned();
            return Err(Listed::Nothing(title, say!("list-how-to-list-effects").to_owned()));
        };
        answered(&self.answer.poll_long(&of, cx.worker(), |of| {
            let (of, session) = (*of, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(effects_table(&session, of, cancel)?))
        }))
    }

    fn advice(&self) -> &'static str {
        say!("effects-nothing-was-used")
    }

    fn spare(&self) -> &'static [&'static str] {
        &["Bytes", "Symbol"]
    }

    fn take(&mut self, action: &Action, _: &Cx<'_>) -> bool {
        let Action::ShowEffects(of) = action else { return false };
        self.of = Some(*of);
        true
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
    use crate::action::{OtherCall, StepRange, Way};
    use crate::terminal::command::{Command, Toward};

    fn effects(of: EffectsOf) -> Stage<ListPane<Tabled<EffectsList>>> {
        Stage::at(880, ListPane::new(Tabled::new(EffectsList::default()))).take(&Action::ShowEffects(of))
    }

    #[test]
    fn what_a_call_reads_and_writes_is_listed_and_travelled_to() {
        assert_eq!(
            effects(EffectsOf::Call(880)).draw(80, 9),
            r" 80000328, positions 874 to 881: 7 steps read 2 first, write 4
          What  Bytes  Value     Symbol  Step
*  read   w0        4  35                 874
   read   x30       8  80000414           880
 ▶ write  x0        8  5                  879
   write  x1        8  ffffffde           877
   write  x2        8  5                  875
   write  psr       4  800003cd           878"
        );
        let asked = effects(EffectsOf::Call(880)).press(&[Command::Move(Toward::Down), Command::Access(Way::Back)]);
        assert_eq!(format!("{:?}", asked.asked.as_slice()), "[Do(Travel(WindowId(1), 881))]");
    }

    #[test]
    fn two_calls_are_compared() {
        assert_eq!(
            effects(EffectsOf::Comparison(880, OtherCall::Near(Way::Forward))).draw(80, 5),
            r" 80000328 at 874 and at 884: 4 inputs differ, 4 outputs; both go the same way
           What  First call  Second call
*  input   x0    35          62
   input   x1    25          ffffffde
   input   x2    0           5"
        );
    }

    #[test]
    fn the_lists_survive_all_sizes() {
        effects(EffectsOf::Range(StepRange { first: 100, last: 1200 })).drum();
    }
}

//! Registers and memory that calls, loop iterations and ranges of steps read and write, and
//! differences between two calls.

use std::sync::Arc;

use stepback_index::Cancel;

use super::table_view::{TableSource, TableWork};
use super::view::ViewStatus;
use crate::action::{Action, EffectsOf, PanelKind, ViewAction};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::effects_table::effects_table;
use crate::model::table::Table;
use crate::worker::Slot;

/// Effects of the last request.
#[derive(Default)]
pub struct EffectsTable {
    of: Option<EffectsOf>,
    answer: Slot<EffectsOf, Arc<Table>>,
}

impl EffectsTable {
    /// Returns the steps whose effects are listed.
    pub fn of(&self) -> Option<EffectsOf> {
        self.of
    }
}

impl TableSource for EffectsTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Effects
    }

    fn title(&self) -> String {
        say!("table-effects").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let Some(of) = self.of else {
            let title = say!("table-no-steps-are-chosen").to_owned();
            return Err(ViewStatus::empty(
                title,
                say!("list-how-to-list-effects").to_owned(),
            ));
        };
        ViewStatus::of_answer(&self.answer.poll_long(&of, &desk.worker, |of| {
            let (of, session) = (*of, Arc::clone(&desk.session));
            move |cancel: &Cancel| Ok(Arc::new(effects_table(&session, of, cancel)?))
        }))
    }

    fn work(&self) -> TableWork {
        TableWork::of_slot(&self.answer)
    }

    fn advice(&self, _: &Desk) -> String {
        say!("effects-nothing-was-used").to_owned()
    }

    fn spare(&self) -> &'static [&'static str] {
        &["head-bytes", "head-symbol"]
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::View(ViewAction::ShowEffects(of)) = action else {
            return false;
        };
        self.of = Some(*of);
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

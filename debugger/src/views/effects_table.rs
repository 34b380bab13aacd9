//! Registers and memory that calls, loop iterations and ranges of steps read and write, and
//! differences between two calls.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use super::table_view::{TableSource, TableWork};
use super::view::ViewStatus;
use crate::action::{Action, EffectsOf, PanelAction, PanelKind, ViewAction};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::effects_table::effects_table;
use crate::model::table::Table;
use crate::worker::Slot;

/// Effects of the last request.
#[derive(Default)]
pub struct EffectsTable {
    of: Option<EffectsOf>,
    /// Position at which the panel was opened by its name. The effects of the call there are listed
    /// as long as nothing was requested.
    opened: Option<Position>,
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
        let nothing = || {
            let title = say!("table-no-steps-are-chosen").to_owned();
            ViewStatus::empty(title, say!("list-how-to-list-effects").to_owned())
        };
        let Some(of) = self.of.or(self.opened.map(EffectsOf::Call)) else {
            return Err(nothing());
        };
        let table = ViewStatus::of_answer(&self.answer.poll_long(&of, &desk.worker, |of| {
            let (of, session) = (*of, Arc::clone(&desk.session));
            move |cancel: &Cancel| Ok(Arc::new(effects_table(&session, of, cancel)?))
        }));
        match table {
            Err(ViewStatus::Failed(_)) if self.of.is_none() => Err(nothing()),
            table => table,
        }
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

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        match action {
            Action::View(ViewAction::ShowEffects(of)) => self.of = Some(*of),
            Action::Panel(PanelAction::ShowPanel(PanelKind::Effects)) if self.of.is_none() => {
                self.opened = Some(desk.windows.active().position);
            }
            _ => return false,
        }
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

//! Registers and memory of two compared traces at the position.

use std::sync::Arc;

use stepback_index::Cancel;

use super::difference_table::{comparison_of, comparison_offer};
use super::table_view::TableSource;
use super::view::ViewStatus;
use crate::action::{Action, CellName, PanelAction, PanelKind};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::both_states::{BothStates, BothStatesPlace, both_states};
use crate::model::table::{Table, TableRow};
use crate::model::trace_differences::TraceDifferences;
use crate::worker::{Answer, Slot};

/// One row per register, word of the stack, and accessed or watched memory; those that differ come
/// first.
#[derive(Default)]
pub struct BothStatesTable {
    differences: Option<Arc<TraceDifferences>>,
    states: Slot<BothStatesPlace, (Arc<Table>, Arc<BothStates>)>,
}

impl TableSource for BothStatesTable {
    fn kind(&self) -> PanelKind {
        PanelKind::BothStates
    }

    fn title(&self) -> String {
        say!("both-states-both-states").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let differences = comparison_of(desk)?;
        let known = self.differences.as_ref();
        if known.is_none_or(|known| !Arc::ptr_eq(known, differences)) {
            self.differences = Some(Arc::clone(differences));
            self.states.clear();
        }
        let key = BothStatesPlace {
            position: desk.windows.active().position,
            pair: differences.pair_of(desk.threads.here()),
            watches: desk.watches.list().to_vec(),
        };
        let answer = self.states.poll(&key, &desk.worker, |place| {
            let (session, differences) = (Arc::clone(&desk.session), Arc::clone(differences));
            let place = place.clone();
            move |cancel: &Cancel| {
                let states = both_states(&session, &differences, &place, cancel)?;
                Ok((Arc::new(states.table.clone()), Arc::new(states)))
            }
        });
        match answer {
            Answer::Failed(error) => Err(ViewStatus::Failed(error.to_owned())),
            answer => answer
                .any()
                .map(|(table, _)| Arc::clone(table))
                .ok_or_else(|| ViewStatus::Loading(String::new())),
        }
    }

    fn button(&self, desk: &Desk) -> Option<&'static str> {
        let is_done = desk.comparison.differences().is_some();
        is_done.then(|| say!("differences-side-by-side"))
    }

    /// Shows the place in the second trace, next to that in the first.
    fn press(&mut self, _: &Desk, out: &mut Vec<Action>) -> bool {
        out.push(Action::Panel(PanelAction::ShowPanel(PanelKind::BothTraces)));
        false
    }

    fn offer(&self, desk: &Desk) -> Option<(&'static str, Action)> {
        comparison_offer(desk)
    }

    fn advice(&self, _: &Desk) -> String {
        String::new()
    }

    fn row_cell(&self, row: &TableRow, _: &Table) -> Option<CellName> {
        let (_, (_, states)) = self.states.peek()?;
        states.cells.get(usize::try_from(row.key).ok()?).cloned()
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

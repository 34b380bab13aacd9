//! The functions of the trace, by the number of their steps.

use std::sync::Arc;

use stepback_index::Cancel;

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, CellName, Direction, PanelKind, TravelAction, ViewAction};
use crate::analysis::call_profile::Progress;
use crate::desk::Desk;
use crate::messages::say;
use crate::model::functions::FunctionProfile as Stated;
use crate::model::table::{Table, TableRow};
use crate::views::view::MenuEntry;
use crate::worker::Slot;

/// One row per function.
#[derive(Default)]
pub struct FunctionTable {
    answer: Slot<(), Arc<Table>>,
}

impl TableSource for FunctionTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Functions
    }

    fn title(&self) -> String {
        say!("table-functions").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let answer = self.answer.poll_long(&(), &desk.worker, |()| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| {
                Ok(Stated::of(&session, None, &Progress::default(), cancel)?.table)
            }
        });
        ViewStatus::of_answer(&answer)
    }

    fn advice(&self, _: &Desk) -> String {
        String::new()
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    /// A click shows the callers and callees.
    fn clicked(&self) -> Option<RowGesture> {
        None
    }

    fn double_clicked(&self) -> RowGesture {
        RowGesture::Go
    }

    fn travel_label(&self) -> &'static str {
        say!("table-travel-to-the-first-call")
    }

    fn own_entries(&self, row: &TableRow, _: &Desk) -> Vec<MenuEntry> {
        let Some(address) = row.address else {
            return Vec::new();
        };
        let call = |direction| {
            [Action::Travel(TravelAction::GoToCall(
                Some(address.to_string()),
                direction,
            ))]
        };
        vec![
            MenuEntry::new(say!("table-next-call"), call(Direction::Forward)).key("."),
            MenuEntry::new(say!("table-previous-call"), call(Direction::Back)).key(","),
        ]
    }

    fn usual_order(&self) -> Option<&'static str> {
        Some("head-self")
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        matches!(action, Action::View(ViewAction::TellFunctions(_)))
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

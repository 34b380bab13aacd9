//! The differences of two traces, by region.

use std::sync::Arc;

use super::table_view::TableSource;
use super::view::{MenuEntry, RowGesture, ViewStatus};
use crate::action::{Action, CellName, ComparisonRule, FileAction, PanelAction, PanelKind};
use crate::desk::{ComparisonStatus, Desk};
use crate::messages::say;
use crate::model::table::{Table, TableRow};
use crate::model::trace_differences::TraceDifferences;

/// One row per region of the alignment, after the first divergence and its cause.
#[derive(Default)]
pub struct DifferenceTable;

impl TableSource for DifferenceTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Differences
    }

    fn title(&self) -> String {
        say!("differences-differences").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        comparison_of(desk).map(|differences| Arc::clone(&differences.table))
    }

    fn advice(&self, _: &Desk) -> String {
        String::new()
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn button(&self, desk: &Desk) -> Option<&'static str> {
        let is_done = desk.comparison.differences().is_some();
        is_done.then(|| say!("differences-side-by-side"))
    }

    fn press(&mut self, _: &Desk, out: &mut Vec<Action>) -> bool {
        let show = PanelAction::ShowPanel(PanelKind::BothTraces);
        out.push(Action::Panel(show));
        false
    }

    fn offer(&self, desk: &Desk) -> Option<(&'static str, Action)> {
        comparison_offer(desk)
    }

    fn own_entries(&self, row: &TableRow, desk: &Desk) -> Vec<MenuEntry> {
        let differences = desk.comparison.differences();
        let Some(known) = differences.and_then(|differences| differences.rules_of(row)) else {
            return Vec::new();
        };
        let entry = |rule: &ComparisonRule| {
            let name = rule.to_string();
            let (words, action) = match known.are_in_force {
                true => (
                    say!("differences-count", name = name),
                    FileAction::CountDifferences(rule.clone()),
                ),
                false => (
                    say!("differences-ignore", name = name),
                    FileAction::IgnoreDifferences(rule.clone()),
                ),
            };
            MenuEntry::new(words, [Action::File(action)])
        };
        known.rules.iter().map(entry).collect()
    }

    fn double_clicked(&self) -> RowGesture {
        RowGesture::Go
    }

    fn forget(&mut self) {}
}

/// Returns the comparison with a second trace.
///
/// # Errors
/// The status to show instead, while there is none.
pub fn comparison_of(desk: &Desk) -> Result<&Arc<TraceDifferences>, ViewStatus> {
    match desk.comparison.status() {
        ComparisonStatus::NotRequested => Err(ViewStatus::empty(
            say!("differences-no-second-trace"),
            say!("differences-choose"),
        )),
        ComparisonStatus::UnderWay(words) => Err(ViewStatus::Loading(words)),
        ComparisonStatus::Failed(error) => Err(ViewStatus::Failed(error.to_owned())),
        ComparisonStatus::Done(differences) => Ok(differences),
    }
}

/// Returns the button that chooses a second trace, while there is none.
pub fn comparison_offer(desk: &Desk) -> Option<(&'static str, Action)> {
    let is_wanted = matches!(desk.comparison.status(), ComparisonStatus::NotRequested);
    let choose = Action::File(FileAction::CompareTrace(None));
    is_wanted.then(|| (say!("command-compare-with-trace"), choose))
}

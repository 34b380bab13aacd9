//! The differences of two traces, by region.

use std::sync::Arc;

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{CellName, PanelKind};
use crate::desk::{ComparisonStatus, Desk};
use crate::messages::say;
use crate::model::table::{Table, TableRow};

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
        match desk.comparison.status() {
            ComparisonStatus::NotRequested => Err(ViewStatus::empty(
                say!("differences-no-second-trace"),
                say!("differences-choose"),
            )),
            ComparisonStatus::UnderWay(words) => Err(ViewStatus::Loading(words)),
            ComparisonStatus::Failed(error) => Err(ViewStatus::Failed(error.to_owned())),
            ComparisonStatus::Done(differences) => Ok(Arc::clone(&differences.table)),
        }
    }

    fn advice(&self, _: &Desk) -> String {
        String::new()
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn double_clicked(&self) -> RowGesture {
        RowGesture::Go
    }

    fn forget(&mut self) {}
}

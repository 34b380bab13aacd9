//! Lines and records of the trace that could not be read.

use std::sync::Arc;

use super::table_view::TableSource;
use super::view::{Gesture, Status};
use crate::action::{Action, CellName, PanelKind, TravelAction};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::so_far::{SoFar, so_far};
use crate::model::table::{Table, TableCell, TableRow};

const HEADS: [&str; 3] = ["head-line", "head-times", "head-warning"];

/// A row for all warnings that are alike.
#[derive(Default)]
pub struct WarningTable {
    table: Arc<Table>,
    /// How many rows there were, of how many warnings.
    of: Option<(usize, u64)>,
    /// There may be more.
    is_part: bool,
}

impl TableSource for WarningTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Warnings
    }

    fn title(&self) -> String {
        say!("warnings-warnings").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let index = &desk.session.index;
        let of = Some((index.warnings().len(), index.info().warning_count));
        let is_part = SoFar::of(&desk.session).is_some();
        if self.of != of || self.is_part != is_part {
            (self.table, self.of, self.is_part) = (Arc::new(table(desk)), of, is_part);
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(if self.is_part { say!("warnings-no-warnings-so-far") } else { say!("warnings-no-warnings") })
    }

    fn advice(&self) -> &'static str {
        if self.is_part { say!("warnings-all-lines-that-are-indexed") } else { say!("warnings-all-lines-of-the-trace") }
    }

    /// To the line, where the format has some.
    fn act(&mut self, row: &TableRow, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let is_text = desk.session.index.source().is_text();
        if gesture != Gesture::Go || !is_text {
            return false;
        }
        out.push(Action::Travel(TravelAction::GoTo(format!("line:{}", row.name))));
        true
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(desk: &Desk) -> Table {
    let session = &desk.session;
    let (warnings, is_text) = (session.index.warnings(), session.index.source().is_text());
    let rows = warnings.iter().map(|warning| TableRow {
        name: warning.line.to_string(),
        cells: vec![
            TableCell::number(warning.line),
            TableCell::number(warning.count),
            TableCell::new(Meaning::Plain, warning.message.clone()),
        ],
        ..TableRow::default()
    });
    let count = session.index.info().warning_count;
    let words = if is_text { say!("warnings-lines", count = count) } else { say!("warnings-places", count = count) };
    let table = Table::new(so_far(session, &words), &HEADS, rows.collect());
    if is_text { table } else { table.without_named("Line") }
}

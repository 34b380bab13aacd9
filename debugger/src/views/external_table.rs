//! External changes: memory changed by something that the trace does not show.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use super::table_view::TableSource;
use super::view::Status;
use crate::action::{Action, PanelKind};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::externals::{ExternalRow, external_rows};
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow};
use crate::session::Session;
use crate::worker::Slot;

const HEADS: [&str; 6] =
    ["externals-step", "externals-address", "externals-was", "externals-read", "externals-symbol", "externals-thread"];
/// How many changes are listed at first, and how many more each "… more" adds.
const PAGE: usize = 200;

/// A row for each read that contradicted the last known write.
#[derive(Default)]
pub struct ExternalTable {
    /// Pages that were asked for besides the first.
    more: usize,
    answer: Slot<usize, Arc<Table>>,
}

impl ExternalTable {
    fn limit(&self) -> usize {
        ((self.more + 1) * PAGE).min(ROWS)
    }
}

impl TableSource for ExternalTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Externals
    }

    fn title(&self) -> String {
        say!("externals-external-changes").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let limit = self.limit();
        let answer = self.answer.poll_long(&limit, &desk.worker, |limit| {
            let (limit, session) = (*limit, Arc::clone(&desk.session));
            move |cancel: &Cancel| Ok(Arc::new(table(&session, &external_rows(&session, Position(0), limit, cancel)?)))
        });
        Status::of_answer(&answer)
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(say!("externals-no-external-changes"))
    }

    fn advice(&self) -> &'static str {
        say!("externals-every-read-agrees-with-the")
    }

    fn more(&self, _: &Desk) -> Option<String> {
        let is_full = self.answer.peek().is_some_and(|(limit, table)| table.rows.len() >= *limit);
        (is_full && self.limit() < ROWS).then(|| say!("externals-more").to_owned())
    }

    fn list_more(&mut self, _: &mut Vec<Action>) {
        self.more += 1;
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(session: &Session, changes: &[ExternalRow]) -> Table {
    let rows = changes.iter().map(|change| TableRow {
        name: change.line(),
        cells: vec![
            TableCell::Step(change.step),
            TableCell::new(Meaning::Second, format!("{:x}", change.address.0)),
            TableCell::new(Meaning::Plain, change.was_text()),
            TableCell::new(Meaning::External, change.read_text()),
            TableCell::new(Meaning::Symbol, change.place.clone().unwrap_or_default()),
            TableCell::new(Meaning::Label, change.thread.clone()),
        ],
        position: Some(change.position),
        address: Some(change.address),
        is_faded: false,
    });
    let changes = session.index.info().external_changes;
    let words = so_far(session, &say!("externals-reads", count = changes));
    let words = say!("externals-head", reads = words, count = changes, from = "");
    Table::new(words, &HEADS, rows.collect()).without_one_thread(session).without_empty()
}

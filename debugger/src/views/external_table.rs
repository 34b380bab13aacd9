//! External changes: memory changed by something that the trace does not show.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::read::records_accesses;
use stepback_parsers::{Position, RegisterSource};

use super::table_view::{TableSource, TableWork};
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, CellName, PanelKind};
use crate::desk::Desk;
use crate::messages::say;
use crate::model::externals::{ExternalRow, external_rows};
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow};
use crate::model::{TextRole, TextSpan};
use crate::session::Session;
use crate::worker::Slot;

const HEADS: [&str; 6] = [
    "externals-step",
    "externals-address",
    "externals-was",
    "externals-read",
    "externals-symbol",
    "head-thread",
];
/// Number of changes that are listed at first, and that each "… more" adds.
const PAGE: usize = 200;

/// The changes and the table that shows them.
type ExternalAnswer = (Arc<Vec<ExternalRow>>, Arc<Table>);

/// One row per read that contradicted the last known write.
#[derive(Default)]
pub struct ExternalTable {
    /// Position at which the list begins.
    from: Position,
    /// Number of pages requested in addition to the first.
    more: usize,
    /// Changes from a position on, up to a limit, and their rows. The key of a row is the index of
    /// its change.
    answer: Slot<(Position, usize), ExternalAnswer>,
    /// The trace has no values that could be compared.
    is_without_values: bool,
}

impl ExternalTable {
    fn question(&self) -> (Position, usize) {
        (self.from, ((self.more + 1) * PAGE).min(ROWS))
    }

    fn change(&self, row: &TableRow) -> Option<&ExternalRow> {
        let (_, (changes, _)) = self.answer.peek()?;
        changes.get(usize::try_from(row.key).ok()?)
    }
}

impl TableSource for ExternalTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Externals
    }

    fn title(&self) -> String {
        say!("externals-external-changes").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let index = &desk.session.index;
        self.is_without_values = index.source().traits().registers == RegisterSource::Operands
            || matches!(records_accesses(index), Ok(false));
        if desk.session.index.info().external_changes == 0 {
            return Ok(Arc::new(table(&desk.session, self.from, &[])));
        }
        let answer = self
            .answer
            .poll_long(&self.question(), &desk.worker, |(from, limit)| {
                let (from, limit, session) = (*from, *limit, Arc::clone(&desk.session));
                move |cancel: &Cancel| {
                    let changes = external_rows(&session, from, limit, cancel)?;
                    let table = table(&session, from, &changes);
                    Ok((Arc::new(changes), Arc::new(table)))
                }
            });
        ViewStatus::of_answer(&answer).map(|(_, table)| table)
    }

    fn work(&self) -> TableWork {
        TableWork::of_slot(&self.answer)
    }

    fn nothing(&self, desk: &Desk) -> Option<String> {
        if self.is_without_values {
            return Some(say!("externals-not-recorded").to_owned());
        }
        let has_changes = desk.session.index.info().external_changes > 0;
        Some(so_far(
            &desk.session,
            match has_changes {
                true => say!("externals-no-external-change-from-there"),
                false => say!("externals-no-external-changes"),
            },
        ))
    }

    fn advice(&self, _: &Desk) -> String {
        str::to_owned(match self.from {
            Position(0) if self.is_without_values => say!("externals-no-values"),
            Position(0) => say!("externals-every-read-agrees-with-the"),
            _ => say!("externals-list-from-the-start-of"),
        })
    }

    fn button(&self, desk: &Desk) -> Option<&'static str> {
        let has_changes = desk.session.index.info().external_changes > 0;
        has_changes.then(|| match self.from {
            Position(0) => say!("externals-list-from-the-position"),
            _ => say!("externals-list-from-the-start"),
        })
    }

    /// Lists from the position, or from the start again.
    fn press(&mut self, desk: &Desk, _: &mut Vec<Action>) -> bool {
        self.from = match self.from {
            Position(0) => desk.windows.active().position,
            _ => Position(0),
        };
        self.more = 0;
        true
    }

    fn more(&self, _: &Desk) -> Option<String> {
        let is_full = self
            .answer
            .peek()
            .is_some_and(|((_, limit), (changes, _))| changes.len() >= *limit);
        (is_full && self.question().1 < ROWS).then(|| say!("externals-more").to_owned())
    }

    fn list_more(&mut self, _: &mut Vec<Action>) {
        self.more += 1;
    }

    /// The new bytes are visible just after the read.
    fn memory_gestures(&self) -> &'static [RowGesture] {
        &[RowGesture::Go, RowGesture::GoOn]
    }

    fn travel_label(&self) -> &'static str {
        say!("externals-travel-to-the-read")
    }

    /// Returns the bytes that changed.
    fn row_cell(&self, row: &TableRow, _: &Table) -> Option<CellName> {
        let change = self.change(row)?;
        Some(CellName::Memory(
            change.address.to_string(),
            change.bytes.len() as u64,
        ))
    }

    fn copied(&self, row: &TableRow) -> String {
        self.change(row)
            .map_or_else(|| row.line(), ExternalRow::line)
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(session: &Session, from: Position, changes: &[ExternalRow]) -> Table {
    let rows = (0u64..).zip(changes).map(|(key, change)| TableRow {
        name: say!("externals-row", step = change.step.0),
        key,
        cells: vec![
            TableCell::Step(change.step),
            TableCell::ranked(
                Some(change.address.0),
                TextRole::Second,
                format!("{:08x}", change.address.0),
            ),
            bytes_cell(
                change
                    .bytes
                    .iter()
                    .map(|(was, read)| known_byte(*was, *read)),
            ),
            bytes_cell(
                change
                    .bytes
                    .iter()
                    .map(|(was, read)| read_byte(*was, *read)),
            ),
            TableCell::new(TextRole::Symbol, change.place.clone().unwrap_or_default()),
            TableCell::new(TextRole::Label, change.thread.clone()),
        ],
        position: Some(change.position),
        address: Some(change.address),
        ..TableRow::default()
    });
    let changes = session.index.info().external_changes;
    let words = so_far(session, &say!("externals-reads", count = changes));
    let words = say!("externals-head", reads = words, count = changes);
    let words = match from {
        Position(0) => words,
        from => say!("externals-from", summary = words, step = from.0),
    };
    Table::new(words, &HEADS, rows.collect())
        .without_one_thread(session)
        .without_empty()
}

fn bytes_cell(bytes: impl Iterator<Item = TextSpan>) -> TableCell {
    let mut spans: Vec<TextSpan> = bytes.collect();
    if let Some((_, before)) = spans.split_last_mut() {
        before.iter_mut().for_each(|span| span.text.push(' '));
    }
    TableCell::Spans {
        number: None,
        spans,
    }
}

/// Formats the last known byte.
fn known_byte(was: Option<u8>, read: u8) -> TextSpan {
    match was {
        Some(was) if was == read => TextSpan::new(TextRole::Second, format!("{was:02x}")),
        Some(was) => TextSpan::new(TextRole::Plain, format!("{was:02x}")),
        None => TextSpan::new(TextRole::Unknown, "??"),
    }
}

/// Formats the byte that was read, highlighted if it differs.
fn read_byte(was: Option<u8>, read: u8) -> TextSpan {
    let is_other = was.is_some_and(|was| was != read);
    TextSpan::new(
        if is_other {
            TextRole::External
        } else {
            TextRole::Second
        },
        format!("{read:02x}"),
    )
}

//! Lists the external changes of a trace as rows.

use anyhow::Result;
use stepback_index::answer::{Direction, ExternalChange, MemoryRange};
use stepback_index::query::ExternalChanges;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::names::place_name;
use super::text::{bytes_text, thousands};
use crate::messages::say;
use crate::session::Session;

/// Read that contradicted the known value of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalRow {
    /// Step that read.
    pub step: Step,
    /// First position at which the new bytes are visible.
    pub position: Position,
    /// Name of the thread that read.
    pub thread: String,
    /// Address of the first byte.
    pub address: Address,
    /// Symbol at that address.
    pub place: Option<String>,
    /// Known and read value of each byte, in address order.
    pub bytes: Vec<(Option<u8>, u8)>,
}

/// Lists at most `limit` external changes from a position on. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn external_rows(
    session: &Session,
    from: Position,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<ExternalRow>> {
    let changes = ExternalChanges {
        range: None,
        thread: None,
        at: from,
        direction: Direction::Forward,
        skip: 0,
        limit,
    }
    .run(&session.index, cancel)?;
    Ok(changes
        .into_iter()
        .map(|change| ExternalRow::new(change, session))
        .collect())
}

/// Finds the last external change of a byte before a position. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn last_external(
    session: &Session,
    address: Address,
    before: Position,
    cancel: &Cancel,
) -> Result<Option<ExternalRow>> {
    let range = Some(MemoryRange {
        address,
        len_bytes: 1,
    });
    let changes = ExternalChanges {
        range,
        thread: None,
        at: before,
        direction: Direction::Back,
        skip: 0,
        limit: 1,
    }
    .run(&session.index, cancel)?;
    Ok(changes
        .into_iter()
        .next()
        .map(|change| ExternalRow::new(change, session)))
}

impl ExternalRow {
    fn new(change: ExternalChange, session: &Session) -> Self {
        let record = &change.hit.record;
        let thread = session.index.threads().get(usize::from(record.thread.0));
        Self {
            step: record.step,
            position: change.hit.position,
            thread: thread.map(|thread| thread.name.clone()).unwrap_or_default(),
            address: change.address,
            place: place_name(&session.images, change.address),
            bytes: change.known_before.into_iter().zip(change.bytes).collect(),
        }
    }

    /// Formats the previously known bytes: `aa ??`.
    pub fn was_text(&self) -> String {
        bytes_text(&self.bytes.iter().map(|(was, _)| *was).collect::<Vec<_>>())
    }

    /// Formats the bytes read: `bb 00`.
    pub fn read_text(&self) -> String {
        bytes_text(
            &self
                .bytes
                .iter()
                .map(|(_, read)| Some(*read))
                .collect::<Vec<_>>(),
        )
    }

    /// Returns the known and the read value of one byte.
    pub fn byte(&self, address: Address) -> Option<(Option<u8>, u8)> {
        let place = usize::try_from(address.0.wrapping_sub(self.address.0)).ok()?;
        self.bytes.get(place).copied()
    }

    /// Formats the change as copied text.
    pub fn line(&self) -> String {
        let place = self
            .place
            .as_ref()
            .map(|place| format!(" ({place})"))
            .unwrap_or_default();
        let step = thousands(self.step.0);
        say!(
            "externals-line",
            step = step,
            address = format!("{:x}", self.address.0),
            place = place,
            was = self.was_text(),
            read = self.read_text()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_tells_what_was_and_what_was_read() {
        let row = ExternalRow {
            step: Step(1250),
            position: Position(1251),
            thread: "cpu0".to_owned(),
            address: Address(0x8002_0010),
            place: Some("heap".to_owned()),
            bytes: vec![(Some(0xaa), 0xbb), (None, 0)],
        };
        assert_eq!(
            row.line(),
            "step 1,250: 80020010 (heap) was aa ??, read bb 00"
        );
        assert_eq!(
            (
                row.byte(Address(0x8002_0010)),
                row.byte(Address(0x8002_000f))
            ),
            (Some((Some(0xaa), 0xbb)), None)
        );
    }
}

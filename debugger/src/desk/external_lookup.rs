//! Search for external changes.

use anyhow::{Context as _, Result};
use stepback_index::{Cancel, MemoryRange};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::found::LookupResult;
use crate::action::{CellName, Direction};
use crate::analysis::walk::{self, HitCursor, HitQuery, Subject};
use crate::expression::{IndexLookup, evaluate};
use crate::messages::say;
use crate::session::Session;

/// Query for the last or next external change.
#[derive(Clone, Debug)]
pub struct ExternalLookup {
    /// Memory range; none: any memory.
    pub cell: Option<CellName>,
    /// Direction of the search.
    pub way: Direction,
    /// Start of the search.
    pub from: Position,
}

impl ExternalLookup {
    /// Runs the query on the index. The result is after the step that read the change, so that the
    /// new bytes show.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<LookupResult> {
        let range = self.range(session, cancel)?;
        let sought = HitQuery {
            subject: Subject::ExternalChanges(range),
            direction: self.way,
        };
        // A change by the step just before the position would be no move.
        let found = HitCursor::new(sought, self.from, 1, &session.index, cancel)
            .leaving(self.from)
            .next_hit()?;
        Ok(match found {
            walk::HitOutcome::Hit(hit) => LookupResult::Position(hit.position),
            walk::HitOutcome::Initial(_) | walk::HitOutcome::Nothing => self.nothing(session),
        })
    }

    /// Resolves the memory range. A register names the memory that it points to.
    fn range(&self, session: &Session, cancel: &Cancel) -> Result<Option<MemoryRange>> {
        let (text, len_bytes) = match &self.cell {
            None => return Ok(None),
            Some(CellName::Register(name)) => (name, 1),
            Some(CellName::Memory(address, len_bytes)) => (address, *len_bytes),
        };
        let names = IndexLookup::new(&session.index, &session.images, self.from, None, cancel);
        let address = evaluate(text, &names)
            .with_context(|| say!("lookup-is-no-address", text = format!("{text:?}")))?;
        Ok(Some(MemoryRange {
            address: Address(address),
            len_bytes,
        }))
    }

    fn nothing(&self, session: &Session) -> LookupResult {
        let words = match (&self.cell, self.way) {
            (None, Direction::Back) => say!("lookup-no-external-before").to_owned(),
            (None, Direction::Forward) => say!("lookup-no-external-after").to_owned(),
            (Some(CellName::Register(address) | CellName::Memory(address, _)), way) => match way {
                Direction::Back => say!("lookup-no-external-of-before", address = address),
                Direction::Forward => say!("lookup-no-external-of-after", address = address),
            },
        };
        LookupResult::nothing(session, self.way, words)
    }
}

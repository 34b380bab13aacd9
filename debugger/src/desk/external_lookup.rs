//! The search for external changes.

use anyhow::{Context as _, Result};
use stepback_index::{Cancel, MemoryRange, NextExternalChanges, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::found::Found;
use crate::action::{CellName, Way};
use crate::analysis::walk::{self, Sought, Walk};
use crate::expression::{AtPosition, evaluate};
use crate::messages::say;
use crate::session::Session;

/// A question about external changes as the user asks it.
#[derive(Clone, Debug)]
pub struct ExternalQuestion {
    /// Of which memory; none: of any.
    pub cell: Option<CellName>,
    /// Into the past or the future.
    pub way: Way,
    /// From where.
    pub from: Position,
}

impl ExternalQuestion {
    /// Asks the index. It lands after the step that read, so that the new bytes show.
    pub fn answer(&self, session: &Session, cancel: &Cancel) -> Result<Found> {
        let range = self.range(session, cancel)?;
        let found = match self.way {
            Way::Forward => {
                let changes = NextExternalChanges {
                    range,
                    thread: None,
                    from: self.from,
                    skip: 0,
                    limit: 1,
                }
                .run(&session.index, cancel)?;
                changes.first().map(|change| change.hit.position)
            }
            Way::Back => self.last(session, range, cancel)?,
        };
        Ok(found.map_or_else(|| self.nothing(session), Found::Position))
    }

    /// Where the step just before the position did it, the one before is meant: that would be no move.
    fn last(
        &self,
        session: &Session,
        range: Option<MemoryRange>,
        cancel: &Cancel,
    ) -> Result<Option<Position>> {
        let sought = Sought::LastExternal(range);
        let found = Walk::new(sought, self.from, 1, &session.index, cancel)
            .leaving(self.from)
            .next_hit()?;
        Ok(if let walk::Found::Hit(hit) = found {
            Some(hit.position)
        } else {
            None
        })
    }

    /// A register names the memory that it points to.
    fn range(&self, session: &Session, cancel: &Cancel) -> Result<Option<MemoryRange>> {
        let (text, len_bytes) = match &self.cell {
            None => return Ok(None),
            Some(CellName::Register(name)) => (name, 1),
            Some(CellName::Memory(address, len_bytes)) => (address, *len_bytes),
        };
        let names = AtPosition::new(&session.index, &session.images, self.from, None, cancel);
        let address = evaluate(text, &names)
            .with_context(|| say!("lookup-is-no-address", text = format!("{text:?}")))?;
        Ok(Some(MemoryRange {
            address: Address(address),
            len_bytes,
        }))
    }

    fn nothing(&self, session: &Session) -> Found {
        let words = match (&self.cell, self.way) {
            (None, Way::Back) => say!("lookup-no-external-before").to_owned(),
            (None, Way::Forward) => say!("lookup-no-external-after").to_owned(),
            (Some(CellName::Register(address) | CellName::Memory(address, _)), way) => match way {
                Way::Back => say!("lookup-no-external-of-before", address = address),
                Way::Forward => say!("lookup-no-external-of-after", address = address),
            },
        };
        Found::nothing(session, self.way, words)
    }
}
